"""The history of a study as a table on the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from agreement.rounding import display
from flows.commands import printing
from schemas.history import HistoryRecord, RoundLine, SliceLine, VersionRecord
from schemas.report import EstimateRecord

HEADER = (
    "guideline",
    "round",
    "kind",
    "grade",
    "slice",
    "coverage",
    "union",
    "kappa",
    "alpha",
    "positive specific agreement",
    "verdict",
)


def print_history(record: HistoryRecord) -> None:
    """One line per round and slice, the cumulative figure per version, then releases."""
    printing.line(f"{record.study_id}: {record.question}")
    for card, what in ((record.may_be_used, "May be used"), (record.last_verdict, "Last verdict"), (record.now, "Now")):
        printing.line(f"{what}: {card.word}. {card.text}")
    printing.line()
    printing.table(HEADER, (row for version in record.versions for row in _rows(version)))
    for version in record.versions:
        for text in (*version.differences, version.not_measurable):
            if text:
                printing.line(f"Guideline {version.guideline_version}: {text}")
    for miss in record.near_misses:
        printing.line(f"Near miss, {miss.round_id}, {miss.slice}: {miss.text}")
    for deviation in record.deviations:
        statuses = (deviation.as_registered, deviation.as_amended, deviation.counts)
        without, with_it, counts = (status.replace("_", " ") for status in statuses)
        said = f"Without it: {without}; with it: {with_it}; what counts: {counts}."
        printing.line(f"Deviation, {deviation.round_id}, event {deviation.event}: {deviation.text} {said}")
    for one in record.releases:
        printing.line(f"Release {one.release}, {one.state}, event {one.event}: {one.against_before or one.digest}")
    printing.line(f"Ledger head: {record.ledger_head.hash}@{record.ledger_head.size}")


def _rows(version: VersionRecord) -> Iterator[tuple[str, ...]]:
    for one in version.rounds:
        yield from _round_rows(version, one)
    for part in version.cumulative:
        n = len([r for r in version.rounds if r.kind == "measured" and r.verdict])
        yield (version.guideline_version, f"all {n} rounds", "", "", *_slice_cells(part), _passed(version))


def _round_rows(version: VersionRecord, one: RoundLine) -> Iterator[tuple[str, ...]]:
    attempt = f", attempt {one.attempt} of {one.attempts}" if one.kind == "measured" else ""
    start = (version.guideline_version, one.round_id, f"{one.kind}{attempt}", one.grade)
    verdict = (one.verdict or one.state).replace("_", " ")
    if not one.slices:
        yield (*start, "", "", "", "", "", "", verdict)
    for n, part in enumerate(one.slices):
        yield (*(start if n == 0 else ("", "", "", "")), *_slice_cells(part), verdict if n == 0 else "")


def _slice_cells(part: SliceLine) -> tuple[str, ...]:
    union = "" if part.union is None else f"{part.union:,}"
    coverage = "" if part.coverage is None else display(part.coverage, "1")
    figures = (_figure(part, name) for name in ("cohen_kappa", "krippendorff_alpha", "positive_specific_agreement"))
    return (f"{part.slice} ({part.speaks_of})", coverage, union, *figures)


def _figure(part: SliceLine, statistic: str) -> str:
    found: EstimateRecord | None = next((e for e in part.estimates if e.statistic == statistic), None)
    if found is None:
        return ""
    if found.value is None:
        return found.status
    bounds = f" [{display(found.lower)} to {display(found.upper)}]" if found.lower and found.upper else ""
    return f"{display(found.value)}{bounds}"


def _passed(version: VersionRecord) -> str:
    return f"{version.passed} of {version.judged} passed"
