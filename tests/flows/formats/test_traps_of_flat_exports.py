"""Each trap of flat exports, as a small file of our own, and what becomes of it."""

import io
import json
from collections import Counter

import pytest
import ten_items as t
from read_exports import codes, said, statuses

from agreement.errors import InputRefused
from flows.formats import hugging_face
from flows.formats.flat import read as read_flat
from flows.formats.reading import ReadOptions
from flows.formats.recognise import read_export
from schemas.format_map import FormatMap

# Flat exports by a map


def turk(*rows):
    header = (*t.TURK_COLUMNS[:8], "Input.key", "Input.text", "Answer.q.yes", "Answer.q.no", "Approve", "Reject")
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
    header = (*t.TURK_COLUMNS[:8], "Input.key", "Answer.taskAnswers")
    row = ("H", "T", "x", "A", "w1", "Submitted", "", "Wed Apr 04 10:26:23 PDT 2018", "q1", cell)
    reading = read_export({"t.csv": t.table(header, [row])}, ReadOptions())
    assert (reading.rows.label, reading.rows.labelled_at) == (["yes"], ["2018-04-04T10:26:23-07:00"])


def test_an_undeclared_zone_is_not_guessed():
    header = (*t.TURK_COLUMNS[:8], "Input.key", "Answer.q")
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
        read_flat(
            {"w.csv": b"person,q1,q2\nada,a,b\nbo,a,a\n"},
            ReadOptions(format_map=how, annotators={"ada": "ada", "bo": "bo"}),
        )
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
