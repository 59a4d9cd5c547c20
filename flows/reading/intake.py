"""Bringing a file's bytes in: copied once into objects/, hashed and counted on the way.

Whatever is read later is that copy, so nothing can change between the hash and the reading.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from agreement.errors import InputRefused, Problem
from flows.storage.objects import Objects
from schemas.names import shown
from schemas.reasons import problem

CHUNK = 8 << 20
_PAGE = (b"<!doctype html", b"<html")  # what web pages begin with, in any case
# What compressed and archived files begin with. A workbook is a zip too and is let through here.
_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"\x1f\x9d": "compress",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
    b"Rar!": "RAR",
}
_BOM = codecs.BOM_UTF8


@dataclass(frozen=True)
class Census:
    """What a file's bytes are, counted while they were copied.

    controls: bytes below 32 other than tab, line feed and carriage return.
    bad_utf8: position of the first byte that is not UTF-8; None if all are (or the file is not text).
    """

    size: int = 0
    line_feeds: int = 0
    carriage_returns: int = 0
    quotes: int = 0
    commas: int = 0
    tabs: int = 0
    semicolons: int = 0
    controls: int = 0
    last_byte: bytes = b""
    bad_utf8: int | None = None


@dataclass(frozen=True)
class Intake:
    """One file as received.

    path: its copy in objects/. name: the file's own name, as it may be shown. digest: hex SHA-256 of the bytes.
    head: its first bytes, enough to tell what it is.
    """

    path: Path
    name: str
    digest: str
    census: Census
    head: bytes = field(repr=False)


def take_in(source: Path, objects: Objects) -> Intake:
    """Copy a file into objects/.

    InputRefused (naming the file, nothing stored) if it is not there, not a regular file (links are not followed) or
    changed while it was read.
    """
    name = shown(source.name)
    handle = _open(source, name)
    try:
        before = os.fstat(handle)
        if not stat.S_ISREG(before.st_mode):
            raise _refused(name, problem("not-a-regular-file", "is not a regular file", file=name))
        temporary = objects.incoming()
        try:
            digest, census, head = _copy(handle, temporary)
            _check_unchanged(source, name, handle, before, census.size)
        except BaseException:
            temporary.unlink()
            raise
        return Intake(objects.adopt(temporary, digest), name, digest, census, head)
    finally:
        os.close(handle)


def _open(source: Path, name: str) -> int:
    try:
        # Not blocking: opening a FIFO nobody writes to would otherwise wait for ever.
        return os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError as error:
        raise _refused(name, problem("no-such-file", "there is no such file", file=name)) from error
    except OSError as error:
        if source.is_symlink():
            raise _refused(name, problem("not-a-regular-file", "is a link", file=name)) from error
        why = f"cannot be opened: {error.strerror}"
        raise _refused(name, problem("cannot-be-opened", why, file=name)) from error


def _copy(handle: int, target: Path) -> tuple[str, Census, bytes]:
    digest, counter, head = hashlib.sha256(), _Counter(), b""
    with target.open("wb") as out:
        while chunk := os.read(handle, CHUNK):
            out.write(chunk)
            digest.update(chunk)
            counter.add(chunk)
            if len(head) < 65536:
                head += chunk[:65536]
    return digest.hexdigest(), counter.census(), head


class _Counter:
    """Counts bytes chunk by chunk."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys((10, 13, 34, 44, 9, 59), 0)
        self.size, self.below_32, self.last = 0, 0, b""
        self.decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self.bad_utf8: int | None = None

    def add(self, chunk: bytes) -> None:
        values = np.frombuffer(chunk, dtype=np.uint8)
        for byte in self.counts:
            self.counts[byte] += int(np.count_nonzero(values == byte))
        self.below_32 += int(np.count_nonzero(values < 32))
        self._decode(chunk, final=False)
        self.size += len(chunk)
        self.last = chunk[-1:]

    def _decode(self, chunk: bytes, *, final: bool) -> None:
        if self.bad_utf8 is not None:
            return
        pending = len(self.decoder.getstate()[0])
        if pending or final or not chunk.isascii():
            try:
                self.decoder.decode(chunk, final)
            except UnicodeDecodeError as error:
                self.bad_utf8 = self.size - pending + error.start

    def census(self) -> Census:
        self._decode(b"", final=True)
        c = self.counts
        controls = self.below_32 - c[10] - c[13] - c[9]
        return Census(
            self.size, c[10], c[13], c[34], c[44], c[9], c[59], controls, self.last, self.bad_utf8
        )  # fmt: skip


def _check_unchanged(source: Path, name: str, handle: int, before: os.stat_result, size: int) -> None:
    def identity(status: os.stat_result) -> tuple[int, ...]:
        return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns

    try:
        named_now = source.lstat()
    except FileNotFoundError:
        named_now = None
    same = identity(before) == identity(os.fstat(handle)) and size == before.st_size
    if not same or named_now is None or identity(named_now) != identity(before):
        raise _refused(name, problem("changed-during-read", "changed while it was being read", file=name))


def require_plain(intake: Intake) -> None:
    """InputRefused for a file that is no table of any kind: compressed, or a web page."""
    name, head = intake.name, intake.head
    kind = next((kind for magic, kind in _COMPRESSED.items() if head.startswith(magic)), None)
    if kind is not None:
        raise _refused(name, problem("compressed", f"is a compressed file ({kind})", file=name))
    if head.removeprefix(_BOM).lstrip()[:14].lower().startswith(_PAGE):
        raise _refused(name, problem("web-page", "is a web page", file=name))


def _refused(name: str, what: Problem) -> InputRefused:
    return InputRefused(f"{name}: {what.message}; nothing stored", [what], what.fix, {what.code: 1})
