"""Every byte of every file of a release changed, files added, lost and renamed.

    python files_damaged.py [--every N] [--control]

All of it is noticed and named by the verifier the release carries. `--control` plants one that looks at sizes only,
which must be caught.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from small_study import in_memory, released, without_pages

from flows.releases import release_check
from flows.storage.project import Project


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1, help="only every n-th byte")
    parser.add_argument("--plain", action="store_true", help="reports without their pages, to save time")
    parser.add_argument("--control", action="store_true", help="plant a bug")
    options = parser.parse_args(arguments)
    if options.plain:
        without_pages()
    if options.control:
        release_check.hashlib = _SizesOnly()  # type: ignore[assignment]  # the planted bug
    with tempfile.TemporaryDirectory(prefix="goldgate-damage-", dir=in_memory()) as scratch:
        project = released(Path(scratch))
        missed = list(_release_damages(project, options.every))
    print(json.dumps({"release damages": missed[0], "unnamed": len(missed) - 1}))
    print(*missed[1:10], sep="\n")
    return 1 if missed[1:] else 0


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
        with path.open("r+b", buffering=0) as file:
            for at in range(0, len(data), every):
                tried += 1
                os.pwrite(file.fileno(), bytes([data[at] ^ 0x20]), at)
                if not _named(folder, release_id, path):
                    unnamed.append(f"{path.name}, byte {at}")
                os.pwrite(file.fileno(), data[at : at + 1], at)
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
