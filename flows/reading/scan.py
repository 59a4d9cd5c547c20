"""A scanner for delimited text: proves that a file is well formed (RFC 4180), or says where it is not.

Readers repair or skip what they should refuse, so a file with quotation marks, carriage returns or anything else out
of the ordinary passes here first. Whole records are checked with numpy, window by window: outside quotation marks
the number of marks so far is even. A record whose marks are wrong is walked byte by byte, then numpy takes over again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flows.reading.findings import LISTED

LONGEST_RECORD = 2_000_000
_LF, _CR, _QUOTE = 10, 13, 34
_AFTER_AN_ERROR = 64 << 10  # window size after a bad record: errors come in crowds
_CONTROL = np.zeros(256, dtype=bool)
_CONTROL[:32] = True
_CONTROL[[9, _LF, _CR]] = False

Positions = NDArray[np.int64]


@dataclass(frozen=True)
class Fault:
    """One thing wrong. line: physical, from 1. field: which cell, from 0, or None for the whole record."""

    code: str
    message: str
    line: int
    field: int | None
    value: bytes


@dataclass
class Scan:
    """What a file is, record by record (the header is one).

    faults: the first of each code up to the listing limit; counts: all of them, by code.
    long_records, extra_lines: records that span several lines, and by how many more than one.
    """

    n_records: int = 0
    crlf_ends: int = 0
    lf_ends: int = 0
    ends_with_newline: bool = True
    faults: list[Fault] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    long_records: Positions = field(default_factory=lambda: np.zeros(0, np.int64))
    extra_lines: Positions = field(default_factory=lambda: np.zeros(0, np.int64))

    def line_of(self, record: int) -> int:
        """The physical line a record begins on."""
        before = int(np.searchsorted(self.long_records, record))
        return record + 1 + int(self.extra_lines[:before].sum())


def scan(path: Path, delimiter: bytes, n_columns: int, *, skip: int = 0, window: int = 8 << 20) -> Scan:
    """Scan a file whose records should each have `n_columns` cells.

    delimiter: one byte. skip: bytes before the first record (a byte order mark). window: bytes looked at together;
    the result does not depend on it. Memory is bounded by the window and the longest record allowed.
    """
    scanner = _Scanner(delimiter, n_columns)
    with path.open("rb") as handle:
        handle.seek(skip)
        scanner.position = skip
        buffer, at, ended, reach = b"", 0, False, window
        while not scanner.given_up:
            if not ended and len(buffer) - at < reach:
                more = handle.read(window)
                buffer, at, ended = buffer[at:] + more, 0, not more
                continue
            if at == len(buffer):
                break
            view = buffer[at : at + reach]
            is_last = ended and at + len(view) == len(buffer)
            used, broken = scanner.whole_records(view, is_last)
            walked = scanner.broken_record(buffer, at + used, ended) if broken else 0
            at += used + walked
            if broken and walked:
                reach = min(window, _AFTER_AN_ERROR)
            elif broken or not used:  # one record longer than what was looked at
                reach = len(buffer) - at + window
                if len(buffer) - at > LONGEST_RECORD + window:
                    scanner.give_up()
            else:
                reach = min(window, 2 * reach)
    return scanner.finish()


def first_record(head: bytes, delimiter: bytes) -> list[bytes]:
    """The cells of the first record, unquoted. The record must end within `head` or at its end."""
    _, cells, _, _ = _walk(head, 0, delimiter, ended=True)
    return [_unquoted(cell) for cell in cells]


def _unquoted(cell: bytes) -> bytes:
    return cell[1:-1].replace(b'""', b'"') if len(cell) > 1 and cell[:1] == cell[-1:] == b'"' else cell


class _Scanner:
    """Where the scan stands: the next record's number, its line, its position in the file."""

    def __init__(self, delimiter: bytes, n_columns: int) -> None:
        self.delimiter, self.n_columns = delimiter, n_columns
        self.result = Scan()
        self.line, self.position = 1, 0
        self.given_up = False
        self.long_records: list[Positions] = []
        self.extra_lines: list[Positions] = []

    def fault(self, code: str, message: str, line: int, field: int | None, value: bytes) -> None:
        count = self.result.counts.get(code, 0)
        self.result.counts[code] = count + 1
        if count < LISTED:
            self.result.faults.append(Fault(code, message, line, field, value))

    def give_up(self) -> None:
        why = f"a row longer than {LONGEST_RECORD:,} bytes begins here; the rest of the file was not looked at"
        self.fault("too-large", why, self.line, None, b"")
        self.given_up = True

    def finish(self) -> Scan:
        if self.long_records:
            self.result.long_records = np.concatenate(self.long_records)
            self.result.extra_lines = np.concatenate(self.extra_lines)
        self.result.faults.sort(key=lambda f: f.line)
        return self.result

    def whole_records(self, view: bytes, is_last: bool) -> tuple[int, bool]:
        """Check the complete records at the front of `view`; their length, and whether the next one is broken."""
        a = np.frombuffer(view, dtype=np.uint8)
        outside, first_bad = self._outside_quotes(a, is_last)
        line_ends = np.flatnonzero((a == _LF) & outside)
        ends = line_ends[line_ends < first_bad]
        broken = first_bad < len(a)
        if is_last and not broken and (len(ends) == 0 or ends[-1] != len(a) - 1):
            if outside[-1]:
                ends = np.append(ends, len(a))  # the last line has no newline
            else:
                broken = True  # a mark that is never closed
        if len(ends):
            self._check_records(view, a, outside, ends)
        return (min(int(ends[-1]) + 1, len(a)) if len(ends) else 0), broken

    def _outside_quotes(self, a: NDArray[np.uint8], is_last: bool) -> tuple[NDArray[np.bool_], int]:
        """Which bytes are outside quotation marks, and where the first mark stands that may not stand there."""
        is_quote = a == _QUOTE
        if not is_quote.any():
            return np.ones(len(a), dtype=bool), len(a)
        inside = (np.cumsum(is_quote, dtype=np.uint8) & 1).astype(bool)  # wraps at 256, which keeps the parity
        marks = np.flatnonzero(is_quote)
        opening = inside[marks]
        openers, closers = marks[opening], marks[~opening]
        before = a[openers[openers > 0] - 1]
        may_open = np.isin(before, [self.delimiter[0], _LF, _QUOTE])
        after = a[closers[closers < len(a) - 1] + 1]
        may_close = np.isin(after, [self.delimiter[0], _LF, _CR, _QUOTE])
        bad = np.concatenate([openers[openers > 0][~may_open], closers[closers < len(a) - 1][~may_close]])
        return ~inside, int(bad.min()) if len(bad) else len(a)

    def _check_records(self, view: bytes, a: NDArray[np.uint8], outside: NDArray[np.bool_], ends: Positions) -> None:
        used = min(int(ends[-1]) + 1, len(a))
        a, outside = a[:used], outside[:used]
        starts = np.concatenate([[0], ends[:-1] + 1])
        all_line_ends = np.flatnonzero(a == _LF)
        lines = self.line + np.searchsorted(all_line_ends, starts)
        cuts = np.flatnonzero((a == self.delimiter[0]) & outside)
        widths = np.diff(np.searchsorted(cuts, ends), prepend=0) + 1
        crlf = (ends > starts) & (a[np.maximum(ends - 1, 0)] == _CR)
        lengths = ends - starts - crlf

        records = _Records(view, starts, ends, lines, cuts, all_line_ends, self.line)
        has_newline = ends < len(a)
        self._check_shape(records, widths, lengths, has_newline)
        self._check_bytes(records, a)

        result = self.result
        result.crlf_ends += int((crlf & has_newline).sum())
        result.lf_ends += int((~crlf & has_newline).sum())
        result.ends_with_newline = bool(has_newline[-1])
        spans = np.diff(np.searchsorted(all_line_ends, ends), prepend=0)
        spans[1:] -= 1  # the line end of the record before is counted in
        long = np.flatnonzero(spans > 0)
        self.long_records.append(long + result.n_records)
        self.extra_lines.append(spans[long])
        result.n_records += len(ends)
        self.line += len(all_line_ends)
        self.position += used

    def _check_shape(
        self, records: _Records, widths: Positions, lengths: Positions, has_newline: NDArray[np.bool_]
    ) -> None:
        blank = lengths == 0
        for index in self._to_list("blank-line", np.flatnonzero(blank)):
            self.fault("blank-line", "is an empty line", int(records.lines[index]), None, b"")
        ragged = (widths != self.n_columns) & ~blank
        for index in self._to_list("ragged-row", np.flatnonzero(ragged & has_newline)):
            self._ragged(int(widths[index]), int(records.lines[index]), records.text(index))
        for index in np.flatnonzero(ragged & ~has_newline).tolist():  # at most the last
            self._ragged(int(widths[index]), int(records.lines[index]), records.text(index), "truncated")
        for index in np.flatnonzero(lengths > LONGEST_RECORD).tolist():
            size = f"the row has {int(lengths[index]):,} bytes"
            self.fault("too-large", size, int(records.lines[index]), None, records.text(index))

    def _to_list(self, code: str, found: Positions) -> Iterator[int]:
        """Those of the found faults that are still listed; the others are only counted."""
        for n, position in enumerate(found):
            if self.result.counts.get(code, 0) >= LISTED:
                self.result.counts[code] += len(found) - n
                return
            yield int(position)

    def _ragged(self, width: int, line: int, text: bytes, code: str = "ragged-row") -> None:
        self.fault(code, f"has {width} cells, the header has {self.n_columns}", line, None, text)

    def _check_bytes(self, records: _Records, a: NDArray[np.uint8]) -> None:
        returns = np.flatnonzero(a == _CR)
        following = np.append(a, 0)[returns + 1]
        for at in self._to_list("bare-cr", returns[following != _LF]):
            self._byte_fault("bare-cr", "carriage return without a line feed", records, at)
        for at in self._to_list("control-character", np.flatnonzero(_CONTROL[a])):
            self._byte_fault("control-character", f"control character {int(a[at])}", records, at)
        text = records.view[: len(a)]
        if not text.isascii() and (n := _count_bad_utf8(text)):
            listed = self.result.counts.get("not-utf8", 0)
            for at in islice(_bad_utf8(text), max(0, LISTED - listed)):
                self._byte_fault("not-utf8", f"byte {self.position + at:,} of the file is not UTF-8", records, at)
            self.result.counts["not-utf8"] = listed + n

    def _byte_fault(self, code: str, message: str, records: _Records, at: int) -> None:
        line, cell, value = records.place(at)
        self.fault(code, message, line, cell, value)

    def broken_record(self, buffer: bytes, at: int, ended: bool) -> int:
        """Walk the record at `at`, whose quotation marks are wrong; its length, 0 if it is not all there."""
        end, cells, faults, is_whole = _walk(buffer, at, self.delimiter, ended=ended)
        if not is_whole:
            return 0
        text = buffer[at:end]
        for code, message, offset, cell in faults:
            line = self.line + buffer.count(b"\n", at, offset)
            self.fault(code, message, line, cell, cells[cell])
        if len(cells) != self.n_columns and not any(code == "unterminated-quote" for code, *_ in faults):
            self._ragged(len(cells), self.line, text, "ragged-row" if text.endswith(b"\n") else "truncated")
        body = text[:-1] if text.endswith(b"\n") else text
        starts, ends = np.array([0]), np.array([len(body)])
        all_line_ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == _LF)
        cuts = np.cumsum([len(cell) + 1 for cell in cells])[:-1] - 1
        lines = np.array([self.line])
        records = _Records(text, starts, ends, lines, cuts.astype(np.int64), all_line_ends, self.line)
        self._check_bytes(records, np.frombuffer(text, dtype=np.uint8))
        self.result.n_records += 1
        self.line += len(all_line_ends)
        self.position += end - at
        return end - at


@dataclass(frozen=True)
class _Records:
    """The records of a window: where each begins and ends, on which line, where cells are cut."""

    view: bytes
    starts: Positions
    ends: Positions
    lines: Positions
    cuts: Positions
    all_line_ends: Positions
    first_line: int

    def text(self, index: Any) -> bytes:
        return self.view[int(self.starts[index]) : int(self.ends[index])][:400]

    def place(self, at: int) -> tuple[int, int, bytes]:
        """Of one byte: its physical line, which cell of its record it is in, and that cell's text."""
        index = int(np.searchsorted(self.ends, at))
        start, end = int(self.starts[index]), int(self.ends[index])
        cuts = self.cuts[np.searchsorted(self.cuts, start) : np.searchsorted(self.cuts, end)]
        cell = int(np.searchsorted(cuts, at))
        left = int(cuts[cell - 1]) + 1 if cell else start
        right = int(cuts[cell]) if cell < len(cuts) else end
        line = self.first_line + int(np.searchsorted(self.all_line_ends, at))
        return line, cell, self.view[left : min(right, left + 400)]


def _count_bad_utf8(text: bytes) -> int:
    """How many bytes are not UTF-8."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return len(text) - len(text.decode("utf-8", "ignore").encode("utf-8"))
    return 0


def _bad_utf8(text: bytes) -> Iterator[int]:
    """Where bytes stand that are not UTF-8, one after the other."""
    rest, start = memoryview(text), 0
    while start < len(text):
        try:
            str(rest[start:], "utf-8")
            return
        except UnicodeDecodeError as error:
            yield from range(start + error.start, start + error.end)
            start += error.end


_Fault = tuple[str, str, int, int]


def _walk(buffer: bytes, at: int, delimiter: bytes, *, ended: bool) -> tuple[int, list[bytes], list[_Fault], bool]:
    """One record, cell by cell: where it ends, its cells as they stand, its wrong marks, and whether it is complete.

    A mark in a cell that does not begin with one is text; after a closing mark, what follows is text as well: both are
    faults, and the record goes on. ended: the file ends where the buffer does.
    """
    stop = re.compile(b'["\n' + re.escape(delimiter) + b"]")
    cells: list[bytes] = []
    faults: list[_Fault] = []
    i = start = at
    while True:
        if buffer[i : i + 1] == b'"' and i == start:
            i, closed = _closing_mark(buffer, i)
            if not closed:
                if not ended:
                    return at, [], [], False
                cells.append(buffer[start:])
                why = "a quotation mark opens this cell and is never closed"
                return len(buffer), cells, [*faults, ("unterminated-quote", why, start, len(cells) - 1)], True
            if i == len(buffer) and not ended:
                return at, [], [], False
            if buffer[i : i + 1] not in (b"", b"\n", b"\r", delimiter):
                faults.append(("stray-quote", "text after the closing quotation mark", i, len(cells)))
        found = stop.search(buffer, i)
        if found is None:
            if not ended:
                return at, [], [], False
            return len(buffer), [*cells, buffer[start:]], faults, True
        i = found.end()
        if found.group() == b'"':
            if not faults or faults[-1][3] != len(cells):  # once a cell
                why = "a quotation mark inside a cell that does not begin with one"
                faults.append(("stray-quote", why, i - 1, len(cells)))
        elif found.group() == b"\n":
            return i, [*cells, buffer[start : i - 1].removesuffix(b"\r")], faults, True
        else:
            cells.append(buffer[start : i - 1])
            start = i


def _closing_mark(buffer: bytes, opening: int) -> tuple[int, bool]:
    """Just after the mark that closes the cell opened at `opening`; whether there is one."""
    i = opening + 1
    while (i := buffer.find(b'"', i)) >= 0:
        if buffer[i + 1 : i + 2] != b'"':
            return i + 1, True
        i += 2
    return len(buffer), False
