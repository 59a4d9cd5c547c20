"""Each trap of doccano, Labelbox, Ground Truth, Potato and span tools, as a small file of our own."""

import io
import zipfile

import pytest
import ten_items as t
from read_exports import codes, said, statuses

from flows.formats.reading import ReadOptions
from flows.formats.recognise import read_export

# doccano


def members(**files):
    return {name: t.json_lines(rows) for name, rows in files.items()}


def example(n, *labels):
    return {"id": 900 + n, "text": f"t{n}", "key": f"q-{n}", "label": list(labels)}


def test_doccano_cannot_tell_unopened_from_empty():
    files = {"ada.jsonl": t.json_lines([example(1, "a"), example(2)]), "bo.jsonl": t.json_lines([example(1, "b")])}
    reading = read_export(files, ReadOptions())
    assert statuses(reading) == {("labelled", "own"): 2, ("never_shown", "own"): 1}
    assert said(reading, "an example never opened looks like one where nothing was chosen")
    assert set(reading.rows.annotator_id) == {"ada", "bo"}


def zipped(name, data=b"x", size=None):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return {"d.zip": out.getvalue()}


REFUSED_DOCCANO = [
    ("everybody merged", {"all.jsonl": t.json_lines([example(1, "a"), example(2, "b")])}, {"merged-annotators": 1}),
    ("whose file?", {"x.jsonl": t.json_lines([example(1, "a")])}, {"no-annotator": 1}),
    ("spans", {"ada.jsonl": t.json_lines([{"text": "t", "key": "1", "label": [[0, 1, "X"]]}])}, {"span-format": 1}),
    ("entities", {"a.jsonl": t.json_lines([{"text": "t", "entities": [{"label": "X"}]}])}, {"span-format": 1}),
    ("two labels", {"ada.jsonl": t.json_lines([example(1, "a", "b")]), "b.jsonl": t.json_lines([example(2, "a")])},
     {"several-labels": 1}),
    ("two labels in CSV", {"ada.csv": b"text,label\nt,a#b\n", "bo.csv": b"text,label\nu,a\n"},
     {"several-labels": 1, "no-stable-item-id": 1}),
    ("the database's id", dict.fromkeys(("ada.jsonl", "bo.jsonl"),
                                        t.json_lines([{"id": 4, "text": "t", "label": ["a"]}])),
     {"no-stable-item-id": 1}),
    ("a path out of the archive", zipped("../../ada.jsonl"), {"unsafe-archive": 1}),
    ("a bomb", zipped("ada.jsonl", b"0" * 10_000_000), {"unsafe-archive": 1}),
    ("fastText training data", {"ft.txt": b"__label__a text\n"}, {"no-annotator": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("what", "files", "expected"), REFUSED_DOCCANO)
def test_doccano_refusals(what, files, expected):
    assert codes(files) == expected


def test_a_declared_label_may_hold_the_separator():
    files = {"ada.csv": b"text,label\nt,C#\nu,a\n"}
    options = ReadOptions(item_key="content-hash", annotators={"ada": "ada"}, categories=("C#", "a"))
    assert read_export(files, options).rows.label == ["C#", "a"]


def test_older_doccano_names_users_by_number():
    rows = [{"text": "t", "key": "1", "annotations": [{"label": 3, "user": 1}, {"label": 2, "user": 8}],
             "annotation_approver": "dee"}]  # fmt: skip
    reading = read_export({"old.jsonl": t.json_lines(rows)}, ReadOptions())
    assert list(zip(reading.rows.annotator_id, reading.rows.label, strict=True)) == [("1", "3"), ("8", "2")]
    assert said(reading, "1 items carry an approver")


# Labelbox


def labelbox(*answers, details=None, row=None, projects=None, **more):
    details = {"created_by": "ada", "created_at": "2026-04-01T09:00:00Z"} if details is None else details
    label = {
        "label_kind": "Default",
        "label_details": details,
        "annotations": {"classifications": list(answers)},
    } | more
    projects = projects or {"p": {"name": "v", "labels": [label]}}
    return {"l.ndjson": t.json_lines([{"data_row": row or {"id": "c1", "global_key": "q-1"}, "projects": projects}])}


def radio(name="yes", value=None, question="verdict"):
    return {"name": question, "radio_answer": {"name": name, "value": name if value is None else value}}


def test_the_answer_is_the_one_that_was_shown():
    reading = read_export(labelbox(radio("not_wear", "good")), ReadOptions())
    assert reading.rows.label == ["not_wear"]
    assert said(reading, "the answer shown as 'not_wear' has the value 'good'")
    by_value = read_export(labelbox(radio("not_wear", "good")), ReadOptions(categories=("good", "bad")))
    assert by_value.rows.label == ["good"]  # the study declares the value


def test_labelbox_keeps_skips_empties_and_benchmarks_apart():
    assert read_export(labelbox(radio(), performance_details={"skipped": True}), ReadOptions()).rows.status == [
        "skipped"
    ]
    unanswered = read_export(labelbox(radio(question="other")), ReadOptions(question="other"))
    assert unanswered.rows.status == ["labelled"]
    assert read_export(labelbox(radio(), label_kind="Benchmark"), ReadOptions()).rows.origin == ["gold"]
    absent = {"p": {"name": "v", "labels": [
        {"label_details": {"created_by": who}, "annotations": {"classifications": given}}
        for who, given in (("ada", [radio()]), ("bo", []))]}}  # fmt: skip
    reading = read_export(labelbox(projects=absent), ReadOptions())
    assert reading.rows.status == ["labelled", "submitted_empty"]
    assert said(reading, "2 labels have no time")


REFUSED_LABELBOX = [
    ("no label_details", labelbox(radio(), details={}), None, {"no-annotator": 1}),
    ("two questions in another order", labelbox(radio(), radio(question="b")), None, {"several-questions": 1}),
    ("a checklist", labelbox({"name": "q", "checklist_answers": [{"name": "a"}, {"name": "b"}]}), None,
     {"several-labels": 1}),
    ("no key of the user's", labelbox(radio(), row={"id": "c1"}), None, {"no-stable-item-id": 1}),
    ("boxes only", labelbox(annotations={"objects": [{"name": "car"}], "classifications": []}), None,
     {"span-format": 1}),
    ("two projects", labelbox(projects={"p": {"name": "a", "labels": []}, "q": {"name": "b", "labels": []}}), None,
     {"several-projects": 1}),
    ("their own reviewer", labelbox(radio(), details={"created_by": "ada", "reviews": [{"reviewed_by": "ada"}]}), None,
     {"reviewer-as-annotator": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("what", "files", "options", "expected"), REFUSED_LABELBOX)
def test_labelbox_refusals(what, files, options, expected):
    assert codes(files, options) == expected


# SageMaker Ground Truth


def test_a_manifest_alone_is_nobody_s_label():
    line = {"source-ref": "s3://b/1.png", "cats": 0, "cats-metadata": {"class-name": "Cat", "human-annotated": "yes"}}
    assert codes({"output.manifest": t.json_lines([line])}) == {"consolidated-label": 1}


def test_machine_labels_are_counted_and_addresses_warned_of():
    lines = [
        {"source-ref": f"s3://b/{n}.png", "cats": 0,
         "cats-metadata": {"human_annotated": human, "worker-response-ref": f"s3://b/{n}/a.json"}}
        for n, human in ((1, "yes"), (2, "no"))
    ]  # fmt: skip
    answer = {"workerId": "w1", "submissionTime": "2026-04-01T09:00:00Z"}
    content = {"cat": {"on": True}, "dog": {"on": False}}
    files = {
        "m": t.json_lines(lines),
        "1/a.json": t.dumped({"answers": [answer | {"answerContent": {"kind": content}}]}),
    }
    reading = read_export(files, ReadOptions())
    assert (reading.rows.item_id, reading.rows.label) == (["s3://b/1.png"], ["cat"])
    assert said(reading, "1 items were labelled by machine")
    assert said(reading, "a moved bucket changes every id")


def test_ground_truth_boxes_are_refused():
    content = {"annotatedResult": {"boundingBoxes": [], "inputImageProperties": {}}}
    files = {"a.json": t.dumped({"answers": [{"workerId": "w", "answerContent": content}]})}
    assert codes(files) == {"span-format": 1}


def test_worker_answers_without_the_manifest_have_no_item_id():
    files = {"7/a.json": t.dumped({"answers": [{"workerId": "w", "answerContent": {"q": {"label": "a"}}}]})}
    assert codes(files) == {"no-stable-item-id": 1}
    assert read_export(files, ReadOptions(item_key="file")).rows.item_id == ["7/a.json"]


# Potato


def state(marks, changes=None, order=()):
    behaviour = {"r1": {"annotation_changes": changes}} if changes else {}
    return {"out/ada/user_state.json": t.dumped({
        "instance_id_to_label_to_value": {"r1": marks}, "instance_id_to_behavioral_data": behaviour,
        "instance_id_ordering": list(order)})}  # fmt: skip


def mark(name, value="true"):
    return [{"schema": "q", "name": name}, value]


def test_a_changed_potato_answer_is_decided_by_its_timed_changes():
    """Clicks 5, 4, 5, 4, 5 leave both in the file, in the order of first touch: the last entry is not the answer."""
    changes = [{"timestamp": 100.5 + n, "schema_name": "q", "label_name": label, "action": "select"}
               for n, label in enumerate("54545")]  # fmt: skip
    assert read_export(state([mark("5"), mark("4")], changes), ReadOptions()).rows.label == ["5"]
    assert codes(state([mark("5"), mark("4")])) == {"ambiguous-answer": 1}


def test_potato_s_label_is_the_name_and_what_was_not_answered_is_listed():
    reading = read_export(state([mark("positive")], order=["r1", "r2"]), ReadOptions())
    assert list(zip(reading.rows.item_id, reading.rows.status, reading.rows.label, strict=True)) == [
        ("r1", "labelled", "positive"), ("r2", "never_shown", ""),
    ]  # fmt: skip
    assert set(reading.rows.annotator_id) == {"ada"}  # from the folder


def test_potato_s_decisions_are_adjudication():
    files = state([mark("a")]) | {"adjudication/decisions.json": b"{}"}
    assert codes(files) == {"adjudication-file": 1}


OLD_POTATO = {
    "id": "q-1",
    "displayed_text": "a text",
    "label_annotations": {"verdict": {"yes": "true", "no": False}, "hardness": {"3": "3"}},
    "span_annotations": {},
    "behavioral_data": {"time_string": "Time spent: 0d 0h 0m 7s "},
}


def test_potato_before_user_states_is_read_too():
    lines = t.json_lines([OLD_POTATO, OLD_POTATO | {"id": "q-2", "label_annotations": {"verdict": {}}}])
    files = {"annotation_output/ada/annotated_instances.jsonl": lines}
    reading = read_export(files, ReadOptions(question="verdict"))
    assert reading.rows.canonical("item_id", "annotator_id", "status", "label") == [
        ("q-1", "ada", "labelled", "yes"),
        ("q-2", "ada", "submitted_empty", ""),
    ]
    assert read_export(files, ReadOptions(question="hardness")).rows.label == ["3", ""]
    alone = {"annotated_instances.jsonl": lines}
    assert codes(alone, ReadOptions(question="verdict")) == {"no-annotator": 1}
    assert codes({"u/annotated_instances.jsonl": t.json_lines([OLD_POTATO] * 2)}) == {"ambiguous-answer": 1}


# Spans


def test_inception_is_recognised_and_refused():
    files = {"doc/ada.tsv": b"#FORMAT=WebAnno TSV 3.3\n#T_SP=layer|value\n\n#Text=a\n1-1\t0-1\ta\t_\n"}
    assert codes(files) == {"span-format": 1}
