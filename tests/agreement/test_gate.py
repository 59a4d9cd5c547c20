"""The gate's verdicts, reasons and what it would take."""

import math
from fractions import Fraction

import numpy as np
import pytest

from agreement.counts import count_vectors
from agreement.estimate import Estimate
from agreement.estimates import estimate_many
from agreement.gate import bound_alpha, judge
from agreement.patterns import ABSTAINED, MISSING, NOT_ASSIGNED, OTHER_VERSION, Patterns
from agreement.readings import SliceEvidence
from agreement.rules import Rule
from agreement.tipping import TippingPoint

PSA = "positive_specific_agreement"


def evidence(both, first_only, second_only, neither, gaps=(), estimates=None):
    """Two annotators; gaps: (code of the first, code of the second, how many items)."""
    rows = [(0, 0, both), (0, 1, first_only), (1, 0, second_only), (1, 1, neither), *gaps]
    patterns = Patterns(
        ("ida", "bo"), ("flag", "no"), np.array([row[:2] for row in rows]), np.array([row[2] for row in rows])
    )
    return SliceEvidence(patterns, ("flag",), estimates or {})


def one(rule, found):
    return judge([rule], {rule.slice: found}).results[0]


VALUES = [
    # rule, table, verdict, found, failed as
    (Rule("s", PSA, at_least="0.2553"), (6, 21, 14, 459), "pass", "0.2553", None),  # 12/47 = .25531
    (Rule("s", PSA, at_least="0.2554"), (6, 21, 14, 459), "fail", "0.2553", "not_shown"),
    (Rule("s", PSA, at_least="0.40", judged_on="lower"), (6, 21, 14, 459), "fail", "0.1054", "not_shown"),
    (Rule("s", PSA, at_least="0.46", judged_on="lower"), (6, 21, 14, 459), "fail", "0.1054", "shown_below"),
    (Rule("s", PSA, at_least="0.8"), (4, 1, 1, 4), "pass", "0.8000", None),  # exactly four fifths
    (Rule("s", PSA, at_least="0.8"), (0, 0, 0, 10), "not_evaluable", None, None),
    (Rule("s", "union_positives", at_least="41"), (6, 21, 14, 459), "pass", "41", None),
    (Rule("s", "union_positives", at_least="42"), (6, 21, 14, 459), "fail", "41", "not_shown"),
    (Rule("s", "joint_positives", at_least="6"), (6, 21, 14, 459), "pass", "6", None),
    (Rule("s", "contested_share", at_most="0.8537"), (6, 21, 14, 459), "pass", "0.8537", None),  # 35/41 = .85366 up
    (Rule("s", "contested_share", at_most="0.8536"), (6, 21, 14, 459), "fail", "0.8537", "not_shown"),
    (Rule("s", "contested_share", at_most="0.5", judged_on="upper"), (6, 21, 14, 459), "fail", "0.9444", "shown_above"),
    # The interval ends on the threshold, so it holds it: scipy.stats.binomtest(6, 41).proportion_ci() is .05566 to
    # .29173; 2p / (1 + p) of its upper end is .45169, one less that end .70827, each rounded outward.
    (Rule("s", PSA, at_least="0.4517"), (6, 21, 14, 459), "fail", "0.2553", "not_shown"),
    (Rule("s", PSA, at_least="0.4518"), (6, 21, 14, 459), "fail", "0.2553", "shown_below"),
    (Rule("s", "contested_share", at_most="0.7082"), (6, 21, 14, 459), "fail", "0.8537", "not_shown"),
    (Rule("s", "contested_share", at_most="0.7081"), (6, 21, 14, 459), "fail", "0.8537", "shown_above"),
    (Rule("s", "specific_agreement", at_least="0.9632", category="no"), (6, 21, 14, 459), "pass", "0.9632", None),
    (Rule("s", "specific_agreement", at_least="0", category="other"), (6, 21, 14, 459), "not_evaluable", None, None),
    (Rule("s", "coverage", at_least="1"), (6, 21, 14, 459), "pass", "1.0000", None),
    (Rule("s", "no such thing", at_least="0"), (6, 21, 14, 459), "not_evaluable", None, None),
]


@pytest.mark.parametrize(("rule", "table", "verdict", "found", "failed_as"), VALUES)
def test_a_rule_compares_the_decimal_rounded_against_it(rule, table, verdict, found, failed_as):
    result = one(rule, evidence(*table))
    assert (result.verdict, result.found, result.failed_as) == (verdict, found, failed_as)


@pytest.mark.parametrize("threshold", [".nan", "nan", "inf", "70%", "0,7", "1e-1", "", "٠.٥", 0.65, None, "0.65001"])
def test_a_threshold_that_is_not_decimal_text_is_never_passed(threshold):
    result = one(Rule("s", PSA, at_least=threshold), evidence(100, 0, 0, 0))
    assert result.verdict == "not_evaluable"


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, None])
def test_a_figure_that_is_not_finite_is_never_passed(value):
    estimate = Estimate("cohen_kappa", value, lower=value, upper=value)
    for side in ("value", "lower"):
        rule = Rule("s", "cohen_kappa", at_least="-1", judged_on=side)
        assert one(rule, evidence(1, 1, 1, 1, estimates={"cohen_kappa": estimate})).verdict == "not_evaluable"


def test_a_figure_with_a_value_and_no_interval_is_not_evaluable_on_its_bound():
    estimate = Estimate("krippendorff_alpha", 0.9, interval="none: fewer than 10 union positives")
    found = evidence(1, 1, 1, 1, estimates={"krippendorff_alpha": estimate})
    result = one(Rule("s", "krippendorff_alpha", at_least="0", judged_on="lower"), found)
    assert result.verdict == "not_evaluable"
    assert result.reason == "undefined: no interval (fewer than 10 union positives)"


def test_a_value_on_the_threshold_by_floating_point_alone_is_judged_by_its_fraction():
    # 0.1 + 0.2 is above 0.3 as a float, and the exact value is 3/10.
    above = Estimate("cohen_kappa", 0.1 + 0.2, exact=Fraction(3, 10))
    below = Estimate("cohen_kappa", 0.3, exact=Fraction(2999, 10000))
    rule = Rule("s", "cohen_kappa", at_least="0.3")
    assert one(rule, evidence(1, 1, 1, 1, estimates={"cohen_kappa": above})).verdict == "pass"
    assert one(rule, evidence(1, 1, 1, 1, estimates={"cohen_kappa": below})).verdict == "fail"


def test_a_negative_value_is_floored_away_from_zero():
    kappa = Estimate("cohen_kappa", -1 / 9, exact=Fraction(-1, 9))
    result = one(Rule("s", "cohen_kappa", at_least="-0.1111"), evidence(0, 1, 1, 8, estimates={"cohen_kappa": kappa}))
    assert (result.verdict, result.found) == ("fail", "-0.1112")


STATUSES = [
    (["pass", "pass"], "pass", 0),
    (["pass", "fail"], "fail", 4),
    (["fail", "not_evaluable"], "fail", 4),
    (["pass", "not_evaluable"], "not_evaluable", 5),
    ([], "not_evaluable", 5),
]
BY_VERDICT = {
    "pass": Rule("s", PSA, at_least="0"),
    "fail": Rule("s", PSA, at_least="1"),
    "not_evaluable": Rule("elsewhere", PSA, at_least="0"),
}


@pytest.mark.parametrize(("verdicts", "status", "exit_code"), STATUSES)
def test_every_rule_must_pass_and_no_rule_is_no_pass(verdicts, status, exit_code):
    verdict = judge([BY_VERDICT[v] for v in verdicts], {"s": evidence(6, 21, 14, 459)})
    assert [result.verdict for result in verdict.results] == verdicts
    assert (verdict.status, verdict.exit_code) == (status, exit_code)


def test_a_slice_nobody_declared_a_rule_for_is_not_looked_at():
    verdict = judge([Rule("s", PSA, at_least="0.2")], {"s": evidence(6, 21, 14, 459), "t": evidence(0, 9, 9, 9)})
    assert verdict.status == "pass"


def test_attempts_share_what_the_bounds_may_miss():
    rule = Rule("s", PSA, at_least="0.1", judged_on="lower")
    assert bound_alpha("0.95", 2) == Fraction(1, 40)
    first, second = (judge([rule], {"s": evidence(6, 21, 14, 459)}, attempts=k).results[0] for k in (1, 2))
    # Clopper-Pearson on 6 of 41, as 2p / (1 + p): scipy.stats.binomtest(6, 41).proportion_ci(0.95), and (0.975).
    assert (first.found, second.found) == ("0.1054", "0.0909")


COVERAGES = [
    ("coverage", 20, 30),
    ("flagged_coverage", 10, 13),  # ten flagged by both, and three whose partner is missing
    ("abstention_rate", 2, 58),
    ("missing_rate", 7, 58),  # three missing, two of another version, two of the item nobody answered
]


@pytest.mark.parametrize(("statistic", "part", "whole"), COVERAGES)
def test_coverage_counts_what_was_assigned(statistic, part, whole):
    # 28 items for two annotators, of which 20 complete, and two items for one.
    gaps = [(0, MISSING, 3), (1, ABSTAINED, 2), (1, OTHER_VERSION, 2), (MISSING, MISSING, 1), (1, NOT_ASSIGNED, 2)]
    result = one(Rule("s", statistic, at_least="0"), evidence(10, 0, 0, 10, gaps))
    assert list(result.counts.values()) == [part, whole]
    assert result.value == Fraction(part, whole)


TIPPING = [
    # 20 of 40 shared (2/3), and ten flags whose partner said nothing: each partner that flagged too would be joint.
    # 0.70 needs joint j and union 50 with 2j / (j + 50) >= .7, so j >= 26.9: seven of the ten. Unflagged gaps fail it.
    (Rule("s", PSA, at_least="0.70"), (20, 10, 10, 60), [(0, MISSING, 10)], TippingPoint(7, 10)),
    # A pass that fails even if none of the ten was a flag: 40/70 < 0.6.
    (Rule("s", PSA, at_least="0.60"), (20, 10, 10, 60), [(0, MISSING, 10)], TippingPoint(0, 10)),
    # A pass that flags beside a "no" would undo: 40 / (60 + k) >= .55 holds to k = 12.
    (Rule("s", PSA, at_least="0.55"), (20, 10, 10, 60), [(1, MISSING, 30)], TippingPoint(13, 30)),
    # Nothing the missing labels could be changes it.
    (Rule("s", PSA, at_least="0.95"), (20, 10, 10, 60), [(0, ABSTAINED, 10)], TippingPoint(None, 10)),
    (Rule("s", PSA, at_least="0.95"), (20, 10, 10, 60), [], None),
]


@pytest.mark.parametrize(("rule", "table", "gaps", "expected"), TIPPING)
def test_the_tipping_point_is_the_number_of_missing_flags_that_changes_the_verdict(rule, table, gaps, expected):
    assert one(rule, evidence(*table, gaps)).tipping == expected


def test_a_near_miss_says_what_it_would_take():
    short = one(Rule("s", "union_positives", at_least="100"), evidence(41, 19, 16, 44))
    # 24 short of 76 in 120 items: 24 * 120 / 76 = 37.9.
    assert short.further.sentence == "24 short: about 38 more items, if they stay as dense"
    below = one(Rule("s", PSA, at_least="0.65"), evidence(38, 29, 33, 50))
    # 2j / (j + 100) >= .65 from j = 48.1.
    assert below.further.sentence == "of 100 items flagged, 49 would have to be flagged by all"
    never = one(Rule("s", PSA, at_least="0.40", judged_on="lower"), evidence(4, 18, 22, 956))
    assert never.further.sentence == "more labels cannot fix this: the value itself is below 0.40"
    more = one(Rule("s", PSA, at_least="0.40", judged_on="lower"), evidence(10, 10, 10, 70))
    assert more.further.union_positives > 30
    reached = judge(
        [more.rule], {"s": evidence(*(round(n * more.further.union_positives / 30 + 1) for n in (10, 10, 10, 70)))}
    )
    assert reached.status == "pass"


def test_reasons_are_said_in_words():
    assert one(Rule("s", "union_positives", at_least="41"), evidence(6, 21, 14, 459)).reason == (
        "41, asked at least 41: passed, exactly"
    )
    assert one(Rule("s", PSA, at_least="0.2554"), evidence(6, 21, 14, 459)).reason == (
        "0.255, asked at least 0.2554: failed"
    )
    assert one(Rule("s", PSA, at_least="0.2"), evidence(0, 0, 0, 9)).reason == "undefined: no paired item was flagged"


def test_the_template_of_a_rare_label_judged_whole():
    # Three annotators, 120 union positives, agreement well above the thresholds.
    codes = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 0], [0, 1, 1], [1, 1, 1], [0, 0, MISSING]])
    patterns = Patterns(("ida", "bo", "kim"), ("flag", "no"), codes, np.array([70, 15, 15, 20, 880, 2]))
    estimates = estimate_many(*count_vectors(patterns), seed=1, resamples=500)
    rules = [
        Rule("flagged", "union_positives", at_least="100"),
        Rule("flagged", PSA, at_least="0.65"),
        Rule("flagged", PSA, at_least="0.40", judged_on="lower", missing="worst"),
        Rule("flagged", "krippendorff_alpha", at_least="0", judged_on="lower"),
        Rule("flagged", "coverage", at_least="0.95"),
        Rule("flagged", "flagged_coverage", at_least="0.90"),
    ]
    verdict = judge(rules, {"flagged": SliceEvidence(patterns, ("flag",), estimates)})
    assert [result.verdict for result in verdict.results] == ["pass"] * 6
    assert verdict.exit_code == 0


def test_a_rule_on_another_category_does_not_call_its_labels_positives():
    result = one(
        Rule("s", "specific_agreement", at_least="0.99", category="no"), evidence(6, 21, 14, 459, [(0, MISSING, 3)])
    )
    assert result.counts == {"paired_items": 500, "said_by_any": 494, "said_by_all": 459, "missing_labels": 3}
    # 2j / (j + 494) >= .99 from j = 484.2; a tipping point in flags would speak of the wrong category.
    assert result.further.sentence == "of 494 items labelled so, 485 would have to be labelled so by all"
    assert result.tipping is None
