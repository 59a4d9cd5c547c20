"""What goes out can be read again, never runs in a spreadsheet, and shows nobody's answers too early."""

import io
import json

import openpyxl
import pytest
import ten_items as t
from test_exports_in import opened

from agreement.errors import OutOfOrder
from flows import export_files, exports
from flows.close import close_round
from flows.export_files import Sheet
from flows.formats.flat import read as read_flat
from flows.formats.reading import ReadOptions
from flows.formats.recognise import read_export
from flows.measure import measure

__all__ = ["opened"]  # the fixture of the round with the ten items

HOSTILE = ["=1+1", "+cmd|' /C calc'!A0", "-2", "@SUM(A1)", "\ttab", "plain", 'a "b", c\nd', "Ärger", ""]
SHEET = Sheet(("item_id", "annotator_id", "label"), tuple((f"q{i}", "ada", cell) for i, cell in enumerate(HOSTILE)))


def test_formulas_are_defused_in_csv_and_excel_only():
    def cells(data):
        return [row["label"] for row in data]

    as_read = [export_files.defused(cell) for cell in HOSTILE]
    assert as_read[:5] == ["'" + cell for cell in HOSTILE[:5]]
    book = openpyxl.load_workbook(io.BytesIO(export_files.as_excel(SHEET)))
    assert [row[2] or "" for row in list(book.active.iter_rows(values_only=True))[1:]] == as_read
    assert all(cell.data_type != "f" for row in book.active.iter_rows() for cell in row)
    assert export_files.as_csv(SHEET).decode().split("\n")[1] == "q0,ada,'=1+1"
    lines = export_files.as_json_lines(SHEET).decode().splitlines()
    assert cells(json.loads(line) for line in lines) == HOSTILE


@pytest.mark.parametrize("write", [export_files.as_parquet, export_files.as_json_lines])
def test_files_for_machines_come_back_exactly(write):
    rows = tuple(row for row in SHEET.rows if row[2] and "\t" not in row[2] and "\n" not in row[2])
    reading = read_flat({"file": write(Sheet(SHEET.columns, rows))}, ReadOptions())
    assert list(zip(reading.rows.item_id, reading.rows.annotator_id, reading.rows.label, strict=True)) == list(rows)


def test_csv_comes_back_where_nothing_was_defused():
    rows = tuple(row for row in SHEET.rows if row[2] and not row[2].startswith(export_files.FORMULA))
    reading = read_flat({"file.csv": export_files.as_csv(Sheet(SHEET.columns, rows))}, ReadOptions())
    assert reading.rows.label == [row[2] for row in rows]


def test_a_data_set_folder_comes_back_with_its_class_names():
    rows = tuple((f"q{i}", "gold", label) for i, label in enumerate(["no", "yes", "no"]))
    files = export_files.as_hugging_face(Sheet(SHEET.columns, rows), "label", ["yes", "no"])
    assert read_export(files, ReadOptions()).rows.label == ["no", "yes", "no"]


def test_excel_does_not_depend_on_the_clock():
    assert openpyxl.load_workbook(io.BytesIO(export_files.as_excel(SHEET))).properties.created.year == 2000


def test_nothing_is_shown_before_the_round_is_measured(opened):
    bring = opened()
    bring(t.label_studio())
    for show in (exports.disagreements, exports.confused_pairs, exports.adjudication_queue):
        with pytest.raises(OutOfOrder):
            show(bring.project, "r1")


def test_who_disagreed_where_and_what_is_left_to_decide(opened):
    """ada and bo differ on q-03 (yes, no) and q-05 (no, yes), and on nothing else."""
    bring = opened()
    bring(t.label_studio())
    close_round(bring.project, "r1")
    measure(bring.project, "r1")
    wide = exports.disagreements(bring.project, "r1")
    assert [(r["item_id"], r["ada"], r["bo"], r["slice"], r["guideline_version"]) for r in wide.records()] == [
        ("q-03", "yes", "no", "uniform", "1.0"),
        ("q-05", "no", "yes", "uniform", "1.0"),
    ]
    assert exports.confused_pairs(bring.project, "r1").rows == (("uniform", "no", "yes", "2"),)
    queue = exports.adjudication_queue(bring.project, "r1")
    assert {row[0] for row in queue.rows} == {"q-03", "q-05"}
    assert all(row[1:] == ("", "", "") for row in queue.rows)
    tasks = json.loads(export_files.as_label_studio_tasks(queue))
    assert {task["data"]["item_id"] for task in tasks} == {"q-03", "q-05"}
