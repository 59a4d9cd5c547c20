"""What a database is made of, before it is believed: the tables, views and triggers of tables.sql, and nothing else.

A view in a table's place answers one question rightly and the next one wrongly; a macro may stand for a function that
is built in. So every question here names the built-in function in full, and the answers are compared in Python.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from agreement.errors import IntegrityError, Problem
from flows.storage import store
from flows.storage.store import Connection, rows
from schemas.names import shown

# Kind of thing -> which columns tell it: where it is, its name, and its definition where it has one.
KINDS = {
    "schema": ("schema_name", "schema_name"),
    "table": ("schema_name", "table_name", "sql"),
    "view": ("schema_name", "view_name", "sql"),
    "trigger": ("schema_name", "trigger_name", "sql"),
    "index": ("schema_name", "index_name"),
    "sequence": ("schema_name", "sequence_name"),
    "type": ("schema_name", "type_name"),
    "function": ("schema_name", "function_name"),
}
PLURALS = {"index": "indexes"}
# Listing functions takes longest, for all that are built in. tables.sql makes none, and `event` is read without any.
WITHOUT_FUNCTIONS = tuple(kind for kind in KINDS if kind != "function")

Things = Counter[tuple[str, ...]]  # kind, schema, name, definition -> how often: schemas may hold one of their own name


def require_own(con: Connection, file: str, kinds: tuple[str, ...] = tuple(KINDS)) -> None:
    """IntegrityError, naming each strange thing, if the database is not what tables.sql makes, or empty."""
    found, expected = _things(con, kinds), _expected()
    if found == expected or found == _empty():
        return
    raise IntegrityError(
        f"{file} is not made as this version of goldgate makes it, so nothing in it is believed",
        [Problem("database-strange", what, "Run `goldgate rebuild`.", file=file) for what in _strange(found, expected)],
        next_step="Run `goldgate rebuild`: it makes the database anew and keeps this one as goldgate.duckdb.old.",
    )


def _strange(found: Things, expected: Things) -> Iterator[str]:
    added, lost = ({thing[:3] for thing in things} for things in (found - expected, expected - found))
    for kind, schema, name in sorted(added | lost):
        what = f"the {kind} {shown(name if schema in ('main', name) else f'{schema}.{name}')}"
        if (kind, schema, name) not in lost:
            yield f"{what} is not one of goldgate's"
        elif (kind, schema, name) not in added:
            yield f"{what} is missing"
        else:
            yield f"{what} is defined otherwise"


@cache
def _expected() -> Things:
    """The things of a database made by tables.sql."""
    with store.memory_store(Path()) as con:
        store.create_tables(con)
        return _things(con, WITHOUT_FUNCTIONS)


@cache
def _empty() -> Things:
    """Those of one without tables yet."""
    with store.memory_store(Path()) as con:
        return _things(con, WITHOUT_FUNCTIONS)


def _things(con: Connection, kinds: tuple[str, ...]) -> Things:
    found: Things = Counter()
    for kind in kinds:
        # Kinds and columns are constants of this module. A file may call a thing of its own internal: not asked.
        question = f"""select {", ".join(KINDS[kind])} from system.main.duckdb_{PLURALS.get(kind, kind + "s")}()
                       where database_name not in ('system', 'temp')"""
        found.update((kind, *thing) for thing in rows(con, question))
    return found
