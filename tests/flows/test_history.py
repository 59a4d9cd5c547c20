"""The history of a study: every round and verdict per guideline version, from the ledger alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agreement.errors import ConfigError, OutOfOrder
from flows.gate import evaluate
from flows.history import history
from flows.measure import measure
from flows.redact import redact
from flows.releases.release import release
from flows.releases.withdraw import withdraw
from schemas.history import HistoryRecord, RoundLine, VersionRecord

pytestmark = pytest.mark.usefixtures("plain_pages")

PASSING = {"uniform": {"++": 20, "--": 20}}
FAILING = {"uniform": {"++": 2, "+-": 10, "-+": 10, "--": 18}}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory, maker_in: Callable[..., Any]) -> Any:
    """Version 1.0: a pilot, a round that failed, a second attempt that failed. Version 2.0: passed, and one open."""
    make = maker_in(tmp_path_factory.mktemp("told"))
    make.register(make.study(attempts=2))
    make.measured(FAILING, "p1", kind="pilot")
    make.gated(FAILING, "r1")
    make.gated(FAILING, "r2", more="attempt_of: r1")
    with pytest.raises(Exception, match="no round of guideline"):
        release(make.project, "promises", "1")
    make.register(make.study(version="2.0", attempts=2))
    make.gated(PASSING, "r3", version="2.0")
    make.open(PASSING, "r4", version="2.0")
    return make


def versions(record: HistoryRecord) -> dict[str, VersionRecord]:
    return {version.guideline_version: version for version in record.versions}


def lines(record: HistoryRecord) -> dict[str, RoundLine]:
    return {line.round_id: line for version in record.versions for line in version.rounds}


def test_every_round_stands_under_its_guideline_version_with_its_verdict(told: Any) -> None:
    record = history(told.project, "promises")
    assert {name: [r.round_id for r in v.rounds] for name, v in versions(record).items()} == {
        "1.0": ["p1", "r1", "r2"],
        "2.0": ["r3", "r4"],
    }
    found = {name: (r.kind, r.grade, r.state, r.verdict, r.attempt) for name, r in lines(record).items()}
    assert found == {
        "p1": ("pilot", "pilot", "measured", "not_gated", 1),
        "r1": ("measured", "preregistered", "measured", "fail", 1),
        "r2": ("measured", "preregistered", "measured", "fail", 2),
        "r3": ("measured", "preregistered", "measured", "pass", 1),
        "r4": ("measured", "preregistered", "open", None, 1),
    }


def test_attempts_are_counted_and_said_to_be_used_up(told: Any) -> None:
    found = versions(history(told.project, "promises"))
    assert (found["1.0"].passed, found["1.0"].judged, found["1.0"].attempts_used) == (0, 2, 2)
    assert found["1.0"].not_measurable == "not measurable as written: all 2 attempts did not pass"
    assert (found["2.0"].passed, found["2.0"].judged, found["2.0"].not_measurable) == (1, 1, "")


def test_a_line_has_the_figures_of_its_report(told: Any) -> None:
    (uniform,) = lines(history(told.project, "promises"))["r1"].slices
    figures = {e.statistic: e for e in uniform.estimates}
    assert (uniform.joint, uniform.union, uniform.paired, uniform.coverage) == (2, 22, 40, "1.0000")
    # 2 of 22 union positives: 4/24, and Clopper-Pearson on 2/22 at level 1 - 0.05/2, transformed
    assert figures["positive_specific_agreement"].value == "0.1666"
    assert uniform.rules == "fail"


def test_the_cumulative_figure_is_over_all_measured_rounds_of_the_version(told: Any) -> None:
    """r1 and r2 added up cell by cell; the pilot is no part of it."""
    (uniform,) = versions(history(told.project, "promises"))["1.0"].cumulative
    assert (uniform.joint, uniform.union, uniform.paired) == (4, 44, 80)


def test_the_three_answers_at_the_top(told: Any) -> None:
    record = history(told.project, "promises")
    assert (record.may_be_used.word, record.last_verdict.word, record.now.word) == (
        "Nothing yet",
        "Passed",
        "Collecting",
    )
    assert record.now.command == "goldgate status r4"


def test_a_refused_release_is_in_it(told: Any) -> None:
    (line,) = history(told.project, "promises").releases
    assert (line.release, line.state, line.labels) == ("1", "refused", None)
    assert "no round of guideline 1.0 passed" in line.against_before


def test_events_are_listed_newest_first(told: Any) -> None:
    events = history(told.project, "promises").events
    assert [e.seq for e in events] == sorted((e.seq for e in events), reverse=True)
    assert events[0].type == "round.opened"


def test_it_can_be_read_as_it_was_after_any_event(told: Any) -> None:
    opened = {event.payload["round_id"]: event.seq for event in told.events() if event.type == "round.opened"}
    then = history(told.project, "promises", as_of=opened["r2"])
    assert [version.guideline_version for version in then.versions] == ["1.0"]
    assert lines(then)["r2"].state == "open"
    assert then.ledger_head.size == opened["r2"]
    assert then.releases == []
    at_the_end = history(told.project, "promises", as_of=len(told.events()))
    assert at_the_end == history(told.project, "promises")


def test_it_needs_neither_database_nor_lock(told: Any, tmp_path: Path) -> None:
    import shutil

    from flows.storage.project import Project

    copy = Project(tmp_path / "copy")
    shutil.copytree(told.project.root, copy.root)
    copy.database_path.unlink()
    with copy.locked():
        assert history(copy, "promises") == history(told.project, "promises")
    assert not copy.database_path.exists()


def test_an_unknown_study_is_told_apart_from_a_step_that_is_missing(make: Any) -> None:
    with pytest.raises(ConfigError, match="study promises"):
        history(make.project, "promises")
    make.register()
    record = history(make.project, "promises")
    assert [version.guideline_version for version in record.versions] == ["1.0"]
    assert (record.now.word, record.last_verdict.word) == ("Nothing open", "Nothing yet")
    with pytest.raises(OutOfOrder):
        make.project.state().round("r1")


def test_what_was_withdrawn_is_not_said_never_to_have_been_and_an_outdated_verdict_does_not_stay(make: Any) -> None:
    make.register()
    make.measured(PASSING)
    make.report()
    gated = evaluate(make.project, "r1").event
    release(make.project, "promises", "1")
    taken = withdraw(make.project, "promises", "1", "a slip").event
    record = history(make.project, "promises")
    assert (record.may_be_used.word, record.may_be_used.text) == (
        "Nothing now",
        f"Every release of this study was withdrawn: 1 (event {taken.seq}).",
    )
    assert record.last_verdict.word == "Passed"
    removed = redact(make.project, "r1-uniform-1", "asked to").event
    card = history(make.project, "promises").last_verdict
    assert (card.word, card.status, card.command) == ("To be measured again", "none", "goldgate measure r1")
    assert card.text == (
        f"r1 was judged by event {gated.seq}; since its measuring came event {removed.seq} (redacted), so that verdict "
        "does not stand."
    )
    with pytest.raises(OutOfOrder, match=rf"since it was measured: event {removed.seq} \(redacted\)$"):
        evaluate(make.project, "r1")
    measure(make.project, "r1")
    evaluate(make.project, "r1")
    assert history(make.project, "promises").last_verdict.word == "Passed"
