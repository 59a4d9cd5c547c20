"""The steps of a round from its folder to its verdict, as plain functions. Nothing here knows Prefect.

Each takes ids and paths as text, does one thing through the verb for it, and hands back plain data. Each can be done
again: the second time finds it done. So a run stopped anywhere is continued by running it again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agreement.errors import OutOfOrder
from flows.close import close_round as close
from flows.gate import evaluate
from flows.ingest import ingest
from flows.measure import measure
from flows.open import open_round as open_verb
from flows.open import read_round_file
from flows.order import ORDER
from flows.project import Project
from flows.register import register
from flows.report import write_report as write
from flows.state import RoundState
from flows.verdict_page import verdict_page
from schemas.round_file import RoundFile

SAID_COMPLETE = "the round file says complete: true"


def read_folder(folder: str) -> dict[str, Any]:
    """Which round a folder holds, and for which studies."""
    round_file = _round_file(folder)
    return {"round_id": round_file.round, "studies": [study.study for study in round_file.studies()]}


def register_study(root: str, folder: str) -> str:
    """Register the study file the round file names. A pilot needs no registration, and is not to freeze its draft."""
    round_file = _round_file(folder)
    if round_file.kind == "pilot":
        return "register: a pilot needs none"
    if round_file.study_file is None:
        return "register: the round file names no study_file"
    done = register(_project(root), Path(folder, round_file.study_file))
    return _said("register", done.already_done, f"{done.study.study}, guideline {done.study.guideline.version}")


def open_round(root: str, folder: str, study_id: str) -> str:
    """Open the round, unless it was drawn: then it is open, and its folder holds no frame of its own."""
    round_file = _round_file(folder)
    project = _project(root)
    if round_file.frame is None and (study_id, round_file.round) in project.state().rounds:
        return _said("open", True, "drawn")
    done = open_verb(project, Path(folder), study_id=study_id)
    return _said("open", done.already_done, f"{done.event.payload['n_items']} items, frozen with their assignments")


def ingest_files(root: str, folder: str, study_id: str) -> str:
    """Bring the listed files in, all or none. A closed round's files are not read again."""
    round_file = _round_file(folder)
    project = _project(root)
    if _round(project, study_id, round_file.round).closed is not None:
        return "ingest: the round is closed, its files are not read again"
    if not round_file.files:
        return "ingest: the round file lists no files yet"
    files = [Path(folder, name) for name in round_file.files]
    done = ingest(project, round_file.round, files, study_id=study_id, round_file=round_file)
    return _said("ingest", done.already_done, f"{done.n_new} new labels from {len(files)} files")


def close_round(root: str, folder: str, study_id: str) -> dict[str, Any]:
    """Close if every assigned label is in, or the round file says that no more will come. Else say what is waited for.

    {"closed": bool, "line": what happened}
    """
    round_file = _round_file(folder)
    project = _project(root)
    try:
        done = close(project, round_file.round, study_id=study_id)
    except OutOfOrder as error:
        if not any(problem.code == "labels-expected" for problem in error.problems):
            raise
        if not round_file.complete:
            return {"closed": False, "line": f"waiting: {error.headline.partition(': ')[2]}"}
        done = close(project, round_file.round, study_id=study_id, incomplete=SAID_COMPLETE)
    return {"closed": True, "line": _said("close", done.already_done, str(done.event.payload["how"]))}


def measure_round(root: str, study_id: str, round_id: str) -> str:
    done = measure(_project(root), round_id, study_id=study_id)
    return _said("measure", done.already_done, "counts and estimates recorded")


def write_report(root: str, study_id: str, round_id: str) -> str:
    done = write(_project(root), round_id, study_id=study_id)
    where = done.folder.relative_to(Path(root)) if done.folder.is_relative_to(root) else done.folder
    return _said("report", done.already_done, f"{where}/report.html")


def evaluate_gate(root: str, study_id: str, round_id: str) -> dict[str, Any]:
    """Ask the gate. {"exit": exit code, "sentence", "next_step", "line", "page": the verdict as Markdown}

    A kind of round that is never gated ends with 0 and says so.
    """
    project = _project(root)
    kind = _round(project, study_id, round_id).kind
    if kind not in ORDER["gate"].kinds:
        sentence = f"A {kind} round is measured and reported, never gated."
        page = f"# {study_id}, {round_id}\n\n{sentence}\n"
        return {"exit": 0, "sentence": sentence, "next_step": "", "line": f"gate: {sentence}", "page": page}
    done = evaluate(project, round_id, study_id=study_id)
    verdict = done.report.verdict
    return {
        "exit": verdict.exit_code,
        "sentence": verdict.sentence,
        "next_step": verdict.next_step,
        "line": _said("gate", done.already_done, verdict.status.replace("_", " ")),
        "page": verdict_page(done.report),
    }


def _round_file(folder: str) -> RoundFile:
    return read_round_file(Path(folder))


def _project(root: str) -> Project:
    return Project(Path(root))


def _round(project: Project, study_id: str, round_id: str) -> RoundState:
    return project.state().round(round_id, study_id)


def _said(verb: str, already_done: bool, what: str) -> str:
    return f"{verb}: {what}{' (already done)' if already_done else ''}"
