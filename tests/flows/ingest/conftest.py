"""A small study with an open round, for tests of what comes in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from flows.ingest import IngestResult, ingest
from flows.open import open_round
from flows.register import register
from flows.storage.project import Project
from flows.storage.store import rows

STUDY = """\
study: claims
question: Does the answer contain a claim that its sources do not support?
unit: one answer
guideline: {version: "1.0", file: guideline.md}
scale: nominal
categories:
  - {value: supported, definition: all claims are in the sources}
  - {value: unsupported, positive: true, definition: one claim is not}
abstention_reasons: [source-missing]
roster:
  annotators: [{id: ada}, {id: bo}, {id: cy, reserve: true}]
  adjudicators: [{id: dee}]
passes: 2
slices:
  uniform: {rate: "0.10"}
duplicates: DUPLICATES
interval: {level: "0.95", resamples: 1000, seed: 1}
gate:
  use: test
  because: test
  rules:
    - {slice: uniform, statistic: union_positives, at_least: "1"}
    - {slice: uniform, statistic: krippendorff_alpha, at_least: "-1"}
"""
ROUND = """\
study: claims
round: ROUND
kind: measured
guideline_version: "1.0"
frame: frame.csv
"""
ITEMS = "".join(f"{item},v1,uniform\n" for item in ["007", *(f"b-{i}" for i in range(1, 13))])


@dataclass
class OpenRound:
    """A project with an open round `r1` of study `claims`: items 007, b-1 … b-12, version v1, for ada and bo."""

    folder: Path
    project: Project

    def write(self, text: str | bytes, name: str = "labels.csv") -> Path:
        path = self.folder / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def ingest(self, *texts: str | bytes, round_id: str = "r1", **options: Any) -> IngestResult:
        """Bring these files in; they are called labels.csv, labels-2.csv …"""
        paths = [self.write(text, f"labels{'' if i == 0 else f'-{i + 1}'}.csv") for i, text in enumerate(texts)]
        return ingest(self.project, round_id, paths, **options)

    def open(self, round_id: str, items: str, round_text: str = ROUND) -> None:
        folder = self.folder / round_id
        folder.mkdir()
        (folder / "frame.csv").write_text("item_id,item_version,slice\n" + items)
        (folder / "round.yaml").write_text(round_text.replace("ROUND", round_id))
        open_round(self.project, folder)

    def labels(self) -> list[tuple[Any, ...]]:
        """Every stored row, sorted."""
        with self.project.reading() as con:
            return rows(
                con,
                """select item_id, annotator_id, status, "label", abstain_reason, set_aside, occurrence
                   from raw_label order by all""",
            )

    def event_types(self) -> list[str]:
        return [event.type for event in self.project.events()]


def round_in(folder: Path, duplicates: str = "refuse", extra: str = "") -> OpenRound:
    """A new project with the round open. duplicates: the study's rule. extra: further lines of round.yaml."""
    (folder / "guideline.md").write_text("Read the sources.\n")
    (folder / "study.yaml").write_text(STUDY.replace("DUPLICATES", duplicates))
    project = Project(
        folder / "project",
        clock=lambda: datetime(2026, 4, 1, 12, tzinfo=UTC),
        actor=lambda: "tester",
        new_id=lambda: "test",
    )
    register(project, folder / "study.yaml")
    made = OpenRound(folder, project)
    made.open("r1", ITEMS, ROUND + extra)
    return made


@pytest.fixture
def make_round(tmp_path: Path) -> Callable[..., OpenRound]:
    return partial(round_in, tmp_path)


@pytest.fixture
def open_r1(tmp_path: Path) -> OpenRound:
    return round_in(tmp_path)


@pytest.fixture
def other_r1(tmp_path_factory: pytest.TempPathFactory) -> OpenRound:
    """The same study and round once more, in a project of its own."""
    return round_in(tmp_path_factory.mktemp("other"))


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> OpenRound:
    """One project for many refusals, which must leave it as it is: b-9 is labelled by ada, z-1 is an item of r0."""
    made = round_in(tmp_path_factory.mktemp("standing"))
    made.open("r0", "z-1,v1,uniform\n")
    made.ingest("item_id,annotator_id,label\nb-9,ada,supported\n")
    return made
