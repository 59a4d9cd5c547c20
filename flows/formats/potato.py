"""Potato: one user_state.json a person, in a folder of that person's name; before that, annotated_instances.jsonl."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

from flows.formats.finish import finish
from flows.formats.json_bytes import as_text, document, lines
from flows.formats.people import one_person
from flows.formats.questions import choose_question
from flows.formats.reading import Format, Reading, ReadOptions, Rows
from flows.formats.sniff import Files, Sniff
from flows.reading.findings import Findings, refuse

_CAN = frozenset({"annotator", "empty", "never_shown", "time"})
_ANSWERS = "instance_id_to_label_to_value"
_BEHAVIOUR = "instance_id_to_behavioral_data"
_ORDER = "instance_id_ordering"
_OFF = ("", "false")
_OLD = {"id", "label_annotations"}  # of a line of annotated_instances.jsonl
State = Mapping[str, Any]
Marked = tuple[str, str, str]  # question, label, value


def recognises(look: Sniff) -> bool:
    is_json = look.kind in ("json-object", "jsonl")
    return is_json and any(_ANSWERS in record or record.keys() >= _OLD for record in look.records)


def read(files: Files, options: ReadOptions) -> Reading:
    states = {file: _state(data, file) for file, data in files.items() if not _beside(file)}
    first = next(iter(files))
    questions = {
        question for state in states.values() for item in state[_ANSWERS].values() for question, _, _ in _marks(item)
    }
    rows, refusals = Rows(), Findings()
    question = choose_question(questions, (), options, refusals, first)
    for file, state in states.items():
        person = _person(file, state, options)
        answered = state[_ANSWERS]
        for item, marks in answered.items():
            path = f"{_ANSWERS}.{item}"
            changes = _changes(state, item, question or "")
            chosen = [label for name, label, value in _marks(marks) if name == question and _is_on(value, label)]
            label = _last(chosen, changes, refusals, file, path)
            status = "labelled" if label else "submitted_empty"
            if not label and options.empty_means is not None:
                status, label = "labelled", options.empty_means
            rows.add(item, "", person, status, label, _time(changes, state, item), "own", file, path=path)
        for item in state.get(_ORDER) or ():
            if as_text(item) not in answered:
                rows.add(as_text(item), "", person, "never_shown", "", "", "own", file, path=_ORDER)
    notes = ["item id is the instance id"]
    return finish(FORMAT, rows, refusals, options, notes=notes, questions=questions, question=question)


def _beside(file: str) -> bool:
    """Other files of a Potato folder: decisions of its adjudicators, its own logs."""
    path = PurePosixPath(file)
    if path.name == "decisions.json":
        raise refuse("adjudication-file", "holds adjudicators' decisions, not labels", file=file)
    return path.suffix not in (".json", ".jsonl")


def _state(data: bytes, file: str) -> State:
    if file.endswith(".jsonl"):
        return _old_state(data, file)
    state = document(data, file)
    if not isinstance(state, dict) or not isinstance(state.get(_ANSWERS), dict):
        raise refuse("mixed-formats", "is not a Potato user state", file=file)
    return state


def _old_state(data: bytes, file: str) -> State:
    """annotated_instances.jsonl, a line an item, as the state it became. A mark's value is what was written, so any
    value that is not false counts."""
    answers: dict[str, dict[str, dict[str, str]]] = {}
    for line, record in lines(data, file):
        item, marks = as_text(record.get("id")), record.get("label_annotations")
        if not isinstance(marks, dict):
            raise refuse("mixed-formats", "is not a line of Potato's annotated_instances", file=file, line=line)
        if item in answers:
            raise refuse("ambiguous-answer", "the item stands twice", file=file, line=line, value=item)
        answers[item] = {
            question: {name: "true" for name, value in values.items() if as_text(value).lower() not in _OFF}
            for question, values in marks.items()
        }
    return {_ANSWERS: answers}


def _person(file: str, state: State, options: ReadOptions) -> str:
    folder = PurePosixPath(file).parent.name
    return as_text(state.get("user_id")) or one_person(file, options) or folder


def _marks(item: Any) -> Iterator[Marked]:
    """Answers of one item, as pairs [{schema, name}, value] or as {schema: {name: value}}."""
    if isinstance(item, dict):
        for question, values in item.items():
            yield from ((question, label, as_text(value)) for label, value in values.items())
    else:
        for key, value in item:
            yield as_text(key["schema"]), as_text(key["name"]), as_text(value)


def _is_on(value: str, label: str) -> bool:
    """The label is the name; its value is the text 'true' (also seen: the name again, or 'on')."""
    return value.lower() in ("true", "on", "1") or value == label


def _changes(state: State, item: str, question: str) -> list[tuple[float, str, str]]:
    """(seconds, label, action) of each change of this answer, oldest first."""
    behaviour = (state.get(_BEHAVIOUR) or {}).get(item) or {}
    changes = behaviour.get("annotation_changes") or () if isinstance(behaviour, dict) else ()
    return sorted(
        (float(change["timestamp"]), as_text(change.get("label_name")), as_text(change.get("action")))
        for change in changes
        if change.get("schema_name") == question and change.get("timestamp") is not None
    )


def _last(chosen: list[str], changes: list[tuple[float, str, str]], refusals: Findings, file: str, path: str) -> str:
    """The answer. Versions up to 2.7.1 leave a changed answer's first choice in the file, in the order of first
    touch; only the timed changes tell which was the last."""
    if len(chosen) < 2:
        return chosen[0] if chosen else ""
    selected = [label for _, label, action in changes if action not in ("deselect", "remove", "remove_label")]
    if selected and selected[-1] in chosen:
        return selected[-1]
    message = f"{len(chosen)} labels are marked, and no timed changes say which was the last"
    refusals.add("ambiguous-answer", message, file=file, column=path, value=", ".join(chosen))
    return chosen[0]


def _time(changes: list[tuple[float, str, str]], state: State, item: str) -> str:
    if not changes:
        return ""
    return datetime.fromtimestamp(changes[-1][0], UTC).isoformat().replace("+00:00", "Z")


FORMAT = Format("potato", "Potato user states", _CAN, recognises, read)
