"""An outside check of labels: an upheld appeal, an incident, a regulator. Shown beside the figures; it never gates."""

from __future__ import annotations

from pathlib import Path

from flows.close import Done
from flows.reading.intake import take_in
from flows.reading.tables import Table, read_table
from flows.register import registered_study
from flows.statements import CellCheck, check_cells, item_checks, require_columns
from flows.storage.order import require
from flows.storage.parquet_object import put_query
from flows.storage.project import Change, Project
from flows.storage.state import RoundState
from flows.storage.store import rows
from schemas.names import SLUG_PATTERN
from schemas.study import Study

COLUMNS = ("item_id", "label", "source")


def record_outcome(project: Project, round_id: str, file: Path, study_id: str | None = None) -> Done:
    """Store what an outside check found: item_id, label (the one it found right), source (appeal, incident …).

    Raises InputRefused with every problem, OutOfOrder before the round is measured. The same file is already done.
    """
    with project.changing() as change:
        round_state = change.state.round(round_id, study_id)
        require("outcome", round_state)
        study = registered_study(change.objects, change.state, round_state)
        intake = take_in(file, change.objects)
        for event in round_state.outcomes:
            if event.payload["raw"] == intake.digest:
                return Done(True, event)
        table = read_table(intake, change.con)
        _check(change, table, study, round_state)
        item, label, source = (table.sql(name) for name in COLUMNS)
        query = f'select {item} item_id, {label} "label", {source} source from {table.relation} order by all'
        by_source = f"select {source} s, count(*) from {table.relation} group by s order by s"
        event = change.commit(
            "outcome.recorded",
            {
                "study_id": round_state.study_id,
                "round_id": round_state.round_id,
                "file_name": intake.name,
                "raw": intake.digest,
                "canonical": put_query(change.con, change.objects, query),
                "n_items": table.n_rows,
                "sources": [list(row) for row in rows(change.con, by_source)],
            },
        )
        return Done(False, event)


def _check(change: Change, table: Table, study: Study, round_state: RoundState) -> None:
    require_columns(table, COLUMNS)
    _, label, source = (table.sql(name) for name in COLUMNS)
    unknown_label, bad_source = f"not list_contains(?, {label})", f"not regexp_full_match({source}, ?)"
    checks = (
        *item_checks(table, round_state),
        CellCheck("unknown-label", "label", unknown_label, [list(study.category_values())], "not a category"),
        CellCheck("bad-source", "source", bad_source, [SLUG_PATTERN], "not a name of a source"),
    )
    check_cells(change, table, checks)
