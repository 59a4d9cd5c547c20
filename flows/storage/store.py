"""The DuckDB file: how it is opened and locked down. The only module that imports duckdb.

The database is a cache: everything in it is replayed from objects and ledger. One process writes at a time, under the
project lock; connections are opened late and closed early.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb

from agreement.errors import Busy, ConfigError, IntegrityError, Problem
from flows.storage.notes import QUIET_S, note

Connection = duckdb.DuckDBPyConnection
StoreError = duckdb.Error


class NotCommittedError(Exception):
    """The database could not write a transaction down. The connection is not used again."""


# What a full or failing disk makes of a connection.
StorageError = (duckdb.IOException, duckdb.FatalException, NotCommittedError)
# What a file makes of a query that is no Parquet file, or lacks a column, or holds another type.
QueryError = (
    duckdb.BinderException,
    duckdb.InvalidInputException,
    duckdb.ConversionException,
    duckdb.ConstraintException,
)
TABLES = Path(__file__).parents[2] / "schemas" / "tables.sql"

# Set when connecting; what only works afterwards is in `_lock_down`.
SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
    "memory_limit": "4GB",
}


@contextmanager
def open_store(path: Path, objects: Path, *, write: bool = False, wait_s: float = 30.0) -> Iterator[Connection]:
    """A connection to the project's database; reads files from `objects` only.

    Waits up to `wait_s` seconds for another process, then raises Busy with what holds it. A file that is not a
    database of this version raises IntegrityError: `rebuild` makes it anew, nothing is deleted.
    """
    with _within_memory(), _owned(_connect(path, write=write, wait_s=wait_s)) as con:
        _lock_down(con, objects)
        yield con


@contextmanager
def memory_store(objects: Path) -> Iterator[Connection]:
    """A database in memory that may read files from one folder: for looking at files without a project."""
    with _within_memory(), _owned(duckdb.connect(":memory:", config=SETTINGS)) as con:
        _lock_down(con, objects)
        yield con


_owners: dict[int, int] = {}  # which process opened a connection, by the connection's identity


@contextmanager
def _owned(con: Connection) -> Iterator[Connection]:
    """Closed by the process that opened it: a forked child must never close, and so flush, its parent's connection."""
    _owners[id(con)] = owner = os.getpid()
    try:
        yield con
    finally:
        if os.getpid() == owner:
            con.close()
            del _owners[id(con)]


def _require_own(con: Connection) -> None:
    if _owners.get(id(con), os.getpid()) != os.getpid():  # a bug of ours: what is written through a fork is lost
        raise RuntimeError("a connection is used by the process that opened it")


@contextmanager
def _within_memory() -> Iterator[None]:
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        fix = f"Bring labels in as smaller files or rounds: {SETTINGS['memory_limit']} are used at most."
        raise ConfigError(
            "this needs more memory than may be used",
            [Problem("out-of-memory", first_line(error), fix)],
            next_step="What was acknowledged before is safe.",
        ) from error


def rows(con: Connection, sql: str, params: Sequence[Any] | dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
    """All rows of a query. Always drained: an open result blocks the connection's next relation."""
    _require_own(con)
    return con.execute(sql, params).fetchall()


@contextmanager
def tx(con: Connection) -> Iterator[Connection]:
    """One transaction: committed whole, or rolled back."""
    _require_own(con)
    con.execute("begin")
    try:
        yield con
    except BaseException:
        with suppress(duckdb.Error):  # after a fatal error there is nothing to roll back
            con.execute("rollback")
        raise
    try:
        con.execute("commit")
    except duckdb.TransactionException as error:
        raise NotCommittedError(first_line(error)) from error


def new_store(path: Path, objects: Path) -> None:
    """Make the database with its empty tables under another name, then give it its own: it is there whole or not.

    A log without its database (somebody moved one of the two) is set aside, never deleted and never replayed.
    """
    log = path.with_name(f"{path.name}.wal")
    if log.exists():
        log.replace(log.with_name(f"{log.name}.old"))
    making = path.with_name(f".new-{path.name}")
    for left in path.parent.glob(f"{making.name}*"):
        left.unlink()
    with open_store(making, objects, write=True) as con:
        create_tables(con)
        con.execute("checkpoint")  # closing would do it too, and would not say if it failed
    making.replace(path)


def create_tables(con: Connection) -> None:
    """All tables or none: a command may be stopped here too."""
    with tx(con):
        con.execute(TABLES.read_text(encoding="utf-8"))


def _connect(path: Path, *, write: bool, wait_s: float) -> Connection:
    began, pause, told = time.monotonic(), 0.05, False
    while True:
        try:
            return duckdb.connect(str(path), read_only=not write, config=SETTINGS)
        except duckdb.IOException as error:
            if "lock" not in str(error).lower():
                raise _damaged(path, error) from error
            waited, held = time.monotonic() - began, f"{path.name} is held by another process"
            if waited > wait_s:
                raise Busy(
                    held,
                    next_step=f"Wait for it to end, then run the command again. DuckDB says: {first_line(error)}",
                    code="database-busy",
                ) from error
            if waited > QUIET_S and not told:
                note(f"{held}; waiting up to {wait_s:g} s for it. DuckDB says: {first_line(error)}")
                told = True
            time.sleep(pause)
            pause = min(2 * pause, 0.5)
        except duckdb.OutOfMemoryException:
            raise
        except duckdb.Error as error:
            raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> IntegrityError:
    return IntegrityError(
        f"{path.name} cannot be opened: {first_line(error)}",
        next_step="Keep the file for inspection and run `goldgate rebuild`: objects and ledger hold everything.",
        code="database-broken",
    )


def first_line(error: Exception) -> str:
    """DuckDB's reason without the folder names in it."""
    text = str(error).splitlines()[0]
    return " ".join(Path(word.strip('"')).name if "/" in word else word for word in text.split())


def _lock_down(con: Connection, objects: Path) -> None:
    con.execute("set timezone='UTC'")
    # This order is the only one DuckDB accepts, and none of it may be passed to connect().
    con.execute(f"set allowed_directories=[{_quoted(str(objects) + '/')}]")
    con.execute("set enable_external_access=false")
    con.execute("set lock_configuration=true")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
