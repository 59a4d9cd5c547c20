"""The verdict a second time, from the registered bytes and the stored counts: for the gate before it speaks, and for
`verify` ever after.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flows import measurement
from flows.record.deviations import worse_status
from flows.redact import verdicts_before_redaction
from flows.register import amended_studies, registered_study
from flows.report import measured_report
from flows.storage.ledger import Event
from flows.storage.objects import Objects
from flows.storage.state import RoundState, State
from schemas.report import Status, VerdictRecord
from schemas.study import Study

if TYPE_CHECKING:
    from agreement.gate import Verdict

# A verdict: its status, and what became of each rule, what was asked and what was found.
Judged = tuple["Status", list[tuple[str, str, str | None]]]


def same_verdict(objects: Objects, state: State, round_state: RoundState, measured: Event) -> bool:
    """Whether the counts of a measuring, judged again, give the verdict its report shows.

    Where the study was amended after results could be known, or labels were removed since, the worst of all verdicts
    is to be shown.
    """
    governing = registered_study(objects, state, round_state)
    studies = [governing, *(study for _, study in amended_studies(objects, round_state))]
    data = objects.read(measured.payload["measurement"])
    again = [_outcome(_counted(study, round_state, data)) for study in studies]
    again += [_shown(earlier.verdict) for earlier in verdicts_before_redaction(objects, round_state)]
    worst: Status = "pass"
    for status, _ in again:
        worst = worse_status(worst, status)
    shown = _shown(measured_report(objects, measured).verdict)
    return shown in again and shown[0] == worst


def _outcome(verdict: Verdict) -> Judged:
    return verdict.status, [(r.verdict, str(r.rule.threshold_text), r.found) for r in verdict.results]


def _shown(verdict: VerdictRecord) -> Judged:
    return verdict.status, [(rule.verdict, rule.asked, rule.found) for rule in verdict.rules]


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
