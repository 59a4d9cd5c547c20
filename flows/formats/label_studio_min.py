"""Label Studio JSON-MIN and CSV: one row an annotation, the task's data and the answers side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from flows.formats.cells import cells_of
from flows.formats.finish import finish
from flows.formats.items import CONTENT_HASH, choose_item_key, content_hash, item_id_of, shown_content
from flows.formats.json_bytes import as_text, inner_document, records
from flows.formats.questions import choose_question
from flows.formats.reading import Format, Reading, ReadOptions, Rows
from flows.formats.sniff import Files, Sniff
from flows.reading.findings import Findings, refuse

# What Label Studio itself writes; a data key or a control of such a name is lost.
_OWN_COLUMNS = frozenset({
    "id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement", "history",
})  # fmt: skip
_CAN = frozenset({"content", "annotator", "empty", "time"})
_MARKS = frozenset({"annotation_id", "annotator", "lead_time"})
Record = Mapping[str, Any]


def recognises(look: Sniff) -> bool:
    if look.kind == "table":
        return set(look.header) >= _MARKS
    keys = look.keys()
    return look.kind == "json-list" and keys >= _MARKS and "data" not in keys


def read(files: Files, options: ReadOptions) -> Reading:
    placed = [row for file, data in files.items() for row in _records(data, file)]
    file = next(iter(files))
    rows = [record for _, _, _, record in placed]
    refusals = Findings()
    question = _question(rows, options, refusals, file)
    of_task = {as_text(record.get("id")): record for record in rows}
    tasks = {number: _data(record, question) for number, record in of_task.items()}
    options = _without_guessing(options, tasks, question)
    key = _renamed(choose_item_key(list(tasks.values()), options, refusals, file, _OWN_COLUMNS), rows)
    refusals.raise_if_any()
    if question in (key, *options.content):
        message = f"the answer '{question}' has the name of one of the item's own keys and has overwritten it"
        raise refuse("control-overwrites-data", message, file=file)
    out, counts = Rows(), Counter[str]()
    for file, line, path, record in placed:
        person = as_text(record.get("annotator"))
        if not person:
            counts["never annotated"] += 1
            continue
        version = content_hash(shown_content(record, key, options)) if options.content else ""
        item = item_id_of(record, key, version)
        value = record.get(question or "")
        if type(value) is str and value and value[0] != "{":  # one choice, as nearly always
            status, label = "labelled", value
        else:
            status, label = _answer(value, options, refusals, (file, line, path))
        out.add(item, version, person, status, label, as_text(record.get("created_at")), "own", file, line, path)
    notes = [f"item id is the column {key}"]
    if counts["never annotated"]:
        notes.append(f"{counts['never annotated']} rows have no annotator: never annotated")
    loss = [] if options.content else ["the item's content is not named, so another version cannot be noticed"]
    return finish(FORMAT, out, refusals, options, notes=notes, loss=loss, questions=[question or ""], question=question)


def _records(data: bytes, file: str) -> Iterable[tuple[str, int, str, Record]]:
    if data[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        return ((file, line, path, record) for line, path, record in records(data, file))
    table = cells_of(data, file)
    return (
        (file, line, "", dict(zip(table.header, cells, strict=True)))
        for line, cells in zip(table.lines, table.rows, strict=True)
    )


def _question(rows: list[Record], options: ReadOptions, refusals: Findings, file: str) -> str | None:
    """Data keys and answers stand side by side, so the answer must be named unless one column is left over."""
    if options.question is not None and any(options.question in record for record in rows):
        return options.question
    taken = {*_OWN_COLUMNS, options.item_key, *options.content}
    columns = {key for record in rows for key in record if key not in taken and not key.startswith("_data_")}
    if options.question is None and len(columns) > 1:
        names = ", ".join(sorted(columns))
        message = f"data and answers stand side by side; the question is one of: {names}"
        refusals.add("several-questions", message, file=file)
        return None
    return choose_question(columns, (), options, refusals, file)


def _data(record: Record, question: str | None) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key not in _OWN_COLUMNS and key != question}


def _without_guessing(options: ReadOptions, tasks: Mapping[str, Record], question: str | None) -> ReadOptions:
    """Content may be hashed only where it is named, or where one column is left that must be it."""
    if options.content:
        return options
    keys: set[str] = set().union(*tasks.values())
    left = keys - {options.item_key, question}
    if len(left) == 1:
        return replace(options, content=tuple(left))
    return options


def _renamed(key: str, rows: list[Record]) -> str:
    """Newer CSV exports call a data column that has a control's name `_data_<name>`."""
    renamed = f"_data_{key}"
    return renamed if key != CONTENT_HASH and any(renamed in record for record in rows) else key


def _answer(value: Any, options: ReadOptions, refusals: Findings, place: tuple[str, int, str]) -> tuple[str, str]:
    choices = _choices(value, place[0])
    if len(choices) > 1:
        file, line, path = place
        message = f"{len(choices)} labels in one answer"
        refusals.add(
            "several-labels", message, file=file, line=line or None, column=path or None, value=", ".join(choices)
        )
    if choices:
        return "labelled", choices[0]
    if options.empty_means is not None:
        return "labelled", options.empty_means
    return "submitted_empty", ""


def _choices(value: Any, file: str) -> list[str]:
    """One choice is a plain text, several are {"choices": [...]}, in CSV as the text of that."""
    if type(value) is str and value and value[0] != "{":
        return [value]
    if isinstance(value, str) and value.startswith('{"choices"'):
        value = inner_document(value, file)
    if isinstance(value, dict):
        value = value.get("choices", [])
    if isinstance(value, list):
        return [as_text(choice) for choice in value]
    return [] if value in (None, "") else [as_text(value)]


FORMAT = Format(
    "label-studio-min", "Label Studio JSON-MIN and CSV", _CAN, recognises, read,
    also=("items that everybody skipped are not in the file at all",),
)  # fmt: skip
