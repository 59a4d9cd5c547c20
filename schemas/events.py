"""What each event of the ledger holds: one table, and one walker that says where an event does not fit it.

A ledger may be handed over with hashes made anew, so nothing in it is believed for its hash alone: whoever reads a
project's ledger has every event walked before anything is done with it, and whoever writes one too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from schemas.names import PERSON_PATTERN, SLUG_PATTERN, VERSION_PATTERN, shown


@dataclass(frozen=True)
class Text:
    """A text all of which matches. what: what it is, for the sentence that says it is not."""

    what: str
    pattern: re.Pattern[str]


@dataclass(frozen=True)
class Whole:
    """A whole number from `least` on. earlier: the number of an event before this one."""

    what: str
    least: int = 0
    earlier: bool = False


@dataclass(frozen=True)
class Word:
    """One of these words."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class ListOf:
    kind: Kind
    what: str = "a list"


@dataclass(frozen=True)
class Row:
    """A list of exactly these values."""

    kinds: tuple[Kind, ...]


@dataclass(frozen=True)
class MapOf:
    key: Text
    kind: Kind


@dataclass(frozen=True)
class OrNull:
    kind: Kind


@dataclass(frozen=True)
class Made:
    """Exactly what the other fields of the event make of this template."""

    template: str


@dataclass(frozen=True)
class Truth:
    pass


Kind = Text | Whole | Word | ListOf | Row | MapOf | OrNull | Made | Truth
Fields = dict[str, Kind]

ANY_TEXT = Text("a text", re.compile(r".*", re.DOTALL))
# People's own words and sentences of ours about their files: shown escaped everywhere (faults.md, 63).
PROSE = Text("a text that says something", re.compile(r".*\S.*", re.DOTALL))
LINE = Text("one line of text", re.compile("[^\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]+"))
SLUG = Text("a name", re.compile(SLUG_PATTERN[1:-1], re.ASCII))
PERSON = Text("a person's id", re.compile(PERSON_PATTERN[1:-1], re.ASCII))
VERSION = Text("a version", re.compile(VERSION_PATTERN[1:-1], re.ASCII))
DIGEST = Text("a SHA-256 of 64 hex digits", re.compile(r"[0-9a-f]{64}"))
DIGEST_OR_NONE = Text('a SHA-256 of 64 hex digits, or ""', re.compile(r"(?:[0-9a-f]{64})?"))
TIME_PATTERN = r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z"
TIME = Text("a time such as 2026-04-01T12:00:00Z", re.compile(TIME_PATTERN))
TIME_OR_NONE = Text('a time such as 2026-04-01T12:00:00Z, or ""', re.compile(f"(?:{TIME_PATTERN})?"))
TOOL = Text("goldgate and its version", re.compile(r"goldgate [0-9A-Za-z][0-9A-Za-z.+!_-]{0,63}"))
# Folders are removed by this name: it leads nowhere but below the project's own `releases`.
RELEASE_FOLDER = Text(
    "a release's folder, releases/STUDY/VERSION-ID",
    re.compile(rf"releases/{SLUG_PATTERN[1:-1]}/{VERSION_PATTERN[1:-1]}-[0-9a-f]{{12}}", re.ASCII),
)
COUNT = Whole("a count")
SIZE = Whole("a size in bytes")
NUMBER = Whole("a number from 1 on", 1)
EARLIER = Whole("the number of an event before this one", 1, earlier=True)
TRUTH = Truth()
SLUGS, PEOPLE, SENTENCES = ListOf(SLUG), ListOf(PERSON), ListOf(ANY_TEXT)
VERDICT = Word(("pass", "fail", "not_evaluable"))

OF_STUDY: Fields = {"study_id": SLUG}
OF_ROUND: Fields = {"study_id": SLUG, "round_id": SLUG}
REGISTERED: Fields = {
    **OF_STUDY,
    "guideline_version": VERSION,
    "file_name": LINE,
    "study_file": DIGEST,
    "guideline": DIGEST,
    "guideline_digest": DIGEST,
    "definitions": ListOf(LINE),
    "training_lists": ListOf(Row((LINE, DIGEST))),
}
RELEASED: Fields = {
    **OF_STUDY,
    "version": VERSION,
    "release_id": DIGEST,
    "folder": Made("releases/{study_id}/{version}-{release_id:.12}"),
}

# Every event type there is, with every field of its payload. Nothing else is written, and nothing else is read.
EVENTS: dict[str, Fields] = {
    "project.created": {"project_id": SLUG, "format": NUMBER},
    "study.registered": REGISTERED,
    "study.amended": {
        **REGISTERED,
        "predecessor": EARLIER,
        "what": SENTENCES,
        "n_changes": COUNT,
        "why": PROSE,
        "effects": ListOf(Row((SLUG, Word(("replaces", "deviation"))))),
    },
    "calibration.held": {
        **OF_STUDY,
        "file_name": LINE,
        "raw": DIGEST,
        "items": DIGEST,
        "n_items": COUNT,
        "people": PEOPLE,
    },
    "round.opened": {
        **OF_ROUND,
        "kind": Word(("pilot", "measured", "relabel", "retrospective")),
        "guideline_version": VERSION,
        "registration": OrNull(EARLIER),
        "study_file": DIGEST,
        "guideline": DIGEST,
        "guideline_digest": DIGEST,
        "frame": DIGEST,
        "metadata": SENTENCES,
        "n_items": COUNT,
        "slices": ListOf(Row((SLUG, COUNT))),
        "unchecked_slices": SLUGS,
        "assignments": DIGEST,
        "attempt_of": OrNull(SLUG),
        "pool": ListOf(Row((SLUG, COUNT))),
        "round_file": DIGEST,
        "attestation": ANY_TEXT,
        "short_of_passes": COUNT,
    },
    "submission.ingested": {
        **OF_ROUND,
        "file_name": LINE,
        "raw": DIGEST,
        "raw_size": SIZE,
        "canonical": DIGEST,
        "map": DIGEST_OR_NONE,
        "n_rows": COUNT,
        "n_new": COUNT,
        "n_already_there": COUNT,
        "n_revised": COUNT,
        "n_extra": COUNT,
        "set_aside": MapOf(SLUG, COUNT),
        "annotators": PEOPLE,
        "guideline_version": VERSION,
        "revision": ANY_TEXT,
        "late": TRUTH,
        "copied": ListOf(Row((PERSON, PERSON))),
        "notes": SENTENCES,
        "loss": SENTENCES,
        "first_labelled_at": TIME_OR_NONE,
        "last_labelled_at": TIME_OR_NONE,
        "undated": COUNT,
    },
    "ingest.refused": {
        **OF_ROUND,
        "file_name": LINE,
        "raw": DIGEST_OR_NONE,
        "counts": ListOf(Row((SLUG, COUNT))),
    },
    "reassigned": {**OF_ROUND, "from_annotator": PERSON, "to_annotator": PERSON, "reason": PROSE},
    "round.closed": {
        **OF_ROUND,
        "how": Word(("complete", "incomplete", "cut-short", "registered-stop")),
        "reason": ANY_TEXT,
        "expected": ListOf(Row((PERSON, COUNT))),
        "raw_labels": DIGEST,
        "seen_before": ListOf(Row((SLUG, SLUG, EARLIER))),
        "looked_at_before": ListOf(EARLIER),
    },
    "round.reopened": {**OF_ROUND, "closing": EARLIER, "reason": PROSE},
    "round.measured": {**OF_ROUND, "measurement": DIGEST},
    "report.written": {
        **OF_ROUND,
        "version": NUMBER,
        "folder": Made("reports/{study_id}/{round_id}/v{version}"),
        "measured": EARLIER,
        "changes": SENTENCES,
        "files": ListOf(Row((Word(("report.json", "report.html", "report.md")), DIGEST))),
    },
    "gate.evaluated": {
        **OF_ROUND,
        "measured": EARLIER,
        "verdict": VERDICT,
        "exit_code": COUNT,
        "rules": ListOf(Row((VERDICT, LINE, OrNull(LINE)))),
    },
    "adjudication.recorded": {
        **OF_ROUND,
        "file_name": LINE,
        "raw": DIGEST,
        "canonical": DIGEST,
        "n_decisions": COUNT,
        "supersedes": ListOf(Row((EARLIER, COUNT))),
        "n_agreed": COUNT,
        "n_contested_left": COUNT,
    },
    "outcome.recorded": {
        **OF_ROUND,
        "file_name": LINE,
        "raw": DIGEST,
        "canonical": DIGEST,
        "n_items": COUNT,
        "sources": ListOf(Row((SLUG, COUNT))),
    },
    "deviation.recorded": {**OF_ROUND, "text": PROSE},
    "explored": {"file_name": LINE, "looked_at": DIGEST, "answers": DIGEST, "rounds": ListOf(Row((SLUG, SLUG)))},
    "release.promoted": {
        **RELEASED,
        "rounds": SLUGS,
        "relabelled": SLUGS,
        "labels": COUNT,
        "how": ListOf(Row((LINE, COUNT))),
        "left_out": COUNT,
    },
    "release.refused": {**OF_STUDY, "version": VERSION, "why": PROSE, "exit_code": COUNT, "problems": COUNT},
    "release.withdrawn": {**RELEASED, "reason": PROSE},
    "redacted": {
        "kind": Word(("item", "file")),
        "target": LINE,
        "reason": PROSE,
        "objects": ListOf(Row((DIGEST, SIZE, DIGEST_OR_NONE))),
        "rounds": ListOf(Row((SLUG, SLUG, COUNT))),
        "releases": ListOf(RELEASE_FOLDER),
        "withdrawn": ListOf(LINE),
    },
}
# What every event has beside its payload and its place in the chain.
AROUND: Fields = {"ts": TIME, "actor": LINE, "tool": TOOL}


@dataclass(frozen=True)
class Misfit:
    """Where an event is not what its type is. newer: a later version of goldgate may have written it."""

    why: str
    newer: bool = False


class _Wrong(Exception):
    """Unwinds the walk. where: the field's path. value: what stands there."""

    def __init__(self, where: str, value: object, what: str) -> None:
        super().__init__(where)
        self.where, self.value, self.what = where, value, what


def misfit(type: str, seq: int, around: dict[str, Any], payload: dict[str, Any]) -> Misfit | None:
    """The first thing that is wrong with event `seq`, or None. around: its fields named in AROUND."""
    fields = EVENTS.get(type)
    if fields is None:
        return Misfit("no event of this type is known", newer=True)
    if payload.keys() != fields.keys():
        missing = next((name for name in fields if name not in payload), None)
        if missing is not None:
            return Misfit(f"the field {missing} is missing")
        unknown = next(name for name in payload if name not in fields)
        return Misfit(f"the field {shown(unknown)} is not known", newer=True)
    try:
        for name, kind in AROUND.items():
            _walk(kind, around[name], name, seq, payload)
        for name, kind in fields.items():
            _walk(kind, payload[name], name, seq, payload)
    except _Wrong as wrong:
        return Misfit(f"the field {wrong.where} holds {in_words(wrong.value)}, which is not {wrong.what}")
    return None


def in_words(value: object) -> str:
    return shown(json.dumps(value, ensure_ascii=False))


def _walk(kind: Kind, value: Any, where: str, seq: int, payload: dict[str, Any]) -> None:
    _WALKS[kind.__class__](kind, value, where, seq, payload)


def _text(kind: Text, value: Any, where: str, seq: int, payload: dict[str, Any]) -> None:
    if value.__class__ is not str or kind.pattern.fullmatch(value) is None:
        raise _Wrong(where, value, kind.what)
    if kind is TIME or (kind is TIME_OR_NONE and value):
        _calendar_day(kind, value, where)


def _calendar_day(kind: Text, value: str, where: str) -> None:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        raise _Wrong(where, value, kind.what) from None


def _whole(kind: Whole, value: Any, where: str, seq: int, payload: dict[str, Any]) -> None:
    if value.__class__ is not int or value < kind.least or (kind.earlier and value >= seq):
        raise _Wrong(where, value, kind.what)


def _word(kind: Word, value: Any, where: str, seq: int, payload: dict[str, Any]) -> None:
    if value.__class__ is not str or value not in kind.words:
        raise _Wrong(where, value, f"one of {', '.join(kind.words)}")


def _list_of(kind: ListOf, value: Any, where: str, seq: int, payload: dict[str, Any]) -> None:
    if value.__class__ is not list:
        raise _Wrong(where, value, kind.what)
    for n, inner in enumerate(value):
        _walk(kind.kind, inner, f"{where}[{n}]", seq, payload)


def _row(kind: Row, value: Any, where: str, seq: int, payload: dict[str, Any]) -> None:
    if value.__class__ is not list or len(value) != len(kind.kinds):
        raise _Wrong(where, value, f"a list of {len(kind.kinds)} values")
    for n, inner in enumerate(value):
        _walk(kind.kinds[n], inner, f"{where}[{n}]", seq, payload)


def _map_of(kind: MapOf, value: Any, where: str, seq: int, payload: dict[str, Any]) -> None:
    if value.__class__ is not dict:
        raise _Wrong(where, value, "a mapping")
    for key, inner in value.items():
        _walk(kind.key, key, f"{where}, a key,", seq, payload)
        _walk(kind.kind, inner, f"{where}.{key}", seq, payload)


def _or_null(kind: OrNull, value: Any, where: str, seq: int, payload: dict[str, Any]) -> None:
    if value is not None:
        _walk(kind.kind, value, where, seq, payload)


def _made(kind: Made, value: Any, where: str, seq: int, payload: dict[str, Any]) -> None:
    expected = kind.template.format_map(payload)  # of fields that stand before it in the table: these fit
    if value != expected:
        raise _Wrong(where, value, expected)


def _truth(kind: Truth, value: Any, where: str, seq: int, payload: dict[str, Any]) -> None:
    if value.__class__ is not bool:
        raise _Wrong(where, value, "true or false")


_WALKS: dict[type, Callable[..., None]] = {
    Text: _text,
    Whole: _whole,
    Word: _word,
    ListOf: _list_of,
    Row: _row,
    MapOf: _map_of,
    OrNull: _or_null,
    Made: _made,
    Truth: _truth,
}
