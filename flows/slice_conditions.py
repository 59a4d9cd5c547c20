"""Whether a round's items are in the slices they are said to be in, by the conditions the study registered."""

from __future__ import annotations

from flows.reading.findings import Findings
from flows.reading.tables import Table
from flows.storage.project import Change
from flows.storage.store import rows
from schemas.study import Study
from schemas.study_parts import Condition, Stratum


def check_conditions(change: Change, table: Table, the_slice: str, study: Study, found: Findings) -> None:
    """Find items of a stratum that do not meet its condition, where the frame has the column. the_slice: SQL."""
    for stratum in _checkable(table, study):
        column = stratum.where.column
        met, parameter = _met(stratum.where, table.sql(column))
        query = f"""select rowid, {table.sql(column)} from {table.relation}
                    where {the_slice} = ? and not coalesce({met}, false) order by rowid"""
        for row, value in rows(change.con, query, [stratum.name, parameter]):
            message = f"not what slice {stratum.name} is of: {in_words(stratum.where)}"
            found.add("outside-slice", message, line=table.line_of(row), column=column, value=value)


def unchecked(table: Table, study: Study) -> tuple[str, ...]:
    """Strata whose condition speaks of a column the frame does not have."""
    checked = {stratum.name for stratum in _checkable(table, study)}
    return tuple(stratum.name for stratum in study.slices.strata if stratum.name not in checked)


def in_words(condition: Condition) -> str:
    """ "mark equals hard", "score at least 0.5" """
    if condition.equals is not None:
        return f"{condition.column} equals {condition.equals}"
    if condition.is_in is not None:
        return f"{condition.column} is one of {', '.join(condition.is_in)}"
    if condition.at_least is not None:
        return f"{condition.column} at least {condition.at_least}"
    return f"{condition.column} below {condition.below}"


def _checkable(table: Table, study: Study) -> list[Stratum]:
    return [stratum for stratum in study.slices.strata if table.has(stratum.where.column)]


def _met(condition: Condition, column: str) -> tuple[str, object]:
    """SQL that is true where the condition is met, and its parameter. Numbers are compared as exact decimals."""
    if condition.equals is not None:
        return f"{column} = ?", condition.equals
    if condition.is_in is not None:
        return f"list_contains(?, {column})", list(condition.is_in)
    number = f"try_cast({column} as decimal(38, 18))"
    if condition.at_least is not None:
        return f"{number} >= cast(? as decimal(38, 18))", condition.at_least
    return f"{number} < cast(? as decimal(38, 18))", condition.below
