"""When the disk says no: one message with the place and what to do, instead of a traceback."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agreement.errors import ConfigError, GoldgateError, IntegrityError, Problem
from flows.storage import store
from flows.storage.ledger import BEGINNING, Event

_CODES = {
    errno.ENOSPC: ("disk-full", "Make room on the disk, then run the command again."),
    errno.EDQUOT: ("disk-full", "Make room within the quota, then run the command again."),
    errno.EROFS: ("read-only-folder", "Give a folder that can be written, with --root."),
    errno.EACCES: ("no-permission", "Ask for the right to read and write in this folder, or give another with --root."),
    errno.EPERM: ("no-permission", "Ask for the right to read and write in this folder, or give another with --root."),
    errno.ENOENT: ("file-gone", "Bring it back from a copy; `goldgate verify` says what else is gone."),
    errno.ENOLCK: ("no-locks", "Use a local disk: a network file system without locks cannot hold a project."),
    errno.ENOSYS: ("no-locks", "Use a local disk: a file system without locks cannot hold a project."),
    errno.ENOTSUP: ("no-locks", "Use a local disk: a network file system without locks cannot hold a project."),
}
_OUT_OF_PLACE = (errno.EISDIR, errno.ENOTDIR, errno.EEXIST)  # a folder stands for a file, or the reverse
_OTHER = ("disk-error", "Check the disk, then run the command again.")


@contextmanager
def disk_errors(root: Path) -> Iterator[None]:
    """Turn what the system or DuckDB says about files of a project into a ConfigError that names them.

    What was acknowledged before stays; the next command repairs what this one left half-done.
    """
    try:
        yield
    except OSError as error:
        raise as_refusal(root, error) from error
    except store.StorageError as error:
        raise _refusal(root, "database-not-written", _OTHER[1], store.first_line(error), "goldgate.duckdb") from error


def as_refusal(root: Path, error: OSError) -> GoldgateError:
    """What the system says of a file, as a person's message: a file of the project, or another that was named."""
    path = Path(str(error.filename2 or error.filename or root))
    why = error.strerror or str(error)
    if not path.is_relative_to(root) and not root.is_relative_to(path):
        fix = "Name a file or folder that can be read and written."
        return ConfigError(f"{path} cannot be used: {why}", next_step=fix, code="path-unusable")
    if error.errno in _OUT_OF_PLACE:
        return _out_of_place(root, next(p for p in (path, *path.parents) if os.path.lexists(p)))
    return _refusal(root, *_CODES.get(error.errno or 0, _OTHER), why, _place(root, path))


def _out_of_place(root: Path, path: Path) -> GoldgateError:
    if root.is_relative_to(path):
        return _refusal(root, "not-a-folder", "Give a folder with --root.", "Not a directory", ".")
    is_folder, place = path.is_dir(), _place(root, path)
    stands, wanted = ("folder", "file") if is_folder else ("file", "folder")
    return IntegrityError(
        f"{place}: a {stands} stands where the project has a {wanted}",
        next_step=f"Move the {stands} away and bring the {wanted} back from a copy, then run `goldgate verify`.",
        code="out-of-place",
    )


@contextmanager
def recorded_before(root: Path, recorded: list[Event]) -> Iterator[None]:
    """The same once a ledger line is durable: who is told "refused, run it again" then would record it twice.

    recorded: the events of this change so far; the list grows while the change goes on.
    """
    try:
        yield
    except (OSError, *store.StorageError) as error:
        done = [event for event in recorded if event.type != BEGINNING]
        if not done:
            raise
        place = "goldgate.duckdb" if isinstance(error, store.StorageError) else _place(root, error.filename)
        why = store.first_line(error) if isinstance(error, store.StorageError) else error.strerror or str(error)
        events = ", ".join(f"event {event.seq} ({event.type})" for event in done)
        raise ConfigError(
            f"recorded as {events}; then {'a file' if place == '.' else place} could not be written",
            [Problem("recorded-not-followed", why, "Make room on the disk, or mend what it says.", file=place)],
            next_step="The database follows with the next command, whichever it is. "
            "The same command again finds done what is recorded, and does what is left.",
        ) from error


def _refusal(root: Path, code: str, fix: str, why: str, place: str) -> ConfigError:
    headline = f"{root}: the project's folder cannot be used: {why}"
    return ConfigError(headline, [Problem(code, why, fix, file=place)], f"{fix} What was acknowledged before is safe.")


def _place(root: Path, filename: object) -> str:
    """The file, relative to the project."""
    path = Path(str(filename)) if filename is not None else root
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
