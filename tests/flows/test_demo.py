"""The demo: the sample study from registration to release, by the functions behind the commands."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agreement.errors import ConfigError
from flows import demo as story
from flows.demo_stage import Say
from flows.orchestration import round_steps
from flows.sample import copy_sample
from flows.storage.project import Project


@dataclass(frozen=True)
class Played:
    folder: Path
    said: str
    started: datetime

    def report(self, round_id: str) -> dict:  # type: ignore[type-arg]  # whatever report.json holds
        path = self.folder / "data" / "reports" / story.STUDY / round_id / "v1" / "report.json"
        return json.loads(path.read_text(encoding="utf-8"))

    def event_types(self) -> list[str]:
        return [event.type for event in Project(self.folder / "data").events()]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """The demo played once, its flow without Prefect (test_run_round.py has that, `make demo` plays all of it)."""
    said: list[str] = []
    folder = tmp_path_factory.mktemp("demo")
    started = datetime.now(UTC)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(story, "run", _steps_without_prefect)
        story.demo(folder, said.append, started)
    return Played(folder, "\n".join(said), started)


def _steps_without_prefect(folder: Path, root: Path, say: Say) -> int:
    where, key = (str(root), str(folder), story.STUDY), (str(root), story.STUDY, "round-02")
    say(round_steps.register_study(str(root), str(folder)))
    say(round_steps.open_round(*where))
    say(round_steps.ingest_files(*where))
    say(round_steps.close_round(*where)["line"])
    say(round_steps.measure_round(*key))
    say(round_steps.write_report(*key)["line"])
    verdict = round_steps.evaluate_gate(*key)
    say(verdict["line"])
    return int(verdict["exit"])


def test_every_step_of_the_story_is_in_the_ledger_in_its_order(played: Played) -> None:
    assert played.event_types() == [
        "project.created",
        "study.registered",
        "round.opened",
        "ingest.refused",
        *["submission.ingested"] * 3,
        "round.closed",
        "round.measured",
        "report.written",
        "gate.evaluated",
        "study.registered",
        "round.opened",
        "submission.ingested",
        "round.closed",
        "round.measured",
        "report.written",
        "gate.evaluated",
        "adjudication.recorded",
        "release.promoted",
    ]


def test_the_first_round_looks_good_and_is_blocked_by_positive_specific_agreement_alone(played: Played) -> None:
    report = played.report("round-01")
    for one_slice in report["slices"]:
        figures = {e["statistic"]: e["value"] for e in one_slice["estimates"]}
        assert float(figures["percent_agreement"]) >= 0.93
        assert float(figures["gwet_ac1"]) >= 0.9
    failed = {rule["statistic"] for rule in report["verdict"]["rules"] if rule["verdict"] != "pass"}
    assert report["verdict"]["status"] == "fail"
    assert failed == {"positive_specific_agreement"}


def test_the_second_round_passes_with_less_than_a_tenth_to_spare_on_a_hundred_union_positives(played: Played) -> None:
    verdict = played.report("round-02")["verdict"]
    assert verdict["status"] == "pass"
    rules = [rule for rule in verdict["rules"] if rule["statistic"] == "positive_specific_agreement"]
    to_spare = min(float(r["found"]) - float(r["asked"]) for r in rules)
    assert 0 <= to_spare < 0.10
    counts = [int(r["found"]) for r in verdict["rules"] if r["statistic"] == "union_positives"]
    assert len(counts) == 2
    assert min(counts) >= 100


@pytest.mark.parametrize("round_id", ["round-01", "round-02"])
def test_both_rounds_are_preregistered_and_their_labels_lie_between_opening_and_closing(
    played: Played, round_id: str
) -> None:
    report = played.report(round_id)
    assert report["registration"]["grade"] == "preregistered"
    times = _label_times(played.folder / round_id)
    opened, closed = (datetime.fromisoformat(report["round"][key]) for key in ("opened_at", "closed_at"))
    assert opened <= min(times) <= max(times) <= closed
    assert max(times) < played.started


def _label_times(folder: Path) -> list[datetime]:
    found = []
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            found += [datetime.fromisoformat(r["labelled_at"]) for r in csv.DictReader(file) if "labelled_at" in r]
    return found


def test_what_the_demo_says_names_each_planted_mistake_with_its_line(played: Played) -> None:
    # planted by plant_errors in make_sample.py, at rows 7, 15, 22, 30 and 34; the header is line 1
    assert re.findall(r"line (\d+), ", played.said) == ["8", "16", "23", "31", "35"]
    assert "5 of 40 rows refused, nothing stored" in played.said


def test_every_file_the_demo_points_to_is_there(played: Played) -> None:
    named = re.findall(r"Look at (\S+)", played.said)
    assert len(named) >= 4
    assert [name for name in named if not (played.folder / name).is_file()] == []


def test_every_command_the_demo_prints_names_files_that_are_there(played: Played) -> None:
    commands = re.findall(r"\$ goldgate (.+)", played.said)
    assert [c.split()[0] for c in commands] == [
        *("register", "open", "ingest", "ingest", "close", "measure", "report", "gate"),
        *("register", "open", "run", "adjudicate", "release", "history", "verify"),
    ]
    files = [word for c in commands for word in c.split() if word.endswith((".yaml", ".csv"))]
    assert [name for name in files if not (played.folder / name).is_file()] == []


def test_a_folder_that_holds_something_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep me")
    with pytest.raises(ConfigError, match="not an empty folder"):
        story.demo(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_copied_label_carries_the_minute_after_its_round_opened(tmp_path: Path) -> None:
    copy_sample(tmp_path, {"round-01": datetime(2026, 3, 1, 8, 0, tzinfo=UTC)})
    with (tmp_path / "round-01" / "ada.csv").open(encoding="utf-8", newline="") as file:
        first = next(csv.DictReader(file))
    # the committed file's first row says minute 60
    assert first["labelled_at"] == "2026-03-01T09:00:00Z"
    assert "minute" not in first
