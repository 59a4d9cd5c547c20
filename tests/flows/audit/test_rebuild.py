"""The database is a cache: made anew from objects and ledger it holds the same rows."""

from __future__ import annotations

from typing import Any

import pytest

from agreement.errors import IntegrityError
from flows.adjudicate import adjudicate
from flows.audit.rebuild import rebuild, replayed_digests
from flows.close import reassign
from flows.storage import store
from flows.storage.digests import table_digests


@pytest.fixture
def busy(new_maker: Any) -> Any:
    """A project in which everything happened that writes to a table."""
    make = new_maker(reserves="cy")
    make.register()
    make.open({"uniform": {"++": 3, "+-": 2, "v+": 1, "a-": 1, "+.": 1}})
    make.ingest(set_aside=["other-version"])
    make.bring("item_id,annotator_id,label\nr1-uniform-1,ada,no\n", revision="slipped a line")
    reassign(make.project, "r1", "bo", "cy", "bo fell ill")
    make.close()
    from flows.measure import measure

    measure(make.project, "r1")
    adjudicate(make.project, "r1", make.decide(["r1-uniform-4"]))
    make.bring("item_id,annotator_id,label\nr1-uniform-8,cy,no\n", name="late.csv")
    return make


def digests(make: Any) -> dict[str, str]:
    project = make.project
    with store.open_store(project.database_path, project.objects.folder) as con:
        return table_digests(con)


def test_a_rebuilt_database_has_equal_tables(busy: Any) -> None:
    before = digests(busy)
    empty = sum(before[table] == value for table, value in digests_of_nothing().items())
    assert empty == 0  # every table has rows, or the comparison would say little
    assert replayed_digests(busy.project, busy.events()) == before
    assert rebuild(busy.project) == before == digests(busy)
    assert busy.project.database_path.with_name("goldgate.duckdb.old").exists()


def digests_of_nothing() -> dict[str, str]:
    from pathlib import Path

    with store.memory_store(Path()) as con:
        store.create_tables(con)
        return table_digests(con)


def test_a_changed_row_changes_its_table_s_digest_alone(busy: Any) -> None:
    before = digests(busy)
    with busy.project.changing() as change:
        change.con.execute("insert into assignment select * replace ('zoe' as annotator_id) from assignment limit 1")
    after = digests(busy)
    assert {table for table in before if before[table] != after[table]} == {"assignment"}
    assert rebuild(busy.project) == before


def test_a_foreign_or_broken_database_is_replaced_and_kept(busy: Any) -> None:
    before = digests(busy)
    busy.project.database_path.write_bytes(b"not a database")
    assert rebuild(busy.project) == before
    assert busy.project.database_path.with_name("goldgate.duckdb.old").read_bytes() == b"not a database"


def test_nothing_is_moved_where_it_cannot_be_done(busy: Any) -> None:
    before = busy.project.database_path.read_bytes()
    frame = next(event.payload["frame"] for event in busy.events() if event.type == "round.opened")
    busy.project.objects.path(frame).rename(busy.folder / "away")
    with pytest.raises(IntegrityError, match="is missing from objects/"):
        rebuild(busy.project)
    assert busy.project.database_path.read_bytes() == before
    busy.project.ledger_path.unlink()
    with pytest.raises(IntegrityError, match="is missing, but the rest of a project is there"):
        rebuild(busy.project)
    assert busy.project.database_path.read_bytes() == before


def test_a_folder_that_holds_no_project_is_not_made_one(make: Any) -> None:
    with pytest.raises(IntegrityError, match="no ledger"):
        rebuild(make.project)
    assert not make.project.root.exists()
