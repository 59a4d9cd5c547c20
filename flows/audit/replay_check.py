"""A project's history carried out anew in memory, and compared with what its ledger says on the way."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from agreement.errors import Problem
from flows import measurement
from flows.counts import count_round
from flows.register import registered_study
from flows.storage import replay, store
from flows.storage.digests import round_digest, table_digests
from flows.storage.ledger import Event
from flows.storage.project import Project
from flows.storage.state import RoundState, State, advance


@dataclass
class Replayed:
    """What came of it. tables: digests at the end. made: how much of each kind was made again. uncounted: measurings,
    by their events, whose labels are not all there any more. notes: what else was not compared, and why.
    """

    tables: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    made: Counter[str] = field(default_factory=Counter)
    uncounted: set[int] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    skipped: int = 0


@dataclass
class Past:
    """The history up to one event: what the database held and what was known."""

    project: Project
    con: store.Connection
    events: list[Event]
    state: State = field(default_factory=State)
    found: Replayed = field(default_factory=Replayed)

    def round(self, event: Event) -> RoundState:
        return self.state.rounds[event.payload["study_id"], event.payload["round_id"]]

    def lost_rows(self, event: Event, *rounds: RoundState) -> bool:
        """Whether rows of these rounds, which stood at an event, were removed after it."""
        keys = [[round_state.study_id, round_state.round_id] for round_state in rounds]
        later = (e for e in self.events[event.seq :] if e.type == "redacted")
        return any(key in keys for e in later for *key, _ in e.payload["rounds"])

    def differs(self, code: str, event: Event, what: str, fix: str) -> None:
        self.found.problems.append(Problem(code, f"event {event.seq}: {what}", fix))

    def not_compared(self, event: Event, what: str) -> None:
        self.found.skipped += 1
        self.found.notes.append(f"event {event.seq}: {what}: labels it rested on were removed on request since.")


def replay_and_compare(project: Project, events: list[Event], *, remeasure: bool) -> Replayed:
    """Replay every event. At each closing the labels must be those it was closed with, at each measuring they must give
    its counts, at each release its labels; with `remeasure` each measuring, report and release the same bytes again.
    """
    from flows.audit.made_again import CHECKS

    with store.memory_store(project.objects.folder) as con:
        store.create_tables(con)
        past = Past(project, con, events)
        for event in events:
            if event.type in _COMPARED:
                _COMPARED[event.type](past, event)
            if remeasure and event.type in CHECKS:
                CHECKS[event.type](past, event)
            with store.tx(con):
                replay.apply(con, event, project.objects)
            advance(past.state, event)
        past.found.tables = table_digests(con)
    return past.found


def _closing(past: Past, event: Event) -> None:
    round_state = past.round(event)
    if past.lost_rows(event, round_state):
        return
    if round_digest(past.con, "raw_label", round_state.study_id, round_state.round_id) != event.payload["raw_labels"]:
        what = f"{round_state.round_id} was closed with other labels than the ledger gives"
        past.differs("labels-changed", event, what, "Restore objects and ledger from a backup.")


def _counts(past: Past, event: Event) -> None:
    """Whoever made the measuring, and with whatever version: its counts are those of the labels as they stood."""
    round_state, objects = past.round(event), past.project.objects
    study = registered_study(objects, past.state, round_state)
    counts = count_round(past.con, study, round_state)
    digest = event.payload["measurement"]
    if objects.has(digest) and measurement.counts_of(objects.read(digest)) == (
        measurement.counts_json(counts.slices),
        list(counts.cells),
    ):
        past.found.made["counts"] += 1
    elif past.lost_rows(event, round_state):
        past.found.uncounted.add(event.seq)
        past.not_compared(event, f"what was counted of {round_state.round_id} cannot be counted again")
    else:
        what = f"counting the labels of {round_state.round_id} again gives other counts than it measured"
        past.differs("counts-differ", event, what, "Compare objects and ledger with a backup.")


def _labels(past: Past, event: Event) -> None:
    """A release holds the labels its rounds give."""
    from flows.releases.remade import differing_labels, rounds_of

    folder, version = past.project.root / event.payload["folder"], event.payload["version"]
    if not folder.is_dir():  # removed on request: anything else was named before
        return
    wrong = differing_labels(past.project, past.con, past.state, event)
    if not wrong:
        past.found.made["release labels"] += 1
    elif past.lost_rows(event, *rounds_of(past.state, event)):
        past.not_compared(event, f"the labels of release {version} cannot be compared with their rounds")
    else:
        what = f"release {version} holds other labels in {' and '.join(wrong)} than its rounds give"
        past.differs("release-labels-differ", event, what, "Restore the release from a copy.")


_COMPARED = {"round.closed": _closing, "round.measured": _counts, "release.promoted": _labels}
