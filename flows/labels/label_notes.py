"""What is worth knowing about accepted labels though nothing is wrong with a row: odd times, files that look copied."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from flows.labels.label_rows import LabelRows, count
from flows.storage.store import Connection, rows

ALIKE = 5  # so many equal flags or times make two files look copied; all-negative files are alike honestly
_OLD = "dated a day or more before the round was opened: if all its labels are, the round is retrospective, never gated"


def notes_on(
    con: Connection, labels: LabelRows, now: datetime, opened: datetime | None, positive: Sequence[str]
) -> tuple[list[str], list[tuple[str, str]]]:
    """Notes for people, and the pairs of annotators whose labels look copied. `present` holds what came in before.

    opened: when the round was opened, where it matters that labels are younger.
    """
    copied = copied_pairs(con, labels, positive)
    notes = list(labels.notes)
    notes += [
        f"copied-submission: the labels of {a} and {b} look copied (the same answer to every shared item with "
        f"{ALIKE} flags or more among them, or {ALIKE} equal times); ask both how they worked, the report will say it"
        for a, b in copied
    ]
    conditions = [
        ("dated in the future", f"moment > timestamptz '{now.isoformat()}'"),
        ("with a time but no zone", "labelled_at <> '' and not zoned"),
    ]
    if opened is not None:
        limit = (opened - timedelta(hours=24)).isoformat()  # flows/register.py grades a round by the same limit
        conditions.append((_OLD, f"zoned and moment <= timestamptz '{limit}'"))
    for what, where in conditions:
        n = count(con, labels.relation, where)
        if n:
            notes.append(f"{n:,} row{'s' if n > 1 else ''} {what}")
    if backwards := _times_that_go_back(con, labels):
        notes.append(f"{backwards:,} row{'s' if backwards > 1 else ''} earlier than the annotator's row before")
    return notes, copied


def copied_pairs(con: Connection, labels: LabelRows, positive: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of annotators, one of them in this file, with at least five equal times on the same items, or with the
    same answer on every shared item and at least five flags among them."""
    found = rows(
        con,
        f"""with everyone as (
              select item_id, item_version, annotator_id, "label", labelled_at, true here from {labels.relation}
              where origin = 'own' and set_aside = '' and occurrence = 1
              union all
              select item_id, item_version, annotator_id, "label", labelled_at, false from present
              where origin = 'own' and set_aside = '' and occurrence = 1),
            pairs as (
              select a.annotator_id a, b.annotator_id b, bool_and(a."label" = b."label") alike,
                count(*) filter (a."label" = b."label" and list_contains($positive, a."label")) flags,
                count(*) filter (a.labelled_at = b.labelled_at and a.labelled_at <> '') times
              from everyone a join everyone b using (item_id, item_version)
              where a.annotator_id < b.annotator_id and (a.here or b.here) group by all)
            select a, b from pairs where times >= $alike or (alike and flags >= $alike) order by all""",
        {"positive": list(positive), "alike": ALIKE},
    )
    return [(a, b) for a, b in found]


def _times_that_go_back(con: Connection, labels: LabelRows) -> int:
    """Rows dated before the same annotator's row above them."""
    ((n,),) = rows(
        con,
        f"""select count(*) from (
              select moment < lag(moment) over (partition by annotator_id order by src_row) back
              from {labels.relation} where moment is not null) where back""",
    )
    return int(n)


def time_span(con: Connection, labels: LabelRows) -> dict[str, str | int]:
    """First and last time with a zone, in UTC, and how many rows have no such time."""
    utc = "strftime({}(moment) filter (zoned) at time zone 'UTC', '%Y-%m-%dT%H:%M:%SZ')"
    ((first, last, undated),) = rows(
        con,
        f"""select {utc.format("min")}, {utc.format("max")}, count(*) filter (not zoned)
            from {labels.relation} where set_aside = ''""",
    )
    return {"first_labelled_at": first or "", "last_labelled_at": last or "", "undated": undated}
