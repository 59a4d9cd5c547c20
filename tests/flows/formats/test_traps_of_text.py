"""JSON and delimited text read strictly, and which format a file is taken for."""

import pytest
from read_exports import UNNAMED, codes, prodigy

from agreement.errors import InputRefused
from flows.formats.flat import read as read_flat
from flows.formats.reading import ReadOptions
from flows.formats.recognise import read_export

# JSON and text


BAD_JSON = [
    ("a key twice", b'{"text": "a", "_input_hash": 1, "_input_hash": 2, "answer": "accept"}\n', "duplicate-key", 1),
    ("NaN", b'{"text": "a", "_input_hash": 1, "answer": "accept"}\n{"_input_hash": NaN}\n', "bad-json", 2),
    ("half a line", b'{"text": "a", "_input_hash": 1, "answer": "accept"}\n{"text": \n', "bad-json", 2),
    (
        "a blank line",
        b'{"_input_hash": 1, "answer": "accept"}\n\n{"_input_hash": 2, "answer": "accept"}\n',
        "blank-line",
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
