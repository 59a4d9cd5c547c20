"""`redact`: remove an item, or a file that came in, from everything that can be read."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agreement.errors import ConfigError, Problem
from flows import measurement
from flows.record.deviations import Other
from flows.redaction import redacted_objects
from flows.releases.withdraw import withdraw_within
from flows.storage.follows import kept_objects
from flows.storage.ledger import Event
from flows.storage.objects import Objects
from flows.storage.order import require_study
from flows.storage.parquet_object import put_query
from flows.storage.project import Change, Project
from flows.storage.state import RoundState
from flows.storage.store import rows
from schemas.events import DIGEST
from schemas.names import shown, text_fault

# Which objects of an event are tables of ours with items in them, and which are bytes as received.
TABLES = ("frame", "assignments", "canonical", "items")
RECEIVED = ("raw",)
_BINARY = (b"PAR1", b"PK")
_ESCAPES = (b"\\u", b"\\/")  # by which JSON may write an id otherwise


@dataclass(frozen=True)
class Redacted:
    """What `redact` did. n_objects: objects whose bytes are gone. withdrawn: releases that held it.

    whole: files that went with all their rows, as bytes cannot lose one; n_rewritten: tables that lost the rows alone.
    """

    already_done: bool
    event: Event
    n_objects: int
    withdrawn: tuple[str, ...]
    whole: tuple[str, ...]
    n_rewritten: int


def redact(project: Project, target: str, reason: str) -> Redacted:
    """Remove an item (by id), or one file of labels (by name or digest), on request.

    Bytes go, stubs stay; every reader skips the rows; releases that hold the item are withdrawn and their folder goes.
    Rounds that lost labels must be measured again: both verdicts are shown then, and the worse counts. Raises
    ConfigError for a target nobody knows or a missing reason.
    """
    if text_fault(reason) is not None:
        raise ConfigError(
            "redact: no reason", next_step="Say why, with --reason; it is kept for ever.", code="blank-reason"
        )
    with project.changing() as change:
        for event in change.state.redacted:
            if event.payload["target"] == target:
                return _redacted(True, event, project)
        submissions = _submissions(change, target)
        payload = _file(change, submissions) if submissions else _item(change, target)
        withdrawn = _withdraw(change, payload, reason)
        payload |= {"target": target, "reason": reason, "releases": [folder for _, folder in withdrawn]}
        payload["withdrawn"] = [f"{study} {version}" for (study, version), _ in withdrawn]
        del payload["items"]
        event = change.append("redacted", payload)
    with project.changing():  # bytes go, and the database is made anew without the rows
        pass
    return _redacted(False, event, project)


def verdicts_before_redaction(objects: Objects, round_state: RoundState) -> list[Other]:
    """The verdict each removal found standing, if the round had been measured by then."""
    found = []
    for event in round_state.redacted:
        measured = [one for one in round_state.measured if one.seq < event.seq]
        if measured:
            report = measurement.report_of(objects.read(measured[-1].payload["measurement"]))
            found.append(Other(event, _words(event, round_state), report.verdict))
    return found


def _words(event: Event, round_state: RoundState) -> str:
    key = [round_state.study_id, round_state.round_id]
    n = sum(n for *found, n in event.payload["rounds"] if found == key)
    return f"{n:,} label{'' if n == 1 else 's'} removed on request. Why: {event.payload['reason']}."


def _redacted(already_done: bool, event: Event, project: Project) -> Redacted:
    payload = event.payload
    gone = [digest for digest, _, replaced_by in payload["objects"] if not replaced_by]
    n_rewritten = len(payload["objects"]) - len(gone)
    whole = tuple(_in_words(gone, project.events()[: event.seq - 1]))
    return Redacted(already_done, event, len(payload["objects"]), tuple(payload["withdrawn"]), whole, n_rewritten)


def _in_words(digests: Sequence[str], events: Sequence[Event]) -> Iterator[str]:
    """Which files these objects were, by the events that name them; each once."""
    of = {digest: event for event in reversed(events) for digest in event.payload.values() if digest in digests}
    files = {event.seq: shown(event.payload.get("file_name", event.type)) for event in of.values()}
    yield from (f"{name} (event {seq})" for seq, name in sorted(files.items()))
    unnamed = len([digest for digest in digests if digest not in of])
    if unnamed:
        yield f"{unnamed:,} that a round was opened from"


def _submissions(change: Change, target: str) -> list[Event]:
    """Files of labels of this name or digest."""
    found = [
        event
        for round_state in change.state.rounds.values()
        for event in round_state.submissions
        if target in (event.payload["raw"], event.payload["file_name"])
    ]
    if len({event.payload["raw"] for event in found}) > 1:
        # No digest is shown: before its round is closed it would let anyone guess the labels of a short file.
        known = ", ".join(str(event.seq) for event in found)
        raise ConfigError(
            f"redact {shown(target)}: several files of this name came in",
            [
                Problem(
                    "ambiguous-file",
                    f"the name stands for the files of events {known}",
                    "Give the SHA-256 of the one that is meant.",
                    value=target,
                )
            ],
        )
    return found


def _file(change: Change, submissions: list[Event]) -> dict[str, Any]:
    """A file's bytes, and its rows in every round it came into. items: those a figure or a release may rest on."""
    removed, rounds, items = [], [], set[str]()
    for event in submissions:
        rounds.append([event.payload["study_id"], event.payload["round_id"], event.payload["n_rows"]])
        items |= set() if event.payload.get("late") else _items_of(change, event)
        for digest in (event.payload["raw"], event.payload["canonical"]):
            path = change.objects.standing(digest)
            if path is not None and path.name not in kept_objects(change.state):
                removed.append([path.name, path.stat().st_size, ""])
    unique = [list(entry) for entry in dict.fromkeys(tuple(entry) for entry in removed)]
    return {"kind": "file", "objects": unique, "rounds": rounds, "items": items}


def _items_of(change: Change, submission: Event) -> set[str]:
    path = change.objects.standing(submission.payload["canonical"])
    if path is None:
        return set()
    return {item for (item,) in rows(change.con, "select distinct item_id from read_parquet(?)", [str(path)])}


def _item(change: Change, item_id: str) -> dict[str, Any]:
    """An item's rows in every table of ours, and the bytes of every file that may hold it."""
    found = rows(
        change.con,
        """select f.study_id, f.round_id, count(l.item_id) from frame_item f left join raw_label l
             using (study_id, round_id, item_id) where f.item_id = ? group by all order by all""",
        [item_id],
    )
    if not found:
        raise ConfigError(
            f"redact {shown(item_id)}: neither an item nor a file of this project",
            [Problem("unknown-target", "nothing of this name came in", "Check the id or name.", value=shown(item_id))],
        )
    rewritten = list(_rewritten(change, item_id))
    objects = [*rewritten, *_received(change, item_id, {new for _, _, new in rewritten})]
    return {"kind": "item", "objects": objects, "rounds": [list(row) for row in found], "items": {item_id}}


def _rewritten(change: Change, item_id: str) -> Iterator[list[Any]]:
    """Tables that hold the item, each with the object that stands for it without the item's rows."""
    for path in _standing(change, TABLES):
        ((n,),) = rows(change.con, "select count(*) from read_parquet(?) where item_id = ?", [str(path), item_id])
        if n:
            query = "select * from read_parquet($path) where item_id <> $item order by all"
            new = put_query(change.con, change.objects, query, {"path": str(path), "item": item_id})
            yield [path.name, path.stat().st_size, new]


def _received(change: Change, item_id: str, fresh: set[str]) -> Iterator[list[Any]]:
    """Bytes as received, and objects no event names (files a round was opened from): gone if they may hold the item."""
    named = {path.name for path in _standing(change, TABLES)}
    events = change.project.events()
    other = {d for e in events for d in e.payload.values() if isinstance(d, str)} - _digests(events, RECEIVED)
    other |= kept_objects(change.state)
    gone = redacted_objects(events)
    replacements = {replaced_by for _, replaced_by in gone.values()}
    for path in sorted(change.objects.folder.iterdir()):
        if DIGEST.pattern.fullmatch(path.name) is None or path.name in named | other | replacements | fresh:
            continue
        data = path.read_bytes()
        if item_id.encode() in data or data.startswith(_BINARY) or any(escape in data for escape in _ESCAPES):
            yield [path.name, len(data), ""]


def _standing(change: Change, keys: Iterable[str]) -> list[Path]:
    found = (change.objects.standing(digest) for digest in sorted(_digests(change.project.events(), keys)))
    return list(dict.fromkeys(path for path in found if path is not None))


def _digests(events: Iterable[Event], keys: Iterable[str]) -> set[str]:
    return {str(event.payload[key]) for event in events for key in keys if event.payload.get(key)}


def _withdraw(change: Change, payload: dict[str, Any], reason: str) -> list[tuple[tuple[str, str], str]]:
    """Releases made of what is removed, withdrawn: (study, version) and folder."""
    found = []
    lost = {(study_id, round_id) for study_id, round_id, _ in payload["rounds"]}
    for study in change.state.studies.values():
        for event in study.releases:
            labels = change.project.root / event.payload["folder"] / "labels.csv"
            made_of = (*event.payload["rounds"], *event.payload.get("relabelled", ()))
            of_these = lost & {(study.study_id, round_id) for round_id in made_of}
            if of_these and labels.is_file() and _holds(labels, payload["items"]):
                what = "an item was" if payload["kind"] == "item" else "labels were"
                require_study("withdraw", study, change.state)
                withdraw_within(change, study, event, f"{what} removed on request: {reason}")
                found.append(((study.study_id, event.payload["version"]), event.payload["folder"]))
    return found


def _holds(labels: Path, items: set[str]) -> bool:
    with labels.open(encoding="utf-8", newline="") as lines:
        return any(row["item_id"].removeprefix("'") in items for row in csv.DictReader(lines))
