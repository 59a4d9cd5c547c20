"""The database file: who may open it, how long one waits, and what becomes of too little memory."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agreement.errors import Busy, ConfigError, IntegrityError
from flows.audit.rebuild import rebuild
from flows.audit.verify import verify
from flows.measure import measure
from flows.storage import notes, store
from flows.storage.store import rows

REPOSITORY = Path(__file__).parents[3]
LABELS = {"uniform": {"++": 2, "+-": 1, "--": 3}}


@pytest.fixture(scope="module")
def closed_once(tmp_path_factory: pytest.TempPathFactory, maker_in: Callable[..., Any]) -> Any:
    make = maker_in(tmp_path_factory.mktemp("closed"))
    make.register()
    make.open(LABELS)
    make.ingest()
    make.close()
    return make


@pytest.fixture
def closed(closed_once: Any, tmp_path: Path) -> Any:
    return closed_once.copied_to(tmp_path)


# A file of another version.


def of_storage_version(path: Path, version: int) -> None:
    """The file's main header with another storage version, and the checksum over it that DuckDB computes."""
    data = bytearray(path.read_bytes())
    data[12:20] = struct.pack("<Q", version)
    checksum = 5381
    for (word,) in struct.iter_unpack("<Q", data[8:4096]):
        checksum ^= word * 0xBF58476D1CE4E5B9 & (1 << 64) - 1
    data[:8] = struct.pack("<Q", checksum)
    path.write_bytes(bytes(data))


def test_a_database_of_a_newer_version_is_refused_kept_and_made_anew(closed: Any) -> None:
    project = closed.project
    of_storage_version(project.database_path, 1000)
    newer = project.database_path.read_bytes()
    with pytest.raises(IntegrityError, match="storage version number 1000, but we can only read") as refused:
        measure(project, "r1")
    assert "run `goldgate rebuild`" in refused.value.next_step
    assert [problem.code for problem in verify(project).problems] == ["database-broken"]
    assert project.database_path.read_bytes() == newer
    rebuild(project)
    assert project.database_path.with_name("goldgate.duckdb.old").read_bytes() == newer
    assert verify(project).problems == ()


# Memory.


@pytest.mark.parametrize("use", [lambda p: measure(p, "r1"), verify, rebuild], ids=["measure", "verify", "rebuild"])
def test_too_little_memory_is_one_message_and_changes_nothing(
    closed: Any, monkeypatch: pytest.MonkeyPatch, use: Callable[[Any], object]
) -> None:
    before = closed.project.ledger_path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setitem(store.SETTINGS, "memory_limit", "1MB")
        with pytest.raises(ConfigError, match="more memory than may be used") as refused:
            use(closed.project)
    assert [(p.code, "1MB are used at most" in p.fix) for p in refused.value.problems] == [("out-of-memory", True)]
    assert closed.project.ledger_path.read_bytes() == before
    assert verify(closed.project).problems == ()


def test_a_limit_is_set(closed: Any) -> None:
    with closed.project.reading() as con:
        assert rows(con, "select current_setting('memory_limit')") == [("3.7 GiB",)]


# Waiting.

HOLD = """
import sys, time
from pathlib import Path
from flows.storage.store import open_store
with open_store(Path(sys.argv[1]), Path(sys.argv[2]), write=True):
    print("held", flush=True)
    time.sleep(float(sys.argv[3]))
"""


@contextmanager
def writing(make: Any, seconds: float) -> Iterator[int]:
    """Another process has the database open for writing; its number."""
    project = make.project
    command = [sys.executable, "-c", HOLD, project.database_path, project.objects.folder, str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=REPOSITORY) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        try:
            yield holder.pid
        finally:
            holder.kill()


def test_a_reader_waits_says_so_and_goes_on(
    closed: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(store, "QUIET_S", 0.1)
    with writing(closed, 1.0) as pid, closed.project.reading() as con:
        assert rows(con, "select count(*) from raw_label") == [(12,)]
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith("Note: goldgate.duckdb is held by another process; waiting up to 30 s for it.")
    assert f"PID {pid}" in said


def test_a_reader_that_waited_in_vain_says_who_holds_it_and_what_needs_no_database_goes_on(closed: Any) -> None:
    hasty = type(closed.project)(closed.project.root, wait_s=0.1)
    with writing(closed, 60) as pid:
        began = time.monotonic()
        with pytest.raises(Busy, match=r"goldgate\.duckdb is held by another process") as refused, hasty.reading():
            pass
        assert time.monotonic() - began < 10
        assert f"PID {pid}" in refused.value.next_step
        with pytest.raises(Busy):  # no verdict on a project that cannot be looked at
            verify(hasty)
        assert hasty.state().round("r1").closed is not None


def test_who_waits_for_the_lock_is_told_for_whom(
    closed: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("flows.storage.project.QUIET_S", 0.1)
    program = HOLD.replace("flows.storage.store import open_store", "flows.storage.project import Project")
    program = program.replace(
        "open_store(Path(sys.argv[1]), Path(sys.argv[2]), write=True)", "Project(Path(sys.argv[1])).locked()"
    )
    command = [sys.executable, "-c", program, closed.project.root, "", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=REPOSITORY) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        measure(closed.project, "r1")
    held = f"Note: the project is held by another command (process {holder.pid}); waiting up to 30 s for it to end."
    assert held in caplog.messages


def test_nobody_is_told_of_a_short_wait() -> None:
    assert notes.QUIET_S == 1.0


# A connection belongs to its process.


@pytest.mark.parametrize("use", [lambda con: rows(con, "select 1"), lambda con: store.tx(con).__enter__()])
def test_a_forked_child_uses_no_connection_of_its_parent(closed: Any, use: Callable[[Any], object]) -> None:
    with closed.project.reading() as con:
        child = os.fork()
        if child == 0:
            try:
                use(con)
            except RuntimeError:
                os._exit(7)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 7
        assert rows(con, "select count(*) from raw_label") == [(12,)]


# How tables are made and filled (audit.md, part E).


def test_tables_have_no_index_and_no_key_and_are_never_altered(closed: Any) -> None:
    with closed.project.reading() as con:
        assert rows(con, "select index_name from duckdb_indexes()") == []
        kinds = rows(con, "select distinct constraint_type from duckdb_constraints() order by all")
    assert kinds == [("CHECK",), ("NOT NULL",)]
    for path in (REPOSITORY / "flows").rglob("*.py"):
        source = path.read_text(encoding="utf-8").lower()
        assert "alter table" not in source, path
        assert "executemany" not in source, path
