"""What was changed, looked at or removed out of turn, and which of two verdicts counts: always the worse one. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.register import registration_of
from flows.storage.ledger import Event
from flows.storage.state import RoundState, State
from schemas.report import DeviationVerdict, Status, VerdictRecord

# A worse verdict stands further left. What is not gated can neither be helped nor harmed.
_WORST_FIRST: tuple[Status, ...] = ("not_gated", "fail", "not_evaluable", "pass")


@dataclass(frozen=True)
class Other:
    """Another verdict on the same round: under an amended study, or before something was removed.

    event: what brought it about. what: in words. verdict: the other one.
    """

    event: Event
    what: str
    verdict: VerdictRecord


def worse_status(first: Status, second: Status) -> Status:
    """The worse of two verdicts.

    >>> worse_status("pass", "not_evaluable"), worse_status("fail", "pass")
    ('not_evaluable', 'fail')
    """
    return min(first, second, key=_WORST_FIRST.index)


def worse(present: VerdictRecord, others: Sequence[Other]) -> VerdictRecord:
    """The verdict that counts: the first of the worst ones, the present one before others that are as bad."""
    return min((present, *(other.verdict for other in others)), key=lambda v: _WORST_FIRST.index(v.status))


def compared(present: VerdictRecord, others: Sequence[Other]) -> list[DeviationVerdict]:
    """Both verdicts side by side, one entry per deviation."""
    counts = worse(present, others).status
    return [
        DeviationVerdict(
            event=other.event.seq,
            text=other.what,
            # A removal found the other verdict standing; an amendment brings it.
            as_registered=other.verdict.status if other.event.type == "redacted" else present.status,
            as_amended=present.status if other.event.type == "redacted" else other.verdict.status,
            counts=counts,
        )
        for other in others
    ]


def lines(state: State, round_state: RoundState, compared: Sequence[DeviationVerdict]) -> list[str]:
    """Every deviation of a round, in the order of the ledger, a sentence each."""
    found = [
        (
            d.event,
            f"event {d.event}: {d.text} Without it: {_words(d.as_registered)}; with it: {_words(d.as_amended)}. "
            f"The worse counts: {_words(d.counts)}.",
        )
        for d in compared
    ]
    found += [(e.seq, f"event {e.seq}, told by {e.actor}: {e.payload['text']}") for e in round_state.deviations]
    found += [(e.seq, _looked(e)) for e in round_state.explored]
    found += _amended_between_rounds(state, round_state)
    return [text for _, text in sorted(found)]


def amendment_words(event: Event) -> str:
    """ "amended after results of this round could be known (why: …): gate.rules[0].at_least: …" """
    payload = event.payload
    more = payload["n_changes"] - len(payload["what"])
    what = "; ".join(payload["what"]) + (f"; and {more} more" if more else "")
    return f"amended after results of this round could be known. Why: {payload['why']} What: {what}."


def _looked(event: Event) -> str:
    return (
        f"event {event.seq}: somebody looked at the agreement in {event.payload['file_name']}, "
        "whose labels are in this round"
    )


def _amended_between_rounds(state: State, round_state: RoundState) -> list[tuple[int, str]]:
    """The rules that govern this round were changed when another round of the version had shown its results."""
    governing = registration_of(state, round_state)
    if governing is None or governing.type != "study.amended":
        return []
    version = round_state.guideline_version
    seen = [r.round_id for r in state.rounds_of(round_state.study_id, version) if r.results_seen < governing.seq]
    if not seen:
        return []
    text = f"event {governing.seq}: the rules were amended when results of {', '.join(seen)} were known. "
    return [(governing.seq, f"{text}Why: {governing.payload['why']}")]


def _words(status: Status) -> str:
    return status.replace("_", " ")
