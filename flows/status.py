"""Where open rounds stand: labels in and expected, and union positives. Nothing here compares annotators."""

from __future__ import annotations

from typing import Any

from agreement.flags import flags_of
from flows.counts import RoundCounts, count_round
from flows.register import registered_study
from flows.storage.project import Project
from flows.storage.state import RoundState


def status(project: Project, round_id: str | None = None, study_id: str | None = None) -> list[dict[str, Any]]:
    """One record per open round, or for the round named. Reads only."""
    state = project.state()
    if round_id is not None:
        chosen = [state.round(round_id, study_id)]
    else:
        chosen = [r for r in state.rounds.values() if r.closed is None]
    if not chosen:
        return []
    with project.reading() as con:
        counted = []
        for round_state in chosen:
            study = registered_study(project.objects, state, round_state)
            counted.append(_record(round_state, count_round(con, study, round_state), study.positive_mask()))
    return counted


def _record(round_state: RoundState, counts: RoundCounts, positive: tuple[bool, ...]) -> dict[str, Any]:
    people: dict[str, dict[str, int]] = {}
    for one_slice in counts.slices:
        for person in one_slice.annotators:
            row = people.setdefault(person.annotator_id, {"expected": 0, "in": 0})
            row["expected"] += person.assigned
            # An item never shown and a draft are no answers yet: the round is not complete with them.
            row["in"] += person.assigned - sum(person.statuses[kind] for kind in ("no_row", "never_shown", "draft"))
    expected, received = (sum(row[key] for row in people.values()) for key in ("expected", "in"))
    return {
        "study": round_state.study_id,
        "round": round_state.round_id,
        "kind": round_state.kind,
        "guideline_version": round_state.guideline_version,
        "state": "open" if round_state.closed is None else "closed",
        "labels_expected": expected,
        "labels_in": received,
        "annotators": people,
        "union_positives": _union_positives(counts, positive) if any(positive) else None,
        "complete": expected == received,
    }


def _union_positives(counts: RoundCounts, positive: tuple[bool, ...]) -> dict[str, int]:
    """Items flagged by anybody so far, per slice, counted whether or not the item has a second label yet."""
    found = {}
    for one_slice in counts.slices:
        flagged = flags_of(one_slice.patterns, positive)
        found[one_slice.name] = flagged.count(flagged.n_positive > 0)
    return found
