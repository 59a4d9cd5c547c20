"""A study over all its rounds and guideline versions: read from the ledger and the measurements it names.

Needs no database and no lock. `history(project, study, as_of=n)` is the state after event n.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from agreement.rounding import display
from flows.history_slices import cumulative_lines, slice_lines
from flows.open import attempt_number
from flows.register import frozen_study, grade, registered_study
from flows.report import last_report, measured_report
from flows.storage.follows import followed, standing_registration
from flows.storage.ledger import Event
from flows.storage.objects import Objects
from flows.storage.project import Project
from flows.storage.state import RoundState, State, StudyState
from schemas.history import (
    Card,
    DeviationRecord,
    EventLine,
    HistoryRecord,
    NearMissRecord,
    ReleaseLine,
    RoundLine,
    ThresholdRecord,
    VersionRecord,
)
from schemas.report import Head, Report, RuleRecord
from schemas.study import Study

# Events a reader of the history looks for.
SHOWN_EVENTS = (
    "study.registered",
    "study.amended",
    "calibration.held",
    "round.opened",
    "round.closed",
    "round.measured",
    "gate.evaluated",
    "deviation.recorded",
    "explored",
    "redacted",
    "outcome.recorded",
    "release.promoted",
    "release.refused",
    "release.withdrawn",
)
NEAR = 0.05  # how close to its threshold a failed rule is called a near miss


def history(project: Project, study_id: str, as_of: int | None = None) -> HistoryRecord:
    """Everything that was decided about a study. ConfigError if there is no such study."""
    events = project.events_until(as_of)
    state = followed(events)
    study_state = state.study(study_id)
    rounds = state.rounds_of(study_id)
    reports = {r.round_id: _report(project.objects, r) for r in rounds}
    last_of = {r.guideline_version: r for r in rounds}  # one study file a version, however many rounds
    studies = {
        version: _study(project.objects, state, study_state, version, last_of.get(version))
        for version in dict.fromkeys((*last_of, *study_state.registrations))
    }
    latest = list(studies.values())[-1]
    differences = _differences(project.objects, state, study_id, studies)
    return HistoryRecord(
        study_id=study_id,
        question=latest.question,
        use=latest.gate.use,
        may_be_used=_may_be_used(study_state, latest),
        last_verdict=_last_verdict(rounds, reports),
        now=_now(state, study_state, rounds),
        versions=[
            _version(project.objects, state, study_state, version, study, reports, differences.get(version, []))
            for version, study in studies.items()
        ],
        near_misses=list(_near_misses(reports)),
        deviations=list(_deviations(reports)),
        releases=_releases(project, study_state),
        ledger_head=Head(size=state.head.size, hash=state.head.hash),
        events=_events(events, study_id),
    )


def _report(objects: Objects, round_state: RoundState) -> Report | None:
    if not round_state.measured:
        return None
    return last_report(objects, round_state) or measured_report(objects, round_state.measured[-1])


def _study(
    objects: Objects, state: State, study_state: StudyState, version: str, last_round: RoundState | None
) -> Study:
    """What stands for a guideline version: its registration as amended, else what its last round's opening froze."""
    event = standing_registration(study_state, version)
    if event is not None:
        return frozen_study(objects, event.payload)
    assert last_round is not None  # a version is known by a registration or by a round
    return registered_study(objects, state, last_round)


def _version(
    objects: Objects,
    state: State,
    study_state: StudyState,
    version: str,
    study: Study,
    reports: dict[str, Report | None],
    differences: list[str],
) -> VersionRecord:
    rounds = state.rounds_of(study_state.study_id, version)
    registration = study_state.registrations.get(version)
    judged = [r for r in rounds if r.gated]
    measured = [r for r in rounds if r.kind == "measured" and r.measured]
    attempts_used = max((_attempt(state, r) for r in judged), default=0)
    return VersionRecord(
        guideline_version=version,
        guideline_digest=_guideline(registration, rounds),
        published=f"event {registration.seq}, {registration.ts[:10]}" if registration else "not registered",
        registration=_registration_words(registration),
        thresholds=_thresholds(study),
        rounds=[_round_line(state, study_state, r, study, reports[r.round_id]) for r in rounds],
        passed=sum(r.verdict == "pass" for r in judged),
        judged=len(judged),
        attempts_used=attempts_used,
        attempts=study.gate.attempts,
        cumulative=cumulative_lines(objects, study, measured),
        differences=differences,
        not_measurable=_not_measurable(judged, attempts_used, study),
    )


def _differences(objects: Objects, state: State, study_id: str, studies: dict[str, Study]) -> dict[str, list[str]]:
    """Per guideline version: its first measured round against the last one of the version before."""
    found: dict[str, list[str]] = {}
    before: RoundState | None = None
    for version, study in studies.items():
        rounds = [r for r in state.rounds_of(study_id, version) if r.kind == "measured" and r.measured]
        if rounds and before is not None:
            found[version] = _against(objects, before, rounds[0], study)
        before = rounds[-1] if rounds else before
    return found


def _against(objects: Objects, before: RoundState, after: RoundState, study: Study) -> list[str]:
    from flows import measurement
    from flows.record.differences import difference_sentences
    from flows.record.settings import settings_of

    old, new = (measurement.patterns_of(objects.read(r.measured[-1].payload["measurement"])) for r in (before, after))
    names = (before.round_id, after.round_id)
    return list(difference_sentences(old, new, names, study.positive_mask(), settings_of(study)))


def _round_line(
    state: State, study_state: StudyState, round_state: RoundState, study: Study, report: Report | None
) -> RoundLine:
    rules = report.verdict.rules if report else []
    closed = round_state.closed
    return RoundLine(
        round_id=round_state.round_id,
        kind=round_state.opened.payload["kind"],
        state="measured" if report else "closed" if closed else "open",
        grade=grade(state, round_state),
        guideline_version=round_state.guideline_version,
        opened_at=round_state.opened.ts,
        closed_at=closed.ts if closed else "",
        attempt=_attempt(state, round_state),
        attempts=study.gate.attempts,
        attempt_of=round_state.opened.payload["attempt_of"],
        verdict=report.verdict.status if report else None,
        rules=len(rules),
        failed=sum(rule.verdict == "fail" for rule in rules),
        not_evaluable=sum(rule.verdict == "not_evaluable" for rule in rules),
        sentence=report.verdict.sentence if report else "Labels are coming in." if not closed else "Not measured yet.",
        report_version=round_state.reports[-1].payload["version"] if round_state.reports else None,
        releases=[
            f"release {e.payload['version']}" for e in study_state.releases if round_state.round_id in _rounds_of(e)
        ],
        slices=slice_lines(report) if report else [],
    )


def _attempt(state: State, round_state: RoundState) -> int:
    return attempt_number(state, round_state.study_id, round_state.opened.payload["attempt_of"])


def _guideline(registration: Event | None, rounds: Sequence[RoundState]) -> str:
    event = registration or rounds[0].opened
    return str(event.payload["guideline_digest"])


def _registration_words(registration: Event | None) -> str:
    return f"study file {registration.payload['study_file'][:12]}" if registration else ""


def _thresholds(study: Study) -> list[ThresholdRecord]:
    return [
        ThresholdRecord(
            slice=rule.slice,
            statistic=rule.statistic,
            category=rule.category,
            judged_on=rule.judged_on,
            comparison="at_least" if rule.at_least is not None else "at_most",
            asked=str(rule.threshold_text),
        )
        for rule in study.gate.rules
    ]


def _not_measurable(judged: Sequence[RoundState], attempts_used: int, study: Study) -> str:
    if attempts_used < study.gate.attempts or not judged or any(r.verdict == "pass" for r in judged):
        return ""
    n = study.gate.attempts
    return f"not measurable as written: {'the one registered attempt' if n == 1 else f'all {n} attempts'} did not pass"


def _may_be_used(study_state: StudyState, study: Study) -> Card:
    withdrawn = {event.payload["release_id"] for event in study_state.withdrawn}
    standing = [event for event in study_state.releases if event.payload["release_id"] not in withdrawn]
    if not study_state.releases:
        return Card(word="Nothing yet", status="none", text="No release of this study has been published.")
    if not standing:
        taken = ", ".join(f"{event.payload['version']} (event {event.seq})" for event in study_state.withdrawn)
        return Card(word="Nothing now", status="none", text=f"Every release of this study was withdrawn: {taken}.")
    last = standing[-1].payload
    return Card(
        word=f"Release {last['version']}",
        status="pass",
        text=f"{last['labels']:,} labels, since {standing[-1].ts[:10]}. For: {study.gate.use}.",
    )


def _last_verdict(rounds: Sequence[RoundState], reports: dict[str, Report | None]) -> Card:
    gated = [r for r in rounds if r.gated]
    if not gated:
        return Card(word="Nothing yet", status="none", text="No round of this study has been judged.")
    last = max(gated, key=lambda r: r.gated[-1].seq)
    report = reports[last.round_id]
    assert report is not None  # a gated round is a measured one
    if not last.is_current:
        return _outdated(last)
    word = {"pass": "Passed", "fail": "Blocked", "not_evaluable": "Blocked"}[report.verdict.status]
    return Card(word=word, status=report.verdict.status, text=f"{last.round_id}: {report.verdict.sentence}")


def _outdated(last: RoundState) -> Card:
    """A verdict that the gate would not repeat before the round is measured again."""
    by = ", ".join(f"event {event.seq} ({event.type})" for event in last.changed_since)
    return Card(
        word="To be measured again",
        status="none",
        text=f"{last.round_id} was judged by event {last.gated[-1].seq}; since its measuring came {by}, so that "
        "verdict does not stand.",
        command=f"goldgate measure {last.round_id}",
    )


def _now(state: State, study_state: StudyState, rounds: Sequence[RoundState]) -> Card:
    still_open = [r for r in rounds if r.closed is None]
    if still_open:
        name = still_open[-1].round_id
        return Card(word="Collecting", status="open", text=f"{name} is open.", command=f"goldgate status {name}")
    waiting = [r for r in rounds if not r.measured]
    if waiting:
        name = waiting[-1].round_id
        return Card(word="To measure", status="open", text=f"{name} is closed.", command=f"goldgate measure {name}")
    return Card(word="Nothing open", status="none", text="No round is open.", command="goldgate open ROUND_FOLDER")


def _near_misses(reports: dict[str, Report | None]) -> Iterator[NearMissRecord]:
    for round_id, report in reports.items():
        for rule in report.verdict.rules if report else []:
            if rule.verdict == "fail" and rule.found is not None and _is_near(rule):
                text = f"{rule.statistic.replace('_', ' ')} {display(str(rule.found), rule.asked)}, asked {rule.asked}"
                yield NearMissRecord(round_id=round_id, slice=rule.slice, text=text)


def _deviations(reports: dict[str, Report | None]) -> Iterator[DeviationRecord]:
    for round_id, report in reports.items():
        for one in report.deviation_verdicts if report else []:
            yield DeviationRecord(round_id=round_id, **one.model_dump())


def _is_near(rule: RuleRecord) -> bool:
    asked, found = float(rule.asked), float(rule.found or 0)
    return abs(asked - found) <= NEAR * max(1.0, asked)


def _releases(project: Project, study_state: StudyState) -> list[ReleaseLine]:
    withdrawn = {event.payload["release_id"] for event in study_state.withdrawn}
    lines = []
    for event in sorted((*study_state.releases, *study_state.refusals), key=lambda e: e.seq):
        lines.append(_release_line(study_state, event, withdrawn))
    return lines


def _release_line(study_state: StudyState, event: Event, withdrawn: set[str]) -> ReleaseLine:
    payload = event.payload
    if event.type == "release.refused":
        return ReleaseLine(
            release=payload["version"],
            state="refused",
            digest="",
            at=event.ts,
            event=event.seq,
            rounds=[],
            labels=None,
            against_before=payload["why"],
        )
    how: dict[str, int] = dict(payload["how"])
    is_last = event is study_state.releases[-1]
    return ReleaseLine(
        release=payload["version"],
        state="withdrawn" if payload["release_id"] in withdrawn else "in force" if is_last else "superseded",
        digest=payload["release_id"],
        at=event.ts,
        event=event.seq,
        rounds=_rounds_of(event),
        labels=payload["labels"],
        unanimous=how.get("unanimous", 0),
        adjudicated=how.get("adjudicated", 0) + how.get("majority", 0),
        relabelled=how.get("relabelled", 0),
        left_out=payload["left_out"],
    )


def _rounds_of(released: Event) -> list[str]:
    """The rounds whose labels a release holds: those that passed, then relabel rounds."""
    return [*released.payload["rounds"], *released.payload.get("relabelled", [])]


def _events(events: Sequence[Event], study_id: str) -> list[EventLine]:
    chosen = [event for event in events if event.type in SHOWN_EVENTS and study_id in _studies_of(event)]
    return [
        EventLine(seq=e.seq, at=e.ts, type=e.type, text=_event_text(e.type, e.payload), head=e.hash)
        for e in reversed(chosen)
    ]


def _studies_of(event: Event) -> list[str]:
    """Removals and looks may concern several studies; everything else one."""
    if "study_id" in event.payload:
        return [event.payload["study_id"]]
    return [study for study, *_ in event.payload.get("rounds", [])]


def _event_text(type: str, payload: dict[str, Any]) -> str:
    what = payload.get("round_id") or payload.get("version") or payload.get("guideline_version") or ""
    extra = next((payload[key] for key in ("verdict", "how", "why", "reason", "text") if payload.get(key)), "")
    extra = extra if isinstance(extra, str) else ""
    return f"{what} {extra.replace('_', ' ')}".strip()
