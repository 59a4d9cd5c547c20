"""Reports as files: `reports/<study>/<round>/v<N>/`, never changed once written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agreement.errors import IntegrityError, OutOfOrder, Problem
from flows import measurement
from flows.storage import published
from flows.storage.ledger import Event
from flows.storage.objects import Objects, file_digest
from flows.storage.order import require
from flows.storage.project import Change, Project
from flows.storage.state import RoundState
from schemas.report import Head, Report, to_json

FILES = ("report.json", "report.html", "report.md")
LONGEST_LIST = 40  # changes named one by one in a new version


@dataclass(frozen=True)
class Written:
    """A report on disk. folder: relative to the project."""

    already_done: bool
    folder: Path
    version: int
    report: Report


def write_report(project: Project, round_id: str, study_id: str | None = None) -> Written:
    """Write the report of the last measuring. A new version exists exactly when its content differs.

    Files that were lost are written again, byte for byte. Raises OutOfOrder before the round is measured.
    """
    with project.changing() as change:
        round_state = change.state.round(round_id, study_id)
        require("report", round_state)
        published.sweep(_parent(project, round_state))
        content = measured_report(change.objects, round_state.measured[-1])
        last = last_report(change.objects, round_state)
        if last is not None and _content(last) == _content(content):
            folder = _parent(project, round_state) / f"v{last.version}"
            published.inside(project.root, str(folder.relative_to(project.root)))  # the folder itself may be a link
            _restore(folder, last, round_state.reports[-1])
            return Written(True, folder.relative_to(project.root), last.version, last)
        version = len(round_state.reports) + 1
        report = content.model_copy(update={"version": version, "changes": list(_changes(last, content))})
        return Written(False, _write(change, round_state, report), version, report)


def measured_report(objects: Objects, measured: Event) -> Report:
    """The report of one measuring, with the ledger head of that very event."""
    report = measurement.report_of(objects.read(measured.payload["measurement"]))
    return report.model_copy(update={"ledger_head": Head(size=measured.seq, hash=measured.hash)})


def last_report(objects: Objects, round_state: RoundState) -> Report | None:
    """The newest report written for a round, made again from what it was made from."""
    if not round_state.reports:
        return None
    written = round_state.reports[-1].payload
    measured = next(event for event in round_state.measured if event.seq == written["measured"])
    update = {"version": written["version"], "changes": written["changes"]}
    return measured_report(objects, measured).model_copy(update=update)


def remade(objects: Objects, round_state: RoundState, written: Event) -> dict[str, bytes]:
    """The files of a report made again. round_state: as it was before that report."""
    measured = {event.seq: event for event in round_state.measured}[written.payload["measured"]]
    content = measured_report(objects, measured)
    changes = list(_changes(last_report(objects, round_state), content))
    return render(content.model_copy(update={"version": len(round_state.reports) + 1, "changes": changes}))


def past_report(project: Project, round_id: str, as_of: int, study_id: str | None = None) -> Report:
    """The newest report there was after event `as_of`. Reads only. OutOfOrder if there was none yet."""
    round_state = project.state(as_of).round(round_id, study_id)
    require("report", round_state)
    report = last_report(project.objects, round_state)
    if report is None:
        raise OutOfOrder(
            f"report {round_id}: no report had been written at event {as_of}",
            code="no-report-yet",
            next_step="Name a later event with --as-of.",
        )
    return report


def render(report: Report) -> dict[str, bytes]:
    """The report's files. The pages render the record and compute nothing."""
    from flows.pages.report_markdown import render_report_markdown
    from flows.pages.report_page import render_report_html

    return dict(zip(FILES, (to_json(report), render_report_html(report), render_report_markdown(report)), strict=True))


def _write(change: Change, round_state: RoundState, report: Report) -> Path:
    files = render(report)
    folder = _parent(change.project, round_state) / f"v{report.version}"
    if folder.exists():
        _drop_unannounced(folder, files)
    published.publish(published.stage(folder.parent, files), folder)
    relative = folder.relative_to(change.project.root)
    change.commit(
        "report.written",
        {
            "study_id": round_state.study_id,
            "round_id": round_state.round_id,
            "version": report.version,
            "folder": relative.as_posix(),
            "measured": report.ledger_head.size,
            "changes": report.changes,
            "files": [[name, published.digest_of(data)] for name, data in files.items()],
        },
    )
    return relative


def _drop_unannounced(folder: Path, files: dict[str, bytes]) -> None:
    """A folder without its event: a command was stopped in between. It may go only if it is this very report."""
    import shutil

    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    if found != files:
        raise IntegrityError(
            f"{folder.name} of this round is there, but no event names it and it is not this report",
            next_step="Move the folder elsewhere, then run the command again.",
            code="folder-unnamed",
        )
    shutil.rmtree(folder)


def _restore(folder: Path, report: Report, event: Event) -> None:
    """Write lost files again. IntegrityError if one that is there is not what was written."""
    missing = [name for name, _ in event.payload["files"] if not (folder / name).exists()]
    for name, digest in event.payload["files"]:
        if name not in missing and file_digest(folder / name) != digest:
            raise IntegrityError(
                f"{folder.name}/{name} is not what was written",
                [Problem("report-changed", "the file was changed later", "Move it away.", file=name)],
                next_step="Move the changed file away and run the command again: it is written as it was.",
            )
    if not missing:
        return
    files = render(report)
    for name, digest in event.payload["files"]:
        if name in missing:
            if published.digest_of(files[name]) != digest:
                raise IntegrityError(
                    f"{name} was lost and cannot be made again byte for byte by this version of goldgate",
                    next_step="Restore it from a backup, or install the version the ledger names.",
                    code="report-not-reproducible",
                )
            folder.mkdir(parents=True, exist_ok=True)
            published.write_whole(folder / name, files[name])
            (folder / name).chmod(0o444)


def _parent(project: Project, round_state: RoundState) -> Path:
    name = f"{project.reports.name}/{round_state.study_id}/{round_state.round_id}"
    return published.inside(project.root, name)


def _content(report: Report) -> dict[str, Any]:
    return report.model_dump(mode="json", exclude={"version", "changes", "ledger_head"})


def _changes(before: Report | None, after: Report) -> Iterator[str]:
    if before is None:
        return
    lines = list(_differences("", _content(before), _content(after)))
    yield from lines[:LONGEST_LIST]
    if len(lines) > LONGEST_LIST:
        yield f"and {len(lines) - LONGEST_LIST} more"


def _differences(path: str, before: Any, after: Any) -> Iterator[str]:
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(k for k in after if k not in before)]:
            yield from _differences(f"{path}.{key}".lstrip("."), before.get(key), after.get(key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for n, (old, new) in enumerate(zip(before, after, strict=True)):
            name = new.get("name") or new.get("statistic") or new.get("annotator_id") if isinstance(new, dict) else None
            yield from _differences(f"{path}[{name or n}]", old, new)
    elif isinstance(after, list) and isinstance(before, list):
        yield f"{path}: {len(before)} entries, now {len(after)}"
    else:
        yield f"{path}: {_short(before)}, now {_short(after)}"


def _short(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)[:60]
