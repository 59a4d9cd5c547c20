"""A project after whatever may have happened to it: repaired without a question, or stopped with what differs."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agreement.errors import Busy, GoldgateError, IntegrityError
from flows.audit.verify import verify
from flows.close import close_round
from flows.register import register
from flows.storage import ledger, replay, store
from flows.storage.project import Project
from flows.storage.store import rows

LABELS = {"uniform": {"++": 2, "+-": 1, "--": 3}}


def filled(make: Any) -> Any:
    """A project with a registered study and an open round with labels: four events."""
    make.register()
    make.open(LABELS)
    make.ingest()
    return make


@pytest.fixture(scope="module")
def filled_once(tmp_path_factory: pytest.TempPathFactory, maker_in: Callable[..., Any]) -> Any:
    return filled(maker_in(tmp_path_factory.mktemp("filled")))


def applied(project: Project) -> int:
    with store.open_store(project.database_path, project.objects.folder) as con:
        return replay.head(con).size


def labels_in(project: Project) -> int:
    with project.reading() as con:
        return int(rows(con, "select count(*) from raw_label")[0][0])


def test_reading_something_that_is_not_there_makes_no_folder(make: Any) -> None:
    assert make.project.events() == []
    assert make.project.state().studies == {}
    assert not make.project.root.exists()


def test_the_first_change_creates_the_project(make: Any) -> None:
    make.register()
    first, second = make.events()
    assert (first.type, first.payload) == ("project.created", {"project_id": "test", "format": 1})
    assert (second.type, second.actor, second.ts) == ("study.registered", "tester", "2026-04-01T12:00:00Z")
    assert second.tool.startswith("goldgate ")


# The four states of audit.md, part A.


def test_equal_ledger_and_database_go_on(filled_once: Any, tmp_path: Path) -> None:
    make = filled_once.copied_to(tmp_path)
    before = make.project.ledger_path.read_bytes()
    assert (applied(make.project), labels_in(make.project)) == (4, 12)
    assert make.project.ledger_path.read_bytes() == before


def test_stopped_between_commit_and_apply_is_caught_up_by_whoever_comes_next(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.register()
    make.open(LABELS)
    whole = ledger.append

    def killed(path: Path, event: ledger.Event) -> None:
        whole(path, event)
        raise KeyboardInterrupt  # the line is durable; the transaction around it is rolled back

    monkeypatch.setattr(ledger, "append", killed)
    with pytest.raises(KeyboardInterrupt):
        make.ingest()
    monkeypatch.undo()
    assert (len(make.events()), applied(make.project)) == (4, 3)
    assert labels_in(make.project) == 12  # reading alone replays what is missing
    assert applied(make.project) == 4
    assert make.ingest().already_done


def test_an_event_that_cannot_be_replayed_is_never_written(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    make.register()
    make.open(LABELS)

    def full(*_: object) -> None:
        raise store.StoreError("out of disk")

    monkeypatch.setitem(replay._EFFECTS, "submission.ingested", full)
    with pytest.raises(store.StoreError):
        make.ingest()
    assert make.types()[-1] == "round.opened"


def test_half_a_line_is_cut_and_noted(filled_once: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    make = filled_once.copied_to(tmp_path)
    whole = make.project.ledger_path.read_bytes()
    make.project.ledger_path.write_bytes(whole + b'0f3a {"actor":"te')
    with caplog.at_level(logging.WARNING):
        make.close()
    assert "half a line" in caplog.text
    assert make.types()[-1] == "round.closed"
    assert make.project.ledger_path.read_bytes().startswith(whole)


def test_an_acknowledged_line_that_lost_its_end_is_not_cut(filled_once: Any, tmp_path: Path) -> None:
    """An editor or a copy took the last line break: the database has that event, so somebody was told it was done."""
    make = filled_once.copied_to(tmp_path)
    whole = make.project.ledger_path.read_bytes()
    make.project.ledger_path.write_bytes(whole[:-1])
    for use in (make.close, lambda: labels_in(make.project)):
        with pytest.raises(IntegrityError, match="the database has 4 events, the ledger 3"):
            use()
    assert make.project.ledger_path.read_bytes() == whole[:-1]
    make.project.ledger_path.write_bytes(whole)
    assert not make.close().already_done


def test_readers_stop_at_a_database_that_is_ahead_or_another_s(
    filled_once: Any, tmp_path: Path, new_maker: Callable[..., Any]
) -> None:
    make = filled_once.copied_to(tmp_path)
    whole = make.project.ledger_path.read_bytes()
    make.project.ledger_path.write_bytes(b"".join(whole.splitlines(keepends=True)[:3]))
    reading = (make.project.events, make.project.state, lambda: labels_in(make.project))
    for read in reading:
        with pytest.raises(IntegrityError, match="the database has 4 events, the ledger 3"):
            read()
    make.project.ledger_path.write_bytes(whole)
    other = filled(new_maker(new_id=lambda: "another"))
    shutil.copy(other.project.database_path, make.project.database_path)
    for read in reading:
        with pytest.raises(IntegrityError, match="event 4 of the database is not event 4 of the ledger"):
            read()


def test_a_database_ahead_of_its_ledger_stops_everything_until_rebuilt(filled_once: Any, tmp_path: Path) -> None:
    make = filled_once.copied_to(tmp_path)
    lines = make.project.ledger_path.read_bytes().splitlines(keepends=True)
    make.project.ledger_path.write_bytes(b"".join(lines[:3]))
    with pytest.raises(IntegrityError, match="the database has 4 events, the ledger 3") as refused:
        make.close()
    assert "goldgate rebuild" in refused.value.next_step
    assert make.project.ledger_path.read_bytes() == b"".join(lines[:3])


def test_a_database_of_another_project_is_refused(
    filled_once: Any, tmp_path: Path, new_maker: Callable[..., Any]
) -> None:
    make = filled_once.copied_to(tmp_path)
    other = new_maker(new_id=lambda: "another")
    filled(other)
    shutil.copy(other.project.database_path, make.project.database_path)
    with pytest.raises(IntegrityError, match="event 4 of the database is not event 4 of the ledger"):
        make.close()


def test_an_old_copy_of_the_database_is_caught_up(make: Any, tmp_path: Path) -> None:
    make.register()
    make.open(LABELS)
    old = shutil.copy(make.project.database_path, tmp_path / "old.duckdb")
    make.ingest()
    shutil.copy(old, make.project.database_path)
    assert labels_in(make.project) == 12


@pytest.mark.parametrize("damage", [b"", b"not a database", b"\x00" * 5000])
def test_a_file_that_is_no_database_is_kept_and_refused(filled_once: Any, tmp_path: Path, damage: bytes) -> None:
    make = filled_once.copied_to(tmp_path)
    make.project.database_path.write_bytes(damage)
    with pytest.raises(IntegrityError, match=r"goldgate\.duckdb cannot be opened") as refused:
        make.close()
    assert "goldgate rebuild" in refused.value.next_step
    assert make.project.database_path.read_bytes() == damage


def test_a_lost_database_is_made_anew(filled_once: Any, tmp_path: Path) -> None:
    make = filled_once.copied_to(tmp_path)
    make.project.database_path.unlink()
    assert labels_in(make.project) == 12


@pytest.mark.parametrize("rest", [None, b""], ids=["missing", "emptied"])
def test_a_lost_ledger_is_never_begun_again(filled_once: Any, tmp_path: Path, rest: bytes | None) -> None:
    make = filled_once.copied_to(tmp_path)
    make.project.ledger_path.unlink()
    if rest is not None:
        make.project.ledger_path.write_bytes(rest)
    with pytest.raises(IntegrityError):
        make.close()
    assert not make.project.ledger_path.exists() or make.project.ledger_path.read_bytes() == b""


def test_stopped_in_its_very_first_command_a_project_can_begin(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "append", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        make.register()
    monkeypatch.undo()
    assert make.project.database_path.exists()
    make.register()
    assert make.types() == ["project.created", "study.registered"]


def test_a_project_held_by_another_process_is_busy_with_its_number(make: Any, tmp_path: Path) -> None:
    make.register()
    impatient = Project(make.project.root, make.project.clock, make.project.actor, wait_s=0.05)
    held = tmp_path / "held"
    program = (
        "import sys, pathlib\n"
        "from flows.storage.project import Project\n"
        "with Project(pathlib.Path(sys.argv[1])).locked():\n"
        "    pathlib.Path(sys.argv[2]).touch()\n"
        "    sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", program, str(make.project.root), str(held)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as holder:
        while not held.exists():
            assert holder.poll() is None
        with pytest.raises(Busy, match=f"process {holder.pid}") as refused:
            register(impatient, make.folder / "promises-1.0.yaml")
        assert refused.value.exit_code == 7
        assert isinstance(impatient.state().studies, dict)  # reading needs no lock
        holder.communicate(b"")
    assert register(impatient, make.folder / "promises-1.0.yaml").already_done


def test_a_lock_dies_with_its_process(make: Any) -> None:
    make.register()
    program = (
        "import os, sys, pathlib\n"
        "from flows.storage.project import Project\n"
        "with Project(pathlib.Path(sys.argv[1])).changing():\n"
        "    os._exit(9)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(make.project.root)], check=False)
    assert done.returncode == 9
    make.open(LABELS)
    assert make.types()[-1] == "round.opened"


def test_a_child_process_never_closes_its_parents_connection(filled_once: Any, tmp_path: Path) -> None:
    make = filled_once.copied_to(tmp_path)
    with make.project.changing() as change:
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        assert rows(change.con, "select count(*) from raw_label") == [(12,)]


def test_order_is_that_of_the_ledger_even_if_the_clock_goes_back(make: Any, caplog: pytest.LogCaptureFixture) -> None:
    make.register()
    assert "clock-regression" not in caplog.text
    earlier = make.project.clock() - timedelta(days=400)
    back = Project(make.project.root, lambda: earlier, make.project.actor)
    make.project = back
    make.open(LABELS)
    first, second, third = (event.ts for event in make.events())
    assert (first == second, third < second) == (True, True)
    assert make.events()[2].seq == 3
    said = "clock-regression: it is 2025-02-25T12:00:00Z, and the last event is of 2026-04-01T12:00:00Z"
    assert said in caplog.text
    found = verify(back)
    assert (found.status, found.notes) == (
        "UNANCHORED",
        ("clock-regression: dated before the event before them: 3. The order is the ledger's.",),
    )


LOCKED_DOWN = [
    "select * from read_csv('/etc/hostname')",
    "select * from read_text('/etc/hostname')",
    "copy (select 1) to '{outside}'",
    "attach '{outside}' as other",
    "install httpfs",
    "set enable_external_access = true",
    "set allowed_directories = ['/']",
]


@pytest.mark.parametrize("statement", LOCKED_DOWN)
def test_sql_reaches_nothing_outside_the_objects(make: Any, tmp_path: Path, statement: str) -> None:
    make.register()
    with make.project.changing() as change, pytest.raises(store.StoreError):
        change.con.execute(statement.format(outside=tmp_path / "outside"))


def test_a_python_variable_is_no_table(make: Any) -> None:
    make.register()
    my_rows = {"a": [1]}
    with make.project.changing() as change, pytest.raises(store.StoreError):
        change.con.execute("select * from my_rows")
    assert my_rows


@pytest.mark.parametrize("table", ["raw_label", "frame_item"])
@pytest.mark.parametrize("statement", ["update {} set item_id = 'x'", "delete from {}"])
def test_rows_once_in_can_be_neither_changed_nor_removed(
    filled_once: Any, tmp_path: Path, table: str, statement: str
) -> None:
    make = filled_once.copied_to(tmp_path)
    with make.project.changing() as change, pytest.raises(store.StoreError, match="insert-only"):
        change.con.execute(statement.format(table))


def test_refusals_carry_no_path_of_this_machine(filled_once: Any, tmp_path: Path) -> None:
    make = filled_once.copied_to(tmp_path)
    make.project.database_path.write_bytes(b"not a database")
    with pytest.raises(GoldgateError) as refused:
        close_round(make.project, "r1")
    assert str(make.folder) not in f"{refused.value.headline} {refused.value.next_step}"
