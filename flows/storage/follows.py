"""Does an event follow from those before it? What comes once comes once, and what it names is there and as it says.

Asked of every event by whoever reads a project and before one is written, so a history that was made up is refused by
every command in the same words. When a step may be done is asked elsewhere (order.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from flows.storage.ledger import Event, broken
from flows.storage.state import RoundState, State, StudyState, advance


def followed(events: Iterable[Event]) -> State:
    """The state after these events, a ledger's first n. IntegrityError at the first that does not follow."""
    state = State()
    for event in events:
        require_following(state, event)
        advance(state, event)
    return state


def require_following(state: State, event: Event) -> None:
    """IntegrityError unless this may be the next event, whatever the time."""
    check = _CHECKS.get(event.type)
    why = check(state, event) if check is not None else None
    if why is not None:
        raise broken(event, why)


def standing_registration(study_state: StudyState, guideline_version: str) -> Event | None:
    """What a round opened now would be governed by: the last amendment of a version, else its registration."""
    amended = [e for e in study_state.amendments if e.payload["guideline_version"] == guideline_version]
    return amended[-1] if amended else study_state.registrations.get(guideline_version)


def kept_objects(state: State) -> set[str]:
    """Objects that verdicts rest on and that hold no labels: no removal may name them."""
    named: list[tuple[Event, tuple[str, ...]]] = []
    for study in state.studies.values():
        named += [(event, ("study_file", "guideline")) for event in (*study.registrations.values(), *study.amendments)]
    for round_state in state.rounds.values():
        named.append((round_state.opened, ("study_file", "guideline", "round_file")))
        named += [(event, ("map",)) for event in round_state.submissions]
        named += [(event, ("measurement",)) for event in round_state.measured]
    return {str(event.payload[key]) for event, keys in named for key in keys if event.payload[key]}


def _registered(state: State, event: Event) -> str | None:
    study_id, version = event.payload["study_id"], event.payload["guideline_version"]
    study = state.studies.get(study_id)
    first = study.registrations.get(version) if study else None
    return f"{study_id}, guideline {version}, is registered already by event {first.seq}" if first else None


def _amended(state: State, event: Event) -> str | None:
    study_id, version = event.payload["study_id"], event.payload["guideline_version"]
    study = state.studies.get(study_id)
    before = standing_registration(study, version) if study else None
    if before is None:
        return f"{study_id}, guideline {version}, is not registered"
    if event.payload["predecessor"] != before.seq:
        return f"it amends event {event.payload['predecessor']}, and what stands is event {before.seq}"
    return None


def _opened(state: State, event: Event) -> str | None:
    payload = event.payload
    study_id, round_id, version = payload["study_id"], payload["round_id"], payload["guideline_version"]
    if (study_id, round_id) in state.rounds:
        return f"{round_id} of {study_id} is open already by event {state.rounds[study_id, round_id].opened.seq}"
    if payload["attempt_of"] is not None and (study_id, payload["attempt_of"]) not in state.rounds:
        return f"it replaces {payload['attempt_of']}, and no event opened such a round of {study_id}"
    study = state.studies.get(study_id)
    standing = standing_registration(study, version) if study else None
    if payload["registration"] != (standing.seq if standing else None):
        named, stands = (f"event {n}" if n else "none" for n in (payload["registration"], standing and standing.seq))
        return f"the registration it names is {named}, and what stands for guideline {version} is {stands}"
    if standing is None:
        return None if payload["kind"] == "pilot" else f"a {payload['kind']} round needs a registration"
    other = [key for key in ("study_file", "guideline") if payload[key] != standing.payload[key]]
    return f"{', '.join(other)}: not what event {standing.seq} registered" if other else None


def _of_round(check: Callable[[RoundState, Event], str | None]) -> Callable[[State, Event], str | None]:
    def found(state: State, event: Event) -> str | None:
        round_state = state.rounds.get((event.payload["study_id"], event.payload["round_id"]))
        return None if round_state is None else check(round_state, event)  # `advance` refuses what has no round

    return found


def _ingested(round_state: RoundState, event: Event) -> str | None:
    late = bool(event.payload["late"])
    if late == bool(round_state.measured):
        return None
    return f"its labels are {'' if late else 'not '}marked late, and the round was {'not ' if late else ''}measured yet"


def _closed(round_state: RoundState, event: Event) -> str | None:
    closed = round_state.closed
    return f"{round_state.round_id} is closed already by event {closed.seq}" if closed else None


def _reopened(round_state: RoundState, event: Event) -> str | None:
    closed = round_state.closed
    if closed is None:
        return f"{round_state.round_id} is not closed"
    if event.payload["closing"] != closed.seq:
        return f"it undoes event {event.payload['closing']}, and what closed the round is event {closed.seq}"
    return None


def _of_last_measuring(round_state: RoundState, event: Event) -> str | None:
    measured = event.payload["measured"]
    last = round_state.measured[-1].seq if round_state.measured else None
    if measured != last:
        stands = f"event {last}" if last else "none"
        return f"it rests on the measuring of event {measured}, and the last one before it is {stands}"
    return None


def _reported(round_state: RoundState, event: Event) -> str | None:
    version, n = event.payload["version"], len(round_state.reports)
    if version != n + 1:
        return f"it is report {version} of {round_state.round_id}, and {n} were written before it"
    return _of_last_measuring(round_state, event)


def _gated(round_state: RoundState, event: Event) -> str | None:
    if round_state.is_evaluated:
        return f"event {round_state.gated[-1].seq} says already what the gate found in this measuring"
    return _of_last_measuring(round_state, event)


def _measured(state: State, event: Event) -> str | None:
    digest = event.payload["measurement"]
    removal = next((e for e in state.redacted if any(digest == gone for gone, *_ in e.payload["objects"])), None)
    return f"its measurement was removed by event {removal.seq}" if removal else None


def _promoted(state: State, event: Event) -> str | None:
    payload = event.payload
    study = state.studies.get(payload["study_id"])
    if study is None or not payload["rounds"]:
        return "it is made of no round"
    for round_id in (*payload["rounds"], *payload["relabelled"]):
        if (study.study_id, round_id) not in state.rounds:
            return f"no event opened a round {round_id} of {study.study_id}"
    first = next((e for e in study.releases if e.payload["version"] == payload["version"]), None)
    return f"version {payload['version']} is released already by event {first.seq}" if first else None


def _withdrawn(state: State, event: Event) -> str | None:
    key = ("study_id", "version", "release_id", "folder")
    study = state.studies.get(event.payload["study_id"])

    def among(events: Iterable[Event]) -> Event | None:
        return next((e for e in events if all(e.payload[name] == event.payload[name] for name in key)), None)

    if study is None or among(study.releases) is None:
        return f"no event released version {event.payload['version']} with this id"
    first = among(study.withdrawn)
    return f"version {event.payload['version']} is withdrawn already by event {first.seq}" if first else None


def _redacted(state: State, event: Event) -> str | None:
    payload = event.payload
    first = next((e for e in state.redacted if e.payload["target"] == payload["target"]), None)
    if first is not None:
        return f"the same was removed already by event {first.seq}"
    kept = kept_objects(state)
    wrong = next((digest for digest, *_ in payload["objects"] if digest in kept), None)
    if wrong is not None:
        return f"object {wrong[:12]} is none a removal takes: a verdict rests on it"
    withdrawn = {e.payload["folder"] for study in state.studies.values() for e in study.withdrawn}
    standing = next((folder for folder in payload["releases"] if folder not in withdrawn), None)
    return None if standing is None else f"no event withdrew {standing}"


def _of_known_study(state: State, event: Event) -> str | None:
    study_id = event.payload["study_id"]
    return None if study_id in state.studies else f"no event before it speaks of a study {study_id}"


_CHECKS: dict[str, Callable[[State, Event], str | None]] = {
    "study.registered": _registered,
    "study.amended": _amended,
    "round.opened": _opened,
    "submission.ingested": _of_round(_ingested),
    "round.closed": _of_round(_closed),
    "round.reopened": _of_round(_reopened),
    "round.measured": _measured,
    "report.written": _of_round(_reported),
    "gate.evaluated": _of_round(_gated),
    "calibration.held": _of_known_study,
    "release.promoted": _promoted,
    "release.refused": _of_known_study,
    "release.withdrawn": _withdrawn,
    "redacted": _redacted,
}
