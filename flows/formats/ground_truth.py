"""SageMaker Ground Truth: workers' answers, beside the manifest or inside it.

A manifest alone holds one consolidated label an item: nobody's label, so it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from flows.formats.answers import labels_of
from flows.formats.finish import finish
from flows.formats.items import CONTENT_HASH, content_hash, item_id_of, note_no_stable_item_id
from flows.formats.json_bytes import as_text, document, inner_document, records
from flows.formats.questions import choose_question
from flows.formats.reading import Format, Reading, ReadOptions, Rows
from flows.formats.sniff import Files, Sniff
from flows.reading.findings import Findings, refuse

_CAN = frozenset({"content", "annotator", "empty", "time"})
_SOURCES = ("source-ref", "source")
_IN_LINE = "annotationsFromAllWorkers"
_REF = "worker-response-ref"
Record = Mapping[str, Any]


def recognises(look: Sniff) -> bool:
    return any(
        (any(key in record for key in _SOURCES) and any(key.endswith("-metadata") for key in record))
        or _answers_in(record) is not None
        for record in look.records
    )  # fmt: skip


def read(files: Files, options: ReadOptions) -> Reading:
    manifest, responses = _split(files)
    first = next(iter(files))
    items = list(manifest) if manifest else [(file, 0, "", {}, answers) for file, answers in responses.items()]
    placed = list(_answers(items, responses))
    machine = sum(_machine_labelled(record) for _, _, _, record, _ in items)
    if not placed:
        why = "a custom post-annotation function leaves them out" if manifest else "the file is empty"
        message = f"holds only consolidated labels: whose answers they rest on is not in it ({why})"
        raise refuse("consolidated-label", message, file=first)
    questions = {name for *_, content in placed for name in content}
    spans = {name for *_, content in placed for name, value in content.items() if _marks_regions(value)}
    rows, refusals = Rows(), Findings()
    question = choose_question(questions - spans, spans, options, refusals, first)
    key = _item_key([record for _, _, _, record, _ in items], options, refusals, first)
    for file, line, path, record, answer, content in placed:
        status, label = _label(content.get(question or ""), options, refusals, (file, line, path))
        version = content_hash(record.get("source"))
        item = file if key == "file" else item_id_of(record, key, version)
        when = as_text(answer.get("submissionTime"))
        rows.add(item, version, as_text(answer.get("workerId")), status, label, when, "own", file, line, path)
    notes = []
    if manifest and options.item_key is None:
        notes.append("item id is source-ref, an address: a moved bucket changes every id")
    if machine:
        notes.append(f"{machine} items were labelled by machine, not read")
    can = FORMAT.can if any(rows.labelled_at) else FORMAT.can - {"time"}
    can = can if any(rows.item_version) else can - {"content"}
    return finish(FORMAT, rows, refusals, options, notes=notes, questions=questions, question=question, can=can)


Placed = tuple[str, int, str, Record, Any]  # file, line, path, manifest line, its answers (None: look them up)


def _split(files: Files) -> tuple[list[Placed], dict[str, list[Record]]]:
    """Manifest lines, and workers' answers by the name of the file they are in."""
    manifest: list[Placed] = []
    responses: dict[str, list[Record]] = {}
    for file, data in files.items():
        for line, path, record in _records(data, file):
            if "answers" in record and not any(key in record for key in _SOURCES):
                responses[file.removeprefix("./")] = list(record["answers"])
            else:
                manifest.append((file, line, path, record, _answers_in(record)))
    return manifest, responses


def _records(data: bytes, file: str) -> Iterator[tuple[int, str, Record]]:
    """A manifest is JSON lines; one worker-response file is one object over several lines."""
    lines = data.strip().split(b"\n", 2)
    if data.lstrip().startswith(b"{") and len(lines) > 1 and not lines[0].rstrip().endswith(b"}"):
        yield 0, "", document(data, file)
    else:
        yield from records(data, file)


def _answers_in(record: Record) -> list[Record] | None:
    """Workers' answers inside a record: its own, or those a function wrote under the job's name."""
    for holder in (record, *(value for value in record.values() if isinstance(value, dict))):
        if isinstance(holder.get(_IN_LINE), list):
            return list(holder[_IN_LINE])
    answers = record.get("answers")
    if isinstance(answers, list) and any("workerId" in answer for answer in answers if isinstance(answer, dict)):
        return list(answers)
    return None


def _answers(
    items: list[Placed], responses: Mapping[str, list[Record]]
) -> Iterator[tuple[str, int, str, Record, Record, dict[str, Any]]]:
    for file, line, path, record, here in items:
        source, answers = (file, here) if here is not None else _referred(record, responses)
        inside = line if source == file else 0
        for i, answer in enumerate(answers):
            where = f"{path}answers[{i}]" if source != file or not line else ""
            yield source, inside, where, record, answer, _content(answer, source)


def _referred(record: Record, responses: Mapping[str, list[Record]]) -> tuple[str, list[Record]]:
    """The worker-response file a manifest line points to: the longest end of its address that was given."""
    for holder in (record, *(value for value in record.values() if isinstance(value, dict))):
        ref = as_text(holder.get(_REF))
        steps = ref.split("/")
        ends = ("/".join(steps[i:]) for i in range(len(steps)))
        if ref and (name := next((end for end in ends if end in responses), None)):
            return name, responses[name]
    return "", []


def _content(answer: Record, file: str) -> dict[str, Any]:
    """{question: answer}; sometimes JSON as text inside the JSON."""
    content = answer.get("answerContent", answer.get("annotationData"))
    if isinstance(content, dict) and isinstance(content.get("content"), str):
        content = content["content"]
    if isinstance(content, str):
        content = inner_document(content, file)
    return content if isinstance(content, dict) else {}


def _marks_regions(value: Any) -> bool:
    return isinstance(value, dict) and any(
        key in value for key in ("boundingBoxes", "polygons", "polylines", "keypoints", "labeledImage", "entities")
    )


def _label(value: Any, options: ReadOptions, refusals: Findings, place: tuple[str, int, str]) -> tuple[str, str]:
    labels = labels_of(value)
    if len(labels) > 1:
        file, line, path = place
        refusals.add(
            "several-labels", f"{len(labels)} labels in one answer", file=file, line=line or None,
            column=path or None, value=", ".join(labels),
        )  # fmt: skip
    if labels:
        return "labelled", labels[0]
    return ("labelled", options.empty_means) if options.empty_means is not None else ("submitted_empty", "")


def _item_key(items: list[Record], options: ReadOptions, refusals: Findings, file: str) -> str:
    """The address of the object, or what was named; a text in the manifest has no id of its own."""
    if options.item_key is not None:
        return options.item_key
    if all("source-ref" in record for record in items):
        return "source-ref"
    fallback = CONTENT_HASH if any("source" in record for record in items) else "file"
    if not options.looking:
        own = [key for record in items[:1] for key, value in record.items() if isinstance(value, str)]
        note_no_stable_item_id([key for key in own if key not in _SOURCES] or [fallback], refusals, file)
    return fallback


def _machine_labelled(record: Record) -> bool:
    for name, meta in record.items():
        if name.endswith("-metadata") and isinstance(meta, dict):
            return as_text(meta.get("human-annotated", meta.get("human_annotated"))) == "no"
    return False


FORMAT = Format(
    "ground-truth", "SageMaker Ground Truth worker answers", _CAN, recognises, read,
    also=("the manifest's own labels are consolidated and are not read",),
)  # fmt: skip
