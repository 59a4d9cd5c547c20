"""The database and its log damaged, or restored from an old copy: noticed, or harmless, and rebuilt as it was.

    python database_damaged.py [--every N] [--control]

Every block of the database is lost once; it is cut, emptied, replaced, restored from a copy of each earlier step, and
its rows are changed behind our back. The log, as a killed command leaves it, is cut after every n-th byte, every n-th
byte of it is changed, it is lost, or is another's. After each damage either the next look gives exactly the tables
there should be, or somebody says so: the look, or `verify`. Then `rebuild` gives equal digests. `--control` plants a
`verify` that does not look at the database, which must be caught.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from in_child import in_child
from late_imports import import_late
from small_study import in_memory, project_in, released, without_pages

from agreement.errors import GoldgateError
from flows.audit import verify as audit
from flows.audit.rebuild import rebuild
from flows.storage import store
from flows.storage.digests import table_digests
from flows.storage.project import Project
from flows.told import record_deviation

BLOCK = 4096
LOG_STEP = 8  # of the bytes of a log, each such one is changed and cut at
Damage = Callable[[Project], None]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1, help="only every n-th damage")
    parser.add_argument("--control", action="store_true", help="plant a bug")
    options = parser.parse_args(arguments)
    without_pages()
    import_late()
    if options.control:
        audit._tables = lambda *given: []  # the planted bug
    outcomes = {"as it was at once": 0, "said so": 0}
    failures = []
    with tempfile.TemporaryDirectory(prefix="goldgate-database-", dir=in_memory()) as scratch:
        copies = _copies(Path(scratch))
        project = project_in(Path(scratch) / "project")
        good = in_child(partial(_tables, project))["value"]
        for n, (what, damage) in enumerate(_damages(project, copies)):
            if n % options.every:
                continue
            _restore(project, copies)
            damage(project)
            outcome = in_child(partial(_outcome, project, good))
            if outcome.get("value") in outcomes:
                outcomes[outcome["value"]] += 1
            else:
                failures.append(f"{what}: {outcome}")
    print(json.dumps({"damages": sum(outcomes.values()) + len(failures), **outcomes, "unnoticed": len(failures)}))
    print(*failures[:10], sep="\n")
    return 1 if failures else 0


def _copies(scratch: Path) -> Path:
    """Of a project released: its database after every step, and the last one with the log a killed command left."""
    played = in_child(partial(_play, scratch))
    assert "value" in played, played
    project = project_in(scratch / "project")

    def die() -> None:
        record_deviation(project, "r1", "told twice")
        with project.changing() as change:
            change.commit("deviation.recorded", {"study_id": "promises", "round_id": "r1", "text": "the last"})
            os._exit(0)  # as a kill would: the database is not closed, and its log stays

    in_child(die)
    for path in (project.database_path, _log(project)):
        shutil.copy(path, scratch / "old" / path.name)
    return scratch / "old"


def _play(scratch: Path) -> None:
    released(scratch)


def _log(project: Project) -> Path:
    return project.database_path.with_name(f"{project.database_path.name}.wal")


def _restore(project: Project, copies: Path) -> None:
    for path in (project.database_path, _log(project)):
        path.unlink(missing_ok=True)
        shutil.copy(copies / path.name, path)


def _damages(project: Project, copies: Path) -> Iterator[tuple[str, Damage]]:
    data, log = ((copies / path.name).read_bytes() for path in (project.database_path, _log(project)))
    for table in ("raw_label", "assignment", "frame_item", "adjudication"):
        yield f"rows of {table} doubled", partial(_change_rows, f"insert into {table} select * from {table} limit 1")
    yield "rows: events unknown", partial(_change_rows, "delete from event where seq > 3")
    for old in sorted(copies.glob("*.old")):
        yield f"the database after {old.stem}", partial(_put, old.read_bytes(), log=b"")
        yield f"the database after {old.stem}, a later log", partial(_put, old.read_bytes(), log=log)
    for size in (0, 1, BLOCK, len(data) // 2, len(data) - 1):
        yield f"cut to {size} bytes", partial(_put, data[:size], log=log)
    yield "another file", partial(_put, b"not a database" * 999, log=log)
    for at in range(0, len(data), BLOCK):  # a free block holds nothing: its loss is none
        yield f"block at {at} lost", partial(_put, data[:at] + bytes(BLOCK) + data[at + BLOCK :], log=log)
    yield "the log lost", partial(_put, data, log=b"")
    yield "another's log", partial(_put, data, log=bytes(100))
    for at in range(0, len(log), LOG_STEP):
        yield f"log cut after {at}", partial(_put, data, log=log[:at])
        bent = log[:at] + bytes([log[at] ^ 0x20]) + log[at + 1 :]
        yield f"byte {at} of the log changed", partial(_put, data, log=bent)


def _put(data: bytes, project: Project, *, log: bytes) -> None:
    project.database_path.write_bytes(data)
    _log(project).unlink()
    if log:
        _log(project).write_bytes(log)


def _change_rows(sql: str, project: Project) -> None:
    def change() -> None:
        with store.open_store(project.database_path, project.objects.folder, write=True) as con:
            con.execute(sql)

    changed = in_child(change)
    assert "value" in changed, changed


def _tables(project: Project) -> dict[str, str]:
    with project.reading() as con:
        return table_digests(con)


def _outcome(project: Project, good: dict[str, str]) -> str:
    try:
        found = _tables(project)
    except (GoldgateError, store.StoreError):
        found = {}
    if found == good:
        return "as it was at once"
    if audit.verify(project).status != "FAIL":
        return "nobody said so"
    return "said so" if rebuild(project) == good == _tables(project) else "rebuilt to something else"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
