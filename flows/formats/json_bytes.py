"""JSON read strictly: one meaning or none.

Refused: bytes that are not UTF-8, a key that stands twice in one object, NaN and Infinity, nesting beyond what
Python's parser takes, more bytes than a document may have. Decimal numbers stay the text that was written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from agreement.errors import InputRefused
from flows.reading.findings import Findings, refuse
from schemas.names import shown

LARGEST_DOCUMENT = 512 << 20  # parsed in memory, about 10 times its size


class Written(str):
    """A decimal number as it stood in the file, so that 1.10 stays 1.10."""

    __slots__ = ()


class _DuplicateKey(ValueError):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class _NotFinite(ValueError):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _DuplicateKey(key)
            seen.add(key)
    return found


def _constant(name: str) -> Any:
    raise _NotFinite(name)


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=Written)


def text_of_bytes(data: bytes, file: str) -> str:
    """The file as text; a byte order mark is dropped."""
    if not data.strip():
        raise refuse("empty-file", "holds nothing but white space", file=file)
    if len(data) > LARGEST_DOCUMENT:
        raise refuse("too-large", f"has {len(data)} bytes, more than {LARGEST_DOCUMENT}", file=file)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        kind = "UTF-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else f"not UTF-8 at byte {error.start}"
        line = data.count(b"\n", 0, error.start) + 1
        raise refuse("not-utf8", f"is {kind}", file=file, line=line) from error


def document(data: bytes, file: str) -> Any:
    """The one JSON value of a file."""
    return _parse(text_of_bytes(data, file), file, None)


def inner_document(text: str, file: str) -> Any:
    """JSON that stands as text inside JSON."""
    return _parse(text, file, None)


def lines(data: bytes, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON Lines file with their physical line. All lines that are not one object are refused."""
    refusals = Findings()
    # Not splitlines(): that also cuts at U+2028 and others, which may stand inside a JSON text.
    physical = text_of_bytes(data, file).split("\n")
    while physical and not physical[-1].strip():
        physical.pop()
    for line, text in enumerate(physical, 1):
        if not text.strip():
            refusals.add("blank-line", "is an empty line", file=file, line=line)
            continue
        try:
            record = _parse(text, file, line)
        except InputRefused as error:
            for p in error.problems:
                refusals.add(p.code, p.message, file=file, line=line, value=p.value)
            continue
        if not isinstance(record, dict):
            refusals.add("bad-json", "the line is not an object", file=file, line=line, value=text)
            continue
        if not refusals.problems:
            yield line, record
    refusals.raise_if_any()


def records(data: bytes, file: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Objects of a JSON list, of JSON Lines, or the only one of a document, as (line or 0, path or '', object)."""
    if data[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        for i, record in enumerate(document(data, file)):
            if not isinstance(record, dict):
                raise refuse("bad-json", "an entry of the list is not an object", file=file, column=f"[{i}]")
            yield 0, f"[{i}]", record
    elif _is_one_object(data):
        yield 0, "$", document(data, file)
    else:
        for line, record in lines(data, file):
            yield line, "", record


def _is_one_object(data: bytes) -> bool:
    """Whether an object begins on the first line and does not end there: one document, not JSON Lines."""
    first = data.lstrip(b"\xef\xbb\xbf \t\r\n").split(b"\n", 1)[0].strip()
    return first.startswith(b"{") and (first == b"{" or not first.endswith(b"}"))


def _parse(text: str, file: str, line: int | None) -> Any:
    try:
        return _DECODER.decode(text)
    except _DuplicateKey as error:
        message = f"the key '{shown(error.key)}' stands twice in one object"
        raise refuse("duplicate-key", message, file=file, line=line, value=error.key) from error
    except _NotFinite as error:
        raise refuse("bad-json", f"{error} is not JSON", file=file, line=line) from error
    except json.JSONDecodeError as error:
        where = error.lineno if line is None else line
        raise refuse("bad-json", f"is not JSON here: {error.msg}", file=file, line=where) from error
    except RecursionError as error:
        raise refuse("bad-json", "is nested too deep", file=file, line=line) from error


def as_text(value: Any) -> str:
    """A scalar as it stood in the file; '' for null. Lists and objects as compact JSON."""
    if type(value) is str:
        return value
    if isinstance(value, Written):
        return str(value)
    if value is None:
        return ""
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def at(record: Any, path: str) -> Any:
    """The value under a key, or under a dotted path where no key has that whole name; None if there is none."""
    if isinstance(record, dict) and path in record:
        return record[path]
    for step in path.split("."):
        if not isinstance(record, dict) or step not in record:
            return None
        record = record[step]
    return record
