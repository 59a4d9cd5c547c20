"""Labelbox export v2: one line a data row, with the labels of each project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from flows.formats.finish import finish
from flows.formats.items import CONTENT_HASH, content_hash, item_id_of, note_no_stable_item_id
from flows.formats.json_bytes import as_text, at, records
from flows.formats.people import one_person
from flows.formats.questions import choose_question
from flows.formats.reading import Format, Reading, ReadOptions, Rows
from flows.formats.sniff import Files, Sniff
from flows.reading.findings import Findings, refuse
from schemas.names import shown

_CAN = frozenset({"content", "annotator", "skipped", "empty", "time", "gold"})
_OWN_KEYS = ("global_key", "external_id")
Record = Mapping[str, Any]


def recognises(look: Sniff) -> bool:
    return look.kind in ("jsonl", "json-list") and {"data_row", "projects"} <= look.keys()


def read(files: Files, options: ReadOptions) -> Reading:
    placed = [(file, *row) for file, data in files.items() for row in records(data, file)]
    first = next(iter(files))
    project = _project([record for *_, record in placed], options, first)
    labels = [
        (file, line, f"{path}projects.{project}.labels[{i}]", record["data_row"], label)
        for file, line, path, record in placed
        for i, label in enumerate(record["projects"].get(project, {}).get("labels") or ())
    ]
    questions, others = _questions([label for *_, label in labels])
    refusals = Findings()
    question = choose_question(questions, others, options, refusals, first)
    key = _item_key([record["data_row"] for *_, record in placed], options, refusals, first)
    rows, seen = Rows(), _Seen()
    for file, line, path, item, label in labels:
        _read_label(label, item, key, question, options, rows, refusals, seen, (file, line, path))
    notes = [f"item id is data_row.{key}", *seen.notes()]
    return finish(FORMAT, rows, refusals, options, notes=notes, questions=questions, question=question)


class _Seen:
    def __init__(self) -> None:
        self.names: dict[tuple[str, str], None] = {}
        self.counts: Counter[str] = Counter()

    def notes(self) -> Iterator[str]:
        for name, value in self.names:
            yield f"the answer shown as '{shown(name)}' has the value '{shown(value)}': read as shown"
        if self.counts["no time"]:
            yield f"{self.counts['no time']} labels have no time"
        if self.counts["changed later"]:
            yield f"{self.counts['changed later']} labels were changed later; the time is that of the first submission"


def _project(rows: list[Record], options: ReadOptions, file: str) -> str:
    projects = {name: as_text(p.get("name")) for record in rows for name, p in record["projects"].items()}
    chosen = [name for name, title in projects.items() if options.project in (name, title)]
    if options.project is not None and chosen:
        return str(chosen[0])
    if len(projects) != 1:
        names = ", ".join(shown(f"{title} ({name})") for name, title in sorted(projects.items()))
        raise refuse("several-projects", f"holds {len(projects)} projects: {names}", file=file)
    return str(next(iter(projects)))


def _questions(labels: list[Record]) -> tuple[set[str], set[str]]:
    questions, others = set(), set()
    for label in labels:
        annotations = label.get("annotations") or {}
        others |= {"objects"} if annotations.get("objects") else set()
        for answer in annotations.get("classifications") or ():
            if "radio_answer" in answer or "checklist_answers" in answer:
                questions.add(as_text(answer.get("name")))
    return questions, others


def _item_key(items: list[Record], options: ReadOptions, refusals: Findings, file: str) -> str:
    if options.item_key is not None:
        return options.item_key
    own = next((key for key in _OWN_KEYS if all(item.get(key) for item in items)), None)
    if own is not None:
        return own
    if not options.looking:
        note_no_stable_item_id(
            [key for key in (*_OWN_KEYS, "row_data", "id") if any(i.get(key) for i in items)], refusals, file
        )
    return CONTENT_HASH


def _read_label(
    label: Record, item: Record, key: str, question: str | None, options: ReadOptions,
    rows: Rows, refusals: Findings, seen: _Seen, place: tuple[str, int, str],
) -> None:  # fmt: skip
    file, line, path = place
    details = label.get("label_details") or {}
    person = as_text(details.get("created_by")) or one_person(file, options)
    if any(review.get("reviewed_by") == person for review in details.get("reviews") or () if person):
        message = f"'{person}' reviewed this label of their own"
        refusals.add("reviewer-as-annotator", message, file=file, line=line or None, column=path, value=person)
    version = content_hash(at(item, options.content[0]) if len(options.content) == 1 else item.get("row_data"))
    answers = list(_answers(label, question, options, seen))
    if len(answers) > 1:
        message = f"{len(answers)} labels in one answer"
        refusals.add("several-labels", message, file=file, line=line or None, column=path, value=", ".join(answers))
    status, text = ("labelled", answers[0]) if answers else ("submitted_empty", "")
    if not answers and options.empty_means is not None:
        status, text = "labelled", options.empty_means
    if (label.get("performance_details") or {}).get("skipped"):
        status, text = "skipped", ""
    made, changed = as_text(details.get("created_at")), as_text(details.get("content_last_updated_at"))
    seen.counts["no time"] += not made
    seen.counts["changed later"] += bool(made) and changed[:16] > made[:16]
    origin = "gold" if as_text(label.get("label_kind")).lower() in ("benchmark", "gold") else "own"
    rows.add(item_id_of(item, key, version), version, person, status, text, made, origin, file, line, path)


def _answers(label: Record, question: str | None, options: ReadOptions, seen: _Seen) -> Iterator[str]:
    """Answers as shown to the annotator (`name`), or by their `value` where that is the declared label."""
    for answer in (label.get("annotations") or {}).get("classifications") or ():
        if answer.get("name") != question:
            continue
        radio = answer.get("radio_answer")
        for one in [radio] if radio else answer.get("checklist_answers") or ():
            name, value = as_text(one.get("name")), as_text(one.get("value"))
            if name not in options.categories and value in options.categories:
                yield value
                continue
            if name.casefold() != value.casefold():
                seen.names[name, value] = None
            yield name


FORMAT = Format(
    "labelbox", "Labelbox export v2 (NDJSON)", _CAN, recognises, read,
    also=("without label_details (an export option) there is no annotator",),
)  # fmt: skip
