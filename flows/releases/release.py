"""Publishing a reference set: only on a pass, written aside, audited by a fresh process, then renamed into place."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agreement.errors import ConfigError, GateFailed, GoldgateError, IntegrityError, NotEvaluable, OutOfOrder, Problem
from flows.counts import answers
from flows.export_files import Sheet, as_csv, as_parquet
from flows.history import history
from flows.register import registered_study, registration_of
from flows.releases import registered_rules, release_check
from flows.releases.croissant import croissant
from flows.releases.leaks import canary, removed_lists, require_no_overlap
from flows.releases.reference_set import COLUMNS, LabelledItem, ReferenceSet, build, unresolved_share
from flows.releases.release_card import card
from flows.releases.unchanged import require_as_published
from flows.releases.withdraw import in_force
from flows.report import measured_report
from flows.storage import published
from flows.storage.ledger import Event
from flows.storage.order import check_promoted, check_relabelled, require_study
from flows.storage.project import Change, Project
from flows.storage.state import RoundState, StudyState
from flows.storage.store import rows
from flows.storage.unchanged import require_unchanged
from schemas.names import version_fault
from schemas.report import to_json
from schemas.study import Study

FORMAT = 1


@dataclass(frozen=True)
class Released:
    """What `release` did. folder: relative to the project, `releases/<study>/<version>-<id12>`."""

    already_done: bool
    event: Event
    folder: Path
    release_id: str


def release(project: Project, study_id: str, version: str) -> Released:
    """Publish the labels of the rounds that passed, as an immutable version.

    Refused, as an event and with the exit code of the reason, if no round of the study's newest gated guideline
    version passed, if a contested item has no decision, or if the audit of the staged bytes finds anything. A version
    is never used twice.
    """
    fault = version_fault(version)
    if fault is not None:
        raise ConfigError(
            f"release {version!r}: the version {fault}", code="bad-version", next_step="Name a version such as 1.0."
        )
    with project.changing() as change:
        study_state = change.state.study(study_id)
        for event in study_state.releases:
            if event.payload["version"] == version:
                _require_in_force(study_state, event)
                require_as_published(project, event)
                _point_to_last(change, study_state)
                return _released(True, event)
        published.sweep(published.inside(project.root, f"{project.releases.name}/{study_id}"))
        try:
            return _released(False, _publish(change, study_state, version))
        except (GateFailed, NotEvaluable, OutOfOrder, IntegrityError) as error:
            _record_refusal(change, study_id, version, error)
            raise


def _publish(change: Change, study_state: StudyState, version: str) -> Event:
    passed = _passed_rounds(study_state, change)
    again = _relabelled_rounds(study_state, change, passed[-1])
    study = registered_study(change.objects, change.state, passed[0])
    reference = reference_of(change, study, passed, again)
    _require_resolved(study, reference)
    require_no_overlap(change, study, _governing(change, passed), reference)
    files = files_of(change, study, version, passed, again, reference)
    manifest = manifest_of(change, study_state, version, passed, again, reference, files)
    manifest_bytes = published.canonical_json(manifest)
    release_id = published.digest_of(manifest_bytes)
    folder = change.project.releases / study_state.study_id / f"{version}-{release_id[:12]}"
    left = _left_by_a_stopped_command(folder.parent, version)
    if left is None:
        staged = published.stage(folder.parent, {**files, "manifest.json": manifest_bytes})
        _audit(staged, release_id)
        published.publish(staged, folder)
    elif left != folder or release_check.differences(folder, release_id):
        raise IntegrityError(
            f"{left.name} of {study_state.study_id} is there, but no event names it and it is not this release",
            next_step="Move the folder elsewhere, then run the command again.",
            code="folder-unnamed",
        )
    return _announce(change, study_state, folder, release_id)


def _passed_rounds(study_state: StudyState, change: Change) -> list[RoundState]:
    """The rounds whose labels may be released: those that passed, of the newest guideline version that was gated."""
    require_study("release", study_state, change.state)
    gated = [r for r in change.state.rounds_of(study_state.study_id) if r.gated]
    newest = max(gated, key=lambda r: r.gated[-1].seq).guideline_version
    of_version = [r for r in gated if r.guideline_version == newest]
    passed = [r for r in of_version if r.verdict == "pass"]
    for round_state in passed:
        check_promoted(round_state)
        _require_labels_unchanged(change, round_state)
    if passed:
        return passed
    error = GateFailed if any(r.verdict == "fail" for r in of_version) else NotEvaluable
    verdicts = [
        Problem("round-not-passed", f"{r.round_id}: {str(r.verdict).replace('_', ' ')}", "Read its report.")
        for r in of_version
    ]
    raise error(
        f"release {study_state.study_id}: no round of guideline {newest} passed",
        verdicts,
        next_step="Nothing was written. Read the report, revise the guideline and open the next round.",
    )


def _relabelled_rounds(study_state: StudyState, change: Change, passed: RoundState) -> list[RoundState]:
    """Items of a version that failed, labelled again under the one that passed: their measured rounds."""
    again = measured_again(study_state, change, passed)
    for round_state in again:
        check_relabelled(round_state, passed)
        _require_labels_unchanged(change, round_state)
    return again


def measured_again(study_state: StudyState, change: Change, passed: RoundState) -> list[RoundState]:
    of_version = change.state.rounds_of(study_state.study_id, passed.guideline_version)
    return [r for r in of_version if r.kind == "relabel" and r.measured]


def _require_labels_unchanged(change: Change, round_state: RoundState) -> None:
    """IntegrityError unless its rows are what objects and ledger give, and its files are there."""
    require_unchanged(change.project, change.con, round_state)
    for event in round_state.submissions:
        change.objects.require_standing(event.payload["raw"])


def reference_of(change: Change, study: Study, passed: list[RoundState], again: list[RoundState]) -> ReferenceSet:
    items: list[LabelledItem] = []
    decisions: dict[tuple[str, str], str] = {}
    for round_state in (*again, *passed):
        items += _items(change, study, round_state)
        decisions |= _decisions(change, round_state)
    latest = {item.answers.item_id: item for item in items}  # an item of two rounds: the later round's labels
    return build(latest.values(), decisions, study.release)


def _items(change: Change, study: Study, round_state: RoundState) -> list[LabelledItem]:
    humans = [a.id for a in study.roster.annotators if a.kind == "human"]
    return [
        LabelledItem(found, round_state.round_id, round_state.guideline_version, round_state.kind == "relabel")
        for found in answers(change.con, study, round_state, humans)
    ]


def _decisions(change: Change, round_state: RoundState) -> dict[tuple[str, str], str]:
    found = rows(
        change.con,
        """select item_id, "label" from adjudication where study_id = ? and round_id = ?
           qualify recorded_seq = max(recorded_seq) over (partition by item_id) order by item_id""",
        [round_state.study_id, round_state.round_id],
    )
    return {(round_state.round_id, item): label for item, label in found}


def _require_resolved(study: Study, reference: ReferenceSet) -> None:
    from fractions import Fraction

    left, of = unresolved_share(reference)
    if not left:
        return
    limit = study.release.at_most_unresolved
    if study.release.unresolved == "out" and limit is not None and Fraction(left, of) <= Fraction(limit):
        return
    problems = [
        Problem("undecided-item", "annotators differ and nobody has decided", "Adjudicate it.", value=item)
        for item in reference.unresolved
    ]
    allowed = f"; {limit} of the items may be left out" if study.release.unresolved == "out" else ""
    raise OutOfOrder(
        f"release {study.study}: {left} of {of} items are contested and undecided{allowed}",
        problems,
        next_step="Decide them: `goldgate adjudicate ROUND FILE` (item_id, label, adjudicator_id, reason).",
    )


def _governing(change: Change, passed: list[RoundState]) -> Event:
    """What the labels to be released were asked for by: the registration, or an amendment of it before results."""
    registration = registration_of(change.state, passed[-1])
    assert registration is not None  # a gated round has one
    return registration


def files_of(
    change: Change,
    study: Study,
    version: str,
    passed: list[RoundState],
    again: list[RoundState],
    reference: ReferenceSet,
) -> dict[str, bytes]:
    """Everything a release holds but its manifest, by relative path."""
    registration = _governing(change, passed).payload
    bait = canary(study.study, version, change.state.project_id)
    past = history(change.project, study.study, passed[-1].gated[-1].seq)
    files = {
        "labels.csv": as_csv(sheet_of(reference)),
        "labels.parquet": as_parquet(sheet_of(reference)),
        "registration/study.yaml": change.objects.read(registration["study_file"]),
        registered_rules.FILE: registered_rules.registered_rules(change.objects, change.state, passed),
        "registration/guideline.md": change.objects.read(registration["guideline"]),
        "verify.py": Path(release_check.__file__).read_bytes(),
        "history.json": to_json(past),
    }
    files["croissant.json"] = croissant(study, version, files, bait)
    for round_state in (*passed, *again):
        written = round_state.reports[-1].payload
        folder = change.project.root / written["folder"]
        for name, digest in written["files"]:
            if not (folder / name).is_file():
                raise IntegrityError(
                    f"{written['folder']}/{name} is gone",
                    next_step=f"`goldgate report {round_state.round_id}` writes it again.",
                    code="report-missing",
                )
            data = (folder / name).read_bytes()
            if published.digest_of(data) != digest:
                raise IntegrityError(
                    f"{written['folder']}/{name} is not what it was",
                    next_step="Run `goldgate verify`.",
                    code="report-changed",
                )
            files[f"report/{round_state.round_id}/{name}"] = data
    of_version = change.state.rounds_of(study.study, study.guideline.version)
    told = [
        f"{round_state.round_id}, {text}"
        for round_state in (*passed, *again)
        for text in measured_report(change.objects, round_state.measured[-1]).deviations
    ]
    told += [
        f"training list {name} was removed on request: its items could not be looked for among these labels."
        for name in removed_lists(change.state, _governing(change, passed))
    ]
    files["README.md"] = card(study, of_version, passed, reference, told, bait)
    return files


def manifest_of(
    change: Change,
    study_state: StudyState,
    version: str,
    passed: list[RoundState],
    again: list[RoundState],
    reference: ReferenceSet,
    files: dict[str, bytes],
) -> dict[str, Any]:
    registration = _governing(change, passed)
    measured = passed[-1].gated[-1]
    return {
        "format": FORMAT,
        "study": study_state.study_id,
        "version": version,
        "guideline_version": passed[0].guideline_version,
        "registration": {"event": registration.seq, "study_file": registration.payload["study_file"]},
        "ledger_head": {"size": measured.seq, "hash": measured.hash},
        "verdict": "pass",
        "rounds": [
            {"round": r.round_id, "gate_event": r.gated[-1].seq, "verdict": r.verdict, "report": r.reports[-1].seq}
            for r in passed
        ],
        "relabelled": [{"round": r.round_id, "report": r.reports[-1].seq} for r in again],
        "definitions": registration.payload["definitions"],
        "code": measured.tool,
        "packages": measured_report(change.objects, passed[-1].measured[-1]).protocol.versions,
        "labels": len(reference.rows),
        "how": reference.how,
        "left_out": {"single_labelled": len(reference.single), "unresolved": len(reference.unresolved)},
        "previous": study_state.releases[-1].payload["release_id"] if study_state.releases else None,
        "files": [
            {"path": path, "size": len(data), "sha256": published.digest_of(data)}
            for path, data in sorted(files.items())
        ],
    }


def _audit(staged: Path, release_id: str) -> None:
    """The staged bytes read by a fresh process that knows nothing but them."""
    check = subprocess.run(
        [sys.executable, "-I", str(staged / "verify.py"), str(staged), "--id", release_id],
        capture_output=True,
        text=True,
        check=False,
    )
    if check.returncode != 0:
        raise IntegrityError(
            "the audit of the staged release failed",
            [
                Problem("audit-failed", line.removeprefix("FAIL: "))
                for line in (check.stdout + check.stderr).splitlines()
            ],
            next_step="Nothing was published. Run `goldgate verify`.",
        )


def announcement(manifest: dict[str, Any]) -> dict[str, Any]:
    """What the ledger says of a release beside its place and id: as its manifest does."""
    return {
        "study_id": manifest["study"],
        "version": manifest["version"],
        "rounds": [entry["round"] for entry in manifest["rounds"]],
        "relabelled": [entry["round"] for entry in manifest.get("relabelled", ())],
        "labels": manifest["labels"],
        "how": [[how, n] for how, n in manifest["how"].items()],
        "left_out": sum(manifest["left_out"].values()),
    }


def _announce(change: Change, study_state: StudyState, folder: Path, release_id: str) -> Event:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    event = change.commit(
        "release.promoted",
        {
            "release_id": release_id,
            "folder": folder.relative_to(change.project.root).as_posix(),
            **announcement(manifest),
        },
    )
    _point_to_last(change, study_state)
    return event


def _left_by_a_stopped_command(parent: Path, version: str) -> Path | None:
    """A folder of this version, which no event names: the command was stopped between the two. It is announced only
    if it is what would be released now, byte for byte."""
    name = re.compile(re.escape(version) + "-[0-9a-f]{12}")
    return next((path for path in sorted(parent.glob("*")) if name.fullmatch(path.name)), None)


def _point_to_last(change: Change, study_state: StudyState) -> None:
    """`current` names the last release in force. A cache of the ledger: set again where it was lost."""
    folder = change.project.root / in_force(study_state)[-1].payload["folder"]
    published.point_to(folder.parent / published.CURRENT, folder.name)


def _require_in_force(study_state: StudyState, released: Event) -> None:
    version = released.payload["version"]
    if released not in in_force(study_state):
        raise OutOfOrder(
            f"release {version}: this version was withdrawn, and a version is never used twice",
            [Problem("version-withdrawn", "the version was withdrawn")],
            next_step="Release under the next version.",
        )


def _record_refusal(change: Change, study_id: str, version: str, error: GoldgateError) -> None:
    change.commit(
        "release.refused",
        {
            "study_id": study_id,
            "version": version,
            "why": error.headline,
            "exit_code": error.exit_code,
            "problems": len(error.problems),
        },
    )


def _released(already_done: bool, event: Event) -> Released:
    return Released(already_done, event, Path(event.payload["folder"]), event.payload["release_id"])


def sheet_of(reference: ReferenceSet) -> Sheet:
    return Sheet(COLUMNS, tuple(tuple(row[name] for name in COLUMNS) for row in reference.rows))
