"""doccano: one file a member (the name is the file's), or all members merged into one file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from flows.formats.cells import cells_of
from flows.formats.finish import finish
from flows.formats.items import choose_item_key, content_hash, item_id_of
from flows.formats.json_bytes import as_text, at, records
from flows.formats.people import one_person
from flows.formats.reading import Format, Reading, ReadOptions, Rows
from flows.formats.sniff import Files, Sniff
from flows.reading.findings import Findings, refuse

_CAN = frozenset({"content", "annotator"})
_CONTENT = ("text", "data", "filename")
_SPANS = ("entities", "relations")
# Written by doccano, not by the user: database ids, comments, labels.
_NEVER = frozenset({"id", "Comments", "comments", "label", "labels", "annotations", "annotation_approver", *_CONTENT})
Record = Mapping[str, Any]


def recognises(look: Sniff) -> bool:
    if look.kind == "table":
        names = set(look.header)
        return (
            bool(names & {"text", "data"}) and "label" in names and names <= {"id", "text", "data", "label", "Comments"}
        )
    if look.kind == "text":
        return look.head.startswith("__label__")
    if look.kind not in ("json-list", "jsonl"):
        return False
    return any(_is_doccano(record) for record in look.records)


def _is_doccano(record: Record) -> bool:
    if not any(isinstance(record.get(key), str) for key in _CONTENT) or "_input_hash" in record:
        return False
    if any(isinstance(record.get(key), list) for key in ("label", "labels", "entities")):
        return True
    notes = record.get("annotations")
    return isinstance(notes, list) and all(isinstance(note, dict) and "label" in note for note in notes)


def read(files: Files, options: ReadOptions) -> Reading:
    people = _people(files, options)
    placed = [(file, *row) for file, data in files.items() for row in _records(data, file)]
    first = next(iter(files))
    _check_not_spans(placed)
    refusals = Findings()
    # Where the key was named nobody need look for one.
    items = [] if options.item_key else _distinct([record for *_, record in placed], people)
    key = choose_item_key(items, options, refusals, first, _NEVER)
    rows, counts = Rows(), Counter[str]()
    for file, line, path, record in placed:
        version = content_hash(_content(record, options))
        item = item_id_of(record, key, version)
        for person, labels in _answers(record, people[file]):
            labels = _split(labels, options)
            if len(labels) > 1:
                message = f"{len(labels)} labels in one answer"
                refusals.add(
                    "several-labels", message, file=file, line=line or None, column=path or "label",
                    value=", ".join(labels),
                )  # fmt: skip
            status, label = ("labelled", labels[0]) if labels else _nothing(options)
            rows.add(item, version, person, status, label, "", "own", file, line, path)
        counts["approved"] += bool(record.get("annotation_approver"))
    notes = [f"item id is {key}"]
    if counts["approved"]:
        notes.append(f"{counts['approved']} items carry an approver, who may have changed the labels")
    _check_people(rows, files, refusals)
    return finish(FORMAT, rows, refusals, options, notes=notes)


def _people(files: Files, options: ReadOptions) -> dict[str, str]:
    """The member of each file. Several files are a member each, but for `all`, which holds everybody's labels."""
    known = {file: one_person(file, options) for file in files}
    if len(files) == 1:
        return known
    return {file: person or _member(file) for file, person in known.items()}


def _member(file: str) -> str:
    stem = PurePosixPath(file).stem
    return "" if stem == "all" else stem


def _check_people(rows: Rows, files: Files, refusals: Findings) -> None:
    """One message a file whose rows name nobody, not one a row."""
    for file in sorted({file for file, person in zip(rows.file, rows.annotator_id, strict=True) if not person}):
        if PurePosixPath(file).stem == "all":
            message = "holds the labels of all members merged: who said what is lost"
            refusals.add("merged-annotators", message, file=file)
        else:
            refusals.add("no-annotator", "does not say who labelled", file=file)


def _records(data: bytes, file: str) -> Iterator[tuple[int, str, Record]]:
    start = data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"__label__"):
        raise refuse("no-annotator", "is fastText training data: neither items nor annotators have ids", file=file)
    if start.startswith((b"[", b"{")):
        yield from records(data, file)
        return
    table = cells_of(data, file)
    for line, cells in zip(table.lines, table.rows, strict=True):
        yield line, "", dict(zip(table.header, cells, strict=True))


def _check_not_spans(placed: list[tuple[str, int, str, Record]]) -> None:
    for file, line, path, record in placed:
        marks = record.get("label")
        if any(record.get(key) for key in _SPANS) or (
            isinstance(marks, list) and any(isinstance(m, list) for m in marks)
        ):
            message = "marks parts of the text, no answer for a whole item"
            raise refuse("span-format", message, file=file, line=line or None, column=path or None)


def _distinct(items: list[Record], people: Mapping[str, str]) -> list[Record]:
    """Every member's file lists every example: one record for each content."""
    if len(people) == 1:
        return items
    return list({content_hash(next((r[k] for k in _CONTENT if k in r), None)): r for r in items}.values())


def _content(record: Record, options: ReadOptions) -> Any:
    keys = options.content or tuple(key for key in _CONTENT if key in record)[:1]
    picked = {key: at(record, key) for key in keys}
    return next(iter(picked.values())) if len(picked) == 1 else picked


def _answers(record: Record, member: str) -> Iterator[tuple[str, Any]]:
    """(person, labels). Older JSON names the user of each label by number."""
    notes = record.get("annotations")
    if not isinstance(notes, list):
        yield member, record.get("label", record.get("labels"))
        return
    by_user: dict[str, list[str]] = {}
    for note in notes:
        by_user.setdefault(as_text(note.get("user")) or member, []).append(as_text(note.get("label")))
    yield from by_user.items()


def _split(labels: Any, options: ReadOptions) -> list[str]:
    """CSV joins several labels as A#B; a declared label may itself hold a '#'."""
    if isinstance(labels, list):
        return [as_text(label) for label in labels]
    text = as_text(labels)
    if not text or text in options.categories:
        return [text] if text else []
    return text.split("#") if "#" in text else [text]


def _nothing(options: ReadOptions) -> tuple[str, str]:
    return ("labelled", options.empty_means) if options.empty_means is not None else ("never_shown", "")


FORMAT = Format(
    "doccano", "doccano, a file a member", _CAN, recognises, read,
    also=("an example never opened looks like one where nothing was chosen: both count as never shown",),
)  # fmt: skip
