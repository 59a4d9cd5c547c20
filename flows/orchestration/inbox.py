"""The inbox of a project: `inbox/<study>/<round>/`, a folder per round, and which of them are to be run now."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agreement.errors import GoldgateError
from flows.open import ROUND_FILE, read_round_file
from flows.storage.order import ORDER
from flows.storage.project import Project
from flows.storage.state import RoundState, State
from schemas.round_file import RoundFile


@dataclass(frozen=True)
class Waiting:
    """A folder of the inbox. ready: run it now; why: what it waits for, or that it is done."""

    folder: Path
    ready: bool
    why: str


def look(project: Project) -> list[Waiting]:
    """Every round folder of the inbox, in order of its name. Reads only."""
    state = project.state()
    return [_judge(folder, state) for folder in sorted(f.parent for f in inbox(project).glob(f"*/*/{ROUND_FILE}"))]


def inbox(project: Project) -> Path:
    return project.root / "inbox"


def _judge(folder: Path, state: State) -> Waiting:
    try:
        round_file = read_round_file(folder)
    except GoldgateError:
        # Run it all the same: the run is refused and says why, where the schedule's owner looks.
        return Waiting(folder, True, "the round file cannot be used")
    absent = _absent(folder, round_file)
    if absent:
        return Waiting(folder, False, f"not there yet: {', '.join(absent)}")
    rounds = [state.rounds.get((study.study, round_file.round)) for study in round_file.studies()]
    if all(one is not None and is_done(one) for one in rounds):
        return Waiting(folder, False, "done")
    return Waiting(folder, True, "")


def _absent(folder: Path, round_file: RoundFile) -> list[str]:
    """Files the round file names that are not there. Half-copied files are there: ingest refuses what changes."""
    named = [name for name in (round_file.frame, round_file.assignments, *round_file.files) if name is not None]
    return [name for name in named if not Path(folder, name).is_file()]


def is_done(round_state: RoundState) -> bool:
    """Its gate was asked, or its report written where its kind is never gated."""
    if round_state.closed is None:
        return False
    return bool(round_state.gated if round_state.kind in ORDER["gate"].kinds else round_state.reports)
