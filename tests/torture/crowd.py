"""Many processes at once on one project: no failure, no gap, one result for each job however often it is asked for.

    python crowd.py [--processes N] [--jobs N] [--kills N] [--control]

Every process gives the same list of jobs (tell a deviation), each in an order of its own; each must be recorded once.
Then the holder of the lock is killed, again and again, and the next command must go on within a second. `--control`
plants a lock that does not lock, which must be caught.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from in_child import in_child
from small_study import STEPS, project_in, write_inputs

from flows.audit.verify import verify
from flows.storage.project import Project
from flows.told import record_deviation


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--processes", type=int, default=32)
    parser.add_argument("--jobs", type=int, default=10)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--control", action="store_true", help="plant a bug")
    options = parser.parse_args(arguments)
    if options.control:
        Project.locked = _unlocked  # type: ignore[method-assign]  # the planted bug
    with tempfile.TemporaryDirectory(prefix="goldgate-crowd-") as scratch:
        project = project_in(Path(scratch) / "project", wait_s=600.0)
        write_inputs(Path(scratch) / "inputs")

        def begin() -> None:
            for verb in ("register", "calibration", "amend", "open"):
                STEPS[verb](project, Path(scratch) / "inputs")

        assert "value" in in_child(begin)
        failures = _crowd(project, options)
        recorded = Counter(e.payload["text"] for e in _events(project) if e.type == "deviation.recorded")
        slowest = 0.0 if options.control else _kill_holders(project, options.kills)
        status = in_child(lambda: verify(project).status).get("value", "broken")
    once = sum(n == 1 for n in recorded.values())
    figures = {
        "processes": options.processes,
        "operations": options.processes * options.jobs,
        "failures": len(failures),
    }
    print(json.dumps({**figures, "jobs recorded once": once, "slowest after a kill, s": round(slowest, 2)}))
    print(*failures[:5], sep="\n")
    # The time after a kill depends on the machine: it is printed, and only a wait for a dead holder fails.
    fine = not failures and once == len(recorded) == options.jobs and status == "UNANCHORED" and slowest < 10
    return 0 if fine else 1


def _crowd(project: Project, options: argparse.Namespace) -> list[str]:
    pids, pipes = [], []
    for seed in range(options.processes):
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            os.write(write, _worker(project, options.jobs, seed).encode())
            os._exit(0)
        os.close(write)
        pids.append(pid)
        pipes.append(read)
    for pid in pids:
        os.waitpid(pid, 0)
    return [text for text in (os.fdopen(pipe, "r").read() for pipe in pipes) if text]


def _worker(project: Project, jobs: int, seed: int) -> str:
    """What went wrong, or nothing."""
    numbers = list(range(jobs))
    random.Random(seed).shuffle(numbers)
    try:
        for n in numbers:
            record_deviation(project, "r1", f"job {n}")
    except BaseException as error:  # any failure counts
        return f"{type(error).__name__}: {error}"[:2000]
    return ""


def _kill_holders(project: Project, kills: int) -> float:
    slowest = 0.0
    for _ in range(kills):
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            with project.changing():
                os.write(write, b"held")
                time.sleep(600)
        os.read(read, 4)
        os.close(read)
        os.close(write)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        slowest = max(slowest, in_child(lambda: _enter(project))["value"])
    return slowest


def _enter(project: Project) -> float:
    started = time.monotonic()
    with project.changing():
        pass
    return time.monotonic() - started


def _events(project: Project) -> list[Any]:
    from agreement.errors import IntegrityError

    try:
        return project.events()
    except IntegrityError:
        return []


@contextmanager
def _unlocked(project: Project) -> Any:
    yield


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
