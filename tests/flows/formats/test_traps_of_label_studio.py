"""Each trap of Label Studio's exports, as a small file of our own, and what becomes of it."""

import json

import pytest
import ten_items as t
from read_exports import codes, said, statuses

from flows.formats.reading import ReadOptions
from flows.formats.recognise import read_export

# Label Studio


def task(*annotations, n=1, data=None, **more):
    return {
        "id": 7000 + n,
        "data": data or {"ext_id": f"q-{n}", "text": f"text {n}"},
        "annotations": list(annotations),
    } | more


def annotation(label="yes", who=1, **more):
    result = [] if label is None else [t.choice(label)]
    return {"completed_by": who, "result": result, "was_cancelled": False, "created_at": "2026-04-01T09:00:00.5Z",
            "updated_at": "2026-04-01T09:00:00.6Z"} | more  # fmt: skip


def studio(*tasks, options=None):
    return read_export({"ls.json": t.dumped(list(tasks))}, options or ReadOptions())


LABEL_STUDIO_ORIGINS = [
    ("typed by the annotator", {}, "own"),
    ("a star among the raw ones", {"ground_truth": True}, "gold"),
    ("made from another annotation", {"parent_annotation": 12}, "copied"),
    ("propagated", {"history": [{"action": "propagated_annotation"}]}, "copied"),
    ("made from a prediction", {"parent_prediction": 3}, "prediction"),
    ("a prediction left as it was", {"result": [t.choice("yes") | {"origin": "prediction"}]}, "prediction"),
    ("a prediction, changed", {"result": [t.choice("yes") | {"origin": "prediction-changed"}]}, "prediction"),
    ("fixed by a reviewer", {"last_action": "fixed_and_accepted"}, "reviewer"),
    ("fixed, seen in the review", {"reviews": [{"created_by": 9, "fixed_annotation_history": 5}]}, "reviewer"),
    ("last touched by somebody else", {"updated_by": 9}, "reviewer"),
    ("accepted as it was", {"updated_by": 9, "last_action": "accepted", "reviews": [{"created_by": 9}]}, "own"),
]


@pytest.mark.parametrize(("what", "more", "origin"), LABEL_STUDIO_ORIGINS)
def test_label_studio_says_whose_an_answer_is(what, more, origin):
    reading = studio(task(annotation(**more)), task(annotation(), n=2))
    assert statuses(reading)["labelled", origin] == (2 if origin == "own" else 1)
    assert origin == "own" or said(reading, "kept apart")


def test_label_studio_keeps_the_nothings_apart():
    """Skipped (even with an answer left in it), sent empty, draft and never annotated are four things."""
    reading = studio(
        task(annotation(was_cancelled=True), annotation(None, who=2), n=1),
        task(
            n=2, drafts=[{"user": "cy@example.org", "result": [t.choice("no")], "created_at": "2026-04-01T09:00:00Z"}]
        ),
        task(n=3),
    )
    assert statuses(reading) == {("skipped", "own"): 1, ("submitted_empty", "own"): 1, ("draft", "own"): 1}
    assert set(reading.rows.label) == {""}
    assert said(reading, "1 skipped annotations hold an answer, not used")
    assert said(reading, "2 tasks have no annotation")


def test_an_empty_answer_gets_the_label_the_project_gave_it():
    reading = studio(task(annotation(None)), task(annotation(), n=2), options=ReadOptions(empty_means="no"))
    assert reading.rows.label == ["no", "yes"]


def test_label_studio_never_takes_the_task_number_for_an_id():
    assert codes({"ls.json": t.dumped([task(annotation(), data={"text": "a"}, n=n) for n in (1, 1)])}) == {
        "no-stable-item-id": 1
    }
    by_content = studio(task(annotation(), data={"text": "a"}), options=ReadOptions(item_key="content-hash"))
    assert by_content.rows.item_id == by_content.rows.item_version  # named by the person: allowed
    by_number = studio(task(annotation(), data={"text": "a"}), options=ReadOptions(item_key="id"))
    assert by_number.rows.item_id == ["7001"]  # likewise


def test_a_snapshot_without_its_skips_is_noticed():
    """Enterprise snapshots leave groups out; the tasks' own counters still know."""
    reading = studio(task(annotation(), cancelled_annotations=2, total_annotations=3))
    assert said(reading, "the tasks count 2 skips, the file holds 0")
    assert said(reading, "the tasks count 3 submitted annotations, the file holds 1")


def test_label_studio_s_own_agreement_and_counts_are_not_read():
    """`agreement` is 100 on tasks with one annotation, and `result_count` 0 where there is a result."""
    with_them = studio(task(annotation(result_count=0, lead_time=11023.1), agreement=100.0))
    assert with_them.rows == studio(task(annotation())).rows


REFUSED_LABEL_STUDIO = [
    ("several choices", [task(annotation(result=[t.choice("yes"), t.choice("no")]))], {"several-labels": 1}),
    ("two controls", [task(annotation(result=[t.choice("yes"), t.choice("no", "tone")]))], {"several-questions": 1}),
    ("nobody's", [task(annotation(who=None)), task(annotation(), n=2)], {"no-annotator": 1}),
    (
        "boxes",
        [task(annotation(result=[{"type": "rectanglelabels", "value": {}, "from_name": "b"}]))],
        {"span-format": 1},
    ),
    (
        "choices about a box",
        [task(annotation(result=[{"id": "r1", "type": "rectangle", "value": {}}, t.choice("yes")]))],
        {"span-format": 1},
    ),
    (
        "a reviewer who also labelled",
        [task(annotation(reviews=[{"created_by": 2, "accepted": True}]), annotation(who=2))],
        {"reviewer-as-annotator": 1},
    ),
    (
        "one id for all",
        [task(annotation(), n=n, data={"ext_id": "q", "text": f"t{n}"}) for n in range(3)],
        {"constant-item-id": 1},
    ),
    ("no id in one task", [task(annotation()), task(annotation(), n=2, data={"text": "x"})], {"missing-item-id": 1}),
]


@pytest.mark.parametrize(("what", "tasks", "expected"), REFUSED_LABEL_STUDIO)
def test_label_studio_refusals(what, tasks, expected):
    options = ReadOptions(item_key="ext_id")
    assert codes({"ls.json": t.dumped(tasks)}, options) == expected


def test_all_that_is_wrong_is_said_at_once():
    wrong = task(annotation(result=[t.choice("a"), t.choice("b", "tone")], who=None), data={"text": "t", "x": 1})
    assert codes({"ls.json": t.dumped([wrong, wrong])}) == {
        "several-questions": 1, "no-stable-item-id": 1, "no-annotator": 1,
    }  # fmt: skip


def test_the_question_can_be_chosen():
    two = task(annotation(result=[t.choice("yes"), t.choice("rude", "tone")]))
    assert studio(two, options=ReadOptions(question="tone")).rows.label == ["rude"]
    assert codes({"ls.json": t.dumped([two])}, ReadOptions(question="mood")) == {"unknown-question": 1}


def test_a_person_is_named_as_the_file_names_them():
    people = [annotation(who={"id": 4, "email": "a@example.org"}), annotation(who=4), annotation(who={"id": 5})]
    assert studio(task(*people)).rows.annotator_id == ["a@example.org", "4", "5"]


def test_labels_are_kept_as_written():
    odd = 'Yes " "" \n \t б '
    assert studio(task(annotation(odd))).rows.label == [odd]


# Label Studio JSON-MIN and CSV


def min_row(n=1, annotator="ada", **more):
    return {"id": n, "annotator": annotator, "annotation_id": n, "created_at": "2026-04-01T09:00:00Z", "updated_at": "",
            "lead_time": 1.0, "ext_id": f"q-{n}", "text": f"t {n}"} | more  # fmt: skip


MIN = ReadOptions(question="verdict", item_key="ext_id")


def test_json_min_rows_without_an_annotator_were_never_annotated():
    rows = [min_row(1, verdict="yes"), min_row(2, None), min_row(3)]
    reading = read_export({"min.json": t.dumped(rows)}, MIN)
    assert statuses(reading) == {("labelled", "own"): 1, ("submitted_empty", "own"): 1}
    assert said(reading, "1 rows have no annotator")
    assert said(reading, "no skips")
    assert said(reading, "no gold flag")
    assert said(reading, "not in the file at all")


def test_json_min_needs_the_question_named_beside_data():
    files = {"min.json": t.dumped([min_row(1, verdict="yes")])}
    assert codes(files, ReadOptions(item_key="ext_id")) == {"several-questions": 1}


def test_several_choices_are_refused_in_json_and_as_text_in_csv():
    many = {"choices": ["a", "b"]}
    assert codes({"min.json": t.dumped([min_row(verdict=many), min_row(2, verdict="a")])}, MIN) == {"several-labels": 1}
    rows = [min_row(verdict=json.dumps(many)), min_row(2, verdict="a")]
    assert codes({"min.csv": t.table(rows[0], (r.values() for r in rows))}, MIN) == {"several-labels": 1}


def test_a_control_that_has_overwritten_the_data_is_refused():
    options = ReadOptions(question="text", item_key="ext_id", content=("text",))
    assert codes({"min.json": t.dumped([min_row()])}, options) == {"control-overwrites-data": 1}


def test_the_renamed_data_column_is_found():
    """Newer CSV exports keep the data as _data_<name> when a control has its name."""
    rows = [min_row(n, verdict="yes", _data_ext_id=f"own-{n}") for n in (1, 2)]
    assert read_export({"min.csv": t.table(rows[0], (r.values() for r in rows))}, MIN).rows.item_id == [
        "own-1",
        "own-2",
    ]


def test_tab_separated_exports_read_the_same():
    comma, tab = (t.table(min_row(verdict=""), [min_row(verdict='a "b"\nc').values()], d) for d in ",\t")
    assert read_export({"m": comma}, MIN).rows.label == read_export({"m": tab}, MIN).rows.label == ['a "b"\nc']


def test_a_draft_beside_a_submitted_answer_of_the_same_person_by_the_map_is_dropped():
    """The draft names `bo`, the annotation user 1, and the map says that both are one person."""
    draft = [{"user": "bo", "result": [t.choice("no")], "created_at": "2026-04-01T09:00:00Z"}]
    tasks = [task(annotation(who=1), n=1, drafts=draft), task(n=2, drafts=draft * 2)]
    reading = studio(*tasks, options=ReadOptions(annotators={"bo": "1"}))
    assert statuses(reading) == {("labelled", "own"): 1, ("draft", "own"): 1}
    assert statuses(studio(*tasks)) == {("labelled", "own"): 1, ("draft", "own"): 2}
