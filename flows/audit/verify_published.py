"""Whether what was published is what the ledger names: reports, releases, and the pointer to the current one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from agreement.errors import Problem
from flows.audit.verified import Tally
from flows.releases import release_check
from flows.releases.release import announcement
from flows.releases.withdraw import in_force, marker, marker_bytes
from flows.storage import published
from flows.storage.ledger import Event
from flows.storage.project import Project
from flows.storage.published import CURRENT
from flows.storage.state import State, StudyState

# A published folder that no event names may be what is left of events that somebody cut off.
LEDGER_FIRST = (
    "If the ledger lost its end, bring it back from a copy; if a command was stopped, run it again; else move the "
    "folder elsewhere."
)


def check_published(project: Project, state: State, tally: Tally) -> list[Problem]:
    """What is gone, changed, added or never announced. Counts what it looks at."""
    problems: list[Problem] = []
    removed = {folder for event in state.redacted for folder in event.payload["releases"]}
    for round_state in state.rounds.values():
        for event in round_state.reports:
            expected = dict(event.payload["files"])
            found = list(_folder(project.root, event.payload["folder"], expected))
            tally.count("report files", len(expected), sum(p.code != "report-extra" for p in found))
            problems += found
    for study in state.studies.values():
        for event in study.releases:
            found = list(_release(project.root, event, removed))
            tally.count("releases", 1, bool(found))
            problems += found
        problems += [problem for event in study.withdrawn for problem in _marker(project.root, event)]
        problems += _pointer(project.releases / study.study_id / CURRENT, study)
    return [*problems, *_unnamed(project, state), *_loose(project, state)]


def _unnamed(project: Project, state: State) -> Iterator[Problem]:
    """Folders that look published and that no event names."""
    named = {event.payload["folder"] for r in state.rounds.values() for event in r.reports}
    named |= {event.payload["folder"] for study in state.studies.values() for event in study.releases}
    for code, top, below in (
        ("report-unnamed", project.reports, "*/*/*"),
        ("release-unnamed", project.releases, "*/*"),
    ):
        for path in sorted(top.glob(below)):
            name = path.relative_to(project.root).as_posix()
            if path.is_dir() and not path.name.startswith(".staging-") and name not in named:
                fix = LEDGER_FIRST
                yield Problem(code, "no event names this folder", fix, file=name)


def _loose(project: Project, state: State) -> Iterator[Problem]:
    """Files beside the folders that were published. What a stopped command leaves is hidden, and noted only."""
    withdrawn = [event for study in state.studies.values() for event in study.withdrawn]
    ours = {marker(project.root, event.payload["folder"]) for event in withdrawn}
    ours |= {project.releases / study / CURRENT for study in state.studies}
    for path in _beside(project):
        if not path.is_dir() and not path.name.startswith(".") and path not in ours:
            fix = "Move it elsewhere: nothing that goldgate published is kept there."
            yield Problem("file-unnamed", "no event names this file", fix, _relative(project, path))


def left_behind(project: Project) -> Iterator[str]:
    """A note on hidden files and folders, as a stopped command leaves them, where there are any."""
    left = [_relative(project, path) for path in _beside(project) if path.name.startswith(".")]
    if left:
        yield f"left by a command that was stopped, or put there by hand: {', '.join(left)}. No reader looks at it."


def _beside(project: Project) -> list[Path]:
    below = ((project.reports, ("*", "*/*", "*/*/*")), (project.releases, ("*", "*/*")))
    return sorted(path for top, patterns in below for pattern in patterns for path in top.glob(pattern))


def _relative(project: Project, path: Path) -> str:
    return path.relative_to(project.root).as_posix()


def _marker(root: Path, withdrawn: Event) -> Iterator[Problem]:
    """A withdrawn release says so beside its folder."""
    path = marker(root, withdrawn.payload["folder"])
    if not path.is_file() or path.read_bytes() != marker_bytes(withdrawn):
        fix = "`goldgate withdraw` of the same version again writes it."
        yield Problem("marker-changed", "the marker of a withdrawn release is not what was written", fix, path.name)


def _pointer(pointer: Path, study: StudyState) -> Iterator[Problem]:
    """`current` names the last release in force. It is a cache, and readers follow it."""
    standing, names = in_force(study), {Path(event.payload["folder"]).name for event in study.releases}
    expected = Path(standing[-1].payload["folder"]).name if standing else None
    found = pointer.read_text(encoding="utf-8", errors="replace").strip() if pointer.is_file() else None
    if found != expected:
        fix = "Remove it: no release is in force."
        if found is not None and found not in names and (pointer.parent / found).is_dir():
            fix = LEDGER_FIRST
        elif pointer.is_dir():
            fix = "A folder stands where a file should be: move it away, then run `goldgate release` again."
        elif standing:
            last = standing[-1].payload
            fix = f"`goldgate release {last['study_id']} {last['version']}` sets it again."
        yield Problem("pointer-wrong", f"it should name {expected or 'nothing'}", fix, file=CURRENT, value=found)


def _folder(root: Path, name: str, expected: dict[str, str]) -> Iterator[Problem]:
    found = published.digests(root / name) if (root / name).is_dir() else {}
    for path in sorted(expected.keys() | found.keys()):
        if path not in found:
            yield Problem(
                "report-missing", "the file is gone", "`goldgate report` writes it again.", file=f"{name}/{path}"
            )
        elif path not in expected:
            yield Problem("report-extra", "the file was added later", "Move it elsewhere.", file=f"{name}/{path}")
        elif found[path] != expected[path]:
            yield Problem(
                "report-changed",
                "the file is not what was written",
                "Restore it from a copy, or delete it and run `goldgate report` again.",
                file=f"{name}/{path}",
            )


def _release(root: Path, event: Event, removed: set[str]) -> Iterator[Problem]:
    folder = root / event.payload["folder"]
    if event.payload["folder"] in removed:
        if folder.exists():
            fix = "Run any command that changes the project: it finishes the removal."
            yield Problem("redaction-unfinished", "the release was removed on request, and is there", fix, folder.name)
        return
    if not folder.is_dir():
        yield Problem("release-missing", "the release's folder is gone", "Restore it from a copy.", file=folder.name)
        return
    lines = release_check.differences(folder, event.payload["release_id"])
    yield from (
        Problem("release-changed", line, "Restore the release from a copy.", file=folder.name) for line in lines
    )
    if not lines:
        yield from _as_announced(folder, event)


def _as_announced(folder: Path, event: Event) -> Iterator[Problem]:
    """What an event says of a release is what its manifest says."""
    manifest = json.loads((folder / "manifest.json").read_bytes())
    announced = announcement(manifest)
    wrong = sorted(key.replace("_", " ") for key, value in announced.items() if event.payload.get(key, value) != value)
    if wrong:
        message = f"event {event.seq} says otherwise than the manifest: {', '.join(wrong)}"
        yield Problem("manifest-differs", message, "Compare the ledger with a backup.", file=folder.name)
