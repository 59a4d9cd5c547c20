"""An Excel workbook's one sheet into a table of text, without trusting what the program made of its cells."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Iterator
from typing import Any

from agreement.errors import Problem
from flows.reading.findings import Findings, column_place
from flows.reading.first_lines import LOOKED_AT, note_titles, rows_above_header
from flows.reading.intake import Intake
from flows.reading.text_table import Table, as_bytes, check_characters, check_names, load_texts
from flows.storage.store import Connection
from schemas.reasons import problem

LARGEST_UNPACKED = 500_000_000  # bytes; a small archive can unpack to anything


def workbook_table(intake: Intake, con: Connection, *, header: bool) -> Table:
    """Read .xlsx. Formulas, error cells, several filled sheets and rows wider than the header are refused.

    Cells the program turned into dates or fractions make their column unusable where text was meant.
    """
    found = Findings(intake.name)
    sheet = list(_only_sheet(intake, found))
    while sheet and all(cell.value is None for cell in sheet[-1]):
        sheet.pop()
    if not sheet:
        found.add("empty-file", "has no filled sheet")
        raise found.refusal()
    names, body = _header(sheet, header, found)
    converted: dict[str, Problem] = {}
    texts = [_row(row, i + 1 + header, names, found, converted) for i, row in enumerate(body)]
    found.raise_if_any()
    relation = load_texts(con, texts, len(names))
    notes = ("converted-cells",) if converted else ()
    table = Table(relation, names, len(texts), intake.name, "Excel", lambda row: row + 1 + header, notes, converted)
    check_characters(con, table, found)
    found.raise_if_any(len(texts))
    return table


def _only_sheet(intake: Intake, found: Findings) -> Iterator[tuple[Any, ...]]:
    """The rows of the one sheet that has any."""
    import openpyxl

    try:
        with zipfile.ZipFile(intake.path) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
        if unpacked > LARGEST_UNPACKED:
            found.add("too-large", f"unpacks to {unpacked:,} bytes")
            raise found.refusal()
        book = openpyxl.load_workbook(as_bytes(intake), read_only=True, data_only=False)
        sheets = []
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # what the file says of its own size is often wrong
            if any(cell.value is not None for row in sheet.iter_rows() for cell in row):
                sheets.append(sheet)
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, OSError, SyntaxError) as error:
        found.add("damaged-workbook", f"cannot be read as an Excel workbook ({type(error).__name__})")
        raise found.refusal() from error
    if len(sheets) > 1:
        titles = ", ".join(sheet.title for sheet in sheets)
        found.add("several-sheets", f"{len(sheets)} sheets hold data", value=titles)
        raise found.refusal()
    return sheets[0].iter_rows() if sheets else iter(())


def _header(
    sheet: list[tuple[Any, ...]], header: bool, found: Findings
) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    width = max((i + 1 for i, cell in enumerate(sheet[0]) if cell.value is not None), default=0)
    if not header:
        return tuple(str(i + 1) for i in range(width)), sheet
    filled = [[cell.value is not None for cell in row] for row in sheet[:LOOKED_AT]]
    widest = max(map(len, filled))
    note_titles(rows_above_header([(widest, sum(row)) for row in filled]), str(sheet[0][0].value or ""), found)
    found.raise_if_any()
    names = tuple("" if cell.value is None else str(cell.value) for cell in sheet[0][:width])
    check_names(names, found, line=1)
    found.raise_if_any()
    return names, sheet[1:]


def _row(
    row: tuple[Any, ...], line: int, names: tuple[str, ...], found: Findings, converted: dict[str, Problem]
) -> list[str]:
    beyond = [i for i, cell in enumerate(row) if i >= len(names) and cell.value is not None]
    if beyond:
        found.add("ragged-row", f"has {beyond[-1] + 1} cells, the header has {len(names)}", line=line)
    if all(cell.value is None for cell in row):
        found.add("blank-line", "is an empty row", line=line)
    texts = []
    for i, name in enumerate(names):
        place = column_place(name, i)
        cell = row[i] if i < len(row) else None
        texts.append("" if cell is None else _text(cell, line, place, name, found, converted))
    return texts


def _text(cell: Any, line: int, place: str, name: str, found: Findings, converted: dict[str, Problem]) -> str:
    value = cell.value
    if value is None:
        return ""
    if cell.data_type == "f":
        found.add("formula-cell", "holds a formula", line=line, column=place, value=str(value))
    elif cell.data_type == "e":
        found.add("error-cell", "holds an error", line=line, column=place, value=str(value))
    elif isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    elif isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    elif isinstance(value, (datetime.datetime, datetime.date, datetime.time, datetime.timedelta, float)):
        text = value.isoformat() if hasattr(value, "isoformat") else str(value)
        kind = "a fraction" if isinstance(value, float) else "a date or time"
        if name not in converted:
            why = f"the spreadsheet program has made {kind} of this cell"
            converted[name] = problem("converted-cell", why, file=found.file, line=line, column=place, value=text)
        return text
    return str(value)
