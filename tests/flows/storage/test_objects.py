"""Objects: bytes by their SHA-256, written once."""

from __future__ import annotations

import hashlib
import json
import stat
from pathlib import Path

import pytest

from agreement.errors import ConfigError, IntegrityError
from flows.storage.objects import Objects


def test_the_same_bytes_are_stored_once_and_cannot_be_written(tmp_path: Path) -> None:
    objects = Objects(tmp_path / "objects")
    digest = objects.put(b"labels")
    assert digest == hashlib.sha256(b"labels").hexdigest()
    first = objects.path(digest).stat()
    assert objects.put(b"labels") == digest
    assert objects.path(digest).stat().st_mtime_ns == first.st_mtime_ns
    assert stat.S_IMODE(first.st_mode) == 0o444
    assert objects.read(digest) == b"labels"
    assert [path.name for path in objects.folder.iterdir()] == [digest]


def test_a_missing_object_and_a_changed_one_are_told_apart(tmp_path: Path) -> None:
    objects = Objects(tmp_path / "objects")
    digest = objects.put(b"labels")
    objects.path(digest).chmod(0o644)
    objects.path(digest).write_bytes(b"labelz")
    with pytest.raises(IntegrityError, match="another SHA-256"):
        objects.read(digest)
    objects.path(digest).unlink()
    with pytest.raises(IntegrityError, match="is missing"):
        objects.read(digest)


def test_what_a_killed_command_left_half_written_is_swept_and_nothing_else(tmp_path: Path) -> None:
    objects = Objects(tmp_path / "objects")
    digest = objects.put(b"labels")
    objects.incoming().write_bytes(b"half")
    objects.sweep()
    assert [path.name for path in objects.folder.iterdir()] == [digest]


def removed(objects: Objects, digest: str, replaced_by: str = "") -> None:
    """As a removal leaves it: a stub, and perhaps an object that stands for it."""
    stub = {"digest": digest, "size": 1, "replaced_by": replaced_by}
    objects.stub_path(digest).write_text(json.dumps(stub))
    objects.path(digest).unlink()


def test_an_object_removed_on_request_says_so(tmp_path: Path) -> None:
    objects = Objects(tmp_path / "objects")
    digest = objects.put(b"labels")
    assert objects.stub(digest) is None
    removed(objects, digest)
    assert objects.stub(digest) == {"digest": digest, "size": 1, "replaced_by": ""}
    with pytest.raises(ConfigError, match="was removed on request") as refused:
        objects.read(digest)
    assert [problem.code for problem in refused.value.problems] == ["redacted"]
    assert objects.standing(digest) is None


def test_what_stands_for_a_removed_object_is_read_instead_however_often_it_was_replaced(tmp_path: Path) -> None:
    objects = Objects(tmp_path / "objects")
    first, second, third = (objects.put(data) for data in (b"1", b"2", b"3"))
    assert objects.standing(first) == objects.path(first)
    removed(objects, first, second)
    removed(objects, second, third)
    assert objects.standing(first) == objects.path(third)
    objects.path(third).unlink()
    with pytest.raises(IntegrityError, match="is missing"):
        objects.standing(first)


def test_stubs_that_point_at_each_other_end(tmp_path: Path) -> None:
    objects = Objects(tmp_path / "objects")
    first, second = objects.put(b"1"), objects.put(b"2")
    removed(objects, first, second)
    removed(objects, second, first)
    with pytest.raises(IntegrityError, match="is missing"):
        objects.standing(first)


def test_what_stands_is_read_by_its_digest(tmp_path: Path) -> None:
    objects = Objects(tmp_path / "objects")
    digest = objects.put(b"labels")
    objects.require_standing(digest)
    objects.path(digest).chmod(0o644)
    objects.path(digest).write_bytes(b"labelz")
    with pytest.raises(IntegrityError, match="another SHA-256"):
        objects.require_standing(digest)


def test_a_stub_that_is_no_json_says_nothing(tmp_path: Path) -> None:
    objects = Objects(tmp_path / "objects")
    digest = objects.put(b"labels")
    objects.stub_path(digest).write_text("{")
    assert objects.stub(digest) == {}


def test_a_finished_file_that_is_there_already_is_dropped(tmp_path: Path) -> None:
    objects = Objects(tmp_path / "objects")
    digest = objects.put(b"labels")
    first = objects.path(digest).stat().st_ino
    again = objects.incoming()
    again.write_bytes(b"labels")
    assert objects.adopt(again, digest) == objects.path(digest)
    assert objects.path(digest).stat().st_ino == first
    assert [path.name for path in objects.folder.iterdir()] == [digest]
