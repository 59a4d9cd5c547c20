"""What has happened so far, as one object folded from the ledger. Pure: no file, no database, no clock.

`fold(events)` is the present; `fold(events[:n])` is the state after event n.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from agreement.errors import ConfigError, OutOfOrder, Problem
from flows.storage.ledger import GENESIS_PREV, Event, Head, broken

NEVER = 2**53  # a sequence number no event has


@dataclass
class RoundState:
    """One round: the events that made it what it is."""

    opened: Event
    submissions: list[Event] = field(default_factory=list)
    refused: list[Event] = field(default_factory=list)
    closed: Event | None = None  # the last closing; None while open or reopened
    reopened: list[Event] = field(default_factory=list)
    reassigned: list[Event] = field(default_factory=list)
    measured: list[Event] = field(default_factory=list)
    reports: list[Event] = field(default_factory=list)
    gated: list[Event] = field(default_factory=list)
    adjudications: list[Event] = field(default_factory=list)
    outcomes: list[Event] = field(default_factory=list)
    deviations: list[Event] = field(default_factory=list)  # told openly by a person
    explored: list[Event] = field(default_factory=list)  # looks at its labels outside `measure`
    amended: list[Event] = field(default_factory=list)  # amendments of its version after results could be known
    redacted: list[Event] = field(default_factory=list)  # removals that took labels of it
    discussed: list[Event] = field(default_factory=list)  # calibrations between its closing and its first look

    @property
    def results_seen(self) -> int:
        """The event by which somebody could first know how annotators agree; beyond every event if none yet."""
        return min((event.seq for event in (*self.measured, *self.explored)), default=NEVER)

    @property
    def first_labels(self) -> int:
        """The event by which labels had reached the tool, refused ones too; beyond every event if none yet."""
        return min((event.seq for event in (*self.submissions, *self.refused)), default=NEVER)

    @property
    def is_cut_short(self) -> bool:
        return self.closed is not None and self.closed.payload.get("how") == "cut-short"

    @property
    def is_blind(self) -> bool:
        """Whether this is a measured round whose items nobody may learn about yet: before its first look."""
        return self.kind == "measured" and self.results_seen == NEVER and not self.is_cut_short

    @property
    def changed_since(self) -> list[Event]:
        """What came after the last measuring and can change what it says, in order."""
        changes = (*self.amended, *self.redacted, *self.explored, *self.deviations)
        measured = self.measured[-1].seq if self.measured else NEVER
        return sorted((event for event in changes if event.seq > measured), key=lambda event: event.seq)

    @property
    def is_current(self) -> bool:
        """Whether the last measuring knows of everything that can change what it says."""
        return bool(self.measured) and not self.changed_since

    @property
    def is_evaluated(self) -> bool:
        """Whether the gate was asked about the last measuring."""
        return bool(self.gated and self.measured) and self.gated[-1].payload["measured"] == self.measured[-1].seq

    @property
    def is_reported(self) -> bool:
        """Whether the report of the last measuring was written."""
        return bool(self.reports and self.measured) and self.reports[-1].payload["measured"] == self.measured[-1].seq

    @property
    def study_id(self) -> str:
        return str(self.opened.payload["study_id"])

    @property
    def round_id(self) -> str:
        return str(self.opened.payload["round_id"])

    @property
    def kind(self) -> str:
        return str(self.opened.payload["kind"])

    @property
    def guideline_version(self) -> str:
        return str(self.opened.payload["guideline_version"])

    @property
    def verdict(self) -> str | None:
        """pass, fail or not_evaluable by the last evaluation; None if the gate was never asked."""
        return str(self.gated[-1].payload["verdict"]) if self.gated else None


@dataclass
class StudyState:
    """One study: its registrations (one per guideline version) and amendments, rounds and releases, in order."""

    study_id: str
    registrations: dict[str, Event] = field(default_factory=dict)
    amendments: list[Event] = field(default_factory=list)
    calibrations: list[Event] = field(default_factory=list)
    rounds: list[str] = field(default_factory=list)
    releases: list[Event] = field(default_factory=list)
    withdrawn: list[Event] = field(default_factory=list)
    refusals: list[Event] = field(default_factory=list)


@dataclass
class State:
    """Everything the ledger says. `head` is where it ends, `last_ts` what its last event gives as the time."""

    project_id: str = ""
    head: Head = field(default_factory=lambda: Head(0, GENESIS_PREV))
    last_ts: str = ""
    studies: dict[str, StudyState] = field(default_factory=dict)
    rounds: dict[tuple[str, str], RoundState] = field(default_factory=dict)
    redacted: list[Event] = field(default_factory=list)
    looks: dict[str, Event] = field(default_factory=dict)  # digest of a file somebody looked at -> the first look

    def study(self, study_id: str) -> StudyState:
        """ConfigError, naming those that exist, if there is no such study."""
        if study_id not in self.studies:
            raise _unknown("study", study_id, sorted(self.studies))
        return self.studies[study_id]

    def round(self, round_id: str, study_id: str | None = None) -> RoundState:
        """The round of that name; `study/round` where two studies use one name. ConfigError if there is none."""
        if study_id is None and "/" in round_id:
            study_id, round_id = round_id.split("/", 1)
        found = [r for (s, name), r in self.rounds.items() if name == round_id and study_id in (None, s)]
        if len(found) > 1:
            names = sorted(f"{r.study_id}/{round_id}" for r in found)
            raise _unknown("round", round_id, names, "several studies have a round of this name")
        if not found:
            if study_id is not None:
                self.study(study_id)  # a study nobody registered is named before its round
            raise OutOfOrder(
                f"no round {round_id} has been opened",
                [
                    Problem(
                        "round-not-opened",
                        "the round is not in this project",
                        _hint(sorted(self._round_names())),
                    )
                ],
                next_step="Open it first: `goldgate open ROUND_FOLDER`.",
            )
        return found[0]

    def rounds_of(self, study_id: str, guideline_version: str | None = None) -> list[RoundState]:
        rounds = [self.rounds[study_id, name] for name in self.study(study_id).rounds]
        return [r for r in rounds if guideline_version in (None, r.guideline_version)]

    def _round_names(self) -> Iterable[str]:
        return (name for _, name in self.rounds)


def fold(events: Iterable[Event]) -> State:
    """The state after these events, which must be a ledger's first n."""
    state = State()
    for event in events:
        advance(state, event)
    return state


def advance(state: State, event: Event) -> None:
    """Note one more event, which must be the next one. IntegrityError if it speaks of what never was."""
    try:
        _note(state, event)
    except (KeyError, TypeError, ValueError) as error:
        raise broken(event, "it speaks of what no event before it made") from error
    state.head, state.last_ts = Head(event.seq, event.hash), event.ts


# Where an event is noted: on its round, its study, or the project.
_ON_ROUND = {
    "submission.ingested": "submissions",
    "ingest.refused": "refused",
    "round.reopened": "reopened",
    "reassigned": "reassigned",
    "round.measured": "measured",
    "report.written": "reports",
    "gate.evaluated": "gated",
    "adjudication.recorded": "adjudications",
    "outcome.recorded": "outcomes",
    "deviation.recorded": "deviations",
}
_ON_STUDY = {
    "study.amended": "amendments",
    "calibration.held": "calibrations",
    "release.promoted": "releases",
    "release.withdrawn": "withdrawn",
    "release.refused": "refusals",
}


def _note(state: State, event: Event) -> None:
    payload = event.payload
    if event.type == "project.created":
        state.project_id = payload["project_id"]
    elif event.type == "study.registered":
        study = state.studies.setdefault(payload["study_id"], StudyState(payload["study_id"]))
        study.registrations[payload["guideline_version"]] = event
    elif event.type == "round.opened":
        study = state.studies.setdefault(payload["study_id"], StudyState(payload["study_id"]))
        study.rounds.append(payload["round_id"])
        state.rounds[payload["study_id"], payload["round_id"]] = RoundState(event)
    elif event.type == "round.closed":
        round_state = _round(state, event)
        round_state.closed = event
        for look in state.looks.values():
            if look.seq in payload.get("looked_at_before", ()):
                _look(state, round_state, look)
    elif event.type in _ON_ROUND:
        round_state = _round(state, event)
        getattr(round_state, _ON_ROUND[event.type]).append(event)
        if event.type == "round.reopened":
            round_state.closed = None
        elif event.type == "submission.ingested" and payload.get("raw") in state.looks:
            _look(state, round_state, state.looks[payload["raw"]])
    elif event.type in _ON_STUDY:
        known = state.studies.setdefault(payload["study_id"], StudyState(payload["study_id"]))
        getattr(known, _ON_STUDY[event.type]).append(event)
        if event.type == "calibration.held":
            for round_state in state.rounds_of(payload["study_id"]):
                if round_state.closed is not None and round_state.is_blind:
                    round_state.discussed.append(event)
        elif event.type == "study.amended":
            for round_state in state.rounds_of(payload["study_id"], payload["guideline_version"]):
                if round_state.results_seen < event.seq:
                    round_state.amended.append(event)
    elif event.type == "explored":
        state.looks.setdefault(payload.get("looked_at", ""), event)
        for study_id, round_id in payload["rounds"]:
            _look(state, state.rounds[study_id, round_id], event)
    elif event.type == "redacted":
        state.redacted.append(event)
        for study_id, round_id, _ in payload["rounds"]:
            state.rounds[study_id, round_id].redacted.append(event)


def _look(state: State, round_state: RoundState, look: Event) -> None:
    """Note a look at labels of a round, also one from before they came in: what was amended since is a deviation."""
    if look in round_state.explored:
        return
    round_state.explored.append(look)
    known = state.study(round_state.study_id).amendments
    of_version = [e for e in known if e.payload["guideline_version"] == round_state.guideline_version]
    round_state.amended = [event for event in of_version if event.seq > round_state.results_seen]


def _round(state: State, event: Event) -> RoundState:
    return state.rounds[event.payload["study_id"], event.payload["round_id"]]


def _unknown(what: str, name: str, known: list[str], why: str = "it is not in this project") -> ConfigError:
    return ConfigError(f"{what} {name}: {why}", [Problem(f"unknown-{what}", why, _hint(known), value=name)])


def _hint(known: list[str]) -> str:
    return f"Known: {', '.join(known)}." if known else "There is none yet."
