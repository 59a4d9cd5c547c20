"""What stands at the top of a file where its header should: title lines, a line for spreadsheet programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from flows.reading.findings import Findings

LOOKED_AT = 10  # rows
_QUOTED = re.compile(rb'"(?:[^"]|"")*"')
_FOR_SPREADSHEETS = re.compile(rb'"?sep=.?"?', re.IGNORECASE)

Shape = tuple[int, int]  # of a row: its cells, and how many of them are filled


def check_first_lines(head: bytes, mark: bytes, others: Iterable[bytes], found: Findings) -> None:
    """Note, in one finding, why the first line of delimited text is no header, if that can be told.

    mark: the delimiter the first line uses. others: those that a header below it may use.
    """
    # No line end or delimiter inside quotation marks counts; a NUL stands for each such line end.
    plain = _QUOTED.sub(lambda quoted: b"x" + b"\0" * quoted[0].count(b"\n"), head)
    first = plain.partition(b"\n")[0].removesuffix(b"\r")
    if b"\r" in first:
        found.add("bare-cr", "ends in a carriage return alone, without a line feed", line=1)
    elif _FOR_SPREADSHEETS.fullmatch(head.partition(b"\n")[0].removesuffix(b"\r")):
        why = f"{first.decode('ascii', 'replace')!r} is for spreadsheet programs; the header seems to stand on line 2"
        fix = "Delete the first line: the delimiter is found without it."
        found.add("header-not-first", why, line=1, fix=fix)
    else:
        lines = plain.split(b"\n", LOOKED_AT)[:LOOKED_AT]
        marks = (mark, *others) if _shape(lines[0], mark)[1] < 2 else (mark,)
        above = next(filter(None, (rows_above_header([_shape(line, m) for line in lines]) for m in marks)), 0)
        note_titles(above + b"".join(lines[:above]).count(b"\0"), head.split(b"\n")[0].decode(errors="replace"), found)


def rows_above_header(shapes: Sequence[Shape]) -> int:
    """How many rows of titles and blanks stand above the header; 0 if it is the first row, or if that cannot be told.

    A title fills one cell, or fewer than half of the header's. Of two columns nobody can tell.
    """
    for at, (width, filled) in enumerate(shapes[:-1]):
        if at and width > 2 and shapes[at + 1][0] == width and not _is_title(filled, width):
            return at if all(_is_title(n, width) for _, n in shapes[:at]) else 0
    return 0


def note_titles(above: int, first: str, found: Findings) -> None:
    if above:
        why = f"is not the header, which seems to stand on line {above + 1}"
        found.add("header-not-first", why, line=1, value=first)


def _is_title(filled: int, width: int) -> bool:
    return filled <= 1 or 2 * filled < width


def _shape(line: bytes, mark: bytes) -> Shape:
    cells = line.split(mark)
    return len(cells), sum(bool(cell.strip()) for cell in cells)
