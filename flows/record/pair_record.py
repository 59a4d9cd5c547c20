"""Two annotators on the items both labelled: table, coefficients, and what somebody who never flags would reach."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from agreement.counts import Pair
from agreement.estimate import Estimate
from agreement.exact import Array, exactly, ratio
from agreement.flag_statistics import estimate_flag_statistic
from agreement.flags import flags_of
from agreement.patterns import Patterns
from agreement.rounding import floor_text
from agreement.specific import chance_positive_specific_agreement, never_flags_agreement
from agreement.two_annotators import estimate_two
from flows.record.estimate_record import estimate_record, reference_value
from flows.record.evidence import coefficient_options, why_withheld
from flows.record.settings import Settings
from schemas.report import PairRecord
from schemas.study import Study

Mask = NDArray[np.bool_]


def pair_record(study: Study, slice_name: str, pair: Pair, patterns: Patterns, settings: Settings) -> PairRecord:
    """Everything the report says of two annotators. patterns: those of the slice."""
    of_two = _of_two(patterns, pair)
    positive = np.array(study.positive_mask())
    withheld: str | None = None
    flag_figures: list[Estimate] = []
    never: list[str | None] = [None, None]
    if positive.any():
        withheld = why_withheld(flags_of(of_two, positive))
        flag_figures = _flag_figures(pair, of_two, positive, settings)
        never = [None if value is None else floor_text(value) for value in _never_flags(pair, positive)]
    # The slice's own seed: of two annotators the pair is the slice, and one figure must not have two intervals.
    options = {"seed": settings.seed_of(slice_name), **coefficient_options(study, settings, withheld)}
    figures = estimate_two(of_two, positive=positive if positive.any() else None, **options)
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


def _of_two(patterns: Patterns, pair: Pair) -> Patterns:
    """What these two said of the slice's items."""
    columns = [patterns.annotators.index(who) for who in (pair.first, pair.second)]
    return replace(patterns, annotators=(pair.first, pair.second), codes=patterns.codes[:, columns])


def _flag_figures(pair: Pair, of_two: Patterns, positive: Mask, settings: Settings) -> list[Estimate]:
    chance = exactly(chance_positive_specific_agreement, pair.pair_counts, positive=positive)
    return [
        estimate_flag_statistic("positive_specific_agreement", None, flags_of(of_two, positive), settings.alpha),
        estimate_flag_statistic("negative_specific_agreement", None, flags_of(of_two, ~positive), settings.alpha),
        reference_value("chance_positive_specific_agreement", chance, "no flags"),
        reference_value("max_agreement", exactly(_max_agreement, pair.pair_counts), "nothing paired"),
    ]


def _max_agreement(table: Array) -> Array:
    """The raw agreement these marginals allow at most: the sum of the smaller marginal share of each category."""
    smaller = np.minimum(table.sum(axis=-1), table.sum(axis=-2))
    return ratio(smaller.sum(axis=-1), table.sum(axis=(-2, -1)))
