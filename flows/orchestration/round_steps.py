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
from flows.register import register
from flows.report import last_report
from flows.report import write_report as write
from flows.storage.order import ORDER
from flows.storage.project import Project
from schemas.report import Report
from schemas.round_file import RoundFile

SHEETS = (".csv", ".tsv", ".xlsx", ".parquet")
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
    if project.state().round(round_file.round, study_id).closed is not None:
        return "ingest: the round is closed, its files are not read again"
    if not round_file.files:
        return "ingest: the round file lists no files yet"
    files = [Path(folder, name) for name in round_file.files]
    done = ingest(project, round_file.round, files, study_id=study_id, round_file=as_asked(round_file, study_id))
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


def write_report(root: str, study_id: str, round_id: str) -> dict[str, str]:
    """{"folder": of the report, inside the project, "line": what happened}"""
    done = write(_project(root), round_id, study_id=study_id)
    line = _said("report", done.already_done, f"{Path(root) / done.folder / 'report.html'}")
    return {"folder": str(done.folder), "line": line}


def evaluate_gate(root: str, study_id: str, round_id: str) -> dict[str, Any]:
    """Ask the gate. {"exit": exit code, "sentence", "next_step", "line": what happened}

    A round that is never gated is done when its report is written. One that lost its gate, cut short, is no pass.
    """
    project = _project(root)
    round_state = project.state().round(round_id, study_id)
    report = last_report(project.objects, round_state)
    if report is not None and report.verdict.status == "not_gated":
        exit_code = report.verdict.exit_code if round_state.kind in ORDER["gate"].kinds else 0
        shown = (report.verdict.next_step, report.verdict.command)
        return _verdict(report, exit_code, shown, "gate: not asked, this round is shown and never judged")
    done = evaluate(project, round_id, study_id=study_id)
    status = done.report.verdict.status.replace("_", " ")
    line = _said("gate", done.already_done, status)
    return _verdict(done.report, done.report.verdict.exit_code, done.next_step, line)


def _verdict(report: Report, exit_code: int, next_step: tuple[str, str], line: str) -> dict[str, Any]:
    sentence, command = next_step
    do = f"{sentence} {command and f'`{command}`'}".strip()
    return {"exit": exit_code, "sentence": report.verdict.sentence, "next_step": do, "line": line}


def as_asked(round_file: RoundFile, study_id: str) -> RoundFile:
    """The round file as one of its studies reads the files: with its own question.

    In a sheet each question is a column of answers, so the other studies' questions are columns to be passed over.
    """
    questions = {entry.study: entry.question for entry in round_file.studies()}
    question = questions[study_id]
    changes: dict[str, Any] = {"study": study_id, "question": question}
    if question is not None and "label" not in round_file.columns and _are_sheets(round_file.files):
        others = tuple(other for other in questions.values() if other not in (None, question))
        changes |= {"columns": {**round_file.columns, "label": question}, "ignore": (*round_file.ignore, *others)}
    return round_file.model_copy(update=changes)


def _are_sheets(files: tuple[str, ...]) -> bool:
    return all(Path(name).suffix.lower() in SHEETS for name in files)


def _project(root: str) -> Project:
    return Project(Path(root))


def _round_file(folder: str) -> RoundFile:
    return read_round_file(Path(folder))


def _said(verb: str, already_done: bool, what: str) -> str:
    return f"{verb}: {what}{' (already done)' if already_done else ''}"
