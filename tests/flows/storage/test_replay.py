"""What each kind of event does to the database, on tables in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flows.storage import replay, store
from flows.storage.ledger import GENESIS_PREV, Event, Head
from flows.storage.objects import Objects
from flows.storage.parquet_object import put_query
from flows.storage.store import Connection, rows

KEY = {"study_id": "s", "round_id": "r1"}
ITEMS = """select 'i' || n item_id, 'v1' item_version, 'rest' cell, 'uniform' slice, '0.10' inclusion_probability,
           '' "cluster" from range(1, 4) t(n) order by n"""
ASKED = """select 'i' || n item_id, who annotator_id from range(1, 4) t(n), (values ('ada'), ('bo')) w(who)
           order by n, who"""
LABELS = """select 'i' || n item_id, 'v1' item_version, 'ada' annotator_id, 'labelled' status, 'yes' "label",
            '' abstain_reason, '1.0' guideline_version, '' labelled_at, 'own' origin, '' set_aside, 1 occurrence
            from range(1, 3) t(n) order by n"""
DECISIONS = "select 'i1' item_id, 'no' \"label\", 'dee' adjudicator_id, 'read twice' reason"


class Told:
    """Events carried out one after the other."""

    def __init__(self, con: Connection, objects: Objects) -> None:
        self.con, self.objects, self.seq = con, objects, 0

    def tell(self, type: str, **payload: Any) -> Event:
        self.seq += 1
        event = Event(self.seq, f"hash {self.seq}", "", "", "", "", type, {**KEY, **payload})
        replay.apply(self.con, event, self.objects)
        return event

    def open(self) -> Event:
        return self.tell("round.opened", frame=self.put(ITEMS), assignments=self.put(ASKED))

    def put(self, query: str) -> str:
        return put_query(self.con, self.objects, query)

    def remove(self, digest: str) -> None:
        stub = {"digest": digest, "size": 1, "replaced_by": ""}
        self.objects.stub_path(digest).write_text(json.dumps(stub))
        self.objects.path(digest).unlink()

    def asked(self) -> list[str]:
        return [
            f"{item} {who}"
            for item, who in rows(
                self.con, "select item_id, annotator_id from asked_label order by annotator_id, item_id"
            )
        ]

    def count(self, table: str) -> int:
        return int(rows(self.con, f"select count(*) from {table}")[0][0])


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    objects = Objects(tmp_path / "objects")
    objects.folder.mkdir()
    with store.memory_store(objects.folder) as con:
        store.create_tables(con)
        yield Told(con, objects)


EVERYBODY = ["i1 ada", "i2 ada", "i3 ada", "i1 bo", "i2 bo", "i3 bo"]


def test_every_event_is_noted_even_one_without_effect(told: Told) -> None:
    assert replay.has_tables(told.con)
    assert replay.head(told.con) == Head(0, GENESIS_PREV)
    told.tell("project.created")
    told.tell("gate.evaluated")
    assert replay.head(told.con) == Head(2, "hash 2")


def test_tables_that_are_not_there_are_said_not_to_be(tmp_path: Path) -> None:
    with store.memory_store(tmp_path) as con:
        assert not replay.has_tables(con)


def test_opening_freezes_items_and_who_is_asked(told: Told) -> None:
    told.open()
    assert told.count("frame_item") == 3
    assert told.asked() == EVERYBODY


@pytest.mark.parametrize("key", ["frame", "assignments"])
def test_a_round_whose_frame_or_assignments_were_removed_opens_empty(told: Told, key: str) -> None:
    objects = {"frame": told.put(ITEMS), "assignments": told.put(ASKED)}
    told.remove(objects[key])
    told.tell("round.opened", **objects)
    assert (told.count("frame_item"), told.count("assignment")) == (0, 0)


@pytest.mark.parametrize(("payload", "late"), [({}, False), ({"late": True}, True), ({"late": False}, False)])
def test_labels_come_in_as_they_were_understood(told: Told, payload: dict[str, Any], late: bool) -> None:
    told.open()
    event = told.tell("submission.ingested", canonical=told.put(LABELS), **payload)
    found = rows(told.con, 'select item_id, "label", ingest_seq, late from raw_label order by item_id')
    assert found == [("i1", "yes", event.seq, late), ("i2", "yes", event.seq, late)]


def test_labels_and_decisions_that_were_removed_do_not_come_in(told: Told) -> None:
    told.open()
    for type, query, table in (
        ("submission.ingested", LABELS, "raw_label"),
        ("adjudication.recorded", DECISIONS, "adjudication"),
    ):
        digest = told.put(query)
        told.remove(digest)
        told.tell(type, canonical=digest)
        assert told.count(table) == 0


def test_a_decision_goes_to_its_own_table(told: Told) -> None:
    told.open()
    told.tell("adjudication.recorded", canonical=told.put(DECISIONS))
    assert rows(told.con, 'select item_id, "label", adjudicator_id from adjudication') == [("i1", "no", "dee")]
    assert told.count("raw_label") == 0


def test_a_reassignment_takes_only_what_was_not_answered(told: Told) -> None:
    told.open()
    told.tell("submission.ingested", canonical=told.put(LABELS))
    told.tell("reassigned", from_annotator="ada", to_annotator="cy")
    assert told.asked() == ["i1 ada", "i2 ada", "i1 bo", "i2 bo", "i3 bo", "i3 cy"]


@pytest.mark.parametrize("how", ["complete", "incomplete", "cut-short"])
def test_closing_changes_nothing(told: Told, how: str) -> None:
    told.open()
    told.tell("submission.ingested", canonical=told.put(LABELS))
    told.tell("round.closed", how=how)
    assert told.asked() == EVERYBODY


def test_by_a_registered_stop_untouched_items_were_never_asked_about_until_the_round_is_reopened(told: Told) -> None:
    told.open()
    told.tell("submission.ingested", canonical=told.put(LABELS))
    closing = told.tell("round.closed", how="registered-stop")
    assert told.asked() == ["i1 ada", "i2 ada", "i1 bo", "i2 bo"]
    told.tell("round.reopened", closing=closing.seq)
    assert told.asked() == EVERYBODY


def test_an_event_about_one_round_leaves_another_alone(told: Told) -> None:
    told.open()
    told.tell("round.opened", round_id="r2", frame=told.put(ITEMS), assignments=told.put(ASKED))
    told.tell("round.closed", how="registered-stop")
    assert {name for (name,) in rows(told.con, "select distinct round_id from asked_label")} == {"r2"}
