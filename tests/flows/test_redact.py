"""A deletion request: bytes go, stubs stay, nothing reads the rows any more, and no figure gets better by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agreement.errors import ConfigError, OutOfOrder
from flows.adjudicate import adjudicate
from flows.audit.rebuild import rebuild, replayed_digests
from flows.audit.verify import verify
from flows.gate import evaluate
from flows.history import history
from flows.measure import measure
from flows.redact import redact
from flows.releases.release import release
from flows.releases.withdraw import withdraw
from flows.report import past_report, write_report

PASSING = {"uniform": {"++": 20, "+-": 1, "-+": 1, "--": 38}}
ITEM = "r1-uniform-1"


def held_in(root: Path, text: str) -> list[str]:
    """Files below a project that hold this text, the ledger (which names the item) and its stubs apart."""
    files = [p for p in root.rglob("*") if p.is_file() and p.name != "ledger.jsonl"]
    return [str(p.relative_to(root)) for p in files if text.encode() in p.read_bytes()]


def names_at_all(root: Path, item: str) -> list[str]:
    # An id that begins like another one is no trace of it: items are told apart by what follows.
    return [
        name
        for name in held_in(root, item)
        if any(f"{item}{mark}" in (root / name).read_text("latin-1") for mark in ",")
    ]


@pytest.fixture
def released(make: Any) -> Any:
    make.register()
    make.gated(PASSING)
    make.report()
    adjudicate(make.project, "r1", make.decide(["r1-uniform-21", "r1-uniform-22"]))
    release(make.project, "promises", "1")
    return make


def test_no_file_of_the_project_holds_a_removed_item(released: Any) -> None:
    root = released.project.root
    assert names_at_all(root, ITEM)
    done = redact(released.project, ITEM, "the customer asked")
    assert not done.already_done
    assert names_at_all(root, ITEM) == []
    assert done.withdrawn == ("promises 1",)
    assert not (root / done.event.payload["releases"][0]).exists()


def test_a_file_that_writes_the_item_by_escapes_is_removed_too(make: Any) -> None:
    """JSON has several ways to write one id, and bytes as received are looked at as bytes."""
    make.register()
    make.open(PASSING)
    rows = [f'{{"item_id": "r1\\u002duniform\\u002d{n}", "annotator_id": "ada", "label": "no"}}' for n in (1, 2)]
    path = make.folder / "r1" / "labels.jsonl"
    path.write_text("\n".join(rows) + "\n")
    from flows.ingest import ingest

    ingest(make.project, "r1", [path])
    raw = make.events()[-1].payload["raw"]
    assert ITEM.encode() not in make.project.objects.read(raw)
    redact(make.project, ITEM, "the customer asked")
    assert not make.project.objects.has(raw)
    assert verify(make.project).status.startswith("UNANCHORED, REDACTED")


def test_no_published_file_names_a_removed_item_in_any_way(released: Any) -> None:
    """Not only in rows: neither quoted in JSON nor on a page."""
    redact(released.project, ITEM, "the customer asked")
    marks = [f"{ITEM}{mark}" for mark in (",", '"', "<", " ", "\n", "'", "`", ".", "&", "|")]
    assert [name for name in held_in(released.project.root, ITEM) if any(
        mark in (released.project.root / name).read_text("latin-1") for mark in marks
    )] == []  # fmt: skip


def test_the_rows_are_gone_from_the_database_from_a_rebuild_and_from_the_past(released: Any) -> None:
    redact(released.project, ITEM, "the customer asked")
    project = released.project
    with project.reading() as con:
        assert con.execute("select count(*) from raw_label where item_id = ?", [ITEM]).fetchall() == [(0,)]
        assert con.execute("select count(*) from frame_item").fetchall() == [(59,)]
    assert rebuild(project) == replayed_digests(project, project.events())
    assert len(list(project.root.glob("goldgate.duckdb*"))) == 1 + len(list(project.root.glob("*.old")))


def test_verify_says_redacted_and_how_many_and_not_fail(released: Any) -> None:
    done = redact(released.project, ITEM, "the customer asked")
    found = verify(released.project)
    assert (found.status, found.exit_code, found.problems) == (f"UNANCHORED, REDACTED ({done.n_objects})", 0, ())


def test_figures_measured_again_print_both_verdicts_and_the_worse_counts(make: Any) -> None:
    """Nineteen shared flags of the twenty go: what is left fails, so the pass before does not stand."""
    make.register()
    make.gated({"uniform": {"++": 3, "+-": 2, "-+": 2, "--": 38}})  # 6/10 passes
    for n in (1, 2):
        redact(make.project, f"r1-uniform-{n}", "the customer asked")
    with pytest.raises(OutOfOrder, match="something of the round was removed"):
        evaluate(make.project, "r1")
    measure(make.project, "r1")
    report = write_report(make.project, "r1").report
    assert evaluate(make.project, "r1").report.verdict.status == report.verdict.status == "fail"
    assert [(d.as_registered, d.as_amended, d.counts) for d in report.deviation_verdicts] == [
        ("pass", "fail", "fail")
    ] * 2
    assert report.redacted == 4
    assert "2 labels removed on request. Why: the customer asked." in report.deviations[0]


def test_removing_disagreement_never_turns_a_fail_into_a_pass(make: Any) -> None:
    make.register()
    make.gated({"uniform": {"++": 2, "+-": 3, "-+": 2, "--": 38}})  # 4/9 fails
    for n in (3, 4, 5, 6):  # the contested ones
        redact(make.project, f"r1-uniform-{n}", "the customer asked")
    measure(make.project, "r1")
    report = write_report(make.project, "r1").report
    assert report.verdict.status == "fail"
    assert report.deviation_verdicts[-1].as_amended == "pass"


def test_a_past_report_comes_out_byte_for_byte(released: Any) -> None:
    project, size = released.project, len(released.events())
    before = past_report(project, "r1", size)
    redact(project, ITEM, "the customer asked")
    assert past_report(project, "r1", size) == before
    assert history(project, "promises", size).releases[0].state == "in force"
    assert history(project, "promises").releases[0].state == "withdrawn"


def test_a_file_of_labels_can_be_removed_by_name(make: Any) -> None:
    make.register()
    make.open(PASSING)
    make.ingest()
    raw = make.events()[-1].payload["raw"]
    redact(make.project, "labels.csv", "not theirs to give")
    assert not make.project.objects.has(raw)
    assert make.project.objects.stub_path(raw).exists()
    with make.project.reading() as con:
        assert con.execute("select count(*) from raw_label").fetchall() == [(0,)]


def test_a_release_made_of_a_removed_file_is_withdrawn_and_one_of_others_stays(make: Any) -> None:
    """Its labels came from that file, so it cannot stay; a late file is in no release, and takes none away."""
    make.register()
    make.gated({"uniform": {"++": 20, "--": 19, "-.": 1}})
    make.report()
    project = make.project
    release(project, "promises", "1")
    make.bring("item_id,annotator_id,label\nr1-uniform-40,bo,no\n", name="late.csv")
    assert redact(project, "late.csv", "a slip").withdrawn == ()
    done = redact(project, "labels.csv", "not theirs to give")
    assert done.withdrawn == ("promises 1",)
    assert not (project.root / done.event.payload["releases"][0]).exists()
    withdrawn = next(event for event in make.events() if event.type == "release.withdrawn")
    assert withdrawn.payload["reason"] == "labels were removed on request: not theirs to give"
    assert verify(project).status.startswith("UNANCHORED, REDACTED")
    measure(project, "r1")
    write_report(project, "r1")
    with pytest.raises(OutOfOrder, match="the gate has not been asked about the last measuring"):
        release(project, "promises", "2")


def test_again_is_already_done_and_unknown_targets_are_refused(released: Any) -> None:
    first = redact(released.project, ITEM, "the customer asked")
    again = redact(released.project, ITEM, "the customer asked")
    assert (again.already_done, again.event) == (True, first.event)
    with pytest.raises(ConfigError, match="neither an item nor a file"):
        redact(released.project, "r1-uniform-999", "the customer asked")
    with pytest.raises(ConfigError, match="no reason"):
        redact(released.project, "r1-uniform-2", " ")


def test_a_removal_stopped_after_its_ledger_line_is_finished_by_the_next_command(released: Any) -> None:
    from flows.redact import _item, _withdraw

    project = released.project
    with project.changing() as change:
        payload = _item(change, ITEM)
        folders = [folder for _, folder in _withdraw(change, payload, "asked")]
        del payload["items"]
        change.append("redacted", {**payload, "target": ITEM, "reason": "asked", "releases": folders, "withdrawn": []})
    assert names_at_all(project.root, ITEM)
    with project.reading() as con:  # the next one, whatever it is
        assert con.execute("select count(*) from raw_label where item_id = ?", [ITEM]).fetchall() == [(0,)]
    assert names_at_all(project.root, ITEM) == []


def test_a_withdrawn_release_keeps_its_folder_and_gets_a_marker(released: Any) -> None:
    project = released.project
    folder = project.root / released.events()[-1].payload["folder"]
    withdraw(project, "promises", "1", "labels were wrong")
    assert folder.is_dir()
    assert "labels were wrong" in Path(f"{folder}.withdrawn").read_text()
    assert not (folder.parent / "current").exists()
    assert history(project, "promises").may_be_used.word == "Nothing now"
    assert withdraw(project, "promises", "1", "again").already_done
    assert verify(project).status == "UNANCHORED"
    with pytest.raises(ConfigError, match="no such release"):
        withdraw(project, "promises", "7", "labels were wrong")
