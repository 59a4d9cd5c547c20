"""What an event does to the database: one function per type. Used when it happens and by every rebuild alike."""

from __future__ import annotations

from flows.storage.ledger import GENESIS_PREV, Event, Head, broken
from flows.storage.objects import Objects
from flows.storage.store import Connection, QueryError, first_line, rows


def apply(con: Connection, event: Event, objects: Objects) -> None:
    """Carry out one event, and note that it was. The caller holds the transaction.

    IntegrityError if an object the event names is not the table it should be.
    """
    if event.type in _EFFECTS:
        try:
            _EFFECTS[event.type](con, event, objects)
        except QueryError as error:
            raise broken(event, f"an object it names is not such a table: {first_line(error)}") from error
    con.execute("insert into event (seq, hash) values (?, ?)", [event.seq, event.hash])


def head(con: Connection) -> Head:
    """The last event the database has seen."""
    found = rows(con, "select seq, hash from event order by seq desc limit 1")
    return Head(*found[0]) if found else Head(0, GENESIS_PREV)


def has_tables(con: Connection) -> bool:
    return bool(rows(con, "select 1 from duckdb_tables() where table_name = 'event'"))


def _open_round(con: Connection, event: Event, objects: Objects) -> None:
    study_id, round_id = event.payload["study_id"], event.payload["round_id"]
    frame, assignments = (objects.standing(event.payload[key]) for key in ("frame", "assignments"))
    if frame is None or assignments is None:  # removed on request, all of it
        return
    con.execute(
        """insert into frame_item
             (study_id, round_id, item_id, item_version, cell, slice, inclusion_probability, cluster)
           select ?, ?, item_id, item_version, cell, slice, inclusion_probability, cluster
           from read_parquet(?)""",
        [study_id, round_id, str(frame)],
    )
    con.execute(
        """insert into assignment (study_id, round_id, item_id, annotator_id, since_seq)
           select ?, ?, item_id, annotator_id, ? from read_parquet(?)""",
        [study_id, round_id, event.seq, str(assignments)],
    )


def _reassign(con: Connection, event: Event, objects: Objects) -> None:
    """The items an annotator has not answered go to a reserve."""
    payload = event.payload
    taken = [payload["study_id"], payload["round_id"], payload["from_annotator"]]
    con.execute(
        """insert into released_assignment (study_id, round_id, item_id, annotator_id, since_seq)
           select study_id, round_id, item_id, annotator_id, ?
           from asked_label anti join answered_label using (study_id, round_id, item_id, annotator_id)
           where study_id = ? and round_id = ? and annotator_id = ?""",
        [event.seq, *taken],
    )
    con.execute(
        """insert into assignment (study_id, round_id, item_id, annotator_id, since_seq)
           select study_id, round_id, item_id, ?, ? from released_assignment where since_seq = ?""",
        [payload["to_annotator"], event.seq, event.seq],
    )


def _close(con: Connection, event: Event, objects: Objects) -> None:
    """By a registered stop, items nobody has answered were never asked about; otherwise nothing changes."""
    payload = event.payload
    if payload["how"] != "registered-stop":
        return
    key = {"study": payload["study_id"], "round": payload["round_id"], "seq": event.seq}
    con.execute(
        """insert into released_assignment (study_id, round_id, item_id, annotator_id, since_seq)
           select study_id, round_id, item_id, annotator_id, $seq from (
             select study_id, round_id, item_id, annotator_id from assignment
             where study_id = $study and round_id = $round
             except all
             select study_id, round_id, item_id, annotator_id from released_assignment
             where study_id = $study and round_id = $round)
           where item_id not in (select item_id from raw_label where study_id = $study and round_id = $round)""",
        key,
    )


def _reopen(con: Connection, event: Event, objects: Objects) -> None:
    """What a registered stop had taken back is asked about again."""
    key = [event.seq, event.payload["study_id"], event.payload["round_id"], event.payload["closing"]]
    con.execute(
        """insert into assignment (study_id, round_id, item_id, annotator_id, since_seq)
           select study_id, round_id, item_id, annotator_id, ? from released_assignment
           where study_id = ? and round_id = ? and since_seq = ?""",
        key,
    )


def _ingest(con: Connection, event: Event, objects: Objects) -> None:
    payload = event.payload
    rows_file = objects.standing(payload["canonical"])
    if rows_file is None:  # removed on request
        return
    con.execute(
        """insert into raw_label (study_id, round_id, ingest_seq, item_id, item_version, annotator_id, status, label,
             abstain_reason, guideline_version, labelled_at, origin, set_aside, occurrence, late)
           select ?, ?, ?, item_id, item_version, annotator_id, status, label,
             abstain_reason, guideline_version, labelled_at, origin, set_aside, occurrence, ?
           from read_parquet(?)""",
        [
            payload["study_id"],
            payload["round_id"],
            event.seq,
            bool(payload.get("late", False)),
            str(rows_file),
        ],
    )


def _adjudicate(con: Connection, event: Event, objects: Objects) -> None:
    payload = event.payload
    rows_file = objects.standing(payload["canonical"])
    if rows_file is None:  # removed on request
        return
    con.execute(
        """insert into adjudication (study_id, round_id, recorded_seq, item_id, label, adjudicator_id, reason)
           select ?, ?, ?, item_id, label, adjudicator_id, reason from read_parquet(?)""",
        [payload["study_id"], payload["round_id"], event.seq, str(rows_file)],
    )


_EFFECTS = {
    "round.opened": _open_round,
    "reassigned": _reassign,
    "round.closed": _close,
    "round.reopened": _reopen,
    "submission.ingested": _ingest,
    "adjudication.recorded": _adjudicate,
}
