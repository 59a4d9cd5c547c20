"""Exports as they also come: other wrappings, other ends of line, other versions. Each is the same labels, or refused
for the right reason."""

import io
import json
import zipfile

import pytest
import ten_items as t
from read_exports import codes

from flows.formats.reading import ReadOptions
from flows.formats.recognise import read_export

BOM = b"\xef\xbb\xbf"
NAMED = ReadOptions(item_key="ext_id", question="verdict")


def only(files):
    ((name, data),) = files.items()
    return name, data


def crlf(data):
    return data.replace(b"\n", b"\r\n")


def as_lines(data):
    return t.json_lines(json.loads(data))


def as_list(data):
    return t.dumped([json.loads(line) for line in data.split(b"\n") if line])


def indented(data):
    return json.dumps(json.loads(data), indent=2).encode()


SAME = [
    ("Label Studio, byte order mark", t.label_studio, lambda data: BOM + data, ReadOptions()),
    ("Label Studio, indented, CRLF", t.label_studio, lambda data: crlf(indented(data)), ReadOptions()),
    ("Label Studio, a task a line", t.label_studio, as_lines, ReadOptions()),
    ("Label Studio JSON-MIN, byte order mark", t.label_studio_min, lambda data: BOM + data, NAMED),
    ("Label Studio CSV, byte order mark", t.label_studio_csv, lambda data: BOM + data, NAMED),
    ("Prodigy, CRLF", t.prodigy_choice, crlf, ReadOptions(item_key="item")),
    ("Prodigy, one list", t.prodigy_choice, as_list, ReadOptions(item_key="item")),
    ("Prodigy, blank lines at its end", t.prodigy_choice, lambda data: data + b"\n\n", ReadOptions(item_key="item")),
    ("Argilla, CRLF", t.argilla_nested, crlf, ReadOptions()),
    ("Labelbox, CRLF", t.labelbox, crlf, ReadOptions()),
    ("Toloka, CRLF", t.toloka, crlf, ReadOptions(item_key="INPUT:key", content=("INPUT:text",))),
]


@pytest.mark.parametrize(("what", "write", "bend", "options"), SAME, ids=[case[0] for case in SAME])
def test_another_wrapping_holds_the_same_labels(what, write, bend, options):
    name, data = only(write())
    fields = ("item_id", "annotator_id", "status", "label", "labelled_at")
    bent, straight = read_export({name: bend(data)}, options), read_export({name: data}, options)
    assert bent.rows.canonical(*fields) == straight.rows.canonical(*fields)


def studio(kind, value, **more):
    results = [{"from_name": "verdict", "to_name": "text", "type": kind, "value": value, **more}]
    tasks = [
        {
            "id": n,
            "data": {"ext_id": f"q-{n}"},
            "annotations": [{"completed_by": 1, "result": results, "created_at": "2026-04-01T09:00:00Z"}],
        }
        for n in (1, 2)
    ]
    return {"export.json": t.dumped(tasks)}


@pytest.mark.parametrize(
    ("kind", "value", "label"),
    [
        ("choices", {"choices": ["yes"]}, "yes"),
        ("rating", {"rating": 4}, "4"),
        ("number", {"number": 0}, "0"),
        ("pairwise", {"selected": "left"}, "left"),
        ("taxonomy", {"taxonomy": [["animal", "dog"]]}, "animal/dog"),
    ],
)
def test_every_control_with_one_answer_is_a_label(kind, value, label):
    assert read_export(studio(kind, value), ReadOptions()).rows.label == [label, label]


def test_free_text_is_no_label():
    assert codes(studio("textarea", {"text": ["words"]})) == {"no-answers": 1}


def test_one_task_alone_is_an_export_too():
    (task, _) = json.loads(studio("rating", {"rating": 4})["export.json"])
    reading = read_export({"task.json": json.dumps(task, indent=1).encode()}, ReadOptions())
    assert (reading.format, reading.rows.label, reading.rows.path) == ("label-studio", ["4"], ["$.annotations[0]"])


def zipped(**members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return packed.getvalue()


MEMBERS = {f"export/{name}": data for name, data in t.doccano_files().items()}
JUNK = {"__MACOSX/export/._ada.jsonl": b"\0\1", "export/.DS_Store": b"\0\0\0\1Bud1", "Thumbs.db": b"\xd0\xcf"}


def test_what_a_system_adds_to_an_archive_is_no_export():
    options = ReadOptions(item_key="key")
    clean, with_junk = (read_export({"a.zip": zipped(**m)}, options) for m in (MEMBERS, JUNK | MEMBERS))
    assert with_junk.rows == clean.rows


def test_an_archive_inside_an_archive_is_refused():
    assert codes({"a.zip": zipped(**{"inner.zip": zipped(**MEMBERS)})}) == {"unsafe-archive": 1}


def test_colons_in_a_name_are_harmless_and_a_drive_is_not():
    """Ground Truth names its answers for a time of day. Nothing of an archive is written to disk."""
    timed = {name.replace("export/", "export/2024-01-01_00:00:00/"): data for name, data in MEMBERS.items()}
    options = ReadOptions(item_key="key")
    named, plain = (read_export({"a.zip": zipped(**members)}, options).rows for members in (timed, MEMBERS))
    assert (named.item_id, named.annotator_id, named.label) == (plain.item_id, plain.annotator_id, plain.label)
    assert codes({"a.zip": zipped(**{"C:/ada.jsonl": b"{}"})}) == {"unsafe-archive": 1}


def test_an_empty_line_has_the_same_name_in_every_format():
    line = json.dumps({"_input_hash": 1, "answer": "accept", "_session_id": "a", "label": "x"}).encode()
    assert codes({"p.jsonl": line + b"\n\n" + line + b"\n"}) == {"blank-line": 1}


def test_a_question_that_was_not_chosen_is_all_that_is_said():
    assert codes(t.label_studio_min(), ReadOptions(looking=True)) == {"several-questions": 1}
