"""A project against a model of ten lines: random verbs, crashes in between, and what must hold after every step.

    python model.py [--sequences N] [--steps N] [--seed N] [--control]

The model knows which verb may come when. Crashes: half a line at the ledger's end, a ledger line the database has not
seen, a database that is gone, a process that starts anew (every step opens the project afresh). `--control` plants
an order table without its later steps, which must be caught. Pages are not rendered here, to save time.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from small_study import ROUND, project_in, write_inputs

from agreement.errors import GoldgateError
from flows import report
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
from flows.storage import ledger, order
from flows.storage.digests import table_digests
from flows.storage.project import Project
from flows.storage.state import fold
from flows.storage.store import rows
from flows.told import record_deviation
from schemas.report import to_json

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
            r.gated = True
        elif verb == "deviation":
            r.current = False

    def may_release(self) -> bool:
        judged = [r for r in self.rounds.values() if r.gated or (r.measured and r.gated)]
        return bool(judged) and all(r.gated and r.current and r.reported for r in judged)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sequences", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--control", action="store_true", help="plant a bug")
    options = parser.parse_args(arguments)
    report.render = lambda record: {"report.json": to_json(record)}  # type: ignore[assignment]
    if options.control:
        for verb in ("ingest", "measure", "report"):
            order.ORDER[verb] = order.Step(needs=("open",))
    failures: list[str] = []
    steps = 0
    for number in range(options.sequences):
        with tempfile.TemporaryDirectory(prefix="goldgate-model-") as scratch:
            done, problem = _sequence(Path(scratch), options.seed * 1_000_003 + number, options.steps)
        steps += done
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
    rng, model = random.Random(seed), Model()
    _inputs(scratch / "inputs")
    root = scratch / "project"
    register(project_in(root), scratch / "inputs" / "study.yaml")
    before = Watched(project_in(root))
    told = 0
    for step in range(n_steps):
        project = project_in(root)
        kind = rng.choices(["verb", "release", "withdraw", "crash", "rebuild"], [80, 6, 3, 9, 2])[0]
        try:
            if kind == "verb":
                name = rng.choice(ROUNDS)
                verb = model.following(name) if rng.random() < 0.5 else rng.choice(VERBS)
                told += 1
                said = _verb(project, scratch / "inputs", verb, name, told)
                what, expected = f"{verb} {name}", model.allows(verb, name)
                if said and expected:
                    model.note(verb, name)
            elif kind == "release":
                version = str(rng.randint(1, 3))
                what = f"release {version}"
                expected = (version not in model.withdrawn) if version in model.released else model.may_release()
                said = _said(partial(release, project, "promises", version))
                if said and version not in model.released:
                    model.released.append(version)
            elif kind == "withdraw":
                version = str(rng.randint(1, 3))
                what, expected = f"withdraw {version}", version in model.released
                said = _said(partial(withdraw, project, "promises", version, "a trial"))
                model.withdrawn |= {version} if said else set()
            elif kind == "rebuild":
                what, expected, said = "rebuild", True, _said(partial(rebuild, project))
            else:
                what = _crash(project, rng)
                said = expected = True
        except Exception as error:  # a refusal is a GoldgateError, caught below; anything else is a bug found
            return step, f"step {step}: {type(error).__name__}: {error}"
        if said != expected:
            return step, f"step {step}: {what} was {'done' if said else 'refused'}, and the model says otherwise"
        with project_in(root).changing():  # the next process starts and repairs
            pass
        after = Watched(project_in(root))
        broken = [name for name, holds in INVARIANTS.items() if not holds(before, after, model, said, what)]
        if broken:
            return step, f"step {step}, after {what}: {', '.join(broken)}"
        before = after
    return n_steps, ""


def _verb(project: Project, inputs: Path, verb: str, name: str, told: int) -> bool:
    calls: dict[str, Callable[[], object]] = {
        "open": lambda: open_round(project, inputs / name),
        "ingest": lambda: ingest(project, name, [inputs / name / "labels.csv"]),
        "close": lambda: close_round(project, name),
        "reopen": lambda: reopen_round(project, name, "one more"),
        "measure": lambda: measure(project, name),
        "report": lambda: write_report(project, name),
        "gate": lambda: evaluate(project, name),
        "deviation": lambda: record_deviation(project, name, f"number {told}"),
    }
    return _said(calls[verb])


def _said(call: Callable[[], object]) -> bool:
    try:
        call()
    except GoldgateError:
        return False
    return True


def _crash(project: Project, rng: random.Random) -> str:
    kind = rng.choice(["half a line", "database gone", "log gone", "staging left"])
    if kind == "half a line":
        with project.ledger_path.open("ab") as out:
            out.write(b'0123abcd {"actor":"tes')
    elif kind == "database gone":
        project.database_path.unlink()
    elif kind == "log gone":
        Path(f"{project.database_path}.wal").unlink(missing_ok=True)
    else:
        (project.objects.folder / ".incoming-left").write_bytes(b"half")
    return kind


class Watched:
    """What can be seen of a project between two steps."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.data = project.ledger_path.read_bytes()
        self.events = project.events()
        self.state = fold(self.events)
        self.objects = {p.name for p in project.objects.folder.iterdir()}
        with project.reading() as con:
            self.tables = table_digests(con)
            ((self.applied,),) = rows(con, "select count(*) from event")
            ((self.n_labels,),) = rows(con, "select count(*) from raw_label")
            ((self.n_frame,),) = rows(con, "select count(*) from frame_item")
            ((self.twice,),) = rows(
                con,
                """select count(*) from (
                     select 1 from raw_label group by round_id, item_id, annotator_id having count(*) > 1)""",
            )
        published = [project.reports, project.releases]
        files = [p for folder in published for p in folder.rglob("*") if p.is_file()]
        self.files = {p.relative_to(project.root).as_posix(): p.stat().st_size for p in files if p.name != "current"}

    def types(self) -> list[str]:
        return [event.type for event in self.events]


Holds = Callable[[Watched, Watched, Model, bool, str], bool]
REFUSALS = {"ingest.refused", "release.refused"}
INVARIANTS: dict[str, Holds] = {
    "the ledger only grows": lambda b, a, m, s, w: a.data.startswith(b.data),
    "its sequence has no gap": lambda b, a, m, s, w: [e.seq for e in a.events] == list(range(1, len(a.events) + 1)),
    "its chain is whole": lambda b, a, m, s, w: all(
        y.prev == x.hash for x, y in zip(a.events, a.events[1:], strict=False)
    ),
    "it ends in a whole line": lambda b, a, m, s, w: a.data.endswith(b"\n"),
    "every event hashes to its line": lambda b, a, m, s, w: (
        len(list(ledger.check_chain(a.data.splitlines(True)))) == len(a.events)
    ),
    "a refused step writes nothing but its refusal": lambda b, a, m, s, w: (
        s or {e.type for e in a.events[len(b.events) :]} <= REFUSALS
    ),
    "a step writes one event at most": lambda b, a, m, s, w: len(a.events) <= len(b.events) + 1,
    "the database has seen every event": lambda b, a, m, s, w: a.applied == len(a.events),
    "the database is what a replay gives": lambda b, a, m, s, w: a.tables == replayed_digests(a.project, a.events),
    "no object is lost": lambda b, a, m, s, w: {n for n in b.objects if len(n) == 64} <= a.objects,
    "nothing half-written stays": lambda b, a, m, s, w: not [n for n in a.objects if len(n) != 64],
    "objects have the names of their bytes": lambda b, a, m, s, w: all(
        a.project.objects.read(n) is not None for n in a.objects - b.objects
    ),
    "labels are only added": lambda b, a, m, s, w: a.n_labels >= b.n_labels,
    "the frame is only added to": lambda b, a, m, s, w: a.n_frame >= b.n_frame,
    "no label is stored twice": lambda b, a, m, s, w: a.twice == 0,
    "published files do not change": lambda b, a, m, s, w: all(a.files.get(n) == size for n, size in b.files.items()),
    "one registration a version": lambda b, a, m, s, w: a.types().count("study.registered") == 1,
    "a round is opened once": lambda b, a, m, s, w: (
        a.types().count("round.opened") == sum(r.opened for r in m.rounds.values())
    ),
    "what is open in the model is open in the state": lambda b, a, m, s, w: all(
        (a.state.rounds[("promises", n)].closed is not None) == r.closed for n, r in m.rounds.items() if r.opened
    ),
    "what is measured in the model is measured": lambda b, a, m, s, w: all(
        bool(a.state.rounds[("promises", n)].measured) == r.measured for n, r in m.rounds.items() if r.opened
    ),
    "verdicts follow measurings": lambda b, a, m, s, w: all(
        e.payload["measured"] < e.seq for e in a.events if e.type == "gate.evaluated"
    ),
    "each version is released once": lambda b, a, m, s, w: a.types().count("release.promoted") == len(m.released),
    "every release rests on a pass": lambda b, a, m, s, w: all(
        a.state.rounds[("promises", name)].gated
        for e in a.events
        if e.type == "release.promoted"
        for name in e.payload["rounds"]
    ),
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
