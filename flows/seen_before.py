"""Labels that came in before: the same answers in a round whose results have been seen are no new evidence."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256

from flows.register import registered_study
from flows.storage.project import Change
from flows.storage.state import RoundState
from flows.storage.store import rows

# Nearly all answers alike, positive ones too: two rare questions about the same items share few positives.
ALIKE = 0.8
FEWEST = 5


def seen_before(change: Change, round_state: RoundState) -> list[list[str | int]]:
    """Measured rounds of this project with nearly the same labels: study, round, event of their first measuring.

    Alike are answers of one annotator to one version of an item; at least FEWEST of them, and ALIKE of all labels as
    well as of the positive ones.
    """
    measured = [r for r in change.state.rounds.values() if r.measured and r is not round_state]
    if not measured:
        return []
    study = registered_study(change.objects, change.state, round_state)
    positive = [c.value for c in study.categories if c.positive]
    found = rows(
        change.con,
        """with mine as (
             select distinct item_id, item_version, annotator_id, "label", list_contains($positive, "label") flagged
             from raw_label where study_id = $study and round_id = $round and status = 'labelled' and set_aside = ''),
           theirs as (
             select distinct study_id, round_id, item_id, item_version, annotator_id, "label" from raw_label
             where (study_id, round_id) <> ($study, $round) and status = 'labelled' and set_aside = '')
           select study_id, round_id, count(*), count(*) filter (flagged),
                  (select count(*) from mine), (select count(*) from mine where flagged)
           from mine join theirs using (item_id, item_version, annotator_id, "label")
           group by study_id, round_id order by study_id, round_id""",
        {"positive": positive, "study": round_state.study_id, "round": round_state.round_id},
    )
    first_look = {(r.study_id, r.round_id): r.measured[0].seq for r in measured}
    return [
        [study_id, round_id, first_look[study_id, round_id]]
        for study_id, round_id, same, same_flagged, labels, flagged in found
        if (study_id, round_id) in first_look
        and same >= max(FEWEST, ALIKE * labels)
        and same_flagged >= ALIKE * flagged
    ]


def looks_before(change: Change, round_state: RoundState) -> list[int]:
    """Looks from before the labels came in that rested on just these, however they were written: their events."""
    looks = {event.seq: event.payload.get("answers") for event in change.state.looks.values()}
    if not looks:
        return []
    found = rows(
        change.con,
        """select item_id, list("label") from (
             select distinct item_id, annotator_id, "label" from raw_label
             where study_id = ? and round_id = ? and status = 'labelled' and set_aside = '' and origin = 'own'
             qualify ingest_seq = max(ingest_seq) over (partition by item_id, annotator_id))
           group by item_id having count(*) > 1""",
        [round_state.study_id, round_state.round_id],
    )
    digest = answers_digest(dict(found))
    return [seq for seq, answers in looks.items() if answers == digest]


def answers_digest(labels: Mapping[str, Sequence[str]]) -> str:
    """SHA-256 of which labels several annotators gave each item; says nothing of who gave which."""
    return sha256(json.dumps(sorted([item, sorted(said)] for item, said in labels.items())).encode()).hexdigest()
