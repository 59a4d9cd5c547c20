"""Does every verdict of a ledger follow from what was registered and what was counted?"""

from __future__ import annotations

from collections.abc import Iterator

from agreement.errors import Problem
from flows.audit.recount import same_verdict
from flows.audit.verified import Tally
from flows.report import measured_report
from flows.storage.ledger import Event
from flows.storage.project import Project
from flows.storage.state import RoundState, State, advance
from schemas.report import Report

EXIT_CODES = {"pass": 0, "fail": 4, "not_evaluable": 5}


def verdicts_follow(project: Project, events: list[Event], tally: Tally) -> Iterator[Problem]:
    """Every verdict is that of its report, and the registered bytes give it again on the stored counts, as things stood
    then. For a ledger in order whose objects are all there.
    """
    state = State()
    for event in events:
        if event.type == "gate.evaluated":
            found = list(_check(project, state, event))
            tally.count("verdicts", 1, bool(found))
            yield from found
        advance(state, event)


def unjudged(events: list[Event], uncounted: set[int]) -> list[Event]:
    """Verdicts on measurings, given by their events, whose labels are not all there any more."""
    return [event for event in events if event.type == "gate.evaluated" and event.payload["measured"] in uncounted]


def _check(project: Project, state: State, event: Event) -> Iterator[Problem]:
    round_state = state.round(event.payload["round_id"], event.payload["study_id"])
    measured = round_state.measured[-1]
    if event.payload["measured"] != measured.seq:
        yield _problem(event, "rests on another measuring than the last one before it")
        return
    if not project.objects.has(measured.payload["measurement"]):
        yield _problem(event, f"cannot be judged again: what event {measured.seq} measured is gone")
        return
    report = measured_report(project.objects, measured)
    yield from _as_reported(event, report)
    yield from _unlisted(event, round_state, report)
    if not same_verdict(project.objects, state, round_state, measured):
        yield _problem(event, f"is another one if the counts of event {measured.seq} are judged again")


def _as_reported(event: Event, report: Report) -> Iterator[Problem]:
    verdict, payload = report.verdict, event.payload
    if payload["verdict"] != verdict.status or payload["exit_code"] != EXIT_CODES.get(verdict.status):
        yield _problem(event, f"says {payload['verdict']}, its report {verdict.status}")
    if [list(rule) for rule in payload["rules"]] != [[r.verdict, r.asked, r.found] for r in verdict.rules]:
        yield _problem(event, "has other rules than its report")


def _unlisted(event: Event, round_state: RoundState, report: Report) -> Iterator[Problem]:
    """Every deviation before the measuring is a line of its report."""
    told = (*round_state.deviations, *round_state.explored, *round_state.amended)
    for seq in sorted(one.seq for one in told if one.seq < report.ledger_head.size):
        if not any(line.startswith((f"event {seq}:", f"event {seq},")) for line in report.deviations):
            message = (
                f"event {event.seq}: the report of {round_state.round_id} does not list the deviation of event {seq}"
            )
            yield Problem("deviation-unlisted", message, "Compare objects and ledger with a backup.")


def _problem(event: Event, what: str) -> Problem:
    name = event.payload["round_id"]
    fix = f"Read the report of {name}; its `versions` say whether it was this installation."
    return Problem("verdict-differs", f"event {event.seq}: the verdict on {name} {what}", fix)
