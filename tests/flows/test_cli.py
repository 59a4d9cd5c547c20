"""The command line: each command's exit codes, one message for a mistake and never a traceback, JSON that parses."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows import cli

pytestmark = pytest.mark.usefixtures("plain_pages")

PASSING = {"uniform": {"++": 20, "--": 20}}
FAILING = {"uniform": {"+-": 10, "-+": 10, "--": 20, "++": 1}}
UNDEFINED_RULES = (
    '{slice: uniform, statistic: positive_specific_agreement, judged_on: lower, at_least: "0.50"}',
    '{slice: uniform, statistic: krippendorff_alpha, at_least: "0"}',
)


def test_the_whole_way_from_registration_to_history(make: Any, run: Callable[..., Any]) -> None:
    study, folder, root = make.study(), make.round(PASSING), make.project.root
    way = [
        (("register", study), "promises, guideline 1.0, is registered with 3 rules."),
        (("register", study), "Already done: promises"),
        (("open", folder), "r1 is open with 40 items (uniform 40)."),
        (("status",), "0 of 80 labels in."),
        (("ingest", "r1", folder / "labels.csv"), "labels.csv: 80 rows, 80 new, 0 already there."),
        (("ingest", "r1", folder / "labels.csv"), "Already done: labels.csv"),
        (("close", "r1"), "r1 is closed (complete)."),
        (("measure", "r1"), "report 1 of r1 is"),
        (("report", "r1"), "Already done: report 1"),
        (("gate", "r1"), "Passed. These labels may be used to judge answers."),
        (("release", "promises", "1.0"), "release 1.0 of promises is in"),
        (("release", "promises", "1.0"), "Already done: release 1.0"),
        (("history", "promises"), "Release 1.0"),
        (("verify",), "UNANCHORED (V0, V2, V3)"),
        (("rebuild",), "The database is rebuilt"),
        (("status",), "No round is open."),
    ]
    for arguments, said in way:
        found = run(root, *arguments)
        assert (found.code, said in found.out) == (0, True), (arguments, found.out, found.err)


TO_NOTE = "Ledger head to note down: "


def test_every_command_that_added_an_event_prints_the_head_last(make: Any, run: Callable[..., Any]) -> None:
    study, folder, root = make.study(), make.round(PASSING), make.project.root
    (folder / "outside.csv").write_text("item_id,label,source\nr1-uniform-1,yes,appeal\n")
    commands: list[tuple[object, ...]] = [
        ("register", study),
        ("open", folder),
        ("ingest", "r1", folder / "labels.csv"),
        ("deviation", "r1", "the lamp went out"),
        ("close", "r1"),
        ("reopen", "r1", "one was on holiday"),
        ("close", "r1"),
        ("measure", "r1"),
        ("gate", "r1"),
        ("adjudicate", "r1", make.decide(["r1-uniform-1"])),
        ("outcome", "r1", folder / "outside.csv"),
        ("release", "promises", "1.0"),
        ("withdraw", "promises", "1.0", "--why", "a slip"),
        ("redact", "r1-uniform-2", "--why", "asked to"),
    ]
    for arguments in commands:
        before = len(make.events())
        found = run(root, *arguments)
        events = make.events()
        assert (found.code, len(events) > before) == (0, True), (arguments, found)
        last = found.out.splitlines()[-1]
        assert last == f"{TO_NOTE}{events[-1].hash}@{events[-1].seq}", arguments
        if arguments[0] in ("gate", "release"):  # what README says to keep
            kept = run(root, "verify", "--head", last.removeprefix(TO_NOTE))
            assert (kept.code, kept.out.splitlines()[0]) == (0, "OK (V0, V1, V2, V3)")
    for arguments in (("deviation", "r1", "the lamp went out"), ("status",), ("verify",)):
        assert TO_NOTE not in run(root, *arguments).out


def test_a_head_is_no_part_of_json_and_comes_with_a_refusal_that_is_an_event(
    make: Any, run: Callable[..., Any]
) -> None:
    make.register()
    make.measured(FAILING)
    make.report()
    found = run(make.project.root, "gate", "r1", "--json")
    head = make.project.state().head
    assert json.loads(found.out)["status"] == "fail"
    assert found.err == f"{TO_NOTE}{head}\n"
    found = run(make.project.root, "release", "promises", "1.0")
    assert (found.code, found.out) == (4, f"{TO_NOTE}{make.project.state().head}\n")


VERDICTS = [
    ("passed", PASSING, {}, 0),
    ("failed", FAILING, {}, 4),
    ("undefined", {"uniform": {"--": 20}}, {"rules": UNDEFINED_RULES}, 5),
]


@pytest.mark.parametrize(
    ("labels", "study", "code"), [case[1:] for case in VERDICTS], ids=[case[0] for case in VERDICTS]
)
def test_event_report_and_exit_code_say_the_same(
    make: Any, run: Callable[..., Any], labels: Any, study: dict[str, Any], code: int
) -> None:
    """One verdict, three places (faults.md 55)."""
    make.register(make.study(**study))
    make.measured(labels)
    make.report()
    found = run(make.project.root, "gate", "r1", "--json")
    gated = make.events()[-1].payload
    report = json.loads((make.project.reports / "promises" / "r1" / "v1" / "report.json").read_text())
    assert found.code == gated["exit_code"] == report["verdict"]["exit_code"] == code
    assert json.loads(found.out) == report["verdict"]
    assert gated["verdict"] == report["verdict"]["status"]
    assert run(make.project.root, "gate", "r1").code == code  # asked again: already done, the same answer


@pytest.fixture(scope="module")
def reported_once(tmp_path_factory: pytest.TempPathFactory, maker_in: Callable[..., Any], plain_pages: None) -> Any:
    make = maker_in(tmp_path_factory.mktemp("reported"))
    make.register()
    make.measured(FAILING)
    make.report()
    return make


@pytest.fixture
def reported(reported_once: Any, tmp_path: Path) -> Any:
    """A round whose labels fail, reported and not gated yet."""
    return reported_once.copied_to(tmp_path)


READING = [
    ("status", "r1"),
    ("report", "r1"),
    ("history", "promises"),
    ("verify",),
    ("register", "STUDY"),
    ("ingest", "r1", "LABELS"),
]


@pytest.mark.parametrize("arguments", READING, ids=lambda a: a[0])
def test_what_is_printed_as_json_parses(reported: Any, run: Callable[..., Any], arguments: tuple[str, ...]) -> None:
    real = {"STUDY": reported.folder / "promises-1.0.yaml", "LABELS": reported.folder / "r1" / "labels.csv"}
    found = run(reported.project.root, *(real.get(a, a) for a in arguments), "--json")
    assert (found.code, found.err) == (0, "")
    assert json.loads(found.out) not in (None, "")


MISTAKES = [
    # arguments, exit code, what the message says
    (("history", "promisses"), 2, "Known: promises."),
    (("release", "promisses", "1"), 2, "Known: promises."),
    (("release", "promises", "../x"), 2, "release '../x'"),
    (("register", "nowhere.yaml"), 2, "nowhere.yaml: the study file cannot be read"),
    (("open", "nowhere"), 2, "round.yaml: the round file cannot be read"),
    (("verify", "--head", "abc"), 2, "a head is HASH@N"),
    (("report", "r1", "--as-of", "99"), 2, "the ledger has events 1 to"),
    (("ingest", "r1", "nowhere.csv"), 3, "nowhere.csv"),
    (("adjudicate", "r1", "nowhere.csv"), 3, "nowhere.csv"),
    (("gate", "r1"), 4, "Blocked."),
    (("release", "promises", "1"), 8, "goldgate gate"),
    (("status", "r9"), 8, "goldgate open"),
    (("measure", "r9"), 8, "goldgate open"),
    (("gate", "r9"), 8, "goldgate open"),
    (("reopen", "r1", "a reason"), 8, "results have been seen"),
    (("reassign", "r1", "ada", "bo", "a reason"), 8, "the round is closed"),
]


@pytest.mark.parametrize(("arguments", "code", "says"), MISTAKES, ids=[" ".join(case[0][:2]) for case in MISTAKES])
def test_a_mistake_is_one_message_and_its_exit_code(
    reported: Any, run: Callable[..., Any], arguments: tuple[str, ...], code: int, says: str
) -> None:
    found = run(reported.project.root, *arguments)
    assert found.code == code
    assert says in found.out + found.err
    assert "Traceback" not in found.out + found.err


def test_a_refused_file_shows_every_place_and_what_to_do(make: Any, run: Callable[..., Any]) -> None:
    make.register()
    make.open({"uniform": {"..": 2}})
    path = make.folder / "labels.csv"
    path.write_text("item_id,annotator_id,label\nr1-uniform-1,ada,mabye\nr1-uniform-9,bo,no\n")
    found = run(make.project.root, "ingest", "r1", path)
    assert found.code == 3
    assert found.err.splitlines()[0] == "labels.csv: 2 of 2 rows refused, nothing stored"
    assert (
        "line 2, label (column 3): label is not one of: yes, no (guideline 1.0) ('mabye') [unknown-label]" in found.err
    )
    assert "line 3, item_id (column 1): " in found.err
    last = "Correct the file and run the command again. No row came in; the bytes of a refused file are kept"
    assert found.err.splitlines()[-1] == f"{last} (`goldgate redact` removes them)."


def test_many_problems_of_one_kind_are_counted_and_their_advice_stands_last(make: Any, run: Callable[..., Any]) -> None:
    make.register()
    make.open({"uniform": {"..": 2}})
    path = make.folder / "labels.csv"
    path.write_text("item_id,annotator_id,label\n" + "".join(f"x-{n},ada,no\n" for n in range(1, 31)))
    lines = run(make.project.root, "ingest", "r1", path).err.splitlines()
    assert sum("[unknown-item]" in line for line in lines) == 10
    assert "  … and 20 more of unknown-item." in lines


def program(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "flows.cli", *arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("how", ["--root", "GOLDGATE_ROOT", "data/"])
def test_the_project_is_the_one_named_and_data_otherwise(make: Any, tmp_path: Path, how: str) -> None:
    make.register()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    if how == "data/":
        shutil.copytree(make.project.root, elsewhere / "data")
    arguments = ["--root", str(make.project.root)] if how == "--root" else []
    variable = {"GOLDGATE_ROOT": str(make.project.root if how == "GOLDGATE_ROOT" else "")}
    done = program(*arguments, "history", "promises", cwd=elsewhere, **variable)
    assert (done.returncode, done.stderr) == (0, "")
    assert "promises: Does the answer promise too much?" in done.stdout


def test_a_real_process_ends_a_mistake_with_a_message_and_its_code(make: Any, tmp_path: Path) -> None:
    make.register()
    done = program("gate", "r1", cwd=tmp_path, GOLDGATE_ROOT=str(make.project.root))
    assert (done.returncode, done.stdout) == (8, "")
    assert done.stderr.splitlines()[0] == "no round r1 has been opened"


@pytest.mark.parametrize("arguments", [["gat"], ["gate"], ["gate", "r1", "--nosuch"], ["plan", "x"]])
def test_arguments_nobody_knows_end_with_2(tmp_path: Path, run: Callable[..., Any], arguments: list[str]) -> None:
    assert run(tmp_path, *arguments).code == 2


def test_every_command_says_what_it_does(run: Callable[..., Any], tmp_path: Path) -> None:
    commands = [command.__name__ for panel in cli.PANELS.values() for command in panel]
    assert len(commands) == len(set(commands))
    text = run(tmp_path, "--help").out
    for command in cli.PANELS.values():
        for function in command:
            assert function.__doc__
            assert function.__name__ in text


@pytest.mark.parametrize("arguments", [["--help"], ["history", "promises"], ["history", "promises", "--json"]])
def test_where_nobody_reads_on_a_command_ends_quietly_by_sigpipe(reported: Any, arguments: list[str]) -> None:
    """As `yes | head -1` does: 141 in a shell. Typer and rich would end with 1, which is a bug's code here."""
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "flows.cli", "--root", str(reported.project.root), *arguments]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b"")


def test_a_refusal_nobody_reads_ends_quietly_too_and_one_that_is_read_keeps_its_code(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "flows.cli", "--root", str(tmp_path), "history", "promises"]
    read, write = os.pipe()
    os.close(read)
    assert subprocess.run(command, stdout=write, stderr=write, check=False).returncode == -signal.SIGPIPE
    # What is refused is said on standard error, so a standard output nobody reads makes no difference.
    assert subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False).returncode == 2
    os.close(write)
    no_output = "import os; os.close(1); os.execv(os.sys.executable, [os.sys.executable, *os.sys.argv[1:]])"
    closed = [sys.executable, "-c", no_output, *command[1:]]
    assert subprocess.run(closed, stderr=subprocess.PIPE, check=False).returncode == 2


def test_a_bug_keeps_its_traceback_and_ends_with_1(tmp_path: Path) -> None:
    """Anything that is not one of our refusals is not dressed up as one."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "ledger.jsonl").touch()
    code = "import flows.history, flows.cli, sys\n"
    code += "flows.history.history = lambda *_: 1 / 0\nsys.argv = ['goldgate', 'history', 'x']\nflows.cli.main()\n"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ["close", "r1"],
        ["gate", "r1"],
        ["history", "promises"],
        ["verify"],
        ["status"],
        ["release", "promises", "1"],
        ["rebuild"],
    ],
)
def test_a_misspelt_project_folder_is_said_and_not_made(
    run: Callable[..., Any], command: list[str], tmp_path: Path
) -> None:
    done = run(tmp_path / "typo", *command)
    assert done.code == 2
    assert "there is no project in this folder" in done.err
    assert not (tmp_path / "typo").exists()
