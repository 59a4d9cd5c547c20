"""Objects: bytes by their SHA-256, written once."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path

import pytest

from agreement.errors import IntegrityError
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
