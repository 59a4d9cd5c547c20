"""Taking a release back: an event, and a marker beside its folder. The folder stays as it is."""

from __future__ import annotations

import json
from pathlib import Path

from agreement.errors import ConfigError, Problem
from flows.close import Done
from flows.storage import published
from flows.storage.ledger import Event
from flows.storage.order import require_study
from flows.storage.project import Change, Project
from flows.storage.state import StudyState
from schemas.names import shown, text_fault


def withdraw(project: Project, study_id: str, version: str, reason: str) -> Done:
    """Withdraw a released version. It is never used again, and `current` points to the last one still in force.

    Again is already done. Raises ConfigError for an unknown version or no reason, OutOfOrder if nothing was released.
    """
    if text_fault(reason) is not None:
        raise ConfigError(
            "withdraw: no reason", next_step="Say in a sentence why; it is kept for ever.", code="blank-reason"
        )
    with project.changing() as change:
        study_state = change.state.study(study_id)
        require_study("withdraw", study_state, change.state)
        release = _release(study_state, version)
        for event in study_state.withdrawn:
            if event.payload["release_id"] == release.payload["release_id"]:
                _mark(change, study_state, release, event)
                return Done(True, event)
        return Done(False, withdraw_within(change, study_state, release, reason))


def withdraw_within(change: Change, study_state: StudyState, release: Event, reason: str) -> Event:
    """The same inside a change that is under way. A release that is withdrawn already stays so."""
    payload = release.payload
    for event in study_state.withdrawn:
        if event.payload["release_id"] == payload["release_id"]:
            return event
    event = change.commit(
        "release.withdrawn",
        {
            "study_id": study_state.study_id,
            "version": payload["version"],
            "release_id": payload["release_id"],
            "folder": payload["folder"],
            "reason": reason,
        },
    )
    _mark(change, study_state, release, event)
    return event


def marker(root: Path, folder: str) -> Path:
    """Where the marker of a withdrawn release lies: beside its folder, which stays complete."""
    return root / f"{folder}.withdrawn"


def in_force(study_state: StudyState) -> list[Event]:
    """Releases that were not withdrawn, in order; the last one is current."""
    withdrawn = {event.payload["release_id"] for event in study_state.withdrawn}
    return [event for event in study_state.releases if event.payload["release_id"] not in withdrawn]


def marker_bytes(withdrawn: Event) -> bytes:
    text = {"release_id": withdrawn.payload["release_id"], "reason": withdrawn.payload["reason"], "at": withdrawn.ts}
    return (json.dumps(text, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _mark(change: Change, study_state: StudyState, release: Event, withdrawn: Event) -> None:
    """The marker and the pointer are caches of the event: written again if they were lost."""
    path = marker(change.project.root, release.payload["folder"])
    published.inside(change.project.root, release.payload["folder"])
    if not path.exists():
        published.write_whole(path, marker_bytes(withdrawn))
    standing = in_force(study_state)
    pointer = path.parent / published.CURRENT
    if standing:
        published.point_to(pointer, Path(standing[-1].payload["folder"]).name)
    else:
        pointer.unlink(missing_ok=True)


def _release(study_state: StudyState, version: str) -> Event:
    for event in study_state.releases:
        if event.payload["version"] == version:
            return event
    known = ", ".join(event.payload["version"] for event in study_state.releases)
    raise ConfigError(
        f"withdraw {shown(version)}: no such release of {study_state.study_id}",
        [Problem("unknown-release", "no such release", f"Known: {known}.", value=shown(version))],
    )
