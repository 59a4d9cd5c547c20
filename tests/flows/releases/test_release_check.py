"""The verifier that lies in each release: whatever differs from the manifest is a line, and exit code 6."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from flows.releases import release_check
from flows.releases.release_check import COLUMNS, differences, main

AS_REGISTERED = {
    "slice": "uniform",
    "statistic": "positive_specific_agreement",
    "category": None,
    "judged_on": "value",
    "missing": "observed",
}
RULE = {**AS_REGISTERED, "number": 1, "found": "0.70", "asked": "0.65", "comparison": "at_least", "verdict": "pass"}
CEILING = {**AS_REGISTERED, "number": 2, "found": "0.05", "asked": "0.05", "comparison": "at_most", "verdict": "pass"}


OF = {"study": "claims", "version": "1.0"}


def report_json(verdict: dict[str, Any], study: str = "claims", name: str = "r1") -> bytes:
    return json.dumps({"verdict": verdict, "study": {"study_id": study}, "round": {"round_id": name}}).encode()


def written(parent: Path, change: Callable[[dict[str, bytes]], object] = len, **manifest: Any) -> Path:
    """A release of one label, with a manifest that fits its files. change: of the files before they are named."""
    rules = [[rule[key] for key in release_check.RULE] for rule in (RULE, CEILING)]
    files = {
        "labels.csv": f"{COLUMNS}\ni1,v1,yes,unanimous,uniform,rest,0.10,r1,1.0\n".encode(),
        "labels.parquet": b"PAR1 and so on PAR1",
        "registration/rules.json": json.dumps({"study": "claims", "rounds": {"r1": rules}}).encode(),
        "report/r1/report.json": report_json({"status": "pass", "rules": [RULE, CEILING]}),
    }
    change(files)
    listed = [{"path": p, "size": len(d), "sha256": sha256(d).hexdigest()} for p, d in files.items()]
    record = {"files": listed, "rounds": [{"round": "r1"}], "labels": 1, "verdict": "pass", **OF, **manifest}
    data = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    folder = parent / f"1.0-{sha256(data).hexdigest()[:12]}"
    for name, content in {**files, "manifest.json": data}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def identity(folder: Path) -> str:
    return sha256((folder / "manifest.json").read_bytes()).hexdigest()


def test_a_release_as_it_came_out_has_no_differences(tmp_path: Path) -> None:
    folder = written(tmp_path)
    assert differences(folder) == differences(folder, identity(folder)) == []


def test_a_folder_of_that_name_still_being_staged_needs_no_id_in_its_name(tmp_path: Path) -> None:
    staged = written(tmp_path)
    assert differences(staged.rename(tmp_path / ".staging-x")) == []
    assert differences((tmp_path / ".staging-x").rename(tmp_path / "1.0")) == [
        "the folder's name does not carry version and release id"
    ]


def test_another_release_id_than_the_one_kept_is_named(tmp_path: Path) -> None:
    folder = written(tmp_path)
    assert differences(folder, "0" * 64) == [f"the release id is {identity(folder)}, not {'0' * 64}"]


def one_more_byte(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"x")


def same_size(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"yes", b"no!"))


def linked(path: Path) -> None:
    moved = path.rename(path.parents[1] / "elsewhere")
    path.symlink_to(moved)


HARMS: list[tuple[str, Callable[[Path], object], list[str]]] = [
    ("longer", lambda f: one_more_byte(f / "labels.csv"), ["labels.csv is not what it was"]),
    ("as long", lambda f: same_size(f / "labels.csv"), ["labels.csv is not what it was"]),
    ("gone", lambda f: (f / "labels.csv").unlink(), ["labels.csv is missing"]),
    ("added", lambda f: (f / "gold.csv").touch(), ["gold.csv is not in the manifest"]),
    ("a link to the same bytes", lambda f: linked(f / "labels.csv"), ["labels.csv is a link"]),
    ("a link to a folder", lambda f: (f / "x").symlink_to(f / "report"), ["x is not in the manifest"]),
    ("an empty folder", lambda f: (f / "empty").mkdir(), []),
    ("no manifest", lambda f: (f / "manifest.json").unlink(), ["manifest.json cannot be read: FileNotFoundError"]),
    (
        "a manifest of another kind",
        lambda f: (f / "manifest.json").write_text("[]"),
        ["manifest.json cannot be read: TypeError"],
    ),
    (
        "a manifest that names too little",
        lambda f: (f / "manifest.json").write_text("{}"),
        ["manifest.json cannot be read: KeyError"],
    ),
]


@pytest.mark.parametrize(("harm", "lines"), [case[1:] for case in HARMS], ids=[case[0] for case in HARMS])
def test_each_harm_is_named_and_nothing_else(tmp_path: Path, harm: Callable[[Path], object], lines: list[str]) -> None:
    folder = written(tmp_path)
    harm(folder)
    assert differences(folder) == lines


def test_a_manifest_written_otherwise_is_named(tmp_path: Path) -> None:
    folder = written(tmp_path)
    data = (folder / "manifest.json").read_bytes() + b"\n"
    (folder / "manifest.json").write_bytes(data)
    assert "manifest.json is not in canonical form" in differences(folder)


# What the manifest names fits it, and still is no release: (files changed, manifest changed, line).


def reported(**verdict: Any) -> Callable[[dict[str, bytes]], object]:
    whole = {"status": "pass", "rules": [RULE, CEILING], **verdict}
    return lambda files: files.update({"report/r1/report.json": report_json(whole)})


def another_report(**of: str) -> Callable[[dict[str, bytes]], object]:
    passed = {"status": "pass", "rules": [RULE, CEILING]}
    return lambda files: files.update({"report/r1/report.json": report_json(passed, **of)})


def labelled(text: str) -> Callable[[dict[str, bytes]], object]:
    return lambda files: files.update({"labels.csv": text.encode()})


NO_PASS_2 = ["r1: rule 2 does not pass"]
NO_PASS = ["r1: rule 1 does not pass"]
OTHER_COLUMNS = ["labels.csv has other columns than a release may have"]
OTHER_RULES = "r1: the report's rules are not those that were registered"
OTHER_REPORT = "r1: the report is of another study or round"
UNREADABLE = ["report/r1/report.json cannot be read: KeyError"]
ROW = "i1,v1,yes,unanimous,uniform,rest,0.10,r1,1.0\n"
INSIDE: list[tuple[str, Callable[[dict[str, bytes]], object], dict[str, Any], list[str]]] = [
    ("a failing verdict", len, {"verdict": "fail"}, ["the manifest's verdict is not pass"]),
    ("no round", len, {"rounds": []}, ["the manifest's verdict is not pass"]),
    ("a report that says fail", reported(status="fail"), {}, ["r1: the report's verdict is not pass"]),
    ("a report without rules", reported(rules=[]), {}, ["r1: the report's verdict is not pass", OTHER_RULES]),
    ("rules cut to one", reported(rules=[RULE]), {}, [OTHER_RULES]),
    ("a threshold lowered", reported(rules=[{**RULE, "asked": "0.60"}, CEILING]), {}, [OTHER_RULES]),
    ("a bound made a value", reported(rules=[{**RULE, "judged_on": "lower"}, CEILING]), {}, [OTHER_RULES]),
    ("a report of another study", another_report(study="promises"), {}, [OTHER_REPORT]),
    ("a report of another round", another_report(name="r2"), {}, [OTHER_REPORT]),
    ("a manifest of another study", len, {"study": "promises"}, [OTHER_REPORT]),
    ("no Parquet file", lambda f: f.update({"labels.parquet": b"x"}), {}, ["labels.parquet is no Parquet file"]),
    ("found exactly what was asked", reported(rules=[{**RULE, "found": "0.65"}, CEILING]), {}, []),
    ("found less than asked", reported(rules=[{**RULE, "found": "0.6499"}, CEILING]), {}, NO_PASS),
    ("found more than allowed", reported(rules=[RULE, {**CEILING, "found": "0.0501"}]), {}, NO_PASS_2),
    ("found less than allowed", reported(rules=[RULE, {**CEILING, "found": "0"}]), {}, []),
    ("nothing found", reported(rules=[RULE, {**CEILING, "found": None}]), {}, NO_PASS_2),
    ("nothing found, asked for zero", reported(rules=[{**RULE, "found": None, "asked": "0"}, CEILING]), {},
     [OTHER_RULES, *NO_PASS]),
    ("asked for a fraction of zero", reported(rules=[{**RULE, "asked": "1/0"}, CEILING]), {},
     [OTHER_RULES, *NO_PASS]),
    ("found a number of ten million digits", reported(rules=[{**RULE, "found": "1e9999999"}, CEILING]), {}, NO_PASS),
    ("found in other digits", reported(rules=[{**RULE, "found": "٠.٧"}, CEILING]), {}, NO_PASS),
    ("a rule that says fail", reported(rules=[{**RULE, "verdict": "fail"}, CEILING]), {}, NO_PASS),
    ("no report", lambda f: f.pop("report/r1/report.json"), {}, UNREADABLE),
    ("a column more", labelled(f"{COLUMNS},annotator_id\n{ROW}"), {}, OTHER_COLUMNS),
    ("no columns", labelled(""), {"labels": -1}, OTHER_COLUMNS),
    ("a label more", labelled(f"{COLUMNS}\n{ROW}{ROW}"), {}, ["labels.csv does not hold 1 labels"]),
    ("a label less", labelled(f"{COLUMNS}\n"), {}, ["labels.csv does not hold 1 labels"]),
]  # fmt: skip


@pytest.mark.parametrize(("change", "manifest", "lines"), [c[1:] for c in INSIDE], ids=[c[0] for c in INSIDE])
def test_a_fitting_manifest_does_not_make_it_a_release(
    tmp_path: Path, change: Callable[[dict[str, bytes]], object], manifest: dict[str, Any], lines: list[str]
) -> None:
    assert differences(written(tmp_path, change, **manifest)) == lines


# What a forger may write that no goldgate ever did: one sentence each, soon, and nothing outside the folder is read.


def rewritten(folder: Path, manifest: bytes) -> Path:
    """The folder with these bytes as its manifest, under the name that they give it."""
    (folder / "manifest.json").write_bytes(manifest)
    return folder.rename(folder.with_name(f"1.0-{sha256(manifest).hexdigest()[:12]}"))


def outside(folder: Path) -> Path:
    """A release whose report lies elsewhere: another one's passing report."""
    other = written(folder.parent / "other")
    up = f"../../other/{other.name}/report/r1"
    return written(folder.parent, lambda f: f.pop("report/r1/report.json"), rounds=[{"round": up}])


BENT: list[tuple[str, Callable[[Path], Path], str]] = [
    (
        "deeply nested",
        lambda f: rewritten(f, b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
        "manifest.json cannot be read: RecursionError",
    ),
    (
        "half a character",
        lambda f: rewritten(f, b'{"a":"\\ud800"}'),
        "manifest.json cannot be read: UnicodeEncodeError",
    ),
    (
        "a number too long to read",
        lambda f: rewritten(f, b'{"a":' + b"9" * 5000 + b"}"),
        "manifest.json cannot be read: ValueError",
    ),
    (
        "paths of two kinds",
        lambda f: written(f.parent, files=[{"path": p, "size": 1, "sha256": "x"} for p in (5, "a")]),
        "5 is missing",
    ),
    ("rounds that are numbers", lambda f: written(f.parent, rounds=[{"round": 5}]), "report/5/report.json cannot be"),
    ("a report outside", outside, "/report/r1/report.json cannot be read: KeyError"),
    (
        "a cell without end",
        lambda f: written(f.parent, lambda g: g.update({"labels.csv": b'"' + b"x" * 200_000 + b'"\n'})),
        "labels.csv cannot be read: Error",
    ),
    ("labels in words", lambda f: written(f.parent, labels="one"), "labels.csv cannot be read: TypeError"),
    ("a version of another name", lambda f: written(f.parent, version="2.0"), "does not carry version and release id"),
    ("a linked manifest", lambda f: relinked(f), "manifest.json cannot be read: JSONDecodeError"),
    ("a pipe nobody writes to", lambda f: piped(f), "labels.csv is not what it was"),
]


def relinked(folder: Path) -> Path:
    linked(folder / "manifest.json")
    return folder


def piped(folder: Path) -> Path:
    (folder / "labels.csv").unlink()
    os.mkfifo(folder / "labels.csv")
    return folder


@pytest.mark.parametrize(("bend", "said"), [case[1:] for case in BENT], ids=[case[0] for case in BENT])
def test_whatever_a_forger_writes_is_a_sentence_and_the_exit_code(
    tmp_path: Path, bend: Callable[[Path], Path], said: str
) -> None:
    folder = bend(written(tmp_path))
    command = [sys.executable, "-I", "-S", str(Path(release_check.__file__)), str(folder)]
    found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (found.returncode, found.stderr) == (6, "")
    assert all(line.startswith("FAIL: ") for line in found.stdout.splitlines())
    assert said in found.stdout


def test_a_name_cannot_write_a_line_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = written(tmp_path)
    (folder / "x\nOK: all is well").touch()
    assert main([str(folder)]) == 6
    assert capsys.readouterr().out == "FAIL: x\\nOK: all is well is not in the manifest\n"


def test_a_file_nobody_may_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written(tmp_path)
    read = Path.read_bytes

    def refused(path: Path) -> bytes:
        if path.name == "labels.csv":
            raise PermissionError(13, "Permission denied")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refused)
    assert differences(folder) == ["labels.csv cannot be read: PermissionError"]


def test_the_exit_code_and_the_words_say_whether_the_id_was_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = written(tmp_path)
    assert main([str(folder)]) == 0
    assert capsys.readouterr().out == "UNANCHORED: every file is as named; the verdict is as the publisher wrote it\n"
    assert main([str(folder), "--id", identity(folder)]) == main(["--id", identity(folder), str(folder)]) == 0
    assert capsys.readouterr().out == "OK: every file is as named; the id agrees\n" * 2
    (folder / "labels.csv").unlink()
    assert main([str(folder)]) == 6
    assert capsys.readouterr().out == "FAIL: labels.csv is missing\n"


def test_without_a_folder_it_checks_the_one_it_lies_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = written(tmp_path)
    monkeypatch.setattr(release_check, "__file__", str(folder / "verify.py"))
    assert main([]) == 0
    (folder / "labels.csv").unlink()
    assert main([]) == 6
    assert main(["--id"]) == 6  # an id that is not given is no folder either
    assert "manifest.json cannot be read" in capsys.readouterr().out


def test_it_runs_alone_on_the_standard_library(tmp_path: Path) -> None:
    folder = written(tmp_path)
    command = [sys.executable, "-I", "-S", str(Path(release_check.__file__)), str(folder)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    (folder / "labels.csv").unlink()
    assert subprocess.run(command, capture_output=True, check=False).returncode == 6
