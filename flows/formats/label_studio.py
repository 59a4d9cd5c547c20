"""Label Studio JSON: a list of tasks, each with its annotations (before 1.0: completions)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flows.formats.finish import finish
from flows.formats.items import choose_item_key, content_hash, item_id_of, shown_content
from flows.formats.json_bytes import as_text, records
from flows.formats.questions import choose_question
from flows.formats.reading import Format, Reading, ReadOptions, Rows
from flows.formats.sniff import Files, Sniff
from flows.reading.findings import Findings, refuse

# Controls whose value is one of few answers. Everything else marks regions or takes free text.
_ANSWERS = {
    **{kind: kind for kind in ("choices", "rating", "number", "taxonomy")},
    "pairwise": "selected",
}
_FREE_TEXT = {"textarea", "datetime"}
_CAN = frozenset({"content", "annotator", "skipped", "draft", "empty", "time", "copied", "reviewed", "gold"})


def recognises(look: Sniff) -> bool:
    keys = look.keys()
    is_json = look.kind in ("json-list", "jsonl", "json-object")
    return is_json and "data" in keys and bool({"annotations", "completions"} & keys)


@dataclass
class _Seen:
    """What was met on the way and is said at the end."""

    rows: Rows
    refusals: Findings
    options: ReadOptions
    question: str | None
    counts: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class _Task:
    task: Mapping[str, Any]
    data: Mapping[str, Any]
    file: str
    path: str

    def annotations(self) -> list[dict[str, Any]]:
        return list(self.task.get("annotations") or self.task.get("completions") or ())


def read(files: Files, options: ReadOptions) -> Reading:
    tasks = [
        _Task(task, task.get("data") or {}, file, path)
        for file, data in files.items()
        for _, path, task in records(data, file)
    ]
    file = next(iter(files))
    questions, others = _questions(tasks)
    refusals = Findings()
    question = choose_question(questions, others, options, refusals, file)
    key = choose_item_key([t.data for t in tasks], options, refusals, file, never=())
    seen = _Seen(Rows(), refusals, options, question)
    for task in tasks:
        _read_task(task, key, seen)
    return finish(
        FORMAT, seen.rows, seen.refusals, options,
        notes=[f"item id is {key} of the data", *_notes(seen, others)], loss=_loss(tasks, seen),
        questions=questions, question=question,
    )  # fmt: skip


def _questions(tasks: Sequence[_Task]) -> tuple[set[str], set[str]]:
    """Names of controls with one answer an item, and types of all other results."""
    questions, per_region, others = set(), set(), set()
    for task in tasks:
        for annotation in task.annotations():
            results = annotation.get("result") or ()
            regions = {result.get("id") for result in results if result.get("type") not in _ANSWERS}
            for result in results:
                name, kind = as_text(result.get("from_name")), as_text(result.get("type"))
                if kind not in _ANSWERS:
                    others.add(kind)
                elif result.get("id") in regions or "start" in result.get("value", ()):
                    per_region.add(name)  # asked about a marked region, not about the item
                    others.add(kind)
                else:
                    questions.add(name)
    questions -= per_region
    if not questions and others and others <= _FREE_TEXT:
        kinds = ", ".join(sorted(others))
        raise refuse("no-answers", f"holds only free text ({kinds}), which is no label", file=tasks[0].file)
    return questions, others - _FREE_TEXT


def _read_task(task: _Task, key: str, seen: _Seen) -> None:
    version = content_hash(shown_content(task.data, key, seen.options))
    item = item_id_of(task.data, key, version, task.task)
    people = set()
    annotations = task.annotations()
    for i, annotation in enumerate(annotations):
        path = f"{task.path}.annotations[{i}]"
        people.add(_read_annotation(annotation, item, version, task.file, path, seen))
    _reviewers(annotations, people, task, seen)
    # A draft may name its user otherwise than the annotation beside it: the person map tells that they are one.
    known = seen.options.annotators
    answered = {known.get(person, person) for person in people}
    for draft in task.task.get("drafts") or ():
        person = _person(draft.get("user") or draft.get("created_by"))
        if person and known.get(person, person) not in answered:
            when = as_text(draft.get("updated_at") or draft.get("created_at"))
            seen.rows.add(item, version, person, "draft", "", when, "own", task.file, path=f"{task.path}.drafts")
            answered.add(known.get(person, person))
    if not annotations:
        seen.counts["never annotated"] += 1


def _read_annotation(annotation: Mapping[str, Any], item: str, version: str, file: str, path: str, seen: _Seen) -> str:
    person = _person(annotation.get("completed_by")) or seen.options.constants.get("annotator_id", "")
    label, status = "", "submitted_empty"
    results = annotation.get("result") or ()
    if annotation.get("was_cancelled") or annotation.get("skipped"):
        status = "skipped"
        seen.counts["skipped"] += 1
        seen.counts["skipped with an answer"] += bool(results)
    else:
        answers = list(_answers(results, seen.question))
        if len(answers) > 1:
            value = ", ".join(answers)
            seen.refusals.add(
                "several-labels", f"{len(answers)} labels in one answer", file=file, column=path, value=value
            )
        if answers:
            label, status = answers[0], "labelled"
        elif seen.options.empty_means is not None:
            label, status = seen.options.empty_means, "labelled"
    origin = _origin(annotation, results)
    seen.counts["gold"] += origin == "gold"
    made, changed = as_text(annotation.get("created_at")), as_text(annotation.get("updated_at"))
    seen.counts["changed later"] += changed[:16] > made[:16] and bool(made)
    seen.rows.add(item, version, person, status, label, made, origin, file, path=path)
    return person


def _answers(results: Iterable[Mapping[str, Any]], question: str | None) -> Iterator[str]:
    for result in results:
        if result.get("from_name") != question or result.get("type") not in _ANSWERS:
            continue
        value = result.get("value", {}).get(_ANSWERS[result["type"]])
        if result["type"] == "taxonomy":
            yield from ("/".join(as_text(step) for step in chosen) for chosen in value or ())
        elif isinstance(value, list):
            yield from (as_text(choice) for choice in value)
        elif value is not None:
            yield as_text(value)


def _person(who: Any) -> str:
    """An annotator as the file names them: the e-mail of a user object, else the id as text."""
    if isinstance(who, dict):
        return as_text(who.get("email") or who.get("id"))
    return as_text(who)


def _origin(annotation: Mapping[str, Any], results: Iterable[Mapping[str, Any]]) -> str:
    if annotation.get("ground_truth"):
        return "gold"
    if _fixed_by_reviewer(annotation):
        return "reviewer"
    actions = {entry.get("action") for entry in annotation.get("history") or ()}
    if annotation.get("parent_annotation") is not None or "propagated_annotation" in actions:
        return "copied"
    guessed = any(str(result.get("origin", "")).startswith("prediction") for result in results)
    if annotation.get("parent_prediction") is not None or guessed or "prediction" in actions:
        return "prediction"
    return "own"


def _fixed_by_reviewer(annotation: Mapping[str, Any]) -> bool:
    last = annotation.get("last_action")
    if last == "fixed_and_accepted":
        return True
    if any(review.get("fixed_annotation_history") is not None for review in annotation.get("reviews") or ()):
        return True
    if any(entry.get("action") == "fixed_and_accepted" for entry in annotation.get("history") or ()):
        return True
    who, toucher = annotation.get("completed_by"), annotation.get("updated_by")
    who = who.get("id") if isinstance(who, dict) else who
    # Accepting or rejecting leaves the answer alone; any other last touch by somebody else is theirs.
    return None not in (who, toucher) and who != toucher and last not in ("accepted", "rejected")


def _reviewers(annotations: list[dict[str, Any]], people: set[str], task: _Task, seen: _Seen) -> None:
    for i, annotation in enumerate(annotations):
        for review in annotation.get("reviews") or ():
            reviewer = _person(review.get("created_by"))
            if reviewer and reviewer in people and reviewer != _person(annotation.get("completed_by")):
                message = f"'{reviewer}' reviewed another's answer to this item and labelled it too"
                where = f"{task.path}.annotations[{i}].reviews"
                seen.refusals.add("reviewer-as-annotator", message, file=task.file, column=where, value=reviewer)


def _notes(seen: _Seen, others: set[str]) -> Iterator[str]:
    c = seen.counts
    if c["never annotated"]:
        yield f"{c['never annotated']} tasks have no annotation"
    if c["skipped with an answer"]:
        yield f"{c['skipped with an answer']} skipped annotations hold an answer, not used"
    if c["changed later"]:
        yield f"{c['changed later']} answers were changed later; the time is that of the first submission"
    if others:
        yield f"results of other kinds are not read: {', '.join(sorted(others))}"


def _loss(tasks: list[_Task], seen: _Seen) -> Iterator[str]:
    """Snapshots may leave out groups of annotations without saying so; the tasks' own counters can tell."""
    skipped = sum(int(task.task.get("cancelled_annotations") or 0) for task in tasks)
    if skipped > seen.counts["skipped"]:
        yield f"the tasks count {skipped} skips, the file holds {seen.counts['skipped']}: the snapshot left them out"
    elif not seen.counts["skipped"]:
        yield "no skipped annotation in this file: nobody skipped, or the snapshot left them out"
    if not seen.counts["gold"]:
        yield "no gold annotation in this file: there is none, or the snapshot left them out"
    made = sum(int(task.task.get("total_annotations") or 0) for task in tasks)
    here = sum(not (a.get("was_cancelled") or a.get("skipped")) for task in tasks for a in task.annotations())
    if made > here:
        yield f"the tasks count {made} submitted annotations, the file holds {here}"


FORMAT = Format("label-studio", "Label Studio JSON", _CAN, recognises, read)
