"""Asking the gate: the registered rules on the measured counts, one verdict, one event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agreement.errors import IntegrityError, OutOfOrder, Problem
from flows import measurement
from flows.ledger import Event
from flows.order import require
from flows.project import Change, Project
from flows.record.deviations import worse_status
from flows.redact import verdicts_before_redaction
from flows.register import amended_studies, registered_study, registration_of, require_definitions
from flows.report import last_report, measured_report
from flows.state import RoundState
from schemas.report import Report, Status
from schemas.study import Study

if TYPE_CHECKING:
    from agreement.gate import Verdict


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
        require_definitions(registration_of(change.state, round_state))
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
    if not (round_state.is_evaluated and round_state.is_current):
        return None
    report = last_report(project.objects, round_state) or measured_report(project.objects, round_state.measured[-1])
    return Gated(True, round_state.gated[-1], report)


def _require_same_verdict(change: Change, round_state: RoundState, measured: Event, report: Report) -> None:
    """The verdict again, from the registered bytes and the stored counts: it must be the one the report shows.

    Where the study was amended after results could be known, or labels were removed since, the worst of all verdicts.
    """
    governing = registered_study(change.objects, change.state, round_state)
    studies = [governing, *(study for _, study in amended_studies(change.objects, round_state))]
    data = change.objects.read(measured.payload["measurement"])
    counted = [_counted(study, round_state, data) for study in studies]
    again: list[tuple[Status, list[tuple[str, str | None]]]] = [
        (v.status, [(r.verdict, r.found) for r in v.results]) for v in counted
    ]
    earlier = verdicts_before_redaction(change.objects, round_state)
    again += [(o.verdict.status, [(rule.verdict, rule.found) for rule in o.verdict.rules]) for o in earlier]
    shown = (report.verdict.status, [(rule.verdict, rule.found) for rule in report.verdict.rules])
    worst: Status = "pass"
    for status, _ in again:
        worst = worse_status(worst, status)
    if shown not in again or report.verdict.status != worst:
        raise IntegrityError(
            f"gate {round_state.round_id}: the stored counts give another verdict than the report shows",
            next_step="Measure again: `goldgate measure`. If it stays, the installation has changed: see `versions` "
            "in report.json.",
        )


def _counted(study: Study, round_state: RoundState, data: bytes) -> Verdict:
    """The verdict of one study on a measurement's counts."""
    from agreement.gate import judge
    from flows.counts import SliceCounts
    from flows.record.evidence import evidence_of
    from flows.record.settings import settings_of
    from flows.record.traffic_record import traffic_evidence, traffic_of

    settings = settings_of(study)
    parts = tuple(SliceCounts(name, found, ()) for name, found in measurement.patterns_of(data).items())
    evidence = {part.name: evidence_of(study, part, settings) for part in parts}
    pool = dict(round_state.opened.payload["pool"])
    evidence |= traffic_evidence(study, traffic_of(study, parts, measurement.cells_of(data), pool))
    return judge(study.gate.rules, evidence, study.interval.level, study.gate.attempts)
