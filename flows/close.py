"""The end of a round's collection, and the ways honest people need around it."""

from __future__ import annotations

from dataclasses import dataclass

from agreement.errors import ConfigError, OutOfOrder, Problem
from flows.register import registered_study
from flows.seen_before import looks_before, seen_before
from flows.storage.digests import round_digest
from flows.storage.ledger import Event
from flows.storage.order import require
from flows.storage.project import Change, Project
from flows.storage.state import NEVER, RoundState
from flows.storage.store import rows
from flows.storage.unchanged import require_unchanged
from schemas.names import text_fault


@dataclass(frozen=True)
class Done:
    """What a round command did. `already_done`: it had been done before, nothing changed."""

    already_done: bool
    event: Event


def close_round(
    project: Project,
    round_id: str,
    *,
    study_id: str | None = None,
    incomplete: str | None = None,
    cut_short: str | None = None,
) -> Done:
    """No more labels. Refused while assigned labels are out, unless `incomplete` or `cut_short` says why, or the
    registered `stop:` is met: then items nobody has begun were never asked about.

    incomplete: not everything came in; the registered coverage rules decide. cut_short: a rule was found wanting in
    mid-round; the round is history and is never gated. Refused once its results could be known: a round that fails
    is not thrown away.
    """
    if incomplete is not None and cut_short is not None:
        raise ConfigError(
            "close: --incomplete and --cut-short exclude each other",
            code="options-exclude",
            next_step="Give the one that is meant.",
        )
    how, reason = _how(incomplete, cut_short)
    with project.changing() as change:
        round_state = change.state.round(round_id, study_id)
        if round_state.closed is not None:
            return Done(True, round_state.closed)
        require("close", round_state)
        if cut_short is not None and round_state.results_seen < NEVER:
            raise _too_late_to_cut(round_state)
        require_unchanged(change.project, change.con, round_state)
        expected = still_expected(change, round_state)
        stopped = _registered_stop(change, round_state) if expected and how == "complete" else ""
        if stopped:
            how, reason = "registered-stop", stopped
        if expected and how == "complete":
            raise _labels_are_out(round_state, expected)
        study, name = round_state.study_id, round_state.round_id
        event = change.commit(
            "round.closed",
            {
                "study_id": study,
                "round_id": name,
                "how": how,
                "reason": reason,
                "expected": [[who, n] for who, n in expected],
                "raw_labels": round_digest(change.con, "raw_label", study, name),
                "seen_before": seen_before(change, round_state),
                "looked_at_before": looks_before(change, round_state),
            },
        )
        return Done(False, event)


def reopen_round(project: Project, round_id: str, reason: str, *, study_id: str | None = None) -> Done:
    """Take labels in again, before anything was measured."""
    _require_reason(reason, "reopen")
    with project.changing() as change:
        round_state = change.state.round(round_id, study_id)
        require("reopen", round_state)
        assert round_state.closed is not None  # `require` saw it
        payload = {**_key(round_state), "closing": round_state.closed.seq, "reason": reason}
        return Done(False, change.commit("round.reopened", payload))


def reassign(
    project: Project, round_id: str, from_annotator: str, to_annotator: str, reason: str, *, study_id: str | None = None
) -> Done:
    """Give what an annotator has not answered to a reserve of the roster. Labels already given stay."""
    _require_reason(reason, "reassign")
    with project.changing() as change:
        round_state = change.state.round(round_id, study_id)
        require("reassign", round_state)
        _require_reserve(change, round_state, from_annotator, to_annotator)
        payload = {
            **_key(round_state),
            "from_annotator": from_annotator,
            "to_annotator": to_annotator,
            "reason": reason,
        }
        nothing_left = from_annotator not in dict(still_expected(change, round_state))
        for event in round_state.reassigned:
            if event.payload == payload and nothing_left:
                return Done(True, event)
        return Done(False, change.commit("reassigned", payload))


def still_expected(change: Change, round_state: RoundState) -> list[tuple[str, int]]:
    """Assigned labels for which no answer has come in, per annotator. A draft is no answer yet."""
    found = rows(
        change.con,
        """select annotator_id, count(*)
           from asked_label anti join answered_label using (study_id, round_id, item_id, annotator_id)
           where study_id = ? and round_id = ? group by all order by all""",
        [round_state.study_id, round_state.round_id],
    )
    return [(str(who), int(n)) for who, n in found]


def _registered_stop(change: Change, round_state: RoundState) -> str:
    """In words, why the registered `stop:` allows the end now; "" if it does not.

    It looks at union positives and at how many items were answered, never at agreement, so stopping by it is harmless.
    Every item that was begun must be finished by everyone it was assigned to.
    """
    study = registered_study(change.objects, change.state, round_state)
    if study.stop is None:
        return ""
    positive = [value for value, is_positive in zip(study.category_values(), study.positive_mask(), strict=True)
                if is_positive]  # fmt: skip
    key = {"study": round_state.study_id, "round": round_state.round_id}
    begun, flagged = rows(
        change.con,
        """select count(distinct item_id), count(distinct item_id) filter (list_contains($positive, "label"))
           from raw_label where study_id = $study and round_id = $round and set_aside = '' and origin = 'own'""",
        {**key, "positive": positive},
    )[0]
    ((unfinished,),) = rows(
        change.con,
        """select count(*) from (
             select item_id, annotator_id from assignment where study_id = $study and round_id = $round
             except all
             select item_id, annotator_id from released_assignment where study_id = $study and round_id = $round) a
           where a.item_id in (select item_id from raw_label where study_id = $study and round_id = $round)
             and not exists (select 1 from raw_label l where l.study_id = $study and l.round_id = $round
               and l.item_id = a.item_id and l.annotator_id = a.annotator_id and l.origin = 'own')""",
        key,
    )
    if unfinished:
        return ""
    if flagged >= study.stop.union_positives:
        return f"{flagged:,} union positives among {begun:,} items; {study.stop.union_positives:,} were registered"
    if begun >= study.stop.at_most_items:
        return f"{begun:,} items answered; the registered limit is {study.stop.at_most_items:,}"
    return ""


def _how(incomplete: str | None, cut_short: str | None) -> tuple[str, str]:
    if incomplete is not None:
        _require_reason(incomplete, "close --incomplete")
        return "incomplete", incomplete
    if cut_short is not None:
        _require_reason(cut_short, "close --cut-short")
        return "cut-short", cut_short
    return "complete", ""


def _key(round_state: RoundState) -> dict[str, str]:
    return {"study_id": round_state.study_id, "round_id": round_state.round_id}


def _labels_are_out(round_state: RoundState, expected: list[tuple[str, int]]) -> OutOfOrder:
    name = round_state.round_id
    total = sum(n for _, n in expected)
    who = ", ".join(f"{who} {n}" for who, n in expected)
    return OutOfOrder(
        f"close {name}: {total} assigned labels have not come in ({who})",
        [Problem("labels-expected", f"{n} labels of {who} are out", "Bring them in.") for who, n in expected],
        next_step=f"Bring them in with `goldgate ingest {name} FILE…`, or say why not: "
        f'`goldgate close {name} --incomplete "REASON"`.',
    )


def _too_late_to_cut(round_state: RoundState) -> OutOfOrder:
    name, seen = round_state.round_id, round_state.results_seen
    why = f"its results could be known since event {seen}, and a round is not thrown away in their light"
    return OutOfOrder(
        f"close {name} --cut-short: {why}",
        [Problem("cut-short-after-results", why)],
        next_step=f'Close it without: `goldgate close {name}`, or `goldgate close {name} --incomplete "REASON"`.',
    )


def _require_reason(reason: str, what: str) -> None:
    fault = text_fault(reason)
    if fault is not None:
        raise ConfigError(
            f"{what}: the reason {fault}", next_step="Say in a sentence why; it is kept for ever.", code="blank-reason"
        )


def _require_reserve(change: Change, round_state: RoundState, from_annotator: str, to_annotator: str) -> None:
    study = registered_study(change.objects, change.state, round_state)
    problems = []
    if from_annotator not in study.annotator_ids():
        problems.append(
            Problem(
                "unknown-annotator",
                "not on the roster",
                "Name annotators of the registered roster.",
                value=from_annotator,
            )
        )
    if to_annotator not in study.reserves():
        known = ", ".join(study.reserves()) or "none registered"
        problems.append(
            Problem("not-a-reserve", "not a reserve of the roster", f"Reserves: {known}.", value=to_annotator)
        )
    ((both,),) = rows(
        change.con,
        """select count(*) from asked_label a join asked_label b using (study_id, round_id, item_id)
           where study_id = ? and round_id = ? and a.annotator_id = ? and b.annotator_id = ?""",
        [round_state.study_id, round_state.round_id, from_annotator, to_annotator],
    )
    if both:
        message = f"already asked about {both:,} of these items, and one person labels an item once"
        problems.append(Problem("already-asked", message, "Name another reserve.", value=to_annotator))
    if problems:
        raise ConfigError(f"reassign {round_state.round_id}: nothing changed", problems)
