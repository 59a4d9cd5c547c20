"""Which items people have seen or talked about, so that a round of this study cannot label them blind any more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agreement.errors import InputRefused, Problem
from flows.frame import Frame
from flows.storage.project import Change
from flows.storage.state import NEVER, RoundState, StudyState
from flows.storage.store import rows

_OTHER_ITEM = "Draw another item; the same items under a new guideline version are a `relabel` round."


def require_blind(change: Change, study_id: str, kind: str, frame: Frame) -> None:
    """Refuse a frame with items that a measured round may not have, or that another one is still to label blind.

    A measured round may not have items of a pilot, of any round whose results could be known, of a calibration or of a
    decision. No round may have items of a measured round that is not measured yet: what is learnt of them here would
    be known there.
    """
    known = change.state.studies.get(study_id) or StudyState(study_id)
    rounds = change.state.rounds_of(study_id) if known.rounds else []
    seen = _in_rounds(change, study_id, _why(rounds, kind), frame)
    if kind == "measured":
        seen += _discussed(change, known, frame) + _decided(change, study_id, frame)
    if seen:
        n = len({item for item, _ in seen})
        raise InputRefused(
            f"{frame.file}: {n} items were shown before in this study; nothing stored",
            [
                Problem("item-shown-before", why, _OTHER_ITEM, file=frame.file, column="item_id", value=item)
                for item, why in sorted(seen)
            ],
        )


def _why(rounds: Sequence[RoundState], kind: str) -> dict[str, str]:
    """Rounds whose items a round of this kind may not have, and why."""
    found = {}
    for one in rounds:
        if one.is_blind:
            found[one.round_id] = f"to be labelled blind in {one.round_id}, which is not measured yet"
        elif kind == "measured" and one.kind == "pilot":
            found[one.round_id] = "shown in a pilot"
        elif kind == "measured" and one.results_seen < NEVER:
            found[one.round_id] = f"labelled in {one.round_id}, which was {'measured' if one.measured else 'looked at'}"
    return found


def _in_rounds(change: Change, study_id: str, why: Mapping[str, str], frame: Frame) -> list[tuple[str, str]]:
    query = """select item_id, round_id from frame_item where study_id = ? and list_contains(?, round_id)
                 and item_id in (select item_id from read_parquet(?)) order by all limit 1000"""
    found = rows(change.con, query, [study_id, list(why), _path(change, frame)])
    return [(item, why[round_id]) for item, round_id in found]


def _discussed(change: Change, study: StudyState, frame: Frame) -> list[tuple[str, str]]:
    held = [change.objects.standing(event.payload["items"]) for event in study.calibrations]
    lists = [str(path) for path in held if path is not None]
    if not lists:
        return []
    query = """select distinct item_id from read_parquet(?) where item_id in (select item_id from read_parquet(?))
               order by all limit 1000"""
    return [
        (item, "was discussed in a calibration") for (item,) in rows(change.con, query, [lists, _path(change, frame)])
    ]


def _decided(change: Change, study_id: str, frame: Frame) -> list[tuple[str, str]]:
    query = """select distinct item_id from adjudication where study_id = ?
                 and item_id in (select item_id from read_parquet(?)) order by all limit 1000"""
    return [
        (item, "decided by an adjudicator") for (item,) in rows(change.con, query, [study_id, _path(change, frame)])
    ]


def _path(change: Change, frame: Frame) -> str:
    return str(change.objects.path(frame.digest))
