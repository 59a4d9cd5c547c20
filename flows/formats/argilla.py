"""Argilla records: flattened 2.x (JSON, JSON Lines, Parquet), nested 2.x, and 1.x."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from flows.formats.finish import finish
from flows.formats.items import CONTENT_HASH, content_hash, item_id_of, note_no_stable_item_id, shown_content
from flows.formats.json_bytes import as_text, records
from flows.formats.questions import choose_question
from flows.formats.reading import Format, Reading, ReadOptions, Rows
from flows.formats.sniff import Files, Sniff
from flows.reading.findings import Findings

_CAN = frozenset({"content", "annotator", "skipped", "draft"})
_ANSWERS = ".responses"
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_STATUS = {"submitted": "labelled", "discarded": "skipped", "draft": "draft"}
Record = Mapping[str, Any]
Answer = tuple[Any, Any, Any]  # value, user, status


def recognises(look: Sniff) -> bool:
    if look.kind == "parquet":
        return any(_is_argilla_parquet(name) for name in look.header)
    if look.kind not in ("json-list", "jsonl", "json-object"):
        return False
    return any(_shape(record) is not None for record in look.records)


def _is_argilla_parquet(column: str) -> bool:
    return column.endswith((".responses", ".responses.users"))


def _shape(record: Record) -> str | None:
    if any(key.endswith(_ANSWERS) for key in record):
        return "flat"
    responses = record.get("responses")
    if isinstance(responses, dict) and ("fields" in record or "_server_id" in record):
        return "nested"
    if isinstance(responses, list) and "fields" in record:
        return "old"
    if any(_is_answer_column(value) for value in record.values()):
        return "pushed"
    return None


def _is_answer_column(value: Any) -> bool:
    """1.x records as pushed to a hub: a column a question, of {user_id, value, status} or of lists of these."""
    one = value[0] if isinstance(value, list) and value else value
    return isinstance(one, dict) and {"user_id", "value", "status"} <= one.keys()


def read(files: Files, options: ReadOptions) -> Reading:
    placed = [(file, *row) for file, data in files.items() for row in _records(data, file)]
    first = next(iter(files))
    items = [record for *_, record in placed]
    questions = _questions(items)
    refusals = Findings()
    question = choose_question(questions, (), options, refusals, first)
    key = _item_key(items, options, refusals, first)
    rows, own, counts = Rows(), list[tuple[str, str, str, str, str, str, int, str]](), Counter[str]()
    names = _Names(question or "")
    for file, line, path, record in placed:
        answers = _answers(record, names, refusals, file, line, path)
        if not answers:
            continue
        version = content_hash(_content(record, key, options))
        item = item_id_of(record, key, version)
        counts["suggested"] += _suggestion(record, names) is not None
        for value, user, status in answers:
            if status == "submitted" and type(value) is str and value:
                label, found = value, "labelled"  # nearly all of them
            else:
                label, found = _read_value(value, status, options, refusals, file, line, path)
            own.append((item, version, as_text(user), found, label, file, line, path))
    rows.add_own(own)
    notes = [f"item id is {key}"]
    if counts["suggested"]:
        notes.append(f"{counts['suggested']} answered records showed a suggestion: whether it was taken is unknown")
    can = FORMAT.can if any(rows.item_version) else FORMAT.can - {"content"}
    return finish(FORMAT, rows, refusals, options, notes=notes, questions=questions, question=question, can=can)


class _Names:
    """The keys of one question in a flattened record."""

    def __init__(self, question: str) -> None:
        self.question = question
        self.values = question + _ANSWERS
        self.users, self.statuses = f"{self.values}.users", f"{self.values}.status"
        self.suggestion = f"{question}.suggestion"


def _records(data: bytes, file: str) -> Iterator[tuple[int, str, Record]]:
    if data.startswith(b"PAR1"):
        from flows.formats.arrow import records_of_parquet

        for i, record in enumerate(records_of_parquet(data, file)):
            yield 0, f"row {i + 1}", record
    else:
        yield from records(data, file)


def _questions(items: list[Record]) -> set[str]:
    """All questions that are answered, or could be: flattened records have a key for each."""
    found = {key.removesuffix(_ANSWERS) for keys in {tuple(r) for r in items} for key in keys if key.endswith(_ANSWERS)}
    if found:
        return found
    for record in items:
        responses = record.get("responses")
        if responses is None:
            found.update(key for key, value in record.items() if _is_answer_column(value))
        elif isinstance(responses, dict):
            found.update(responses)
        else:
            found.update(question for response in responses for question in response.get("values") or ())
    return found


def _item_key(items: list[Record], options: ReadOptions, refusals: Findings, file: str) -> str:
    """Argilla's `id` is the user's own if they gave one, else a UUID made up at upload."""
    if options.item_key is not None:
        return options.item_key
    if items and all(record.get("external_id") for record in items):
        return "external_id"
    ids = [as_text(record.get("id")) for record in items]
    if all(ids) and not all(_UUID.fullmatch(text) for text in ids):
        return "id"
    if options.looking:
        return CONTENT_HASH if any("fields" in r or "text" in r for r in items) else "id"
    note_no_stable_item_id([key for key in (items[0] if items else {}) if "." not in key], refusals, file)
    return "id"


def _content(record: Record, key: str, options: ReadOptions) -> Any:
    """Fields, where the file keeps them apart from metadata; in flattened records only what is named, or `text`."""
    fields = record.get("fields")
    if isinstance(fields, dict):
        return shown_content(fields, key, options)
    if options.content:
        return shown_content(record, key, options)
    return record.get("text")


def _answers(record: Record, names: _Names, refusals: Findings, file: str, line: int, path: str) -> list[Answer]:
    """(value, user, status) of each answer in a record."""
    question, nested = names.question, record.get("responses")
    if isinstance(nested, list):  # 1.x
        return [
            (response.get("values", {}).get(question, {}).get("value"), response.get("user_id"), response.get("status"))
            for response in nested
            if question in (response.get("values") or {}) or response.get("status") == "discarded"
        ]
    if isinstance(nested, dict):
        given = nested.get(question) or ()
        return [(one.get("value"), one.get("user_id"), one.get("status", "submitted")) for one in given]
    pushed = record.get(question)
    if isinstance(pushed, dict):
        lists = (pushed.get("value") or (), pushed.get("user_id") or (), pushed.get("status") or ())
        return list(zip(*lists, strict=True))
    if isinstance(pushed, list):
        return [(one.get("value"), one.get("user_id"), one.get("status")) for one in pushed]
    values = record.get(names.values) or ()
    users = record.get(names.users) or ()
    statuses = record.get(names.statuses) or ()
    if len(users) != len(values) or len(statuses) != len(values):
        message = f"{len(values)} answers, {len(users)} users, {len(statuses)} statuses"
        code = "uneven-lists" if users else "no-annotator"
        refusals.add(code, message, file=file, line=line or None, column=path or names.values)
        return []
    return list(zip(values, users, statuses, strict=True))


def _read_value(
    value: Any, status: Any, options: ReadOptions, refusals: Findings, file: str, line: int, path: str
) -> tuple[str, str]:
    found = _STATUS.get(as_text(status))
    if found is None:
        message = f"the status '{status}' is not draft, submitted or discarded"
        refusals.add("undeclared-value", message, file=file, line=line or None, column=path or None)
        return "", "draft"
    if found != "labelled":
        return "", found
    labels = [as_text(one) for one in value] if isinstance(value, list | tuple) else [as_text(value)]
    if labels and isinstance(value, dict | list) and any(isinstance(one, dict) for one in value):
        refusals.add(
            "span-format", "marks parts of the text, or ranks", file=file, line=line or None, column=path or None
        )
        return "", "draft"
    labels = [label for label in labels if label]
    if len(labels) > 1:
        message = f"{len(labels)} labels in one answer"
        refusals.add(
            "several-labels", message, file=file, line=line or None, column=path or None, value=", ".join(labels)
        )
    if labels:
        return labels[0], "labelled"
    return (options.empty_means, "labelled") if options.empty_means is not None else ("", "submitted_empty")


def _suggestion(record: Record, names: _Names) -> Any:
    given = record.get("suggestions")
    return given.get(names.question) if isinstance(given, dict) else record.get(names.suggestion)


FORMAT = Format(
    "argilla", "Argilla records (2.x and 1.x)", _CAN, recognises, read,
    also=("an answer discarded with nothing filled in is not in the file",),
)  # fmt: skip
