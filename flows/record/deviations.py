"""What was changed, looked at or removed out of turn, and which of two verdicts counts: always the worse one. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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


def governed(present: VerdictRecord, by_old_rules: Other, counts: Status) -> DeviationVerdict:
    """An amendment made in the light of another round's results: it governs this round, and is shown beside it."""
    return DeviationVerdict(
        event=by_old_rules.event.seq,
        text=by_old_rules.what,
        as_registered=by_old_rules.verdict.status,
        as_amended=present.status,
        counts=counts,
        governs=True,
    )


def lines(round_state: RoundState, compared: Sequence[DeviationVerdict]) -> list[str]:
    """Every deviation of a round, in the order of the ledger, a sentence each."""
    found = [
        (
            d.event,
            f"event {d.event}: {d.text} Without it: {_words(d.as_registered)}; with it: {_words(d.as_amended)}. "
            + ("Results of this round were not known then, so it governs" if d.governs else "The worse counts")
            + f": {_words(d.counts)}.",
        )
        for d in compared
    ]
    found += [(e.seq, f"event {e.seq}, told by {e.actor}: {e.payload['text']}") for e in round_state.deviations]
    found += [(e.seq, _looked(e)) for e in round_state.explored]
    return [text for _, text in sorted(found)]


def amendment_words(event: Event) -> str:
    """ "amended after results of this round could be known. Why: … What: gate.rules[0].at_least: …" """
    return f"amended after results of this round could be known. {_why_and_what(event)}"


def between_words(event: Event, state: State, round_state: RoundState) -> str:
    """The same of an amendment that came before this round's results, and after another's of its version."""
    of_version = state.rounds_of(round_state.study_id, round_state.guideline_version)
    seen = [r.round_id for r in of_version if r.results_seen < event.seq]
    return f"the rules were amended when results of {', '.join(seen)} were known. {_why_and_what(event)}"


def _why_and_what(event: Event) -> str:
    payload = event.payload
    more = payload["n_changes"] - len(payload["what"])
    what = "; ".join(payload["what"]) + (f"; and {more} more" if more else "")
    return f"Why: {payload['why']} What: {what}."


def _looked(event: Event) -> str:
    return (
        f"event {event.seq}: somebody looked at the agreement in {event.payload['file_name']}, "
        "whose labels are in this round"
    )


def _words(status: Status) -> str:
    return status.replace("_", " ")
