"""The slices of a history: as measured in one round, and over all measured rounds of a guideline version together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agreement.patterns import Patterns
from flows import measurement
from flows.storage.objects import Objects
from flows.storage.state import RoundState
from schemas.history import SliceLine
from schemas.report import EstimateRecord, Report, RuleRecord, SliceRecord, Status
from schemas.study import Study

# What a history line shows of a slice, the triple first.
SHOWN = ("positive_share", "cohen_kappa", "krippendorff_alpha", "positive_specific_agreement", "percent_agreement")


def slice_lines(report: Report) -> list[SliceLine]:
    """One line per slice of a measured round."""
    return [_line(record, [r for r in report.verdict.rules if r.slice == record.name]) for record in report.slices]


def cumulative_lines(objects: Objects, study: Study, rounds: Sequence[RoundState]) -> list[SliceLine]:
    """The same over all measured rounds of one version: their counts added, never a mean of figures.

    One round alone is its own line. Items that stand in two rounds count twice.
    """
    from flows.counts import SliceCounts
    from flows.record.evidence import evidence_of
    from flows.record.settings import settings_of
    from flows.record.slice_record import slice_record

    if len(rounds) < 2:
        return []
    settings = settings_of(study)
    parts: dict[str, list[Patterns]] = {}
    for round_state in rounds:
        data = objects.read(round_state.measured[-1].payload["measurement"])
        for name, patterns in measurement.patterns_of(data).items():
            parts.setdefault(name, []).append(patterns)
    lines = []
    for name, found in parts.items():
        counts = SliceCounts(name, added(found), ())
        record = slice_record(study, counts, evidence_of(study, counts, settings), settings, {}, {}, {})
        lines.append(_line(record, []))
    return lines


def added(parts: Sequence[Patterns]) -> Patterns:
    """Patterns of several rounds as one: every annotator of any round a column, counts of equal rows added."""
    annotators = tuple(dict.fromkeys(name for part in parts for name in part.annotators))
    rows: dict[tuple[int, ...], int] = {}
    for part in parts:
        columns = [annotators.index(name) for name in part.annotators]
        for codes, n in zip(part.codes.tolist(), part.multiplicity.tolist(), strict=True):
            row = [-1] * len(annotators)
            for column, code in zip(columns, codes, strict=True):
                row[column] = code
            rows[tuple(row)] = rows.get(tuple(row), 0) + n
    ordered = sorted(rows.items())
    return Patterns(
        annotators=annotators,
        categories=parts[0].categories,
        codes=np.array([row for row, _ in ordered], dtype=np.int64).reshape(-1, len(annotators)),
        multiplicity=np.array([n for _, n in ordered], dtype=np.int64),
    )


def _line(record: SliceRecord, rules: Sequence[RuleRecord]) -> SliceLine:
    coverage = next((e.value for e in record.estimates if e.statistic == "coverage"), None)
    return SliceLine(
        slice=record.name,
        speaks_of=record.speaks_of,
        rate=record.sampling,
        paired=record.coverage.paired,
        coverage=coverage,
        joint=record.positives.joint if record.positives else None,
        union=record.positives.union if record.positives else None,
        estimates=[found for found in (_find(record, name) for name in SHOWN) if found is not None],
        rules=_worst(rules),
    )


def _find(record: SliceRecord, statistic: str) -> EstimateRecord | None:
    return next((e for e in record.estimates if e.statistic == statistic and e.category is None), None)


def _worst(rules: Sequence[RuleRecord]) -> Status:
    verdicts = {rule.verdict for rule in rules}
    if not verdicts:
        return "not_gated"
    if "fail" in verdicts:
        return "fail"
    return "not_evaluable" if "not_evaluable" in verdicts else "pass"
