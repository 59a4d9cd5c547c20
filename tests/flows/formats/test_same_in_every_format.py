"""The same ten labelled items, written as each tool exports them, give the same rows and the same figures."""

import hashlib
from datetime import datetime

import numpy as np
import pytest
import ten_items as t

from agreement.kappa import cohen_kappa
from flows.formats.flat import read as read_flat
from flows.formats.reading import ReadOptions
from flows.formats.recognise import read_export
from schemas.format_map import FormatMap

WIDE = FormatMap(format="wide", about="one column a person", wide=t.PEOPLE, columns={"item_id": "item_id"})
LISTS = FormatMap(
    format="lists", about="lists in cells", lists=True, unnamed_column="index",
    columns={"item_id": "item_id", "label": "annotations", "annotator_id": "anon_annotators"},
)  # fmt: skip
TEXT = ReadOptions(content=("text",))
KEY = ReadOptions(item_key="key", content=("text",))

# name of the format, writer, options, whether the file holds the content, the times
CASES = [
    ("label-studio", t.label_studio, ReadOptions(), True, True),
    ("label-studio", lambda: t.label_studio("completions", "skipped"), ReadOptions(), True, True),
    ("label-studio-min", t.label_studio_min, ReadOptions(question="verdict", item_key="ext_id"), True, True),
    ("label-studio-min", t.label_studio_csv, ReadOptions(question="verdict", item_key="ext_id"), True, True),
    ("prodigy", t.prodigy_choice, ReadOptions(item_key="item"), True, True),
    ("argilla", t.argilla_flat, ReadOptions(), True, False),
    ("argilla", t.argilla_nested, ReadOptions(), True, False),
    ("argilla", t.argilla_old, ReadOptions(), True, False),
    ("argilla", t.argilla_parquet, ReadOptions(), True, False),
    ("argilla", t.argilla_pushed, ReadOptions(), True, False),
    ("doccano", t.doccano_files, ReadOptions(), True, False),
    ("doccano", t.doccano_zip, ReadOptions(item_key="key"), True, False),
    ("labelbox", t.labelbox, ReadOptions(), True, True),
    ("ground-truth", t.ground_truth, ReadOptions(item_key="key"), True, True),
    ("ground-truth", t.ground_truth_in_line, ReadOptions(item_key="key"), True, False),
    ("potato", t.potato, ReadOptions(), False, True),
    ("hugging-face", t.hugging_face_parquet, TEXT, True, True),
    ("hugging-face", t.hugging_face_folder, TEXT, True, True),
    ("mturk", t.mturk, ReadOptions(question="verdict", item_key="Input.key", content=("Input.text",)), True, True),
    ("toloka", t.toloka, ReadOptions(item_key="INPUT:key", content=("INPUT:text",)), True, True),
    ("langsmith", t.langsmith, ReadOptions(), False, True),
    ("langfuse", t.langfuse, ReadOptions(), False, True),
    ("plain", t.plain_csv, TEXT, True, True),
    ("plain", t.plain_tsv, TEXT, True, True),
    ("plain", t.plain_json_lines, TEXT, True, True),
    ("plain", t.plain_parquet, TEXT, True, True),
    ("plain", t.plain_excel, TEXT, True, True),
    ("wide", t.wide_csv, ReadOptions(format_map=WIDE, content=("text",)), True, False),
    ("lists", t.lists_csv, ReadOptions(format_map=LISTS, content=("text",)), True, False),
]


def _read(name, write, options):
    return read_flat(write(), options) if name == "plain" else read_export(write(), options)


@pytest.mark.parametrize(("name", "write", "options", "has_content", "has_time"), CASES)
def test_the_same_items_are_the_same_rows(name, write, options, has_content, has_time):
    reading = _read(name, write, options)
    assert reading.format == name
    expected = sorted(
        (item, person, "labelled", label, "own", "human", _version(text) if has_content else "")
        for item, text, person, label in t.LABELS
    )
    fields = ("item_id", "annotator_id", "status", "label", "origin", "annotator_kind", "item_version")
    assert reading.rows.canonical(*fields) == expected
    times = {
        (who, _seconds(when)) for who, when in zip(reading.rows.annotator_id, reading.rows.labelled_at, strict=True)
    }
    assert times == ({(p, t.SECONDS[p]) for p in t.PEOPLE} if has_time else {(p, None) for p in t.PEOPLE})


@pytest.mark.parametrize(("name", "write", "options", "has_content", "has_time"), CASES)
def test_the_same_items_give_the_same_kappa(name, write, options, has_content, has_time):
    rows = _read(name, write, options).rows
    by_item = {}
    for item, who, label in rows.canonical("item_id", "annotator_id", "label"):
        by_item.setdefault(item, {})[who] = label
    table = np.zeros((2, 2), dtype=np.int64)
    for labels in by_item.values():
        table[int(labels["ada"] == "no"), int(labels["bo"] == "no")] += 1
    # By hand: 3 both yes, 1 + 1 apart, 5 both no; Po = .8, Pe = .16 + .36 = .52; (.8 - .52) / .48 = 7/12.
    assert table.tolist() == [[3, 1], [1, 5]]
    assert float(cohen_kappa(table)) == pytest.approx(7 / 12, abs=1e-12)


def _version(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _seconds(when):
    return int(datetime.fromisoformat(when).timestamp()) if when else None
