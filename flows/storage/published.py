"""Folders that appear whole or not at all: written aside, made durable, renamed, never overwritten."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from agreement.errors import IntegrityError
from flows.storage.objects import file_digest, sync_folder

CURRENT = "current"  # name of the file that names the release in force


def inside(root: Path, name: str) -> Path:
    """The path of this name below a project's folder. IntegrityError if a link or a name leads elsewhere."""
    path = root / name
    if not path.resolve().is_relative_to(root.resolve()):
        raise IntegrityError(
            f"{name} leads out of the project's folder",
            next_step="Put the folder itself where the link is. Nothing was removed or written there.",
            code="leads-outside",
        )
    return path


def stage(parent: Path, files: Mapping[str, bytes]) -> Path:
    """Write these files into a new hidden folder beside where they will be published. Keys are relative paths."""
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=".staging-", dir=parent))
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def publish(staged: Path, target: Path) -> None:
    """Give a staged folder its name, durably and read-only. FileExistsError if the name is taken.

    The caller holds the project lock, so nobody takes the name between the look and the rename (which alone would
    silently replace an empty folder).
    """
    if target.exists():
        raise FileExistsError(target.name)
    for path in sorted(staged.rglob("*"), reverse=True):
        if path.is_file():
            with path.open("rb") as handle:
                os.fsync(handle.fileno())
            path.chmod(0o444)
        else:
            sync_folder(path)
    sync_folder(staged)
    staged.chmod(0o755)
    staged.rename(target)
    sync_folder(target.parent)


def sweep(parent: Path) -> None:
    """Remove what a killed command staged and never published. Only under the project lock."""
    for left in parent.glob(".staging-*"):
        shutil.rmtree(left)


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file below a folder, by relative path."""
    return {
        path.relative_to(folder).as_posix(): file_digest(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() or path.is_symlink()
    }


def canonical_json(value: Any) -> bytes:
    """One spelling: sorted keys, no spaces, UTF-8, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def digest_of(data: bytes) -> str:
    return sha256(data).hexdigest()


def point_to(pointer: Path, name: str) -> None:
    """Replace a pointer file atomically. A cache: the ledger says which release is current."""
    write_whole(pointer, f"{name}\n".encode())


def write_whole(path: Path, data: bytes) -> None:
    """Replace a small file so that it is there whole or not at all."""
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)  # what a stopped command left, or a link
    with temporary.open("xb") as handle:
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())
    temporary.replace(path)
    sync_folder(path.parent)
