"""A folder where the project has a file, the reverse, a file that may not be read: one message, never a traceback."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.audit.verify import verify
from flows.redact import redact
from tests.flows.audit.forging import of_type


@pytest.fixture
def ask(copy: Any, run: Callable[..., Any]) -> Callable[..., tuple[int, str]]:
    """Runs a command on the copy; its exit code and all it said."""

    def call(*arguments: object) -> tuple[int, str]:
        found = run(copy.project.root, *arguments)
        return found.code, found.out + found.err

    return call


def a_folder(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    path.mkdir()


def a_file(path: Path) -> None:
    shutil.rmtree(path)
    path.write_text("x")


def measurement(make: Any) -> Path:
    return make.project.objects.path(of_type(make, "round.measured").payload["measurement"])


def of_release(make: Any) -> Path:
    return make.project.root / of_type(make, "release.promoted").payload["folder"]


FOLDER, FILE = "a folder stands where the project has a file", "a file stands where the project has a folder"
CASES: list[tuple[str, Callable[[Any], object], list[tuple[str, int, str]]]] = [
    (
        "the ledger is a folder",
        lambda m: a_folder(m.project.ledger_path),
        [(command, 6, f"ledger.jsonl: {FOLDER} [out-of-place]") for command in ("verify", "gate r1", "status")],
    ),
    (
        "objects is a file",
        lambda m: a_file(m.project.objects.folder),
        [
            ("verify", 6, "cannot be read: Not a directory [object-unreadable]"),
            ("gate r1", 6, f"objects: {FILE} [out-of-place]"),
            ("deviation r1 late", 6, f"objects: {FILE} [out-of-place]"),
        ],
    ),
    (
        "an object is a folder",
        lambda m: a_folder(measurement(m)),
        [
            ("verify", 6, "cannot be read: Is a directory [object-unreadable]"),
            ("gate r1", 6, f"{FOLDER} [out-of-place]"),
        ],
    ),
    (
        "a release is a file",
        lambda m: a_file(of_release(m)),
        [
            ("verify", 6, "[release-missing]"),
            ("diff promises 1.0 1.0", 2, "the labels of release 1.0 are not there any more"),
        ],
    ),
    (
        "`current` is a folder",
        lambda m: a_folder(m.project.releases / "promises" / "current"),
        [
            ("verify", 6, "A folder stands where a file should be: move it away, then run `goldgate release` again."),
            ("release promises 1.0", 6, f"releases/promises/current: {FOLDER} [out-of-place]"),
        ],
    ),
    (
        "a report is a folder",
        lambda m: a_folder(m.project.root / "reports/promises/r1/v1/report.json"),
        [("verify", 6, "[report-missing]"), ("report r1", 6, f"reports/promises/r1/v1/report.json: {FOLDER}")],
    ),
]


@pytest.mark.parametrize(("harm", "said"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_stands_out_of_place_is_named(
    copy: Any, ask: Callable[..., Any], harm: Callable[[Any], object], said: list[tuple[str, int, str]]
) -> None:
    harm(copy)
    for command, code, text in said:
        found = ask(*command.split())
        assert (found[0], text in found[1]) == (code, True), (command, found)


def test_what_to_do_about_it_is_said(copy: Any, ask: Callable[..., Any]) -> None:
    a_folder(copy.project.ledger_path)
    advice = "Move the folder away and bring the file back from a copy, then run `goldgate verify`."
    assert advice in ask("gate", "r1")[1]


@pytest.mark.parametrize("bend", [lambda p: p.write_text("[1]"), lambda p: p.write_text("{"), a_folder])
def test_a_stub_that_no_removal_wrote_is_named(copy: Any, bend: Callable[[Path], object]) -> None:
    redact(copy.project, "r1-uniform-1", "asked to")
    stub = sorted(copy.project.objects.folder.glob("*.redacted"))[0]
    stub.chmod(0o644)
    bend(stub)
    (problem,) = [p for p in verify(copy.project).problems if p.code == "stub-changed"]
    assert problem.message == f"the stub of object {stub.name[:12]} is not what was written"


def test_one_object_that_may_not_be_read_is_named(
    copy: Any, ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As whoever runs the tests may be one who may read everything, the system's answer is played."""
    kept, read = measurement(copy), Path.read_bytes

    def denied(path: Path) -> bytes:
        if path == kept:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", denied)
    code, said = ask("gate", "r1")
    assert (code, f"objects/{kept.name}: Permission denied [no-permission]" in said) == (2, True)
    assert "Ask for the right to read and write in this folder" in said
    code, said = ask("verify")
    assert (code, f"object {kept.name[:12]} cannot be read: Permission denied [object-unreadable]" in said) == (6, True)


def test_a_file_outside_the_project_is_no_fault_of_the_project(copy: Any, ask: Callable[..., Any]) -> None:
    nowhere = copy.folder / "nowhere" / "history.html"
    code, said = ask("history", "promises", "--html", nowhere)
    assert (code, said.splitlines()[0]) == (
        2,
        f"{nowhere} cannot be used: No such file or directory [path-unusable]",
    )


def test_a_study_nobody_registered_is_named_before_its_round(copy: Any, ask: Callable[..., Any]) -> None:
    code, said = ask("gate", "Promises/r1")
    assert (code, said.splitlines()[0]) == (2, "study Promises: it is not in this project")
    assert "('Promises') [unknown-study]. Known: promises." in said
