"""Resampling: the same draws for everybody, and no interval where there is none to give."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from agreement import alpha as alpha_module
from agreement import (
    bootstrap,
    cohen_kappa,
    count_vectors,
    difference,
    estimate_many,
    estimate_pair,
    interval,
    jackknife_bca,
    patterns_from_codes,
    percent_agreement,
    percentile,
)
from agreement import resample as resample_module
from agreement import totals as totals_module
from agreement.resample import draws, jackknife_standard_error

VECTORS = np.array([[0, 2], [1, 1], [2, 0]])


def _mean(values: Any) -> Any:
    return lambda times: {"mean": (times * values).sum(axis=-1) / times.sum(axis=-1)}


def _agreement(times: Any) -> dict[str, Any]:
    return {"agreement": percent_agreement(VECTORS, times)}


def test_the_stream_of_draws_does_not_depend_on_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = np.concatenate(list(draws([5, 3, 9], 100, seed=4)))
    monkeypatch.setattr(resample_module, "_CELLS_AT_ONCE", 21)
    blocks = list(draws([5, 3, 9], 100, seed=4))
    assert len(blocks) == 15
    assert np.array_equal(whole, np.concatenate(blocks))
    assert (whole.sum(axis=1) == 17).all()


@pytest.mark.parametrize("metric", ["nominal", "ordinal"])
def test_the_size_of_the_blocks_changes_no_byte_of_an_estimate(monkeypatch: pytest.MonkeyPatch, metric: Any) -> None:
    codes = np.random.default_rng(6).integers(-2, 3, size=(200, 3))
    patterns = patterns_from_codes(codes, "abc", "xyz")
    options: Any = {"seed": 1, "resamples": 100, "patterns": patterns, "metric": metric, "weights": "ratio"}
    found = [estimate_many(*count_vectors(patterns), **options)]
    for cells, at_once in ((2_003, 397), (640, 97)):
        monkeypatch.setattr(resample_module, "_CELLS_AT_ONCE", cells)
        monkeypatch.setattr(totals_module, "_ONE_THREAD", at_once)
        monkeypatch.setattr(alpha_module, "_CELLS_AT_ONCE", at_once)
        found.append(estimate_many(*count_vectors(patterns), **options))
    assert found[0] == found[1] == found[2]


def test_the_jackknife_of_a_mean_is_the_means_own_standard_error() -> None:
    """Efron 1982: for the mean the jackknife gives s / sqrt(n)."""
    values, times = np.array([0.0, 1.0, 5.0]), np.array([10, 4, 6])
    found = bootstrap(_mean(values), times, resamples=10, seed=1)["mean"]
    sample = np.repeat(values, times)
    assert jackknife_standard_error(found) == pytest.approx(sample.std(ddof=1) / math.sqrt(len(sample)), abs=1e-12)


def test_the_value_lies_in_its_interval_and_the_width_falls_as_one_over_root_n() -> None:
    widths = []
    for n in (4, 16, 64):  # small n make steps too coarse to compare widths
        found = bootstrap(_agreement, np.array([40, 20, 40]) * n, resamples=10_000, seed=2)["agreement"]
        for method in ("bca", "percentile"):
            bounds = interval(found, 0.95, method)
            assert bounds.lower is not None
            assert bounds.upper is not None
            assert bounds.lower < found.value < bounds.upper
        widths.append(bounds.upper - bounds.lower)
    assert widths[0] / widths[1] == pytest.approx(2, rel=0.06)
    assert widths[1] / widths[2] == pytest.approx(2, rel=0.06)


def test_bca_without_bias_or_skewness_is_the_percentile_interval_of_order_statistics() -> None:
    """Efron 1987: with z0 = a = 0 the bounds are the 2.5 % and 97.5 % points; of 1..1000 these are 25 and 975."""
    replicates = np.arange(1, 1001, dtype=float)
    symmetric = jackknife_bca(500.5, replicates, np.array([499.0, 502.0]), np.array([1.0, 1.0]), 0.95)
    assert (symmetric.lower, symmetric.upper, symmetric.method) == (25, 975, "bca")
    plain = percentile(500.5, replicates, 0.95)
    assert (plain.lower, plain.upper, plain.method) == (25, 975, "percentile")


def test_bca_moves_the_bounds_as_efrons_formula_says() -> None:
    """Efron 1987, eq. 6.1, by hand: one tie in the middle gives z0 = 0, the jackknife 0, 0, 0, 4 gives a."""
    replicates = np.arange(1, 1002, dtype=float)
    found = jackknife_bca(501.0, replicates, np.array([0.0, 4.0]), np.array([3.0, 1.0]), 0.95)
    a = (3 * 1**3 + (-3) ** 3) / (6 * (3 * 1**2 + (-3) ** 2) ** 1.5)
    expected = []
    for z in (-1.959963984540054, 1.959963984540054):
        share = 0.5 * math.erfc(-(z / (1 - a * z)) / math.sqrt(2))
        expected.append(math.ceil(share * 1001))
    assert (found.lower, found.upper) == tuple(expected)


SPREAD = np.array([1.0, 2.0, 3.0])
ONES = np.ones(3)


@pytest.mark.parametrize(
    ("value", "replicates", "jackknife", "why"),
    [
        (math.nan, [1.0, 2.0], SPREAD, "none: the value is undefined"),
        (1.5, [], SPREAD, "none: not asked for"),
        (1.5, [1.0] * 98 + [math.nan] * 2, SPREAD, "none: 2 of 100 replicates are undefined"),
        (1.5, [1.0, 2.0], [1.0, math.nan, 2.0], "none: undefined without one of the items"),
        (1.5, [1.0, 2.0], ONES, "none: the jackknife has no variance"),
        (3.0, [1.0, 2.0], SPREAD, "none: all replicates lie on one side of the value"),
    ],
)
def test_where_there_is_no_interval_the_reason_is_said(value: float, replicates: Any, jackknife: Any, why: str) -> None:
    found = jackknife_bca(value, np.array(replicates), np.array(jackknife), ONES, 0.95)
    assert (found.lower, found.upper, found.method) == (None, None, why)


def test_undefined_replicates_up_to_one_in_a_hundred_are_counted_and_left_out() -> None:
    replicates = np.array([*range(1, 1000), math.nan], dtype=float)
    found = jackknife_bca(500.0, replicates, SPREAD, ONES, 0.95)
    assert (found.method, found.undefined_replicates) == ("bca", 1)


def _two(times: Any) -> dict[str, Any]:
    """Raw agreement of annotators 1 and 2, and of 1 and 3, over eight patterns of three yes/no answers."""
    patterns = np.stack(np.unravel_index(range(8), (2, 2, 2)), axis=1)
    n = times.sum(axis=-1)
    return {f"1-{k + 1}": (times * (patterns[:, 0] == patterns[:, k])).sum(axis=-1) / n for k in (1, 2)}


def test_a_difference_on_the_same_items_uses_the_same_draws() -> None:
    times = np.array([40, 6, 3, 2, 2, 3, 4, 40])
    found = bootstrap(_two, times, resamples=10_000, seed=3)
    paired = difference(found["1-2"], found["1-3"], paired=True)
    apart = difference(found["1-2"], bootstrap(_two, times, resamples=10_000, seed=4)["1-3"], paired=False)
    assert paired.value == pytest.approx(found["1-2"].value - found["1-3"].value)
    # By hand: the difference per item is 1, -1 or 0, so its variance is its mean square less its square, over n - 1.
    steps = np.repeat([0, 1, -1, 0, 0, -1, 1, 0], times)
    assert paired.replicates.std() == pytest.approx(steps.std() / math.sqrt(100), rel=0.03)
    assert jackknife_standard_error(paired) == pytest.approx(steps.std(ddof=1) / math.sqrt(100), rel=1e-9)
    independent = math.sqrt(sum(found[k].replicates.var() for k in found))
    assert apart.replicates.std() == pytest.approx(independent, rel=0.03)
    assert interval(apart, 0.95).method == "bca"


def test_a_statistic_less_itself_has_no_interval_rather_than_a_false_one() -> None:
    found = bootstrap(_agreement, np.array([4, 2, 4]), resamples=200, seed=5)["agreement"]
    assert interval(difference(found, found, paired=True), 0.95).method == "none: the jackknife has no variance"


def test_one_item_a_cluster_is_no_clustering_and_whole_clusters_widen_the_interval() -> None:
    labels = np.array([0, 1, 2])[np.r_[[0] * 30, [1] * 20, [2] * 50]]
    rows = VECTORS[labels]

    def statistic(times: Any) -> dict[str, Any]:
        return {"agreement": percent_agreement(rows, times)}

    each = bootstrap(statistic, np.ones(100), resamples=4_000, seed=6, clusters=np.arange(100))["agreement"]
    alone = bootstrap(statistic, np.ones(100), resamples=4_000, seed=6)["agreement"]
    assert np.array_equal(each.replicates, alone.replicates)
    assert np.array_equal(np.sort(each.jackknife), np.sort(alone.jackknife))
    tens = bootstrap(statistic, np.ones(100), resamples=4_000, seed=6, clusters=np.arange(100) // 10)["agreement"]
    # By hand: ten clusters of ten alike items have the variance of ten items.
    assert tens.replicates.std() == pytest.approx(alone.replicates.std() * math.sqrt(10), rel=0.05)


def test_the_kappa_of_the_thousand_outputs_has_the_interval_of_the_text() -> None:
    """Authority: the worked table of 1,000 outputs, percentile .016 to .296 and BCa .027 to .333, within .012."""
    found = bootstrap(
        lambda t: {"kappa": cohen_kappa(t.reshape(*t.shape[:-1], 2, 2))}, [4, 18, 22, 956], resamples=10_000, seed=7
    )["kappa"]
    for method, expected in (("percentile", (0.016, 0.296)), ("bca", (0.027, 0.333))):
        bounds = interval(found, 0.95, method)
        assert (bounds.lower, bounds.upper) == pytest.approx(expected, abs=0.012)


@pytest.mark.parametrize("side", [1, -1])
def test_a_bca_bound_that_would_leave_the_value_out_is_moved_to_it(side: int) -> None:
    """Authority: Efron 1987 by hand. 1 % of the replicates lie below the value, so the bias is z(.01) = -2.326, and the
    upper bound the quantile at 2 z(.01) + 1.96 = -2.69, which is at .36 %: below the value."""
    replicates = side * np.linspace(0, 1, 10_000)
    value = side * 0.01
    found = jackknife_bca(value, replicates, np.array([-1.0, 1.0]), np.array([5.0, 5.0]), 0.95)
    assert found.lower is not None
    assert found.upper is not None
    assert (found.upper if side == 1 else found.lower) == value
    assert found.lower <= value <= found.upper
    assert found.method == "bca"


def test_the_highest_kappa_lies_inside_its_interval() -> None:
    """The rates nearly agree here, and differ more in most draws: the plain BCa interval lies above the value."""
    table = [[7, 0, 0, 4], [2, 54, 1, 5], [0, 1, 19, 1], [2, 6, 1, 202]]
    found = estimate_pair(table, seed=1, resamples=2_000)["cohen_kappa_max"]
    assert (found.interval, found.lower, found.upper) == ("bca", found.value, 1.0)
