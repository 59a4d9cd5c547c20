"""What somebody would try who can write goldgate.duckdb alone: the cache is not believed, and rebuild makes it anew."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import duckdb
import pytest

from flows import cli
from flows.audit.rebuild import rebuild
from flows.audit.verify import verify

ANSWER = "case when current_query() like '%sha256%' then label when label = 'yes' then 'no' else label end"
STRANGE = {
    "labels that answer digests honestly and nobody else": (
        "create table kept as from raw_label; drop table raw_label; create view raw_label as "
        f"select * replace ({ANSWER} as label) from kept",
        [
            "the table kept is not one of goldgate's",
            "the table raw_label is missing",
            "the trigger raw_label_no_delete is missing",
            "the trigger raw_label_no_update is missing",
            "the view raw_label is not one of goldgate's",
        ],
    ),
    "decisions of nobody": (
        "create table said as from adjudication; drop table adjudication; "
        "create view adjudication as select * replace ('yes' as label) from said",
        [
            "the table adjudication is missing",
            "the table said is not one of goldgate's",
            "the trigger adjudication_no_delete is missing",
            "the trigger adjudication_no_update is missing",
            "the view adjudication is not one of goldgate's",
        ],
    ),
    "everybody has answered": (
        "create or replace view answered_label as select study_id, round_id, item_id, annotator_id from assignment",
        ["the view answered_label is defined otherwise"],
    ),
    "a built-in function by another name": (
        "create macro to_json(x) as '{}'; create macro duckdb_tables() as table select 'event' table_name",
        ["the function duckdb_tables is not one of goldgate's", "the function to_json is not one of goldgate's"],
    ),
    "a schema by the name of the built-in one, with its questions": (
        "create schema system; create schema goldgate.system.main; "
        "create macro goldgate.system.main.duckdb_tables() as table select 1 one",
        [
            "the function duckdb_tables is not one of goldgate's",
            "the schema main is not one of goldgate's",
            "the schema system is not one of goldgate's",
        ],
    ),
    "a column that is computed": (
        "create or replace table adjudication as select * exclude (label) from adjudication; "
        "alter table adjudication add column label varchar default 'yes'",
        ["the table adjudication is defined otherwise", "the trigger adjudication_no_delete is missing"],
    ),
    "a table without its guard": (
        "drop trigger raw_label_no_update on raw_label",
        ["the trigger raw_label_no_update is missing"],
    ),
    "a type, a sequence, an index": (
        "create type mood as enum ('a'); create sequence n; create index i on event(seq)",
        [
            "the index i is not one of goldgate's",
            "the sequence n is not one of goldgate's",
            "the type mood is not one of goldgate's",
        ],
    ),
}
COMMANDS = (
    "status r1",
    "measure r1",
    "close r1",
    "release promises 2.0",
    "adjudicate r1 none.csv",
    "export queue r1 out.csv",
    "export disagreements r1 out.csv",
)


@pytest.fixture
def said(copy: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[str], Any]:
    """The exit code of a command on the copy, and what it says."""

    def run(arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["goldgate", "--root", str(copy.project.root), *arguments.split()])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return int(ended.value.code or 0), "".join(capsys.readouterr())

    return run


def forge(make: Any, sql: str) -> None:
    with duckdb.connect(str(make.project.database_path)) as con:
        con.execute(sql)


@pytest.mark.parametrize("name", STRANGE)
def test_verify_names_what_is_strange_and_rebuild_mends_it(copy: Any, name: str) -> None:
    sql, strange = STRANGE[name]
    forge(copy, sql)
    found = verify(copy.project)
    assert [p.message for p in found.problems][: len(strange)] == strange
    assert {(p.code, p.fix, p.file) for p in found.problems} == {
        ("database-strange", "Run `goldgate rebuild`.", "goldgate.duckdb")
    }
    assert (found.status, found.exit_code, "V2" in found.levels) == ("FAIL", 6, False)
    assert rebuild(copy.project)
    assert verify(copy.project).problems == ()


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_asks_such_a_database_anything(copy: Any, said: Any, command: str) -> None:
    sql, strange = STRANGE["everybody has answered"]
    forge(copy, sql)
    before = copy.project.ledger_path.read_bytes()
    exit_code, text = said(command)
    assert (exit_code, strange[0] in text, "goldgate rebuild" in text) == (6, True, True), text
    assert "is not made as this version of goldgate makes it, so nothing in it is believed" in text
    assert copy.project.ledger_path.read_bytes() == before


@pytest.mark.parametrize("what", ["disagreements", "confused-pairs", "queue"])
def test_nothing_is_exported_of_labels_that_were_changed(copy: Any, said: Any, what: str) -> None:
    """One annotator's labels in a table as it should be, so only its rows tell."""
    with copy.project.changing() as change:
        change.con.execute(
            """create or replace temp table other as
               select * replace ('yes' as label) from raw_label where annotator_id = 'bo'"""
        )
        change.con.execute("insert into raw_label select * replace (ingest_seq + 1 as ingest_seq) from other")
    out = copy.folder / "out.csv"
    exit_code, text = said(f"export {what} r1 {out}")
    assert (exit_code, out.exists()) == (6, False)
    assert "r1: the database does not hold what objects and ledger give" in text
    assert "table raw_label was changed" in text
