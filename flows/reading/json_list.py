"""One JSON list of flat objects into a table, as pandas writes it (orient="records")."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from flows.reading.findings import refuse
from flows.reading.intake import Intake
from flows.reading.json_lines import text_table
from flows.reading.text_table import Table
from flows.storage.store import Connection

LARGEST_LIST = 512 << 20  # bytes, held in memory
_SPACE = " \t\r\n"
_DECODER = json.JSONDecoder(parse_constant=str)


def list_table(intake: Intake, con: Connection) -> Table:
    """Read a list as the JSON Lines of its entries. InputRefused as for these; for a list that is none to its end."""
    if intake.census.size > LARGEST_LIST:
        raise refuse("too-large", f"is one JSON list of more than {LARGEST_LIST:,} bytes", file=intake.name)
    entries = list(_entries(intake))
    if not entries:
        fix = "Export it again."
        raise refuse("no-rows", "is a JSON list that holds no records", file=intake.name, line=1, fix=fix)
    starts = [line for line, _ in entries]
    if len(set(starts)) == len(starts):
        table = text_table(intake, con, lines=entries)
        return replace(table, format="JSON list", line_of=starts.__getitem__)
    # Records that share a line are told apart by their number.
    table = text_table(intake, con, lines=((n, entry) for n, (_, entry) in enumerate(entries, 1)))
    return replace(table, format="JSON list", paths=[f"[{n}]" for n in range(len(entries))])


def _entries(intake: Intake) -> Iterator[tuple[int, bytes]]:
    """Each entry, on one line, with the physical line it begins on."""
    try:
        text = intake.path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refuse("not-utf8", f"is not UTF-8 at byte {error.start}", file=intake.name) from error
    at, line, counted = _after(text, text.index("[") + 1), 1, 0
    while not text.startswith("]", at):
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            raise _broken(intake, text, at) from error
        line, counted = line + text.count("\n", counted, at), at
        if not isinstance(value, dict):
            message = "an entry of the JSON list is not an object"
            raise refuse("json-array", message, file=intake.name, line=line, value=text[at:end])
        # Inside a text a line's end is written as an escape, so this one is between the parts of the object.
        yield line, text[at:end].replace("\n", " ").encode("utf-8", "surrogatepass")
        at = _after(text, end)
        if text.startswith(",", at):
            at = _after(text, at + 1)
        elif not text.startswith("]", at):
            raise _broken(intake, text, at)
    if text[at + 1 :].strip(_SPACE):
        raise _broken(intake, text, _after(text, at + 1))


def _after(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _broken(intake: Intake, text: str, at: int) -> Exception:
    line = text.count("\n", 0, at) + 1
    message, fix = "the JSON list is not JSON from here on", "Export it again; the list is damaged or cut off."
    return refuse("bad-json", message, file=intake.name, line=line, value=text[at : at + 80], fix=fix)
