"""What nearly all tests share: a project whose clock stands still, and a way to say a round's labels in one line.

A round's labels are written as slice -> pattern -> number of items. A pattern has one sign per annotator, in the
roster's order: `+` positive, `-` negative, `a` abstained, `.` no row, `d` draft, `n` never shown, `s` skipped,
`e` submitted empty, `v` an answer on another version of the item, `_` not asked at all.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from flows.close import Done, close_round
from flows.gate import Gated, evaluate
from flows.ingest import IngestResult, ingest
from flows.measure import measure
from flows.open import open_round
from flows.register import Registered, register
from flows.report import Written, measured_report, write_report
from flows.storage.ledger import Event
from flows.storage.project import Project
from schemas.report import Report

NOON = datetime(2026, 4, 1, 12, tzinfo=UTC)
SHARED = Path(__file__).parents[1].parent / "shared"
Labels = Mapping[str, Mapping[str, int]]

STATUS = {"d": "draft", "n": "never_shown", "s": "skipped", "e": "submitted_empty"}
# Passes wherever two annotators agree at all; fails wherever they never do.
EASY_RULES = (
    '{slice: uniform, statistic: union_positives, at_least: "1"}',
    '{slice: uniform, statistic: positive_specific_agreement, at_least: "0.50"}',
    '{slice: uniform, statistic: krippendorff_alpha, at_least: "0"}',
)
PASSING = {"uniform": {"++": 20, "+-": 1, "-+": 1, "--": 38}}  # positive specific agreement 40/42
FAILING = {"uniform": {"++": 2, "+-": 10, "-+": 10, "--": 38}}  # 4/24
EMPTY = {"uniform": {"--": 20}}  # nobody flags: 0/0

STUDY = """\
study: {study}
question: Does the answer promise too much?
unit: one answer
guideline: {{version: "{version}", file: guideline-{version}.md}}
scale: nominal
categories:
  - {{value: "yes", positive: true, definition: It does.}}
  - {{value: "no", definition: It does not.}}
abstention_reasons: [unreadable]
roster:
  annotators: [{annotators}]
  adjudicators: [{{id: dee}}]
passes: {passes}
slices: {{{slices}}}
duplicates: {duplicates}
interval: {{level: "0.95", resamples: 100, seed: 7}}
release: {release}
gate:
  use: judge answers
  because: it is a test
  attempts: {attempts}
  rules:
{rules}
"""


@dataclass
class Maker:
    """A project, the folder its inputs are written to, and the verbs with the project filled in."""

    folder: Path
    project: Project
    annotators: Sequence[str] = ("ada", "bo")
    reserves: Sequence[str] = ()
    folders: dict[str, Path] = field(default_factory=dict)

    def study(
        self,
        *,
        study: str = "promises",
        version: str = "1.0",
        slices: Sequence[str] = ("uniform",),
        rules: Sequence[str] = EASY_RULES,
        attempts: int = 1,
        duplicates: str = "refuse",
        release: str = "{contested: adjudicated, unresolved: refuse}",
        text: Callable[[str], str] = lambda text: text,
    ) -> Path:
        """A study file with its guideline. text: a last change of the file's text."""
        people = [f"{{id: {who}}}" for who in self.annotators] + [f"{{id: {w}, reserve: true}}" for w in self.reserves]
        strata = [
            f'{{name: {name}, rate: "0.50", where: {{column: mark, equals: "{name}"}}}}'
            for name in slices
            if name != "uniform"
        ]
        parts = ['uniform: {rate: "0.10"}'] if "uniform" in slices else []
        parts += [f"strata: [{', '.join(strata)}]"] if strata else []
        path = self.folder / f"{study}-{version}.yaml"
        (self.folder / f"guideline-{version}.md").write_text(f"Version {version}: flag what nobody promised.\n")
        path.write_text(
            text(
                STUDY.format(
                    study=study,
                    version=version,
                    annotators=", ".join(people),
                    passes=len(self.annotators),
                    slices=", ".join(parts),
                    duplicates=duplicates,
                    release=release,
                    attempts=attempts,
                    rules="\n".join(f"    - {rule}" for rule in rules),
                )
            )
        )
        return path

    def round(
        self,
        labels: Labels,
        name: str = "r1",
        *,
        study: str = "promises",
        version: str = "1.0",
        kind: str = "measured",
        more: str = "",
        items: str | None = None,
    ) -> Path:
        """A round's folder: round.yaml, frame.csv, assignments.csv, labels.csv. more: further lines of round.yaml.

        items: what item ids begin with; the round's name if left out.
        """
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        frame, asked, answers = ["item_id,item_version,slice,inclusion_probability"], [], []
        for item, slice_name, pattern in spread(labels, items or name):
            frame.append(f"{item},v1,{slice_name},0.10")
            for who, sign in zip(self.annotators, pattern, strict=True):
                asked += [f"{item},{who}"] if sign != "_" else []
                answers += row(item, who, sign)
        write(folder / "frame.csv", frame)
        write(folder / "assignments.csv", ["item_id,annotator_id", *asked])
        write(folder / "labels.csv", ["item_id,item_version,annotator_id,status,label,abstain_reason", *answers])
        head = [f"study: {study}", f"round: {name}", f"kind: {kind}", f'guideline_version: "{version}"']
        names = ["frame: frame.csv", "assignments: assignments.csv", "files: [labels.csv]"]
        write(folder / "round.yaml", [*head, *names, *([more] if more else [])])
        self.folders[name] = folder
        return folder

    def register(self, study_file: Path | None = None) -> Registered:
        return register(self.project, study_file or self.study())

    def open(self, labels: Labels, name: str = "r1", **options: Any) -> Done:
        return open_round(self.project, self.round(labels, name, **options))

    def ingest(self, name: str = "r1", **options: Any) -> IngestResult:
        return ingest(self.project, name, [self.folders[name] / "labels.csv"], **options)

    def bring(self, text: str, round_id: str = "r1", name: str = "more.csv", **options: Any) -> IngestResult:
        """Bring in a file with this text."""
        path = self.folder / name
        path.write_text(text)
        return ingest(self.project, round_id, [path], **options)

    def close(self, name: str = "r1") -> Done:
        return close_round(self.project, name, incomplete="some labels never came")

    def measured(self, labels: Labels, name: str = "r1", **options: Any) -> Done:
        """A round opened, filled, closed and measured."""
        self.open(labels, name, **options)
        self.ingest(name, set_aside=["other-version"])
        self.close(name)
        return measure(self.project, name)

    def counted(self, labels: Labels, name: str = "r1", **options: Any) -> Report:
        """What a round's report will say; its pages are not rendered."""
        return measured_report(self.project.objects, self.measured(labels, name, **options).event)

    def gated(self, labels: Labels, name: str = "r1", **options: Any) -> Gated:
        self.measured(labels, name, **options)
        return evaluate(self.project, name)

    def report(self, name: str = "r1") -> Written:
        return write_report(self.project, name)

    def decide(self, items: Sequence[str], label: str = "yes", name: str = "decisions.csv") -> Path:
        """A file of dee's decisions."""
        path = self.folder / name
        write(path, ["item_id,label,adjudicator_id,reason", *(f"{i},{label},dee,read it twice" for i in items)])
        return path

    def copied_to(self, folder: Path) -> Maker:
        """The same project and its inputs in another folder: made once, a test may do with its copy what it likes."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        folders = {name: folder / path.relative_to(self.folder) for name, path in self.folders.items()}
        return replace(self, folder=folder, project=replace(self.project, root=folder / "project"), folders=folders)

    def events(self) -> list[Event]:
        return self.project.events()

    def types(self) -> list[str]:
        return [event.type for event in self.events()]


def spread(labels: Labels, name: str) -> Iterator[tuple[str, str, str]]:
    """Item id, slice and pattern of every item, e.g. ("r1-uniform-3", "uniform", "+-")."""
    for slice_name, patterns in labels.items():
        n = 0
        for pattern, times in patterns.items():
            for _ in range(times):
                n += 1
                yield f"{name}-{slice_name}-{n}", slice_name, pattern


def row(item: str, who: str, sign: str) -> list[str]:
    """The line of labels.csv one sign stands for; none for `.` and `_`."""
    if sign in "._":
        return []
    if sign == "v":
        return [f"{item},v2,{who},labelled,yes,"]
    if sign == "a":
        return [f"{item},v1,{who},abstained,,unreadable"]
    if sign in STATUS:
        return [f"{item},v1,{who},{STATUS[sign]},,"]
    return [f"{item},v1,{who},labelled,{'yes' if sign == '+' else 'no'},"]


def write(path: Path, lines: Sequence[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines))


def project_in(root: Path, **options: Any) -> Project:
    """A project whose clock, actor and id never change."""
    return Project(root, **{"clock": lambda: NOON, "actor": lambda: "tester", "new_id": lambda: "test", **options})


@pytest.fixture(scope="session")
def maker_in() -> Callable[..., Maker]:
    """Makes an empty project in a folder: two annotators unless others are named, and no reserves."""

    def new(folder: Path, *, annotators: str = "ada bo", reserves: str = "", **options: Any) -> Maker:
        folder.mkdir(parents=True, exist_ok=True)
        return Maker(folder, project_in(folder / "project", **options), annotators.split(), reserves.split())

    return new


@pytest.fixture
def make(tmp_path: Path, maker_in: Callable[..., Maker]) -> Maker:
    """An empty project; two annotators, ada and bo."""
    return maker_in(tmp_path)


@pytest.fixture
def new_maker(tmp_path: Path, maker_in: Callable[..., Maker]) -> Callable[..., Maker]:
    """Further projects in folders of their own."""
    return lambda name="other", **options: maker_in(tmp_path / name, **options)


@pytest.fixture(scope="module")
def plain_pages() -> Iterator[None]:
    """Every file of a report is its JSON: for tests that look at no page, which takes two seconds to draw."""
    from flows import report
    from schemas.report import to_json

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "render", lambda record: {name: to_json(record) for name in report.FILES})
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared reference data; tests that need it are skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("no folder `shared` beside this checkout")
    return SHARED
