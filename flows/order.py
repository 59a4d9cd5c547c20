"""What must have happened before what: one table, for the command line, the Python functions and `verify` alike."""

from __future__ import annotations

from dataclasses import dataclass

from agreement.errors import OutOfOrder, Problem
from flows.ledger import Event
from flows.state import RoundState, State


@dataclass(frozen=True)
class Step:
    """One verb: what must be true before it, and what must not be true any more.

    needs, forbids: names of facts (keys of FACTS).
    kinds: kinds of round the verb is for; empty means all.
    """

    needs: tuple[str, ...] = ()
    forbids: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


# A fact about a round -> what to say and do where it is missing, and where it is in the way.
FACTS = {
    "open": (
        "the round is not open",
        "Open it: `goldgate open ROUND_FOLDER`.",
        "the round is open already",
        "",
    ),
    "labels": (
        "no labels have come in",
        "Bring them in: `goldgate ingest {round} FILE…`.",
        "labels have come in",
        "",
    ),
    "closed": (
        "the round is not closed",
        "Close it: `goldgate close {round}`.",
        "the round is closed",
        "Reopen it before it is measured: `goldgate reopen {round} REASON`.",
    ),
    "measured": (
        "the round has not been measured",
        "Measure it: `goldgate measure {round}`.",
        "the round has been measured: its results have been seen",
        "Open another round, or register the next guideline version.",
    ),
    "evaluated": (
        "the gate has not been asked",
        "Ask it: `goldgate gate {round}`.",
        "the gate has been asked",
        "",
    ),
}

ORDER = {
    "ingest": Step(needs=("open",), forbids=("closed unless measured",)),
    "close": Step(needs=("open",), forbids=("measured",)),
    "reopen": Step(needs=("closed",), forbids=("measured",)),
    "reassign": Step(needs=("open",), forbids=("closed", "measured")),
    "status": Step(needs=("open",)),
    "measure": Step(needs=("open", "closed")),
    "report": Step(needs=("open", "closed", "measured")),
    "gate": Step(needs=("open", "closed", "measured"), kinds=("measured",)),
    "adjudicate": Step(needs=("open", "closed", "measured")),
    "outcome": Step(needs=("open", "closed", "measured")),
}

# What each event needs to have gone before it, for `verify` to replay.
EVENT_VERBS = {
    "submission.ingested": "ingest",
    "round.closed": "close",
    "round.reopened": "reopen",
    "reassigned": "reassign",
    "round.measured": "measure",
    "report.written": "report",
    "gate.evaluated": "gate",
    "adjudication.recorded": "adjudicate",
    "outcome.recorded": "outcome",
}


def facts(round_state: RoundState) -> frozenset[str]:
    """What is true of a round, by the names ORDER uses."""
    closed, measured = round_state.closed is not None, bool(round_state.measured)
    names = {
        "open": True,
        "labels": bool(round_state.submissions),
        "closed": closed,
        "measured": measured,
        "closed unless measured": closed and not measured,
        "evaluated": bool(round_state.gated),
    }
    return frozenset(name for name, true in names.items() if true)


def require(verb: str, round_state: RoundState) -> None:
    """Raise OutOfOrder, naming the missing step, unless `verb` may be done to this round now."""
    step, true = ORDER[verb], facts(round_state)
    name = round_state.round_id
    if step.kinds and round_state.kind not in step.kinds:
        raise OutOfOrder(
            f"{verb} {name}: a {round_state.kind} round is never gated",
            [Problem("kind-not-gated", f"only {' and '.join(step.kinds)} rounds can pass or fail")],
            next_step=f"Its figures are in the report: `goldgate report {name}`.",
        )
    for fact in step.needs:
        if fact not in true:
            missing, fix, _, _ = FACTS[fact]
            raise _refusal(verb, name, f"{fact}-missing", missing, fix)
    for fact in step.forbids:
        if fact in true:
            _, _, there, fix = FACTS[fact.removesuffix(" unless measured")]
            raise _refusal(verb, name, f"round-{fact.split()[0]}", there, fix)


def check_event(state: State, event: Event) -> None:
    """The same table, for an event found in a ledger: may it stand where it stands, after `state`?"""
    verb = EVENT_VERBS.get(event.type)
    if verb is not None:
        require(verb, state.round(event.payload["round_id"], event.payload["study_id"]))


def _refusal(verb: str, name: str, code: str, why: str, fix: str) -> OutOfOrder:
    fix = fix.format(round=name)
    return OutOfOrder(f"{verb} {name}: {why}", [Problem(code, why, fix)], next_step=fix)
