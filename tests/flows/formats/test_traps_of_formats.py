"""Each trap of each format, as a small file of our own, and what becomes of it: refused by name, or said in words."""

import io
import json
import zipfile
from collections import Counter

import pytest
import ten_items as t

from agreement.errors import InputRefused
from flows.formats import hugging_face
from flows.formats.flat import read as read_flat
from flows.formats.reading import ReadOptions
from flows.formats.recognise import read_export
from schemas.format_map import FormatMap

UNNAMED = ReadOptions(looking=True)


def codes(files, options=None, name=None):
    with pytest.raises(InputRefused) as refused:
        read_export(files, options or ReadOptions(), name)
    assert all(problem.fix for problem in refused.value.problems)
    return Counter(refused.value.counts)


def statuses(reading):
    return Counter(zip(reading.rows.status, reading.rows.origin, strict=True))


def said(reading, text):
    return any(text in sentence for sentence in (*reading.notes, *reading.loss))


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


# Prodigy


def prodigy(*answers, **more):
    base = {"_annotator_id": "set-ada", "label": "DOC", "answer": "accept"} | more
    rows = ({"text": f"t{n}", "_input_hash": n, "_task_hash": -n} | base | a for n, a in enumerate(answers, 1))
    return {"p.jsonl": t.json_lines(rows)}


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
    assert read_export(files, ReadOptions(annotators={"p"})).rows.annotator_id == ["p", "p"]  # p.jsonl, by the map


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
    options = ReadOptions(item_key="content-hash", annotators={"ada"}, categories=("C#", "a"))
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


# Spans


def test_inception_is_recognised_and_refused():
    files = {"doc/ada.tsv": b"#FORMAT=WebAnno TSV 3.3\n#T_SP=layer|value\n\n#Text=a\n1-1\t0-1\ta\t_\n"}
    assert codes(files) == {"span-format": 1}


# Flat exports by a map


def turk(*rows):
    header = (*t._TURK[:8], "Input.key", "Input.text", "Answer.q.yes", "Answer.q.no", "Approve", "Reject")
    base = ("H", "T", "x", "A", "w1", "Approved", "", "2026-04-01 10:00:00 UTC")
    return {"turk.csv": t.table(header, [(*base[:4], w, s, *base[6:], *rest) for w, s, *rest in rows])}


TURK = ReadOptions(item_key="Input.key", content=("Input.text",))


def test_rejected_work_is_kept_apart_and_option_columns_are_one_question():
    files = turk(("w1", "Rejected", "q1", "t", "true", "false"), ("w2", "Approved", "q1", "t", "false", "true"))
    reading = read_export(files, TURK)
    assert (reading.rows.annotator_id, reading.rows.label) == (["w2"], ["no"])
    assert len(reading.apart["rejected-work"]) == 1
    assert said(reading, "1 rows kept apart: rejected-work")


def test_two_options_marked_are_several_labels():
    assert codes(turk(("w1", "Approved", "q1", "t", "true", "true")), TURK) == {"several-labels": 1}


def test_a_batch_id_is_never_the_item():
    files = turk(*((f"w{n}", "Approved", f"q{n}", "t", "true", "false") for n in (1, 2)))
    assert codes(files) == {"no-stable-item-id": 1}


def test_answers_as_json_in_a_cell():
    cell = json.dumps([{"verdict": {"label": "yes"}}])
    header = (*t._TURK[:8], "Input.key", "Answer.taskAnswers")
    row = ("H", "T", "x", "A", "w1", "Submitted", "", "Wed Apr 04 10:26:23 PDT 2018", "q1", cell)
    reading = read_export({"t.csv": t.table(header, [row])}, ReadOptions())
    assert (reading.rows.label, reading.rows.labelled_at) == (["yes"], ["2018-04-04T10:26:23-07:00"])


def test_an_undeclared_zone_is_not_guessed():
    header = (*t._TURK[:8], "Input.key", "Answer.q")
    row = ("H", "T", "x", "A", "w1", "Submitted", "", "Wed Apr 04 10:26:23 CST 2018", "q1", "a")
    assert codes({"t.csv": t.table(header, [row])}) == {"unknown-zone": 1}


def test_toloka_s_control_training_and_rejected_rows_are_not_labels():
    header = ("INPUT:id", "OUTPUT:v", "GOLDEN:v", "HINT:text", "ASSIGNMENT:assignment_id", "ASSIGNMENT:worker_id",
              "ASSIGNMENT:status", "ASSIGNMENT:started")  # fmt: skip
    rows = [
        (f"q{n}", "a", golden, hint, "s1", "w", status, "2026-04-01T09:00:00.123")
        for n, (golden, hint, status) in enumerate(
            [("", "", "APPROVED"), ("a", "", "APPROVED"), ("", "look", "APPROVED"), ("", "", "REJECTED")]
        )
    ]
    reading = read_export({"a.tsv": t.table(header, rows, "\t")}, ReadOptions())
    assert statuses(reading) == {("labelled", "own"): 1, ("labelled", "gold"): 1}
    assert {reason: len(kept) for reason, kept in reading.apart.items()} == {"training": 1, "rejected-work": 1}
    assert said(reading, "banned workers")
    assert said(reading, "times have no zone")


def langsmith(**more):
    return {"id": "f", "run_id": "r1", "key": "q", "score": None, "value": "a",
            "created_at": "2026-04-01T09:00:00Z", "modified_at": "2026-04-01T09:00:00Z",
            "feedback_source": {"type": "app", "user_id": "u"}, **more}  # fmt: skip


def test_langsmith_s_judges_look_like_people_but_for_their_source():
    rows = [
        langsmith(), langsmith(feedback_source={"type": "model"}), langsmith(value=None, score=1, run_id="r2"),
        langsmith(value=None, run_id="r3", comment="hm"), langsmith(run_id="r4", modified_at="2026-04-02T09:00:00Z"),
    ]  # fmt: skip
    reading = read_export({"f.json": t.dumped(rows)}, ReadOptions())
    assert reading.rows.annotator_kind == ["human", "model", "human", "human", "human"]
    assert reading.rows.annotator_id[1] == "model"
    assert reading.rows.label == ["a", "a", "1", "", "a"]
    assert reading.rows.status[3] == "submitted_empty"
    assert said(reading, "1 answers were changed later")


def test_langfuse_rows_of_two_people_differ_only_by_author():
    base = {"traceId": "t1", "observationId": None, "name": "q", "source": "ANNOTATION", "dataType": "CATEGORICAL",
            "stringValue": "a", "value": None, "timestamp": "2026-04-01T09:00:00Z"}  # fmt: skip
    rows = [base | {"authorUserId": "u"}, base | {"authorUserId": "v"}, base | {"authorUserId": None, "source": "EVAL"}]
    reading = read_export({"s.json": t.dumped({"data": rows, "meta": {}})}, ReadOptions(), None)
    assert reading.rows.annotator_id == ["u", "v", "EVAL"]
    assert reading.rows.annotator_kind == ["human", "human", "model"]


def test_a_wide_table_s_blank_is_missing_and_says_so():
    how = FormatMap(format="w", about="w", wide=("ada", "bo"), columns={"item_id": "item"})
    reading = read_flat({"w.csv": b"item,ada,bo\nq1,a,\nq2,b,b\n"}, ReadOptions(format_map=how))
    assert Counter(reading.rows.status) == {"labelled": 3, "never_shown": 1}
    assert said(reading, "an empty cell")


def test_a_transposed_table_is_noticed():
    how = FormatMap(format="w", about="w", wide=("q1", "q2"), columns={"item_id": "person"})
    with pytest.raises(InputRefused) as refused:
        read_flat({"w.csv": b"person,q1,q2\nada,a,b\nbo,a,a\n"}, ReadOptions(format_map=how, annotators={"ada", "bo"}))
    assert refused.value.counts == {"transposed-matrix": 1}


def test_lists_in_cells_are_paired_by_position():
    """As in a published data set of stereotype pairs: `[]` is an answer without a choice."""
    how = FormatMap(format="l", about="l", lists=True, unnamed_column="index",
                    columns={"item_id": "index", "label": "annotations", "annotator_id": "who"})  # fmt: skip
    data = t.table(("", "annotations", "who"), [("0", "[['a'], [], ['b']]", "[1, 2, 3]"), ("1", "[['a']]", "[3]")])
    reading = read_flat({"l.csv": data}, ReadOptions(format_map=how))
    assert list(zip(reading.rows.item_id, reading.rows.annotator_id, reading.rows.label, strict=True)) == [
        ("0", "1", "a"), ("0", "2", ""), ("0", "3", "b"), ("1", "3", "a"),
    ]  # fmt: skip
    uneven = t.table(("", "annotations", "who"), [("0", "[['a'], ['b']]", "[1]")])
    with pytest.raises(InputRefused) as refused:
        read_flat({"l.csv": uneven}, ReadOptions(format_map=how))
    assert "uneven-lists" in refused.value.counts


def class_labels(values, names=("no", "yes"), features=True):
    import pyarrow as pa

    table = pa.table(
        {"item_id": [f"q{n}" for n in range(len(values))], "annotator_id": ["a"] * len(values), "label": values}
    )
    out = io.BytesIO()
    with pa.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)
    info = {"features": {"label": {"names": list(names), "_type": "ClassLabel"}} if features else {}}
    return {"data.arrow": out.getvalue(), "dataset_info.json": t.dumped(info)}


def test_class_numbers_need_their_names():
    blank = FormatMap(format="hf", about="hf", blank="never_shown")
    reading = hugging_face.read(class_labels([0, 1, -1]), ReadOptions(format_map=blank))
    assert list(zip(reading.rows.label, reading.rows.status, strict=True)) == [
        ("no", "labelled"), ("yes", "labelled"), ("", "never_shown"),
    ]  # fmt: skip
    assert codes(class_labels([0, 2])) == {"class-out-of-range": 1}
    assert codes(class_labels([0, 1], features=False)) == {"no-class-names": 1}


# JSON and text


BAD_JSON = [
    ("a key twice", b'{"text": "a", "_input_hash": 1, "_input_hash": 2, "answer": "accept"}\n', "duplicate-key", 1),
    ("NaN", b'{"text": "a", "_input_hash": 1, "answer": "accept"}\n{"_input_hash": NaN}\n', "bad-json", 2),
    ("half a line", b'{"text": "a", "_input_hash": 1, "answer": "accept"}\n{"text": \n', "bad-json", 2),
    (
        "a blank line",
        b'{"_input_hash": 1, "answer": "accept"}\n\n{"_input_hash": 2, "answer": "accept"}\n',
        "bad-json",
        2,
    ),
    ("latin-1", b'{"text": "a", "_input_hash": 1, "answer": "accept"}\n{"text": "\xe9"}\n', "not-utf8", 2),
    ("a number", b'{"text": "a", "_input_hash": 1, "answer": "accept"}\n7\n', "bad-json", 2),
]


@pytest.mark.parametrize(("what", "data", "code", "line"), BAD_JSON)
def test_json_is_read_strictly(what, data, code, line):
    with pytest.raises(InputRefused) as refused:
        read_export({"p.jsonl": data}, ReadOptions(constants={"annotator_id": "a"}))
    assert [(p.code, p.line) for p in refused.value.problems] == [(code, line)]


def test_too_deep_and_half_characters_are_refused():
    deep = b'[{"data": {"ext_id": "a"}, "annotations": ' + b"[" * 100_000 + b"]" * 100_000 + b"}]"
    assert codes({"x.json": deep}, name="label-studio") == {"bad-json": 1}
    half = prodigy({"accept": ["HALF"], "options": []}, {"accept": ["b"]}, label=None)["p.jsonl"]
    assert codes({"p.jsonl": half.replace(b"HALF", b"\\ud800")}) == {"bad-text": 1}


def test_decimal_labels_stay_as_written():
    """1.10 is not 1.1: a rating read as a number and written again would change."""
    data = b'{"item_id": "a", "annotator_id": "x", "label": 1.10}\n{"item_id": "b", "annotator_id": "x", "label": 1}\n'
    assert read_flat({"l.jsonl": data}, ReadOptions()).rows.label == ["1.10", "1"]


BAD_CSV = [
    ("a stray mark", b'item_id,annotator_id,label\na,x,ye"s\n', "stray-quote", 2),
    ("text after the mark", b'item_id,annotator_id,label\na,x,"ye"s\n', "stray-quote", 2),
    ("never closed", b'item_id,annotator_id,label\na,x,yes\nb,x,"yes\n', "unterminated-quote", 3),
    ("a short row", b"item_id,annotator_id,label\na,x\n", "ragged-row", 2),
    ("a blank line", b"item_id,annotator_id,label\na,x,y\n\nb,x,y\n", "blank-line", 3),
    ("after a long cell", b'item_id,annotator_id,label\n"a\nb",x,y\nc,x\n', "ragged-row", 4),
    ("a NUL", b"item_id,annotator_id,label\na,x,y\0\n", "control-character", 2),
    ("an old line end", b"item_id,annotator_id,label\na,x,y\rb,x,y\n", "bare-cr", 2),
    ("a column twice", b"item_id,annotator_id,label,Label\na,x,y,z\n", "duplicate-column", 1),
    ("nothing", b" \n", "empty-file", None),
    ("a blank label", b"item_id,annotator_id,label\na,x,\nb,x,y\n", "blank-label", 2),
]


@pytest.mark.parametrize(("what", "data", "code", "line"), BAD_CSV)
def test_delimited_text_is_read_strictly(what, data, code, line):
    with pytest.raises(InputRefused) as refused:
        read_flat({"l.csv": data}, ReadOptions())
    assert [(p.code, p.line) for p in refused.value.problems] == [(code, line)]


# Choosing


def test_a_plain_table_is_nobody_s_format():
    assert read_export({"l.csv": b"item,who,label\na,x,y\n"}, ReadOptions()) is None


def test_an_unknown_format_names_the_known_ones():
    with pytest.raises(InputRefused) as refused:
        read_export({"l.csv": b"a\n"}, ReadOptions(), "labelstudio")
    assert "label-studio, " in refused.value.problems[0].message
    assert "mturk" in refused.value.problems[0].message


def test_a_file_of_another_shape_is_refused_in_words():
    assert codes({"x.json": b'[{"a": 1}]'}, UNNAMED, "labelbox") == {"unknown-format": 1}
