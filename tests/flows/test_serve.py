"""What `serve` deploys, and a round that is run because its closing was announced."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agreement.errors import ConfigError
from flows.orchestration import round_steps as steps
from flows.serve import announce_closed, deployments
from flows.storage.project import Project

REPOSITORY = Path(__file__).parents[2]
Folder = Callable[..., Path]


def test_the_inbox_runs_by_schedule_and_a_round_when_it_is_closed(prefect_server: str, tmp_path: Path) -> None:
    inbox, when_closed = deployments(tmp_path, "30 6 * * 1-5")
    assert (inbox.name, inbox.flow_name, inbox.entrypoint) == (
        "inbox",
        "run_inbox",
        "flows.orchestration.run_inbox.run_inbox",
    )
    assert inbox.schedules[0].schedule.cron == "30 6 * * 1-5"
    assert inbox.parameters == {"root": str(tmp_path)}
    assert (when_closed.flow_name, when_closed.entrypoint) == ("run_round", "flows.run_round.run_round")
    (trigger,) = when_closed.triggers
    assert trigger.expect == {"round.closed"}
    assert trigger.match.root == {
        "prefect.resource.id": "goldgate.round.*",
        "goldgate.inbox": str(tmp_path / "inbox"),  # another project on the same server is not ours to run
    }
    assert (inbox.concurrency_limit, when_closed.concurrency_limit) == (1, 1)


def test_a_schedule_that_is_none_is_refused(prefect_server: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="'every monday' is not a schedule"):
        deployments(tmp_path, "every monday")


def test_a_folder_of_the_inbox_that_fails_does_not_stop_the_others(
    prefect_server: str, round_folder: Folder, tmp_path: Path
) -> None:
    from flows.orchestration.run_inbox import run_inbox

    inbox = tmp_path / "inbox"
    refused = round_folder(inbox / "promises" / "a", name="a")
    (refused / "labels.csv").write_text("item_id,annotator_id,label\na-1,ada,mabye\n")
    (round_folder(inbox / "promises" / "b", name="b") / "labels.csv").unlink()
    round_folder(inbox / "promises" / "c", name="c", complete=False, gaps=1)
    state = asyncio.run(run_inbox(str(tmp_path), return_state=True))
    assert state.is_failed()
    assert asyncio.run(state.aresult(raise_on_failure=False)) == {
        "promises/a": "labels.csv: 1 of 1 rows refused, nothing stored",
        "promises/b": "not there yet: labels.csv",
        "promises/c": "waiting: 1 assigned labels have not come in (bo 1)",
    }


SERVE = """\
import sys
from pathlib import Path
from flows.serve import serve
serve(Path(sys.argv[1]), "0 0 1 1 *")
"""
ANNOUNCE = """\
import sys
from pathlib import Path
from flows.serve import announce_closed
sys.exit(announce_closed("s", "r", Path(sys.argv[1])))
"""


def without_server(code: str, argument: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    unset = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT")} | settings
    command = [sys.executable, "-c", code, str(argument)]
    return subprocess.run(command, cwd=REPOSITORY, env=unset, capture_output=True, text=True)


def test_serving_without_a_server_says_how_to_get_one(tmp_path: Path) -> None:
    assert "serve: no Prefect server is configured" in without_server(SERVE, tmp_path).stderr


@pytest.mark.parametrize("settings", [{}, {"PREFECT_API_URL": "http://127.0.0.1:9/api"}])
def test_without_a_server_that_answers_a_closing_is_not_announced_and_no_fault(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    done = without_server(ANNOUNCE, tmp_path / "inbox" / "s" / "r", **settings)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_closed_round_is_measured_and_gated_at_once(
    prefect_server: str, round_folder: Folder, tmp_path: Path
) -> None:
    """Closed by a person, announced, picked up by `serve` in another process; the schedule is months away."""
    root = tmp_path / "data"
    folder = round_folder(root / "inbox" / "promises" / "round-01")
    steps.register_study(str(root), str(folder))
    steps.open_round(str(root), str(folder), "promises")
    steps.ingest_files(str(root), str(folder), "promises")
    steps.close_round(str(root), str(folder), "promises")
    log = (tmp_path / "serve.log").open("w")
    environment = {**os.environ, "PREFECT_API_URL": prefect_server, "PREFECT_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-c", SERVE, str(root)]
    serving = subprocess.Popen(command, cwd=REPOSITORY, env=environment, stdout=log, stderr=log)
    try:
        _wait_until(lambda: _is_deployed("run_round/when-closed"), serving, tmp_path / "serve.log")
        # The server takes a moment to hear of a new trigger; saying it again is harmless, a round is gated once.
        announced = 0.0

        def gated() -> bool:
            nonlocal announced
            if time.monotonic() - announced > 5:
                assert announce_closed("promises", "round-01", folder)
                announced = time.monotonic()
            return [event.type for event in Project(root).events()][-1] == "gate.evaluated"

        _wait_until(gated, serving, tmp_path / "serve.log")
    finally:
        serving.terminate()
        serving.wait(timeout=60)
    assert [event.type for event in Project(root).events()].count("gate.evaluated") == 1
    assert (root / "reports" / "promises" / "round-01" / "v1" / "report.html").exists()


def _is_deployed(name: str) -> bool:
    from prefect.client.orchestration import get_client
    from prefect.exceptions import ObjectNotFound

    with get_client(sync_client=True) as client:
        try:
            return client.read_deployment_by_name(name) is not None
        except ObjectNotFound:
            return False


def _wait_until(true: Callable[[], bool], serving: subprocess.Popen[bytes], log: Path, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert serving.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.3)
