"""The verifier that lies in each release: what differs is named, by it and by `verify` alike."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from flows.audit.verify import verify
from flows.ingest import ingest
from flows.redact import redact
from flows.releases.release_check import differences, main
from flows.storage import ledger


def change(path: Path, how: Callable[[bytes], bytes]) -> None:
    path.chmod(0o644)
    path.write_bytes(how(path.read_bytes()))


HARMS: list[tuple[str, Callable[[Path], object], str]] = [
    ("a changed file", lambda f: change(f / "labels.csv", lambda d: d + b"x\n"), "labels.csv is not what it was"),
    ("a missing file", lambda f: (f / "README.md").unlink(), "README.md is missing"),
    ("an extra file", lambda f: (f / "gold.csv").write_text("x"), "gold.csv is not in the manifest"),
    ("an extra empty file in a folder", lambda f: (f / "report" / "x").touch(), "report/x is not in the manifest"),
    ("a link", lambda f: relink(f / "README.md"), "README.md is a link"),
    (
        "a manifest spaced otherwise",
        lambda f: change(f / "manifest.json", lambda d: d + b"\n"),
        "not in canonical form",
    ),
    (
        "another verdict",
        lambda f: change(f / "manifest.json", lambda d: d.replace(b'"pass"', b'"fail"')),
        "verdict is not pass",
    ),
    ("no manifest", lambda f: (f / "manifest.json").unlink(), "manifest.json cannot be read"),
    (
        "a manifest that is no JSON",
        lambda f: change(f / "manifest.json", lambda d: b"["),
        "manifest.json cannot be read",
    ),
]


def relink(path: Path) -> None:
    target = path.with_name("elsewhere")
    path.rename(target)
    path.symlink_to(target)


@pytest.mark.parametrize(("harm", "named"), [case[1:] for case in HARMS], ids=[case[0] for case in HARMS])
def test_the_release_s_own_verifier_names_what_differs(
    released: Any, harm: Callable[[Path], object], named: str
) -> None:
    folder = released.folders["release"]
    assert differences(folder) == []
    harm(folder)
    assert any(named in line for line in differences(folder))
    found = verify(released.project)
    assert (found.status, {p.code for p in found.problems}) == ("FAIL", {"release-changed"})
    assert any(named in problem.message for problem in found.problems)


# Every status `verify` has, beside what the release's own verifier says of the same folder: what was done, whether a
# head and a release id were kept, and both answers. Objects are no part of a release, so that one may be lost or
# removed without its own verifier knowing.
STATUSES: list[tuple[str, Callable[[Any], object], bool, str, str]] = [
    ("whole, anchored", lambda r: None, True, "OK", "OK"),
    ("whole", lambda r: None, False, "UNANCHORED", "UNANCHORED"),
    ("a file lost", lambda r: released_file(r, "README.md").unlink(), True, "FAIL", "FAIL"),
    ("a file lost, no anchor", lambda r: released_file(r, "README.md").unlink(), False, "FAIL", "FAIL"),
    ("a file changed", lambda r: change(released_file(r, "labels.csv"), lambda d: d + b"x\n"), True, "FAIL", "FAIL"),
    ("a file added", lambda r: released_file(r, "gold.csv").touch(), True, "FAIL", "FAIL"),
    ("an object lost", lambda r: raw_of(r).unlink(), True, "INCOMPLETE", "OK"),
    ("a late file removed on request", lambda r: late_removed(r), True, "OK, REDACTED (2)", "OK"),
    ("the ledger cut", lambda r: cut(r), True, "FAIL", "OK"),
]  # fmt: skip


def released_file(make: Any, name: str) -> Path:
    return make.folders["release"] / name


def raw_of(make: Any) -> Path:
    return make.project.objects.path(next(e for e in make.events() if e.type == "submission.ingested").payload["raw"])


def late_removed(make: Any) -> None:
    (make.folder / "late.csv").write_text("item_id,annotator_id,label\nr1-uniform-44,ada,no\n")
    ingest(make.project, "r1", [make.folder / "late.csv"])
    redact(make.project, "late.csv", "not theirs to give")


def cut(make: Any) -> None:
    lines = make.project.ledger_path.read_bytes().splitlines(keepends=True)
    make.project.ledger_path.write_bytes(b"".join(lines[:-1]))


@pytest.mark.parametrize(("done", "kept", "status", "own"), [c[1:] for c in STATUSES], ids=[c[0] for c in STATUSES])
def test_both_verifiers_agree_on_what_both_can_see(
    released: Any,
    capsys: pytest.CaptureFixture[str],
    done: Callable[[Any], object],
    kept: bool,
    status: str,
    own: str,
) -> None:
    folder, head = released.folders["release"], str(ledger.head_of(released.events()))
    release_id = sha256((folder / "manifest.json").read_bytes()).hexdigest()
    done(released)
    found = verify(released.project, [head] if kept else [])
    code = main([str(folder), *(["--id", release_id] if kept else [])])
    said = {line.split(":")[0] for line in capsys.readouterr().out.splitlines()}
    assert (found.status, said, code) == (status, {own}, 6 if own == "FAIL" else 0)
    assert (own == "FAIL") == any(problem.code == "release-changed" for problem in found.problems)


def test_the_verifier_has_fewer_than_100_lines_and_needs_the_standard_library_alone(released: Any) -> None:
    source = (released.folders["release"] / "verify.py").read_text()
    assert len(source.splitlines()) < 100
    imported = {line.split()[1].split(".")[0] for line in source.splitlines() if line.startswith(("import ", "from "))}
    assert imported <= sys.stdlib_module_names


def test_the_verifier_runs_alone_and_needs_the_id_to_anchor(released: Any, tmp_path: Path) -> None:
    folder = shutil.copytree(released.folders["release"], tmp_path / released.folders["release"].name)
    release_id = sha256((folder / "manifest.json").read_bytes()).hexdigest()
    command = [sys.executable, "-I", "-S", str(folder / "verify.py")]
    plain = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/", env={"PATH": os.defpath})
    assert (plain.returncode, "UNANCHORED" in plain.stdout) == (0, True)
    assert main([str(folder), "--id", release_id]) == 0
    assert main([str(folder), "--id", "0" * 64]) == 6
    (folder / "extra").touch()
    assert subprocess.run(command, capture_output=True, check=False).returncode == 6


def test_a_release_carries_no_clock_path_or_name_of_this_machine(released: Any) -> None:
    for path in released.folders["release"].rglob("*"):
        if path.is_file() and path.name != "verify.py":
            assert str(released.folder).encode() not in path.read_bytes()
