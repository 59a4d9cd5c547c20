"""What somebody does who may write every file: the whole chain again, with fresh hashes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flows.storage import ledger
from flows.storage.ledger import Event, Head


def of_type(make: Any, type: str) -> Event:
    return next(event for event in make.events() if event.type == type)


def rewrite(make: Any, change: Callable[[list[Event]], list[Event]]) -> None:
    events = change(make.events())
    make.project.ledger_path.unlink()
    at = ledger.head_of([])
    for event in events:
        new = ledger.next_event(
            at, ts=event.ts, actor=event.actor, tool=event.tool, type=event.type, payload=event.payload
        )
        ledger.append(make.project.ledger_path, new)
        at = Head(new.seq, new.hash)


def edited(event: Event, **payload: Any) -> Event:
    return Event(**{**vars(event), "payload": {**event.payload, **payload}})


def edit(make: Any, type: str, **payload: Any) -> None:
    """Every event of a type with other values in its payload; the database, which would tell, is gone."""
    rewrite(make, lambda events: [edited(e, **payload) if e.type == type else e for e in events])
    make.project.database_path.unlink()
