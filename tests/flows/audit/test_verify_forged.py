"""What `verify` says of a ledger whose hashes all fit and whose content does not, and how much it looked at."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agreement.errors import IntegrityError
from flows.audit import verify as module
from flows.audit.rebuild import rebuild
from flows.audit.verify import verify
from flows.audit.verify_published import LEDGER_FIRST
from flows.calibration import hold_calibration
from flows.register import register
from flows.storage import ledger
from flows.storage.ledger import Event
from flows.storage.published import canonical_json
from flows.told import record_deviation
from tests.flows.audit.forging import edit, edited, of_type, rewrite


def codes(make: Any, **options: Any) -> list[str]:
    return [problem.code for problem in verify(make.project, **options).problems]


# Against the database, which remembers how far the ledger was.


@pytest.mark.parametrize("left", [1, 6])
def test_a_ledger_that_is_shorter_than_its_database_is_told_so_without_a_head(copy: Any, left: int) -> None:
    whole = copy.project.ledger_path.read_bytes().splitlines(keepends=True)
    copy.project.ledger_path.write_bytes(b"".join(whole[:left]))
    shutil.rmtree(copy.project.reports)
    shutil.rmtree(copy.project.releases)
    found = verify(copy.project)
    assert (found.status, found.levels) == ("FAIL", ("V0",))
    assert [(p.code, p.message) for p in found.problems] == [
        ("database-ahead", f"the database has {len(whole)} events, the ledger {left}")
    ]


@pytest.mark.parametrize(
    ("harm", "what"), [(Path.unlink, "is missing"), (lambda path: path.write_bytes(b""), "holds no event")]
)
@pytest.mark.parametrize("gone", [["reports"], ["objects", "reports", "releases"], ["goldgate.duckdb"]])
def test_a_lost_or_emptied_ledger_is_no_empty_project(
    copy: Any, harm: Callable[[Path], object], what: str, gone: list[str]
) -> None:
    root = copy.project.root
    for name in gone:
        shutil.rmtree(root / name) if (root / name).is_dir() else (root / name).unlink()
    harm(copy.project.ledger_path)
    left = ", ".join(name for name in ("objects", "reports", "releases", "goldgate.duckdb") if name not in gone)
    found = verify(copy.project)
    headline = f"ledger.jsonl {what}, but the rest of a project is there: {left}"
    assert (found.status, found.levels) == ("FAIL", ())
    assert [(p.code, p.message, p.fix) for p in found.problems] == [("ledger-missing", headline, LEDGER_BACK)]
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.name not in (".lock", ".lock.pid")}
    for use in (lambda: register(copy.project, copy.study()), lambda: rebuild(copy.project), copy.project.state):
        with pytest.raises(IntegrityError) as refused:
            use()
        assert (refused.value.headline, refused.value.next_step) == (headline, LEDGER_BACK)
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_loose_files_beside_what_was_published_are_named_and_what_a_stopped_command_left_is_noted(copy: Any) -> None:
    root = copy.project.root
    for name in ("releases/labels.csv", "releases/promises/labels.csv", "reports/promises/best.html"):
        (root / name).write_text("x")
    (root / "reports/promises/r1/.staging-abc").mkdir()
    found = verify(copy.project)
    assert [(p.code, p.message, p.file) for p in found.problems] == [
        ("file-unnamed", "no event names this file", name)
        for name in ("releases/labels.csv", "releases/promises/labels.csv", "reports/promises/best.html")
    ]
    assert {p.fix for p in found.problems} == {"Move it elsewhere: nothing that goldgate published is kept there."}
    assert found.notes == (
        "left by a command that was stopped, or put there by hand: reports/promises/r1/.staging-abc. "
        "No reader looks at it.",
    )


LEDGER_BACK = (
    "Bring ledger.jsonl back from a copy: it is the project's truth, and nothing can be made again without it. "
    "A new project needs a new folder. Nothing was changed."
)


def test_where_a_ledger_lost_its_end_the_first_advice_is_to_bring_it_back(copy: Any) -> None:
    whole = copy.project.ledger_path.read_bytes().splitlines(keepends=True)
    copy.project.ledger_path.write_bytes(b"".join(whole[:-1]))
    found = verify(copy.project).problems
    assert [p.code for p in found] == ["database-ahead", "pointer-wrong", "release-unnamed"]
    assert found[0].fix == (
        "Bring the ledger back from a copy. Only if it is whole (by a head you kept), run `goldgate rebuild`."
    )
    assert {p.fix for p in found[1:]} == {LEDGER_FIRST}


def test_half_a_line_is_noted_and_nothing_is_wrong_with_it(copy: Any) -> None:
    whole = copy.project.ledger_path.read_bytes()
    copy.project.ledger_path.write_bytes(whole + b"0f3a {")
    found = verify(copy.project)
    assert (found.status, found.problems) == ("UNANCHORED", ())
    assert found.notes == (
        "the ledger ends in half a line: a command was stopped while writing it. The next change cuts it.",
    )
    assert copy.project.ledger_path.read_bytes() == whole + b"0f3a {"


# Payloads nobody but a forger writes: named, and never a traceback.


@pytest.mark.parametrize("n", range(9))
@pytest.mark.parametrize("value", [7, []])
def test_any_payload_of_another_shape_fails(copy: Any, n: int, value: Any) -> None:
    def other(events: list[Event]) -> list[Event]:
        return [edited(e, **dict.fromkeys(e.payload, value)) if e is events[n] else e for e in events]

    rewrite(copy, other)
    copy.project.database_path.unlink()
    found = verify(copy.project)
    assert (found.status, found.exit_code, "V2" in found.levels) == ("FAIL", 6, False)


def test_a_bug_of_ours_is_not_called_a_forgery(copy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_objects", lambda *_: (_ for _ in ()).throw(KeyError("raw")))
    with pytest.raises(KeyError):
        verify(copy.project)


@pytest.mark.parametrize(("type", "key"), [("round.opened", "frame"), ("submission.ingested", "canonical")])
@pytest.mark.parametrize("other", ["labels.csv", "another table"])
def test_an_object_that_is_not_the_table_it_is_named_as_fails(copy: Any, type: str, key: str, other: str) -> None:
    opened, submitted = of_type(copy, "round.opened").payload, of_type(copy, "submission.ingested").payload
    wrong = submitted["raw"] if other == "labels.csv" else opened["assignments"]
    edit(copy, type, **{key: wrong})
    found = verify(copy.project)
    assert (found.status, found.exit_code) == ("FAIL", 6)
    assert any(f"({type}) is wrong: an object it names is not such a table: " in p.message for p in found.problems)
    with pytest.raises(IntegrityError, match="an object it names is not such a table"), copy.project.reading():
        pass


# Level V3: what was registered, and what had to be told.


def test_a_registration_that_is_not_its_files_is_named(copy: Any) -> None:
    edit(copy, "study.registered", guideline_digest="0" * 64)
    found = verify(copy.project)
    assert [(p.code, p.message) for p in found.problems] == [
        (
            "registration-differs",
            "event 2 (study.registered): guideline digest is not what the registered files give",
        )
    ]
    assert ("V2" in found.levels, "V3" in found.levels) == (True, False)


def test_a_deviation_that_the_report_does_not_list_is_named(make: Any) -> None:
    make.register()
    make.open({"uniform": {"++": 20, "--": 20}})
    make.ingest()
    record_deviation(make.project, "r1", "the screen was small")
    make.close()
    from flows.gate import evaluate
    from flows.measure import measure

    measure(make.project, "r1")
    evaluate(make.project, "r1")
    told = of_type(make, "deviation.recorded").seq
    assert codes(make) == []
    data = json.loads(make.project.objects.read(of_type(make, "round.measured").payload["measurement"]))
    assert data["report"]["deviations"] == [f"event {told}, told by tester: the screen was small"]
    data["report"]["deviations"] = []
    edit(make, "round.measured", measurement=make.project.objects.put(canonical_json(data)))
    (problem,) = verify(make.project).problems
    assert problem.code == "deviation-unlisted"
    assert problem.message.endswith(f"the report of r1 does not list the deviation of event {told}")


# Level V4: measured and released again.


def test_everything_made_again_gives_the_same_bytes(copy: Any) -> None:
    found = verify(copy.project, [str(ledger.head_of(copy.events()))], full=True)
    assert (found.status, found.levels) == ("OK", ("V0", "V1", "V2", "V3", "V4"))
    assert [found.checked[kind] for kind in ("measurings", "remade reports", "remade releases", "not made again")] == [
        1,
        1,
        1,
        0,
    ]


def test_a_release_that_cannot_be_made_again_from_rows_and_registration_is_named(copy: Any) -> None:
    """A label of a release is changed; manifest, id, folder and ledger are made to fit."""
    released = copy.project.root / of_type(copy, "release.promoted").payload["folder"]
    labels = (released / "labels.csv").read_bytes()
    changed = labels.replace(b",yes,unanimous", b",no,unanimous", 1)
    assert changed != labels
    manifest = json.loads((released / "manifest.json").read_bytes())
    from flows.storage.published import digest_of

    for entry in manifest["files"]:
        if entry["path"] == "labels.csv":
            entry |= {"size": len(changed), "sha256": digest_of(changed)}
    release_id = digest_of(canonical_json(manifest))
    forged = released.with_name(f"1.0-{release_id[:12]}")
    for name, data in (("labels.csv", changed), ("manifest.json", canonical_json(manifest))):
        (released / name).chmod(0o644)
        (released / name).write_bytes(data)
    released.rename(forged)
    (forged.parent / "current").write_text(f"{forged.name}\n")
    folder = forged.relative_to(copy.project.root).as_posix()
    edit(copy, "release.promoted", folder=folder, release_id=release_id)
    n = len(copy.events())
    other = ("release-labels-differ", f"event {n}: release 1.0 holds other labels in labels.csv than its rounds give")
    assert [(p.code, p.message) for p in verify(copy.project).problems] == [other]
    found = verify(copy.project, full=True)
    assert [(p.code, p.message) for p in found.problems] == [
        other,
        ("release-differs", f"event {n}: making release 1.0 again gives another id"),
    ]
    assert (found.exit_code, found.levels) == (6, ("V0",))


def test_what_another_version_of_goldgate_made_is_not_called_made_again(copy: Any) -> None:
    def older(events: list[Event]) -> list[Event]:
        return [Event(**{**vars(e), "tool": "goldgate 0.0.1"}) for e in events]

    rewrite(copy, older)
    copy.project.database_path.unlink()
    shutil.rmtree(copy.project.reports)
    found = verify(copy.project, full=True)
    assert "V4" not in found.levels


# How much was looked at, of how much there is.


def test_what_is_declared_stands_beside_what_was_found(copy: Any) -> None:
    lost = copy.project.objects.path(of_type(copy, "submission.ingested").payload["raw"])
    lost.unlink()
    (copy.project.root / "reports/promises/r1/v1/report.md").unlink()
    found = verify(copy.project)
    assert found.declared["objects"] - found.checked["objects"] == 1
    assert (found.checked["report files"], found.declared["report files"]) == (2, 3)
    assert f"{found.checked['objects']} of {found.declared['objects']} objects, 2 of 3 report files" in found.paragraph
    assert [problem.code for problem in found.problems] == ["report-missing", "object-missing"]


def test_a_file_nobody_may_read_is_named(copy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = of_type(copy, "submission.ingested").payload["raw"]
    read = Path.read_bytes

    def refused(path: Path) -> bytes:
        if path.name == raw:
            raise PermissionError(13, "Permission denied")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refused)
    (problem,) = verify(copy.project).problems
    assert (problem.code, "cannot be read: Permission denied" in problem.message) == ("object-unreadable", True)


def test_what_was_talked_about_in_a_calibration_is_an_object_of_the_ledger_too(make: Any) -> None:
    make.register()
    (make.folder / "discussed.csv").write_text("item_id\nelsewhere-1\n")
    hold_calibration(make.project, "promises", make.folder / "discussed.csv", ["ada"])
    make.project.objects.path(of_type(make, "calibration.held").payload["items"]).unlink()
    assert codes(make) == ["object-missing"]


CANNOT = (
    "It cannot show real times, who acted, that nobody looked outside this tool, that labels are right or were given "
    "blind, that no other ledger exists, or that nothing was left out that never came in; nor anything against "
    "somebody who rewrote everything and every head that was kept."
)


@pytest.mark.parametrize("harm", [lambda m: None, lambda m: m.project.ledger_path.write_bytes(b"x\n")])
def test_what_cannot_be_proved_is_said_every_time(copy: Any, harm: Callable[[Any], object]) -> None:
    harm(copy)
    paragraph = verify(copy.project).paragraph
    assert paragraph.endswith(CANNOT)
    assert "untampered" not in paragraph
