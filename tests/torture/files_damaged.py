"""Every byte of every file of a release changed, files added, lost and renamed; database and log damaged or old.

    python files_damaged.py [--every N] [--control]

All of it is noticed and named: the release by the verifier it carries, the database by opening or `verify`, which then
is rebuilt to equal digests. `--control` plants a verifier that looks at sizes only, which must be caught.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from small_study import STEPS, project_in, snapshot, write_inputs

from agreement.errors import GoldgateError
from flows.audit.rebuild import rebuild
from flows.audit.verify import verify
from flows.releases import release_check
from flows.storage.project import Project


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1, help="only every n-th byte")
    parser.add_argument("--control", action="store_true", help="plant a bug")
    options = parser.parse_args(arguments)
    if options.control:
        release_check.hashlib = _SizesOnly()  # type: ignore[assignment]  # the planted bug
    with tempfile.TemporaryDirectory(prefix="goldgate-damage-") as scratch:
        project = _released(Path(scratch))
        missed = list(_release_damages(project, options.every))
        n_database, unnoticed = (0, [])
        if not options.control:
            n_database, unnoticed = _database_damages(project, Path(scratch), options.every)
    print(json.dumps({"release damages": missed[0], "unnamed": len(missed) - 1, "database damages": n_database}))
    print(*missed[1:10], *unnoticed[:10], sep="\n")
    return 1 if missed[1:] or unnoticed else 0


def _released(scratch: Path) -> Project:
    write_inputs(scratch / "inputs")
    project = project_in(scratch / "project")
    for verb, step in STEPS.items():
        step(project, scratch / "inputs")
        if verb == "adjudicate":
            shutil.copy(project.database_path, scratch / "old.duckdb")
        if verb == "release":
            break
    return project


def _release_damages(project: Project, every: int) -> Iterator[object]:
    """How many were tried, then what was not named."""
    event = project.events()[-1]
    folder, release_id = project.root / event.payload["folder"], event.payload["release_id"]
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    for path in files:
        path.chmod(path.stat().st_mode | stat.S_IWUSR)
    tried, unnamed = 0, []
    for path in files:
        data = path.read_bytes()
        for at in range(0, len(data), every):
            tried += 1
            path.write_bytes(data[:at] + bytes([data[at] ^ 0x20]) + data[at + 1 :])
            if not _named(folder, release_id, path):
                unnamed.append(f"{path.name}, byte {at}")
        path.write_bytes(data)
        moved = path.with_name(f"{path.name}.away")
        path.rename(moved)
        tried += 1
        if not _named(folder, release_id, path):
            unnamed.append(f"{path.name} renamed")
        moved.rename(path)
    extra = folder / "extra.txt"
    extra.write_text("x")
    unnamed += [] if _named(folder, release_id, extra) else ["an extra file"]
    extra.unlink()
    assert release_check.differences(folder, release_id) == []
    yield tried + 1
    yield from unnamed


def _named(folder: Path, release_id: str, path: Path) -> bool:
    found = release_check.differences(folder, release_id)
    name = path.relative_to(folder).as_posix()
    # A changed manifest is named by what no longer follows from it.
    return bool(found) and (path.name == "manifest.json" or any(line.startswith(name) for line in found))


def _database_damages(project: Project, scratch: Path, every: int) -> tuple[int, list[str]]:
    good, data = snapshot(project)["database"], project.database_path.read_bytes()
    log = project.database_path.with_name("goldgate.duckdb.wal")
    damages: dict[str, bytes] = {
        "an old copy": (scratch / "old.duckdb").read_bytes(),
        "cut in half": data[: len(data) // 2],
    }
    damages |= {"emptied": b"", "another file": b"not a database" * 999, "the header gone": bytes(8192) + data[8192:]}
    step = max(4096, len(data) // max(1, 400 // every))
    for at in range(0, len(data), step):
        # A block of the file is lost. Free blocks hold nothing: their loss is none.
        damages[f"block at {at}"] = data[:at] + bytes(4096) + data[at + 4096 :]
    unnoticed = []
    for what, damaged in damages.items():
        project.database_path.write_bytes(damaged)
        if not _noticed_or_harmless(project, good):
            unnoticed.append(what)
        if rebuild(project) != good:
            unnoticed.append(f"{what}: rebuilt to something else")
    project.database_path.write_bytes(data)
    log.write_bytes(b"\x00" * 100)
    unnoticed += [] if _noticed_or_harmless(project, good) else ["a foreign log"]
    log.unlink(missing_ok=True)
    return len(damages) + 1, unnoticed


def _noticed_or_harmless(project: Project, good: dict[str, str]) -> bool:
    """`verify` or the next command says so, or the tables hold exactly what they should."""
    if verify(project).status == "FAIL":
        return True
    try:
        return snapshot(project)["database"] == good
    except GoldgateError:
        return True


class _SizesOnly:
    """The planted bug: every content has one digest, so that only sizes are told apart."""

    def sha256(self, data: bytes) -> object:
        honest = hashlib.sha256(data)
        return honest if data[:1] == b"{" else type("Any", (), {"hexdigest": lambda _: _Same()})()


class _Same(str):
    __hash__ = str.__hash__

    def __ne__(self, other: object) -> bool:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
