"""Agreement weighted to traffic: cells drawn at different rates, each item standing for N_cell / n_cell of the pool.

The ratio of weighted totals, never a mean of the slices' figures. Its interval is that of `agreement.beta_interval`,
with residuals centred within each cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from agreement.beta_interval import BetaInterval, cell_spreads
from agreement.exact import Array
from agreement.flag_statistics import FLAG_STATISTICS, exact_units, exact_value, interval
from agreement.flags import Flags
from agreement.inputs import check_between

FEW_UNION_POSITIVES = 5


@dataclass(frozen=True)
class CellShare:
    """What one cell brings to a traffic figure. variance_share: None where the variance is zero or undefined."""

    cell: int
    pool_items: int
    paired_items: int
    union_positives: int
    weight: Fraction
    variance_share: float | None


@dataclass(frozen=True)
class TrafficFigure:
    """A figure for the whole pool. value is None and `status` says why if a cell of the pool has no paired item.

    warnings: sentences; one cell holds over half the variance, or fewer than five union positives.
    """

    statistic: str
    value: Fraction | None
    interval: BetaInterval | None
    cells: tuple[CellShare, ...]
    warnings: tuple[str, ...]
    status: str = "ok"


def traffic_figure(
    statistic: str,
    flags: Flags,
    pool_items: Mapping[int, int],
    alpha: Fraction = Fraction(1, 20),
    names: Mapping[int, str] | None = None,
) -> TrafficFigure:
    """A flag statistic of the whole pool.

    statistic: a name of FLAG_STATISTICS. flags: kept by cell (`flags_of(..., by_cell=True)`).
    pool_items: items of the pool in each cell. alpha: what both sides of the interval together may miss.
    names: of the cells, for the warnings; their numbers if left out.
    """
    check_between("alpha", alpha)
    weights = cell_weights(flags, pool_items)
    if weights is None:
        return TrafficFigure(statistic, None, None, (), (), "undefined: a cell of the pool has no paired item")
    definition = FLAG_STATISTICS[statistic]
    value = exact_value(definition, flags, weights)
    if value is None:
        return TrafficFigure(statistic, None, None, (), (), definition.empty)
    cells = _cell_shares(statistic, flags, pool_items, weights)
    return TrafficFigure(
        statistic, value, interval(definition, flags, alpha, weights), cells, tuple(_warnings(cells, names or {}))
    )


def cell_weights(
    flags: Flags, pool_items: Mapping[int, int], of: Literal["paired", "drawn"] = "paired"
) -> Array | None:
    """N_cell / n_cell for each kind of item, exactly. Shape (U,). None if a cell with pool items has no such item.

    of: whether n_cell counts the items that have two labels, or those that were to get two.
    """
    enters = flags.paired if of == "paired" else flags.n_labels + flags.n_gaps >= 2
    sizes = {cell: flags.count(enters & (_cells(flags) == cell)) for cell in pool_items}
    if any(n_pool > 0 and sizes[cell] == 0 for cell, n_pool in pool_items.items()):
        return None
    weights = np.empty(len(flags.multiplicity), dtype=object)
    weights[:] = [Fraction(pool_items[cell], sizes[cell] or 1) for cell in _cells(flags).tolist()]
    return weights


def _cells(flags: Flags) -> Array:
    if flags.cells is None:
        raise ValueError("flags of a traffic figure must be kept by cell")
    return flags.cells


def _cell_shares(statistic: str, flags: Flags, pool_items: Mapping[int, int], weights: Array) -> tuple[CellShare, ...]:
    cells = _cells(flags)
    variance = _variance_shares(statistic, flags, weights)
    shares = []
    for cell in sorted(cell for cell, n_pool in pool_items.items() if n_pool > 0):
        inside = flags.paired & (cells == cell)
        shares.append(
            CellShare(
                cell=cell,
                pool_items=pool_items[cell],
                paired_items=flags.count(inside),
                union_positives=flags.count(inside & (flags.n_positive > 0)),
                weight=weights[inside][0],
                variance_share=variance.get(cell),
            )
        )
    return tuple(shares)


def _variance_shares(statistic: str, flags: Flags, weights: Array) -> dict[int, float | None]:
    y, z = FLAG_STATISTICS[statistic].terms(flags.n_positive, flags.n_labels)
    units = exact_units(flags, weights)
    p = float((units * y.astype(object)).sum() / (units * z.astype(object)).sum())
    residuals = weights.astype(float) * (y.astype(float) - p * z)
    enters = flags.paired & (flags.multiplicity > 0)
    spreads = cell_spreads(residuals[enters], flags.multiplicity[enters].astype(float), _cells(flags)[enters])
    total = sum(spread for spread in spreads.values() if spread)
    return {cell: spread / total if spread is not None and total > 0 else None for cell, spread in spreads.items()}


def _warnings(cells: tuple[CellShare, ...], names: Mapping[int, str]) -> list[str]:
    heavy = [
        f"cell {names.get(share.cell, share.cell)} holds {100 * share.variance_share:.0f} % of the variance: "
        "more items of it would help most"
        for share in cells
        if share.variance_share is not None and share.variance_share > 0.5 and len(cells) > 1
    ]
    few = [
        f"cell {names.get(share.cell, share.cell)} has {share.union_positives} union positives: too few to speak of it"
        for share in cells
        if share.union_positives < FEW_UNION_POSITIVES
    ]
    return heavy + few
