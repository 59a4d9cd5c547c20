"""The database made anew from objects and ledger, by the same code that made it the first time."""

from __future__ import annotations

from agreement.errors import IntegrityError
from flows.storage import replay, store
from flows.storage.digests import table_digests
from flows.storage.disk import disk_errors
from flows.storage.follows import followed
from flows.storage.ledger import Event
from flows.storage.project import Project


def rebuild(project: Project) -> dict[str, str]:
    """Make goldgate.duckdb anew; the old file is kept beside it as goldgate.duckdb.old. The new table digests.

    IntegrityError, and nothing is moved, where there is no ledger or an object is missing.
    """
    if not project.read_ledger():
        raise IntegrityError(
            "there is no ledger.jsonl here to rebuild the database from",
            next_step="Give the project's folder with --root, or restore its ledger from a backup.",
            code="no-project",
        )
    with disk_errors(project.root), project.locked():
        events = project.read_ledger()
        followed(events)
        replayed_digests(project, events)  # before anything is moved: it can be done
        _set_aside(project)
        store.new_store(project.database_path, project.objects.folder)
        with store.open_store(project.database_path, project.objects.folder, write=True) as con:
            _replay(project, con, events)
            return table_digests(con)


def replayed_digests(project: Project, events: list[Event]) -> dict[str, str]:
    """Table digests of a replay in memory: what the database should hold. Changes nothing."""
    with store.memory_store(project.objects.folder) as con:
        store.create_tables(con)
        _replay(project, con, events)
        return table_digests(con)


def _replay(project: Project, con: store.Connection, events: list[Event]) -> None:
    with store.tx(con):
        for event in events:
            replay.apply(con, event, project.objects)


def _set_aside(project: Project) -> None:
    for path in (project.database_path, project.database_path.with_name(project.database_path.name + ".wal")):
        if path.exists():
            path.replace(path.with_name(path.name + ".old"))
