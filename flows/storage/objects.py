"""Bytes by their SHA-256: what came in and what was understood, write-once."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path

from agreement.errors import ConfigError, IntegrityError, Problem


class Objects:
    """The folder `objects/` of a project. A name is the hex SHA-256 of the content; nothing is ever overwritten."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, digest: str) -> Path:
        return self.folder / digest

    def has(self, digest: str) -> bool:
        return self.path(digest).is_file()

    def read(self, digest: str) -> bytes:
        """The object's bytes. IntegrityError if it is absent or its bytes are not those of its name."""
        try:
            data = self.path(digest).read_bytes()
        except FileNotFoundError as error:
            if self.stub_path(digest).exists():
                raise ConfigError(
                    f"object {digest[:12]} was removed on request",
                    [Problem("redacted", "its bytes were removed on request; a stub with digest and size stays")],
                    next_step="Measure again what rested on it; `goldgate history` shows what was removed and why.",
                ) from error
            raise _missing(digest) from error
        if hashlib.sha256(data).hexdigest() != digest:
            raise _changed(digest)
        return data

    def stub_path(self, digest: str) -> Path:
        """Where the stub of a removed object lies (flows/redaction.py)."""
        return self.folder / f"{digest}.redacted"

    def stub(self, digest: str) -> dict[str, object] | None:
        """What the stub of a removed object says: digest, size, replaced_by. None if there is none."""
        try:
            return dict(json.loads(self.stub_path(digest).read_bytes()))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, IsADirectoryError):  # no stub that goldgate wrote
            return {}

    def standing(self, digest: str) -> Path | None:
        """The file to read for a digest: its own, or that of the object that stands for it since something was removed
        from it. None if all of it was removed. IntegrityError if it is gone without a stub, or is not what it was.
        """
        seen = set()
        while not self.has(digest) and (stub := self.stub(digest)) is not None and digest not in seen:
            seen.add(digest)
            digest = str(stub.get("replaced_by", ""))
        if not digest:
            return None
        if not self.has(digest):
            raise _missing(digest)
        if file_digest(self.path(digest)) != digest:
            raise _changed(digest)
        return self.path(digest)

    def require_standing(self, digest: str) -> None:
        """IntegrityError unless the object, or what stands for it since a removal, is there as it was."""
        self.standing(digest)

    def put(self, data: bytes) -> str:
        """Store these bytes; the digest. Storing the same bytes again changes nothing."""
        digest = hashlib.sha256(data).hexdigest()
        if not self.has(digest):
            temporary = self.incoming()
            temporary.write_bytes(data)
            self.adopt(temporary, digest)
        return digest

    def incoming(self) -> Path:
        """A new empty file in the same folder, to be written and then adopted."""
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".incoming-", dir=self.folder)
        os.close(handle)
        return Path(name)

    def adopt(self, temporary: Path, digest: str) -> Path:
        """Give a finished file its name, durably. If the object exists already, the file is dropped."""
        target = self.path(digest)
        if target.is_file():
            temporary.unlink()
            return target
        with temporary.open("rb") as handle:
            os.fsync(handle.fileno())
        temporary.chmod(0o444)
        temporary.rename(target)
        sync_folder(self.folder)
        return target

    def sweep(self) -> None:
        """Remove what a killed command left half-written. Only under the project lock."""
        # DuckDB writes a copy under `tmp_` and that name first.
        for left in self.folder.glob("*.incoming-*"):
            left.unlink()


def _changed(digest: str) -> IntegrityError:
    return IntegrityError(
        f"object {digest[:12]} is not what it was: its bytes have another SHA-256",
        next_step="Restore it from a backup, then run `goldgate verify`.",
        code="object-changed",
    )


def _missing(digest: str) -> IntegrityError:
    return IntegrityError(
        f"object {digest[:12]} is missing from objects/",
        next_step="Restore it from a backup: the ledger names it, so it once was there.",
        code="object-missing",
    )


def file_digest(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
