"""Reading a file of any kind as a table of text, strictly: exactly the cells that are there, or a refusal.

The kind is told from the bytes; the file's extension only decides between delimiters. Every column is text. The rows
lie in a temporary table with columns c0, c1 …, so no name out of a file ever becomes part of a query; `rowid` is the
row's number from 0, in file order.
"""

from __future__ import annotations

import zipfile

from flows.reading.delimited import delimited_table
from flows.reading.findings import Findings
from flows.reading.intake import Intake, require_plain
from flows.reading.json_lines import text_table
from flows.reading.json_list import list_table
from flows.reading.parquet_table import parquet_table
from flows.reading.text_table import Table, dicts
from flows.reading.workbook import workbook_table
from flows.storage.store import Connection
from schemas.names import shown

__all__ = ["Table", "dicts", "read_table"]

_UTF_16_OR_32 = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


def read_table(
    intake: Intake,
    con: Connection,
    *,
    delimiter: str | None = None,
    header: bool = True,
    faults: Findings | None = None,
) -> Table:
    """Read a file that was taken in. InputRefused with every problem found, each with its physical line.

    con: a connection that may read the folder of the intake's copy. delimiter: one character; told from the first
    line if None. header: False for delimited files whose first line is data; columns are then named "1", "2" …
    faults: takes the lines that are no rows, where the rows around them can be read all the same, for a caller who goes
    on to find what else is wrong and then refuses the file.
    """
    require_plain(intake)
    found = Findings(intake.name)
    head = intake.head
    if not head.strip():
        found.add("empty-file", "is empty")
        raise found.refusal()
    if head.startswith(b"PAR1"):
        return parquet_table(intake, con)
    if head.startswith(b"PK"):
        return _workbook(intake, con, found, header)
    if _looks_wide(head):
        found.add("not-utf8", "is UTF-16 or UTF-32 text, not UTF-8", line=1)
        raise found.refusal()
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if first == b"{":
        return text_table(intake, con, faults)
    if first == b"[" and _is_list(intake):
        return list_table(intake, con)
    return delimited_table(intake, con, delimiter=delimiter, header=header, faults=faults)


def _looks_wide(head: bytes) -> bool:
    """Whether this is text in two or four bytes a character: each second byte of ASCII letters is then 0."""
    sample = head[:40]
    return head.startswith(_UTF_16_OR_32) or not any(sample[1::2]) or not any(sample[0::2])


def _workbook(intake: Intake, con: Connection, found: Findings, header: bool) -> Table:
    try:
        with zipfile.ZipFile(intake.path) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile:
        found.add("compressed", "is a damaged zip archive or Excel workbook", fix="Export it again.")
        raise found.refusal() from None
    if "xl/workbook.xml" not in names:
        inside = ", ".join(shown(name) for name in names[:3]) + (", …" if len(names) > 3 else "")
        found.add("compressed", f"is a zip archive and not an Excel workbook; inside: {inside}")
        raise found.refusal()
    return workbook_table(intake, con, header=header)


def _is_list(intake: Intake) -> bool:
    """Not a table whose first column's name begins with a bracket."""
    inside = intake.head.removeprefix(b"\xef\xbb\xbf").lstrip()[1:].lstrip()[:1]
    return inside == b"{" or intake.name.lower().endswith((".json", ".jsonl", ".ndjson"))
