"""Measuring a closed round: counts from the database, figures from the counts, one event."""

from __future__ import annotations

from importlib.metadata import version

from flows import measurement
from flows.close import Done
from flows.counts import count_round
from flows.order import require
from flows.project import Project
from flows.record.report_record import report_record
from flows.redact import verdicts_before_redaction
from flows.register import amended_studies, registered_study, registration_of, require_definitions

# What figures may depend on; recorded with each measurement.
PACKAGES = ("goldgate", "duckdb", "numpy", "scipy")


def measure(project: Project, round_id: str, study_id: str | None = None) -> Done:
    """Count and estimate everything of a round. The first measuring of a round is its first look.

    The same counts give the same record: measuring again is then already done. Raises OutOfOrder before the round is
    closed.
    """
    with project.changing() as change:
        round_state = change.state.round(round_id, study_id)
        require("measure", round_state)
        require_definitions(registration_of(change.state, round_state))
        study = registered_study(change.objects, change.state, round_state)
        counts = count_round(change.con, study, round_state)
        record = report_record(
            study,
            change.state,
            round_state,
            counts,
            {name: version(name) for name in PACKAGES},
            amended_studies(change.objects, round_state),
            verdicts_before_redaction(change.objects, round_state),
        )
        digest = change.objects.put(measurement.to_bytes(counts.slices, counts.cells, record))
        last = round_state.measured[-1] if round_state.measured else None
        if last is not None and last.payload["measurement"] == digest:
            return Done(True, last)
        payload = {"study_id": round_state.study_id, "round_id": round_state.round_id, "measurement": digest}
        return Done(False, change.commit("round.measured", payload))
