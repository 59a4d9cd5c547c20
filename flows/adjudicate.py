"""A third person's decisions on items of a measured round: their own table, never part of an agreement figure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.contested import contested_items, decided_items
from flows.reading.intake import take_in
from flows.reading.tables import Table, read_table
from flows.register import registered_study
from flows.statements import CellCheck, check_cells, item_checks, require_columns
from flows.storage.ledger import Event
from flows.storage.order import require
from flows.storage.parquet_object import put_query
from flows.storage.project import Change, Project
from flows.storage.state import RoundState
from flows.storage.store import rows
from flows.storage.unchanged import require_unchanged
from schemas.study import Study

COLUMNS = ("item_id", "label", "adjudicator_id", "reason")
UNDECIDABLE = "undecidable"


@dataclass(frozen=True)
class Adjudicated:
    """What `adjudicate` did.

    n_decisions: rows in the file. n_superseding: those on items decided before. n_agreed: those on items the
    annotators agree on, whose label a release keeps. n_left: contested items of the round nobody has decided yet.
    """

    already_done: bool
    event: Event
    n_decisions: int
    n_superseding: int
    n_agreed: int
    n_left: int


def adjudicate(project: Project, round_id: str, file: Path, study_id: str | None = None) -> Adjudicated:
    """Store decisions: item_id, label (or `undecidable`), adjudicator_id, reason.

    A later decision on an item supersedes the earlier one; both are kept, and the event names the one it follows.
    Decisions on items the annotators agree on are taken (a queue may hold some, so that being queued tells nothing)
    and counted. Raises InputRefused with every problem, OutOfOrder before the round is measured.
    """
    with project.changing() as change:
        round_state = change.state.round(round_id, study_id)
        require("adjudicate", round_state)
        require_unchanged(project, change.con, round_state)
        study = registered_study(change.objects, change.state, round_state)
        intake = take_in(file, change.objects)
        for event in round_state.adjudications:
            if event.payload["raw"] == intake.digest:
                return _adjudicated(event, already_done=True)
        table = read_table(intake, change.con)
        _check(change, table, study, round_state)
        payload = {
            "study_id": round_state.study_id,
            "round_id": round_state.round_id,
            "file_name": intake.name,
            "raw": intake.digest,
            "canonical": _put(change, table),
            "n_decisions": table.n_rows,
            **_what_it_changes(change, table, study, round_state),
        }
        return _adjudicated(change.commit("adjudication.recorded", payload), already_done=False)


def _adjudicated(event: Event, *, already_done: bool) -> Adjudicated:
    told = event.payload
    n_superseding = sum(n for _, n in told["supersedes"])
    return Adjudicated(
        already_done, event, told["n_decisions"], n_superseding, told["n_agreed"], told["n_contested_left"]
    )


def _what_it_changes(change: Change, table: Table, study: Study, round_state: RoundState) -> dict[str, Any]:
    """supersedes: [event, how many of its decisions], for decisions that stood until now."""
    decided_now = {item for (item,) in rows(change.con, f"select {table.sql('item_id')} from {table.relation}")}
    contested = {item.item_id for item in contested_items(change.con, study, round_state)}
    superseded = rows(
        change.con,
        f"""select seq, count(*) from (
              select item_id, max(recorded_seq) seq from adjudication where study_id = ? and round_id = ? group by 1)
            where item_id in (select {table.sql("item_id")} from {table.relation}) group by 1 order by 1""",
        [round_state.study_id, round_state.round_id],
    )
    return {
        "supersedes": [list(row) for row in superseded],
        "n_agreed": len(decided_now - contested),
        "n_contested_left": len(contested - decided_now - decided_items(change.con, round_state)),
    }


def _check(change: Change, table: Table, study: Study, round_state: RoundState) -> None:
    require_columns(table, COLUMNS)
    item, label, who, reason = (table.sql(name) for name in COLUMNS)
    annotated = f"""exists (select 1 from raw_label r where r.study_id = ? and r.round_id = ?
                    and r.item_id = {item} and r.annotator_id = {who})"""
    key = [round_state.study_id, round_state.round_id]
    labels = [*study.category_values(), UNDECIDABLE]
    unknown_label, unknown_person = f"not list_contains(?, {label})", f"not list_contains(?, {who})"
    people, nobody = [list(study.adjudicator_ids())], "not an adjudicator of the roster"
    checks = (
        *item_checks(table, round_state),
        CellCheck("unknown-label", "label", unknown_label, [labels], "not a registered category"),
        CellCheck("unknown-adjudicator", "adjudicator_id", unknown_person, people, nobody),
        CellCheck(
            *("adjudicator-as-annotator", "adjudicator_id", annotated, key, "has labelled this item blind"),
            fix="Let somebody decide who did not label it.",
        ),
        CellCheck("blank-reason", "reason", f"trim({reason}) = ''", [], "no reason"),
    )
    check_cells(change, table, checks)


def _put(change: Change, table: Table) -> str:
    item, label, who, reason = (table.sql(name) for name in COLUMNS)
    query = f"""select {item} item_id, case when {label} = '{UNDECIDABLE}' then '' else {label} end "label",
                       {who} adjudicator_id, {reason} reason
                from {table.relation} order by all"""
    return put_query(change.con, change.objects, query)
