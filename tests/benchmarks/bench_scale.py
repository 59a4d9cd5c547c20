"""What grows with a project: verifying 100,000 labels, going on after a kill, a history of 200 rounds.

Printed; no test. Processor seconds beside those of reading the same labels once with bare DuckDB, or, for the history,
beside the history of one round.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1] / "torture"))

import small_study

from flows.audit.verify import verify
from flows.history import history
from flows.storage import ledger, store
from flows.storage.project import Project

N_ITEMS, N_ROUNDS = 50_000, 200
UNTIL_GATE = ("register", "open", "reassign", "ingest", "close", "measure", "report", "gate")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="goldgate-scale-") as scratch:
        lines = [*_large(Path(scratch) / "large"), *_long(Path(scratch) / "long")]
    print("| what | seconds | beside | ratio | goal |\n|---|---|---|---|---|")
    for what, took, beside, base, goal in lines:
        print(f"| {what} | {took:.2f} | {beside}: {base:.3f} s | {took / base:.1f} | {goal} |")


Line = tuple[str, float, str, float, str]


def _large(folder: Path) -> list[Line]:
    """A measured and gated round of 50,000 items, each labelled twice."""
    project = _played(folder, N_ITEMS)
    base = _seconds(lambda: _bare_read(project))
    beside = "bare DuckDB, the labels as text once"
    return [
        ("verify --full, 100,000 labels", _seconds(lambda: verify(project, full=True)), beside, base, "under 10 s"),
        ("verify, 100,000 labels", _seconds(lambda: verify(project)), beside, base, "-"),
        ("the first command after a kill between ledger and database", _recovery(project), beside, base, "under 1 s"),
    ]


def _long(folder: Path) -> list[Line]:
    """200 rounds: one that was played, and its events again under other names."""
    project = _played(folder, 12)
    base = _seconds(lambda: history(project, "promises"))
    _repeat_round(project)
    return [(f"history, {N_ROUNDS} rounds", _seconds(lambda: history(project, "promises")), "one round", base, "-")]


def _played(folder: Path, n_items: int) -> Project:
    small_study.N_ITEMS, small_study.N_FLAGS = n_items, n_items // 12 + 3
    inputs = folder / "inputs"
    small_study.write_inputs(inputs)
    project = small_study.project_in(folder / "project")
    for name in UNTIL_GATE:
        small_study.STEPS[name](project, inputs)
    return project


def _seconds(work: Callable[[], object]) -> float:
    """Processor seconds of the faster of two runs."""
    took = []
    for _ in range(2):
        start = time.process_time()
        work()
        took.append(time.process_time() - start)
    return min(took)


def _bare_read(project: Project) -> None:
    with project.reading() as con:
        store.rows(con, "select count(distinct to_json(raw_label)::varchar) from raw_label")


def _recovery(project: Project) -> float:
    """The database as it was before the labels came in, as a kill right after the ledger line leaves it."""
    events = ledger.read(project.ledger_path)
    came_in = next(event for event in events if event.type == "submission.ingested")
    lines = project.ledger_path.read_bytes().splitlines(keepends=True)
    copy = Project(project.root.with_name("killed"))
    shutil.copytree(project.root / "objects", copy.root / "objects")
    copy.ledger_path.write_bytes(b"".join(lines[: came_in.seq - 1]))
    with copy.changing():
        pass
    copy.ledger_path.write_bytes(b"".join(lines[: came_in.seq]))
    start = time.process_time()
    with copy.changing():
        pass
    return time.process_time() - start


def _repeat_round(project: Project) -> None:
    events = project.events()
    head, measured = ledger.head_of(events), 0
    for number in range(2, N_ROUNDS + 1):
        for event in (e for e in events if e.payload.get("round_id") == "r1"):
            again = {"round_id": f"r{number}", **({"measured": measured} if "measured" in event.payload else {})}
            if "folder" in event.payload:
                again["folder"] = event.payload["folder"].replace("/r1/", f"/r{number}/")
            line = ledger.next_event(
                head,
                ts=event.ts,
                actor=event.actor,
                tool=event.tool,
                type=event.type,
                payload={**event.payload, **again},
            )
            ledger.append(project.ledger_path, line)
            head = ledger.Head(line.seq, line.hash)
            measured = line.seq if event.type == "round.measured" else measured


if __name__ == "__main__":
    main()
