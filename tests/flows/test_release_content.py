"""What leaves with a release and what must not: training lists, columns, people's labels (faults.md, 85, 86)."""

from __future__ import annotations

import json
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agreement.errors import ConfigError, InputRefused, IntegrityError, OutOfOrder
from flows.adjudicate import adjudicate
from flows.audit.verify import verify
from flows.gate import evaluate
from flows.measure import measure
from flows.open import open_round
from flows.outcome import record_outcome
from flows.redact import redact
from flows.register import register
from flows.releases import release_check
from flows.releases.diff import diff_releases, diff_states
from flows.releases.reference_set import COLUMNS
from flows.releases.release import release

LABELS = {"uniform": {"++": 3, "+-": 1, "-+": 1, "--": 5}}
LISTS = "{{contested: adjudicated, unresolved: refuse, training_lists: [{}]}}"


@pytest.fixture
def passed(make: Any) -> Any:
    """A round that passed, its two contested items decided."""
    make.register()
    make.gated(LABELS)
    make.report()
    adjudicate(make.project, "r1", make.decide(["r1-uniform-4", "r1-uniform-5"]))
    return make


@pytest.fixture
def folder(passed: Any) -> Path:
    return Path(passed.project.root / release(passed.project, "promises", "1").folder)


def test_the_labels_have_the_columns_of_the_allow_list_and_the_verifier_names_the_same(folder: Path) -> None:
    assert folder.joinpath("labels.csv").read_text().splitlines()[0] == ",".join(COLUMNS) == release_check.COLUMNS


def test_no_byte_of_the_labels_says_who_gave_which_label(folder: Path) -> None:
    for name in ("labels.csv", "labels.parquet", "croissant.json", "manifest.json"):
        data = (folder / name).read_bytes()
        assert re.findall(rb"\b(?:ada|bo|dee)\b|read it twice", data) == [], name


def test_the_canary_is_in_the_card_and_in_the_metadata_and_differs_by_version(folder: Path, passed: Any) -> None:
    canaries = {
        line for line in (folder / "README.md").read_text().splitlines() if line.startswith("Reference data, not for")
    }
    (line,) = canaries
    assert line in json.loads((folder / "croissant.json").read_text())["description"]
    second = passed.project.root / release(passed.project, "promises", "2").folder
    assert line not in (second / "README.md").read_text()


def test_the_metadata_names_every_column_and_the_digest_of_both_files(folder: Path) -> None:
    record = json.loads((folder / "croissant.json").read_text())
    named = {entry["path"]: entry["sha256"] for entry in json.loads((folder / "manifest.json").read_text())["files"]}
    assert {one["name"]: one["sha256"] for one in record["distribution"]} == {
        name: named[name] for name in ("labels.csv", "labels.parquet")
    }
    assert [field["name"] for field in record["recordSet"][0]["field"]] == list(COLUMNS)


def test_the_history_up_to_the_verdict_ships_with_it(folder: Path) -> None:
    shipped = json.loads((folder / "history.json").read_text())
    assert [one["verdict"] for one in shipped["versions"][0]["rounds"]] == ["pass"]
    assert shipped["releases"] == []


@pytest.mark.parametrize(
    ("listed", "hits"),
    [
        ("item_id\nsomething-else\n", 0),
        ("item_id\nr1-uniform-1\n", 1),
        ("item_id\nR1_uniform‑2\nr1-uniform-3 \n", 2),  # as a reader would compare: case, dashes, spaces
        ("text\nno frame keeps texts\n", 0),
    ],
)
def test_items_of_a_declared_training_list_are_not_released(make: Any, listed: str, hits: int) -> None:
    (make.folder / "train.csv").write_text(listed)
    register(make.project, make.study(release=LISTS.format("train.csv").replace("{{", "{").replace("}}", "}")))
    make.gated(LABELS)
    make.report()
    adjudicate(make.project, "r1", make.decide(["r1-uniform-4", "r1-uniform-5"]))
    (make.folder / "train.csv").unlink()  # frozen at registration: later changes of the file do not matter
    if not hits:
        assert not release(make.project, "promises", "1").already_done
        return
    with pytest.raises(OutOfOrder, match=f"{hits} items are in a training list") as refused:
        release(make.project, "promises", "1")
    assert {(p.code, p.file) for p in refused.value.problems} == {("trained-on", "train.csv")}
    assert make.types()[-1] == "release.refused"


def test_an_item_is_known_by_its_text_where_the_frame_keeps_texts(make: Any) -> None:
    (make.folder / "train.csv").write_text('text\n"we PROMISE  a refund "\nanother answer\n')
    register(make.project, make.study(release="{training_lists: [train.csv]}"))
    folder = make.round({"uniform": {"++": 2, "--": 1}})
    lines = (folder / "frame.csv").read_text().splitlines()
    texts = ["text", "We promise a refund", "We do not", "Perhaps"]
    (folder / "frame.csv").write_text("".join(f"{a},{b}\n" for a, b in zip(lines, texts, strict=True)))
    open_round(make.project, folder)
    make.ingest()
    make.close()
    measure(make.project, "r1")
    make.report()
    evaluate(make.project, "r1")
    with pytest.raises(OutOfOrder, match="1 items are in a training list") as refused:
        release(make.project, "promises", "1")
    (problem,) = refused.value.problems
    assert (problem.file, problem.line, problem.column, problem.value) == ("train.csv", 2, "text", "r1-uniform-1")


def test_a_training_list_removed_on_request_refuses_no_release_and_the_release_says_so(make: Any) -> None:
    """The list named a removed item, so all of its bytes went: nobody can compare with them any more."""
    (make.folder / "train.csv").write_text("item_id\nr1-uniform-1\n")
    register(make.project, make.study(release="{training_lists: [train.csv]}"))
    make.gated({"uniform": {"++": 3, "--": 2}})
    make.report()
    redact(make.project, "r1-uniform-1", "the customer asked")
    measure(make.project, "r1")
    make.report()
    evaluate(make.project, "r1")
    released = release(make.project, "promises", "1")
    card = (make.project.root / released.folder / "README.md").read_text()
    told = "training list train.csv was removed on request: its items could not be looked for among these labels."
    assert told in card.replace("\\", "")
    found = verify(make.project, full=True)
    assert (found.problems, found.checked["remade releases"]) == ((), 1)


@pytest.mark.parametrize("harm", ["lost", "changed"])
def test_a_training_list_that_is_not_what_was_registered_refuses_the_release(make: Any, harm: str) -> None:
    (make.folder / "train.csv").write_text("item_id\nr1-uniform-1\n")
    register(make.project, make.study(release="{training_lists: [train.csv]}"))
    make.gated({"uniform": {"++": 2, "--": 1}})
    make.report()
    ((_, digest),) = next(e for e in make.events() if e.type == "study.registered").payload["training_lists"]
    path = make.project.objects.path(digest)
    path.unlink()
    if harm == "changed":
        path.write_text("item_id\nsomething-else\n")
    with pytest.raises(IntegrityError, match=f"object {digest[:12]} is "):
        release(make.project, "promises", "1")
    assert make.types()[-1] == "release.refused"


def test_the_card_says_what_the_labels_cannot_show_until_somebody_outside_checked(folder: Path, passed: Any) -> None:
    card = (folder / "README.md").read_text()
    assert "another, reaches an F1 equal to the positive specific agreement\n" in card
    assert "Differences between systems well inside what is left to 1 are not seen by these labels." in card
    assert "Outside check: none." in card
    assert "only the uniform slice speaks of traffic" in card
    outcomes = passed.folder / "outcomes.csv"
    outcomes.write_text("item_id,label,source\nr1-uniform-1,yes,appeal\n")
    record_outcome(passed.project, "r1", outcomes)
    again = passed.project.root / release(passed.project, "promises", "2").folder
    assert "Outside check: 1 recorded." in (again / "README.md").read_text()


def test_a_training_list_that_is_not_there_refuses_the_registration(make: Any) -> None:
    with pytest.raises(InputRefused, match=r"train.csv: there is no such file"):
        register(make.project, make.study(release="{training_lists: [train.csv]}"))


DAMAGES = {
    "another label": lambda f: edit(f / "labels.csv", b"yes", b"no!"),
    "a file added": lambda f: (f / "extra.txt").write_text("x"),
    "a file gone": lambda f: (f / "README.md").unlink(),
    "a file renamed": lambda f: (f / "README.md").rename(f / "readme.md"),
    "a link instead": lambda f: ((f / "README.md").unlink(), (f / "README.md").symlink_to("labels.csv")),
    "the manifest edited": lambda f: edit(f / "manifest.json", b'"labels":10', b'"labels":11'),
    "the verifier edited": lambda f: edit(f / "verify.py", b"return 6", b"return 0"),
    "the folder renamed": lambda f: f.rename(f.with_name("1-000000000000")),
}


@pytest.mark.parametrize("damage", DAMAGES, ids=str)
def test_the_verifier_in_the_release_agrees_with_verify(passed: Any, folder: Path, damage: str) -> None:
    from flows.audit.verify import verify

    checker = Path(release_check.__file__)
    release_id = passed.events()[-1].payload["release_id"]
    assert run(checker, folder, release_id) == 0
    assert verify(passed.project).status == "UNANCHORED"
    loosen(folder)
    DAMAGES[damage](folder)
    where = next(p for p in folder.parent.iterdir() if p.name.startswith("1-"))
    assert run(checker, where, release_id) == 6
    assert verify(passed.project).status == "FAIL"


def run(checker: Path, folder: Path, release_id: str) -> int:
    command = [sys.executable, "-I", str(checker), str(folder), "--id", release_id]
    return subprocess.run(command, capture_output=True, check=False).returncode


def loosen(folder: Path) -> None:
    for path in folder.rglob("*"):
        path.chmod(path.stat().st_mode | stat.S_IWUSR)


def edit(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))


def test_the_verifier_is_short_and_needs_the_standard_library_alone() -> None:
    text = Path(release_check.__file__).read_text()
    assert len(text.splitlines()) < 100
    imported = {line.split()[1].split(".")[0] for line in text.splitlines() if line.startswith(("import ", "from "))}
    assert imported <= set(sys.stdlib_module_names)


def test_a_forged_report_does_not_pass_the_audit_even_with_a_fitting_manifest(tmp_path: Path, folder: Path) -> None:
    """Whoever writes manifest and digests anew still has to make the rules' own figures pass."""
    import hashlib

    forged = tmp_path / "forged"
    shutil.copytree(folder, forged)
    loosen(forged)
    report = forged / "report" / "r1" / "report.json"
    data = json.loads(report.read_text())
    data["verdict"]["rules"][0]["found"] = "0"
    report.write_text(json.dumps(data))
    manifest = json.loads((forged / "manifest.json").read_text())
    for entry in manifest["files"]:
        content = (forged / entry["path"]).read_bytes()
        entry |= {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    written = json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    (forged / "manifest.json").write_bytes(written)
    named = forged.rename(tmp_path / f"1-{hashlib.sha256(written).hexdigest()[:12]}")
    assert release_check.differences(named) == ["r1: rule 1 does not pass"]


def test_two_releases_are_compared_item_by_item(passed: Any) -> None:
    release(passed.project, "promises", "1")
    adjudicate(passed.project, "r1", passed.decide(["r1-uniform-4"], "no", "again.csv"))
    release(passed.project, "promises", "2")
    found = diff_releases(passed.project, "promises", "1", "2")
    assert (found.added, found.removed, found.same) == ((), (), 9)
    assert [(c.item_id, c.before, c.after, c.why) for c in found.changed] == [
        ("r1-uniform-4", "yes", "no", "adjudicated both times: decided again")
    ]


def test_what_differs_is_told_by_the_exact_text_and_not_of_a_changed_folder(make: Any) -> None:
    """The CSV file puts an apostrophe before what a spreadsheet would calculate; Parquet holds the label itself."""
    make.register(make.study(text=lambda text: text.replace('value: "no"', 'value: "-no"')))
    folder = make.round({"uniform": {"++": 2, "+-": 1, "--": 2}})
    labels = folder / "labels.csv"
    labels.write_text(labels.read_text().replace(",no,", ",-no,"))
    open_round(make.project, folder)
    make.ingest()
    make.close()
    measure(make.project, "r1")
    make.report()
    evaluate(make.project, "r1")
    for version, label in (("1", "yes"), ("2", "-no")):
        adjudicate(make.project, "r1", make.decide(["r1-uniform-3"], label, f"{version}.csv"))
        released = make.project.root / release(make.project, "promises", version).folder
    (changed,) = diff_releases(make.project, "promises", "1", "2").changed
    assert (changed.item_id, changed.before, changed.after) == ("r1-uniform-3", "yes", "-no")
    loosen(released)
    edit(released / "labels.csv", b"yes", b"no!")
    with pytest.raises(IntegrityError, match="release 2 is not what was published"):
        diff_releases(make.project, "promises", "1", "2")
    shutil.rmtree(released)
    with pytest.raises(ConfigError, match="the labels of release 2 are not there any more"):
        diff_releases(make.project, "promises", "1", "2")
    with pytest.raises(ConfigError, match="promises has no release 3") as refused:
        diff_releases(make.project, "promises", "1", "3")
    assert refused.value.problems[0].fix == "Known: 1, 2."


def test_two_states_are_compared_row_by_row_and_rule_by_rule(make: Any) -> None:
    from flows.amend import amend

    make.register()
    make.open(LABELS)
    make.ingest()
    before = len(make.events())
    make.bring("item_id,item_version,annotator_id,label\nr1-uniform-1,v1,ada,no\n", revision="a slip")
    rules = ['{slice: uniform, statistic: union_positives, at_least: "2"}']
    rules += ['{slice: uniform, statistic: krippendorff_alpha, at_least: "0"}']
    amend(make.project, make.study(rules=rules), "one rule less")
    found = diff_states(make.project, "promises", before, len(make.events()))
    assert found.events == (f"{before + 1} submission.ingested", f"{before + 2} study.amended")
    assert (found.rows_before, found.rows_after) == (20, 21)
    assert [(c.item_id, c.before, c.after) for c in found.labels] == [("promises/r1/r1-uniform-1/ada", "yes", "no")]
    assert found.rules[0].startswith("promises, guideline 1.0: gate.rules: [")
    ((table, change, row),) = ((one.table, one.change, one.row) for one in found.rows)
    assert (table, change) == ("raw_label", "added")
    assert (row["item_id"], row["annotator_id"], row["label"]) == ("r1-uniform-1", "ada", "no")
    back = diff_states(make.project, "promises", len(make.events()), before)
    assert [(one.table, one.change) for one in back.rows] == [("raw_label", "removed")]


def test_what_was_stored_and_counts_in_no_figure_is_a_row_and_no_label(make: Any) -> None:
    """A late label, decisions and whom items were given to are rows too."""
    make.register()
    make.measured({"uniform": {"++": 3, "+-": 1, "--": 4, "-.": 1}})
    adjudicate(make.project, "r1", make.decide(["r1-uniform-4"]))
    before = len(make.events())
    make.bring("item_id,annotator_id,label\nr1-uniform-9,bo,no\n", name="late.csv")
    adjudicate(make.project, "r1", make.decide(["r1-uniform-4"], "no", "again.csv"))
    found = diff_states(make.project, "promises", before, len(make.events()))
    assert found.labels == ()
    assert [(one.table, one.row["item_id"], one.row["label"]) for one in found.rows] == [
        ("adjudication", "r1-uniform-4", "no"),
        ("raw_label", "r1-uniform-9", "no"),
    ]
    opened = diff_states(make.project, "promises", 2, 3)
    assert {one.table for one in opened.rows} == {"frame_item", "assignment"}


def test_two_states_are_compared_for_the_study_that_is_named(make: Any) -> None:
    """Another study of the project, registered and labelled meanwhile, is none of its business."""
    make.register()
    make.open(LABELS)
    before = len(make.events())
    make.register(make.study(study="tone"))
    make.open({"uniform": {"+-": 2}}, "t1", study="tone")
    make.ingest("t1")
    after = len(make.events())
    promises, tone = (diff_states(make.project, name, before, after) for name in ("promises", "tone"))
    assert (promises.events, promises.rows, promises.rules) == ((), (), ())
    assert tone.events == tuple(f"{event.seq} {event.type}" for event in make.events()[before:])
    assert (tone.rows_after, tone.rules) == (4, ("tone, guideline 1.0: registered",))
    with pytest.raises(ConfigError, match="study colour: it is not in this project"):
        diff_states(make.project, "colour", before, after)
