"""`agreement FILE` on exports: the same kappa whatever they came in as, and what the file cannot say."""

import pytest
import ten_items as t

from agreement.errors import InputRefused
from flows.look import look
from flows.looks import figures
from flows.looks.options import LookOptions

WRITERS = [
    (t.label_studio, LookOptions()),
    (t.label_studio_csv, LookOptions(question="verdict", item="ext_id")),
    (t.prodigy_choice, LookOptions()),
    (t.argilla_flat, LookOptions()),
    (t.doccano_zip, LookOptions()),
    (t.labelbox, LookOptions()),
    (t.mturk, LookOptions()),
    (t.toloka, LookOptions()),
    (t.langsmith, LookOptions()),
    (t.langfuse, LookOptions()),
    (t.hugging_face_parquet, LookOptions()),
    (t.hugging_face_parquet, LookOptions(item="item_id", annotator="annotator_id", label="label")),
    (t.plain_csv, LookOptions()),
]


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    monkeypatch.setattr(figures, "RESAMPLES", 20)


def looked(tmp_path, files, options):
    (name, data) = next(iter(files.items()))
    (tmp_path / name).write_bytes(data)
    return look(tmp_path / name, options)


@pytest.mark.parametrize(("write", "options"), WRITERS)
def test_every_format_gives_the_same_kappa(tmp_path, write, options):
    files = write()
    record = looked(tmp_path, files, options)
    estimates = {e["statistic"]: e["value"] for e in record["groups"][0]["estimates"] if e["category"] is None}
    assert float(estimates["cohen_kappa"]) == pytest.approx(7 / 12, abs=5e-5)  # by hand, see test_same_in_every_format
    assert record["n_labels"] == 20
    assert record["categories"] == ["no", "yes"]


def test_prodigy_pairs_by_input_when_no_key_is_named(tmp_path):
    data = t.json_lines(
        {"text": text, "_input_hash": hash_, "_annotator_id": who, "answer": answer, "label": "X"}
        for text, hash_ in (("a", 1), ("b", 2))
        for who, answer in (("ada", "accept"), ("bo", "reject" if text == "a" else "accept"))
    )
    assert looked(tmp_path, {"p.jsonl": data}, LookOptions())["n_labels"] == 4


def test_what_an_export_cannot_say_is_in_the_record(tmp_path):
    record = looked(tmp_path, t.argilla_flat(), LookOptions())
    assert record["question"] == "verdict"
    assert any("no times" in sentence for sentence in record["loss"])
    assert record["notes"][0] == "read as argilla, question verdict"


def test_skips_and_copies_are_missing_labels(tmp_path):
    data = t.label_studio()["export.json"]
    data = data.replace(b'"was_cancelled": false', b'"was_cancelled": true', 1)
    data = data.replace(b'"ground_truth": false', b'"ground_truth": true', 4)
    record = looked(tmp_path, {"export.json": data}, LookOptions())
    assert (record["n_labels"], record["n_missing"]) == (16, 4)


def test_columns_that_are_named_go_before_recognition(tmp_path):
    options = LookOptions(item="Input.key", annotator="WorkerId", label="Answer.verdict")
    data = t.mturk()["Batch_1.csv"].replace(b",Approve,Reject", b"")
    assert looked(tmp_path, {"b.csv": data}, options)["format"] != "mturk"


def test_a_map_reads_lists_in_cells(tmp_path):
    how = tmp_path / "map.yaml"
    how.write_text(
        "format: lists\nabout: lists in cells\nlists: true\nunnamed_column: index\n"
        "columns: {item_id: item_id, label: annotations, annotator_id: anon_annotators}\n"
    )
    assert looked(tmp_path, t.lists_csv(), LookOptions(map=how))["n_labels"] == 20


def test_an_export_that_cannot_be_compared_is_refused_in_words(tmp_path):
    with pytest.raises(InputRefused) as refused:
        looked(tmp_path, {"doc.tsv": b"#FORMAT=WebAnno TSV 3.3\n"}, LookOptions())
    assert refused.value.counts == {"span-format": 1}
