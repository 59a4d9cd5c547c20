"""Labels come in whole or not at all; the same again changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agreement.errors import InputRefused, OutOfOrder
from flows.ingest import ingest

HEADER = "item_id,annotator_id,label\n"
TWO = HEADER + "007,ada,supported\nb-1,ada,unsupported\n"


def test_labels_come_in_with_one_event(open_r1: Any) -> None:
    result = open_r1.ingest(TWO)
    assert (result.n_new, result.already_done) == (2, False)
    assert open_r1.labels() == [
        ("007", "ada", "labelled", "supported", "", "", 1),
        ("b-1", "ada", "labelled", "unsupported", "", "", 1),
    ]
    assert open_r1.event_types()[-1] == "submission.ingested"
    payload = result.event.payload
    assert (payload["n_rows"], payload["annotators"], payload["undated"]) == (2, ["ada"], 2)


SAME = [
    ("the same bytes", TWO),
    ("other line ends", TWO.replace("\n", "\r\n")),
    ("other order of rows", HEADER + "b-1,ada,unsupported\n007,ada,supported\n"),
    ("other order of columns", "label,item_id,annotator_id\nsupported,007,ada\nunsupported,b-1,ada\n"),
    ("quoted", TWO.replace("007", '"007"')),
]


@pytest.mark.parametrize("text", [case[1] for case in SAME], ids=[case[0] for case in SAME])
def test_the_same_content_again_changes_nothing(open_r1: Any, text: str) -> None:
    open_r1.ingest(TWO)
    before = open_r1.project.ledger_path.read_bytes()
    again = open_r1.ingest(text)
    assert (again.already_done, again.n_new, again.event) == (True, 0, None)
    assert open_r1.project.ledger_path.read_bytes() == before


def test_a_cumulative_export_adds_what_is_new(open_r1: Any) -> None:
    open_r1.ingest(TWO)
    result = open_r1.ingest(TWO + "b-2,ada,supported\n")
    assert (result.n_new, result.n_already_there) == (1, 2)
    assert len(open_r1.labels()) == 3


def test_a_draft_that_became_an_answer_is_no_revision(open_r1: Any) -> None:
    columns = "item_id,annotator_id,status,label\n"
    open_r1.ingest(columns + "007,ada,draft,\nb-1,ada,never_shown,\n")
    result = open_r1.ingest(columns + "007,ada,labelled,supported\nb-1,ada,labelled,supported\n")
    assert (result.n_new, result.n_revised) == (2, 0)


def test_a_changed_label_needs_a_reason_and_both_are_kept(open_r1: Any) -> None:
    open_r1.ingest(TWO)
    changed = TWO.replace("007,ada,supported", "007,ada,unsupported")
    with pytest.raises(InputRefused) as refused:
        open_r1.ingest(changed)
    assert [p.code for p in refused.value.problems] == ["changed-label"]
    result = open_r1.ingest(changed, revision="slipped a line")
    assert (result.n_revised, result.n_new, result.n_already_there) == (1, 0, 1)
    assert result.event.payload["revision"] == "slipped a line"
    assert [row[3] for row in open_r1.labels() if row[0] == "007"] == ["supported", "unsupported"]
    # What counts now is compared with: the first file again would be another change.
    for first_again in (TWO, TWO.replace("\n", "\r\n")):
        with pytest.raises(InputRefused):
            open_r1.ingest(first_again)
    back = open_r1.ingest(TWO, revision="it was right the first time")
    assert (back.n_revised, back.already_done) == (1, False)


def test_one_bad_row_keeps_the_whole_batch_out(open_r1: Any) -> None:
    with pytest.raises(InputRefused) as refused:
        open_r1.ingest(TWO, HEADER + "007,bo,supported\nb-1,bo,mabye\n")
    assert "1 of 2 files refused" in refused.value.headline
    assert open_r1.labels() == []
    assert open_r1.event_types()[-1] == "ingest.refused"
    event = open_r1.project.events()[-1]
    assert event.payload["counts"] == [["unknown-label", 1]]
    assert open_r1.project.objects.has(event.payload["raw"])


def test_files_of_a_batch_are_checked_against_each_other(open_r1: Any) -> None:
    result = open_r1.ingest(TWO, TWO.replace("\n", "\r\n") + "b-2,ada,supported\r\n")
    assert [(f.n_new, f.n_already_there) for f in result.files] == [(2, 0), (1, 2)]
    with pytest.raises(InputRefused) as refused:
        open_r1.ingest(HEADER + "b-3,ada,supported\n", HEADER + "b-3,ada,unsupported\n")
    assert [p.code for p in refused.value.problems] == ["changed-label"]


def test_rows_are_set_aside_only_when_asked(open_r1: Any) -> None:
    open_r1.open("r0", "z-1,v1,uniform\n")
    text = "item_id,item_version,annotator_id,label,origin\n007,v1,ada,supported,own\n"
    text += "z-1,v1,ada,supported,own\nb-1,v0,ada,supported,own\nb-2,v1,ada,supported,gold\n"
    with pytest.raises(InputRefused) as refused:
        open_r1.ingest(text)
    assert [(p.code, p.line) for p in refused.value.problems] == [
        ("other-round", 3),
        ("other-item-version", 4),
        ("gold-row", 5),
    ]
    result = open_r1.ingest(text, set_aside=["other-round", "other-version", "gold"])
    assert (result.n_set_aside, result.n_extra) == (3, 0)
    assert {row[0]: row[5] for row in open_r1.labels()} == {
        "007": "",
        "z-1": "other-round",
        "b-1": "other-version",
        "b-2": "gold",
    }
    assert open_r1.ingest(text.replace("\n", "\r\n"), set_aside=["other-round", "other-version", "gold"]).already_done


def test_labels_nobody_was_asked_for_are_extra(open_r1: Any) -> None:
    result = open_r1.ingest(HEADER + "007,cy,supported\n")
    assert (result.n_new, result.n_extra) == (1, 1)


def test_a_registered_duplicate_rule_keeps_all_rows_in_file_order(make_round: Callable[..., Any]) -> None:
    made = make_round(duplicates="first")
    text = HEADER + "007,ada,supported\nb-1,ada,supported\n007,ada,unsupported\n"
    assert made.ingest(text).n_new == 3
    assert made.labels() == [
        ("007", "ada", "labelled", "supported", "", "", 1),
        ("007", "ada", "labelled", "unsupported", "", "", 2),
        ("b-1", "ada", "labelled", "supported", "", "", 1),
    ]
    assert made.ingest(text.replace("\n", "\r\n")).already_done


def test_the_round_file_says_how_files_name_things(make_round: Callable[..., Any]) -> None:
    made = make_round(
        extra="""
columns: {item_id: task, label: verdict}
ignore: [comment]
annotators: {labels.csv: ada, labels-2.csv: bo}
labels: {ok: supported, "no": unsupported}
"""
    )
    result = made.ingest("task,verdict,comment\n007,ok,=1+1\n", "task,verdict,comment\n007,no,\n")
    assert result.n_new == 2
    assert [row[:4] for row in made.labels()] == [
        ("007", "ada", "labelled", "supported"),
        ("007", "bo", "labelled", "unsupported"),
    ]


def test_abstentions_and_gaps_stay_what_they_are(open_r1: Any) -> None:
    text = "item_id,annotator_id,status,label,abstain_reason\n"
    text += "007,ada,abstained,,source-missing\nb-1,ada,skipped,,\nb-2,ada,submitted_empty,,\n"
    open_r1.ingest(text)
    assert [row[2:5] for row in open_r1.labels()] == [
        ("abstained", "", "source-missing"),
        ("skipped", "", ""),
        ("submitted_empty", "", ""),
    ]


NOTES = [
    ("future", "007,ada,supported,2030-01-01T00:00:00Z\n", "1 row dated in the future"),
    (
        "old",
        "007,ada,supported,2026-03-31T12:00:00Z\nb-1,ada,supported,2026-03-31T12:00:01Z\n",  # opened 2026-04-01T12
        "1 row dated a day or more before the round was opened: if all its labels are, the round is retrospective, "
        "never gated",
    ),
    ("no zone", "007,ada,supported,2026-03-01T00:00:00\n", "1 row with a time but no zone"),
    (
        "backwards",
        "007,ada,supported,2026-03-01T10:00:00Z\nb-1,ada,supported,2026-03-01T10:00:00+02:00\n",
        "1 row earlier than the annotator's row before",
    ),
]


@pytest.mark.parametrize(("text", "note"), [case[1:] for case in NOTES], ids=[case[0] for case in NOTES])
def test_odd_times_are_stored_and_noted(open_r1: Any, text: str, note: str) -> None:
    result = open_r1.ingest("item_id,annotator_id,label,labelled_at\n" + text)
    assert f"labels.csv: {note}" in result.notes


def _alike(annotator: str, n_flags: int) -> str:
    labels = ["unsupported"] * n_flags + ["supported"] * (12 - n_flags)
    return HEADER + "".join(f"b-{i},{annotator},{label}\n" for i, label in enumerate(labels, 1))


@pytest.mark.parametrize(("n_flags", "copied"), [(5, [["ada", "bo"]]), (4, [])])
def test_files_with_five_equal_flags_and_nothing_different_look_copied(
    open_r1: Any, n_flags: int, copied: list[list[str]]
) -> None:
    open_r1.ingest(_alike("ada", n_flags))
    assert open_r1.ingest(_alike("bo", n_flags)).event.payload["copied"] == copied


def test_times_of_labels_are_kept_in_one_zone(open_r1: Any) -> None:
    text = "item_id,annotator_id,label,labelled_at\n007,ada,supported,2026-03-01T10:00:00+02:00\n"
    payload = open_r1.ingest(text + "b-1,ada,supported,2026-03-01T09:00:00Z\n").event.payload
    assert payload["first_labelled_at"] == "2026-03-01T08:00:00Z"
    assert payload["last_labelled_at"] == "2026-03-01T09:00:00Z"
    assert payload["undated"] == 0


UNDATED = ["2026-03-01", "2026-03-01T10:00:00", "2026-03-01 10:00", ""]


@pytest.mark.parametrize("time", UNDATED)
def test_times_without_a_zone_say_nothing_about_order(open_r1: Any, time: str) -> None:
    payload = open_r1.ingest(f"item_id,annotator_id,label,labelled_at\n007,ada,supported,{time}\n").event.payload
    assert (payload["undated"], payload["last_labelled_at"]) == (1, "")


def test_an_empty_submission_must_be_declared(open_r1: Any) -> None:
    with pytest.raises(InputRefused) as refused:
        open_r1.ingest(HEADER)
    assert [p.code for p in refused.value.problems] == ["no-rows"]
    assert open_r1.ingest(HEADER, declare_empty=True).event.payload["n_rows"] == 0


def test_a_closed_round_takes_no_labels(open_r1: Any) -> None:
    open_r1.ingest(TWO)
    with open_r1.project.changing() as change:
        said = {"how": "complete", "reason": "", "expected": [], "raw_labels": "0" * 64}
        said |= {"seen_before": [], "looked_at_before": []}
        change.commit("round.closed", {"study_id": "claims", "round_id": "r1", **said})
    with pytest.raises(OutOfOrder):
        open_r1.ingest(TWO + "b-2,ada,supported\n")


def test_canonical_bytes_do_not_depend_on_the_order_of_rows(open_r1: Any, other_r1: Any) -> None:
    first = open_r1.ingest(HEADER + "007,ada,supported\nb-1,ada,unsupported\n").event.payload["canonical"]
    second = other_r1.ingest(HEADER + "b-1,ada,unsupported\r\n007,ada,supported\r\n").event.payload["canonical"]
    assert second == first


def test_a_file_that_is_not_there_is_refused_and_recorded(open_r1: Any) -> None:
    with pytest.raises(InputRefused) as refused:
        ingest(open_r1.project, "r1", [open_r1.folder / "absent.csv"])
    assert [p.code for p in refused.value.problems] == ["no-such-file"]
    assert open_r1.event_types()[-1] == "ingest.refused"
