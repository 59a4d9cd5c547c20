"""A round's folder through the real flow and the real verbs, against a real Prefect server."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agreement.errors import ConfigError, InputRefused
from flows.orchestration.prefect_settings import wanted
from flows.run import run
from flows.storage.project import Project

REPOSITORY = Path(__file__).parents[2]
Folder = Callable[..., Path]

IN_ORDER = [
    "project.created",
    "study.registered",
    "round.opened",
    "submission.ingested",
    "round.closed",
    "round.measured",
    "report.written",
    "gate.evaluated",
]


def ledger(root: Path) -> list[dict[str, Any]]:
    return [{"type": event.type, **event.payload} for event in Project(root).events()]


def types(root: Path) -> list[str]:
    return [event["type"] for event in ledger(root)]


def last_run(name: str) -> Any:
    """What Prefect says of the newest flow run of this name, and the artifacts it left."""
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        runs = [found for found in client.read_flow_runs() if found.name == name]
        newest = max(runs, key=lambda found: found.start_time)
        artifacts = [found for found in client.read_artifacts() if found.flow_run_id == newest.id]
    return newest, artifacts


def named(folder: Path) -> str:
    return "/".join(folder.parts[-2:])


def test_a_round_waits_for_its_labels_and_then_passes(
    prefect_server: str, round_folder: Folder, tmp_path: Path
) -> None:
    """Waiting is no fault, so the run is Completed; it is no pass either, so the command exits 8."""
    root, said = tmp_path / "data", []
    folder = round_folder(complete=False, gaps=2)
    assert run(folder, root, said.append) == 8
    assert "waiting: 2 assigned labels have not come in (bo 2)" in said
    assert types(root) == IN_ORDER[:4]
    found, artifacts = last_run(named(folder))
    assert (found.state.is_completed(), artifacts) == (True, [])

    round_folder(complete=False)  # the same folder, its labels now whole
    assert run(folder, root, said.append) == 0
    assert types(root) == [*IN_ORDER[:4], *IN_ORDER[3:]]
    found, artifacts = last_run(named(folder))
    assert found.state.is_completed()
    assert [artifact.key for artifact in artifacts] == ["verdict-promises-round-01"]
    assert artifacts[0].data == (root / "reports/promises/round-01/v1/report.md").read_text()
    assert said[-1] == f"In Prefect: flow run {found.name}, artifact verdict-promises-round-01"
    assert f"  report: {root / 'reports/promises/round-01/v1/report.html'}" in said


def test_a_blocked_gate_fails_the_flow_run_and_exits_4_however_often_it_is_run(
    prefect_server: str, round_folder: Folder, tmp_path: Path
) -> None:
    """3 of 41 flags shared: positive specific agreement is 6/44, below the registered 0.65."""
    folder, root, said = round_folder(bo_from=20, name="round-02"), tmp_path / "data", []
    assert run(folder, root, said.append) == 4
    assert types(root) == IN_ORDER
    found, artifacts = last_run(named(folder))
    assert found.state.is_failed()
    assert [artifact.key for artifact in artifacts] == ["verdict-promises-round-02"]

    before = (root / "ledger.jsonl").read_bytes()
    assert run(folder, root, said.append) == 4
    assert (root / "ledger.jsonl").read_bytes() == before
    assert "  gate: fail (already done)" in said


def test_refused_input_is_raised_with_its_problems_and_fails_the_run(
    prefect_server: str, round_folder: Folder, tmp_path: Path
) -> None:
    folder = round_folder(name="round-03")
    labels = folder / "labels.csv"
    labels.write_text(labels.read_text().replace("round-03-7,ada,too-much", "round-03-7,ada,too-mcuh"))
    with pytest.raises(InputRefused) as refused:
        run(folder, tmp_path / "data", lambda line: None)
    (problem,) = refused.value.problems
    assert (problem.file, problem.line, problem.value) == ("labels.csv", 8, "too-mcuh")
    assert types(tmp_path / "data") == [*IN_ORDER[:3], "ingest.refused"]
    found, artifacts = last_run(named(folder))
    assert (found.state.is_failed(), found.state.message, artifacts) == (True, refused.value.headline, [])


def test_a_folder_that_serves_two_studies_ends_with_the_worse_of_their_verdicts(
    prefect_server: str, round_folder: Folder, tmp_path: Path
) -> None:
    """One sheet, a column per question: on the first the annotators agree, on the second they do not."""
    from flows.register import register

    folder = round_folder(name="round-04")
    root, said = tmp_path / "data", []
    second = round_folder(tmp_path / "second", study="tone", name="round-04", bo_from=20)
    for study_file in (folder / "study.yaml", second / "study.yaml"):
        register(Project(root), study_file)
    first_answers, second_answers = ((f / "labels.csv").read_text().splitlines() for f in (folder, second))
    sheet = [f"{one},{two.rsplit(',', 1)[1]}" for one, two in zip(first_answers, second_answers, strict=True)]
    sheet[0] = "item_id,annotator_id,promise,tone"
    (folder / "labels.csv").write_text("\n".join(sheet) + "\n")
    text = (folder / "round.yaml").read_text().replace("study_file: study.yaml\n", "")
    served = "study: [{study: promises, question: promise}, {study: tone, question: tone}]"
    (folder / "round.yaml").write_text(text.replace("study: promises", served))

    assert run(folder, root, said.append) == 4
    verdicts = {e["study_id"]: e["verdict"] for e in ledger(root) if e["type"] == "gate.evaluated"}
    assert verdicts == {"promises": "pass", "tone": "fail"}
    ingested = [event for event in ledger(root) if event["type"] == "submission.ingested"]
    assert ingested[0]["raw"] == ingested[1]["raw"]
    assert [line for line in said if line.endswith(":")] == ["promises:", "tone:"]


def test_a_folder_without_a_round_file_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"round\.yaml"):
        run(tmp_path, tmp_path / "data", lambda line: None)
    assert not (tmp_path / "data").exists()


def test_a_server_that_does_not_answer_is_said_with_a_way_out(
    round_folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from prefect.settings import PREFECT_API_URL, temporary_settings

    with (
        temporary_settings({PREFECT_API_URL: "http://lead:secret@127.0.0.1:9/api"}),
        pytest.raises(ConfigError, match="does not answer") as refused,
    ):
        run(round_folder(), tmp_path / "data", lambda line: None)
    assert "127.0.0.1:9" in refused.value.headline
    assert "secret" not in refused.value.headline
    assert not (tmp_path / "data" / "ledger.jsonl").exists()


# Runs the flow's own function on the tasks' own functions, without a server: to the end in one folder, and in the
# other killed after its first task, run again and killed after the second, and so on, then to the end.
KILLED = """\
import asyncio, functools, os, sys
from datetime import UTC, datetime
from flows.orchestration import round_steps
from flows import run_round as module
from flows.storage.project import Project
undisturbed, killed, folder = sys.argv[1:]
TASKS = [name for name, value in vars(module).items() if type(value).__name__ == "Task"]
round_steps.Project = functools.partial(Project, clock=lambda: datetime(2026, 11, 30, tzinfo=UTC), new_id=lambda: "1")

def run(root, stop_after=0):
    done = 0
    def counted(function):
        def call(*args):
            nonlocal done
            result = function(*args)
            done += 1
            if done == stop_after:
                os.kill(os.getpid(), 9)
            return result
        return call
    for name in TASKS:
        setattr(module, name, counted(getattr(module, name).fn))
    module.publish_verdict = counted(lambda *args: "")
    asyncio.run(module.run_round.fn(root, folder))

assert len(os.listdir("/proc/self/task")) == 1, "a process with threads is not to be forked"
for stop_after in range(1, len(TASKS) + 1):
    child = os.fork()
    if child == 0:
        run(killed, stop_after)
        os._exit(0)
    if os.waitpid(child, 0)[1] != 9:
        sys.exit("not killed")
for root in (killed, undisturbed):
    child = os.fork()
    if child == 0:
        run(root)
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        sys.exit("not ended")
print(len(TASKS))
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="counts its own threads where Linux shows them")
def test_a_flow_killed_between_any_two_tasks_ends_with_the_ledger_of_an_undisturbed_one(
    round_folder: Folder, tmp_path: Path
) -> None:
    """Byte for byte, with one clock and project id for both."""
    ledgers = [tmp_path / "undisturbed" / "ledger.jsonl", tmp_path / "killed" / "ledger.jsonl"]
    command = [sys.executable, "-c", KILLED, *(str(path.parent) for path in ledgers), str(round_folder(bo_from=20))]
    quiet = {**wanted(tmp_path, quiet=True), **os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=REPOSITORY, env=quiet, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "9\n")
    assert types(ledgers[0].parent) == IN_ORDER
    assert ledgers[0].read_bytes() == ledgers[1].read_bytes()


def test_the_flow_and_its_steps_take_text_only() -> None:
    """No frame, connection or study travels through Prefect, which would hash and pickle it."""
    import inspect

    from prefect import Task

    from flows import run_round

    tasks = [value for value in vars(run_round).values() if isinstance(value, Task)]
    assert len(tasks) == 9
    for task in [*tasks, run_round.run_round]:
        assert {p.annotation for p in inspect.signature(task.fn).parameters.values()} == {"str"}
        assert (task.retries, task.persist_result) == (0, False)
