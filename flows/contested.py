"""Items of a measured round on which its annotators differ, and which of them nobody has decided yet."""

from __future__ import annotations

from flows.counts import ItemAnswers, answers
from flows.storage.state import RoundState
from flows.storage.store import Connection, rows
from schemas.study import Study


def contested_items(con: Connection, study: Study, round_state: RoundState) -> list[ItemAnswers]:
    """Items whose assigned annotators gave different labels; leaves the temporary table `answer`."""
    return [item for item in answers(con, study, round_state, list(study.annotator_ids())) if len(set(item.labels)) > 1]


def decided_items(con: Connection, round_state: RoundState) -> set[str]:
    """Ids of items an adjudicator has decided, or called undecidable."""
    found = rows(
        con,
        "select distinct item_id from adjudication where study_id = ? and round_id = ?",
        [round_state.study_id, round_state.round_id],
    )
    return {item for (item,) in found}
