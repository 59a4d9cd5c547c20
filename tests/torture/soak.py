"""A project killed at random moments, over and over: nothing acknowledged is lost, invented or doubled.

    python soak.py [--kills N] [--seed N] [--control]

A worker records deviations as fast as it can and prints each once it is acknowledged; it is killed with SIGKILL after
a random time and started again on the same project. In the end the ledger's deviations are compared with what was
printed: each printed one is there once, in order, and at most the one in flight at each kill is there unprinted.
`--control` prints before it commits, which must be caught.
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
from pathlib import Path

from flows.storage.project import Project
from flows.told import record_deviation

HERE = Path(__file__).parent


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--control", action="store_true", help="plant a bug")
    options = parser.parse_args(arguments)
    sys.path.insert(0, str(HERE))
    with tempfile.TemporaryDirectory(prefix="goldgate-soak-") as scratch:
        return _soak(Path(scratch), options)


def _soak(scratch: Path, options: argparse.Namespace) -> int:
    import small_study
    from faults import in_child

    small_study.write_inputs(scratch / "inputs")
    project = small_study.project_in(scratch / "project")

    def begin() -> None:
        for verb in ("register", "calibration", "amend", "open"):
            small_study.STEPS[verb](project, scratch / "inputs")

    assert "value" in in_child(begin)
    rng, acknowledged, slowest, following = random.Random(options.seed), [], 0.0, 0
    for _ in range(options.kills):
        acknowledged += _one_life(project, following, rng, options.control)
        recovered = in_child(lambda: _recovery(project))
        if "value" not in recovered:
            print(json.dumps({"kills": options.kills, "recovery failed": recovered}))
            return 1
        slowest = max(slowest, recovered["value"])
        following = 1 + max([*acknowledged[-1:], *_stored(project)[-1:]], default=-1)
    stored = _stored(project)
    lost = [n for n in acknowledged if n not in set(stored)]
    doubled = len(stored) - len(set(stored))
    unprinted = len(set(stored) - set(acknowledged))
    figures = {"kills": options.kills, "acknowledged": len(acknowledged), "lost": len(lost), "doubled": doubled}
    print(json.dumps({**figures, "in flight and kept": unprinted, "slowest recovery, s": round(slowest, 2)}))
    return 1 if lost or doubled or unprinted > options.kills or stored != sorted(stored) else 0


def _recovery(project: Project) -> float:
    started = time.monotonic()
    with project.changing():
        pass
    return time.monotonic() - started


def _one_life(project: Project, first: int, rng: random.Random, control: bool) -> list[int]:
    """A worker in a forked child, killed at a random moment; the numbers it acknowledged."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        _work(project, first, write, control)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        time.sleep(rng.uniform(0.02, 0.7))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return [int(line) for line in pipe.read().splitlines(keepends=True) if line.endswith(b"\n")]


def _work(project: Project, first: int, out: int, control: bool) -> None:
    n = first
    while True:
        if control:
            os.write(out, b"%d\n" % n)
        record_deviation(project, "r1", f"number {n}")
        if not control:
            os.write(out, b"%d\n" % n)
        n += 1


def _stored(project: Project) -> list[int]:
    events = project.events()
    return [int(e.payload["text"].split()[1]) for e in events if e.type == "deviation.recorded"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
