"""One DuckDB instance for many openings: making one costs more than a step of the model does.

A connection is then a cursor of the instance. `close` ends it as the end of a process would; the next opening is a
real one. Only the project's own file is held: whatever is made beside it is opened as ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from flows.storage import store


class OneInstance:
    def __init__(self) -> None:
        self.opened = ExitStack()
        self.path: Path | None = None
        self.honest = store.open_store

    def close(self) -> None:
        self.opened.close()
        self.path = None

    @contextmanager
    def open_store(
        self, path: Path, objects: Path, *, write: bool = False, wait_s: float = 30.0
    ) -> Iterator[store.Connection]:
        if path.name != "goldgate.duckdb":
            self.close()  # a new database is being made, and will get the name of this one
            with self.honest(path, objects, write=write, wait_s=wait_s) as con:
                yield con
            return
        if self.path != path:
            self.close()
            self.con = self.opened.enter_context(self.honest(path, objects, write=True, wait_s=wait_s))
            self.path = path
        cursor = self.con.cursor()
        try:
            yield cursor
        finally:
            cursor.close()
