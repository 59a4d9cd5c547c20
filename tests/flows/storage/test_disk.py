"""A folder that cannot be used, a process that must not go on, a reader that waits: each said in one message."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from agreement.errors import Busy, ConfigError
from flows.close import Done, close_round
from flows.register import register
from flows.storage import ledger
from flows.storage.disk import disk_errors
from flows.told import record_deviation

LABELS = {"uniform": {"++": 2, "--": 2}}


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "disk-full"),
        (errno.EDQUOT, "disk-full"),
        (errno.EROFS, "read-only-folder"),
        (errno.EACCES, "no-permission"),
        (errno.ENOLCK, "no-locks"),
        (errno.EIO, "disk-error"),
    ],
)
def test_what_the_system_says_becomes_a_message_with_the_place(tmp_path: Path, number: int, code: str) -> None:
    with pytest.raises(ConfigError) as refused, disk_errors(tmp_path):
        raise OSError(number, os.strerror(number), str(tmp_path / "objects" / "abc"))
    assert refused.value.exit_code == 2
    assert [(p.code, p.file) for p in refused.value.problems] == [(code, "objects/abc")]
    assert "What was acknowledged before is safe." in refused.value.next_step


def test_a_project_cannot_lie_where_a_file_is(make: Any, new_maker: Any) -> None:
    other = new_maker()
    other.project.root.parent.mkdir(exist_ok=True)
    other.project.root.write_text("a file")
    with pytest.raises(ConfigError, match="the project's folder cannot be used") as refused:
        register(other.project, other.study())
    assert refused.value.problems[0].code == "not-a-folder"


@pytest.mark.skipif(os.geteuid() == 0, reason="whoever may do everything is stopped by no permission")
def test_without_the_right_to_write_the_folder_is_named(make: Any) -> None:
    make.register()
    make.project.root.chmod(0o500)
    try:
        with pytest.raises(ConfigError, match="cannot be used"):
            make.open(LABELS)
    finally:
        make.project.root.chmod(0o700)


def test_without_the_right_to_read_the_file_is_named(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As whoever runs the tests may be one who may read everything, the system's answer is played."""
    make.register()

    def denied(path: Path) -> bytes:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", denied)
        with pytest.raises(ConfigError, match="cannot be used: Permission denied") as refused:
            make.project.state()
    (problem,) = refused.value.problems
    assert (problem.code, problem.file) == ("no-permission", "ledger.jsonl")
    assert "the right to read and write" in problem.fix


def test_a_full_disk_in_the_middle_leaves_the_state_as_it_was(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    make.register()
    make.open(LABELS)
    make.ingest()
    before = make.project.ledger_path.read_bytes()

    def full(*given: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(ledger.os, "fsync", full)
        with pytest.raises(ConfigError, match="No space left"):
            close_round(make.project, "r1")
    assert make.project.ledger_path.read_bytes() == before
    assert not close_round(make.project, "r1").already_done


@pytest.mark.parametrize("error", [duckdb.FatalException, duckdb.IOException])
def test_a_database_that_gave_up_is_left_and_opened_again_by_the_next_command(
    make: Any, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    """DuckDB invalidates a database it could not write: nothing more is asked of that connection."""
    from flows.storage import replay

    make.register()
    make.open(LABELS)
    before = make.project.ledger_path.read_bytes()
    asked: list[object] = []

    def gave_up(*given: object) -> None:
        asked.append(given)
        raise error("FATAL Error: database has been invalidated\nsecond line")

    with monkeypatch.context() as patch:
        patch.setitem(replay._EFFECTS, "submission.ingested", gave_up)
        with pytest.raises(ConfigError, match=r"FATAL Error: database has been invalidated$") as refused:
            make.ingest()
    assert [(p.code, p.file) for p in refused.value.problems] == [("database-not-written", "goldgate.duckdb")]
    assert (len(asked), make.project.ledger_path.read_bytes()) == (1, before)
    assert not make.ingest().already_done


def test_a_disk_that_fills_after_the_ledger_line_loses_nothing_and_records_nothing_twice(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No file may grow once the line is durable, so the database cannot write its transaction down."""
    make.register()
    make.open(LABELS)
    whole, (soft, hard) = ledger.append, resource.getrlimit(resource.RLIMIT_FSIZE)

    def then_full(path: Path, event: ledger.Event) -> None:
        whole(path, event)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))

    monkeypatch.setattr(ledger, "append", then_full)
    try:
        with pytest.raises(ConfigError) as told:
            record_deviation(make.project, "r1", "the lamp went out")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        monkeypatch.undo()
    event = make.events()[-1]
    assert told.value.headline == (
        "recorded as event 4 (deviation.recorded); then goldgate.duckdb could not be written"
    )
    (problem,) = told.value.problems
    assert (problem.code, problem.fix) == ("recorded-not-followed", "Make room on the disk, or mend what it says.")
    assert told.value.next_step == (
        "The database follows with the next command, whichever it is. "
        "The same command again finds done what is recorded, and does what is left."
    )
    assert (event.seq, event.type) == (4, "deviation.recorded")
    assert record_deviation(make.project, "r1", "the lamp went out") == Done(True, event)
    assert make.types()[2:] == ["round.opened", "deviation.recorded"]


def test_what_cannot_be_written_after_the_event_is_named_as_what_is_left(make: Any) -> None:
    make.register()
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(make.project.root / "releases" / "current"))

    def write_more() -> None:
        with make.project.changing() as change:
            change.commit("explored", {"file_name": "x", "looked_at": "0" * 64, "answers": "0" * 64, "rounds": []})
            raise full

    with pytest.raises(ConfigError) as told:
        write_more()
    assert told.value.headline == "recorded as event 3 (explored); then releases/current could not be written"
    assert [problem.message for problem in told.value.problems] == ["No space left on device"]


def test_a_first_command_stopped_by_a_full_disk_is_said_to_have_done_nothing(make: Any) -> None:
    """The project's own first event is no answer to what was asked."""
    with pytest.raises(ConfigError, match="cannot be used: No space left"), make.project.changing():
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert make.types() == ["project.created"]


def test_a_change_is_not_finished_by_a_forked_child(make: Any) -> None:
    make.register()
    with make.project.changing() as change:
        change.pid += 1  # as the child of a fork would see it
        with pytest.raises(RuntimeError, match="finished by the process that began it"):
            change.commit("explored", {"rounds": []})
    assert make.types() == ["project.created", "study.registered"]


HOLD = """
import sys, time
from pathlib import Path
from flows.storage.project import Project
with Project(Path(sys.argv[1])).changing():
    print("held", flush=True)
    time.sleep(60)
"""


def test_who_waits_in_vain_is_told_who_holds_the_project_and_goes_on_when_they_die(new_maker: Any) -> None:
    make = new_maker(wait_s=0.3)
    make.register()
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(make.project.root)], stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    try:
        with pytest.raises(Busy, match=f"process {holder.pid}") as refused:
            make.open(LABELS)
        assert refused.value.exit_code == 7
        with pytest.raises(Busy), make.project.reading():
            pass
        assert make.project.state().head.size == 2  # ledger, reports and releases need no lock and no database
    finally:
        holder.kill()
        holder.wait()
    assert not make.open(LABELS).already_done  # within its 0.3 s of patience: the lock died with its holder
