"""A project killed at random moments, over and over: nothing acknowledged is lost, invented or doubled.

    python soak.py [--kills N] [--seed N] [--control]

A worker records deviations as fast as it can and prints each once it is acknowledged. After a random number of them it
is killed with SIGKILL, every second time at once, else at a random moment of the next, and started again; every `LIVES`
kills another project begins. In the end each ledger's deviations are compared with what was printed: each printed one
is there once, in order, and at most the one in flight at each kill is there unprinted. After every kill the next
command's recovery is timed. `--control` prints before it commits, which must be caught.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from in_child import in_child
from progress import progress
from small_study import STEPS, project_in, write_inputs

from flows.storage import ledger
from flows.storage.project import Project
from flows.told import record_deviation

LIVES = 100  # of one project
MOST = 6  # acknowledged commits of one life


@dataclass
class Found:
    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    unordered: int = 0
    unprinted: int = 0
    recoveries: list[list[float]] = field(default_factory=list)
    failed: list[dict[str, object]] = field(default_factory=list)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--control", action="store_true", help="plant a bug")
    options = parser.parse_args(arguments)
    found, rng = Found(), random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="goldgate-soak-") as scratch:
        begun = _begun(Path(scratch))
        for first in range(0, options.kills, LIVES):
            root = Path(scratch) / f"from-{first}"
            shutil.copytree(begun, root)
            _soak(project_in(root), min(LIVES, options.kills - first), rng, options.control, found)
            shutil.rmtree(root)
            progress("so far", **_figures(len(found.recoveries), found))
    print(json.dumps(_figures(options.kills, found)))
    print(*found.failed, sep="\n")
    wrong = found.lost or found.doubled or found.unordered or found.failed
    return 1 if wrong or found.unprinted > options.kills else 0


def _figures(kills: int, found: Found) -> dict[str, object]:
    return {
        "kills": kills,
        "acknowledged": found.acknowledged,
        "lost": found.lost,
        "doubled": found.doubled,
        "out of order": found.unordered,
        "in flight and kept": found.unprinted,
        "failed recoveries": len(found.failed),
        "slowest recovery, s": round(max((clock for clock, _ in found.recoveries), default=0.0), 2),
        "of the processor, s": round(max((worked for _, worked in found.recoveries), default=0.0), 2),
    }


def _begun(scratch: Path) -> Path:
    """A project with an open round."""
    write_inputs(scratch / "inputs")
    project = project_in(scratch / "begun")

    def begin() -> None:
        for verb in ("register", "calibration", "amend", "open"):
            STEPS[verb](project, scratch / "inputs")

    assert "value" in in_child(begin)
    return project.root


def _soak(project: Project, kills: int, rng: random.Random, control: bool, found: Found) -> None:
    acknowledged: list[int] = []
    for life in range(kills):
        part = rng.random() if life % 2 else 0.0
        n_whole = rng.randrange(MOST) if life % 2 else rng.randrange(1, MOST)
        first = 1 + max([*acknowledged, *_stored(project)], default=-1)  # no number is used twice, so none hides a loss
        acknowledged += _one_life(project, first, n_whole, part, control)
        recovered = in_child(lambda: _recovery(project))
        if "value" not in recovered:
            found.failed.append({"life": len(found.recoveries), **recovered})
            break
        found.recoveries.append(recovered["value"])
    stored = _stored(project)
    found.acknowledged += len(acknowledged)
    found.lost += len(set(acknowledged) - set(stored))
    found.doubled += len(stored) - len(set(stored))
    found.unordered += stored != sorted(stored)
    found.unprinted += len(set(stored) - set(acknowledged))


def _recovery(project: Project) -> list[float]:
    """How long, by the clock and of the processor: a busy machine lets a process wait."""
    started, worked = time.monotonic(), time.process_time()
    with project.changing():
        pass
    return [time.monotonic() - started, time.process_time() - worked]


def _one_life(project: Project, first: int, n_whole: int, part: float, control: bool) -> list[int]:
    """A worker in a forked child, killed after so many commits and so large a part of one; what it acknowledged."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        _work(project, first, write, control)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        started = time.monotonic()
        lines = [pipe.readline() for _ in range(n_whole)]
        # So long took one commit just now; the next is struck somewhere in it, or as the one after it begins.
        time.sleep(1.2 * part * ((time.monotonic() - started) / n_whole if n_whole else 0.1))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        lines += pipe.readlines()
    return [int(line) for line in lines if line.endswith(b"\n")]


def _work(project: Project, first: int, out: int, control: bool) -> None:
    n = first
    while True:
        if control:
            os.write(out, b"%d\n" % n)
            time.sleep(0.2)
        record_deviation(project, "r1", f"number {n}")
        if not control:
            os.write(out, b"%d\n" % n)
        n += 1


def _stored(project: Project) -> list[int]:
    events = ledger.read(project.ledger_path)
    return [int(e.payload["text"].split()[1]) for e in events if e.type == "deviation.recorded"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
