"""A project against a model of ten lines: random verbs, crashes in between, and what must hold after every step.

    python model.py [--sequences N] [--steps N] [--seed N] [--control]

The model knows which verb may come when. Crashes: half a line at the ledger's end, a database that is gone or lacks the
last events, a log that is gone, an object half-written. After every step the next command's repair runs, and the
database is compared with a second one that got every event once, by replay; after a crash and at a sequence's end with
a replay from the first event. To save time, DuckDB is opened once between two crashes, and pages are not rendered.
`--control` plants an order table without its later steps, which must be caught.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parent))

from invariants import INVARIANTS, Shadow, Watched
from one_instance import OneInstance
from progress import progress
from small_study import ROUND, in_memory, project_in, without_pages, write_inputs

from agreement.errors import GoldgateError
from flows.audit.rebuild import rebuild, replayed_digests
from flows.close import close_round, reopen_round
from flows.gate import evaluate
from flows.ingest import ingest
from flows.measure import measure
from flows.open import open_round
from flows.register import register
from flows.releases.release import release
from flows.releases.withdraw import withdraw
from flows.report import write_report
from flows.storage import order, store
from flows.storage.project import Project
from flows.told import record_deviation

ROUNDS = ("r1", "r2")
VERBS_IN_ORDER = ("open", "ingest", "close", "measure", "report", "gate")
VERBS = ("open", "ingest", "close", "reopen", "measure", "report", "gate", "deviation")


@dataclass
class RoundModel:
    opened: bool = False
    labels: bool = False
    closed: bool = False
    measured: bool = False
    current: bool = False
    reported: bool = False
    gated: bool = False
    judged: bool = False  # once, by whatever measuring: it stays a round of the release


@dataclass
class Model:
    """What must have happened before what, once more and independently of flows/storage/order.py."""

    rounds: dict[str, RoundModel] = field(default_factory=lambda: {name: RoundModel() for name in ROUNDS})
    released: list[str] = field(default_factory=list)
    withdrawn: set[str] = field(default_factory=set)

    def following(self, name: str) -> str:
        """The verb that comes next when all goes well, so that a sequence gets somewhere."""
        r = self.rounds[name]
        done = (r.opened, r.labels, r.closed, r.measured and r.current, r.reported, r.gated)
        return next((verb for verb, is_done in zip(VERBS_IN_ORDER, done, strict=True) if not is_done), "gate")

    def allows(self, verb: str, name: str) -> bool:
        r = self.rounds[name]
        return {
            "open": True,
            "ingest": r.opened and (not r.closed or r.measured),
            "close": r.opened and (r.closed or r.labels),
            "reopen": r.closed and not r.measured,
            "measure": r.closed,
            "report": r.measured,
            "gate": r.measured and r.current,
            "deviation": r.opened,
        }[verb]

    def note(self, verb: str, name: str) -> None:
        r = self.rounds[name]
        if verb == "open":
            r.opened = True
        elif verb == "ingest":
            r.labels = True
        elif verb == "close":
            r.closed = True
        elif verb == "reopen":
            r.closed = False
        elif verb == "measure":
            r.gated = r.gated and r.current
            r.reported = r.reported and r.current
            r.measured = r.current = True
        elif verb == "report":
            r.reported = r.current
        elif verb == "gate":
            r.gated = r.judged = True
        elif verb == "deviation":
            r.current = False

    def may_release(self) -> bool:
        judged = [r for r in self.rounds.values() if r.judged]
        return bool(judged) and all(r.gated and r.current and r.reported for r in judged)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sequences", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--control", action="store_true", help="plant a bug")
    options = parser.parse_args(arguments)
    store.SETTINGS["threads"] = 1
    without_pages()
    if options.control:
        for verb in ("ingest", "measure", "report"):
            order.ORDER[verb] = order.Step(needs=("open",))
    failures: list[str] = []
    steps = 0
    for number in range(options.sequences):
        with tempfile.TemporaryDirectory(prefix="goldgate-model-", dir=in_memory()) as scratch:
            done, problem = _sequence(Path(scratch), options.seed * 1_000_003 + number, options.steps)
        steps += done
        progress("so far", sequences=number + 1, steps=steps, failures=len(failures))
        if problem:
            failures.append(f"sequence {number}: {problem}")
            break
    figures = {"sequences": number + 1, "steps": steps, "invariants": len(INVARIANTS), "failures": len(failures)}
    print(json.dumps(figures))
    print(*failures, sep="\n")
    return 1 if failures else 0


def _inputs(folder: Path) -> None:
    write_inputs(folder)
    text = "".join(
        f"{name}-{n},{who},{'yes' if n < 4 else 'no'}\n" for name in ("i",) for who in "ab" for n in range(8)
    )
    for name in ROUNDS:
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "round.yaml").write_text(ROUND.replace("r1", name))
        (folder / name / "frame.csv").write_text(
            "item_id,item_version\n" + "".join(f"{name}-{n},v1\n" for n in range(8))
        )
        rows = text.replace("i-", f"{name}-").replace(",a,", ",ada,").replace(",b,", ",bo,")
        (folder / name / "labels.csv").write_text(f"item_id,annotator_id,label\n{rows}")


def _sequence(scratch: Path, seed: int, n_steps: int) -> tuple[int, str]:
    _inputs(scratch / "inputs")
    project = project_in(scratch / "project")
    register(project, scratch / "inputs" / "study.yaml")
    instance = OneInstance()
    with (
        patch.object(store, "open_store", instance.open_store),
        store.memory_store(project.objects.folder) as memory,
        closing(instance),
    ):
        return Sequence(scratch, project, random.Random(seed), instance, Shadow(project, memory)).play(n_steps)


class Sequence:
    """One project, its model, and what was seen of it last."""

    def __init__(self, scratch: Path, project: Project, rng: random.Random, instance: OneInstance, shadow: Shadow):
        self.inputs, self.project, self.rng = scratch / "inputs", project, rng
        self.instance, self.shadow, self.model = instance, shadow, Model()
        self.old = project.database_path.read_bytes()
        self.before, self.told = Watched(project, shadow), 0

    def play(self, n_steps: int) -> tuple[int, str]:
        for step in range(n_steps):
            what, problem = self._step(last=step == n_steps - 1)
            if problem:
                return step, f"step {step}, {what}: {problem}"
        return n_steps, ""

    def _step(self, last: bool) -> tuple[str, str]:
        kind = self.rng.choices(["verb", "release", "withdraw", "crash", "rebuild"], [80, 6, 3, 9, 2])[0]
        try:
            what, expected, said = getattr(self, f"_{kind}")()
        except Exception as error:  # a refusal is a GoldgateError, caught below; anything else is a bug found
            return kind, f"{type(error).__name__}: {error}"
        if said != expected:
            return what, f"was {'done' if said else 'refused'}, and the model says otherwise"
        with self.project.changing():  # the next process starts and repairs
            pass
        after = Watched(self.project, self.shadow)
        broken = [name for name, holds in INVARIANTS.items() if not holds(self.before, after, self.model, said, what)]
        if kind in ("crash", "rebuild") or last:
            broken += [] if replayed_digests(self.project, after.events) == after.tables else ["a whole replay differs"]
        self.before = after
        return what, ", ".join(broken)

    def _verb(self) -> tuple[str, bool, bool]:
        name = self.rng.choice(ROUNDS)
        verb = self.model.following(name) if self.rng.random() < 0.5 else self.rng.choice(VERBS)
        self.told += 1
        expected = self.model.allows(verb, name)
        said = _said(_calls(self.project, self.inputs, name, self.told)[verb])
        if said and expected:
            self.model.note(verb, name)
        return f"{verb} {name}", expected, said

    def _release(self) -> tuple[str, bool, bool]:
        version, model = str(self.rng.randint(1, 3)), self.model
        expected = (version not in model.withdrawn) if version in model.released else model.may_release()
        said = _said(partial(release, self.project, "promises", version))
        if said and version not in model.released:
            model.released.append(version)
        return f"release {version}", expected, said

    def _withdraw(self) -> tuple[str, bool, bool]:
        version = str(self.rng.randint(1, 3))
        expected = version in self.model.released
        said = _said(partial(withdraw, self.project, "promises", version, "a trial"))
        self.model.withdrawn |= {version} if said else set()
        return f"withdraw {version}", expected, said

    def _rebuild(self) -> tuple[str, bool, bool]:
        self.instance.close()
        return "rebuild", True, _said(partial(rebuild, self.project))

    def _crash(self) -> tuple[str, bool, bool]:
        self.instance.close()
        return _crash(self.project, self.rng, self.old), True, True


def _calls(project: Project, inputs: Path, name: str, told: int) -> dict[str, Callable[[], object]]:
    return {
        "open": lambda: open_round(project, inputs / name),
        "ingest": lambda: ingest(project, name, [inputs / name / "labels.csv"]),
        "close": lambda: close_round(project, name),
        "reopen": lambda: reopen_round(project, name, "one more"),
        "measure": lambda: measure(project, name),
        "report": lambda: write_report(project, name),
        "gate": lambda: evaluate(project, name),
        "deviation": lambda: record_deviation(project, name, f"number {told}"),
    }


def _said(call: Callable[[], object]) -> bool:
    try:
        call()
    except GoldgateError:
        return False
    return True


def _crash(project: Project, rng: random.Random, old: bytes) -> str:
    kind = rng.choice(["half a line", "database gone", "database behind", "log gone", "staging left"])
    if kind == "half a line":
        with project.ledger_path.open("ab") as out:
            out.write(b'0123abcd {"actor":"tes')
    elif kind == "database gone":
        project.database_path.unlink()
    elif kind == "database behind":
        project.database_path.write_bytes(old)
    elif kind == "log gone":
        Path(f"{project.database_path}.wal").unlink(missing_ok=True)
    else:
        (project.objects.folder / ".incoming-left").write_bytes(b"half")
    return kind


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
