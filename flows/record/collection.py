"""What happened to a round's labels between its opening and its closing, a sentence each. Pure."""

from __future__ import annotations

from flows.storage.ledger import Event
from flows.storage.state import RoundState


def collection_lines(round_state: RoundState) -> list[str]:
    """Who vouches for blindness, what was not checked, and in ledger order what was refused, handed on or reopened."""
    opened, closed = round_state.opened.payload, round_state.closed
    found = [f"Said when the round was opened: {opened['attestation']}"] if opened.get("attestation") else []
    found += [
        f"Not checked: slice {name} is of items by a column that the frame does not have."
        for name in opened.get("unchecked_slices", ())
    ]
    if n := opened.get("short_of_passes", 0):
        found.append(f"{n:,} item{'' if n == 1 else 's'} went to fewer annotators than were registered.")
    told = [(e.seq, _refused(e)) for e in round_state.refused]
    told += [(e.seq, _handed_on(e)) for e in round_state.reassigned]
    told += [(e.seq, _reopened(e)) for e in round_state.reopened]
    return found + [f"event {seq}: {text}" for seq, text in sorted(told) if closed is None or seq < closed.seq]


def _refused(event: Event) -> str:
    reasons = ", ".join(f"{code} {n:,}" for code, n in event.payload["counts"])
    return f"{event.payload['file_name']} was refused, and nothing of it stored ({reasons})"


def _handed_on(event: Event) -> str:
    payload = event.payload
    who, to = payload["from_annotator"], payload["to_annotator"]
    return f"what {who} had not answered went to {to}. Why: {payload['reason']}"


def _reopened(event: Event) -> str:
    return f"reopened, after it had been closed by event {event.payload['closing']}. Why: {event.payload['reason']}"
