"""Delimited text (CSV, TSV) into a table: proven well formed by its bytes, then read by DuckDB."""

from __future__ import annotations

import re

from flows.reading.findings import Findings, column_place
from flows.reading.first_lines import check_first_lines
from flows.reading.intake import Census, Intake
from flows.reading.remaining import can_go_on, rows_that_fit
from flows.reading.scan import LONGEST_RECORD, Scan, first_record, scan
from flows.reading.text_table import Table, check_names, new_relation
from flows.storage.store import Connection, StoreError, rows

MOST_COLUMNS = 1000
_DELIMITERS = {b",": "commas", b"\t": "tabs", b";": "semicolons"}
_BOM = b"\xef\xbb\xbf"


def delimited_table(
    intake: Intake, con: Connection, *, delimiter: str | None, header: bool, faults: Findings | None = None
) -> Table:
    """Read CSV or TSV. InputRefused with everything that is wrong with the file's bytes.

    faults: takes lines that are empty or do not have the header's cells, if nothing else is wrong; the other lines
    are then the table.
    """
    found = Findings(intake.name)
    head = intake.head.removeprefix(_BOM)
    skip = len(intake.head) - len(head)
    mark = delimiter.encode() if delimiter else _delimiter(head, intake.name)
    if header:
        check_first_lines(head, mark, () if delimiter else _DELIMITERS, found)
        found.raise_if_any()
    columns = _columns(head, mark, header, found)
    if not found and _is_plain(intake.census, mark, len(columns)):
        table = _load(intake, con, mark, columns, header, None)
        if table is not None and table.n_rows + header == intake.census.line_feeds:
            return table
    result = scan(intake.path, mark, len(columns), skip=skip)
    is_sound_so_far = not found
    _report(result, columns, found)
    if found and faults is not None and is_sound_so_far and can_go_on(intake, result):
        faults.take(found.refusal())
        return rows_that_fit(intake, con, mark, columns, header, result)
    found.raise_if_any()
    table = _load(intake, con, mark, columns, header, result)
    if table is None or table.n_rows + header != result.n_records:
        n_read = "nothing" if table is None else f"{table.n_rows + header} rows"
        found.add("unreadable", f"the scan found {result.n_records} rows, the reader {n_read}")
        raise found.refusal()
    return table


def _delimiter(head: bytes, name: str) -> bytes:
    """The delimiter the first line uses. Where it uses several, the file's extension says which."""
    first_line = re.sub(rb'"(?:[^"]|"")*"', b"", head).split(b"\n", 1)[0]
    used = [mark for mark in _DELIMITERS if mark in first_line]
    if len(used) > 1 and name.lower().endswith((".tsv", ".tab")) and b"\t" in used:
        return b"\t"
    return used[0] if used else b","


def _columns(head: bytes, mark: bytes, header: bool, found: Findings) -> tuple[str, ...]:
    cells = first_record(head, mark)
    if len(cells) > MOST_COLUMNS:
        found.add("too-large", f"has {len(cells):,} columns, at most {MOST_COLUMNS:,} are read", line=1)
        raise found.refusal()
    if not header:
        return tuple(str(i + 1) for i in range(len(cells)))
    try:
        columns = tuple(cell.decode("utf-8") for cell in cells)
    except UnicodeDecodeError:
        at = head.find(next(c for c in cells if not _is_utf8(c)))
        found.add("not-utf8", f"the header is not UTF-8, from byte {at:,}", line=1)
        raise found.refusal() from None
    check_names(columns, found, line=1)
    return columns


def _is_utf8(cell: bytes) -> bool:
    try:
        cell.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _is_plain(census: Census, mark: bytes, n_columns: int) -> bool:
    """Whether the counts alone can prove that each row has exactly the columns.

    With one line feed at the end of each line, nothing quoted and no other line end, DuckDB refuses rows with too few
    delimiters, the total excludes rows with too many, and its number of rows (checked by the caller) blank lines.
    """
    delimiters = getattr(census, _DELIMITERS[mark]) if mark in _DELIMITERS else -1
    return (
        census.last_byte == b"\n"
        and census.quotes == census.carriage_returns == census.controls == 0
        and census.bad_utf8 is None
        and delimiters == (n_columns - 1) * census.line_feeds
    )


def _load(
    intake: Intake, con: Connection, mark: bytes, columns: tuple[str, ...], header: bool, result: Scan | None
) -> Table | None:
    """The file in a temporary table; None if DuckDB will not read it. result: of the scan, if there was one."""
    is_mixed = result is not None and bool(result.crlf_ends) and bool(result.lf_ends)
    relation = new_relation(con, len(columns))
    try:
        con.execute(
            f"""insert into {relation} select * from read_csv($path, header=$header, auto_detect=false,
                  columns=$columns, delim=$delimiter, quote='"', escape='"', strict_mode=$strict,
                  null_padding=false, nullstr=$never, max_line_size=$longest)""",
            {
                "path": str(intake.path),
                "header": header,
                "columns": {f"c{i}": "VARCHAR" for i in range(len(columns))},
                "delimiter": mark.decode(),
                # DuckDB's strict reader refuses a mix of LF and CRLF, which the scan has found harmless.
                "strict": not is_mixed,
                "never": "\x01",  # an empty cell is empty text; this byte cannot occur
                "longest": LONGEST_RECORD,
            },
        )
    except StoreError:
        con.execute(f"drop table {relation}")
        return None
    n_rows = rows(con, f"select count(*) from {relation}")[0][0]

    def line_of(row: int) -> int:
        record = row + header
        return record + 1 if result is None else result.line_of(record)

    kind = "TSV" if mark == b"\t" else "CSV"
    return Table(relation, columns, n_rows, intake.name, kind, line_of, _notes(intake, mark, result))


def _notes(intake: Intake, mark: bytes, result: Scan | None) -> tuple[str, ...]:
    notes = []
    if intake.head.startswith(_BOM):
        notes.append("byte-order-mark")
    if mark not in (b",", b"\t"):
        notes.append(f"delimiter {mark.decode()!r}")
    if result is not None and result.crlf_ends and result.lf_ends:
        notes.append("mixed-line-ends")
    if result is not None and not result.ends_with_newline:
        notes.append("no-final-newline")
    return tuple(notes)


def _report(result: Scan, columns: tuple[str, ...], found: Findings) -> None:
    for fault in result.faults:
        column = None
        if fault.field is not None:
            known = fault.field < len(columns)
            column = column_place(columns[fault.field], fault.field) if known else f"column {fault.field + 1}"
        value = fault.value.decode("utf-8", "backslashreplace")
        found.add(fault.code, fault.message, line=fault.line, column=column, value=value)
    listed = {code: sum(f.code == code for f in result.faults) for code in result.counts}
    for code, n in result.counts.items():
        found.add_unlisted(code, n - listed[code])
