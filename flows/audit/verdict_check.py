"""Do the verdicts in a ledger follow from what was registered and what was found? Decimals compared as fractions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from agreement.errors import GoldgateError, Problem
from flows import measurement
from flows.register import amended_studies, registered_study
from flows.storage.ledger import Event
from flows.storage.project import Project
from flows.storage.state import RoundState, State, advance
from schemas.report import Report, RuleRecord
from schemas.study import Study

EXIT_CODES = {"pass": 0, "fail": 4, "not_evaluable": 5}


def verdicts_follow(project: Project, events: list[Event]) -> Iterator[Problem]:
    """Every verdict is the one its measuring shows, follows from the rules' figures, and asks what was registered."""
    state = State()
    for event in events:
        if event.type == "gate.evaluated":
            round_state = state.rounds.get((event.payload["study_id"], event.payload["round_id"]))
            if round_state is not None:  # otherwise the order is broken, and is said to be
                yield from _check(project, state, round_state, event)
        try:
            advance(state, event)
        except (KeyError, AttributeError):
            return  # an event about nothing: the order says so


def _check(project: Project, state: State, round_state: RoundState, event: Event) -> Iterator[Problem]:
    measured = {e.seq: e for e in round_state.measured}.get(event.payload["measured"])
    try:
        if measured is None:
            yield _problem("verdict-differs", event, "rests on no measuring of this round")
            return
        report = measurement.report_of(project.objects.read(measured.payload["measurement"]))
        studies = [registered_study(project.objects, state, round_state)]
        studies += [study for _, study in amended_studies(project.objects, round_state)]
    except GoldgateError:
        return  # the object is missing, and is said to be
    yield from _verdict(event, report)
    if not any(_asked(study) == _shown(report) for study in studies) and not round_state.redacted:
        yield _problem("threshold-differs", event, "was asked by other rules than those registered")


def _verdict(event: Event, report: Report) -> Iterator[Problem]:
    verdict, payload = report.verdict, event.payload
    if payload["verdict"] != verdict.status or payload["exit_code"] != EXIT_CODES.get(verdict.status):
        yield _problem("verdict-differs", event, f"says {payload['verdict']}, its report {verdict.status}")
    if [list(rule) for rule in payload["rules"]] != [[r.verdict, r.asked, r.found] for r in verdict.rules]:
        yield _problem("verdict-differs", event, "has other rules than its report")
    for rule in verdict.rules:
        if rule.verdict != _follows(rule):
            yield _problem("verdict-differs", event, f"rule {rule.number} says {rule.verdict}, its figures do not")
    found = {rule.verdict for rule in verdict.rules}
    overall = "fail" if "fail" in found else "not_evaluable" if "not_evaluable" in found or not found else "pass"
    if verdict.status != overall:
        yield _problem("verdict-differs", event, f"says {verdict.status}, its rules make it {overall}")


def _follows(rule: RuleRecord) -> str:
    """What a rule's own figures make of it."""
    if rule.found is None:
        return "not_evaluable"
    found, asked = Fraction(rule.found), Fraction(rule.asked)
    return "pass" if (found >= asked if rule.comparison == "at_least" else found <= asked) else "fail"


def _asked(study: Study) -> list[tuple[str, str, str, str]]:
    return [(r.slice, r.statistic, r.judged_on, str(r.threshold_text)) for r in study.gate.rules]


def _shown(report: Report) -> list[tuple[str, str, str, str]]:
    return [(r.slice, r.statistic, r.judged_on, r.asked) for r in report.verdict.rules]


def _problem(code: str, event: Event, what: str) -> Problem:
    name = event.payload["round_id"]
    return Problem(code, f"event {event.seq}: the verdict on {name} {what}", f"Read the report of {name}.")
