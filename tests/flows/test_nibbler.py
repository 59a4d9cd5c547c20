"""A real release of 12,071 ratings in three rounds, as one study: from the file as published to alpha per round.

Skipped where the shared data are absent. The figures were computed from the same file by other programs.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.audit.verify import verify
from flows.gate import evaluate
from flows.history import history
from flows.ingest import ingest
from flows.open import open_round
from flows.report import measured_report
from flows.storage.ledger import Event
from schemas.report import Report

ALPHA = {"1": "0.703", "3": "0.409", "4": "0.749"}
STUDY = """\
study: nibbler
question: Does the picture show something unsafe?
unit: one picture made from a submitted prompt
guideline: {{version: "{version}", file: guideline.md}}
scale: nominal
categories:
  - {{value: image_unsafe, positive: true, definition: It does.}}
  - {{value: image_safe, definition: It does not.}}
abstention_reasons: [unsure]
roster: {{annotators: [{people}]}}
passes: 5
slices: {{uniform: {{rate: "1"}}}}
duplicates: first
interval: {{level: "0.95", resamples: 100, seed: 1}}
gate:
  use: see how safety raters agree
  because: nothing is decided by it
  rules: [{{slice: uniform, statistic: krippendorff_alpha, judged_on: lower, at_least: "0"}}]
"""
ROUND = """\
study: nibbler
round: round-{version}
kind: retrospective
guideline_version: "{version}"
frame: frame.csv
assignments: assignments.csv
columns: {{annotator_id: rater_id, label: image_safety}}
abstentions: {{unsure_image_safe: unsure, image_unsure_safe: unsure}}
ignore:
  [round, list_pos, job, task_id, answer_time_ms, text_safety, image_failure_type, text_attack_mode, has_free_text]
set_aside: [other-round]
"""


@pytest.fixture(scope="module")
def study(shared: Path, tmp_path_factory: pytest.TempPathFactory, maker_in: Callable[..., Any]) -> Any:
    """Three versions registered and three rounds opened; the one published file goes into each round as it is."""
    from flows.close import close_round
    from flows.measure import measure

    published = shared / "data" / "adversarial-nibbler" / "annotations.csv"
    if not published.exists():
        pytest.skip("adversarial-nibbler is not beside this checkout")
    with published.open(newline="", encoding="utf-8") as lines:
        ratings = list(csv.DictReader(lines))
    make = maker_in(tmp_path_factory.mktemp("nibbler"))
    people = ", ".join(f"{{id: {who}}}" for who in sorted({r["rater_id"] for r in ratings}))
    (make.folder / "guideline.md").write_text("Say whether the picture is safe.\n")
    for version in ALPHA:
        _write_round(make.folder, version, [r for r in ratings if r["round"] == version])
        study_file = make.folder / f"nibbler-{version}.yaml"
        study_file.write_text(STUDY.format(version=version, people=people))
        make.register(study_file)
        open_round(make.project, make.folder / version)
    for version in ALPHA:
        ingest(make.project, f"round-{version}", [published])
        close_round(make.project, f"round-{version}")
        measure(make.project, f"round-{version}")
    return make


def _write_round(folder: Path, version: str, ratings: list[dict[str, str]]) -> None:
    here = folder / version
    here.mkdir()
    items = dict.fromkeys(r["item_id"] for r in ratings)
    asked = dict.fromkeys((r["item_id"], r["rater_id"]) for r in ratings)
    (here / "frame.csv").write_text("item_id,item_version\n" + "".join(f"{item},1\n" for item in items))
    pairs = "".join(f"{item},{who}\n" for item, who in asked)
    (here / "assignments.csv").write_text("item_id,annotator_id\n" + pairs)
    (here / "round.yaml").write_text(ROUND.format(version=version))


def reports(make: Any) -> dict[str, Report]:
    state = make.project.state()
    return {
        version: measured_report(make.project.objects, state.round(f"round-{version}").measured[-1])
        for version in ALPHA
    }


def submissions(make: Any) -> list[Event]:
    return [event for event in make.events() if event.type == "submission.ingested"]


def test_every_rating_comes_in_once(study: Any) -> None:
    own = [event.payload["n_rows"] - sum(event.payload["set_aside"].values()) for event in submissions(study)]
    assert sum(own) == 12_071
    found = reports(study)
    assert sum(one.slices[0].coverage.items for one in found.values()) == 2_419
    assert len({p.annotator_id for one in found.values() for p in one.slices[0].annotators}) == 15
    assert [len(one.slices[0].annotators) for one in found.values()] == [12, 7, 9]
    assert sum(sum(one.duplicates.values()) for one in found.values()) == 17  # pairs with two rows


def test_alpha_of_each_round_is_that_of_other_programs(study: Any) -> None:
    for version, report in reports(study).items():
        (alpha,) = [e for e in report.slices[0].estimates if e.statistic == "krippendorff_alpha"]
        assert float(alpha.value or "nan") == pytest.approx(float(ALPHA[version]), abs=5e-4)


def test_both_spellings_of_unsure_are_abstentions_and_round_1_knew_none(study: Any) -> None:
    abstained = {version: one.slices[0].coverage.abstained for version, one in reports(study).items()}
    assert abstained["1"] == 0
    assert min(abstained["3"], abstained["4"]) > 0


def test_labels_that_were_there_before_are_shown_as_such_and_never_gated(study: Any) -> None:
    from agreement.errors import OutOfOrder

    with pytest.raises(OutOfOrder, match="retrospective round is never gated"):
        evaluate(study.project, "round-1")
    record = history(study.project, "nibbler")
    assert [version.guideline_version for version in record.versions] == ["1", "3", "4"]
    assert {line.grade for version in record.versions for line in version.rounds} == {"retrospective"}
    assert verify(study.project).status == "UNANCHORED"
