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
from flows.releases.release_check import differences, main


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
