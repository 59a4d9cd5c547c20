"""How long the demo study's measure step takes, beside one bare count of its labels in SQL. Printed; no test.

The step counts, estimates with 10,000 resamples, and makes the whole report record, for three annotators and three
slices of 2,040 items. Processor seconds of the fastest of three runs.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flows.close import close_round
from flows.counts import count_round
from flows.ingest import ingest
from flows.measure import measure
from flows.open import open_round
from flows.record.report_record import report_record
from flows.register import register, registered_study
from flows.sample import copy_sample
from flows.storage.project import Project
from flows.storage.store import rows

GOAL_S = 1.0
REPEATS = 3


def seconds(work: Callable[[], Any]) -> float:
    best = float("inf")
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = filled(Path(folder))
        state = project.state()
        round_state = state.round("round-01")
        study = registered_study(project.objects, state, round_state)
        with project.reading() as con:
            counted = seconds(lambda: count_round(con, study, round_state))
            bare = seconds(lambda: rows(con, 'select item_id, list("label") from raw_label group by item_id'))
            counts = count_round(con, study, round_state)
        figures = seconds(lambda: report_record(study, state, round_state, counts, {}))
        start = time.perf_counter()
        measure(project, "round-01")
        whole = time.perf_counter() - start
    print("| part of the demo's measure step | seconds | beside a bare GROUP BY |")
    print("|---|---|---|")
    for name, took in (("bare GROUP BY of the labels", bare), ("counts", counted), ("figures and report", figures)):
        print(f"| {name} | {took:.3f} | {took / bare:.0f} |")
    print(f"| the step, as somebody waits for it (goal: under {GOAL_S:g} s) | {whole:.3f} | {whole / bare:.0f} |")


def filled(folder: Path) -> Project:
    """A project in which the demo's first round is closed."""
    begun = datetime(2026, 4, 1, 12, tzinfo=UTC)
    sample = folder / "sample"
    sample.mkdir()
    copy_sample(sample, {"round-01": begun})
    project = Project(folder / "project", clock=lambda: begun, actor=lambda: "bench")
    register(project, sample / "study-1.0.yaml")
    open_round(project, sample / "round-01")
    ingest(project, "round-01", [sample / "round-01" / f"{who}.csv" for who in ("ada", "bo", "cy")])
    close_round(project, "round-01", incomplete="as in the demo")
    return project


if __name__ == "__main__":
    main()
