"""`goldgate run ROUND_FOLDER`: the flow of a round, once, now, with Prefect kept off the terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import cast

from flows.open import read_round_file
from flows.orchestration.outcomes import Outcome, refusal_of, worst
from flows.orchestration.prefect_settings import FOLDER, prefect_environment


def run(folder: Path, root: Path, say: Callable[[str], None] = print) -> int:
    """Run the flow over one round's folder; the exit code (outcomes.py).

    Against the Prefect server of PREFECT_API_URL, or a temporary one that ends with this. say: gets a line per step.
    Raises what was refused as the step raised it, after the lines of what was done before.
    """
    read_round_file(folder)  # what cannot be run is said at once, not after Prefect has started
    with prefect_environment(root, quiet=True):
        outcomes = _run_flow(folder, root)
    for outcome in outcomes:
        _tell(outcome, say, name_study=len(outcomes) > 1)
    refusal = refusal_of(outcomes)
    if refusal is not None:
        raise refusal
    return worst(outcomes).exit_code


def _run_flow(folder: Path, root: Path) -> list[Outcome]:
    from flows.orchestration.prefect_api import prefect_api

    with prefect_api(root / FOLDER):
        return asyncio.run(_outcomes(str(root.absolute()), str(folder.absolute())))


async def _outcomes(root: str, folder: str) -> list[Outcome]:
    """The flow's outcomes, whatever its state: a failed run carries them as well. A bug keeps its traceback."""
    from flows.run_round import run_round

    state = await run_round(root, folder, return_state=True)
    found: object = await state.aresult(raise_on_failure=False)
    if isinstance(found, BaseException):
        raise found
    return cast("list[Outcome]", found)


def _tell(outcome: Outcome, say: Callable[[str], None], *, name_study: bool) -> None:
    if name_study and outcome.study_id:
        say(f"{outcome.study_id}:")
    for line in outcome.lines:
        say(f"  {line}")
    if outcome.refusal is not None:
        return
    say(outcome.message)
    if outcome.next_step:
        say(outcome.next_step)
    if outcome.artifact:
        say(f"In Prefect: flow run {outcome.flow_run}, artifact {outcome.artifact}")
