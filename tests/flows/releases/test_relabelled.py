"""Items on which a version failed, labelled again under the next: they may leave with it, marked, and never gate it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from agreement.errors import GateFailed, InputRefused, OutOfOrder
from flows.adjudicate import adjudicate
from flows.audit.verify import verify
from flows.gate import evaluate
from flows.measure import measure
from flows.releases.release import release

pytestmark = pytest.mark.usefixtures("plain_pages")

FAILING = {"uniform": {"+-": 10, "-+": 10, "--": 20, "++": 1}}
AGREED = {"uniform": {"++": 20, "--": 20}}
AGAIN = {"uniform": {"++": 3, "+-": 1, "--": 4}}


@pytest.fixture
def failed(make: Any) -> Any:
    """Version 1.0 has failed on the items of r1; version 2.0 is registered."""
    make.register()
    make.gated(FAILING)
    make.register(make.study(version="2.0"))
    return make


def relabelled(make: Any, **options: Any) -> None:
    make.measured(AGAIN, "again", kind="relabel", version="2.0", items="r1", **options)


def passed(make: Any) -> None:
    make.measured(AGREED, "r2", version="2.0")
    make.report("r2")
    evaluate(make.project, "r2")


def test_they_leave_with_a_round_that_passed_and_every_row_says_so(failed: Any) -> None:
    relabelled(failed)
    failed.report("again")
    passed(failed)
    adjudicate(failed.project, "again", failed.decide(["r1-uniform-4"]))
    done = release(failed.project, "promises", "2.0")
    folder: Path = failed.project.root / done.folder
    rows = list(csv.DictReader((folder / "labels.csv").read_text().splitlines()))
    again = {row["item_id"]: (row["label"], row["guideline_version"]) for row in rows if row["how"] == "relabelled"}
    labels = ["yes"] * 4 + ["no"] * 4  # the fourth was decided
    assert again == {f"r1-uniform-{n}": (label, "2.0") for n, label in enumerate(labels, 1)}
    assert {row["round_id"] for row in rows if row["how"] == "relabelled"} == {"again"}
    assert {(row["round_id"], row["how"]) for row in rows if row["how"] != "relabelled"} == {("r2", "unanimous")}
    assert done.event.payload["how"] == [["relabelled", 8], ["unanimous", 40]]
    assert (done.event.payload["rounds"], done.event.payload["relabelled"]) == (["r2"], ["again"])
    manifest = json.loads((folder / "manifest.json").read_bytes())
    assert [one["round"] for one in manifest["relabelled"]] == ["again"]
    assert (folder / "report" / "again" / "report.json").is_file()
    assert "| relabelled | 8 |" in (folder / "README.md").read_text()
    assert verify(failed.project).status == "UNANCHORED"


def test_a_contested_item_among_them_is_decided_first(failed: Any) -> None:
    relabelled(failed)
    failed.report("again")
    passed(failed)
    with pytest.raises(OutOfOrder, match="1 of 48 items are contested and undecided"):
        release(failed.project, "promises", "2.0")


def test_alone_they_are_not_released(failed: Any) -> None:
    relabelled(failed)
    failed.report("again")
    with pytest.raises(GateFailed, match=r"no round of guideline 1\.0 passed"):
        release(failed.project, "promises", "2.0")


def test_a_step_that_is_missing_for_them_is_named(failed: Any) -> None:
    relabelled(failed)
    passed(failed)
    with pytest.raises(OutOfOrder, match="again: the report of the last measuring has not been written"):
        release(failed.project, "promises", "2.0")


def test_a_relabel_round_nobody_has_measured_holds_nothing_up(failed: Any) -> None:
    failed.open(AGAIN, "again", kind="relabel", version="2.0", items="r1")
    passed(failed)
    assert release(failed.project, "promises", "2.0").event.payload["how"] == [["unanimous", 40]]


def test_items_nobody_failed_on_are_not_labelled_again(failed: Any) -> None:
    """Else items of no gate at all would leave beside those of one that passed."""
    with pytest.raises(InputRefused, match="8 items are not labelled again") as refused:
        failed.open(AGAIN, "again", kind="relabel", version="2.0")
    assert {problem.code for problem in refused.value.problems} == {"nothing-to-relabel"}
    assert refused.value.problems[0].value == "again-uniform-1"
    with pytest.raises(InputRefused, match="8 items are not labelled again"):
        failed.open(AGAIN, "again", kind="relabel", version="1.0", items="r1")  # the version that failed on them
    passed(failed)
    measure(failed.project, "r2")
    failed.register(failed.study(version="3.0"))
    with pytest.raises(InputRefused, match="8 items are not labelled again"):
        failed.open(AGAIN, "again", kind="relabel", version="3.0", items="r2")  # a version that passed
