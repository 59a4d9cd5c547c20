"""The interval of specific agreement."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaincinv, stdtrit
from scipy.stats import binomtest

from agreement.beta_interval import (
    beta_bounds,
    binomial_interval,
    ratio_interval,
    specific_interval,
    specific_terms,
    upper_with_one_more,
)
from agreement.flag_statistics import FLAG_STATISTICS, exact_value, interval
from agreement.flags import Flags, two_annotator_flags
from agreement.operating_curve import flags_on_flagged_items, simulated_bounds

ALPHA = Fraction(1, 20)


def flags_by(n_annotators, times):
    """Complete items with 0 .. m flags, so many of each."""
    size = n_annotators + 1
    return Flags(np.arange(size), np.full(size, n_annotators), np.zeros(size, dtype=int), np.array(times))


def of(flags, **options):
    return specific_interval(flags.n_positive, flags.n_labels, flags.multiplicity, **options)


@pytest.mark.parametrize(("joint", "union"), [(6, 41), (0, 5), (3, 3), (1, 1), (49, 100), (700, 1300)])
def test_for_two_annotators_it_is_clopper_pearson_on_joint_among_union_positives(joint, union):
    # Oracle: scipy's Clopper-Pearson interval, taken to the scale of specific agreement.
    low, high = binomtest(joint, union).proportion_ci(0.95, method="exact")
    found = of(two_annotator_flags(joint, union - joint, 0, 500))
    assert found.lower == pytest.approx(2 * low / (1 + low), abs=1e-9)
    assert found.upper == pytest.approx(2 * high / (1 + high), abs=1e-9)
    assert found.n_eff == union


def test_three_of_three_is_not_certainty():
    # (1/40)^(1/3) = 0.2924 of items, 0.4525 of specific agreement.
    found = of(two_annotator_flags(3, 0, 0, 97))
    assert (found.lower_text, found.upper_text) == ("0.4524", "1.0000")


@pytest.mark.parametrize("union", [1, 2, 7, 23, 41])
@pytest.mark.parametrize("alpha", [Fraction(1, 20), Fraction(1, 40), Fraction(1, 80)])
def test_rounded_bounds_are_the_outermost_four_place_decimals_the_binomial_test_allows(union, alpha):
    def tail(hits, p):
        return sum(comb(union, x) * p**x * (1 - p) ** (union - x) for x in hits)

    step = Fraction(1, 10_000)
    for joint in range(union + 1):
        found = binomial_interval(joint, union, alpha, "specific")
        low, high = Fraction(found.lower_text), Fraction(found.upper_text)
        at_least, at_most = range(joint, union + 1), range(joint + 1)
        if joint > 0:
            assert tail(at_least, low / (2 - low)) <= alpha / 2 < tail(at_least, (low + step) / (2 - low - step))
        if joint < union:
            assert tail(at_most, high / (2 - high)) <= alpha / 2 < tail(at_most, (high - step) / (2 - high + step))


@settings(max_examples=80, deadline=None)
@given(st.integers(2, 6).flatmap(lambda m: st.lists(st.integers(0, 60), min_size=m + 1, max_size=m + 1)))
def test_a_point_lies_inside_its_own_interval(times):
    flags = flags_by(len(times) - 1, times)
    for name in ("positive_specific_agreement", "jaccard", "contested_share", "positive_share"):
        value, found = exact_value(FLAG_STATISTICS[name], flags), interval(FLAG_STATISTICS[name], flags, ALPHA)
        if value is not None:
            assert Fraction(found.lower_text) <= value <= Fraction(found.upper_text)
            assert found.lower_text <= f"{found.lower:.10f}"
            assert f"{found.upper:.10f}" <= found.upper_text + "0" * 6


@pytest.mark.parametrize("annotators", [2, 3, 5])
def test_the_width_falls_as_one_over_the_root_of_the_sample(annotators):
    times = np.array([900, *range(40, 40 + 7 * annotators, 7)])
    once, sixteen_times = of(flags_by(annotators, times)), of(flags_by(annotators, times * 16))
    assert sixteen_times.n_eff == pytest.approx(16 * once.n_eff)
    width = (once.upper - once.lower) / (sixteen_times.upper - sixteen_times.lower)
    assert width == pytest.approx(4, rel=0.05)


def test_with_many_annotators_it_is_the_formula_item_by_item():
    r, m = np.array([1, 2, 3, 3, 1, 0, 2]), np.array([3, 3, 3, 4, 2, 3, 5])
    y, d = r * (r - 1), r * (m - 1)
    z = 2 * d - y
    p = y.sum() / z.sum()
    n = p * (1 - p) / (((y - p * z) ** 2).sum() / z.sum() ** 2)
    found = specific_interval(r, m)
    low = betaincinv(p * n, (1 - p) * n + 1, 0.025)
    assert (found.n_eff, found.p) == (pytest.approx(n), pytest.approx(p))
    assert found.lower == pytest.approx(2 * low / (1 + low))


def test_with_many_annotators_the_upper_bound_is_that_of_one_more_item_flagged_by_all():
    # By hand from the definition: the flagged items have m(m - 1) = 6, 6, 20, 2 and 6, so the added one y = z = 8.
    r, m = np.array([1, 2, 5, 1, 0, 2]), np.array([3, 3, 5, 2, 5, 3])
    y = np.append(r * (r - 1), 8)
    z = np.append(2 * r * (m - 1), 16) - y
    p = y.sum() / z.sum()
    n = p * (1 - p) / (((y - p * z) ** 2).sum() / z.sum() ** 2)
    high = betaincinv(p * n, (1 - p) * n, 0.975)
    assert specific_interval(r, m).upper == pytest.approx(2 * high / (1 + high))


@pytest.mark.parametrize(("hits", "trials"), [(0, 5), (6, 41), (40, 41), (41, 41)])
def test_for_two_outcomes_one_more_item_is_clopper_and_pearsons_upper_bound(hits, trials):
    found = upper_with_one_more([0, 2], [2, 2], [[trials - hits, hits]], [2, 2], 0.025)
    assert found == pytest.approx([binomtest(hits, trials).proportion_ci(0.95, method="exact").high], abs=1e-12)


@pytest.mark.parametrize("annotators", [3, 5])
@pytest.mark.parametrize("flag_rate", [0.02, 0.30])
def test_few_positives_of_many_annotators_miss_high_no_more_often_than_promised(annotators, flag_rate):
    # Simulated, seed fixed: 2.5 % and three standard errors of 4,000 studies. By n_eff alone it were 4 to 9 %.
    truth, flags = 0.30, np.arange(1, annotators + 1)
    shares = flags_on_flagged_items(truth, annotators, flag_rate)
    studies = np.random.default_rng(8).multinomial(20, shares, size=4_000)
    _, _, upper = simulated_bounds(*specific_terms(flags, np.full(annotators, annotators)), studies, 0.05, "specific")
    assert (upper < truth).mean() <= 0.025 + 3 * (0.025 * 0.975 / 4_000) ** 0.5


def test_clusters_sum_their_residuals_and_take_a_t():
    r, m = np.array([2, 1, 1, 2, 2, 1, 2, 1]), np.full(8, 2)
    clusters = np.array([0, 0, 1, 1, 1, 2, 2, 3])
    y, z = r * (r - 1), np.full(8, 2)
    p = y.sum() / z.sum()
    sums = [(y - p * z)[clusters == c].sum() for c in range(4)]
    variance = np.square(sums).sum() / z.sum() ** 2 * 4 / 3
    n = p * (1 - p) / variance * (1.959963984540054 / stdtrit(3, 0.975)) ** 2
    assert specific_interval(r, m, clusters=clusters).n_eff == pytest.approx(n)


def test_a_cluster_without_positives_changes_nothing():
    r, m = np.array([2, 1, 1, 2]), np.full(4, 2)
    without = specific_interval(r, m, clusters=[0, 0, 1, 1])
    with_negatives = specific_interval(np.append(r, [0, 0]), np.append(m, [2, 2]), clusters=[0, 0, 1, 1, 2, 3])
    assert without == with_negatives


UNDEFINED = [
    ({"n_positive": [0, 0], "n_labels": [2, 2]}, "undefined: nothing to divide by"),
    ({"n_positive": [1], "n_labels": [1]}, "undefined: nothing to divide by"),
    ({"n_positive": [1, 2], "n_labels": [2, 2], "clusters": [7, 7]}, "undefined: all positives lie in one cluster"),
    (
        {"n_positive": [1, 2, 2], "n_labels": [2, 2, 2], "cells": [0, 0, 1], "weights": [1, 1, 3]},
        "undefined: a cell with a single unit has no variance",
    ),
]


@pytest.mark.parametrize(("arguments", "why"), UNDEFINED)
def test_where_there_is_no_interval_it_says_why(arguments, why):
    found = specific_interval(**arguments)
    assert (found.lower, found.upper, found.lower_text, found.why) == (None, None, None, why)


def test_equal_items_everywhere_are_worth_one_each():
    # Two of three flagged every item: the variance is zero and n_eff falls back to the union positives.
    assert of(flags_by(3, [80, 0, 20, 0])).n_eff == 20


def test_a_share_of_items_is_plain_clopper_pearson():
    low, high = binomtest(41, 500).proportion_ci(0.95, method="exact")
    found = ratio_interval([1, 0], [1, 1], [41, 459])
    assert (found.lower, found.upper) == (pytest.approx(low), pytest.approx(high))


def test_the_lower_bound_rises_with_the_sample_at_one_share():
    # What the worst case of missing labels rests on; no theorem at hand, so a grid.
    sizes = np.geomspace(0.2, 2000, 60)
    for p in (0.001, 0.01, 0.1, 0.3, 0.5, 0.8, 0.95, 0.99, 1.0):
        for tail in (0.025, 0.0125, 0.00625):
            bounds = np.array([beta_bounds(p, n, tail)[0] for n in sizes])
            assert (np.diff(bounds) >= -1e-14).all()
