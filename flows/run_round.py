"""The Prefect flow of a round: from its folder to its verdict.

Prefect shows and schedules; it decides nothing. What happened stands in the ledger, and every step finds its own work
done when it is run again, so no task is retried or cached. Importing this imports Prefect: see `run.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ParamSpec, TypeVar, cast

from prefect import Task, flow, runtime, task
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas import State
from prefect.states import Completed, Failed

from agreement.errors import GoldgateError
from flows.orchestration import round_steps as steps
from flows.orchestration.outcomes import NOT_COMPLETE, Outcome, worst

P = ParamSpec("P")
R = TypeVar("R")


def _as_task(step: Callable[P, R]) -> Task[P, R]:
    return task(retries=0, cache_policy=NO_CACHE, persist_result=False)(step)


read_folder = _as_task(steps.read_folder)
register_study = _as_task(steps.register_study)
open_round = _as_task(steps.open_round)
ingest_files = _as_task(steps.ingest_files)
close_round = _as_task(steps.close_round)
measure_round = _as_task(steps.measure_round)
write_report = _as_task(steps.write_report)
evaluate_gate = _as_task(steps.evaluate_gate)


@_as_task
def publish_verdict(root: str, study_id: str, round_id: str, folder: str) -> str:
    """The report, verdict first, as an artifact of the flow run; its key, the same for every run of this round."""
    key = "verdict-" + re.sub(r"[^a-z0-9]+", "-", f"{study_id}-{round_id}")  # all that Prefect allows in a key
    page = Path(root, folder, "report.md").read_text(encoding="utf-8")
    create_markdown_artifact(key=key, markdown=page, description=f"{study_id}, {round_id}")
    return key


# Asynchronous, because a synchronous flow waits a second for its heartbeat's thread at its end.
@flow(name="run_round", flow_run_name=lambda: _run_name(), retries=0, persist_result=False)
async def run_round(root: str, folder: str) -> State[list[Outcome]]:
    """One round's folder, for each study it serves: register, open, ingest, close, measure, report, gate.

    Failed if input was refused or the gate did not pass; Completed if it passed, or waits for labels. The state's data
    is one Outcome per study.
    """
    try:
        served = read_folder(folder)
        registered = register_study(root, folder)
    except GoldgateError as refusal:
        return _state([Outcome("", "").stopped(refusal)])
    outcomes = [Outcome(study_id, served["round_id"], lines=[registered]) for study_id in served["studies"]]
    return _state([_run_study(root, folder, outcome) for outcome in outcomes])


def _run_study(root: str, folder: str, outcome: Outcome) -> Outcome:
    study_id, round_id, said = outcome.study_id, outcome.round_id, outcome.lines.append
    outcome.flow_run = runtime.flow_run.name or ""
    try:
        said(open_round(root, folder, study_id))
        said(ingest_files(root, folder, study_id))
        closing = close_round(root, folder, study_id)
        if not closing["closed"]:
            outcome.exit_code, outcome.message = NOT_COMPLETE, closing["line"]
            return outcome
        said(closing["line"])
        said(measure_round(root, study_id, round_id))
        report = write_report(root, study_id, round_id)
        said(report["line"])
        verdict = evaluate_gate(root, study_id, round_id)
        said(verdict["line"])
        outcome.artifact = publish_verdict(root, study_id, round_id, report["folder"])
    except GoldgateError as refusal:
        return outcome.stopped(refusal)
    outcome.exit_code, outcome.message, outcome.next_step = verdict["exit"], verdict["sentence"], verdict["next_step"]
    return outcome


def _state(outcomes: Sequence[Outcome]) -> State[list[Outcome]]:
    message = " ".join(f"{o.study_id}: {o.message}" if len(outcomes) > 1 else o.message for o in outcomes)
    end = worst(outcomes)
    kind = Completed if end.exit_code == 0 or end.waiting else Failed
    return cast("State[list[Outcome]]", kind(message=message, data=list(outcomes)))


def _run_name() -> str:
    """inbox/study/round -> study/round, which is how the run is listed in Prefect."""
    return "/".join(Path(runtime.flow_run.parameters["folder"]).absolute().parts[-2:])
