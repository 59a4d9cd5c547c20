"""Changing a registered study openly: an event that names what it follows, what changed and why.

Before results of a round can be known an amendment replaces what governs it. Afterwards it is a deviation: both
verdicts are shown and the worse one counts, so it can turn a pass into a fail and never a fail into a pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agreement.errors import ConfigError, OutOfOrder, Problem
from flows.register import (
    check_definitions,
    frozen_study,
    guideline_digest,
    read_small,
    registration_payload,
)
from flows.storage.follows import standing_registration
from flows.storage.ledger import Event
from flows.storage.order import require_study
from flows.storage.project import Project
from flows.storage.state import NEVER, RoundState
from schemas.names import text_fault
from schemas.study import Study, parse_study

# What may change while rounds of the version exist. Labels that are in rest on everything else.
AMENDABLE = ("gate", "interval", "release", "stop", "seconds_per_label")
LONGEST_LIST = 40


@dataclass(frozen=True)
class Amended:
    """What `amend` did. effects: per round of the version, `replaces` or `deviation`."""

    already_done: bool
    event: Event
    study: Study
    effects: tuple[tuple[str, str], ...]


def amend(project: Project, study_file: Path, why: str) -> Amended:
    """Freeze another study file for a guideline version that is registered already.

    Raises ConfigError for a file that cannot be used or a missing reason, OutOfOrder where nothing is registered, where
    the guideline's text changed, or where the change touches what existing labels rest on.
    """
    check_definitions()
    if text_fault(why) is not None:
        raise ConfigError(
            "amend: no reason", next_step="Say in a sentence why, with --why; it is kept for ever.", code="blank-reason"
        )
    study_bytes = read_small(study_file, "study file")
    study = parse_study(study_bytes, study_file.name)
    guideline = read_small(study_file.parent / study.guideline.file, "guideline")
    with project.changing() as change:
        study_state = change.state.study(study.study)
        version = study.guideline.version
        require_study("amend", study_state, change.state, version)
        before = standing_registration(study_state, version)
        assert before is not None  # `require_study` saw the registration
        rounds = change.state.rounds_of(study.study, version)
        payload = registration_payload(change, study, study_file, study_bytes, guideline)
        if payload["study_file"] == before.payload["study_file"]:
            return Amended(True, before, study, tuple(map(_effect, rounds)))
        old = frozen_study(change.objects, before.payload)
        what = list(differences("", plain(old), plain(study)))
        _require_same_text(before, guideline, version)
        _require_amendable(old, study, rounds, version)
        effects = tuple(map(_effect, rounds))
        event = change.commit(
            "study.amended",
            {
                **payload,
                "predecessor": before.seq,
                "what": what[:LONGEST_LIST],
                "n_changes": len(what),
                "why": why,
                "effects": [list(effect) for effect in effects],
            },
        )
        return Amended(False, event, study, effects)


def _effect(round_state: RoundState) -> tuple[str, str]:
    return round_state.round_id, "deviation" if round_state.results_seen < NEVER else "replaces"


def _require_same_text(before: Event, guideline: bytes, version: str) -> None:
    if guideline_digest(guideline) != before.payload["guideline_digest"]:
        why = "the guideline's text differs, and annotators who follow another text follow another version"
        raise OutOfOrder(
            f"amend guideline {version}: {why}",
            [Problem("guideline-changed", why)],
            next_step="Give the new text the next version and register that: `goldgate register STUDY.yaml`.",
        )


def _require_amendable(old: Study, new: Study, rounds: list[RoundState], version: str) -> None:
    """Once a round of the version exists, only what leaves its labels alone; with results known, no more attempts."""
    if not rounds:
        return
    parts = [name for name in type(new).model_fields if getattr(old, name) != getattr(new, name)]
    problems = [
        Problem(
            "not-amendable",
            f"`{name}` changed, and labels of this version rest on it",
            "Register the next guideline version instead.",
            column=name,
        )
        for name in parts
        if name not in AMENDABLE
    ]
    if any(r.results_seen < NEVER for r in rounds) and new.gate.attempts > old.gate.attempts:
        message = f"{old.gate.attempts} attempts were registered, and results have been seen"
        problems.append(
            Problem(
                "attempts-raised", message, "Keep the number.", column="gate.attempts", value=str(new.gate.attempts)
            )
        )
    if problems:
        raise OutOfOrder(
            f"amend guideline {version}: {problems[0].message}",
            problems,
            next_step=f"Only {', '.join(AMENDABLE)} can be amended while rounds of the version exist. For anything "
            "else register the next guideline version.",
        )


def plain(study: Study) -> dict[str, Any]:
    """A study as plain values, with every default written out."""
    return study.model_dump(mode="json", by_alias=True)


def differences(path: str, before: Any, after: Any) -> Iterator[str]:
    """Key paths with what stood there and what stands there now, a line each."""
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(k for k in after if k not in before)]:
            yield from differences(f"{path}.{key}".lstrip("."), before.get(key), after.get(key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for n, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from differences(f"{path}[{n}]", old, new)
    else:
        yield f"{path}: {_short(before)}, now {_short(after)}"


def _short(value: Any) -> str:
    import json

    return "nothing" if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)[:80]
