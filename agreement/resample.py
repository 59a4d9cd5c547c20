"""Resampling of items or clusters: one set of draws for all statistics that are compared.

Drawing n items with replacement is drawing how often each distinct pattern occurs, from a multinomial distribution
over the sorted patterns. So the cost does not grow with the items, and the order of the items does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.exact import Array
from agreement.inputs import as_counts, check_between, check_one_of, check_seed, check_whole, refuse

Seed = int | Sequence[int]
Statistics = Callable[[Array], Mapping[str, Array]]

_CELLS_AT_ONCE = 1_000_000
_UNDEFINED_AT_MOST = 0.01
_SAME = 1e-12


@dataclass(frozen=True)
class Interval:
    """Bounds, or why there are none.

    lower, upper: None where there is no interval.
    method: "bca", "percentile" or "linearised"; or "none: <why>".
    undefined_replicates: replicates without a value.
    """

    lower: float | None
    upper: float | None
    method: str
    undefined_replicates: int = 0


@dataclass(frozen=True)
class Resampled:
    """One statistic and what resampling did to it.

    value: on all items; nan if undefined. replicates: shape (B,), nan where undefined.
    jackknife: shape (K,). Without one item of each pattern, or without each cluster.
    jackknife_weights: shape (K,). How many items or clusters each of these stands for.
    """

    value: float
    replicates: Array
    jackknife: Array
    jackknife_weights: Array


def draws(multiplicity: ArrayLike, size: int, seed: Seed) -> Iterator[NDArray[np.int64]]:
    """How often each pattern occurs in each resample, in blocks of shape (b, U); their b add up to size.

    multiplicity: shape (U,), in the sorted order of the patterns. The stream does not depend on the blocks.
    """
    times = np.asarray(multiplicity, dtype=np.int64)
    n = int(times.sum())
    if n == 0:
        yield np.zeros((size, len(times)), dtype=np.int64)
        return
    rng = np.random.default_rng(seed)
    step = max(1, _CELLS_AT_ONCE // max(len(times), 1))
    for start in range(0, size, step):
        yield rng.multinomial(n, times / n, size=min(step, size - start))


def bootstrap(
    statistics: Statistics,
    multiplicity: ArrayLike,
    *,
    resamples: int,
    seed: Seed,
    clusters: ArrayLike | None = None,
) -> dict[str, Resampled]:
    """Value, replicates and jackknife of several statistics, all from the same draws.

    statistics: takes multiplicities of shape (..., U) and gives each statistic's values, shape (...), by name.
    multiplicity: shape (U,). How many items have each pattern.
    clusters: shape (U,), the cluster each pattern's items lie in. Whole clusters are then drawn, not items.
    """
    check_whole("resamples", resamples)
    check_seed(seed)
    drawn_from = as_counts(multiplicity, "multiplicity").astype(np.int64)
    if drawn_from.ndim != 1:
        refuse("multiplicity", f"has shape {drawn_from.shape}; it must be (patterns,)")
    units, times = _units(drawn_from, clusters)
    whole = units.sum(axis=0) if clusters is not None else times
    values = statistics(whole.astype(np.float64))
    blocks = [statistics(_items(d, units, clusters)) for d in draws(times, resamples, seed)]
    step = max(1, _CELLS_AT_ONCE // max(len(whole), 1))
    left_out = [
        statistics(_without(whole, units, slice(start, start + step), clusters)) for start in range(0, len(times), step)
    ]
    return {
        name: Resampled(
            float(value),
            _joined([b[name] for b in blocks]),
            _joined([b[name] for b in left_out]),
            times.astype(np.float64),
        )
        for name, value in values.items()
    }


def difference(first: Resampled, second: Resampled, *, paired: bool) -> Resampled:
    """The first statistic less the second.

    paired: both come from one call of `bootstrap`, so from the same draws over the same items. Otherwise they come
    from different items (two slices, two rounds) with their own seeds, and each side's items vary on their own.
    """
    value = first.value - second.value
    replicates = first.replicates - second.replicates
    if paired:
        return Resampled(value, replicates, first.jackknife - second.jackknife, first.jackknife_weights)
    moves = [_influences(first), -_influences(second)]
    return Resampled(
        value,
        replicates,
        value - np.concatenate(moves),
        np.concatenate([first.jackknife_weights, second.jackknife_weights]),
    )


def interval(resampled: Resampled, level: float, method: str = "bca") -> Interval:
    """The interval of a resampled statistic. method: "bca" or "percentile" (for comparison with the literature)."""
    check_one_of("method", method, ("bca", "percentile"))
    if method == "percentile":
        return percentile(resampled.value, resampled.replicates, level)
    return jackknife_bca(resampled.value, resampled.replicates, resampled.jackknife, resampled.jackknife_weights, level)


def jackknife_bca(
    value: float, replicates: Array, jackknife: Array, jackknife_weights: Array, level: float
) -> Interval:
    """BCa interval (Efron 1987): bootstrap quantiles, moved for bias and for skewness as the jackknife shows it.

    Arguments as in `Resampled`; level such as 0.95. Replicates equal to the value count half in the bias; quantiles
    are order statistics of the defined replicates.

    The interval always holds the value: a bound that would leave it out is moved to it. That happens where the value
    lies on the edge of its own replicates (the highest kappa two annotators' rates allow falls with any unevenness
    between the two, and most draws have more of it than the labels), which the correction for bias then overshoots.
    The moved bound only makes the interval wider.

    There is no interval if the value or more than 1 % of the replicates are undefined, if all replicates lie on one
    side of the value, if the jackknife is undefined somewhere or has no variance, or if the correction has no
    solution.
    """
    check_between("level", level)
    defined, undefined, why_not = _defined(value, replicates)
    if why_not:
        return Interval(None, None, f"none: {why_not}", undefined)
    if np.isnan(jackknife[jackknife_weights > 0]).any():
        return Interval(None, None, "none: undefined without one of the items", undefined)
    acceleration = _acceleration(jackknife, jackknife_weights)
    if acceleration is None:
        return Interval(None, None, "none: the jackknife has no variance", undefined)
    tied = np.abs(defined - value) <= _SAME * max(1.0, abs(value))
    below = float(((defined < value) & ~tied).sum() + tied.sum() / 2) / len(defined)
    if below in (0.0, 1.0):
        return Interval(None, None, "none: all replicates lie on one side of the value", undefined)
    normal = NormalDist()
    bias = normal.inv_cdf(below)
    ordered = np.sort(defined)
    bounds = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = bias + normal.inv_cdf(tail)
        if acceleration * z >= 1:
            return Interval(None, None, "none: the correction for skewness has no solution", undefined)
        bounds.append(_order_statistic(ordered, normal.cdf(bias + z / (1 - acceleration * z))))
    return Interval(min(bounds[0], value), max(bounds[1], value), "bca", undefined)


def percentile(value: float, replicates: Array, level: float) -> Interval:
    """Percentile interval: order statistics of the defined replicates. None if over 1 % of them are undefined."""
    check_between("level", level)
    defined, undefined, why_not = _defined(value, replicates)
    if why_not:
        return Interval(None, None, f"none: {why_not}", undefined)
    ordered = np.sort(defined)
    lower, upper = (_order_statistic(ordered, tail) for tail in ((1 - level) / 2, (1 + level) / 2))
    return Interval(lower, upper, "percentile", undefined)


def jackknife_standard_error(resampled: Resampled) -> float:
    """Jackknife standard error over items or clusters. nan if undefined without one of them."""
    weights = resampled.jackknife_weights
    n = weights.sum()
    centred = _centred(resampled.jackknife, weights)
    return float(math.sqrt((n - 1) / n * (weights * centred**2).sum())) if n else math.nan


def _units(multiplicity: NDArray[np.int64], clusters: ArrayLike | None) -> tuple[Array, NDArray[np.int64]]:
    """What is drawn and how many there are of each: patterns, or clusters with their patterns as rows (K, U)."""
    if clusters is None:
        return np.zeros((0, 0)), multiplicity
    found, where = np.unique(np.asarray(clusters), return_inverse=True)
    rows = np.zeros((len(found), len(multiplicity)))
    rows[where.ravel(), np.arange(len(multiplicity))] = multiplicity
    return rows, np.ones(len(found), dtype=np.int64)


def _items(drawn: NDArray[np.int64], units: Array, clusters: ArrayLike | None) -> Array:
    counts = drawn.astype(np.float64)
    return counts if clusters is None else counts @ units


def _without(whole: Array, units: Array, chosen: slice, clusters: ArrayLike | None) -> Array:
    """Multiplicities with one item of a pattern, or one cluster, left out: one row each."""
    if clusters is not None:
        return np.asarray(whole - units[chosen])
    positions = np.arange(len(whole))[chosen]
    rows = np.repeat(whole[None, :].astype(np.float64), len(positions), axis=0)
    rows[np.arange(len(positions)), positions] -= np.minimum(whole[positions], 1)
    return rows


def _joined(parts: list[Array]) -> Array:
    return np.concatenate(parts).astype(np.float64) if parts else np.zeros(0)


def _defined(value: float, replicates: Array) -> tuple[Array, int, str]:
    defined = replicates[~np.isnan(replicates)]
    undefined = len(replicates) - len(defined)
    if math.isnan(value):
        return defined, undefined, "the value is undefined"
    if not len(replicates):
        return defined, undefined, "not asked for"
    if undefined > _UNDEFINED_AT_MOST * len(replicates):
        return defined, undefined, f"{undefined} of {len(replicates)} replicates are undefined"
    return defined, undefined, ""


def _centred(jackknife: Array, weights: Array) -> Array:
    return np.asarray(jackknife - (weights * jackknife).sum() / weights.sum())


def _influences(resampled: Resampled) -> Array:
    """How far one item moves the value, so that two samples of different size can be put together."""
    n = resampled.jackknife_weights.sum()
    return np.asarray(-_centred(resampled.jackknife, resampled.jackknife_weights) * (n - 1) / n)


def _acceleration(jackknife: Array, weights: Array) -> float | None:
    moves = -_centred(jackknife, weights)
    spread = float((weights * moves**2).sum())
    if spread <= _SAME**2 * max(1.0, float(np.abs(jackknife).max())) ** 2 * weights.sum():
        return None
    return float((weights * moves**3).sum() / (6 * spread**1.5))


def _order_statistic(ordered: Array, share: float) -> float:
    """The smallest replicate that at least this share of replicates does not exceed."""
    position = math.ceil(share * len(ordered) - 1e-9) - 1
    return float(ordered[min(max(position, 0), len(ordered) - 1)])
