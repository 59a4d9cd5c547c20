"""Prefect's environment, set before it is imported. Nothing here imports Prefect.

Prefect reads its settings once, when it is imported, so this has to come first. What a person has set already is kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FOLDER = ".prefect"  # of a project: Prefect's own database and log, never part of the project's truth

# No figure, name or count of a project goes to anybody.
_NO_TELEMETRY = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_CLOUD_ENABLE_ORCHESTRATION_TELEMETRY": "false",
    "PREFECT_TELEMETRY_ENABLE_RESOURCE_METRICS": "false",
}
# Prefect waits 20 s for its temporary API by default; the first start on a slow machine takes longer.
_PATIENCE = {"PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120"}
_QUIET = {"PREFECT_LOGGING_LEVEL": "CRITICAL"}
# With one of these a person has said where their Prefect lives, and with it keys and addresses: keep to it.
_SAYS_WHERE = ("PREFECT_API_URL", "PREFECT_HOME", "PREFECT_PROFILE")


def wanted(root: Path, *, quiet: bool) -> dict[str, str]:
    """The environment variables for Prefect beside the project in `root`. quiet: nothing of its log on the terminal."""
    settings = {**_NO_TELEMETRY, **_PATIENCE, **(_QUIET if quiet else {})}
    if not any(name in os.environ for name in _SAYS_WHERE):
        settings["PREFECT_HOME"] = str(root.absolute() / FOLDER)
    return settings


@contextmanager
def prefect_environment(root: Path, *, quiet: bool) -> Iterator[None]:
    """The environment with these set where they were not; afterwards as it was before."""
    added = {name: value for name, value in wanted(root, quiet=quiet).items() if name not in os.environ}
    if "PREFECT_HOME" in added:
        Path(added["PREFECT_HOME"]).mkdir(parents=True, exist_ok=True)  # Prefect makes no folder inside a missing one
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)
