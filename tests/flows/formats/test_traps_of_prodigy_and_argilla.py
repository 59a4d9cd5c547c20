"""Each trap of Prodigy's and Argilla's exports, as a small file of our own, and what becomes of it."""

import json

import pytest
import ten_items as t
from read_exports import codes, prodigy, said

from flows.formats.reading import ReadOptions
from flows.formats.recognise import read_export

# Prodigy


def test_binary_answers_are_the_labels_and_ignore_is_a_skip():
    reading = read_export(prodigy({}, {"answer": "reject"}, {"answer": "ignore"}), ReadOptions())
    assert list(zip(reading.rows.status, reading.rows.label, strict=True)) == [
        ("labelled", "accept"), ("labelled", "reject"), ("skipped", ""),
    ]  # fmt: skip
    assert reading.question == "DOC"


def test_choice_answers_are_options_and_reject_is_not_a_label():
    many = [{"accept": [1]}, {"accept": ["1"]}, {"accept": []}, {}, {"accept": ["2"], "answer": "reject"}]
    options = [{"id": 1, "text": "one"}]
    reading = read_export(prodigy(*many, label=None, options=options), ReadOptions())
    assert reading.rows.label == ["1", "1", "", "", ""]
    assert reading.rows.status == ["labelled"] * 2 + ["submitted_empty"] * 2 + ["skipped"]
    assert said(reading, "1 tasks were rejected as bad tasks")


def test_an_option_whose_text_or_type_changes_is_said():
    many = [{"options": [{"id": 1, "text": "one"}]}, {"options": [{"id": "1", "text": "won"}]}]
    reading = read_export(prodigy(*many, accept=["1"], label=None), ReadOptions())
    assert said(reading, "option '1' had 2 texts")
    assert said(reading, "a number in some rows")


def test_the_item_is_the_input_not_the_task():
    """The task hash changes when an option list does; the same input stays one item."""
    rows = [{"_input_hash": 5, "_task_hash": 1}, {"_input_hash": 5, "_task_hash": 2, "_annotator_id": "b"}]
    assert read_export(prodigy(*rows), ReadOptions()).rows.item_id == ["5", "5"]


def test_a_session_without_a_name_is_said():
    reading = read_export(prodigy({}, _annotator_id="2019-03-11_15-15-44"), ReadOptions())
    assert said(reading, "1 sessions have no name")


REFUSED_PRODIGY = [
    ("old export without sessions", prodigy({}, {}, _annotator_id=None), {"no-annotator": 1}),
    ("two interfaces", prodigy({"_view_id": "choice"}, {"_view_id": "classification"}), {"mixed-view-ids": 1}),
    ("review output", prodigy({"versions": [], "sessions": ["a"]}), {"adjudication-file": 1}),
    ("entities", prodigy({"spans": [], "_view_id": "ner_manual"}), {"span-format": 1}),
    ("two labels asked about", prodigy({"label": "A"}, {"label": "B"}), {"several-questions": 1}),
    ("multiple choice", prodigy({"accept": ["a", "b"], "options": []}, label=None), {"several-labels": 1}),
    ("one input over and over", prodigy({"_input_hash": 3}, {"_input_hash": 3}), {"constant-item-id": 1}),
]


@pytest.mark.parametrize(("what", "files", "expected"), REFUSED_PRODIGY)
def test_prodigy_refusals(what, files, expected):
    assert codes(files) == expected


def test_one_person_s_file_can_be_named():
    files = prodigy({}, {}, _annotator_id=None)
    assert read_export(files, ReadOptions(constants={"annotator_id": "ada"})).rows.annotator_id == ["ada", "ada"]
    assert read_export(files, ReadOptions(annotators={"p": "p"})).rows.annotator_id == ["p", "p"]  # p.jsonl, by the map


def test_ignore_can_be_declared_an_abstention():
    reading = read_export(prodigy({}, {"answer": "ignore"}), ReadOptions(abstentions={"ignore": "unclear"}))
    assert (reading.rows.status[1], reading.rows.abstain_reason[1]) == ("abstained", "unclear")


# Argilla


def argilla(values, users, status, **more):
    record = {"id": "q-1", "text": "t", "q.responses": values, "q.responses.users": users, "q.responses.status": status}
    return {"a.json": t.dumped([record | more])}


def test_argilla_s_drafts_and_discards_are_not_labels():
    reading = read_export(
        argilla(["a", "b", None], ["u", "v", "w"], ["submitted", "draft", "discarded"]), ReadOptions()
    )
    assert list(zip(reading.rows.status, reading.rows.label, strict=True)) == [
        ("labelled", "a"), ("draft", ""), ("skipped", ""),
    ]  # fmt: skip
    assert said(reading, "an answer discarded with nothing filled in is not in the file")
    assert said(reading, "no times")


def test_nobody_s_answers_may_be_null():
    files = {
        "a.json": t.dumped(
            [json.loads(argilla(["a"], ["u"], ["submitted"])["a.json"])[0], {"id": "q-2", "q.responses": None}]
        )
    }
    assert len(read_export(files, ReadOptions()).rows) == 1


def test_a_suggestion_in_view_is_said():
    reading = read_export(argilla(["a"], ["u"], ["submitted"], **{"q.suggestion": "a"}), ReadOptions())
    assert said(reading, "1 answered records showed a suggestion")


UUID = "4a1f7c5e-0000-4000-8000-000000000001"
REFUSED_ARGILLA = [
    ("lists that do not belong together", argilla(["a", "b"], ["u"], ["submitted"]), {"uneven-lists": 1}),
    ("several labels", argilla([["a", "b"]], ["u"], ["submitted"]), {"several-labels": 1}),
    ("spans", argilla([[{"start": 0, "end": 1, "label": "x"}]], ["u"], ["submitted"]), {"span-format": 1}),
    ("a status nobody knows", argilla(["a"], ["u"], ["pending"]), {"undeclared-value": 1}),
    ("the server's own ids", argilla(["a"], ["u"], ["submitted"], id=UUID), {"no-stable-item-id": 1}),
    (
        "1.x without user",
        {"a.json": t.dumped([{"id": "q", "fields": {"text": "t"}, "responses": [
            {"user_id": None, "status": "submitted", "values": {"q": {"value": "a"}}}]}])},
        {"no-annotator": 1},
    ),
    ("two questions", argilla(["a"], ["u"], ["submitted"], **{"p.responses": []}), {"several-questions": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("what", "files", "expected"), REFUSED_ARGILLA)
def test_argilla_refusals(what, files, expected):
    assert codes(files) == expected
