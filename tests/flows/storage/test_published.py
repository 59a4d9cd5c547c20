"""What is published is there whole, under a name nobody had, and is not written to any more."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from flows.storage.published import point_to, publish, stage, sweep


@pytest.mark.parametrize("taken", ["empty", "filled", "a file"])
def test_a_name_that_is_taken_is_never_replaced(tmp_path: Path, taken: str) -> None:
    """A plain rename would replace an empty folder without a word."""
    target = tmp_path / "1.0"
    if taken == "a file":
        target.write_text("x")
    else:
        target.mkdir()
        if taken == "filled":
            (target / "labels.csv").write_text("x")
    staged = stage(tmp_path, {"labels.csv": b"y"})
    with pytest.raises(FileExistsError, match=r"1\.0"):
        publish(staged, target)
    assert (staged / "labels.csv").read_bytes() == b"y"
    assert [path.name for path in target.glob("*")] == (["labels.csv"] if taken == "filled" else [])


def test_nothing_has_the_name_before_all_of_it_is_there_and_files_are_read_only(tmp_path: Path) -> None:
    staged = stage(tmp_path, {"labels.csv": b"y", "report/r1/report.json": b"{}"})
    assert staged.name.startswith(".staging-")
    assert [path.name for path in tmp_path.iterdir()] == [staged.name]
    publish(staged, tmp_path / "1.0")
    assert [path.name for path in tmp_path.iterdir()] == ["1.0"]
    files = [path for path in (tmp_path / "1.0").rglob("*") if path.is_file()]
    assert [stat.S_IMODE(path.stat().st_mode) for path in files] == [0o444, 0o444]


def test_only_what_was_staged_is_swept_away(tmp_path: Path) -> None:
    publish(stage(tmp_path, {"a": b""}), tmp_path / "1.0")
    stage(tmp_path, {"b": b""})
    sweep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["1.0"]


def test_a_pointer_is_the_old_one_or_the_new_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pointer = tmp_path / "current"
    point_to(pointer, "1.0-aaaaaaaaaaaa")

    def full(*given: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            point_to(pointer, "2.0-bbbbbbbbbbbb")
    assert pointer.read_text() == "1.0-aaaaaaaaaaaa\n"
    point_to(pointer, "2.0-bbbbbbbbbbbb")
    assert pointer.read_text() == "2.0-bbbbbbbbbbbb\n"
