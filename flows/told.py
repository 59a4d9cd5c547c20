"""What people tell of themselves: a departure from the protocol, and a look at labels before they were to be seen."""

from __future__ import annotations

from pathlib import Path

from agreement.errors import ConfigError
from flows.close import Done
from flows.storage.ledger import Event
from flows.storage.objects import file_digest
from flows.storage.order import require
from flows.storage.project import Project
from schemas.names import shown, text_fault


def record_deviation(project: Project, round_id: str, text: str, study_id: str | None = None) -> Done:
    """Record that a round did not go as registered. The report prints it; a measured round is measured again first."""
    if text_fault(text) is not None:
        raise ConfigError("deviation: nothing said", next_step="Say in a sentence what was done otherwise, and why.")
    with project.changing() as change:
        round_state = change.state.round(round_id, study_id)
        require("deviation", round_state)
        for event in round_state.deviations:
            if event.payload["text"] == text:
                return Done(True, event)
        payload = {"study_id": round_state.study_id, "round_id": round_state.round_id, "text": text}
        return Done(False, change.commit("deviation.recorded", payload))


def note_explored(project: Project, file: Path) -> Event | None:
    """Note that somebody looked at the agreement in a file whose very bytes came into a round that is not measured.

    None, and nothing is written, where the folder is no project or the bytes are not of such a round. From then on the
    round's results could be known, and its report says so.
    """
    if not project.ledger_path.is_file() or not file.is_file():
        return None
    digest = file_digest(file)
    rounds = [
        round_state
        for round_state in project.state().rounds.values()
        if not round_state.measured
        and digest in {event.payload["raw"] for event in round_state.submissions}
        and digest not in {event.payload["raw"] for event in round_state.explored}
    ]
    if not rounds:
        return None
    with project.changing() as change:
        payload = {
            "file_name": shown(file.name),
            "raw": digest,
            "rounds": [[round_state.study_id, round_state.round_id] for round_state in rounds],
        }
        return change.commit("explored", payload)
