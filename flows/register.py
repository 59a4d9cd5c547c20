"""Freezing a study before its labels are seen: the exact bytes of study file and guideline."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from agreement.errors import ConfigError, IntegrityError, OutOfOrder, Problem
from agreement.gate import STATISTICS
from agreement.self_check import self_check
from flows.releases.leaks import freeze_training_lists
from flows.storage.ledger import Event
from flows.storage.objects import Objects
from flows.storage.order import require_study
from flows.storage.project import Change, Project
from flows.storage.state import RoundState, State, StudyState
from schemas.names import shown
from schemas.study import Study, parse_study

LARGEST_GUIDELINE = 4 << 20
# Between these lines `guideline stamp` writes current figures; they are not part of what annotators follow.
_STAMP = re.compile(rb"<!-- goldgate:begin -->.*?<!-- goldgate:end -->\r?\n?", re.DOTALL)


@dataclass(frozen=True)
class Registered:
    """What `register` did. `already_done`: the same bytes were registered before."""

    already_done: bool
    event: Event
    study: Study


def register(project: Project, study_file: Path) -> Registered:
    """Freeze a study file and its guideline for one guideline version.

    The same bytes again are already done. Raises ConfigError for a file that cannot be used, OutOfOrder where another
    study file or guideline text is registered under this study and guideline version.
    """
    check_definitions()
    study_bytes = read_small(study_file, "study file")
    study = parse_study(study_bytes, study_file.name)
    guideline = read_small(study_file.parent / study.guideline.file, "guideline")
    with project.changing() as change:
        standing = _standing(change.state, study)
        if standing is not None:
            _require_same(standing, study_bytes, guideline, study)
            return Registered(True, standing, study)
        study_state = change.state.studies.get(study.study) or StudyState(study.study)
        require_study("register", study_state, change.state)
        _require_new_text(change, study, guideline)
        event = change.commit(
            "study.registered", registration_payload(change, study, study_file, study_bytes, guideline)
        )
        return Registered(False, event, study)


def guideline_digest(text: bytes) -> str:
    """SHA-256 of what annotators follow: the text without the lines between the stamp's markers."""
    return sha256(_STAMP.sub(b"", text)).hexdigest()


def registered_study(objects: Objects, state: State, round_state: RoundState) -> Study:
    """The study a round is judged by, parsed from the frozen bytes and from nothing else."""
    registration = registration_of(state, round_state)
    return frozen_study(objects, (registration or round_state.opened).payload)


def frozen_study(objects: Objects, payload: Mapping[str, Any]) -> Study:
    """The study whose file an event names. IntegrityError if that object is no study file."""
    data = objects.read(payload["study_file"])
    try:
        return parse_study(data, payload.get("file_name", "registered study file"))
    except ConfigError as error:
        raise IntegrityError(
            f"object {payload['study_file'][:12]} is registered as a study file, and is none",
            error.problems,
            next_step="Use the version of goldgate the ledger names, or compare the ledger with a backup.",
            code="object-no-study",
        ) from error


def registration_of(state: State, round_state: RoundState) -> Event | None:
    """What governs a round: the registration of its guideline version, or the last amendment of it before results of
    this round could be known. None for a pilot held without one.
    """
    if round_state.opened.payload["registration"] is None:
        return None  # what is registered later does not govern a pilot that was held on its draft
    registration = state.study(round_state.study_id).registrations.get(round_state.guideline_version)
    earlier = [event for event in _amendments(state, round_state) if event.seq < round_state.results_seen]
    return earlier[-1] if earlier else registration


def amended_studies(objects: Objects, round_state: RoundState) -> list[tuple[Event, Study]]:
    """What was registered when this round's results could be known: deviations, which never help it."""
    return [(event, frozen_study(objects, event.payload)) for event in round_state.amended]


def study_before_results(objects: Objects, state: State, round_state: RoundState) -> tuple[Event, Study] | None:
    """The study as it stood when results of another round of the version were first known, if that was amended before
    this round: the amendment that governs it, and the study as it was. None where nothing of the kind happened.
    """
    governing = registration_of(state, round_state)
    if governing is None or governing.type != "study.amended":
        return None
    seen = min(r.results_seen for r in state.rounds_of(round_state.study_id, round_state.guideline_version))
    if seen > governing.seq:
        return None
    first = state.study(round_state.study_id).registrations[round_state.guideline_version]
    stood = [event for event in (first, *_amendments(state, round_state)) if event.seq < seen][-1]
    return governing, frozen_study(objects, stood.payload)


def require_definitions(registration: Event | None) -> None:
    """Refuse a study whose statistics this program computes by another definition than was registered."""
    known = {definition.version for definition in STATISTICS.values()}
    other = [name for name in (registration.payload["definitions"] if registration else []) if name not in known]
    if other:
        names = ", ".join(other)
        raise ConfigError(
            f"the study was registered with {names}, and this version of goldgate computes another definition",
            [Problem("other-definition", "another definition was registered", value=name) for name in other],
            next_step="Use the version of goldgate the ledger names, or register the next guideline version.",
        )
    check_definitions()


def _amendments(state: State, round_state: RoundState) -> list[Event]:
    version = round_state.guideline_version
    known = state.study(round_state.study_id).amendments
    return [event for event in known if event.payload["guideline_version"] == version]


def grade(state: State, round_state: RoundState) -> str:
    """How far ahead of the labels the registration was made, by ledger order; typed dates can only lower it.

    preregistered | registered before results | exploratory | retrospective | pilot (audit.md, part C).
    """
    if round_state.kind in ("pilot", "retrospective"):
        return round_state.kind
    registration = registration_of(state, round_state)
    if registration is None or registration.seq > round_state.results_seen:
        return "exploratory"
    if any(first_look < registration.seq for _, _, first_look in labels_seen_before(round_state)):
        return "exploratory"
    if all_dated_before_opening(round_state):
        return "retrospective"
    if registration.seq > round_state.first_labels:
        return "registered before results"
    return "preregistered"


def labels_seen_before(round_state: RoundState) -> list[tuple[str, str, int]]:
    """Other rounds that these very labels came in for: study, round, and the event of their first measuring."""
    found = round_state.closed.payload.get("seen_before", []) if round_state.closed is not None else []
    return [(study, name, first_look) for study, name, first_look in found]


def all_dated_before_opening(round_state: RoundState) -> bool:
    """True if every label carries a time with its zone, 24 hours or more before the round opened."""
    from datetime import datetime, timedelta

    opened = datetime.fromisoformat(round_state.opened.ts)
    # Late labels are in no figure, so they cannot change a grade either.
    counted = [event for event in round_state.submissions if not event.payload.get("late")]
    times = [event.payload.get("last_labelled_at", "") for event in counted]
    if not times or any(not text or event.payload.get("undated") for text, event in zip(times, counted, strict=True)):
        return False
    return all(datetime.fromisoformat(text) <= opened - timedelta(hours=24) for text in times)


def read_small(path: Path, what: str) -> bytes:
    """A whole small file. ConfigError if it cannot be read or is too large."""
    try:
        if path.stat().st_size > LARGEST_GUIDELINE:
            raise ConfigError(
                f"{path.name}: the {what} is larger than {LARGEST_GUIDELINE >> 20} MB",
                code="file-too-large",
                next_step="Keep what is not text elsewhere: the file is kept for ever, and people read it.",
            )
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"{path.name}: the {what} cannot be read: {error.strerror}",
            [
                Problem(
                    "unreadable-file", f"the {what} cannot be read", "Check the name and its folder.", file=path.name
                )
            ],
        ) from error


def _standing(state: State, study: Study) -> Event | None:
    known = state.studies.get(study.study)
    return known.registrations.get(study.guideline.version) if known else None


def _require_same(standing: Event, study_bytes: bytes, guideline: bytes, study: Study) -> None:
    changed = [
        what
        for what, key, digest in (
            ("the study file", "study_file", sha256(study_bytes).hexdigest()),
            ("the guideline text", "guideline_digest", guideline_digest(guideline)),
        )
        if standing.payload[key] != digest
    ]
    if changed:
        why = f"{' and '.join(changed)} differ{'' if len(changed) > 1 else 's'} from what was registered"
        raise OutOfOrder(
            f"{study.study}, guideline {study.guideline.version}: registered already (event {standing.seq}), and {why}",
            [Problem("already-registered", why, "One registration stands per study and guideline version.")],
            next_step="Change openly with `goldgate amend`, or register the next guideline version.",
        )


def _require_new_text(change: Change, study: Study, guideline: bytes) -> None:
    """Words that were judged under another number or study id would only be a further attempt that is not counted.

    Studies may share a guideline that answers several questions, so under another id only the same question counts.
    """
    words = _STAMP.sub(b"", guideline).split()
    for version, registration, judged in _judged(change.state):
        path = change.objects.standing(registration.payload["guideline"])
        same_text = path is not None and _STAMP.sub(b"", path.read_bytes()).split() == words
        if same_text and _asks_the_same(change.objects, registration, study):
            of = "" if judged.study_id == study.study else f" of {judged.study_id}, which asks the same question,"
            raise OutOfOrder(
                f"{study.study}, guideline {study.guideline.version}: the text is word for word that of version "
                f"{version}{of or ','} by which {judged.round_id} was judged",
                [Problem("same-guideline-text", "the guideline was not changed", file=study.guideline.file)],
                next_step=f"Revise the text, or open a further attempt of version {version} if its study allows one.",
            )


def _judged(state: State) -> Iterator[tuple[str, Event, RoundState]]:
    """Every registered version by which a round was judged, with its last such round."""
    for study_id, study_state in state.studies.items():
        for version, registration in study_state.registrations.items():
            judged = [r for r in state.rounds_of(study_id, version) if r.gated]
            if judged:
                yield version, registration, judged[-1]


def _asks_the_same(objects: Objects, registration: Event, study: Study) -> bool:
    if registration.payload["study_id"] == study.study:
        return True
    other = frozen_study(objects, registration.payload)
    questions = [" ".join(one.question.casefold().split()) for one in (other, study)]
    return questions[0] == questions[1] and other.category_values() == study.category_values()


def registration_payload(
    change: Change, study: Study, study_file: Path, study_bytes: bytes, guideline: bytes
) -> dict[str, object]:
    """What a registration or an amendment says; the bytes are stored."""
    used = sorted({rule.statistic for rule in study.gate.rules})
    return {
        "study_id": study.study,
        "guideline_version": study.guideline.version,
        "file_name": shown(study_file.name),
        "study_file": change.objects.put(study_bytes),
        "guideline": change.objects.put(guideline),
        "guideline_digest": guideline_digest(guideline),
        "definitions": [STATISTICS[name].version for name in used],
        "training_lists": freeze_training_lists(change, study, study_file.parent),
    }


def check_definitions() -> None:
    """IntegrityError if this installation does not reproduce its own reference values."""
    wrong = self_check()
    if wrong:
        raise IntegrityError(
            f"this installation does not reproduce its own reference values: {'; '.join(wrong)}",
            next_step="Install goldgate again from its lock file.",
            code="installation-computes-wrongly",
        )
