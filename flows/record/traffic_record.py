"""Figures weighted to traffic, for a study that registered them: all slices together, by cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from agreement.estimate import Estimate
from agreement.flags import flags_of
from agreement.patterns import Patterns
from agreement.readings import SliceEvidence
from agreement.rules import TRAFFIC
from agreement.traffic import TrafficFigure, traffic_figure
from flows.counts import SliceCounts
from flows.record.estimate_record import estimate_record
from flows.record.settings import Settings
from schemas.report import EstimateRecord
from schemas.study import Study

FIGURES = ("positive_specific_agreement", "negative_specific_agreement", "positive_share", "union_positive_rate")


@dataclass(frozen=True)
class Traffic:
    """All slices of a round as one. pool: items of the pool, by number of the cell; cells: their names."""

    patterns: Patterns
    pool: Mapping[int, int]
    cells: Mapping[int, str]


@dataclass(frozen=True)
class TrafficFigures:
    """What the report says of the whole pool; empty unless the study registered it."""

    estimates: list[EstimateRecord] = field(default_factory=list)
    weights: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def traffic_of(
    study: Study, slices: Sequence[SliceCounts], cells: Sequence[str], pool: Mapping[str, int]
) -> Traffic | None:
    """None unless the study registered it."""
    if not study.traffic or not slices:
        return None
    numbers = {cells.index(name): n for name, n in pool.items() if name in cells}
    return Traffic(_whole(slices), numbers, dict(enumerate(cells)))


def traffic_evidence(study: Study, traffic: Traffic | None) -> dict[str, SliceEvidence]:
    """Evidence for rules that name `slice: traffic`."""
    if traffic is None:
        return {}
    positive = tuple(c.value for c in study.categories if c.positive)
    return {TRAFFIC: SliceEvidence(traffic.patterns, positive, pool_items=traffic.pool)}


def traffic_figures(study: Study, traffic: Traffic | None, settings: Settings) -> TrafficFigures:
    """Agreement on flags and rates of the whole pool."""
    mask = np.array(study.positive_mask())
    if traffic is None or not mask.any():
        return TrafficFigures()
    figures = []
    for name in FIGURES:
        flags = flags_of(traffic.patterns, ~mask if name == "negative_specific_agreement" else mask, by_cell=True)
        figures.append(traffic_figure(name, flags, traffic.pool, settings.alpha, traffic.cells))
    main = figures[0]
    return TrafficFigures(
        estimates=[_estimate(figure) for figure in figures],
        weights={traffic.cells[share.cell]: str(share.weight) for share in main.cells},
        warnings=list(main.warnings),
    )


def _whole(slices: Sequence[SliceCounts]) -> Patterns:
    """The patterns of all slices, one under the other; cells keep them apart."""
    parts = [part.patterns for part in slices]
    cells = [part.cells for part in parts if part.cells is not None]
    return Patterns(
        annotators=parts[0].annotators,
        categories=parts[0].categories,
        codes=np.concatenate([part.codes for part in parts]),
        multiplicity=np.concatenate([part.multiplicity for part in parts]),
        clusters=None,  # cluster numbers count within a slice; a figure of the pool takes items as independent
        cells=np.concatenate(cells) if len(cells) == len(parts) else None,
    )


def _estimate(figure: TrafficFigure) -> EstimateRecord:
    bounds = figure.interval
    shown = bounds is not None and bounds.lower is not None
    estimate = Estimate(
        statistic=figure.statistic,
        value=None if figure.value is None else float(figure.value),
        exact=figure.value,
        lower=bounds.lower if bounds is not None else None,
        upper=bounds.upper if bounds is not None else None,
        status=figure.status,
        interval="beta" if shown else "none: no variance to estimate",
        n={
            "paired_items": sum(share.paired_items for share in figure.cells),
            "union_positives": sum(share.union_positives for share in figure.cells),
            "pool_items": sum(share.pool_items for share in figure.cells),
        },
        lower_text=bounds.lower_text if bounds is not None else None,
        upper_text=bounds.upper_text if bounds is not None else None,
    )
    return estimate_record(estimate)
