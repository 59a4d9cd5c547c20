"""What the database holds, as one digest per table: equal content, equal digest, whatever the order of its rows."""

from __future__ import annotations

from hashlib import sha256

from flows.storage.store import Connection, rows

COLUMNS = {
    "frame_item": "study_id, round_id, item_id, item_version, cell, slice, inclusion_probability, cluster",
    "assignment": "study_id, round_id, item_id, annotator_id, since_seq",
    "released_assignment": "study_id, round_id, item_id, annotator_id, since_seq",
    "raw_label": "study_id, round_id, ingest_seq, item_id, item_version, annotator_id, status, label, abstain_reason, "
    "guideline_version, labelled_at, origin, set_aside, occurrence, late",
    "adjudication": "study_id, round_id, recorded_seq, item_id, label, adjudicator_id, reason",
}


def table_digests(con: Connection) -> dict[str, str]:
    """SHA-256 per table over all its rows, written as text and sorted."""
    return {table: _digest(con, table, "true", []) for table in COLUMNS}


def round_digest(con: Connection, table: str, study_id: str, round_id: str) -> str:
    """The same over the rows of one round."""
    return _digest(con, table, "study_id = ? and round_id = ?", [study_id, round_id])


def _digest(con: Connection, table: str, condition: str, params: list[str]) -> str:
    # Hashed in 256 buckets by item, so that no single text grows with the table. Table, columns and condition are
    # constants of this module.
    found = rows(
        con,
        f"""select substr(md5(item_id), 1, 2) bucket, count(*),
                   sha256(string_agg(row_text, chr(30) order by row_text))
            from (select item_id, to_json(row({COLUMNS[table]}))::varchar row_text from {table} where {condition})
            group by bucket order by bucket""",
        params,
    )
    return sha256(repr(found).encode()).hexdigest()
