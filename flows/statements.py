"""A file somebody hands in about a measured round's items, a row an item: decisions, or what an outside check found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.reading.findings import Findings
from flows.reading.tables import Table
from flows.storage.project import Change
from flows.storage.state import RoundState
from flows.storage.store import rows


@dataclass(frozen=True)
class CellCheck:
    """Which rows of a statement's table are wrong: those where `condition`, an SQL expression over it, holds.

    fix: what to do, where the code's own advice does not fit.
    """

    code: str
    column: str
    condition: str
    parameters: Sequence[object]
    message: str
    fix: str | None = None


def require_columns(table: Table, columns: Sequence[str]) -> None:
    """InputRefused unless the table has exactly these columns."""
    found = Findings(table.file)
    for name in columns:
        if not table.has(name):
            found.add("missing-column", f"no column {name}", line=1, column=name)
    for name in table.columns:
        if name not in columns:
            found.add("unexpected-column", f"unexpected column {name}", line=1, column=name)
    found.raise_if_any(table.n_rows)


def item_checks(table: Table, round_state: RoundState) -> tuple[CellCheck, CellCheck]:
    """Every row is about an item of the round, and no two are about the same."""
    item = table.sql("item_id")
    in_frame = f"{item} in (select item_id from frame_item where study_id = ? and round_id = ?)"
    twice = f"{item} in (select {item} from {table.relation} group by 1 having count(*) > 1)"
    key = [round_state.study_id, round_state.round_id]
    return (
        CellCheck("not-decidable", "item_id", f"not {in_frame}", key, "not an item of this round"),
        CellCheck("duplicate-item", "item_id", twice, [], "stands twice in this file"),
    )


def check_cells(change: Change, table: Table, checks: Sequence[CellCheck]) -> None:
    """InputRefused with every row every check finds."""
    found = Findings(table.file)
    for check in checks:
        query = f"""select rowid, {table.sql(check.column)} from {table.relation}
                    where {check.condition} order by rowid"""
        for row, value in rows(change.con, query, list(check.parameters)):
            found.add(
                check.code, check.message, line=table.line_of(row), column=check.column, value=value, fix=check.fix
            )
    found.raise_if_any(table.n_rows)
