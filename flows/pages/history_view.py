"""What the history page picks out of a history record, before it is laid out or drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from flows.pages import words
from flows.pages.figures import CORRECTED, Figure, figure, find
from schemas.history import HistoryRecord, RoundLine, SliceLine, VersionRecord
from schemas.report import EstimateRecord

SHOWN_ROUNDS = 12  # the picture shows the last ones; the table shows all


@dataclass(frozen=True)
class Line:
    """One slice of one round, or of a version as a whole, as a row of the table."""

    record: SliceLine
    share: Figure | None
    raw: Figure | None
    corrected: Figure | None
    main: Figure | None
    others: tuple[Figure, ...]

    @property
    def is_traffic(self) -> bool:
        return self.record.speaks_of == "traffic"


def line(record: SliceLine) -> Line:
    def shown(*names: str) -> Figure | None:
        found = find(record.estimates, *names)
        return figure(found) if found else None

    used = ("positive_share", "percent_agreement", "positive_specific_agreement", *CORRECTED)
    return Line(
        record=record,
        share=shown("positive_share") if record.speaks_of == "traffic" else None,
        raw=shown("percent_agreement"),
        corrected=shown(*CORRECTED),
        main=shown("positive_specific_agreement"),
        others=tuple(figure(e) for e in record.estimates if words.statistic_key(e.statistic) not in used),
    )


def charted(record: SliceLine) -> EstimateRecord | None:
    return find(record.estimates, "positive_specific_agreement") or find(record.estimates, *CORRECTED)


def shown_rounds(history: HistoryRecord) -> list[tuple[VersionRecord, RoundLine]]:
    """The rounds of the picture with their versions, oldest first."""
    every = [(version, one) for version in history.versions for one in version.rounds]
    return every[-SHOWN_ROUNDS:]


def slice_names(rounds: Sequence[tuple[VersionRecord, RoundLine]]) -> list[tuple[str, str]]:
    """(name, what it speaks of) of every slice, in order of first appearance."""
    seen: dict[str, str] = {}
    for _, one in rounds:
        for record in one.slices:
            seen.setdefault(record.slice, record.speaks_of)
    return list(seen.items())


def zone(version: VersionRecord, slice_name: str, statistic: str) -> tuple[float | None, float | None]:
    """The lowest and highest registered threshold on a statistic of a slice under one version."""
    asked = {
        t.asked
        for t in version.thresholds
        if (t.slice, t.comparison) == (slice_name, "at_least")
        and words.statistic_key(t.statistic) == words.statistic_key(statistic)
    }
    if not asked:
        return None, None
    ordered = sorted(asked, key=Decimal)
    return float(ordered[0]), float(ordered[-1]) if len(ordered) > 1 else None


def verdict_word(one: RoundLine) -> str:
    """What stands beside a round: its verdict, or why it has none."""
    if one.verdict == "not_gated":
        return one.kind if one.kind in ("pilot", "retrospective", "relabel") else "not gated"
    if one.verdict is not None:
        return words.VERDICT[one.verdict].lower()
    return {"open": "open", "closed": "closed, not measured", "measured": "not judged"}[one.state]


def mark(one: RoundLine) -> str:
    if one.verdict is None:
        return "open" if one.state == "open" else "not_gated"
    return "retrospective" if one.kind == "retrospective" else one.verdict


def rules_text(one: RoundLine) -> str:
    """ "3 of 9 failed, 1 not evaluable"; "" where nothing was judged or all passed."""
    parts = []
    if one.failed:
        parts.append(f"{one.failed} of {one.rules} failed")
    if one.not_evaluable:
        parts.append(f"{one.not_evaluable} not evaluable")
    return ", ".join(parts)


def traffic_sentence(history: HistoryRecord) -> str:
    """How the uniform slice went, first and last round that has a value; "" without two."""
    points = []
    for version in history.versions:
        for one in version.rounds:
            for record in one.slices:
                estimate = charted(record) if record.speaks_of == "traffic" else None
                if estimate is not None and estimate.value is not None:
                    points.append((version.guideline_version, one.round_id, estimate))
    if len(points) < 2:
        return ""
    (v1, r1, first), (v2, r2, last) = points[0], points[-1]
    name = words.in_a_sentence(last.statistic, last.category)
    return (
        f"In traffic, {name} was {figure(first).sentence} in {r1} (guideline {v1}) and {figure(last).sentence} in "
        f"{r2} (guideline {v2})."
    )
