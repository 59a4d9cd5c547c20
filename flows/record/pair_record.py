"""Two annotators on the items both labelled: table, coefficients, and what somebody who never flags would reach."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.counts import Pair, count_vectors
from agreement.estimate import Estimate
from agreement.estimates import estimate_many, estimate_pair
from agreement.exact import Array, exactly, ratio
from agreement.flag_statistics import estimate_flag_statistic
from agreement.flags import Flags, flags_of, two_annotator_flags
from agreement.patterns import Patterns
from agreement.rounding import floor_text
from agreement.specific import chance_positive_specific_agreement, never_flags_agreement
from flows.record.estimate_record import estimate_record, reference_value
from flows.record.evidence import coefficient_options, why_withheld
from flows.record.settings import Settings
from schemas.report import PairRecord
from schemas.study import Study

Mask = NDArray[np.bool_]


def pair_record(study: Study, slice_name: str, pair: Pair, patterns: Patterns, settings: Settings) -> PairRecord:
    """Everything the report says of two annotators on the items both labelled. patterns: those of the slice."""
    shared = None if patterns.clusters is None else _shared(patterns, pair)
    positive = np.array(study.positive_mask())
    withheld: str | None = None
    flag_figures: list[Estimate] = []
    never: list[str | None] = [None, None]
    if positive.any():
        flags = _flags(pair, shared, positive)
        withheld = why_withheld(flags)
        flag_figures = _flag_figures(pair, shared, positive, settings)
        never = [None if value is None else floor_text(value) for value in _never_flags(pair, positive)]
    # The slice's own seed: of two annotators the pair is the slice, and one figure must not have two intervals.
    options = {"seed": settings.seed_of(slice_name), **coefficient_options(study, settings, withheld)}
    figures = estimate_pair(pair.pair_counts, positive=positive if positive.any() else None, **options)
    figures = _by_all_labels(figures, _of_either(patterns, pair), options)
    return PairRecord(
        first=pair.first,
        second=pair.second,
        paired=pair.n_items,
        table=pair.pair_counts.tolist(),
        estimates=[estimate_record(estimate) for estimate in (*figures.values(), *flag_figures)],
        never_flags_vs_first=never[0],
        never_flags_vs_second=never[1],
    )


def _never_flags(pair: Pair, positive: Mask) -> list[Fraction | None]:
    """The raw agreement somebody who never flags would have with the first, and with the second."""

    def against(table: Array, which: int) -> Array:
        return np.asarray(never_flags_agreement(table, positive)[..., which])

    return [exactly(against, pair.pair_counts, which=which) for which in (0, 1)]


def _shared(patterns: Patterns, pair: Pair) -> Patterns:
    """The items both labelled, with their clusters."""
    codes = patterns.codes[:, [patterns.annotators.index(who) for who in (pair.first, pair.second)]]
    both = (codes >= 0).all(axis=1)
    clusters = None if patterns.clusters is None else patterns.clusters[both]
    return Patterns((pair.first, pair.second), patterns.categories, codes[both], patterns.multiplicity[both], clusters)


def _of_either(patterns: Patterns, pair: Pair) -> Patterns:
    """What the two said, on the items that either labelled."""
    codes = patterns.codes[:, [patterns.annotators.index(who) for who in (pair.first, pair.second)]]
    labelled = (codes >= 0).any(axis=1)
    clusters = None if patterns.clusters is None else patterns.clusters[labelled]
    times = patterns.multiplicity[labelled]
    return Patterns((pair.first, pair.second), patterns.categories, codes[labelled], times, clusters)


def _by_all_labels(figures: dict[str, Estimate], either: Patterns, options: dict[str, Any]) -> dict[str, Estimate]:
    """The same figures as for any number of annotators, where these differ from those of the pair's table.

    Category shares of chance agreement come from every item that either labelled, and whole clusters are drawn. What
    only the table has keeps its value, and with clusters that alone.
    """
    if either.clusters is None and (either.codes >= 0).all():
        return figures
    drawn = estimate_many(*count_vectors(either), patterns=either, **options)
    if either.clusters is not None:
        why = "none: items of one cluster are not independent"
        figures = {name: replace(e, lower=None, upper=None, interval=why) for name, e in figures.items()}
    return {name: drawn.get(name, e) for name, e in figures.items()}


def _flags(pair: Pair, shared: Patterns | None, positive: Mask) -> Flags:
    if shared is not None:
        return flags_of(shared, positive)
    table = pair.pair_counts
    both = int(table[np.ix_(positive, positive)].sum())
    first_only = int(table[np.ix_(positive, ~positive)].sum())
    second_only = int(table[np.ix_(~positive, positive)].sum())
    return two_annotator_flags(both, first_only, second_only, int(table.sum()) - both - first_only - second_only)


def _flag_figures(pair: Pair, shared: Patterns | None, positive: Mask, settings: Settings) -> list[Estimate]:
    chance = exactly(chance_positive_specific_agreement, pair.pair_counts, positive=positive)
    return [
        estimate_flag_statistic("positive_specific_agreement", None, _flags(pair, shared, positive), settings.alpha),
        estimate_flag_statistic("negative_specific_agreement", None, _flags(pair, shared, ~positive), settings.alpha),
        reference_value("chance_positive_specific_agreement", chance, "no flags"),
        reference_value("max_agreement", exactly(_max_agreement, pair.pair_counts), "nothing paired"),
    ]


def _max_agreement(table: Array) -> Array:
    """The raw agreement these marginals allow at most: the sum of the smaller marginal share of each category."""
    smaller = np.minimum(table.sum(axis=-1), table.sum(axis=-2))
    return ratio(smaller.sum(axis=-1), table.sum(axis=(-2, -1)))
