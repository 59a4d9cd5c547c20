"""The Prefect flow over the inbox: every round folder that is ready, one after the other.

Importing this imports Prefect: see `serve.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

from prefect import flow
from prefect.client.schemas import State
from prefect.states import Completed, Failed

from flows.orchestration.inbox import look
from flows.run_round import run_round
from flows.storage.project import Project


@flow(name="run_inbox", retries=0, persist_result=False)
async def run_inbox(root: str) -> State[dict[str, str]]:
    """Run `run_round` for each folder whose files are all there and whose round has no verdict yet.

    A folder that fails does not stop the others; then this run fails as well. The state's data says per folder how it
    ended or what it waits for.
    """
    ended: dict[str, str] = {}
    failed = 0
    for entry in look(Project(Path(root))):
        name = "/".join(entry.folder.parts[-2:])
        if not entry.ready:
            ended[name] = entry.why
            continue
        state = await run_round(root, str(entry.folder), return_state=True)
        failed += not state.is_completed()
        ended[name] = state.message or state.name or ""
    message = "; ".join(f"{name}: {how}" for name, how in ended.items()) or "the inbox is empty"
    kind = Failed if failed else Completed
    return cast("State[dict[str, str]]", kind(message=message, data=ended))
