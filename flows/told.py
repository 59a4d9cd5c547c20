"""What people tell of themselves: a departure from the protocol, and a look at labels before they were to be seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from agreement.errors import ConfigError
from flows.close import Done
from flows.register import registered_study
from flows.seen_before import ALIKE, FEWEST, answers_digest
from flows.storage.ledger import Event
from flows.storage.objects import file_digest
from flows.storage.order import require
from flows.storage.project import Project
from flows.storage.state import RoundState, State
from flows.storage.store import rows
from schemas.names import shown, text_fault


def record_deviation(project: Project, round_id: str, text: str, study_id: str | None = None) -> Done:
    """Record that a round did not go as registered. The report prints it; a measured round is measured again first."""
    if text_fault(text) is not None:
        raise ConfigError(
            "deviation: nothing said",
            next_step="Say in a sentence what was done otherwise, and why.",
            code="blank-reason",
        )
    with project.changing() as change:
        round_state = change.state.round(round_id, study_id)
        require("deviation", round_state)
        for event in round_state.deviations:
            if event.payload["text"] == text:
                return Done(True, event)
        payload = {"study_id": round_state.study_id, "round_id": round_state.round_id, "text": text}
        return Done(False, change.commit("deviation.recorded", payload))


def note_explored(project: Project, file: Path, labels: Mapping[str, Sequence[str]] | None = None) -> Event | None:
    """Note that somebody looked at the agreement in labels that are in a round which is not measured, or may come in.

    labels: what the look revealed, item -> labels of several annotators. They are a round's if the file's very bytes
    came into it, or if nearly all of them, positive ones too, are what its annotators said of these items: written
    otherwise, put together of several files or cut, they are the same labels. From then on the round's results could
    be known, and its report says so. Labels that are in no round are noted by digests alone: if these bytes, or just
    these labels, come into a round later, they had been looked at. None, and nothing is written, where the folder is no
    project, the look was noted before, or the labels are in rounds that are measured.
    """
    if not project.ledger_path.is_file() or not file.is_file():
        return None
    digest = file_digest(file)
    state = project.state()
    came_in = any(digest == event.payload["raw"] for r in state.rounds.values() for event in r.submissions)
    rounds = [
        round_state
        for round_state in state.rounds.values()
        if not round_state.measured
        and round_state.submissions
        and digest not in {event.payload["looked_at"] for event in round_state.explored}
        and (
            digest in {event.payload["raw"] for event in round_state.submissions}
            or _are_labels_of(project, state, round_state, labels or {})
        )
    ]
    if not rounds and (came_in or digest in state.looks or not labels):
        return None
    with project.changing() as change:
        payload = {
            "file_name": shown(file.name),
            "looked_at": digest,  # no object: the file itself is not kept
            "answers": answers_digest(labels or {}),
            "rounds": [[round_state.study_id, round_state.round_id] for round_state in rounds],
        }
        return change.commit("explored", payload)


def _are_labels_of(
    project: Project, state: State, round_state: RoundState, labels: Mapping[str, Sequence[str]]
) -> bool:
    """Whether nearly all items of a look, flagged ones too, have labels that annotators of this round gave them."""
    positive = {c.value for c in registered_study(project.objects, state, round_state).categories if c.positive}
    if len(labels) < FEWEST:
        return False
    with project.reading() as con:
        stored = dict(
            rows(
                con,
                """select item_id, list("label") from raw_label
                   where study_id = ? and round_id = ? and status = 'labelled' and set_aside = '' group by item_id""",
                [round_state.study_id, round_state.round_id],
            )
        )
    same = [item for item, said in labels.items() if not Counter(said) - Counter(stored.get(item, ()))]
    flagged = [item for item, said in labels.items() if positive & set(said)]
    same_flagged = set(same) & set(flagged)
    return len(same) >= max(FEWEST, ALIKE * len(labels)) and len(same_flagged) >= ALIKE * len(flagged)
