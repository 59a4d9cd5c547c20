"""Prodigy JSON Lines (`prodigy db-out`): one line an answer."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from flows.formats.finish import finish
from flows.formats.items import content_hash, item_id_of
from flows.formats.json_bytes import as_text, at, records
from flows.formats.people import one_person
from flows.formats.questions import choose_question
from flows.formats.reading import Format, Reading, ReadOptions, Rows
from flows.formats.sniff import Files, Sniff
from flows.reading.findings import Findings, refuse

_CONTENT = ("text", "html", "image", "audio", "video", "url")
_CAN = frozenset({"content", "annotator", "skipped", "empty", "time"})
_SPAN_VIEWS = re.compile(r"^(ner|pos|dep|spans|relations|image_manual|audio_manual|coref)")
_UNNAMED = re.compile(r"\d{4}-\d{2}-\d{2}_\d{2}-\d{2}-\d{2}$")  # a session without a name is called by its start
Record = Mapping[str, Any]


def recognises(look: Sniff) -> bool:
    keys = look.keys()
    return look.kind in ("jsonl", "json-list") and "_input_hash" in keys and ("answer" in keys or "versions" in keys)


def read(files: Files, options: ReadOptions) -> Reading:
    placed = [(file, *place) for file, data in files.items() for place in records(data, file)]
    first = next(iter(files))
    _check_views([record for *_, record in placed], first)
    choice = any("options" in record or "accept" in record for *_, record in placed)
    questions = set() if choice else {as_text(r.get("label")) for *_, r in placed} - {""}
    spans_only = {"spans"} if not (choice or questions) and any(r.get("spans") for *_, r in placed) else set()
    refusals = Findings()
    question = (
        choose_question(questions, spans_only, options, refusals, first)
        if questions or spans_only
        else options.question
    )
    rows, counts = Rows(), Counter[str]()
    for file, line, path, record in placed:
        if question and questions and as_text(record.get("label")) != question:
            counts["other question"] += 1
            continue
        status, label = _choice(record, options, refusals, file, line, path) if choice else _binary(record)
        counts[f"{status} as {record.get('answer')}"] += 1
        person = as_text(record.get("_annotator_id") or record.get("_session_id")) or one_person(file, options)
        version = content_hash(_content(record, options))
        item = item_id_of(record, options.item_key or "_input_hash", version)
        reason = _reason(record, options) if status == "skipped" else ""
        status = "abstained" if reason else status
        rows.add(item, version, person, status, label, _time(record), "own", file, line, path, reason)
    notes = [*_notes(counts), *_option_notes([record for *_, record in placed]), *_session_notes(rows)]
    if options.item_key is None:
        notes.insert(0, "item id is _input_hash, Prodigy's hash of the input")
    can = FORMAT.can if any(rows.labelled_at) else FORMAT.can - {"time"}
    return finish(
        FORMAT, rows, refusals, options, notes=notes, questions=questions, question=question, can=can
    )  # fmt: skip


def _check_views(records: list[Record], file: str) -> None:
    if any("versions" in record or record.get("_view_id") == "review" for record in records):
        raise refuse("adjudication-file", "is the output of Prodigy's review: decisions, not labels", file=file)
    views = {as_text(record["_view_id"]) for record in records if record.get("_view_id")}
    if len(views) > 1:
        raise refuse("mixed-view-ids", f"mixes interfaces: {', '.join(sorted(views))}", file=file)
    if any(_SPAN_VIEWS.match(view) for view in views):
        raise refuse("span-format", f"marks parts of the input ({', '.join(views)}), no answer for it whole", file=file)


def _binary(record: Record) -> tuple[str, str]:
    """Accept or reject is the answer to "does the label fit?"."""
    answer = as_text(record.get("answer"))
    return ("labelled", answer) if answer in ("accept", "reject") else ("skipped", "")


def _choice(
    record: Record, options: ReadOptions, refusals: Findings, file: str, line: int, path: str
) -> tuple[str, str]:
    """Accept means sent; the answer is in `accept`. Reject means a bad task, ignore means skipped."""
    if record.get("answer") != "accept":
        return "skipped", ""
    chosen = record.get("accept")
    chosen = chosen if isinstance(chosen, list) else [] if chosen is None else [chosen]
    labels = [as_text(option) for option in chosen]
    if len(labels) > 1:
        message = f"{len(labels)} labels in one answer"
        refusals.add(
            "several-labels",
            message,
            file=file,
            line=line or None,
            column=f"{path}.accept".lstrip("."),
            value=", ".join(labels),
        )
    if labels:
        return "labelled", labels[0]
    return ("labelled", options.empty_means) if options.empty_means is not None else ("submitted_empty", "")


def _reason(record: Record, options: ReadOptions) -> str:
    """The reason for abstaining that the project gave to `ignore` or, in choice tasks, to `reject`."""
    return options.abstentions.get(as_text(record.get("answer")), "")


def _content(record: Record, options: ReadOptions) -> Any:
    keys = options.content or tuple(key for key in _CONTENT if key in record)[:1]
    picked = {key: at(record, key) for key in keys}
    return next(iter(picked.values())) if len(picked) == 1 else picked


def _time(record: Record) -> str:
    stamp = record.get("_timestamp")
    if stamp is None:
        return ""
    return datetime.fromtimestamp(float(stamp), UTC).isoformat().replace("+00:00", "Z")


def _notes(counts: Counter[str]) -> Iterator[str]:
    if counts["other question"]:
        yield f"{counts['other question']} answers to other questions are not read"
    if counts["skipped as reject"]:
        yield f"{counts['skipped as reject']} tasks were rejected as bad tasks: counted as skipped, not as a label"


def _option_notes(records: list[Record]) -> Iterator[str]:
    """An option's text can change while its id, which is the label, stays; and one id can have two types."""
    texts: dict[str, set[str]] = defaultdict(set)
    kinds: dict[str, set[str]] = defaultdict(set)
    for record in records:
        for option in record.get("options") or ():
            identity = as_text(option.get("id"))
            texts[identity].add(as_text(option.get("text")))
            kinds[identity].add(type(option.get("id")).__name__)
    for identity in sorted(texts):
        if len(texts[identity]) > 1:
            yield f"option '{identity}' had {len(texts[identity])} texts: {', '.join(sorted(texts[identity])[:3])}"
        if len(kinds[identity]) > 1:
            yield f"option '{identity}' is a number in some rows and a text in others: read as one"


def _session_notes(rows: Rows) -> Iterator[str]:
    unnamed = sorted({name for name in rows.annotator_id if _UNNAMED.search(name)})
    if unnamed:
        yield f"{len(unnamed)} sessions have no name, only a start time; say in `annotators:` whose they are"


FORMAT = Format("prodigy", "Prodigy JSONL (binary and choice)", _CAN, recognises, read)
