"""The fields of a flat file's rows that say which item and which annotator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.formats.columns import Columns
from flows.formats.items import CONTENT_HASH, content_hash, id_candidates, note_no_stable_item_id
from flows.formats.people import one_person
from flows.formats.reading import ReadOptions
from flows.reading.findings import Findings
from schemas.format_map import CanonicalField, FormatMap


@dataclass(frozen=True)
class Job:
    """One reading: how, with which options, and where problems go."""

    how: FormatMap
    options: ReadOptions
    refusals: Findings

    def column(self, field: CanonicalField, question: str | None) -> str | None:
        """The file's column of one of our fields: the person's word before the map's."""
        name = self.options.columns.get(field) or self.how.columns.get(field)
        if field == "item_id" and self.options.item_key not in (None, CONTENT_HASH):
            name = self.options.item_key
        return name.replace("{question}", question or "") if name else None


def note(job: Job, table: Columns, i: int, code: str, message: str, value: str | None = None) -> None:
    line, path = table.at(i)
    job.refusals.add(code, message, file=table.file, line=line or None, column=path or None, value=value)


def field_of(table: Columns, job: Job, field: CanonicalField, question: str | None) -> list[str]:
    """One of our fields, from its column, the first filled of several, or a constant; blank if there is none."""
    n = len(table)
    name = job.column(field, question)
    alternatives = job.how.first_of.get(field, ())
    if name is not None and name in table.values:
        return table.values[name]
    if alternatives:
        there = [table.values[column] for column in alternatives if column in table.values]
        return [next(filter(None, cells), "") for cells in zip(*there, strict=True)] if there else [""] * n
    constant = job.options.constants.get(field) or job.how.constants.get(field)
    if constant is None and field in table.values:
        return table.values[field]  # the file uses our own name
    if constant is None and field == "annotator_id":
        constant = one_person(table.file, job.options)
    return [constant or ""] * n


def item_ids(table: Columns, job: Job, question: str | None) -> list[str]:
    """Item ids. Where the item is a group of columns (`item_prefix`) its id is one of them, or a hash if so named."""
    prefix = job.how.item_prefix
    if job.options.item_key == CONTENT_HASH:
        return _hashes(table, _content_columns(table, job, ()))
    named = job.column("item_id", question) is not None or "item_id" in job.how.first_of
    if prefix is None or named:
        return field_of(table, job, "item_id", question)
    inputs = [name for name in table.values if name.startswith(prefix)]
    rows = [
        dict(zip(inputs, cells, strict=True)) for cells in set(zip(*(table.values[n] for n in inputs), strict=True))
    ]
    keys = id_candidates(rows, frozenset())
    if len(inputs) == 1:
        return table.values[inputs[0]]
    if not job.options.looking:
        note_no_stable_item_id(keys or inputs, job.refusals, table.file)
    return _hashes(table, inputs)


def item_versions(table: Columns, job: Job, items: list[str]) -> list[str]:
    name = job.column("item_version", None)
    if name in table.values:
        return table.values[str(name)]
    key = job.column("item_id", None)
    return _hashes(table, _content_columns(table, job, (key,)))


def _content_columns(table: Columns, job: Job, but: Sequence[str | None]) -> list[str]:
    if job.options.content:
        return [name for name in job.options.content if name in table.values]
    if job.how.content:
        return [name for name in job.how.content if name in table.values]
    prefix = job.how.item_prefix
    return [name for name in table.values if prefix and name.startswith(prefix) and name not in but]


def _hashes(table: Columns, names: Sequence[str]) -> list[str]:
    """A content hash a row; each distinct content is hashed once."""
    if not names:
        return [""] * len(table)
    if len(names) == 1:
        cells = table.values[names[0]]
        known = {cell: content_hash(cell) for cell in set(cells)}
        return [known[cell] for cell in cells]
    keys = list(zip(*(table.values[name] for name in names), strict=True))
    hashes = {key: content_hash(dict(zip(names, key, strict=True))) for key in set(keys)}
    return [hashes[key] for key in keys]
