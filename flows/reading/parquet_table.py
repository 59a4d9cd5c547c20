"""Parquet into a table of text. Types that have one written form become text; others cannot be used."""

from __future__ import annotations

from agreement.errors import Problem
from flows.reading.delimited import MOST_COLUMNS
from flows.reading.findings import Findings, column_place
from flows.reading.intake import Intake
from flows.reading.text_table import Table, check_characters, check_names, new_relation
from flows.storage.store import Connection, StoreError, rows
from schemas.names import shown
from schemas.reasons import problem

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")


def parquet_table(intake: Intake, con: Connection) -> Table:
    """Read Parquet. Text, whole numbers, true/false and times come as text; null is empty."""
    found = Findings(intake.name)
    path = str(intake.path)
    try:
        described = rows(con, "select column_name, column_type from (describe select * from read_parquet(?))", [path])
        leaves = rows(con, "select name from parquet_schema(?) where num_children is null order by column_id", [path])
    except StoreError as error:
        raise _damaged(found, error) from error
    if len(described) > MOST_COLUMNS:
        found.add("too-large", f"has {len(described):,} columns, at most {MOST_COLUMNS:,} are read")
        raise found.refusal()
    # DuckDB renames columns whose names differ in case only; the schema's own names show it.
    names = [name for (name,) in leaves] if len(leaves) == len(described) else [name for name, _ in described]
    columns, types = tuple(names), [kind for _, kind in described]
    check_names(columns, found, line=None)
    found.raise_if_any()
    relation = new_relation(con, len(columns))
    numbered = ", ".join(f"n{i}" for i in range(len(columns)))
    texts = ", ".join(_as_text(f"n{i}", kind) for i, kind in enumerate(types))
    try:
        con.execute(f"insert into {relation} select {texts} from read_parquet($p) as file({numbered})", {"p": path})
    except StoreError as error:
        raise _damaged(found, error) from error
    n_rows = rows(con, f"select count(*) from {relation}")[0][0]
    unusable = {
        name: _type_problem(intake.name, name, i, kind)
        for i, (name, kind) in enumerate(zip(columns, types, strict=True))
        if not _has_one_form(kind)
    }
    table = Table(relation, columns, n_rows, intake.name, "Parquet", lambda row: row + 1, (), unusable)
    check_characters(con, table, found)
    found.raise_if_any(n_rows)
    return table


def _as_text(column: str, kind: str) -> str:
    if kind == "TIMESTAMP WITH TIME ZONE":
        return f"coalesce(strftime({column} at time zone 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ'), '')"
    if kind == "TIMESTAMP":
        return f"coalesce(strftime({column}, '%Y-%m-%dT%H:%M:%S.%f'), '')"
    return f"coalesce({column}::varchar, '')"


def _has_one_form(kind: str) -> bool:
    whole = kind.removeprefix("U") in _WHOLE
    return whole or kind in ("VARCHAR", "BOOLEAN", "DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE") or "ENUM" in kind


def _type_problem(file: str, name: str, position: int, kind: str) -> Problem:
    why = f"has the type {kind.lower()}, whose values can be written in several ways"
    return problem("column-type", why, file=file, column=column_place(name, position))


def _damaged(found: Findings, error: Exception) -> Exception:
    first_line = str(error).splitlines()[0].split("'")[0]
    found.add("damaged-parquet", f"cannot be read as Parquet ({shown(first_line, 60)})")
    return found.refusal()
