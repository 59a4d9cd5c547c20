"""A file's cells as a table of text, and the checks that every kind of file needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO

from agreement.errors import Problem
from flows.reading.findings import Findings
from flows.reading.intake import Intake
from flows.storage.store import Connection, rows
from schemas.names import look_alike, shown


@dataclass(frozen=True)
class Table:
    """One file as text.

    relation: name of the temporary table. columns: their names in the file, in order.
    line_of: the physical line (or the sheet's row) of a row number.
    notes: what was let through and is worth knowing, by short name.
    unusable: columns that cannot be used as they are, and why; no problem until somebody needs one.
    paths: where the rows are, if they have no lines: `line_of` then counts rows from 1 (places.py).
    """

    relation: str
    columns: tuple[str, ...]
    n_rows: int
    file: str
    format: str
    line_of: Callable[[int], int]
    notes: tuple[str, ...] = ()
    unusable: Mapping[str, Problem] = field(default_factory=dict)
    paths: Sequence[str] = ()

    def has(self, name: str) -> bool:
        return name in self.columns

    def position(self, name: str) -> int:
        return self.columns.index(name)

    def sql(self, name: str) -> str:
        """The column of the temporary table that holds the file's column `name`."""
        return f"c{self.position(name)}"

    def nearest(self, name: str) -> str | None:
        """A column that a reader would take for `name`: other case, spaces at its ends, other dashes."""
        alike = [c for c in self.columns if look_alike(c.strip()) == look_alike(name.strip())]
        return alike[0] if alike else None


def check_names(columns: tuple[str, ...], found: Findings, line: int | None) -> None:
    """Refuse columns without a name, and two whose names differ in case only."""
    seen: dict[str, int] = {}
    for position, name in enumerate(columns):
        place = f"column {position + 1}"
        if not name.strip():
            found.add("blank-column", f"column {position + 1} has no name", line=line, column=place)
        elif (folded := name.strip().casefold()) in seen:
            why = f"columns {seen[folded] + 1} and {position + 1} have one name"
            found.add("duplicate-column", why, line=line, column=place, value=name)
        else:
            seen[folded] = position


def check_characters(con: Connection, table: Table, found: Findings) -> None:
    """Refuse control characters in cells, for kinds of file whose bytes say nothing about them."""
    for position, name in enumerate(table.columns):
        bad = rows(
            con,
            f"""select rowid, c{position} from {table.relation}
                where regexp_matches(c{position}, '[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f]') order by rowid limit 1000""",
        )
        for row, value in bad:
            where = f"{shown(name)} (column {position + 1})"
            found.add("control-character", "control character", line=table.line_of(row), column=where, value=value)


def new_relation(con: Connection, columns: int) -> str:
    """An empty temporary table of so many text columns; its name."""
    taken = rows(con, "select count(*) from duckdb_tables() where temporary and table_name like 'file_%'")
    name = f"file_{taken[0][0] + 1}"
    con.execute(f"create temp table {name} ({', '.join(f'c{i} varchar not null' for i in range(columns))})")
    return name


def load_texts(con: Connection, texts: list[list[str]], width: int) -> str:
    """A temporary table of these rows, each of so many cells; its name."""
    import pyarrow as pa

    relation = new_relation(con, width)
    if texts:
        columns = zip(*texts, strict=True)
        arrow = pa.table({f"c{i}": pa.array(cells, pa.string()) for i, cells in enumerate(columns)})
        con.register("sheet", arrow)
        con.execute(f"insert into {relation} select * from sheet")
        con.unregister("sheet")
    return relation


def dicts(con: Connection, table: Table) -> list[tuple[int, dict[str, str]]]:
    """A small table as (physical line, cells by column name), in file order."""
    cells = rows(con, f"select * from {table.relation} order by rowid")
    return [(table.line_of(i), dict(zip(table.columns, row, strict=True))) for i, row in enumerate(cells)]


def as_bytes(intake: Intake) -> BytesIO:
    return BytesIO(intake.path.read_bytes())
