"""How often the registered gate passes."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from agreement.beta_interval import specific_interval, specific_terms
from agreement.operating_curve import (
    curve_table,
    fewest_joint_positives,
    flags_on_flagged_items,
    operating_curves,
    pass_probability,
    simulated_bounds,
)
from agreement.rules import Rule

PSA = "positive_specific_agreement"
ALPHA = Fraction(1, 20)
VALUE = Rule("flagged", PSA, at_least="0.65")
LOWER = Rule("flagged", PSA, at_least="0.40", judged_on="lower", missing="worst")
TEMPLATE = [
    Rule("flagged", "union_positives", at_least="100"),
    VALUE,
    LOWER,
    Rule("flagged", "krippendorff_alpha", at_least="0", judged_on="lower"),
]


@pytest.mark.parametrize(("truth", "per_cent"), [("0.55", 1.6), ("0.60", 12.7)])
def test_the_template_passes_as_often_as_its_comment_says(truth, per_cent):
    # 2j / (j + 100) >= 0.65 from j = 49; scipy.stats.binom.sf(48, 100, t / (2 - t)).
    chance = float(pass_probability([VALUE, LOWER], 100, Fraction(truth), ALPHA))
    assert round(100 * chance, 1) == per_cent
    assert chance == pytest.approx(binom.sf(48, 100, float(truth) / (2 - float(truth))), rel=1e-9)


def test_the_fewest_joint_positives_are_the_fewest_that_meet_every_rule():
    assert fewest_joint_positives([VALUE], 100, ALPHA) == 49
    # Clopper-Pearson: P(X >= j | 100, 0.25) <= 0.025 first at j = 35.
    assert fewest_joint_positives([LOWER], 100, ALPHA) == 35
    assert binom.sf(34, 100, 0.25) <= 0.025 < binom.sf(33, 100, 0.25)
    assert fewest_joint_positives([VALUE, LOWER], 100, ALPHA) == 49
    assert fewest_joint_positives([Rule("flagged", PSA, at_least="0.99", judged_on="lower")], 10, ALPHA) is None


def test_a_bound_at_the_truth_passes_at_most_one_in_forty_and_shared_among_attempts_less():
    rule = Rule("flagged", PSA, at_least="0.40", judged_on="lower")
    for union in (20, 41, 100, 250):
        for attempts in (1, 2, 4):
            chance = pass_probability([rule], union, Fraction(2, 5), ALPHA / attempts)
            assert chance <= ALPHA / attempts / 2


def test_a_value_at_the_truth_passes_about_half_of_the_time():
    assert 0.4 < float(pass_probability([Rule("flagged", PSA, at_least="0.4")], 250, Fraction(2, 5), ALPHA)) < 0.6


def test_the_curve_rises_and_names_the_rules_it_takes_as_met():
    (curve,) = operating_curves(TEMPLATE)
    chances = [chance for _, chance in curve.points]
    assert chances == sorted(chances)
    assert (curve.slice, curve.union_positives, curve.exact) == ("flagged", 100, True)
    assert [rule.statistic for rule in curve.assumed] == ["krippendorff_alpha"]
    assert "           0.60      12.7 %" in curve_table(curve)
    assert curve_table(curve).endswith("taken as met: krippendorff_alpha")


def test_three_annotators_are_simulated_with_a_seed():
    truths = (Fraction(1, 2), Fraction(13, 20), Fraction(4, 5))
    first, again = (operating_curves(TEMPLATE, annotators=3, truths=truths, seed=5)[0] for _ in range(2))
    assert first == again
    assert not first.exact
    low, middle, high = (chance for _, chance in first.points)
    # A rule on a value passes about half of the studies whose truth is its threshold.
    assert low < 0.01 < 0.4 < middle < 0.6 < 0.99 < high


@pytest.mark.parametrize("annotators", [2, 3, 5])
@pytest.mark.parametrize("truth", [0.3, 0.55, 0.75])
def test_simulated_items_have_the_true_agreement_they_claim(annotators, truth):
    shares = flags_on_flagged_items(truth, annotators, 0.08)
    r = np.arange(1, annotators + 1)
    agreement = (shares * r * (r - 1)).sum() / (shares * r * (annotators - 1)).sum()
    assert agreement == pytest.approx(truth)


@pytest.mark.parametrize("annotators", [2, 3, 5])
def test_many_simulated_studies_have_the_bounds_each_would_have_alone(annotators):
    studies = np.random.default_rng(3).multinomial(60, flags_on_flagged_items(0.6, annotators, 0.08), size=20)
    r, m = np.arange(1, annotators + 1), np.full(annotators, annotators)
    value, lower, upper = simulated_bounds(*specific_terms(r, m), studies, 0.05, "specific")
    for place, study in enumerate(studies):
        alone = specific_interval(r, m, study)
        assert (lower[place], upper[place]) == (pytest.approx(alone.lower), pytest.approx(alone.upper))
        assert value[place] == pytest.approx(2 * alone.p / (1 + alone.p))
