"""A small project that goes through every verb, one step at a time, with clock, actor and id fixed.

Shared by the harnesses of this folder, which are scripts: each is run in a process of its own.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from agreement.errors import InputRefused, OutOfOrder
from flows import report
from flows.adjudicate import adjudicate
from flows.amend import amend
from flows.audit.rebuild import rebuild
from flows.calibration import hold_calibration
from flows.close import close_round, reassign, reopen_round
from flows.gate import evaluate
from flows.ingest import ingest
from flows.measure import measure
from flows.open import open_round
from flows.outcome import record_outcome
from flows.redact import redact
from flows.register import register
from flows.releases.release import release
from flows.releases.withdraw import withdraw
from flows.report import write_report
from flows.storage.project import Project
from flows.told import note_explored, record_deviation
from schemas.report import to_json

NOON = datetime(2026, 4, 1, 12, tzinfo=UTC)
N_ITEMS, N_FLAGS = 12, 4
STUDY = """\
study: promises
question: Does the answer promise too much?
unit: one answer
guideline: {{version: "1.0", file: guideline.md}}
scale: nominal
categories:
  - {{value: "yes", positive: true, definition: It does.}}
  - {{value: "no", definition: It does not.}}
roster: {{annotators: [{{id: ada}}, {{id: bo}}, {{id: cy, reserve: true}}], adjudicators: [{{id: dee}}]}}
passes: 2
slices: {{uniform: {{rate: "0.10"}}}}
interval: {{level: "0.95", resamples: 100, seed: 7}}
gate:
  use: judge answers
  because: it is a test
  rules:
    - {{slice: uniform, statistic: union_positives, at_least: "{union}"}}
    - {{slice: uniform, statistic: positive_specific_agreement, at_least: "0.50"}}
    - {{slice: uniform, statistic: krippendorff_alpha, at_least: "0"}}
"""
ROUND = """\
study: promises
round: r1
kind: measured
guideline_version: "1.0"
frame: frame.csv
files: [labels.csv]
"""


def project_in(root: Path, **options: Any) -> Project:
    fixed = {"clock": lambda: NOON, "actor": lambda: "tester", "new_id": lambda: "test"}
    return Project(root, **{**fixed, **options})


def in_memory() -> str | None:
    """A folder in memory for a harness that does not ask what a disk does; None where there is none."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def without_pages() -> None:
    """Reports without their pages from now on, to save time: the record alone."""
    report.render = lambda record: {"report.json": to_json(record)}  # type: ignore[assignment]


def write_inputs(folder: Path) -> None:
    """Everything the steps read. Item 4 is contested: ada flags it, cy does not. Of item 5 ada thinks better."""
    (folder / "r1").mkdir(parents=True)
    texts = {
        "guideline.md": "Flag what nobody promised.\n",
        "study.yaml": STUDY.format(union="1"),
        "amended.yaml": STUDY.format(union="2"),
        "discussed.csv": "item_id\nelsewhere-1\n",
        "decisions.csv": "item_id,label,adjudicator_id,reason\ni4,yes,dee,read it twice\n",
        "outcome.csv": "item_id,label,source\ni1,yes,appeal\n",
        "r1/round.yaml": ROUND,
        "r1/frame.csv": "item_id,item_version\n" + "".join(f"i{n},v1\n" for n in range(1, N_ITEMS + 1)),
        "r1/refused.csv": "item_id,annotator_id,label\ni1,ada,perhaps\n",
        "r1/labels.csv": "item_id,annotator_id,label\n" + "".join(_rows(N_FLAGS + 1)),
        "r1/revised.csv": "item_id,annotator_id,label\n" + "".join(_rows(N_FLAGS)),
        "r1/late.csv": "item_id,annotator_id,label\ni1,bo,yes\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)


def _rows(flagged_by_ada: int) -> list[str]:
    flags = {"ada": flagged_by_ada, "cy": N_FLAGS - 1}
    return [
        f"i{n},{who},{'yes' if n <= last else 'no'}\n" for who, last in flags.items() for n in range(1, N_ITEMS + 1)
    ]


Step = Callable[[Project, Path], object]
# Every verb that changes a project, in an order in which all of them may come.
STEPS: dict[str, Step] = {
    "register": lambda p, f: register(p, f / "study.yaml"),
    "calibration": lambda p, f: hold_calibration(p, "promises", f / "discussed.csv", ["ada"]),
    "amend": lambda p, f: amend(p, f / "amended.yaml", "one was too few"),
    "open": lambda p, f: open_round(p, f / "r1"),
    "reassign": lambda p, f: reassign(p, "r1", "bo", "cy", "bo is ill") if not _reassigned(p) else None,
    "refused": lambda p, f: _once(p, "ingest.refused", lambda: ingest(p, "r1", [f / "r1" / "refused.csv"])),
    "ingest": lambda p, f: ingest(p, "r1", [f / "r1" / "labels.csv"]),
    "revise": lambda p, f: ingest(p, "r1", [f / "r1" / "revised.csv"], revision="ada thought better of it"),
    "look": lambda p, f: note_explored(p, f / "r1" / "labels.csv"),
    "deviation": lambda p, f: record_deviation(p, "r1", "the screen was small"),
    "close": lambda p, f: close_round(p, "r1"),
    "reopen": lambda p, f: reopen_round(p, "r1", "a label was late") if _is_closed(p) else None,
    "close-again": lambda p, f: close_round(p, "r1"),
    "measure": lambda p, f: measure(p, "r1"),
    "late": lambda p, f: ingest(p, "r1", [f / "r1" / "late.csv"]),
    "report": lambda p, f: write_report(p, "r1"),
    "too-early": lambda p, f: _once(p, "release.refused", lambda: release(p, "promises", "1")),
    "gate": lambda p, f: evaluate(p, "r1"),
    "adjudicate": lambda p, f: adjudicate(p, "r1", f / "decisions.csv"),
    "release": lambda p, f: release(p, "promises", "1"),
    "outcome": lambda p, f: record_outcome(p, "r1", f / "outcome.csv"),
    "withdraw": lambda p, f: withdraw(p, "promises", "1", "it was a trial"),
    "redact": lambda p, f: redact(p, "i9", "somebody asked"),
    "rebuild": lambda p, f: rebuild(p),
    "measure-again": lambda p, f: measure(p, "r1"),
}


def released(scratch: Path) -> Project:
    """The study played to its release in `scratch / "project"`, and its database after every verb in `scratch / "old"`.

    Where GOLDGATE_PLAYED names a folder in which that was done, it is copied.
    """
    if played := os.environ.get("GOLDGATE_PLAYED"):
        shutil.copytree(played, scratch, dirs_exist_ok=True)
        return project_in(scratch / "project")
    write_inputs(scratch / "inputs")
    project = project_in(scratch / "project")
    (scratch / "old").mkdir()
    for verb, step in STEPS.items():
        step(project, scratch / "inputs")
        shutil.copy(project.database_path, scratch / "old" / f"{verb}.old")
        if verb == "release":
            break
    return project


def _once(project: Project, event_type: str, refused: Callable[[], object]) -> None:
    """A refusal is an event of its own each time: asked for again only where it is not in the ledger yet."""
    if event_type in (event.type for event in project.events()):
        return
    try:
        refused()
    except (InputRefused, OutOfOrder):
        return
    raise AssertionError(f"{event_type}: nothing was refused")


def _reassigned(project: Project) -> bool:
    """A reassignment is no command one gives twice: asked again it speaks of what is left, which is nothing."""
    return bool(project.state().round("r1").reassigned)


def _is_closed(project: Project) -> bool:
    return project.state().round("r1").closed is not None


def snapshot(project: Project) -> dict[str, Any]:
    """All that must come out the same: ledger, names of objects, published files, table digests."""
    root = project.root
    published = sorted(p for name in ("reports", "releases") for p in (root / name).rglob("*") if p.is_file())
    return {
        "ledger": project.ledger_path.read_bytes() if project.ledger_path.exists() else b"",
        "objects": sorted(p.name for p in (root / "objects").iterdir()) if (root / "objects").is_dir() else [],
        "published": {p.relative_to(root).as_posix(): sha256(p.read_bytes()).hexdigest() for p in published},
        "database": _database(project),
    }


def _database(project: Project) -> dict[str, str]:
    from flows.storage.digests import table_digests

    if not project.ledger_path.exists():
        return {}
    with project.reading() as con:
        return table_digests(con)
