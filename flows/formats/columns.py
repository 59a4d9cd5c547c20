"""Any flat file as named columns of text, with the place of each row: what a declarative map is applied to."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from agreement.errors import InputRefused
from flows.formats.cells import cells_of
from flows.formats.json_bytes import as_text, at, document, lines, records
from schemas.format_map import FormatMap


@dataclass(frozen=True)
class Columns:
    """values: column name to its cells as text, '' where there is none. places: physical lines or row numbers from 1.

    place: 'line', or 'row' where the file has no lines.
    """

    file: str
    values: dict[str, list[str]]
    places: list[int]
    place: str = "line"
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.places)

    def at(self, i: int) -> tuple[int, str]:
        """(line or 0, path or '') of row i."""
        return (self.places[i], "") if self.place == "line" else (0, f"{self.place} {self.places[i]}")


def columns_of(data: bytes, file: str, how: FormatMap) -> Columns:
    """Read CSV, TSV, JSON, JSON Lines, Parquet or Excel as columns. InputRefused with every problem."""
    if data.startswith((b"PAR1", b"PK\x03\x04")):
        return _strict_table(data, file, how.header)
    start = data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith((b"{", b"[")):
        return _json(data, file, how)
    return _delimited(data, file, how)


def _delimited(data: bytes, file: str, how: FormatMap) -> Columns:
    table = cells_of(
        data,
        file,
        short_rows=how.short_rows,
        blank_lines=how.blank_lines,
        unnamed=how.unnamed_column,
        header=how.header,
    )
    columns = [list(cells) for cells in zip(*table.rows, strict=True)] or [[] for _ in table.header]
    notes = []
    if table.n_blank:
        notes.append(f"{table.n_blank} blank lines")
    if table.n_short:
        notes.append(f"{table.n_short} rows lack cells at their end")
    return Columns(file, dict(zip(table.header, columns, strict=True)), table.lines, notes=tuple(notes))


def _json(data: bytes, file: str, how: FormatMap) -> Columns:
    """Objects as rows; nested objects become columns with dotted names."""
    enveloped = _enveloped(data, file, how.records) if how.records is not None else None
    if enveloped is not None:
        numbered: list[tuple[int, Any]] = list(enumerate(enveloped, 1))
        place = str(how.records)
    elif data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        numbered = [(i, record) for i, (_, _, record) in enumerate(records(data, file), 1)]
        place = "record"
    else:
        numbered = list(lines(data, file))
        place = "line"
    flat = [_flat(record) for _, record in numbered]
    names = dict.fromkeys(chain.from_iterable(flat))
    values = {name: [as_text(record.get(name)) for record in flat] for name in names}
    return Columns(file, values, [number for number, _ in numbered], place)


def _enveloped(data: bytes, file: str, key: str) -> list[Any] | None:
    """The list under a key of the one object in the file; None for JSON Lines, which has many objects."""
    try:
        found = at(document(data, file), key)
    except InputRefused:  # what is wrong is said when it is read as lines
        return None
    return found if isinstance(found, list) else None


def _flat(record: Any) -> dict[str, Any]:
    if not isinstance(record, dict):
        return {}
    if not any(isinstance(value, dict) for value in record.values()):
        return record
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, dict):
            flat.update({f"{key}.{inner}": v for inner, v in _flat(value).items()})
        else:
            flat[key] = value
    return flat


def _strict_table(data: bytes, file: str, header: bool) -> Columns:
    """Parquet and Excel by the strict table reader, through a folder that is gone afterwards."""
    from flows.reading.intake import take_in
    from flows.reading.tables import read_table
    from flows.storage.objects import Objects
    from flows.storage.store import memory_store, rows

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "file"
        source.write_bytes(data)
        objects = Objects(Path(folder) / "objects")
        with memory_store(objects.folder) as con:
            table = read_table(take_in(source, objects), con, header=header)
            cells: Iterable[tuple[Any, ...]] = rows(con, f"select * from {table.relation} order by rowid")
            columns = [list(map(as_text, column)) for column in zip(*cells, strict=True)]
            places = [table.line_of(i) for i in range(table.n_rows)]
            names = table.columns
            place = "row" if data.startswith(b"PAR1") else "line"
            unusable = tuple(f"column {name}: {why.message}" for name, why in table.unusable.items())
    return Columns(file, dict(zip(names, columns, strict=True)), places, place, unusable)
