"""What a rule asks, in words, and what a failed rule would need."""

import numpy as np
import pytest

from agreement.gate import asked_text, judge
from agreement.patterns import MISSING, Patterns
from agreement.readings import SliceEvidence
from agreement.rules import Rule

PSA = "positive_specific_agreement"
ASKED = [
    (Rule("s", PSA, at_least="0.65"), "positive specific agreement, at least 0.65"),
    (Rule("s", PSA, at_least="0.40", judged_on="lower"), "positive specific agreement, lower bound, at least 0.40"),
    (Rule("s", "abstain_rate", at_most="0.1", judged_on="upper"), "abstain rate, upper bound, at most 0.1"),
    (
        Rule("s", PSA, at_least="0.40", missing="worst"),
        "positive specific agreement, worst case of the missing labels, at least 0.40",
    ),
    (Rule("s", "specific_agreement", category="no", at_least="0.9"), "specific agreement on no, at least 0.9"),
]


@pytest.mark.parametrize(("rule", "words"), ASKED)
def test_a_rule_asks_in_words(rule, words):
    assert asked_text(rule) == words


def failed(rule, both, one_only, neither, missing=0, flagged_alone=0):
    """flagged_alone: items flagged by one, whose partner's label is missing; missing: the same of items not flagged."""
    rows = [(0, 0, both), (0, 1, one_only), (1, 1, neither), (1, MISSING, missing), (0, MISSING, flagged_alone)]
    codes, n = np.array([row[:2] for row in rows]), np.array([row[2] for row in rows])
    result = judge([rule], {"s": SliceEvidence(Patterns(("a", "b"), ("yes", "no"), codes, n), ("yes",), {})}).results[0]
    assert result.verdict == "fail"
    return result.further


NOTHING_TO_SAY = [
    (Rule("s", PSA, at_most="0.10"), (6, 35, 459)),  # a ceiling is not reached by more of anything
    (Rule("s", "coverage", at_least="1"), (6, 35, 459, 1)),  # not a matter of positives
]


@pytest.mark.parametrize(("rule", "table"), NOTHING_TO_SAY)
def test_what_more_positives_cannot_mend_says_nothing_of_them(rule, table):
    assert failed(rule, *table) is None


def test_a_short_count_says_how_many_items_more_at_the_same_density():
    further = failed(Rule("s", "union_positives", at_least="100"), 6, 35, 459)
    assert further.sentence == "59 short: about 720 more items, if they stay as dense"  # ceil(59 · 500/41)
    assert failed(Rule("s", "union_positives", at_least="1"), 0, 0, 10).sentence == "1 short"


def test_a_value_below_what_is_asked_says_how_many_would_have_to_be_joint():
    further = failed(Rule("s", PSA, at_least="0.65"), 6, 35, 459)
    assert further.joint_positives == 20  # p = PSA/(2 − PSA): 41 · 0.65/1.35 = 19.7
    assert further.sentence.startswith("of 41 items flagged, 20 would have to be flagged by all")


@pytest.mark.parametrize(("asked", "relation"), [("0.30", "below"), ("0.50", "at")])
def test_a_bound_whose_value_is_not_above_it_is_not_reached_by_more_labels(asked, relation):
    both = 1 if relation == "below" else 5  # 2·5/(2·5 + 10) = 0.50
    further = failed(Rule("s", PSA, at_least=asked, judged_on="lower"), both, 10, 100)
    assert further.sentence == f"more labels cannot fix this: the value itself is {relation} {asked}"


def test_a_bound_below_its_value_says_how_many_positives_would_lift_it():
    # The fewest n with 2a / (1 + a) >= .40, a = scipy.stats.beta.ppf(.025, n / 3, n - n / 3 + 1), are 121; 91 more
    # union positives are 304 items at 30 in 100.
    further = failed(Rule("s", PSA, at_least="0.40", judged_on="lower"), 10, 20, 70)
    assert further.sentence == "about 121 union positives would be needed at this value: about 304 more items"


def test_a_value_a_hair_above_what_its_bound_must_reach_says_that_no_number_is_enough():
    # 20,000 / 49,990 = .40008: by z 2 / (1 + p)^2 sqrt(p(1 - p) / n) it takes 180 million union positives.
    further = failed(Rule("s", PSA, at_least="0.40", judged_on="lower"), 10_000, 29_990, 70)
    assert further.sentence == "no number of labels would be enough at this value"


def test_where_only_missing_labels_stand_in_the_way_more_items_are_not_asked_for():
    # The observed bound is .94; only the 200 missing labels, at their worst, bring it below .50.
    rule = Rule("s", PSA, at_least="0.50", judged_on="lower", missing="worst")
    further = failed(rule, 50, 1, 459, flagged_alone=200)
    assert further.sentence == (
        "the labels that came in pass; those that are missing, at their worst, do not: see that they come in"
    )
    assert (further.union_positives, further.more_items) == (None, None)
