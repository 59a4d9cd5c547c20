"""What people tell: calibrations, outcomes, departures, looks, registered stops and late labels, each in the report."""

from __future__ import annotations

from typing import Any

import pytest

from agreement.errors import ConfigError, InputRefused, OutOfOrder
from flows.audit.verify import verify
from flows.calibration import hold_calibration
from flows.close import close_round, reopen_round
from flows.look import look
from flows.looks.options import LookOptions
from flows.measure import measure
from flows.outcome import record_outcome
from flows.report import write_report
from flows.told import note_explored, record_deviation

pytestmark = pytest.mark.usefixtures("plain_pages")

PASSING = {"uniform": {"++": 20, "+-": 1, "-+": 1, "--": 38}}


def put(make: Any, name: str, text: str) -> Any:
    path = make.folder / name
    path.write_text(text)
    return path


def report(make: Any) -> Any:
    measure(make.project, "r1")
    return write_report(make.project, "r1").report


def test_a_calibration_is_recorded_once_with_items_and_people(make: Any) -> None:
    make.register()
    file = put(make, "talk.csv", "item_id\nx1\nx2\n")
    done = hold_calibration(make.project, "promises", file, ["bo", "ada"])
    assert (done.event.payload["n_items"], done.event.payload["people"]) == (2, ["ada", "bo"])
    assert hold_calibration(make.project, "promises", file, ["ada", "bo"]).already_done


@pytest.mark.parametrize(
    ("text", "people", "error"),
    [
        ("item\nx1\n", ["ada"], InputRefused),
        ("item_id\n\u200bx\n", ["ada"], InputRefused),
        ("item_id\nx1\n", [], ConfigError),
        ("item_id\nx1\n", ["ada@example.org"], ConfigError),
    ],
)
def test_a_calibration_that_cannot_be_used_is_refused(make: Any, text: str, people: list[str], error: type) -> None:
    make.register()
    with pytest.raises(error):
        hold_calibration(make.project, "promises", put(make, "talk.csv", text), people)
    assert make.types()[-1] == "study.registered"


def test_an_outcome_is_shown_and_changes_no_figure(make: Any) -> None:
    make.register()
    make.measured(PASSING)
    before = write_report(make.project, "r1").report
    file = put(make, "outcome.csv", "item_id,label,source\nr1-uniform-1,no,appeal\nr1-uniform-2,yes,incident\n")
    assert not record_outcome(make.project, "r1", file).already_done
    assert record_outcome(make.project, "r1", file).already_done
    after = report(make)
    assert after.verdict == before.verdict
    assert after.slices == before.slices
    assert after.model_dump() != before.model_dump()


def test_every_wrong_row_of_an_outcome_is_listed(make: Any) -> None:
    make.register()
    make.measured(PASSING)
    text = "item_id,label,source\nnowhere,no,appeal\nr1-uniform-1,perhaps,appeal\nr1-uniform-2,yes,An Appeal\n"
    with pytest.raises(InputRefused) as refused:
        record_outcome(make.project, "r1", put(make, "outcome.csv", text))
    assert [(p.line, p.code) for p in refused.value.problems] == [
        (2, "not-decidable"),
        (3, "unknown-label"),
        (4, "bad-source"),
    ]


def test_an_outcome_before_results_is_out_of_order(make: Any) -> None:
    make.register()
    make.open(PASSING)
    with pytest.raises(OutOfOrder, match="the round is not closed"):
        record_outcome(make.project, "r1", put(make, "o.csv", "item_id,label,source\nr1-uniform-1,no,appeal\n"))


def test_what_is_told_stands_in_the_report_in_the_words_it_was_told(make: Any) -> None:
    make.register()
    make.open(PASSING)
    record_deviation(make.project, "r1", "bo labelled on a phone")
    assert record_deviation(make.project, "r1", "bo labelled on a phone").already_done
    make.ingest()
    make.close()
    assert report(make).deviations == ["event 4, told by tester: bo labelled on a phone"]
    with pytest.raises(ConfigError, match="nothing said"):
        record_deviation(make.project, "r1", " ")


def test_a_look_is_noted_only_for_the_very_bytes_of_a_round_that_is_not_measured(make: Any) -> None:
    make.register()
    make.open(PASSING)
    labels = make.folders["r1"] / "labels.csv"
    assert note_explored(make.project, labels) is None  # nothing has come in yet
    make.ingest()
    assert note_explored(make.project, put(make, "other.csv", "a,b\n1,2\n")) is None
    assert note_explored(make.project, labels) is not None
    assert note_explored(make.project, labels) is None  # once
    make.close()
    report(make)
    assert note_explored(make.project, labels) is None  # its results have been seen by everybody


def looked(path: Any, **options: str) -> dict[str, list[str]]:
    found: list[dict[str, list[str]]] = []
    look(path, LookOptions(**options), found.append)
    return found[0]


def as_wide(text: str) -> str:
    """Another table of the same labels: a row an item, a column an annotator, last item first."""
    rows: dict[str, list[str]] = {}
    for line in text.splitlines()[1:]:
        item, _, _, _, label, _ = line.split(",")
        rows.setdefault(item, []).append(label)
    return "item_id,first,second\r\n" + "".join(f"{i},{a},{b}\r\n" for i, (a, b) in sorted(rows.items(), reverse=True))


LOOKS = [
    ("the same labels as another table", lambda text: as_wide(text), True),
    ("half of the items", lambda text: "".join(f"{line}\n" for line in as_wide(text).splitlines()[:31]), True),
    ("other labels of the same items", lambda text: as_wide(text).replace("yes,yes", "no,no"), False),
    ("the same labels of other items", lambda text: as_wide(text).replace("r1-", "r9-"), False),
]


@pytest.mark.parametrize(("rewrite", "noted"), [case[1:] for case in LOOKS], ids=[case[0] for case in LOOKS])
def test_a_look_is_noted_by_the_labels_and_not_by_the_form_they_are_written_in(
    make: Any, rewrite: Any, noted: bool
) -> None:
    make.register()
    make.open(PASSING)
    make.ingest()
    file = put(make, "copy.csv", rewrite((make.folders["r1"] / "labels.csv").read_text()))
    labels = looked(file, item="item_id", wide="first,second")
    event = note_explored(make.project, file, labels)
    assert event.payload["rounds"] == ([["promises", "r1"]] if noted else [])
    assert note_explored(make.project, file, labels) is None
    make.close()
    assert any("looked at the agreement in copy.csv" in line for line in report(make).deviations) is noted
    assert verify(make.project).status == "UNANCHORED"


STOP = "stop: {{union_positives: {}, at_most_items: {}}}\ngate:"


def stopping(make: Any, labels: dict[str, int], positives: int, items: int) -> None:
    make.register(make.study(text=lambda text: text.replace("gate:", STOP.format(positives, items), 1)))
    make.open({"uniform": labels})
    make.ingest()


@pytest.mark.parametrize(
    ("labels", "positives", "items", "says"),
    [
        ({"++": 5, "--": 5, "..": 10}, 5, 20, "5 union positives among 10 items; 5 were registered"),
        ({"++": 4, "--": 6, "..": 10}, 5, 10, "10 items answered; the registered limit is 10"),
    ],
)
def test_a_registered_stop_ends_a_round_and_what_nobody_began_was_never_asked(
    make: Any, labels: dict[str, int], positives: int, items: int, says: str
) -> None:
    stopping(make, labels, positives, items)
    closed = close_round(make.project, "r1").event.payload
    assert (closed["how"], closed["reason"]) == ("registered-stop", says)
    found = report(make)
    assert (found.round.closed_how, found.round.closed_reason) == ("registered-stop", says)
    assert (found.slices[0].coverage.items, found.slices[0].coverage.missing) == (10, 0)


@pytest.mark.parametrize(
    "labels",
    [
        {"++": 4, "--": 5, "..": 11},  # too few positives, too few items
        {"++": 5, "+.": 1, "--": 4, "..": 10},  # an item that was begun has to be finished
    ],
)
def test_a_stop_that_is_not_met_leaves_the_round_open(make: Any, labels: dict[str, int]) -> None:
    stopping(make, labels, 5, 20)
    with pytest.raises(OutOfOrder, match="assigned labels have not come in"):
        close_round(make.project, "r1")


def test_after_reopening_all_items_are_asked_for_again(make: Any) -> None:
    stopping(make, {"++": 5, "--": 5, "..": 10}, 5, 20)
    close_round(make.project, "r1")
    reopen_round(make.project, "r1", "we have time after all")
    close_round(make.project, "r1", incomplete="only half was read")
    assert report(make).slices[0].coverage.items == 20


def test_a_late_label_is_one_line_and_in_no_figure(make: Any) -> None:
    make.register()
    make.open({"uniform": {"++": 5, "+.": 1, "--": 5}})
    make.ingest()
    make.close()
    before = report(make)
    make.bring("item_id,item_version,annotator_id,label\nr1-uniform-6,v1,bo,yes\n")
    after = report(make)
    assert (after.late_labels, after.slices, after.verdict) == (1, before.slices, before.verdict)
    assert after.submissions[-1].late
