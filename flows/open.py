"""Opening a round: its items, its slices and who labels what are frozen from here on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agreement.errors import ConfigError, InputRefused, OutOfOrder, Problem
from flows.blind import require_blind
from flows.close import Done
from flows.frame import Frame, read_assignments, read_frame
from flows.register import frozen_study, guideline_digest, read_small, require_definitions
from flows.storage.follows import standing_registration
from flows.storage.order import require_study
from flows.storage.project import Change, Project
from flows.storage.state import State, StudyState
from schemas.round_file import RoundFile, StudyQuestion, parse_round
from schemas.study import Study, parse_study

ROUND_FILE = "round.yaml"


@dataclass(frozen=True)
class Governing:
    """The study a new round is opened under, and where its bytes lie. registration: the event, an amendment's too."""

    study: Study
    study_file: str
    guideline: str
    guideline_digest: str
    registration: int | None


def read_round_file(folder: Path) -> RoundFile:
    """The round file of a round's folder. ConfigError if there is none or it cannot be used."""
    return parse_round(read_small(folder / ROUND_FILE, "round file"), ROUND_FILE)


def open_round(project: Project, folder: Path, study_id: str | None = None) -> Done:
    """Open the round that `folder`/round.yaml describes: frame and assignments are read, checked and frozen.

    The same again is already done. Raises OutOfOrder where a registration is missing or an attempt too many,
    InputRefused for a frame or assignments that cannot be used, ConfigError for the round file.
    """
    round_file = read_round_file(folder)
    served = _one_study(round_file, study_id)
    with project.changing() as change:
        require_study("open", change.state.studies.get(served.study) or StudyState(served.study), change.state)
        governing = _governing(change, round_file, served, folder)
        frame = read_frame(change, folder / _frame_name(round_file), governing.study)
        assignments = read_assignments(change, folder, round_file, governing.study, frame)
        payload = _payload(change, round_file, governing, frame, assignments, folder)
        standing = change.state.rounds.get((served.study, round_file.round))
        if standing is not None:
            _require_same(standing.opened.payload, payload)
            return Done(True, standing.opened)
        _require_allowed(change, round_file, governing.study, frame)
        return Done(False, change.commit("round.opened", payload))


def attempt_number(state: State, study_id: str, round_id: str | None) -> int:
    """1 for a round that replaces none, one more for each it replaces in turn."""
    n = 1
    while round_id is not None:
        round_id = state.round(round_id, study_id).opened.payload["attempt_of"]
        n += 1
    return n


def _one_study(round_file: RoundFile, study_id: str | None) -> StudyQuestion:
    served = {entry.study: entry for entry in round_file.studies()}
    if study_id is None and len(served) == 1:
        return next(iter(served.values()))
    if study_id is None or study_id not in served:
        raise ConfigError(
            f"{ROUND_FILE} serves {', '.join(served)}",
            next_step="Name one of them with --study, or use `goldgate run`.",
            code="several-studies",
        )
    return served[study_id]


def _governing(change: Change, round_file: RoundFile, served: StudyQuestion, folder: Path) -> Governing:
    known = change.state.studies.get(served.study)
    registration = standing_registration(known, round_file.guideline_version) if known else None
    if registration is not None:
        require_definitions(registration)
        payload = registration.payload
        study = frozen_study(change.objects, payload)
        return Governing(
            study, payload["study_file"], payload["guideline"], payload["guideline_digest"], registration.seq
        )
    if round_file.kind == "pilot" and round_file.study_file is not None:
        return _draft(change, folder / round_file.study_file, served.study)
    raise OutOfOrder(
        f"open {round_file.round}: {served.study}, guideline {round_file.guideline_version}, is not registered",
        [Problem("registered-missing", "a round is judged by what was registered before it opened")],
        next_step="Register it first: `goldgate register STUDY.yaml`. (A pilot may name a draft under `study_file:`.)",
    )


def _draft(change: Change, study_path: Path, study_id: str) -> Governing:
    """A pilot needs no registration: it keeps the digests of the draft it was held under."""
    study_bytes = read_small(study_path, "study file")
    study = parse_study(study_bytes, study_path.name)
    if study.study != study_id:
        raise ConfigError(
            f"{ROUND_FILE}: study {study_id}, but {study_path.name} is of study {study.study}",
            code="other-study",
            next_step="Correct `study:` or `study_file:` in round.yaml.",
        )
    guideline = read_small(study_path.parent / study.guideline.file, "guideline")
    objects = change.objects
    return Governing(study, objects.put(study_bytes), objects.put(guideline), guideline_digest(guideline), None)


def _frame_name(round_file: RoundFile) -> str:
    if round_file.frame is None:
        raise ConfigError(
            f"{ROUND_FILE}: no `frame:`",
            [Problem("no-frame", "the round's items are not named", "Name the file of items.", column="frame")],
        )
    return round_file.frame


def _payload(
    change: Change, round_file: RoundFile, governing: Governing, frame: Frame, assignments: str, folder: Path
) -> dict[str, Any]:
    return {
        "study_id": governing.study.study,
        "round_id": round_file.round,
        "kind": round_file.kind,
        "guideline_version": round_file.guideline_version,
        "registration": governing.registration,
        "study_file": governing.study_file,
        "guideline": governing.guideline,
        "guideline_digest": governing.guideline_digest,
        "frame": frame.digest,
        "metadata": list(frame.metadata),
        "n_items": frame.n_items,
        "slices": [[name, n] for name, n in frame.slices],
        "unchecked_slices": list(frame.unchecked),
        "assignments": assignments,
        "short_of_passes": _short_of_passes(change, assignments, governing.study.passes),
        "attempt_of": round_file.attempt_of,
        "pool": [[cell, n] for cell, n in sorted(round_file.pool.items())],
        "round_file": change.objects.put(read_small(folder / ROUND_FILE, "round file")),
        "attestation": round_file.attestation or "",
    }


def _short_of_passes(change: Change, assignments: str, passes: int) -> int:
    """Items assigned to fewer people than labels an item were registered."""
    from flows.storage.store import rows

    query = "select count(*) from (select item_id from read_parquet(?) group by item_id having count(*) < ?)"
    ((n,),) = rows(change.con, query, [str(change.objects.path(assignments)), passes])
    return int(n)


def _require_same(standing: dict[str, Any], payload: dict[str, Any]) -> None:
    frozen = ("kind", "guideline_version", "frame", "assignments", "attempt_of", "pool")
    changed = [key for key in frozen if standing[key] != payload[key]]
    if changed:
        raise OutOfOrder(
            f"open {payload['round_id']}: it is open already, with other {', '.join(changed)}",
            [Problem("round-frozen", f"{key} was frozen when the round opened", column=key) for key in changed],
            next_step="Open a new round under another name; a frozen one does not change.",
        )


def _require_allowed(change: Change, round_file: RoundFile, study: Study, frame: Frame) -> None:
    if round_file.guideline_version != study.guideline.version:
        raise ConfigError(
            f"{ROUND_FILE}: guideline {round_file.guideline_version}, "
            f"but the study file says {study.guideline.version}",
            code="other-guideline-version",
            next_step="Correct `guideline_version:` in round.yaml, or register the version.",
        )
    if round_file.attempt_of is not None:
        _require_attempt(change.state, round_file, study)
    require_blind(change, study.study, round_file.kind, frame)
    if round_file.kind == "measured":
        _require_every_slice(study, frame)
        _require_pool(change, study, round_file, frame)
    if round_file.kind == "relabel":
        _require_failed_before(change, study, frame)


def _require_attempt(state: State, round_file: RoundFile, study: Study) -> None:
    replaced = state.round(str(round_file.attempt_of), study.study)
    if replaced.guideline_version != round_file.guideline_version or replaced.verdict in (None, "pass"):
        raise OutOfOrder(
            f"open {round_file.round}: {replaced.round_id} is not a round of guideline "
            f"{round_file.guideline_version} that was gated and did not pass",
            [Problem("nothing-to-replace", "an attempt replaces a round that did not pass", column="attempt_of")],
            next_step="Name the round it replaces under `attempt_of:`, or leave the key out.",
        )
    again = [r.round_id for r in state.rounds_of(study.study) if r.opened.payload["attempt_of"] == replaced.round_id]
    if again:
        raise OutOfOrder(
            f"open {round_file.round}: {replaced.round_id} has been replaced by {again[0]} already",
            [Problem("already-replaced", "a round is replaced once, or attempts could not be counted")],
            next_step=f"If {again[0]} did not pass either, replace that one: `attempt_of: {again[0]}`.",
        )
    number = attempt_number(state, study.study, round_file.attempt_of)
    if number > study.gate.attempts:
        raise OutOfOrder(
            f"open {round_file.round}: attempt {number}, but {study.gate.attempts} registered: "
            f"not measurable as written",
            [Problem("attempts-used-up", "all registered attempts have been made")],
            next_step="Revise the guideline and register its next version.",
        )


def _require_every_slice(study: Study, frame: Frame) -> None:
    present = {name for name, _ in frame.slices}
    empty = [name for name in study.slice_names() if name not in present]
    if empty:
        raise InputRefused(
            f"{frame.file}: {len(empty)} registered slice{'s' if len(empty) > 1 else ''} without items; nothing stored",
            [
                Problem(
                    "empty-slice",
                    "no item of this slice",
                    "Draw items for it.",
                    file=frame.file,
                    column="slice",
                    value=name,
                )
                for name in empty
            ],
        )


def _require_pool(change: Change, study: Study, round_file: RoundFile, frame: Frame) -> None:
    """A study that weighs to traffic needs to know how many items of the pool each cell has."""
    if not study.traffic:
        return
    from flows.storage.store import rows

    frame_path = str(change.objects.path(frame.digest))
    cells = [
        cell for (cell,) in rows(change.con, "select distinct cell from read_parquet(?) order by cell", [frame_path])
    ]
    unknown = [cell for cell in cells if cell not in round_file.pool]
    if unknown:
        raise ConfigError(
            f"{ROUND_FILE}: the study weighs to traffic, and the pool's items are not given for every cell",
            [
                Problem(
                    "no-pool-count", "no count of the pool's items", "Say how many.", ROUND_FILE, column=f"pool.{cell}"
                )
                for cell in unknown
            ],
        )


def _require_failed_before(change: Change, study: Study, frame: Frame) -> None:
    """Only items on which another version of the guideline did not pass are labelled again without being gated."""
    from flows.storage.store import rows

    failed = [
        r.round_id
        for r in change.state.rounds_of(study.study)
        if r.guideline_version != study.guideline.version and r.verdict in ("fail", "not_evaluable")
    ]
    fresh = rows(
        change.con,
        """select item_id from read_parquet($frame) where item_id not in (
             select item_id from frame_item where study_id = $study and list_contains($failed, round_id))
           order by item_id limit 1000""",
        {"study": study.study, "failed": failed, "frame": str(change.objects.path(frame.digest))},
    )
    if fresh:
        fix = "Label new items in a `measured` round."
        raise InputRefused(
            f"{frame.file}: {len(fresh)} items are not labelled again in this round; nothing stored",
            [
                Problem(
                    "nothing-to-relabel",
                    "no round under another guideline version failed on it",
                    fix,
                    frame.file,
                    column="item_id",
                    value=item,
                )
                for (item,) in fresh
            ],
        )
