"""A published release made a second time from objects and ledger, to compare with what lies in its folder."""

from __future__ import annotations

from flows.export_files import as_csv, csv_rows
from flows.exports import released_labels
from flows.register import registered_study
from flows.releases.reference_set import ReferenceSet
from flows.releases.release import files_of, manifest_of, measured_again, reference_of, sheet_of
from flows.storage import published
from flows.storage.ledger import Event
from flows.storage.project import Change, Project
from flows.storage.state import RoundState, State, StudyState
from flows.storage.store import Connection
from schemas.study import Study


def rounds_of(state: State, released: Event) -> list[RoundState]:
    """The rounds an event says a release was made of, relabelled ones last."""
    names = (*released.payload["rounds"], *released.payload.get("relabelled", ()))
    return [state.rounds[released.payload["study_id"], name] for name in names]


def remade_id(project: Project, con: Connection, state: State, released: Event) -> str:
    """The id a release has if it is made again from what stood before it. Nothing is written."""
    change, study_state = Change(project, con, state), state.study(released.payload["study_id"])
    study, passed, again, reference = _remade(change, study_state, released)
    version = released.payload["version"]
    files = files_of(change, study, version, passed, again, reference)
    manifest = manifest_of(change, study_state, version, passed, again, reference, files)
    return published.digest_of(published.canonical_json(manifest))


def differing_labels(project: Project, con: Connection, state: State, released: Event) -> list[str]:
    """Which files of labels of a published release do not hold what its rounds give."""
    change, study_state = Change(project, con, state), state.study(released.payload["study_id"])
    *_, reference = _remade(change, study_state, released)
    folder, sheet = project.root / released.payload["folder"], sheet_of(reference)
    same = {
        "labels.csv": csv_rows((folder / "labels.csv").read_bytes()) == csv_rows(as_csv(sheet)),
        "labels.parquet": released_labels(folder) == sheet,
    }
    return [name for name, is_same in same.items() if not is_same]


def _remade(
    change: Change, study_state: StudyState, released: Event
) -> tuple[Study, list[RoundState], list[RoundState], ReferenceSet]:
    key = study_state.study_id
    passed = [change.state.rounds[key, name] for name in released.payload["rounds"]]
    again = measured_again(study_state, change, passed[-1])
    study = registered_study(change.objects, change.state, passed[0])
    return study, passed, again, reference_of(change, study, passed, again)
