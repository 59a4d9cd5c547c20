"""Two annotators on the items both labelled: table, coefficients, and what somebody who never flags would reach."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from agreement.counts import Pair
from agreement.estimate import Estimate
from agreement.estimates import estimate_pair
from agreement.exact import Array, exactly, ratio
from agreement.flag_statistics import estimate_flag_statistic
from agreement.flags import Flags, two_annotator_flags
from agreement.rounding import floor_text
from agreement.specific import chance_positive_specific_agreement, never_flags_agreement
from flows.record.estimate_record import estimate_record, reference_value
from flows.record.evidence import coefficient_options, why_withheld
from flows.record.settings import Settings
from schemas.report import PairRecord
from schemas.study import Study

Mask = NDArray[np.bool_]


def pair_record(study: Study, slice_name: str, pair: Pair, settings: Settings) -> PairRecord:
    """Everything the report says of two annotators on the items both labelled."""
    positive = np.array(study.positive_mask())
    withheld: str | None = None
    flag_figures: list[Estimate] = []
    never: list[str | None] = [None, None]
    if positive.any():
        flags = _flags(pair, positive)
        withheld = why_withheld(flags)
        flag_figures = _flag_figures(pair, positive, flags, settings)
        never = [None if value is None else floor_text(value) for value in _never_flags(pair, positive)]
    figures = estimate_pair(
        pair.pair_counts,
        # The slice's own seed: of two annotators the pair is the slice, and one figure must not have two intervals.
        seed=settings.seed_of(slice_name),
        positive=positive if positive.any() else None,
        **coefficient_options(study, settings, withheld),
    )
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


def _flags(pair: Pair, positive: Mask) -> Flags:
    table = pair.pair_counts
    both = int(table[np.ix_(positive, positive)].sum())
    first_only = int(table[np.ix_(positive, ~positive)].sum())
    second_only = int(table[np.ix_(~positive, positive)].sum())
    return two_annotator_flags(both, first_only, second_only, int(table.sum()) - both - first_only - second_only)


def _flag_figures(pair: Pair, positive: Mask, flags: Flags, settings: Settings) -> list[Estimate]:
    chance = exactly(chance_positive_specific_agreement, pair.pair_counts, positive=positive)
    return [
        estimate_flag_statistic("positive_specific_agreement", None, flags, settings.alpha),
        estimate_flag_statistic("negative_specific_agreement", None, _flags(pair, ~positive), settings.alpha),
        reference_value("chance_positive_specific_agreement", chance, "no flags"),
        reference_value("max_agreement", exactly(_max_agreement, pair.pair_counts), "nothing paired"),
    ]


def _max_agreement(table: Array) -> Array:
    """The raw agreement these marginals allow at most: the sum of the smaller marginal share of each category."""
    smaller = np.minimum(table.sum(axis=-1), table.sum(axis=-2))
    return ratio(smaller.sum(axis=-1), table.sum(axis=(-2, -1)))
