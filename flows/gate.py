"""Asking the gate: the registered rules on the measured counts, one verdict, one event."""

from __future__ import annotations

from dataclasses import dataclass

from agreement.errors import IntegrityError, OutOfOrder, Problem
from flows import measurement
from flows.ledger import Event
from flows.order import require
from flows.project import Change, Project
from flows.register import registered_study
from flows.report import last_report, measured_report
from flows.state import RoundState
from schemas.report import Report


@dataclass(frozen=True)
class Gated:
    """The verdict on a round, in `report.verdict`; its exit code is the command's."""

    already_done: bool
    event: Event
    report: Report


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
        measured = round_state.measured[-1]
        report = measured_report(change.objects, measured)
        if report.verdict.status == "not_gated":
            raise OutOfOrder(
                f"gate {round_state.round_id}: {report.verdict.sentence}",
                [Problem("not-gated", "this round is shown and never judged")],
                next_step=report.verdict.next_step,
            )
        _require_same_verdict(change, round_state, measured, report)
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
        return Gated(False, event, report)


def _standing(project: Project, round_state: RoundState) -> Gated | None:
    """The verdict on the last measuring, if it was given already: read without lock or database."""
    if not round_state.gated or round_state.gated[-1].payload["measured"] != round_state.measured[-1].seq:
        return None
    report = last_report(project.objects, round_state) or measured_report(project.objects, round_state.measured[-1])
    return Gated(True, round_state.gated[-1], report)


def _require_same_verdict(change: Change, round_state: RoundState, measured: Event, report: Report) -> None:
    """The verdict again, from the registered bytes and the stored counts: it must be the one the report shows."""
    from agreement.gate import judge
    from flows.counts import SliceCounts
    from flows.record.evidence import evidence_of
    from flows.record.settings import settings_of
    from flows.record.traffic_record import traffic_evidence, traffic_of

    study = registered_study(change.objects, change.state, round_state)
    settings = settings_of(study)
    data = change.objects.read(measured.payload["measurement"])
    counts = measurement.patterns_of(data)
    parts = tuple(SliceCounts(name, found, ()) for name, found in counts.items())
    evidence = {part.name: evidence_of(study, part, settings) for part in parts}
    pool = dict(round_state.opened.payload["pool"])
    evidence |= traffic_evidence(study, traffic_of(study, parts, measurement.cells_of(data), pool))
    verdict = judge(study.gate.rules, evidence, study.interval.level, study.gate.attempts)
    again = [(result.verdict, result.found) for result in verdict.results]
    shown = [(rule.verdict, rule.found) for rule in report.verdict.rules]
    if again != shown or verdict.status != report.verdict.status:
        raise IntegrityError(
            f"gate {round_state.round_id}: the stored counts give another verdict than the report shows",
            next_step="Measure again: `goldgate measure`. If it stays, the installation has changed: see `versions` "
            "in report.json.",
        )
