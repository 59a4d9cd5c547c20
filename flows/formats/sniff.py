"""A first look at files: what kind each is, its first records or its header. Nothing is decided here."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Files = Mapping[str, bytes]  # file name (or relative path) to its bytes, in the order given

_PEEKED = 256 << 10
_RECORDS = 20


@dataclass(frozen=True)
class Sniff:
    """The first file that says anything.

    kind: json-list, json-object, jsonl, table (delimited text), parquet, arrow, workbook, text or nothing.
    records: the first records of JSON; a file of one object is one record. header: cells of a table's first line, or
    the columns of a Parquet file. head: the beginning as text; for Parquet 'huggingface' if that library wrote it.
    """

    names: tuple[str, ...]
    kind: str
    records: tuple[dict[str, Any], ...] = ()
    header: tuple[str, ...] = ()
    head: str = ""

    def keys(self) -> frozenset[str]:
        """All keys of the first records."""
        return frozenset(key for record in self.records for key in record)


def sniff(files: Files) -> Sniff:
    names = tuple(files)
    looks = (_look(names, data) for data in files.values())
    first = None
    for look in looks:
        first = first or look
        if look.records or look.header or look.kind not in ("nothing", "text"):
            return look
    return first or Sniff(names, "nothing")


def _look(names: tuple[str, ...], data: bytes) -> Sniff:
    if data.startswith(b"PAR1"):
        return _parquet(names, data)
    if data.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return Sniff(names, "arrow")
    if data.startswith(b"PK\x03\x04"):
        return Sniff(names, "workbook")
    head = data[:_PEEKED].decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if not head:
        return Sniff(names, "nothing")
    if head.startswith("["):
        return Sniff(names, "json-list", _list_records(head), head=head)
    if head.startswith("{"):
        return _objects(names, head, data)
    return _table(names, head)


def _parquet(names: tuple[str, ...], data: bytes) -> Sniff:
    """Columns; head tells whether the Hugging Face library wrote its features into the file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(io.BytesIO(data))
    except (pa.ArrowException, OSError):
        return Sniff(names, "parquet")
    return Sniff(names, "parquet", header=tuple(schema.names), head="huggingface" if is_hugging_face(schema) else "")


def is_hugging_face(schema: Any) -> bool:
    return b"huggingface" in (schema.metadata or {})


def _list_records(head: str) -> tuple[dict[str, Any], ...]:
    decoder, found, at = json.JSONDecoder(), list[dict[str, Any]](), 1
    while len(found) < _RECORDS:
        at = _skip(head, at, " \t\r\n,")
        try:
            value, at = decoder.raw_decode(head, at)
        except (ValueError, RecursionError):
            break  # the end of the list, or of what was peeked at
        if isinstance(value, dict):
            found.append(value)
    return tuple(found)


def _skip(text: str, at: int, characters: str) -> int:
    while at < len(text) and text[at] in characters:
        at += 1
    return at


def _objects(names: tuple[str, ...], head: str, data: bytes) -> Sniff:
    found = []
    for text in head.split("\n")[:_RECORDS]:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            found.append(value)
    if found:
        return Sniff(names, "jsonl", tuple(found), head=head)
    try:
        value = json.loads(data)  # one object over many lines
    except (ValueError, RecursionError):
        return Sniff(names, "jsonl", head=head)
    return Sniff(names, "json-object", (value,), head=head)


def _table(names: tuple[str, ...], head: str) -> Sniff:
    line = head.split("\n", 1)[0].rstrip("\r")
    delimiter = next((d for d in ("\t", ",", ";") if d in line), None)
    if delimiter is None:
        return Sniff(names, "text", head=head)
    header = tuple(cell.strip('"') for cell in line.split(delimiter))
    return Sniff(names, "table", header=header, head=head)
