"""Differences between two coefficients, two sets of annotators or two slices, with their own intervals.

Two intervals that overlap do not say that a difference is not shown: what is shared moves both figures alike. So
figures of the same items are taken from the same draws and their difference is resampled itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from agreement.alpha import Metric
from agreement.counts import vectors_of_codes
from agreement.estimate import Estimate
from agreement.estimates import pattern_figures
from agreement.exact import Array
from agreement.inputs import check_one_of, check_whole, positive_of, refuse
from agreement.linearised import too_many
from agreement.patterns import Patterns
from agreement.resample import Resampled, Seed, bootstrap, difference, interval
from agreement.specific import jaccard, negative_specific_agreement, positive_specific_agreement
from agreement.weights import Weights

Figures = Callable[[Array, Array], Mapping[str, Array]]  # codes (U, M) and multiplicity (..., U) to values by name


@dataclass(frozen=True)
class Drawing:
    """How differences are drawn. method: "bca" or "percentile". withheld: why no interval may be shown."""

    seed: int
    resamples: int = 10_000
    level: float = 0.95
    method: str = "bca"
    withheld: str | None = None


def all_figures(
    n_categories: int,
    *,
    positive: ArrayLike | None = None,
    weights: Weights | None = None,
    metric: Metric = "nominal",
    values: list[float] | None = None,
) -> Figures:
    """Every coefficient by name, as a function of codes (U, M) and multiplicity (..., U).

    positive: bool, shape (C,); adds specific agreement and Jaccard. weights: adds `gwet_ac2` and, for two annotators,
    `weighted_kappa`. metric, values: of `krippendorff_alpha` and the weights.
    """
    mask = None if positive is None else positive_of(positive, n_categories)

    def figures(codes: Array, times: Array) -> Mapping[str, Array]:
        found = dict(pattern_figures(codes, n_categories, weights, metric, values, codes.shape[1] == 2, times))
        if mask is not None:
            vectors = vectors_of_codes(codes, n_categories)
            found["positive_specific_agreement"] = positive_specific_agreement(vectors, mask, times)
            found["negative_specific_agreement"] = negative_specific_agreement(vectors, mask, times)
            found["jaccard"] = jaccard(vectors, mask, times)
        return found

    return figures


def compare_statistics(patterns: Patterns, first: str, second: str, figures: Figures, drawing: Drawing) -> Estimate:
    """One coefficient less another on the same items, from the same draws.

    first, second: names `figures` gives. Raises ValueError for others. Undefined if either is.
    """
    codes = _labelled(patterns.codes)
    known = figures(codes, patterns.multiplicity.astype(np.float64))
    for name, asked in (("first", first), ("second", second)):
        check_one_of(name, asked, known)
    sides = {"0": lambda t: {"x": figures(codes, t)[first]}, "1": lambda t: {"x": figures(codes, t)[second]}}
    n = _paired(patterns, range(len(patterns.annotators)))
    found = _same_items(patterns, sides, {"paired_items": n}, (first, second), drawing)["x"]
    return Estimate(**{**vars(found), "statistic": f"{first} - {second}"})


def compare_annotators(
    patterns: Patterns, first: Sequence[str], second: Sequence[str], figures: Figures, drawing: Drawing
) -> dict[str, Estimate]:
    """Each coefficient among the first annotators less that among the second, over the same draws of the items.

    first, second: two annotators or more each; the sets may overlap. Raises ValueError for unknown ones.
    """
    columns = [_columns(patterns, name, who) for name, who in (("first", first), ("second", second))]
    of_first, of_second = (_labelled(patterns.codes[:, c]) for c in columns)
    sides = {"0": lambda t: figures(of_first, t), "1": lambda t: figures(of_second, t)}
    n = {f"paired_items_{k}": _paired(patterns, c) for k, c in zip(("first", "second"), columns, strict=True)}
    return _same_items(patterns, sides, n, ("the first set", "the second set"), drawing)


def compare_slices(first: Patterns, second: Patterns, figures: Figures, drawing: Drawing) -> dict[str, Estimate]:
    """Each coefficient of one slice less that of another that has no item in common with it: each drawn on its own."""
    if first.categories != second.categories:
        refuse("second", "has other categories than first")
    n = {
        "paired_items_first": _paired(first, range(len(first.annotators))),
        "paired_items_second": _paired(second, range(len(second.annotators))),
    }
    drawn = []
    for k, part in enumerate((first, second)):
        drawn.append(_drawn(part, partial(figures, _labelled(part.codes)), (drawing.seed, k), drawing))
    names = [name for name in drawn[0] if name in drawn[1]]
    who = ("the first slice", "the second slice")
    return {name: _estimate(name, drawn[0][name], drawn[1][name], False, n, who, drawing) for name in names}


def _same_items(
    patterns: Patterns,
    sides: Mapping[str, Callable[[Array], Mapping[str, Array]]],
    n: Mapping[str, int],
    who: tuple[str, str],
    drawing: Drawing,
) -> dict[str, Estimate]:
    def both(times: Array) -> Mapping[str, Array]:
        return {f"{side}{name}": value for side, of in sides.items() for name, value in of(times).items()}

    drawn = _drawn(patterns, both, drawing.seed, drawing)
    names = [key[1:] for key in drawn if key[0] == "0" and f"1{key[1:]}" in drawn]
    return {name: _estimate(name, drawn[f"0{name}"], drawn[f"1{name}"], True, n, who, drawing) for name in names}


def _drawn(
    patterns: Patterns, statistics: Callable[[Array], Mapping[str, Array]], seed: Seed, drawing: Drawing
) -> dict[str, Resampled]:
    check_whole("resamples", drawing.resamples)
    if drawing.resamples and not too_many(patterns.codes):
        return bootstrap(
            statistics,
            patterns.multiplicity,
            resamples=drawing.resamples,
            seed=seed,
            clusters=patterns.clusters,
        )
    nothing = np.zeros(0)
    values = statistics(patterns.multiplicity.astype(np.float64))
    return {name: Resampled(float(value), nothing, nothing, nothing) for name, value in values.items()}


def _estimate(
    name: str,
    first: Resampled,
    second: Resampled,
    paired: bool,
    n: Mapping[str, int],
    who: tuple[str, str],
    drawing: Drawing,
) -> Estimate:
    without = [side for side, of in zip(who, (first, second), strict=True) if math.isnan(of.value)]
    if without:
        status = f"undefined: {' and '.join(without)} {'has' if len(without) == 1 else 'have'} no value"
        return Estimate(name, None, status=status, interval="none: the value is undefined", n=n)
    value = first.value - second.value
    if drawing.withheld or not len(first.replicates):
        why = drawing.withheld or ("too many patterns to draw" if drawing.resamples else "not asked for")
        return Estimate(name, value, interval=f"none: {why}", n=n)
    found = interval(difference(first, second, paired=paired), drawing.level, drawing.method)
    return Estimate(
        statistic=name,
        value=value,
        lower=found.lower,
        upper=found.upper,
        interval=found.method,
        n=n,
        undefined_replicates=found.undefined_replicates,
    )


def _labelled(codes: Array) -> Array:
    return np.maximum(codes, -1)


def _columns(patterns: Patterns, name: str, annotators: Sequence[str]) -> list[int]:
    if isinstance(annotators, str) or not isinstance(annotators, Sequence):
        refuse(name, f"is {annotators!r}; it must be a list of annotators")
    for who in annotators:
        check_one_of(name, who, patterns.annotators)
    if len(set(annotators)) < max(2, len(annotators)):
        refuse(name, "must name two different annotators or more")
    return [patterns.annotators.index(who) for who in annotators]


def _paired(patterns: Patterns, columns: Sequence[int]) -> int:
    labelled = (patterns.codes[:, list(columns)] >= 0).sum(axis=1)
    return int(patterns.multiplicity[labelled >= 2].sum())
