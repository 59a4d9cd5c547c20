"""Delimited text as rows of cells: the standard reader, after a proof that it repairs nothing.

Python's csv reader takes `ye"s` for text and repairs others; so before it reads, every quotation mark is checked to
open a cell, close one, or stand doubled inside one.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import numpy as np

from flows.formats.json_bytes import text_of_bytes
from flows.reading.findings import Findings, refuse

LONGEST_CELL = 2_000_000


@dataclass(frozen=True)
class Cells:
    """header: names of the columns. rows: each as long as the header. lines: the physical line each begins on."""

    header: tuple[str, ...]
    rows: list[list[str]]
    lines: list[int]
    delimiter: str
    n_blank: int = 0
    n_short: int = 0


def cells_of(
    data: bytes,
    file: str,
    *,
    delimiter: str | None = None,
    short_rows: bool = False,
    blank_lines: bool = False,
    unnamed: str | None = None,
    header: bool = True,
) -> Cells:
    """The cells of a delimited file with a header.

    delimiter: found in the first line if not given. short_rows: rows may lack cells at their end, which then are
    empty (Mechanical Turk). blank_lines: lines without any text are left out and counted (Toloka); otherwise they
    are refused. unnamed: the name of a first column that has none. header: False if the first line is a row; columns
    are then called "1", "2" ... InputRefused lists every row that does not fit.
    """
    text = text_of_bytes(data, file)
    delimiter = delimiter or _delimiter_of(text)
    _check_marks(text, delimiter, file)
    refusals = Findings()
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, lines, n_blank, n_short, line = list[list[str]](), list[int](), 0, 0, 1
    try:
        names = _header(next(reader), header, unnamed, file, refusals)
        if not header:
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        width, line = len(names), reader.line_num + 1
        for cells in reader:
            if len(cells) == width:
                rows.append(cells)
                lines.append(line)
            elif blank_lines and not any(cells):
                n_blank += 1
            elif short_rows and 0 < len(cells) < width:
                n_short += 1
                rows.append(cells + [""] * (width - len(cells)))
                lines.append(line)
            elif not cells:
                refusals.add("blank-line", "an empty line among the rows", file=file, line=line)
            else:
                refusals.add("ragged-row", f"{len(cells)} cells, the header has {width}", file=file, line=line)
            line = reader.line_num + 1
    except csv.Error as error:
        raise refuse("too-large", f"cannot be read: {error}", file=file, line=line) from error
    refusals.raise_if_any()
    return Cells(names, rows, lines, delimiter, n_blank, n_short)


def _delimiter_of(text: str) -> str:
    first = text.split("\n", 1)[0]
    return max(("\t", ",", ";"), key=first.count)


def _header(cells: list[str], is_header: bool, unnamed: str | None, file: str, refusals: Findings) -> tuple[str, ...]:
    if not is_header:
        return tuple(str(i + 1) for i in range(len(cells)))
    names = [unnamed or "", *cells[1:]] if cells and not cells[0] else cells
    seen: set[str] = set()
    for name in names:
        if not name.strip():
            refusals.add("blank-column", "a column has no name", file=file, line=1)
        elif name.casefold() in seen:
            refusals.add("duplicate-column", f"two columns are called '{name}'", file=file, line=1, column=name)
        seen.add(name.casefold())
    return tuple(names)


def _check_marks(text: str, delimiter: str, file: str) -> None:
    """Every quotation mark opens a cell, closes one or is doubled inside one; no NUL, no bare carriage return."""
    raw = np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
    if (nul := np.flatnonzero(raw == 0)).size:
        raise refuse("control-character", "a NUL inside the text", file=file, line=_line(raw, nul[0]))
    padded = np.concatenate(([10], raw, [10])).astype(np.uint8)  # a line end before and after
    marks = np.flatnonzero(raw == 34)
    opens, closes = marks[0::2], marks[1::2]
    ends = np.array([ord(delimiter), 10, 13, 34], dtype=np.uint8)
    stray = np.concatenate((opens[~np.isin(padded[opens], ends)], closes[~np.isin(padded[closes + 2], ends)]))
    if stray.size:
        at = int(stray.min())
        raise refuse("stray-quote", "a quotation mark inside a cell", file=file, line=_line(raw, at))
    if marks.size % 2:
        message = "a cell opens with a quotation mark that is never closed"
        raise refuse("unterminated-quote", message, file=file, line=_line(raw, int(marks[-1])))
    returns = np.flatnonzero(raw == 13)
    bare = returns[padded[returns + 2] != 10]
    if bare.size:
        outside = np.searchsorted(marks, bare) % 2 == 0
        if outside.any():
            at = int(bare[outside][0])
            raise refuse("bare-cr", "a carriage return without a line feed", file=file, line=_line(raw, at))


def _line(raw: np.ndarray, at: int) -> int:
    return int(np.count_nonzero(raw[:at] == 10)) + 1
