"""The append-only chain of events: the truth everything else is replayed from.

One line an event: `<hash> <body>\\n`. The body is canonical JSON (sorted keys, no spaces, raw UTF-8), restricted so
that there is one way to write it: keys lower-case ASCII; values only text, booleans, null, whole numbers below 2^53,
lists and objects; no floats. The hash is SHA-256 over a domain tag, a zero byte and the body's bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agreement.errors import IntegrityError
from flows.storage.objects import sync_folder
from schemas import events as shapes
from schemas.names import shown

FORMAT = 1
TAG = b"goldgate/event/1"
GENESIS_PREV = "0" * 64
FIELDS: dict[str, type] = {
    "v": int,
    "seq": int,
    "prev": str,
    "ts": str,
    "actor": str,
    "tool": str,
    "type": str,
    "payload": dict,
}
LARGEST = 2**53
BEGINNING, PROJECT_FORMAT = "project.created", 1


@dataclass(frozen=True)
class Event:
    """One thing that happened. `hash` is the hash of its line; `prev` that of the line before."""

    seq: int
    hash: str
    prev: str
    ts: str
    actor: str
    tool: str
    type: str
    payload: dict[str, Any]


@dataclass(frozen=True)
class Head:
    """The end of a ledger: how many events, and the last one's hash. Whoever keeps one can check later."""

    size: int
    hash: str

    def __str__(self) -> str:
        return f"{self.hash}@{self.size}"


def canonical(body: dict[str, Any]) -> bytes:
    """The one way to write a body. Raises ValueError for a value the ledger does not hold."""
    _check(body, "body")
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def line_hash(body: bytes) -> str:
    return hashlib.sha256(TAG + b"\x00" + body).hexdigest()


def next_event(head: Head, *, ts: str, actor: str, tool: str, type: str, payload: dict[str, Any]) -> Event:
    """The event that would follow `head`; nothing is written."""
    event = Event(head.size + 1, "", head.hash, ts, actor, tool, type, payload)
    return Event(**{**event.__dict__, "hash": line_hash(_body(event))})


def append(path: Path, event: Event) -> None:
    """Write one line and make it durable: this is the commit. On any failure the file is as before."""
    line = event.hash.encode() + b" " + _body(event) + b"\n"
    is_new = not path.exists()
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    size = os.fstat(handle).st_size
    try:
        written = 0
        while written < len(line):
            written += os.write(handle, line[written:])
        os.fsync(handle)
    except BaseException:
        os.ftruncate(handle, size)
        raise
    finally:
        os.close(handle)
    if is_new:
        sync_folder(path.parent)


def read(path: Path) -> list[Event]:
    """All complete events, each checked against its hash, its place and the one before.

    A last line without its newline was never acknowledged and is left out. Raises IntegrityError with the first bad
    event.
    """
    return list(check_chain(path.read_bytes().splitlines(keepends=True))) if path.exists() else []


def read_project(path: Path) -> list[Event]:
    """The same, of a project: its first event, and no other, says which project it is and how it is written, and every
    event holds what its type holds (schemas/events.py).

    All hashes follow from that one, so no event of another project can stand here.
    """
    events = read(path)
    for event in events:
        if (event.type == BEGINNING) != (event.seq == 1):
            raise _broken(event.seq, f"a ledger begins with {BEGINNING}, and has it nowhere else")
    written = events[0].payload.get("format") if events else PROJECT_FORMAT
    if written != PROJECT_FORMAT:
        raise IntegrityError(
            f"the project is written in format {written}, and this version of goldgate knows {PROJECT_FORMAT}",
            next_step=f"Use the version that wrote it: {events[0].tool}. Nothing was changed.",
            code="other-format",
        )
    for event in events:
        require_shape(event)
    return events


def require_shape(event: Event) -> None:
    """IntegrityError, naming field and value, if an event is not what its type is: hashes say nothing of that."""
    around = {"ts": event.ts, "actor": event.actor, "tool": event.tool}
    found = shapes.misfit(event.type, event.seq, around, event.payload)
    if found is not None and found.newer:
        raise _broken(
            event.seq,
            found.why,
            event.type,
            f"A newer version of goldgate wrote it (it names {shown(event.tool)}), or somebody forged it: use that "
            "version, or restore ledger.jsonl from a backup. Nothing was changed.",
        )
    if found is not None:
        raise broken(event, found.why)


def broken(event: Event, why: str) -> IntegrityError:
    """What is raised for an event that fits its hash and not its type, or not the events before it."""
    return _broken(
        event.seq,
        why,
        event.type,
        f"No command writes this. {_RESTORE}",
    )


def check_chain(lines: Iterable[bytes]) -> Iterator[Event]:
    prev = GENESIS_PREV
    for seq, line in enumerate(lines, start=1):
        if not line.endswith(b"\n"):
            return
        event = parse(line, seq)
        if event.seq != seq or event.prev != prev:
            raise _broken(seq, "it does not follow the event before it")
        prev = event.hash
        yield event


def parse(line: bytes, seq: int) -> Event:
    """One line as an event. IntegrityError if its hash, form or fields are not what `append` writes."""
    digest, _, body = line.rstrip(b"\n").partition(b" ")
    if line_hash(body) != digest.decode("ascii", "replace"):
        raise _broken(seq, "its bytes do not have the hash written before them")
    try:
        fields = json.loads(body)
        if {name: type(value) for name, value in fields.items()} != FIELDS:
            raise ValueError
        if fields["v"] != FORMAT or canonical(fields) != body:
            raise ValueError
    except (ValueError, AttributeError, RecursionError):
        raise _broken(seq, "it is not written in canonical form") from None
    del fields["v"]
    return Event(hash=digest.decode(), **fields)


def head_of(events: list[Event]) -> Head:
    return Head(len(events), events[-1].hash) if events else Head(0, GENESIS_PREV)


def torn_bytes(path: Path) -> int:
    """How many bytes follow the last newline: an append that was stopped, and never acknowledged."""
    data = path.read_bytes() if path.exists() else b""
    return len(data) - (data.rfind(b"\n") + 1)


def cut_torn_line(path: Path) -> bool:
    """Drop what follows the last newline. True if there was such a rest."""
    torn = torn_bytes(path)
    if torn:
        os.truncate(path, path.stat().st_size - torn)
    return bool(torn)


def _body(event: Event) -> bytes:
    fields = {name: getattr(event, name) for name in FIELDS if name != "v"}
    return canonical({"v": FORMAT, **fields})


_RESTORE = "Restore ledger.jsonl from a backup and compare its head with one you kept. Nothing was changed."


def _broken(seq: int, why: str, type: str = "", next_step: str = _RESTORE) -> IntegrityError:
    event = f"{seq} ({shown(type)})" if type else str(seq)
    return IntegrityError(
        f"ledger.jsonl is not intact: event {event} is wrong: {why}", next_step=next_step, code="ledger-broken"
    )


def _check(value: object, where: str) -> None:
    """Only what has exactly one canonical spelling."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if not (isinstance(key, str) and key.isascii() and key == key.lower()):
                raise ValueError(f"{where}: key {key!r} is not lower-case ASCII")
            _check(inner, f"{where}.{key}")
    elif isinstance(value, list | tuple):
        for n, inner in enumerate(value):
            _check(inner, f"{where}[{n}]")
    elif isinstance(value, bool) or value is None or isinstance(value, str):
        return
    elif not (isinstance(value, int) and abs(value) < LARGEST):
        raise ValueError(f"{where}: {value!r} has no place in the ledger")
