"""What can be seen of a project between two steps, and what must hold of any two such looks (model.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from flows.storage import ledger, replay, store
from flows.storage.digests import table_digests
from flows.storage.ledger import Event
from flows.storage.project import Project
from flows.storage.state import fold
from flows.storage.store import rows


class RoundModel(Protocol):
    opened: bool
    closed: bool
    measured: bool


class Model(Protocol):
    @property
    def rounds(self) -> dict[str, RoundModel]: ...
    @property
    def released(self) -> list[str]: ...


class Shadow:
    """A second database, in memory, that got every event once: what the first should hold."""

    def __init__(self, project: Project, con: store.Connection) -> None:
        self.project, self.con, self.seen = project, con, 0
        store.create_tables(con)
        self.tables = table_digests(con)

    def follow(self, events: list[Event]) -> None:
        for event in events[self.seen :]:
            with store.tx(self.con):
                replay.apply(self.con, event, self.project.objects)
        if len(events) > self.seen:
            self.seen, self.tables = len(events), table_digests(self.con)


class Watched:
    """What can be seen of a project between two steps."""

    def __init__(self, project: Project, shadow: Shadow) -> None:
        self.project, self.shadow = project, shadow
        self.data = project.ledger_path.read_bytes()
        self.events = ledger.read(project.ledger_path)
        self.state = fold(self.events)
        shadow.follow(self.events)
        self.replayed = shadow.tables
        self.objects = {p.name for p in project.objects.folder.iterdir()}
        with project.reading() as con:
            self.tables = table_digests(con)
            ((self.applied,),) = rows(con, "select count(*) from event")
            ((self.n_labels,),) = rows(con, "select count(*) from raw_label")
            ((self.n_frame,),) = rows(con, "select count(*) from frame_item")
            ((self.twice,),) = rows(
                con,
                """select count(*) from (
                     select 1 from raw_label group by round_id, item_id, annotator_id having count(*) > 1)""",
            )
        published = [project.reports, project.releases]
        files = [p for folder in published for p in folder.rglob("*") if p.is_file()]
        self.files = {p.relative_to(project.root).as_posix(): p.stat().st_size for p in files if p.name != "current"}

    def types(self) -> list[str]:
        return [event.type for event in self.events]


Holds = Callable[[Watched, Watched, Model, bool, str], bool]
REFUSALS = {"ingest.refused", "release.refused"}
INVARIANTS: dict[str, Holds] = {
    "the ledger only grows": lambda b, a, m, s, w: a.data.startswith(b.data),
    "its sequence has no gap": lambda b, a, m, s, w: [e.seq for e in a.events] == list(range(1, len(a.events) + 1)),
    "its chain is whole": lambda b, a, m, s, w: all(
        y.prev == x.hash for x, y in zip(a.events, a.events[1:], strict=False)
    ),
    "it ends in a whole line": lambda b, a, m, s, w: a.data.endswith(b"\n"),
    "every event hashes to its line": lambda b, a, m, s, w: (
        len(list(ledger.check_chain(a.data.splitlines(True)))) == len(a.events)
    ),
    "a refused step writes nothing but its refusal": lambda b, a, m, s, w: (
        s or {e.type for e in a.events[len(b.events) :]} <= REFUSALS
    ),
    "a step writes one event at most": lambda b, a, m, s, w: len(a.events) <= len(b.events) + 1,
    "the database has seen every event": lambda b, a, m, s, w: a.applied == len(a.events),
    "the database is what a replay gives": lambda b, a, m, s, w: a.tables == a.replayed,
    "no object is lost": lambda b, a, m, s, w: {n for n in b.objects if len(n) == 64} <= a.objects,
    "nothing half-written stays": lambda b, a, m, s, w: not [n for n in a.objects if len(n) != 64],
    "objects have the names of their bytes": lambda b, a, m, s, w: all(
        a.project.objects.read(n) is not None for n in a.objects - b.objects
    ),
    "labels are only added": lambda b, a, m, s, w: a.n_labels >= b.n_labels,
    "the frame is only added to": lambda b, a, m, s, w: a.n_frame >= b.n_frame,
    "no label is stored twice": lambda b, a, m, s, w: a.twice == 0,
    "published files do not change": lambda b, a, m, s, w: all(a.files.get(n) == size for n, size in b.files.items()),
    "one registration a version": lambda b, a, m, s, w: a.types().count("study.registered") == 1,
    "a round is opened once": lambda b, a, m, s, w: (
        a.types().count("round.opened") == sum(r.opened for r in m.rounds.values())
    ),
    "what is open in the model is open in the state": lambda b, a, m, s, w: all(
        (a.state.rounds[("promises", n)].closed is not None) == r.closed for n, r in m.rounds.items() if r.opened
    ),
    "what is measured in the model is measured": lambda b, a, m, s, w: all(
        bool(a.state.rounds[("promises", n)].measured) == r.measured for n, r in m.rounds.items() if r.opened
    ),
    "verdicts follow measurings": lambda b, a, m, s, w: all(
        e.payload["measured"] < e.seq for e in a.events if e.type == "gate.evaluated"
    ),
    "each version is released once": lambda b, a, m, s, w: a.types().count("release.promoted") == len(m.released),
    "every release rests on a pass": lambda b, a, m, s, w: all(
        a.state.rounds[("promises", name)].gated
        for e in a.events
        if e.type == "release.promoted"
        for name in e.payload["rounds"]
    ),
}
