"""The end of a collection, and the ways honest people need around it (audit.md, part B)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agreement.errors import ConfigError, OutOfOrder
from flows.close import Done, close_round, reassign, reopen_round
from flows.counts import count_round
from flows.gate import evaluate
from flows.measure import measure
from flows.register import registered_study
from flows.report import measured_report

WHOLE = {"uniform": {"++": 2, "--": 2}}
HEADER = "item_id,annotator_id,status,label\n"


def opened(make: Any, labels: Any = WHOLE) -> Any:
    make.register()
    make.open(labels)
    if any(set(pattern) - {"."} for patterns in labels.values() for pattern in patterns):
        make.ingest()
    return make


def test_a_complete_round_closes_and_closing_again_is_already_done(make: Any) -> None:
    opened(make)
    first = close_round(make.project, "r1")
    assert (first.already_done, first.event.payload["how"], first.event.payload["expected"]) == (False, "complete", [])
    again = close_round(make.project, "r1", incomplete="whatever")
    assert (again.already_done, again.event) == (True, first.event)


OUT = [
    # one sign a label: which of them is still waited for
    ("+.", [["bo", 1]]),
    ("..", [["ada", 1], ["bo", 1]]),
    ("+d", [["bo", 1]]),  # a draft is no answer yet
    ("+n", [["bo", 1]]),  # nor is an item nobody was shown
    ("+a", []),
    ("+s", []),
    ("+e", []),
    ("++", []),
]


@pytest.mark.parametrize(("pattern", "expected"), OUT)
def test_a_round_waits_for_every_assigned_answer_unless_somebody_says_why_not(
    make: Any, pattern: str, expected: list[list[object]]
) -> None:
    opened(make, {"uniform": {pattern: 1}})
    if not expected:
        assert close_round(make.project, "r1").event.payload["how"] == "complete"
        return
    with pytest.raises(OutOfOrder, match="have not come in") as refused:
        close_round(make.project, "r1")
    assert {problem.code for problem in refused.value.problems} == {"labels-expected"}
    done = close_round(make.project, "r1", incomplete="bo fell ill")
    assert done.event.payload["expected"] == expected
    assert (done.event.payload["how"], done.event.payload["reason"]) == ("incomplete", "bo fell ill")


def test_a_round_cut_short_is_shown_and_never_gated(make: Any) -> None:
    opened(make, {"uniform": {"+.": 1, "++": 3}})
    close_round(make.project, "r1", cut_short="rule 3 contradicts rule 5")
    report = measured_report(make.project.objects, measure(make.project, "r1").event)
    assert report.verdict.status == "not_gated"
    assert "rule 3 contradicts rule 5" in report.verdict.sentence
    with pytest.raises(OutOfOrder, match="cut short"):
        evaluate(make.project, "r1")


@pytest.mark.parametrize("reason", ["", "  "])
@pytest.mark.parametrize("which", ["incomplete", "cut_short"])
def test_a_reason_is_a_sentence(make: Any, which: str, reason: str) -> None:
    opened(make, {"uniform": {"+.": 1}})
    with pytest.raises(ConfigError, match="reason"):
        close_round(make.project, "r1", **{which: reason})
    assert make.types()[-1] == "submission.ingested"


def test_incomplete_and_cut_short_exclude_each_other(make: Any) -> None:
    opened(make)
    with pytest.raises(ConfigError, match="exclude each other"):
        close_round(make.project, "r1", incomplete="a", cut_short="b")


def test_a_late_file_needs_the_round_reopened_before_it_is_measured(make: Any) -> None:
    opened(make, {"uniform": {"+.": 1, "++": 3}})
    make.close()
    late = HEADER + "r1-uniform-1,bo,labelled,yes\n"
    with pytest.raises(OutOfOrder, match="the round is closed") as refused:
        make.bring(late)
    assert "goldgate reopen r1" in refused.value.next_step
    reopen_round(make.project, "r1", "bo's file was forgotten")
    make.bring(late)
    assert close_round(make.project, "r1").event.payload["how"] == "complete"


def test_after_the_first_look_a_label_is_late_for_ever(make: Any) -> None:
    opened(make, {"uniform": {"+.": 1, "++": 3}})
    make.close()
    first = measured_report(make.project.objects, measure(make.project, "r1").event)
    with pytest.raises(OutOfOrder, match="results have been seen"):
        reopen_round(make.project, "r1", "bo's file was forgotten")
    make.bring(HEADER + "r1-uniform-1,bo,labelled,yes\n")
    again = measured_report(make.project.objects, measure(make.project, "r1").event)
    assert (first.late_labels, again.late_labels) == (0, 1)
    assert again.slices == first.slices
    assert again.verdict == first.verdict


# Somebody drops out.


@pytest.fixture(scope="module")
def staffed_once(tmp_path_factory: pytest.TempPathFactory, maker_in: Callable[..., Any]) -> Any:
    made = maker_in(tmp_path_factory.mktemp("staffed"), reserves="cy eli")
    return opened(made, {"uniform": {"++": 1, "-+": 1, "d-": 1, ".-": 1}})


@pytest.fixture
def staffed(staffed_once: Any, tmp_path: Path) -> Any:
    """ada has answered two of four items, one is a draft, one never came; bo has answered all. cy and eli wait."""
    return staffed_once.copied_to(tmp_path)


def asked(make: Any) -> list[tuple[str, str]]:
    from flows.storage.store import rows

    with make.project.reading() as con:
        return rows(con, "select item_id[-1:], annotator_id from asked_label where annotator_id <> 'bo' order by all")


def test_what_an_annotator_has_not_answered_goes_to_a_reserve(staffed: Any) -> None:
    reassign(staffed.project, "r1", "ada", "cy", "ada fell ill")
    assert asked(staffed) == [("1", "ada"), ("2", "ada"), ("3", "cy"), ("4", "cy")]
    staffed.bring(HEADER + "r1-uniform-3,cy,labelled,no\nr1-uniform-4,cy,labelled,no\n")
    assert close_round(staffed.project, "r1").event.payload["how"] == "complete"
    report = measured_report(staffed.project.objects, measure(staffed.project, "r1").event)
    (uniform,) = report.slices
    assert [(p.annotator_id, p.coverage.assigned, p.coverage.labelled) for p in uniform.annotators] == [
        ("ada", 2, 2),
        ("bo", 4, 4),
        ("cy", 2, 2),
    ]
    assert (uniform.coverage.paired, uniform.coverage.missing) == (4, 0)


def test_the_same_items_are_handed_on_once(staffed: Any) -> None:
    first = reassign(staffed.project, "r1", "ada", "cy", "ada fell ill")
    assert reassign(staffed.project, "r1", "ada", "cy", "ada fell ill") == Done(True, first.event)


def test_what_is_handed_on_twice_is_asked_of_the_last_one_only(staffed: Any) -> None:
    reassign(staffed.project, "r1", "ada", "cy", "ada fell ill")
    staffed.bring(HEADER + "r1-uniform-3,cy,labelled,no\n")
    reassign(staffed.project, "r1", "cy", "eli", "cy as well")
    assert asked(staffed) == [("1", "ada"), ("2", "ada"), ("3", "cy"), ("4", "eli")]
    reassign(staffed.project, "r1", "eli", "cy", "eli as well")
    assert asked(staffed) == [("1", "ada"), ("2", "ada"), ("3", "cy"), ("4", "cy")]


def test_a_label_from_somebody_not_asked_any_more_is_extra(staffed: Any) -> None:
    reassign(staffed.project, "r1", "ada", "cy", "ada fell ill")
    staffed.bring(HEADER + "r1-uniform-4,ada,labelled,yes\n")
    staffed.close()
    report = measured_report(staffed.project.objects, measure(staffed.project, "r1").event)
    assert report.extra_labels == 1
    assert {p.annotator_id: p.extra for p in report.slices[0].annotators}["ada"] == 1


@pytest.mark.parametrize(
    ("who", "to", "code"),
    [
        ("ada", "bo", "not-a-reserve"),
        ("ada", "zoe", "not-a-reserve"),
        ("zoe", "cy", "unknown-annotator"),
    ],
)
def test_only_a_reserve_of_the_roster_steps_in(staffed: Any, who: str, to: str, code: str) -> None:
    with pytest.raises(ConfigError) as refused:
        reassign(staffed.project, "r1", who, to, "a reason")
    assert code in {problem.code for problem in refused.value.problems}


def test_a_reserve_labels_an_item_once(new_maker: Callable[..., Any]) -> None:
    make = opened(new_maker(reserves="cy"), {"uniform": {"..": 2}})
    reassign(make.project, "r1", "ada", "cy", "ada fell ill")
    with pytest.raises(ConfigError) as refused:
        reassign(make.project, "r1", "bo", "cy", "bo as well")
    assert [problem.code for problem in refused.value.problems] == ["already-asked"]


def test_a_round_is_counted_by_the_study_it_was_registered_with(make: Any) -> None:
    """Not by a file in the working tree that changed since."""
    opened(make)
    study_file = make.folder / "promises-1.0.yaml"
    study_file.write_text(study_file.read_text().replace("ada", "zoe"))
    state = make.project.state()
    study = registered_study(make.project.objects, state, state.round("r1"))
    with make.project.reading() as con:
        counts = count_round(con, study, state.round("r1"))
    assert counts.slices[0].patterns.annotators == ("ada", "bo")
