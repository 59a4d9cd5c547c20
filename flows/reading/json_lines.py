"""JSON Lines into a table: one object a line, every value kept as the text it was written as."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from agreement.errors import Problem
from flows.reading.findings import LISTED, Findings
from flows.reading.intake import Intake
from flows.reading.scan import LONGEST_RECORD
from flows.reading.text_table import Table, check_characters, check_names, new_relation
from flows.storage.store import Connection
from schemas.names import shown
from schemas.reasons import problem

_BATCH = 50_000


# Faults that leave the lines around them as they are.
_OF_ONE_LINE = frozenset({"blank-line", "bad-json", "duplicate-key"})


def text_table(
    intake: Intake, con: Connection, faults: Findings | None = None, lines: Iterable[tuple[int, bytes]] | None = None
) -> Table:
    """Read JSON Lines. Numbers and true/false keep their written form; null and an absent key are empty.

    InputRefused with every line that is not one flat object. Keys that hold lists or objects are unusable columns.
    faults: takes such lines, if nothing else is wrong; the other lines are then the table.
    lines: the objects with their numbers, where they do not stand one on each line of the file.
    """
    reading = _Reading(Findings(intake.name))
    relation = _load(lines or _lines(intake), con, reading, goes_on=faults is not None)
    if faults is not None and _can_go_on(reading):
        faults.take(reading.found.refusal())
        reading.found = Findings(intake.name)
    reading.found.raise_if_any()
    notes = []
    if intake.head.startswith(b"\xef\xbb\xbf"):
        notes.append("byte-order-mark")
    if lines is None and intake.census.last_byte != b"\n":
        notes.append("no-final-newline")
    columns = tuple(reading.columns)
    check_names(columns, reading.found, line=None)
    n_rows = reading.n_rows
    table = Table(relation, columns, n_rows, intake.name, "JSON Lines", reading.line_of, tuple(notes), reading.nested)
    check_characters(con, table, reading.found)
    reading.found.raise_if_any(n_rows)
    return table


@dataclass
class _Reading:
    """What has been seen so far: the keys in the order they appeared, and where a key first held a list or object."""

    found: Findings
    columns: dict[str, None] = field(default_factory=dict)
    nested: dict[str, Problem] = field(default_factory=dict)
    n_rows: int = 0
    left_out: list[int] = field(default_factory=list)  # physical lines that gave no row

    def line_of(self, row: int) -> int:
        line = row + 1
        for left_out in self.left_out:
            line += left_out <= line
        return line


def _can_go_on(reading: _Reading) -> bool:
    """Whether all that is wrong are lines of their own, each of them known."""
    counts = reading.found.counts
    return bool(counts and reading.n_rows) and counts.keys() <= _OF_ONE_LINE and sum(counts.values()) <= LISTED


class _DuplicateKey(ValueError):
    pass


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        raise _DuplicateKey(next(key for key, n in counts.items() if n > 1))
    return made


def _constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


_decoder = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_int=str, parse_float=str, parse_constant=_constant, strict=True
)


def _load(lines: Iterable[tuple[int, bytes]], con: Connection, reading: _Reading, *, goes_on: bool) -> str:
    import pyarrow as pa

    batches = []
    for batch in _batches(lines, reading):
        names = list(dict.fromkeys(key for row in batch for key in row))
        cells = [pa.array([row.get(name, "") for row in batch], pa.string()) for name in names]
        batches.append(pa.table(dict(zip(names, cells, strict=True))))
    relation = new_relation(con, max(1, len(reading.columns)))
    for batch in batches if goes_on or not reading.found else []:
        absent = pa.array([""] * len(batch), pa.string())
        columns = [batch.column(n) if n in batch.column_names else absent for n in reading.columns]
        arrow = pa.table({f"c{i}": column for i, column in enumerate(columns)})
        con.register("json_batch", arrow)
        con.execute(f"insert into {relation} select * from json_batch")
        con.unregister("json_batch")
    return relation


def _lines(intake: Intake) -> Iterator[tuple[int, bytes]]:
    with intake.path.open("rb") as handle:
        for number, raw in enumerate(handle, 1):
            yield number, raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw


def _batches(lines: Iterable[tuple[int, bytes]], reading: _Reading) -> Iterator[list[dict[str, str]]]:
    batch: list[dict[str, str]] = []
    for number, line in lines:
        row = _row(line, number, reading)
        if row is not None:
            batch.append(row)
            reading.n_rows += 1
            reading.columns.update(dict.fromkeys(row))
        elif len(reading.left_out) <= LISTED:
            reading.left_out.append(number)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _row(line: bytes, number: int, reading: _Reading) -> dict[str, str] | None:
    """One line's cells; None, and the reason noted, if it is not one flat object."""
    found = reading.found
    if len(line) > LONGEST_RECORD:
        found.add("too-large", f"the row has {len(line):,} bytes", line=number)
        return None
    try:
        text = line.decode("utf-8")
        value = _decoder.decode(text)
    except UnicodeDecodeError as error:
        found.add("not-utf8", f"byte {error.start + 1} of the line is not UTF-8", line=number)
        return None
    except _DuplicateKey as error:
        found.add("duplicate-key", "the object has this key twice", line=number, column=shown(str(error)))
        return None
    except (ValueError, RecursionError) as error:
        if not line.strip():
            found.add("blank-line", "is an empty line", line=number)
        elif b"\r" in line.strip():
            found.add("bare-cr", "ends in a carriage return alone, without a line feed", line=number)
        else:
            found.add("bad-json", f"is not one JSON object ({_why(error)})", line=number, value=text.strip())
        return None
    if not isinstance(value, dict):
        found.add("bad-json", "is not a JSON object", line=number, value=text.strip())
        return None
    row = {key: _text(key, cell, number, reading) for key, cell in value.items()}
    try:
        "".join([*row, *row.values()]).encode()
    except UnicodeEncodeError:
        found.add("not-utf8", "holds half a character (a lone surrogate)", line=number, value=text.strip())
        return None
    return row


def _text(key: str, cell: Any, number: int, reading: _Reading) -> str:
    if isinstance(cell, str):
        return cell
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    written = json.dumps(cell, ensure_ascii=False)
    if key not in reading.nested:
        reading.nested[key] = problem(
            "nested-value",
            "holds a list or an object",
            file=reading.found.file,
            line=number,
            column=shown(key),
            value=shown(written),
        )
    return written


def _why(error: Exception) -> str:
    return str(error).split(":")[0] if isinstance(error, ValueError) else "nested too deeply"
