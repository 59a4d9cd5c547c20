"""Every sample file that others published is read, or refused with the right reason.

The expected counts are those of the files' own notes (formats/README.md and SOURCES.md) or counted with jq.
"""

from collections import Counter
from pathlib import Path

import pytest

from agreement.errors import InputRefused
from flows.formats.flat import read as read_flat
from flows.formats.reading import ReadOptions
from flows.formats.recognise import read_export
from schemas.format_map import FormatMap

SAMPLES = Path(__file__).parents[3].parent / "shared" / "formats"
pytestmark = pytest.mark.skipif(not SAMPLES.exists(), reason="the sample files of formats/ are not here")

ADA = {"annotator_id": "ada"}
HASH = ReadOptions(item_key="content-hash", constants=ADA)

REFUSED = [
    ("label_studio/csv_test.json", ReadOptions(), {"span-format"}),
    ("label_studio/json_min_data.json", ReadOptions(), {"span-format"}),
    ("label_studio/three_annotators_bbox.json", ReadOptions(), {"span-format"}),
    ("label_studio/csv_test2.json", ReadOptions(), {"no-stable-item-id"}),
    ("label_studio/csv_test_history.json", ReadOptions(), {"no-stable-item-id"}),
    ("label_studio/csv_test_colliding_keys.json", ReadOptions(), {"no-stable-item-id"}),
    # the export lacks the control's column altogether: whichever column is named is data
    ("label_studio/csv_test2_result.csv", ReadOptions(item_key="_row_id"), {"several-questions"}),
    ("prodigy/github_issues_textcat_first300.jsonl", ReadOptions(), {"no-annotator"}),
    ("doccano/export_sequence_labeling_example.jsonl", ReadOptions(), {"span-format"}),
    ("doccano/export_text_classification_example.jsonl", ReadOptions(), {"no-stable-item-id", "no-annotator"}),
    ("doccano/export_text_classification_example.csv", ReadOptions(), {"no-stable-item-id", "no-annotator"}),
    ("doccano/import_example.jsonl", HASH, {"several-labels"}),
    ("doccano/import_example_fasttext.txt", ReadOptions(), {"no-annotator"}),
    ("labelbox/export_v2_excerpt4.ndjson", ReadOptions(), {"several-questions", "no-annotator"}),
    ("labelbox/export_v2_excerpt4.ndjson", ReadOptions(question="wear"), {"no-annotator"}),
]


@pytest.mark.parametrize(("path", "options", "codes"), REFUSED)
def test_a_sample_is_refused_for_the_right_reason(path, options, codes):
    with pytest.raises(InputRefused) as refused:
        read_export(read(path), options)
    assert set(refused.value.counts) == codes


READ = [
    ("label_studio/csv_test2.json", ReadOptions(item_key="_row_id"), {"labelled": 1}, {"own": 1}),
    ("label_studio/csv_test_history.json", ReadOptions(item_key="content-hash"), {"labelled": 1}, {"own": 1}),
    ("label_studio/csv_test_colliding_keys.json", ReadOptions(item_key="text"), {"labelled": 1}, {"own": 1}),
    # 103 accept and 170 reject are answers, 27 ignore are skips
    ("prodigy/github_issues_textcat_first300.jsonl", ReadOptions(constants=ADA), {"labelled": 273, "skipped": 27},
     {"own": 300}),
    ("doccano/export_text_classification_example.jsonl", HASH, {"labelled": 3}, {"own": 3}),
    ("doccano/export_text_classification_example.csv", HASH, {"labelled": 3}, {"own": 3}),
    # a required question is absent where bad_image is True
    ("labelbox/export_v2_excerpt4.ndjson", ReadOptions(question="wear", constants=ADA),
     {"labelled": 3, "submitted_empty": 1}, {"own": 4}),
]  # fmt: skip


@pytest.mark.parametrize(("path", "options", "statuses", "origins"), READ)
def test_a_sample_is_read(path, options, statuses, origins):
    rows = read_export(read(path), options).rows
    assert Counter(rows.status) == statuses
    assert Counter(rows.origin) == origins


def test_a_label_of_odd_characters_comes_through_whole():
    rows = read_export(read("label_studio/csv_test2.json"), ReadOptions(item_key="_row_id")).rows
    assert rows.label == ['Yes " "" \n \t \t а б в \n']
    assert rows.annotator_id == ["annotator5@example.org"]


def test_the_shown_answer_and_its_value_differ_in_the_labelbox_sample():
    reading = read_export(read("labelbox/export_v2_excerpt4.ndjson"), ReadOptions(question="wear", constants=ADA))
    assert "the answer shown as 'not_wear' has the value 'good': read as shown" in reading.notes


def test_binary_answers_of_the_prodigy_sample_are_counted_as_its_notes_say():
    rows = read_export(read("prodigy/github_issues_textcat_first300.jsonl"), ReadOptions(constants=ADA)).rows
    assert Counter(rows.label) == {"reject": 170, "accept": 103, "": 27}


def test_the_worker_item_label_file_is_read_by_a_map():
    how = FormatMap(
        format="get-another-label", about="worker, item, label; no header",
        header=False, columns={"annotator_id": "1", "item_id": "2", "label": "3"},
    )  # fmt: skip
    rows = read_flat(read("csv_long/barzan_labels.tsv"), ReadOptions(format_map=how)).rows
    assert len(rows) == 5_000
    assert (len(set(rows.annotator_id)), len(set(rows.item_id)), set(rows.label)) == (83, 1_000, {"0", "1"})


PLAIN = [
    ("doccano/import_example.utf16.csv", "not-utf8"),
    ("doccano/import_example.xlsx", "no-annotator"),
    ("doccano/import_example_one_column_no_header.xlsx", "no-annotator"),
    ("csv_long/barzan_evaluation.tsv", "duplicate-column"),  # gold: item and label, without a header
    ("csv_long/barzan_gold-30items.tsv", "duplicate-column"),
]


@pytest.mark.parametrize(("path", "code"), PLAIN)
def test_a_plain_sample_without_annotators_is_refused(path, code):
    assert read_export(read(path), ReadOptions()) is None
    with pytest.raises(InputRefused) as refused:
        read_flat(read(path), ReadOptions())
    assert code in refused.value.counts


def read(path):
    return {Path(path).name: (SAMPLES / path).read_bytes()}
