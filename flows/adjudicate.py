"""A third person's decisions on items of a measured round: their own table, never part of an agreement figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flows.reading.findings import Findings
from flows.reading.intake import take_in
from flows.reading.tables import Table, read_table
from flows.register import registered_study
from flows.storage.ledger import Event
from flows.storage.order import require
from flows.storage.parquet_object import put_query
from flows.storage.project import Change, Project
from flows.storage.state import RoundState
from flows.storage.store import rows
from schemas.study import Study

COLUMNS = ("item_id", "label", "adjudicator_id", "reason")
UNDECIDABLE = "undecidable"


@dataclass(frozen=True)
class Adjudicated:
    """What `adjudicate` did. n_decisions: rows in the file; n_undecidable: those that decide nothing."""

    already_done: bool
    event: Event
    n_decisions: int


def adjudicate(project: Project, round_id: str, file: Path, study_id: str | None = None) -> Adjudicated:
    """Store decisions: item_id, label (or `undecidable`), adjudicator_id, reason.

    A later decision on an item supersedes the earlier one; both are kept. Raises InputRefused with every problem,
    OutOfOrder before the round is measured.
    """
    with project.changing() as change:
        round_state = change.state.round(round_id, study_id)
        require("adjudicate", round_state)
        study = registered_study(change.objects, change.state, round_state)
        intake = take_in(file, change.objects)
        for event in round_state.adjudications:
            if event.payload["raw"] == intake.digest:
                return Adjudicated(True, event, event.payload["n_decisions"])
        table = read_table(intake, change.con)
        _check(change, table, study, round_state)
        payload = {
            "study_id": round_state.study_id,
            "round_id": round_state.round_id,
            "file_name": intake.name,
            "raw": intake.digest,
            "canonical": _put(change, table),
            "n_decisions": table.n_rows,
        }
        return Adjudicated(False, change.commit("adjudication.recorded", payload), table.n_rows)


def _check(change: Change, table: Table, study: Study, round_state: RoundState) -> None:
    found = Findings(table.file)
    for name in COLUMNS:
        if not table.has(name):
            found.add("missing-column", f"no column {name}", line=1, column=name)
    for name in table.columns:
        if name not in COLUMNS:
            found.add("unexpected-column", f"unexpected column {name}", line=1, column=name)
    if found:
        raise found.refusal(table.n_rows)
    item, label, who, reason = (table.sql(name) for name in COLUMNS)
    key = [round_state.study_id, round_state.round_id]
    labels = [*study.category_values(), UNDECIDABLE]
    in_frame = f"{item} in (select item_id from frame_item where study_id = ? and round_id = ?)"
    annotated = f"""exists (select 1 from raw_label r where r.study_id = ? and r.round_id = ?
                    and r.item_id = {item} and r.annotator_id = {who})"""
    checks: Sequence[tuple[str, str, str, list[object], str]] = (
        ("not-decidable", "item_id", f"not {in_frame}", [*key], "not an item of this round"),
        ("unknown-label", "label", f"not list_contains(?, {label})", [labels], "not a registered category"),
        (
            "unknown-adjudicator",
            "adjudicator_id",
            f"not list_contains(?, {who})",
            [list(study.adjudicator_ids())],
            "not an adjudicator of the roster",
        ),
        ("adjudicator-as-annotator", "adjudicator_id", annotated, [*key], "has labelled this item blind"),
        ("blank-reason", "reason", f"trim({reason}) = ''", [], "no reason"),
        (
            "duplicate-item",
            "item_id",
            f"{item} in (select {item} from {table.relation} group by 1 having count(*) > 1)",
            [],
            "decided twice in this file",
        ),
    )
    for code, name, condition, params, message in checks:
        query = f"select rowid, {table.sql(name)} from {table.relation} where {condition} order by rowid"
        for row, value in rows(change.con, query, params):
            found.add(code, message, line=table.line_of(row), column=name, value=value)
    if found:
        raise found.refusal(table.n_rows)


def _put(change: Change, table: Table) -> str:
    item, label, who, reason = (table.sql(name) for name in COLUMNS)
    query = f"""select {item} item_id, case when {label} = '{UNDECIDABLE}' then '' else {label} end "label",
                       {who} adjudicator_id, {reason} reason
                from {table.relation} order by all"""
    return put_query(change.con, change.objects, query)
