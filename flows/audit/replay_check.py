"""A project's history carried out anew in memory, and compared with what its ledger says on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256

from agreement.errors import Problem
from flows.storage import replay, store
from flows.storage.digests import round_digest, table_digests
from flows.storage.ledger import Event
from flows.storage.project import Project
from flows.storage.state import RoundState, State, advance


@dataclass
class Replayed:
    """What came of it. tables: digests at the end. remeasured, released: measurings and releases made again. skipped:
    those that cannot be (rows of theirs were removed since, or another version of goldgate made them).
    """

    tables: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    remeasured: int = 0
    released: int = 0
    skipped: int = 0


def replay_and_compare(project: Project, events: list[Event], *, remeasure: bool) -> Replayed:
    """Replay every event. At each closing the labels must be those it was closed with; with `remeasure` each measuring
    and each release must give the same bytes again.
    """
    found, state = Replayed(), State()
    with store.memory_store(project.objects.folder) as con:
        store.create_tables(con)
        for event in events:
            if event.type == "round.closed":
                _check_closing(con, state, event, events, found)
            if event.type == "round.measured" and remeasure:
                _check_measuring(project, con, state, event, events, found)
            if event.type == "release.promoted" and remeasure:
                _check_release(project, con, state, event, events, found)
            with store.tx(con):
                replay.apply(con, event, project.objects)
            advance(state, event)
        found.tables = table_digests(con)
    return found


def _check_closing(con: store.Connection, state: State, event: Event, events: list[Event], found: Replayed) -> None:
    round_state = _round(state, event)
    if _lost_rows(round_state, events):
        return
    if round_digest(con, "raw_label", round_state.study_id, round_state.round_id) != event.payload["raw_labels"]:
        message = f"event {event.seq}: {round_state.round_id} was closed with other labels than the ledger gives"
        found.problems.append(Problem("labels-changed", message, "Restore objects and ledger from a backup."))


def _check_measuring(
    project: Project, con: store.Connection, state: State, event: Event, events: list[Event], found: Replayed
) -> None:
    from flows import measurement
    from flows.measure import measured_bytes

    round_state = _round(state, event)
    if _lost_rows(round_state, events) or event.tool != project.tool():
        found.skipped += 1
        return
    versions = measurement.report_of(project.objects.read(event.payload["measurement"])).protocol.versions
    again = measured_bytes(con, project.objects, state, round_state, versions)
    found.remeasured += 1
    if sha256(again).hexdigest() != event.payload["measurement"]:
        message = f"event {event.seq}: measuring {round_state.round_id} again gives other figures"
        fix = "Compare the package versions in report.json with those installed."
        found.problems.append(Problem("measuring-differs", message, fix))


def _check_release(
    project: Project, con: store.Connection, state: State, event: Event, events: list[Event], found: Replayed
) -> None:
    from flows.releases.release import remade_id
    from flows.storage.project import Change

    study_state = state.study(event.payload["study_id"])
    rounds = [state.rounds[study_state.study_id, name] for name in event.payload["rounds"]]
    again = [state.rounds[study_state.study_id, name] for name in event.payload.get("relabelled", ())]
    if any(_lost_rows(round_state, events) for round_state in (*rounds, *again)) or event.tool != project.tool():
        found.skipped += 1
        return
    release_id = remade_id(Change(project, con, state), study_state, event.payload["version"], rounds)
    found.released += 1
    if release_id != event.payload["release_id"]:
        message = f"event {event.seq}: making release {event.payload['version']} again gives another id"
        found.problems.append(
            Problem("release-differs", message, "Compare the package versions in report.json with those installed.")
        )


def _round(state: State, event: Event) -> RoundState:
    return state.rounds[event.payload["study_id"], event.payload["round_id"]]


def _lost_rows(round_state: RoundState, events: list[Event]) -> bool:
    key = [round_state.study_id, round_state.round_id]
    return any(key == found for e in events if e.type == "redacted" for *found, _ in e.payload["rounds"])
