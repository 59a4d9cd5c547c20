"""`goldgate serve`: run the rounds of the inbox on a schedule, and each round as soon as it is closed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from agreement.errors import ConfigError
from flows.orchestration.inbox import inbox
from flows.orchestration.prefect_settings import prefect_environment
from flows.storage.project import Project

CLOSED = "round.closed"
HOURLY = "0 * * * *"


def serve(root: Path, cron: str = HOURLY, say: Callable[[str], None] = print) -> None:
    """Deploy to the Prefect server in use and run what it schedules, one run at a time, until stopped.

    ConfigError if no server is configured or answers (a temporary one has no scheduler), or `cron` is not a schedule.
    """
    with prefect_environment(root, quiet=False):
        from flows.orchestration.prefect_api import configured_api, require_answer

        address = configured_api()
        if address is None:
            raise ConfigError(
                "serve: no Prefect server is configured",
                next_step="Start one (`prefect server start`) and set PREFECT_API_URL to its address, as it prints it. "
                "To run one round now: `goldgate run ROUND_FOLDER`.",
                code="no-prefect-server",
            )
        require_answer(address)
        from prefect import serve as serve_deployments

        say(f"Watching {inbox(Project(root))} ({cron}), and rounds as they are closed. Stop with Ctrl-C.")
        serve_deployments(*deployments(root, cron), limit=1)


def deployments(root: Path, cron: str) -> list[Any]:
    """What `serve` deploys: the inbox by schedule, and one round by the event of its closing."""
    from prefect.events import DeploymentEventTrigger
    from prefect.types.entrypoint import EntrypointType

    from flows.orchestration.run_inbox import run_inbox
    from flows.run_round import run_round

    root = root.absolute()
    closed = DeploymentEventTrigger(
        name="a round of this inbox was closed",
        expect={CLOSED},
        match={"prefect.resource.id": "goldgate.round.*", "goldgate.inbox": str(inbox(Project(root)))},
        parameters={"root": str(root), "folder": "{{ event.resource['goldgate.folder'] }}"},
    )
    shared: dict[str, Any] = {
        "entrypoint_type": EntrypointType.MODULE_PATH,
        "concurrency_limit": 1,
        "tags": ["goldgate"],
    }
    try:
        scheduled = run_inbox.to_deployment("inbox", cron=cron, parameters={"root": str(root)}, **shared)
    except ValueError as error:
        raise ConfigError(
            f"serve: '{cron}' is not a schedule",
            next_step=f'Five cron fields, such as "{HOURLY}" for every hour.',
            code="bad-schedule",
        ) from error
    return [scheduled, run_round.to_deployment("when-closed", triggers=[closed], **shared)]


def announce_closed(study_id: str, round_id: str, folder: Path) -> bool:
    """Tell the Prefect server in use that a round was closed, so that `serve` runs it at once. False if none answers.

    folder: the round's folder, `inbox/<study>/<round>`. Never an error: the schedule finds the round all the same.
    """
    folder = folder.absolute()
    with prefect_environment(folder.parents[2], quiet=True):
        from flows.orchestration.prefect_api import configured_api, drain, require_answer

        address = configured_api()
        if address is None:
            return False
        try:
            require_answer(address)
        except ConfigError:
            return False
        from prefect.events import emit_event

        resource = {
            "prefect.resource.id": f"goldgate.round.{study_id}.{round_id}",
            "prefect.resource.name": f"{study_id}/{round_id}",
            "goldgate.inbox": str(folder.parents[1]),
            "goldgate.folder": str(folder),
        }
        sent = emit_event(CLOSED, resource)
        drain()
        return sent is not None
