"""Files inside a ZIP (doccano gives one with a file a member), taken out in memory with limits."""

from __future__ import annotations

import io
import zipfile
from pathlib import PurePosixPath, PureWindowsPath

from flows.formats.sniff import Files
from flows.reading.findings import refuse

LARGEST_INSIDE = 512 << 20  # bytes of all files inside together
LARGEST_RATIO = 200  # unpacked to packed; text rarely passes 50
MOST_FILES = 2_000


def unpacked(files: Files) -> Files:
    """The files, with every ZIP replaced by what is inside. Workbooks are ZIPs too and are left alone.

    InputRefused for names that leave the archive, links, archives inside archives, encryption, damage, and
    archives that unpack to too much. Nothing is written to disk.
    """
    inside: dict[str, bytes] = {}
    for name, data in files.items():
        members = _members(name, data) if is_archive(data) else {name: data}
        for member, content in members.items():
            if member in inside:
                raise refuse("two-paths", f"'{member}' stands twice", file=member)
            inside[member] = content
    return inside


def is_archive(data: bytes) -> bool:
    if not data.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "[Content_Types].xml" not in archive.namelist()
    except zipfile.BadZipFile:
        return False


def _members(name: str, data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir() and not _of_the_system(entry)]
            _check(name, entries)
            inside = {entry.filename: _read(archive, entry, name) for entry in entries}
    # What zipfile raises for damage, a way of packing it does not know, a password, and a file it cannot seek in.
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
        raise refuse("unsafe-archive", f"the archive cannot be read: {error}", file=name) from error
    for member, content in inside.items():
        if is_archive(content):
            raise refuse("unsafe-archive", "an archive inside the archive", file=name, value=member)
    return inside


def _of_the_system(entry: zipfile.ZipInfo) -> bool:
    """What an operating system puts into archives beside somebody's files."""
    path = PurePosixPath(entry.filename)
    return "__MACOSX" in path.parts or path.name.startswith("._") or path.name in (".DS_Store", "Thumbs.db")


def _check(name: str, entries: list[zipfile.ZipInfo]) -> None:
    if len(entries) > MOST_FILES:
        raise refuse("unsafe-archive", f"holds {len(entries)} files, more than {MOST_FILES}", file=name)
    if sum(entry.file_size for entry in entries) > LARGEST_INSIDE:
        raise refuse("unsafe-archive", f"unpacks to more than {LARGEST_INSIDE} bytes", file=name)
    for entry in entries:
        path, drive = PurePosixPath(entry.filename), PureWindowsPath(entry.filename).drive
        if path.is_absolute() or ".." in path.parts or "\\" in entry.filename or drive:
            raise refuse("unsafe-archive", "a name inside leaves the archive", file=name, value=entry.filename)
        if entry.file_size > LARGEST_RATIO * max(entry.compress_size, 1):
            raise refuse("unsafe-archive", "a file inside unpacks to far too much", file=name, value=entry.filename)


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str) -> bytes:
    with archive.open(entry) as handle:
        content = handle.read(entry.file_size + 1)
    if len(content) > entry.file_size:  # the size in the archive's list was a lie
        raise refuse("unsafe-archive", "a file inside is larger than declared", file=name, value=entry.filename)
    return content
