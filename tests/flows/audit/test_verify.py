"""What `verify` proves, to whom, and how it names each kind of damage."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agreement.errors import ConfigError
from flows.audit.verify import verify
from flows.releases.release import release
from flows.releases.withdraw import withdraw
from flows.storage import ledger
from flows.storage.ledger import Event
from tests.flows.audit.forging import edited, of_type, rewrite


def head(make: Any, size: int | None = None) -> str:
    events = make.events()
    return str(ledger.head_of(events[: size or len(events)]))


# Levels.


def test_without_a_kept_head_nothing_is_called_ok(copy: Any) -> None:
    found = verify(copy.project)
    assert (found.status, found.exit_code, found.levels) == ("UNANCHORED", 0, ("V0", "V2", "V3"))
    assert "its tail was not cut or all of it rewritten" in found.paragraph
    assert found.head == head(copy)


@pytest.mark.parametrize("size", [1, 3, None], ids=["the first", "an older", "the last"])
def test_with_any_kept_head_it_is_ok(copy: Any, size: int | None) -> None:
    found = verify(copy.project, [head(copy, size)])
    assert (found.status, found.levels, found.problems) == ("OK", ("V0", "V1", "V2", "V3"), ())
    assert f"Events 1 to {size or len(copy.events())} are those you kept:" in found.paragraph


def test_everything_declared_is_counted(copy: Any) -> None:
    checked = verify(copy.project).checked
    assert checked["events"] == len(copy.events())
    assert (checked["report files"], checked["releases"], checked["verdicts"]) == (3, 1, 1)
    as_received = 2  # files of items and assignments: events name their rows, which have no order
    assert checked["objects"] == len(list(copy.project.objects.folder.iterdir())) - as_received
    assert checked["tables"] >= 5


def test_looking_changes_nothing(copy: Any) -> None:
    before = {path: path.stat().st_mtime_ns for path in copy.project.root.rglob("*")}
    verify(copy.project)
    assert {path: path.stat().st_mtime_ns for path in copy.project.root.rglob("*")} == before


def test_an_empty_folder_has_nothing_to_prove(make: Any) -> None:
    assert verify(make.project).checked["events"] == 0


# Damage, one kind at a time.


def flip_ledger(make: Any) -> None:
    data = bytearray(make.project.ledger_path.read_bytes())
    data[len(data) // 2] ^= 1
    make.project.ledger_path.write_bytes(bytes(data))


def overwrite(path: Path, data: bytes) -> None:
    path.chmod(0o644)
    path.write_bytes(data)


def object_of(make: Any, type: str, key: str) -> Path:
    return make.project.objects.path(of_type(make, type).payload[key])


def extra_row(make: Any) -> None:
    with make.project.changing() as change:
        change.con.execute("insert into raw_label select * replace ('x' as item_id) from raw_label limit 1")


def extra_release(make: Any) -> None:
    released = make.project.root / of_type(make, "release.promoted").payload["folder"]
    shutil.copytree(released, released.with_name("2.0-0123456789ab"))


REPORT = "reports/promises/r1/v1"
DAMAGE: list[tuple[str, Callable[[Any], object], str, str]] = [
    ("a byte of the ledger", flip_ledger, "FAIL", "ledger-broken"),
    (
        "a changed label file",
        lambda m: overwrite(object_of(m, "submission.ingested", "raw"), b"x"),
        "FAIL",
        "object-changed",
    ),
    (
        "changed canonical rows",
        lambda m: overwrite(object_of(m, "submission.ingested", "canonical"), b"x"),
        "FAIL",
        "object-changed",
    ),
    (
        "a changed study file",
        lambda m: overwrite(object_of(m, "study.registered", "study_file"), b"x"),
        "FAIL",
        "object-changed",
    ),
    (
        "a lost label file",
        lambda m: object_of(m, "submission.ingested", "raw").unlink(),
        "INCOMPLETE",
        "object-missing",
    ),
    (
        "a lost measurement",
        lambda m: object_of(m, "round.measured", "measurement").unlink(),
        "INCOMPLETE",
        "object-missing",
    ),
    ("a changed report", lambda m: overwrite(m.project.root / REPORT / "report.html", b"x"), "FAIL", "report-changed"),
    ("a lost report", lambda m: (m.project.root / REPORT / "report.md").unlink(), "FAIL", "report-missing"),
    ("a file beside a report", lambda m: (m.project.root / REPORT / "report.pdf").touch(), "FAIL", "report-extra"),
    ("a report nobody wrote", lambda m: (m.project.root / "reports/promises/r1/v2").mkdir(), "FAIL", "report-unnamed"),
    ("a release nobody made", extra_release, "FAIL", "release-unnamed"),
    (
        "a lost release",
        lambda m: shutil.rmtree(m.project.root / of_type(m, "release.promoted").payload["folder"]),
        "FAIL",
        "release-missing",
    ),
    (
        "a pointer elsewhere",
        lambda m: (m.project.releases / "promises/current").write_text("2.0-0123456789ab\n"),
        "FAIL",
        "pointer-wrong",
    ),
    ("a row added to the database", extra_row, "FAIL", "database-changed"),
    ("no database at all", lambda m: overwrite(m.project.database_path, b"x" * 20_000), "FAIL", "database-broken"),
]


# What is said of each, and what to do: the message (a pattern, for digests and numbers) and the advice, word for word.
SAID = {
    "ledger-broken": (
        r"ledger\.jsonl is not intact: event \d+ is wrong: .+",
        "Restore ledger.jsonl from a backup and compare its head with one you kept. Nothing was changed.",
    ),
    "object-changed": (
        r"event \d+ \([a-z.]+\): object [0-9a-f]{12} is not what it was: its bytes have another SHA-256",
        "Restore it from a backup, then run `goldgate verify`.",
    ),
    "object-missing": (
        r"event \d+ \([a-z.]+\): object [0-9a-f]{12} is missing from objects/",
        "Restore it from a backup: the ledger names it, so it once was there.",
    ),
    "report-changed": (
        "the file is not what was written",
        "Restore it from a copy, or delete it and run `goldgate report` again.",
    ),
    "report-missing": ("the file is gone", "`goldgate report` writes it again."),
    "report-extra": ("the file was added later", "Move it elsewhere."),
    "report-unnamed": (
        "no event names this folder",
        "If the ledger lost its end, bring it back from a copy; if a command was stopped, run it again; else move the "
        "folder elsewhere.",
    ),
    "release-unnamed": (
        "no event names this folder",
        "If the ledger lost its end, bring it back from a copy; if a command was stopped, run it again; else move the "
        "folder elsewhere.",
    ),
    "release-missing": ("the release's folder is gone", "Restore it from a copy."),
    "pointer-wrong": (r"it should name 1\.0-[0-9a-f]{12}", "`goldgate release promises 1.0` sets it again."),
    "database-changed": ("table raw_label does not hold what objects and ledger give", "Run `goldgate rebuild`."),
    "database-broken": (
        r"goldgate\.duckdb cannot be opened: .+",
        "Keep the file for inspection and run `goldgate rebuild`: objects and ledger hold everything.",
    ),
}


@pytest.mark.parametrize(("harm", "status", "code"), [case[1:] for case in DAMAGE], ids=[case[0] for case in DAMAGE])
def test_each_kind_of_damage_is_named(copy: Any, harm: Callable[[Any], object], status: str, code: str) -> None:
    kept = head(copy)
    harm(copy)
    found = verify(copy.project, [kept])
    assert (found.status, found.exit_code) == (status, 6)
    assert {problem.code for problem in found.problems} == {code}
    message, fix = SAID[code]
    assert [p.message for p in found.problems if not re.fullmatch(message, p.message)] == []
    assert {problem.fix for problem in found.problems} == {fix}
    assert "V3" not in found.levels
    assert json.loads(json.dumps(found.as_json()))["status"] == status


def test_a_database_of_another_project_is_named(copy: Any, new_maker: Callable[..., Any]) -> None:
    other = new_maker(new_id=lambda: "another")
    other.register()
    shutil.copy(other.project.database_path, copy.project.database_path)
    assert [problem.code for problem in verify(copy.project).problems] == ["database-foreign"]


def test_a_lost_database_is_no_loss(copy: Any) -> None:
    copy.project.database_path.unlink()
    assert verify(copy.project).status == "UNANCHORED"


def test_a_cut_tail_shows_only_against_a_kept_head(copy: Any) -> None:
    kept = head(copy)
    lines = copy.project.ledger_path.read_bytes().splitlines(keepends=True)
    copy.project.ledger_path.write_bytes(b"".join(lines[:-2]))
    shutil.rmtree(copy.project.releases)
    copy.project.database_path.unlink()
    assert verify(copy.project).status == "UNANCHORED"
    found = verify(copy.project, [kept])
    assert (found.status, [p.code for p in found.problems]) == ("FAIL", ["ledger-cut"])
    assert "V1" not in found.levels


def test_a_rewritten_ledger_shows_only_against_a_kept_head(copy: Any) -> None:
    kept = [head(copy, n) for n in (1, 4)]
    rewrite(copy, lambda events: [events[0], Event(**{**vars(events[1]), "actor": "mallory"}), *events[2:]])
    copy.project.database_path.unlink()
    codes = [problem.code for problem in verify(copy.project, kept).problems]
    assert codes == ["ledger-rewritten"]  # event 1 is still as it was, event 4 is not


FORGERIES: list[tuple[str, Callable[[list[Event]], list[Event]], str]] = [
    ("no closing", lambda e: [x for x in e if x.type != "round.closed"], "ledger-broken"),
    (
        "no closing, and every number made to fit",
        lambda e: [edited(x, measured=5) if "measured" in x.payload else x for x in e if x.type != "round.closed"],
        "order-broken",
    ),
    (
        "the gate before the measuring",
        lambda e: sorted(e, key=lambda x: {"gate.evaluated": 5.5}.get(x.type, x.seq)),
        "ledger-broken|order-broken",
    ),
    ("no opening", lambda e: [x for x in e if x.type != "round.opened"], "ledger-broken"),
    ("an unknown event", lambda e: [*e[:2], Event(**{**vars(e[1]), "type": "waived"}), *e[2:]], "ledger-broken"),
    (
        "a release of a round that failed",
        lambda e: [edited(x, verdict="fail") if x.type == "gate.evaluated" else x for x in e],
        "order-broken",
    ),
    (
        "a verdict with another exit code",
        lambda e: [edited(x, exit_code=4) if x.type == "gate.evaluated" else x for x in e],
        "verdict-differs",
    ),
    (
        "a rule found otherwise",
        lambda e: [edited(x, rules=[]) if x.type == "gate.evaluated" else x for x in e],
        "verdict-differs",
    ),
]


@pytest.mark.parametrize(("change", "codes"), [case[1:] for case in FORGERIES], ids=[case[0] for case in FORGERIES])
def test_a_chain_that_is_intact_and_tells_an_impossible_story_fails(
    copy: Any, change: Callable[[list[Event]], list[Event]], codes: str
) -> None:
    rewrite(copy, change)
    copy.project.database_path.unlink()
    found = verify(copy.project)
    assert found.status == "FAIL"
    assert set(codes.split("|")) & {problem.code for problem in found.problems}
    assert "V3" not in found.levels


def test_a_measurement_with_a_better_verdict_does_not_stand_judged_again(copy: Any) -> None:
    """Somebody rewrites report, ledger and object, all with fresh digests; the counts still say otherwise."""
    data = json.loads(object_of(copy, "round.measured", "measurement").read_bytes())
    data["counts"][0]["multiplicity"] = [1 for _ in data["counts"][0]["multiplicity"]]
    from flows.storage.published import canonical_json

    digest = copy.project.objects.put(canonical_json(data))
    rewrite(copy, lambda events: [edited(e, measurement=digest) if e.type == "round.measured" else e for e in events])
    copy.project.database_path.unlink()
    codes = {problem.code for problem in verify(copy.project).problems}
    assert codes == {"verdict-differs", "counts-differ"}


@pytest.mark.parametrize("text", ["", "abc@1", "0" * 64, f"{'0' * 64}@0", f"{'0' * 64}@x", f"{'G' * 64}@1"])
def test_a_head_is_written_as_it_was_printed(make: Any, text: str) -> None:
    with pytest.raises(ConfigError, match="not a head"):
        verify(make.project, [text])


def test_a_lost_training_list_is_named(make: Any) -> None:
    (make.folder / "train.csv").write_text("item_id\nelsewhere-1\n")
    make.register(make.study(release="{training_lists: [train.csv]}"))
    ((_, digest),) = of_type(make, "study.registered").payload["training_lists"]
    assert verify(make.project).status == "UNANCHORED"
    make.project.objects.path(digest).unlink()
    assert [problem.code for problem in verify(make.project).problems] == ["object-missing"]


@pytest.mark.parametrize("gone_wrong", ["names nobody's folder", "is lost"])
def test_the_advice_about_the_pointer_is_a_command_that_mends_it(copy: Any, gone_wrong: str) -> None:
    """Also where the last release was withdrawn: the pointer names the last one in force."""
    release(copy.project, "promises", "2.0")
    withdraw(copy.project, "promises", "2.0", "a slip")
    pointer = copy.project.releases / "promises" / "current"
    if gone_wrong == "is lost":
        pointer.unlink()
    else:
        pointer.write_text("2.0-0123456789ab\n")
    (problem,) = verify(copy.project).problems
    assert (problem.code, problem.fix) == ("pointer-wrong", "`goldgate release promises 1.0` sets it again.")
    assert release(copy.project, "promises", "1.0").already_done
    assert verify(copy.project).problems == ()


def test_a_pointer_to_what_is_no_longer_in_force_is_to_be_removed(copy: Any) -> None:
    withdraw(copy.project, "promises", "1.0", "a slip")
    (copy.project.releases / "promises" / "current").write_text("1.0-0123456789ab\n")
    (problem,) = verify(copy.project).problems
    assert (problem.code, problem.fix) == ("pointer-wrong", "Remove it: no release is in force.")


def test_one_of_a_kind_is_said_in_the_singular(copy: Any) -> None:
    found = verify(copy.project, full=True)
    assert "3 report files and 1 release agree with each other" in found.paragraph
    assert "Made again, with the same bytes: 1 measuring, 1 report and 1 release." in found.paragraph


def test_a_verdict_on_another_measuring_than_the_last_is_named(copy: Any) -> None:
    rewrite(copy, lambda events: [edited(e, measured=1) if e.type == "gate.evaluated" else e for e in events])
    copy.project.database_path.unlink()
    assert verify(copy.project).status == "FAIL"
