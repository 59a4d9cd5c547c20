"""What must have happened before what: one table, for the command line, the Python functions and `verify` alike."""

from __future__ import annotations

from dataclasses import dataclass

from agreement.errors import OutOfOrder, Problem
from flows.storage.ledger import Event
from flows.storage.state import RoundState, State, StudyState


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
    "cut-short": (
        "",
        "",
        "the round was cut short, and its items may have been given to another round since",
        "Open a new round.",
    ),
    "discussed": (
        "",
        "",
        "a calibration of the study was held since the round was closed",
        "Measure it as it is: `goldgate measure {round}`.",
    ),
    "measured": (
        "the round has not been measured",
        "Measure it: `goldgate measure {round}`.",
        "the round has been measured: its results have been seen",
        "Open another round, or register the next guideline version.",
    ),
    "current": (
        "the study was amended, or something of the round was removed, looked at or told, since it was measured",
        "Measure it again: `goldgate measure {round}`.",
        "",
        "",
    ),
    "reported": (
        "the report of the last measuring has not been written",
        "Write it: `goldgate report {round}`.",
        "",
        "",
    ),
    "evaluated": (
        "the gate has not been asked about the last measuring",
        "Ask it: `goldgate gate {round}`.",
        "the gate has been asked",
        "",
    ),
}

ORDER = {
    "ingest": Step(needs=("open",), forbids=("closed unless measured",)),
    "close": Step(needs=("open",), forbids=("measured",)),
    "reopen": Step(needs=("closed",), forbids=("measured", "cut-short", "discussed")),
    "reassign": Step(needs=("open",), forbids=("closed", "measured")),
    "status": Step(needs=("open",)),
    "measure": Step(needs=("open", "closed")),
    "report": Step(needs=("open", "closed", "measured")),
    "gate": Step(needs=("open", "closed", "measured", "current"), kinds=("measured",)),
    "promote": Step(needs=("open", "closed", "measured", "current", "evaluated", "reported"), kinds=("measured",)),
    "promote relabelled": Step(needs=("open", "closed", "measured", "current", "reported")),
    "adjudicate": Step(needs=("open", "closed", "measured")),
    "outcome": Step(needs=("open", "closed", "measured")),
    "deviation": Step(needs=("open",)),
}

# The same for verbs about a study. A fact about a study -> what to say and do where it is missing, and in the way.
STUDY_FACTS = {
    "registered": (
        "no study file is registered for this guideline version",
        "Register it: `goldgate register STUDY.yaml`.",
        "",
        "",
    ),
    "collecting": (
        "no measured round is open",
        "",
        "a measured round of the study is open, and its items are to be labelled blind",
        "Close it first, or hold the calibration before the next one opens.",
    ),
    "evaluated": (
        "no round has been through the gate",
        "Measure a round and ask the gate: `goldgate gate ROUND`.",
        "",
        "",
    ),
    "released": (
        "nothing has been released",
        "See what there is: `goldgate history {study}`.",
        "",
        "",
    ),
}
STUDY_ORDER = {
    "register": Step(),
    "open": Step(),  # a measured round needs its version registered; a pilot may name a draft (flows/open.py)
    "amend": Step(needs=("registered",)),
    "calibration": Step(forbids=("collecting",)),
    "release": Step(needs=("evaluated",)),
    "withdraw": Step(needs=("released",)),
}

# What each event needs to have gone before it, for `verify` to replay.
EVENT_STUDY_VERBS = {
    "study.registered": "register",
    "study.amended": "amend",
    "round.opened": "open",
    "calibration.held": "calibration",
    "release.promoted": "release",
    "release.withdrawn": "withdraw",
}
# Events that may stand anywhere: the beginning, what was refused, what was looked at, what had to be removed.
EVENTS_ANYWHERE = ("project.created", "ingest.refused", "release.refused", "explored", "redacted")
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
    "deviation.recorded": "deviation",
}


def facts(round_state: RoundState) -> frozenset[str]:
    """What is true of a round, by the names ORDER uses."""
    closed, measured = round_state.closed is not None, bool(round_state.measured)
    names = {
        "open": True,
        "labels": bool(round_state.submissions),
        "closed": closed,
        "cut-short": round_state.is_cut_short,
        "discussed": closed and bool(round_state.discussed),
        "measured": measured,
        "closed unless measured": closed and not measured,
        "current": round_state.is_current,
        "reported": round_state.is_reported,
        "evaluated": round_state.is_evaluated,
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
            by = [f"event {event.seq} ({event.type})" for event in round_state.changed_since if fact == "current"]
            raise _refusal(verb, name, f"{fact}-missing", ": ".join([missing, *([", ".join(by)] if by else [])]), fix)
    for fact in step.forbids:
        if fact in true:
            _, _, there, fix = FACTS[fact.removesuffix(" unless measured")]
            raise _refusal(verb, name, f"round-{fact.split()[0]}", there, fix)


def study_facts(study: StudyState, state: State, guideline_version: str | None = None) -> frozenset[str]:
    """What is true of a study, by the names STUDY_ORDER uses. guideline_version: which one `registered` speaks of."""
    versions = set(study.registrations)
    rounds = state.rounds_of(study.study_id) if study.study_id in state.studies else []
    names = {
        "registered": bool(versions) if guideline_version is None else guideline_version in versions,
        "collecting": any(r.kind == "measured" and r.closed is None for r in rounds),
        "evaluated": any(r.gated for r in rounds),
        "released": bool(study.releases),
    }
    return frozenset(name for name, true in names.items() if true)


def require_study(verb: str, study: StudyState, state: State, guideline_version: str | None = None) -> None:
    """Raise OutOfOrder, naming the missing step, unless `verb` may be done to this study now."""
    step, true = STUDY_ORDER[verb], study_facts(study, state, guideline_version)
    name = study.study_id
    for fact in step.needs:
        if fact not in true:
            missing, fix, _, _ = STUDY_FACTS[fact]
            raise _refusal(verb, name, f"{fact}-missing", missing, fix)
    for fact in step.forbids:
        if fact in true:
            _, _, there, fix = STUDY_FACTS[fact]
            raise _refusal(verb, name, f"study-{fact}", there, fix)


def check_event(state: State, event: Event) -> None:
    """The same tables, for an event found in a ledger: may it stand where it stands, after `state`?"""
    payload = event.payload
    if event.type in EVENT_VERBS:
        require(EVENT_VERBS[event.type], state.round(payload["round_id"], payload["study_id"]))
    elif event.type in EVENT_STUDY_VERBS:
        study_id = payload["study_id"]
        for round_id in payload["rounds"] if event.type == "release.promoted" else ():
            check_promoted(state.round(round_id, study_id))
        for round_id in payload.get("relabelled", ()) if event.type == "release.promoted" else ():
            check_relabelled(state.round(round_id, study_id), state.round(payload["rounds"][-1], study_id))
        study = state.studies.get(study_id) or StudyState(study_id)
        require_study(EVENT_STUDY_VERBS[event.type], study, state, payload.get("guideline_version"))
    elif event.type not in EVENTS_ANYWHERE:
        raise OutOfOrder(
            f"event {event.seq}: no such kind of event, {event.type}",
            code="order-broken",
            next_step="Restore ledger.jsonl from a backup.",
        )


def check_promoted(round_state: RoundState) -> None:
    """OutOfOrder unless the labels of this round may be released: it passed, and by its last measuring."""
    require("promote", round_state)
    if round_state.verdict != "pass":
        raise OutOfOrder(
            f"promote {round_state.round_id}: it did not pass",
            code="round-not-passed",
            next_step="Release a round that passed: `goldgate history` shows them.",
        )


def check_relabelled(round_state: RoundState, passed: RoundState) -> None:
    """OutOfOrder unless this is a relabel round whose labels may go with those of `passed`, of the same version."""
    if round_state.kind != "relabel" or round_state.guideline_version != passed.guideline_version:
        raise OutOfOrder(
            f"promote {round_state.round_id}: no relabel round of guideline {passed.guideline_version}",
            code="not-relabelled",
            next_step="Restore ledger.jsonl from a backup.",
        )
    require("promote relabelled", round_state)


def _refusal(verb: str, name: str, code: str, why: str, fix: str) -> OutOfOrder:
    fix = fix.format(round=name, study=name)
    return OutOfOrder(f"{verb} {name}: {why}", [Problem(code, why, fix)], next_step=fix)
