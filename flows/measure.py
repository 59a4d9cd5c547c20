"""Measuring a closed round: counts from the database, figures from the counts, one event."""

from __future__ import annotations

from importlib.metadata import version

from flows import measurement
from flows.close import Done
from flows.counts import count_round
from flows.record.report_record import report_record
from flows.redact import verdicts_before_redaction
from flows.register import (
    amended_studies,
    registered_study,
    registration_of,
    require_definitions,
    study_before_results,
)
from flows.storage.objects import Objects
from flows.storage.order import require
from flows.storage.project import Project
from flows.storage.state import RoundState, State
from flows.storage.store import Connection
from flows.storage.unchanged import require_unchanged

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
        require_unchanged(change.project, change.con, round_state)
        require_definitions(registration_of(change.state, round_state))
        versions = {name: version(name) for name in PACKAGES}
        digest = change.objects.put(measured_bytes(change.con, change.objects, change.state, round_state, versions))
        last = round_state.measured[-1] if round_state.measured else None
        if last is not None and last.payload["measurement"] == digest:
            return Done(True, last)
        payload = {"study_id": round_state.study_id, "round_id": round_state.round_id, "measurement": digest}
        return Done(False, change.commit("round.measured", payload))


def measured_bytes(
    con: Connection, objects: Objects, state: State, round_state: RoundState, versions: dict[str, str]
) -> bytes:
    """The measurement of a round's labels as they lie in the database, in the light of `state`."""
    study = registered_study(objects, state, round_state)
    counts = count_round(con, study, round_state)
    record = report_record(
        study,
        state,
        round_state,
        counts,
        versions,
        amended_studies(objects, round_state),
        verdicts_before_redaction(objects, round_state),
        study_before_results(objects, state, round_state),
    )
    return measurement.to_bytes(counts.slices, counts.cells, record)
