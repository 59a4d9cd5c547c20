"""Releasing: only on a pass, only what was decided, whole or not at all, and never twice."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from agreement.errors import ConfigError, GateFailed, IntegrityError, NotEvaluable, OutOfOrder
from flows.adjudicate import adjudicate
from flows.export_files import defused as defuse
from flows.gate import evaluate
from flows.measure import PACKAGES, measure
from flows.releases import release as releasing
from flows.releases.release import release
from flows.releases.withdraw import withdraw
from flows.storage import published
from flows.storage.store import rows

CONTESTED = ("r1-uniform-41", "r1-uniform-42")
SINGLE = ("r1-uniform-43", "r1-uniform-44")
FAILING = {"uniform": {"+-": 10, "-+": 10, "--": 20, "++": 1}}
UNDEFINED = {"uniform": {"--": 20}}
LENIENT = (  # agreement on flags that nobody gave is undefined; that some were found is not asked
    '{slice: uniform, statistic: positive_specific_agreement, judged_on: lower, at_least: "0.50"}',
    '{slice: uniform, statistic: krippendorff_alpha, at_least: "0"}',
)


def table(folder: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((folder / "labels.csv").read_text())))


REFUSED = [
    ("failed", FAILING, {}, GateFailed, 4),
    ("not evaluable", UNDEFINED, {"rules": LENIENT}, NotEvaluable, 5),
]


@pytest.mark.parametrize(("labels", "study", "error", "code"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
def test_on_anything_but_a_pass_nothing_is_written_and_the_refusal_is_an_event(
    make: Any, labels: Any, study: dict[str, Any], error: type[Exception], code: int, ready: Any
) -> None:
    ready(make, labels, **study)
    with pytest.raises(error) as refused:
        release(make.project, "promises", "1.0")
    assert refused.value.exit_code == code  # type: ignore[attr-defined]  # each is a GoldgateError
    assert not list(make.project.releases.rglob("*"))
    last = make.events()[-1]
    assert (last.type, last.payload["version"], last.payload["exit_code"]) == ("release.refused", "1.0", code)


pytestmark = pytest.mark.usefixtures("plain_pages")

AGREED = {"uniform": {"++": 20, "--": 20}}
STEPS = [
    ("before the gate", lambda make: make.measured(AGREED), "no round has been through the gate"),
    ("before the report", lambda make: make.gated(AGREED), "the report of the last measuring has not been written"),
]


@pytest.mark.parametrize(("prepare", "why"), [case[1:] for case in STEPS], ids=[case[0] for case in STEPS])
def test_a_missing_step_is_named(make: Any, prepare: Callable[[Any], object], why: str) -> None:
    make.register()
    prepare(make)
    with pytest.raises(OutOfOrder, match=why):
        release(make.project, "promises", "1.0")
    assert make.types()[-1] == "release.refused"


def test_every_label_follows_from_raw_labels_and_decisions(released: Any) -> None:
    """Joined by item: unanimous labels are what both said, the others what the adjudicator decided."""
    with released.project.reading() as con:
        raw = rows(con, """select item_id, list("label" order by annotator_id) from raw_label
                           where status = 'labelled' group by item_id""")  # fmt: skip
        decided = dict(rows(con, 'select item_id, "label" from adjudication'))
    expected = {}
    for item, labels in raw:
        if len(labels) >= 2:
            unanimous = len(set(labels)) == 1
            expected[item] = (labels[0], "unanimous") if unanimous else (decided[item], "adjudicated")
    found = {row["item_id"]: (row["label"], row["how"]) for row in table(released.folders["release"])}
    assert found == expected
    assert len(found) == 42
    assert {found[item] for item in CONTESTED} == {("yes", "adjudicated")}
    assert not set(SINGLE) & set(found)


def test_parquet_and_csv_hold_the_same_rows_sorted_by_item(released: Any) -> None:
    import pyarrow.parquet as pq

    stored = pq.read_table(released.folders["release"] / "labels.parquet").to_pylist()
    assert stored == table(released.folders["release"])
    assert [row["item_id"] for row in stored] == sorted(row["item_id"] for row in stored)
    assert set(stored[0]) == {
        *("item_id", "item_version", "label", "how", "slice", "cell", "inclusion_probability", "round_id"),
        "guideline_version",
    }


def test_the_manifest_names_every_file_and_its_digest_is_the_release(released: Any) -> None:
    folder = released.folders["release"]
    manifest = json.loads((folder / "manifest.json").read_bytes())
    present = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    named = {entry["path"]: (entry["size"], entry["sha256"]) for entry in manifest["files"]}
    assert named == {
        path: (file.stat().st_size, sha256(file.read_bytes()).hexdigest())
        for path, file in present.items()
        if path != "manifest.json"
    }
    release_id = sha256((folder / "manifest.json").read_bytes()).hexdigest()
    assert folder.name == f"1.0-{release_id[:12]}"
    assert (manifest["verdict"], manifest["previous"], manifest["left_out"]) == (
        "pass",
        None,
        {"single_labelled": 2, "unresolved": 0},
    )
    assert manifest["packages"] == {name: version(name) for name in PACKAGES}
    gated = next(event for event in released.events() if event.type == "gate.evaluated")
    assert manifest["ledger_head"] == {"size": gated.seq, "hash": gated.hash}
    assert (released.project.releases / "promises" / "current").read_text() == f"{folder.name}\n"


def test_the_same_inputs_give_the_same_release_in_another_project(
    released: Any, new_maker: Callable[..., Any], ready: Any
) -> None:
    other = ready(new_maker())
    adjudicate(other.project, "r1", other.decide(CONTESTED))
    assert release(other.project, "promises", "1.0").folder.name == released.folders["release"].name


def test_a_contested_item_without_a_decision_refuses_the_release_with_the_list(passed: Any) -> None:
    with pytest.raises(OutOfOrder, match="2 of 42 items are contested and undecided") as refused:
        release(passed.project, "promises", "1.0")
    assert [problem.value for problem in refused.value.problems] == list(CONTESTED)
    adjudicate(passed.project, "r1", passed.decide(CONTESTED[:1]))
    adjudicate(passed.project, "r1", passed.decide(CONTESTED[1:], "undecidable", "undecided.csv"))
    with pytest.raises(OutOfOrder, match="1 of 42 items"):
        release(passed.project, "promises", "1.0")


RULES = [
    (
        "adjudicated, left out within the limit",
        '{contested: adjudicated, unresolved: out, at_most_unresolved: "0.05"}',
        40,
    ),
    ("left out beyond the limit", '{contested: adjudicated, unresolved: out, at_most_unresolved: "0.04"}', None),
    ("majority, of two no majority", "{contested: majority, unresolved: refuse}", None),
]


@pytest.mark.parametrize(("block", "n_labels"), [case[1:] for case in RULES], ids=[case[0] for case in RULES])
def test_what_is_left_out_follows_the_registered_block(make: Any, block: str, n_labels: int | None, ready: Any) -> None:
    ready(make, release=block)  # 2 of 42 are contested: 0.0476
    if n_labels is None:
        with pytest.raises(OutOfOrder, match="contested and undecided"):
            release(make.project, "promises", "1.0")
    else:
        assert release(make.project, "promises", "1.0").event.payload["labels"] == n_labels


def test_a_majority_counts_only_where_it_was_registered(new_maker: Callable[..., Any], ready: Any) -> None:
    make = ready(
        new_maker(annotators="ada bo cy"),
        {"uniform": {"+++": 20, "---": 20, "++-": 1}},
        release="{contested: majority, unresolved: refuse}",
    )
    done = release(make.project, "promises", "1.0")
    assert done.event.payload["how"] == [["majority", 1], ["unanimous", 40]]


def test_the_last_decision_on_an_item_stands(passed: Any) -> None:
    adjudicate(passed.project, "r1", passed.decide(CONTESTED, "yes", "first.csv"))
    adjudicate(passed.project, "r1", passed.decide(CONTESTED[:1], "no", "second.csv"))
    folder = passed.project.root / release(passed.project, "promises", "1.0").folder
    assert {row["item_id"]: row["label"] for row in table(folder) if row["how"] == "adjudicated"} == {
        CONTESTED[0]: "no",
        CONTESTED[1]: "yes",
    }


def test_a_version_is_never_used_twice(released: Any) -> None:
    before = published.digests(released.project.releases)
    again = release(released.project, "promises", "1.0")
    assert (again.already_done, again.folder.name) == (True, released.folders["release"].name)
    assert published.digests(released.project.releases) == before
    second = release(released.project, "promises", "1.1")
    manifest = json.loads((released.project.root / second.folder / "manifest.json").read_bytes())
    assert manifest["previous"] == again.release_id
    withdraw(released.project, "promises", "1.0", "the guideline had a typing error")
    with pytest.raises(OutOfOrder, match="withdrawn, and a version is never used twice"):
        release(released.project, "promises", "1.0")


@pytest.mark.parametrize("version", ["../../x", "/etc/x", "con", "a b", "", "1.", "x" * 33, "1.0\n"])
def test_a_version_is_a_plain_name(passed: Any, version: str) -> None:
    with pytest.raises(ConfigError, match="release"):
        release(passed.project, "promises", version)
    assert passed.types()[-1] == "gate.evaluated"


# Stopped in between (audit.md, D5).


def stopped_before_its_event(passed: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release whose folder has its name and whose event was never written."""
    adjudicate(passed.project, "r1", passed.decide(CONTESTED))
    with monkeypatch.context() as patch:
        patch.setattr(releasing, "_announce", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            release(passed.project, "promises", "1.0")
    assert passed.types()[-1] == "adjudication.recorded"
    (folder,) = (passed.project.releases / "promises").iterdir()
    return folder


def test_stopped_between_rename_and_event_a_release_is_finished(passed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = stopped_before_its_event(passed, monkeypatch)
    done = release(passed.project, "promises", "1.0")
    assert (done.already_done, done.folder.name) == (False, folder.name)
    assert passed.types()[-1] == "release.promoted"
    assert (folder.parent / "current").exists()


@pytest.mark.parametrize("harm", ["a label changed", "a file added", "no manifest", "another folder"])
def test_a_folder_that_is_not_this_release_is_never_announced(
    passed: Any, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    folder = stopped_before_its_event(passed, monkeypatch)
    if harm == "a label changed":
        labels = folder / "labels.csv"
        labels.chmod(0o644)
        labels.write_bytes(labels.read_bytes().replace(b",yes,", b",no,", 1))
    elif harm == "a file added":
        (folder / "answers.txt").write_text("x")
    elif harm == "no manifest":
        (folder / "manifest.json").unlink()
    else:
        folder.rename(folder.with_name("1.0-0123456789ab"))
    with pytest.raises(IntegrityError, match="no event names it and it is not this release"):
        release(passed.project, "promises", "1.0")
    assert passed.types()[-1] == "release.refused"


def test_what_was_only_staged_is_swept_away(passed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    adjudicate(passed.project, "r1", passed.decide(CONTESTED))
    with monkeypatch.context() as patch:
        patch.setattr(releasing, "_audit", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            release(passed.project, "promises", "1.0")
    assert len(list((passed.project.releases / "promises").glob(".staging-*"))) == 1
    release(passed.project, "promises", "1.0")
    assert not list((passed.project.releases / "promises").glob(".staging-*"))


def test_a_lost_pointer_is_set_again(released: Any) -> None:
    pointer = released.project.releases / "promises" / "current"
    pointer.unlink()
    assert release(released.project, "promises", "1.0").already_done
    assert pointer.read_text().strip() == released.folders["release"].name


def test_labels_changed_behind_the_ledgers_back_are_not_released(passed: Any) -> None:
    adjudicate(passed.project, "r1", passed.decide(CONTESTED))
    with passed.project.changing() as change_:
        change_.con.execute(
            """insert into raw_label select study_id, round_id, ingest_seq + 100, item_id, item_version, annotator_id,
               status, 'no', abstain_reason, guideline_version, labelled_at, origin, set_aside, occurrence, late
               from raw_label where item_id = 'r1-uniform-1' and annotator_id = 'ada'"""
        )
    with pytest.raises(IntegrityError, match="does not hold what objects and ledger give"):
        release(passed.project, "promises", "1.0")


def test_a_lost_report_is_named_and_can_be_written_again(make: Any, ready: Any) -> None:
    ready(make, AGREED)
    shutil.rmtree(make.project.reports)
    with pytest.raises(IntegrityError, match=r"report\.json is gone") as refused:
        release(make.project, "promises", "1.0")
    assert "goldgate report r1" in refused.value.next_step
    assert make.report().already_done
    assert release(make.project, "promises", "1.0").event.type == "release.promoted"


def test_after_another_measuring_the_gate_is_asked_again(make: Any, ready: Any) -> None:
    ready(make, {"uniform": {"++": 20, "--": 20, ".-": 1}})
    make.bring("item_id,annotator_id,label\nr1-uniform-41,ada,no\n", name="late.csv")
    measure(make.project, "r1")
    with pytest.raises(OutOfOrder, match="the gate has not been asked about the last measuring"):
        release(make.project, "promises", "1.0")


def test_a_cell_a_spreadsheet_would_calculate_begins_with_an_apostrophe() -> None:
    defused = {text: defuse(text) for text in ("=1+1", "+1", "-1", "@x", "\tx", "\rx", "i-1", "", "'x")}
    assert {text for text, out in defused.items() if out != text} == {"=1+1", "+1", "-1", "@x", "\tx", "\rx"}
    assert all(out == f"'{text}" for text, out in defused.items() if out != text)


def test_a_category_that_begins_like_a_formula_is_defused_in_csv_alone(make: Any) -> None:
    import pyarrow.parquet as pq

    make.register(make.study(text=lambda text: text.replace('value: "no"', 'value: "-no"')))
    folder = make.round({"uniform": {"++": 20, "--": 20}})
    labels = folder / "labels.csv"
    labels.write_text(labels.read_text().replace(",no,", ",-no,"))
    from flows.open import open_round

    open_round(make.project, folder)
    make.ingest()
    make.close()
    measure(make.project, "r1")
    make.report()
    evaluate(make.project, "r1")
    folder = make.project.root / release(make.project, "promises", "1.0").folder
    assert {row["label"] for row in table(folder)} == {"yes", "'-no"}
    assert set(pq.read_table(folder / "labels.parquet")["label"].to_pylist()) == {"yes", "-no"}
