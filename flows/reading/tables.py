"""Reading a file of any kind as a table of text, strictly: exactly the cells that are there, or a refusal.

The kind is told from the bytes; the file's extension only decides between delimiters. Every column is text. The rows
lie in a temporary table with columns c0, c1 …, so no name out of a file ever becomes part of a query; `rowid` is the
row's number from 0, in file order.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from io import BytesIO

from agreement.errors import Problem
from flows.reading.findings import Findings
from flows.reading.intake import Intake
from flows.storage.store import Connection, rows
from schemas.names import look_alike, shown

_UTF_16_OR_32 = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


@dataclass(frozen=True)
class Table:
    """One file as text.

    relation: name of the temporary table. columns: their names in the file, in order.
    line_of: the physical line (or the sheet's row) of a row number.
    notes: what was let through and is worth knowing, by short name.
    unusable: columns that cannot be used as they are, and why; no problem until somebody needs one.
    """

    relation: str
    columns: tuple[str, ...]
    n_rows: int
    file: str
    format: str
    line_of: Callable[[int], int]
    notes: tuple[str, ...] = ()
    unusable: Mapping[str, Problem] = field(default_factory=dict)

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


def read_table(intake: Intake, con: Connection, *, delimiter: str | None = None, header: bool = True) -> Table:
    """Read a file that was taken in. InputRefused with every problem found, each with its physical line.

    con: a connection that may read the folder of the intake's copy. delimiter: one character; told from the first
    line if None. header: False for delimited files whose first line is data; columns are then named "1", "2" …
    """
    found = Findings(intake.name)
    head = intake.head
    if not head.strip():
        found.add("empty-file", "is empty")
        raise found.refusal()
    if head.startswith(b"PAR1"):
        from flows.reading.parquet_table import parquet_table

        return parquet_table(intake, con)
    if head.startswith(b"PK"):
        return _workbook(intake, con, found, header)
    if _looks_wide(head):
        found.add("not-utf8", "is UTF-16 or UTF-32 text, not UTF-8", line=1)
        raise found.refusal()
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if first == b"{":
        from flows.reading.json_lines import text_table

        return text_table(intake, con)
    if first == b"[" and _is_json(intake):
        found.add("json-array", "is one JSON list, not one object a line", line=1)
        raise found.refusal()
    from flows.reading.delimited import delimited_table

    return delimited_table(intake, con, delimiter=delimiter, header=header)


def _looks_wide(head: bytes) -> bool:
    """Whether this is text in two or four bytes a character: each second byte of ASCII letters is then 0."""
    sample = head[:40]
    return head.startswith(_UTF_16_OR_32) or not any(sample[1::2]) or not any(sample[0::2])


def _workbook(intake: Intake, con: Connection, found: Findings, header: bool) -> Table:
    try:
        with zipfile.ZipFile(intake.path) as archive:
            is_workbook = "xl/workbook.xml" in archive.namelist()
    except zipfile.BadZipFile:
        is_workbook = False
    if not is_workbook:
        found.add("compressed", "is a zip archive and not an Excel workbook")
        raise found.refusal()
    from flows.reading.workbook import workbook_table

    return workbook_table(intake, con, header=header)


def _is_json(intake: Intake) -> bool:
    return intake.name.lower().endswith((".json", ".jsonl", ".ndjson"))


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


def dicts(con: Connection, table: Table) -> list[tuple[int, dict[str, str]]]:
    """A small table as (physical line, cells by column name), in file order."""
    cells = rows(con, f"select * from {table.relation} order by rowid")
    return [(table.line_of(i), dict(zip(table.columns, row, strict=True))) for i, row in enumerate(cells)]


def as_bytes(intake: Intake) -> BytesIO:
    return BytesIO(intake.path.read_bytes())
