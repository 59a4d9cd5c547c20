"""Asking the gate: the registered rules on the measured counts, one verdict, one event."""

from __future__ import annotations

from dataclasses import dataclass

from agreement.errors import IntegrityError, OutOfOrder, Problem
from flows.audit.recount import same_verdict
from flows.register import registration_of, require_definitions
from flows.report import last_report, measured_report
from flows.storage.ledger import Event
from flows.storage.order import require
from flows.storage.project import Project
from flows.storage.state import RoundState
from schemas.report import Report


@dataclass(frozen=True)
class Gated:
    """The verdict on a round, in `report.verdict`; its exit code is the command's.

    next_step: a sentence and a command. The report's own, unless contested items were decided since it was written.
    """

    already_done: bool
    event: Event
    report: Report
    next_step: tuple[str, str]


def evaluate(project: Project, round_id: str, study_id: str | None = None) -> Gated:
    """The verdict of the last measuring. Asking again is already done and gives the same.

    Raises OutOfOrder before the round is measured, and for rounds that are never gated.
    """
    standing = _standing(project, project.state().round(round_id, study_id))
    if standing is not None:
        return standing
    with project.changing() as change:
        round_state = change.state.round(round_id, study_id)
        require("gate", round_state)
        require_definitions(registration_of(change.state, round_state))
        measured = round_state.measured[-1]
        report = measured_report(change.objects, measured)
        if report.verdict.status == "not_gated":
            raise OutOfOrder(
                f"gate {round_state.round_id}: {report.verdict.sentence}",
                [Problem("not-gated", "this round is shown and never judged")],
                next_step=report.verdict.next_step,
            )
        if not same_verdict(change.objects, change.state, round_state, measured):
            raise IntegrityError(
                f"gate {round_state.round_id}: the stored counts give another verdict than the report shows",
                next_step="Measure again: `goldgate measure`. If it stays, the installation changed: see `versions` "
                "in report.json.",
                code="verdict-differs",
            )
        event = change.commit(
            "gate.evaluated",
            {
                "study_id": round_state.study_id,
                "round_id": round_state.round_id,
                "measured": measured.seq,
                "verdict": report.verdict.status,
                "exit_code": report.verdict.exit_code,
                "rules": [[rule.verdict, rule.asked, rule.found] for rule in report.verdict.rules],
            },
        )
        return Gated(False, event, report, next_step(round_state, report))


def _standing(project: Project, round_state: RoundState) -> Gated | None:
    """The verdict on the last measuring, if it was given already: read without lock or database."""
    if not (round_state.is_evaluated and round_state.is_current):
        return None
    report = last_report(project.objects, round_state) or measured_report(project.objects, round_state.measured[-1])
    return Gated(True, round_state.gated[-1], report, next_step(round_state, report))


def next_step(round_state: RoundState, report: Report) -> tuple[str, str]:
    """What to do now: after a pass, what is left to decide is known from the last decisions."""
    if report.verdict.status != "pass" or not round_state.adjudications:
        return report.verdict.next_step, report.verdict.command
    left = round_state.adjudications[-1].payload["n_contested_left"]
    if left:
        items = "item that is" if left == 1 else f"{left:,} items that are"
        return f"Have the contested {items} left decided, then release.", report.verdict.command
    return "Release the labels.", f"goldgate release {round_state.study_id} VERSION"
