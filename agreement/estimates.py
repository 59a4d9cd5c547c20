"""All coefficients of one slice as estimates: value, exact fraction, interval, or why there is none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.alpha import Metric, alpha_of, krippendorff_alpha
from agreement.brennan_prediger import brennan_prediger_of
from agreement.conger import conger_expected, given_by_annotator, pair_tables
from agreement.counts import count_vectors as vectors_of_patterns
from agreement.counts import merge_vectors, vectors_of_codes, vectors_of_pairs
from agreement.estimate import Estimate
from agreement.exact import Array, as_exact, beyond_chance
from agreement.fleiss import fleiss_of
from agreement.gwet import ac_of, gwet_ac2
from agreement.indices import bias_index, collapsed_pairs, prevalence_index
from agreement.inputs import refuse, square_counts, vectors_of
from agreement.kappa import cohen_kappa, expected_agreement, max_kappa, scott_pi, share_of_max, weighted_kappa
from agreement.linearised import linearised_intervals, too_many
from agreement.patterns import Patterns
from agreement.percent import pair_agreement, pooled_over_pairs
from agreement.resample import Interval, Resampled, Seed, bootstrap, interval
from agreement.totals import totals
from agreement.weights import Weights

Figures = dict[str, Array]
_EXACT_CELLS_AT_MOST = 200_000


def estimate_pair(
    pair_counts: ArrayLike,
    *,
    seed: Seed,
    resamples: int = 10_000,
    level: float = 0.95,
    method: str = "bca",
    positive: ArrayLike | None = None,
    weights: Weights | None = None,
    metric: Metric | ArrayLike = "nominal",
    values: list[float] | None = None,
    withheld: str | None = None,
) -> dict[str, Estimate]:
    """Every coefficient of two annotators, by name, all from one set of draws over the table's cells.

    pair_counts: integers, shape (C, C).
    resamples: 0 for values alone. method: "bca" or "percentile".
    positive: bool, shape (C,). Prevalence and bias index then speak of these categories against all others; without
        it they are given for two categories, the first taken as positive.
    weights: adds `weighted_kappa`. metric, values: of `krippendorff_alpha` and the weights.
    withheld: why no interval may be shown, such as "fewer than 10 union positives".
    """
    table = square_counts(pair_counts).astype(np.int64)
    if table.ndim != 2:
        refuse("pair_counts", f"has shape {table.shape}; an estimate is of one table, (C, C)")
    figures = partial(_pair_figures, positive=positive, weights=weights, metric=metric, values=values)
    cells = np.flatnonzero(table)

    def statistics(multiplicity: Array) -> Mapping[str, Array]:
        flat = np.zeros((*multiplicity.shape[:-1], table.size), dtype=multiplicity.dtype)
        flat[..., cells] = multiplicity
        return figures(flat.reshape(*multiplicity.shape[:-1], *table.shape))

    resampled = bootstrap(statistics, table.ravel()[cells], resamples=resamples, seed=seed)
    counts = {"paired_items": int(table.sum())}
    exact = figures(as_exact(table))
    return _filled(resampled, exact, _pair_reason(table), counts, level, method, withheld)


def estimate_many(
    count_vectors: ArrayLike,
    multiplicity: ArrayLike | None = None,
    *,
    seed: Seed,
    resamples: int = 10_000,
    level: float = 0.95,
    method: str = "bca",
    patterns: Patterns | None = None,
    weights: Weights | None = None,
    metric: Metric | ArrayLike = "nominal",
    values: list[float] | None = None,
    withheld: str | None = None,
) -> dict[str, Estimate]:
    """Every coefficient of any number of annotators, complete or ragged, by name, all from one set of draws.

    count_vectors: integers, shape (U, C). multiplicity: shape (U,).
    patterns: of the same items. Adds `conger_kappa`, which must know who said what; draws are then over patterns. If
        they have clusters, whole clusters are drawn, and of two annotators the figures of a pair are given as well.
    weights: adds `gwet_ac2`. Otherwise as `estimate_pair`.

    Above 5,000 distinct patterns or vectors intervals are linearised and say so.

    Raises ValueError for patterns whose count vectors are others than these.
    """
    vectors, times = merge_vectors(vectors_of(count_vectors), multiplicity)
    n_categories = vectors.shape[1]
    vectors = vectors.reshape(-1, n_categories)
    if patterns is not None:
        _check_same_items(patterns, vectors, times)
    figures = partial(_vector_figures, weights=weights, metric=metric, values=values)
    direct = too_many(vectors if patterns is None else patterns.codes)
    if patterns is None:
        resampled = _resampled(lambda drawn: figures(vectors, drawn), times, None, 0 if direct else resamples, seed)
        exact = _exact_figures(vectors, times, None, metric, values, weights)
    else:
        codes, drawn_times, clusters = _labelled(patterns)
        pair = clusters is not None and codes.shape[1] == 2
        statistics = partial(pattern_figures, codes, n_categories, weights, metric, values, pair)
        resampled = _resampled(statistics, drawn_times, clusters, 0 if direct else resamples, seed)
        exact = _exact_figures(vectors, times, (codes, drawn_times), metric, values, weights)
        if pair:
            table = as_exact(pair_tables(codes, drawn_times, n_categories, 0, 1))
            exact |= {name: statistic(table) for name, statistic in _kappas(weights, values).items()}
    counts, reason = _many_counts(vectors, times), _many_reason(vectors, times)
    estimates = _filled(resampled, exact, reason, counts, level, method, withheld)
    if not direct or resamples == 0 or withheld:
        return estimates
    clustered = patterns is not None and patterns.clusters is not None
    return linearised_intervals(estimates, vectors, times, patterns, level, weights, metric, values, clustered)


def _check_same_items(patterns: Patterns, vectors: NDArray[np.int64], times: NDArray[np.int64]) -> None:
    n_categories = len(patterns.categories)
    if n_categories != vectors.shape[1]:
        refuse("patterns", f"have {n_categories} categories, count_vectors {vectors.shape[1]}")
    own_vectors, own_times = vectors_of_patterns(patterns)
    if not (np.array_equal(own_vectors, vectors) and np.array_equal(own_times, times)):
        refuse("patterns", "are not of the same items as count_vectors; take those of count_vectors(patterns)")


def _resampled(
    statistics: Any, times: NDArray[np.int64], clusters: NDArray[np.int64] | None, resamples: int, seed: Seed
) -> dict[str, Resampled]:
    if resamples:
        return bootstrap(statistics, times, resamples=resamples, seed=seed, clusters=clusters)
    nothing = np.zeros(0)
    values = statistics(times.astype(np.float64))
    return {name: Resampled(float(v), nothing, nothing, nothing) for name, v in values.items()}


def _pair_figures(
    tables: Array,
    positive: ArrayLike | None,
    weights: Weights | None,
    metric: Metric | ArrayLike,
    values: list[float] | None,
) -> Figures:
    vectors, times = vectors_of_pairs(tables)
    t = totals(vectors, times)
    figures = {
        "percent_agreement": pair_agreement(tables),
        **{name: statistic(tables) for name, statistic in _kappas(weights, values).items()},
        "krippendorff_alpha": _alpha(t, vectors, times, metric, values),
        "gwet_ac1": ac_of(t),
        "brennan_prediger": brennan_prediger_of(t),
    }
    if positive is not None or tables.shape[-1] == 2:
        two = tables if positive is None else collapsed_pairs(tables, positive)
        figures |= {"prevalence_index": prevalence_index(two), "bias_index": bias_index(two)}
    return figures


def _vector_figures(
    vectors: ArrayLike,
    times: ArrayLike,
    weights: Weights | None,
    metric: Metric | ArrayLike,
    values: list[float] | None,
) -> Figures:
    t = totals(vectors, times)
    figures = {
        "percent_agreement": t.mean_agreement,
        "percent_agreement_pooled_pairs": pooled_over_pairs(t),
        "fleiss_kappa": fleiss_of(t),
        "krippendorff_alpha": _alpha(t, vectors, times, metric, values),
        "gwet_ac1": ac_of(t),
        "brennan_prediger": brennan_prediger_of(t),
    }
    if weights is not None:
        figures["gwet_ac2"] = gwet_ac2(vectors, times, weights, values)
    return figures


def pattern_figures(
    codes: NDArray[np.int64],
    n_categories: int,
    weights: Weights | None,
    metric: Metric | ArrayLike,
    values: list[float] | None,
    pair: bool,
    times: Array,
) -> Figures:
    """Every coefficient of patterns by name, shape (...). pair: those that only two annotators have as well."""
    figures = _vector_figures(vectors_of_codes(codes, n_categories), times, weights, metric, values)
    expected = conger_expected(given_by_annotator(codes, times, n_categories), None)
    figures["conger_kappa"] = beyond_chance(figures["percent_agreement"], expected)
    if pair:
        tables = pair_tables(codes, times, n_categories, 0, 1)
        figures |= {name: statistic(tables) for name, statistic in _kappas(weights, values).items()}
    return figures


def _kappas(weights: Weights | None, values: list[float] | None) -> dict[str, Any]:
    """What only two annotators have: chance from each one's own rates, or from both together."""
    found: dict[str, Any] = {
        "cohen_kappa_expected_agreement": expected_agreement,
        "cohen_kappa": cohen_kappa,
        "cohen_kappa_max": max_kappa,
        "share_of_max": share_of_max,
        "scott_pi": scott_pi,
    }
    if weights is not None:
        found["weighted_kappa"] = partial(weighted_kappa, weights=weights, values=values)
    return found


def _alpha(
    t: Any, vectors: ArrayLike, times: ArrayLike, metric: Metric | ArrayLike, values: list[float] | None
) -> Array:
    return alpha_of(t) if _nominal(metric) else krippendorff_alpha(vectors, times, metric, values)


def _nominal(metric: Metric | ArrayLike) -> bool:
    return isinstance(metric, str) and metric == "nominal"


def _exact_figures(
    vectors: NDArray[np.int64],
    times: NDArray[np.int64],
    by_annotator: tuple[NDArray[np.int64], NDArray[np.int64]] | None,
    metric: Metric | ArrayLike,
    values: list[float] | None,
    weights: Weights | None,
) -> Figures:
    """The same figures as fractions: from totals, which are integers and few; the others only if vectors are few."""
    t = totals(vectors, times).exact()
    figures = {
        "percent_agreement": t.mean_agreement,
        "percent_agreement_pooled_pairs": pooled_over_pairs(t),
        "fleiss_kappa": fleiss_of(t),
        "gwet_ac1": ac_of(t),
        "brennan_prediger": brennan_prediger_of(t),
    }
    if _nominal(metric):
        figures["krippendorff_alpha"] = alpha_of(t)
    if vectors.size * vectors.shape[1] <= _EXACT_CELLS_AT_MOST:
        exact_vectors, exact_times = as_exact(vectors), as_exact(times)
        if not _nominal(metric):
            figures["krippendorff_alpha"] = krippendorff_alpha(exact_vectors, exact_times, metric, values)
        if weights is not None:
            figures["gwet_ac2"] = gwet_ac2(exact_vectors, exact_times, weights, values)
    if by_annotator is not None:
        codes, drawn_times = by_annotator
        given = given_by_annotator(codes, drawn_times.astype(np.float64), vectors.shape[1])
        figures["conger_kappa"] = beyond_chance(figures["percent_agreement"], conger_expected(as_exact(given), None))
    return figures


def _labelled(
    patterns: Patterns,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64] | None]:
    """The patterns with at least one label: the others are no unit that an agreement figure could draw."""
    kept = (patterns.codes >= 0).any(axis=1) & (patterns.multiplicity > 0)
    clusters = None if patterns.clusters is None else patterns.clusters[kept]
    codes = np.where(patterns.codes[kept] >= 0, patterns.codes[kept], -1)
    if clusters is not None:
        return codes, patterns.multiplicity[kept], clusters
    distinct, where = np.unique(codes, axis=0, return_inverse=True)
    merged = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(merged, where.ravel(), patterns.multiplicity[kept])
    return distinct, merged, None


def _filled(
    resampled: Mapping[str, Resampled],
    exact: Mapping[str, Array],
    reason: str,
    counts: Mapping[str, int],
    level: float,
    method: str,
    withheld: str | None,
) -> dict[str, Estimate]:
    return {
        name: _estimate(name, r, exact.get(name), reason, counts, level, method, withheld)
        for name, r in resampled.items()
    }


def _estimate(
    name: str,
    resampled: Resampled,
    exact: Any,
    reason: str,
    counts: Mapping[str, int],
    level: float,
    method: str,
    withheld: str | None,
) -> Estimate:
    if math.isnan(resampled.value):
        why = reason if reason != "zero variance" or name != "share_of_max" else "the rates allow no more than chance"
        return Estimate(name, None, status=f"undefined: {why}", interval="none: the value is undefined", n=counts)
    fraction = np.asarray(exact, dtype=object).item() if exact is not None else None
    value = float(fraction) if isinstance(fraction, Fraction) else resampled.value
    bounds = interval(replace(resampled, value=value), level, method)
    if withheld and bounds.lower is not None:
        bounds = Interval(None, None, f"none: {withheld}", bounds.undefined_replicates)
    return Estimate(
        statistic=name,
        value=value,
        exact=fraction if isinstance(fraction, Fraction) else None,
        lower=bounds.lower,
        upper=bounds.upper,
        interval=bounds.method,
        n=counts,
        undefined_replicates=bounds.undefined_replicates,
    )


def _pair_reason(table: NDArray[np.int64]) -> str:
    if not table.any():
        return "nothing paired"
    used = ((table.sum(axis=0) + table.sum(axis=1)) > 0).sum()
    return "one category only" if used == 1 else "zero variance"


def _many_counts(vectors: NDArray[np.int64], times: NDArray[np.int64]) -> dict[str, int]:
    labels = vectors.sum(axis=1)
    return {
        "labelled_items": int(times.sum()),
        "paired_items": int(times[labels >= 2].sum()),
        "single_rated_items": int(times[labels == 1].sum()),
        "labels": int(times @ labels),
    }


def _many_reason(vectors: NDArray[np.int64], times: NDArray[np.int64]) -> str:
    paired = vectors[vectors.sum(axis=1) >= 2]
    if not len(vectors):
        return "nothing labelled"
    if not len(paired):
        return "single-rated items only"
    return "one category only" if (paired.sum(axis=0) > 0).sum() == 1 else "zero variance"
