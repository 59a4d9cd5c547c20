"""Before anything is decided on a round's rows: are they what objects and ledger give?"""

from __future__ import annotations

from agreement.errors import IntegrityError, Problem
from flows.storage import replay, store
from flows.storage.digests import round_digest
from flows.storage.project import Project
from flows.storage.state import RoundState

TABLES = ("frame_item", "assignment", "released_assignment", "raw_label", "adjudication")


def require_unchanged(project: Project, con: store.Connection, round_state: RoundState) -> None:
    """Replay the round's own events in memory and compare. IntegrityError, naming the tables that differ.

    The objects are read by their digests, so that neither the database nor an object can be changed unseen.
    """
    study_id, round_id = round_state.study_id, round_state.round_id
    with store.memory_store(project.objects.folder) as fresh:
        store.create_tables(fresh)
        for event in project.events():
            if (event.payload.get("study_id"), event.payload.get("round_id")) == (study_id, round_id):
                replay.apply(fresh, event, project.objects)
        wrong = [
            table
            for table in TABLES
            if round_digest(fresh, table, study_id, round_id) != round_digest(con, table, study_id, round_id)
        ]
    if wrong:
        raise IntegrityError(
            f"{round_id}: the database does not hold what objects and ledger give",
            [
                Problem("database-changed", f"table {table} was changed", "Nothing was decided on it.")
                for table in wrong
            ],
            next_step="Find out who changed it, then run `goldgate rebuild` and `goldgate verify`.",
        )
