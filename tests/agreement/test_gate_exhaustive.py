"""Every two by two table of up to 60 items at three thresholds, against an oracle of its own: no wrong decision.

Oracle: 2a / (2a + b + c) >= t in integers, and for the lower bound the binomial test in integers (Clopper and Pearson
1934): the bound reaches t exactly when P(X >= a | a + b + c trials, p = t / (2 - t)) <= 1/40. How the b + c items split
and how many items neither flagged must not matter, so each (a, b + c) is judged once with a split and rest of its own.
"""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from agreement.gate import judge
from agreement.patterns import Patterns
from agreement.readings import SliceEvidence
from agreement.rules import Rule

MOST_ITEMS = 60
THRESHOLDS = ("0.40", "0.65", "0.6667")
CODES = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


def rules_at(threshold):
    return [
        Rule("all", "positive_specific_agreement", at_least=threshold),
        Rule("all", "positive_specific_agreement", at_least=threshold, judged_on="lower"),
        Rule("all", "positive_specific_agreement", at_least=threshold, judged_on="lower", missing="worst"),
    ]


def oracle(both, contested, threshold):
    union = both + contested
    if union == 0:
        return ["not_evaluable"] * 3
    t = Fraction(threshold)
    value = 2 * both * t.denominator >= t.numerator * (2 * both + contested)
    p = t / (2 - t)
    hit, miss, whole = p.numerator, p.denominator - p.numerator, p.denominator
    tail = sum(comb(union, x) * hit**x * miss ** (union - x) for x in range(both, union + 1))
    bound = 40 * tail <= whole**union
    return ["pass" if met else "fail" for met in (value, bound, bound)]


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_no_table_of_up_to_60_items_is_judged_wrongly(threshold):
    rng = np.random.default_rng(60)
    rules, wrong, judged = rules_at(threshold), [], 0
    for union in range(MOST_ITEMS + 1):
        for both in range(union + 1):
            first_only = int(rng.integers(0, union - both + 1))
            neither = int(rng.integers(0, MOST_ITEMS - union + 1))
            times = np.array([both, first_only, union - both - first_only, neither])
            patterns = Patterns(("ida", "bo"), ("flag", "no"), CODES, times)
            verdict = judge(rules, {"all": SliceEvidence(patterns, ("flag",))})
            found = [result.verdict for result in verdict.results]
            judged += 1
            if found != oracle(both, union - both, threshold):
                wrong.append((both, union, found))
    assert judged == 1891
    assert wrong == []


def test_the_boundary_lies_inside_the_tables():
    # 2a / (2a + b + c) is exactly 2/5 for 1 of 4, and exactly 13/20 for 13 of 27: the oracle sees both as met.
    assert oracle(1, 3, "0.40")[0] == "pass"
    assert oracle(13, 14, "0.65")[0] == "pass"
    # Two thirds is 1 of 2; its decimal 0.6667 lies above it, so the floored value does not reach it.
    assert oracle(1, 1, "0.6667")[0] == "fail"
