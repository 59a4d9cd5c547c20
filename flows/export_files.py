"""Tables as files people open: CSV, Excel, Parquet, JSON Lines, Label Studio tasks, a Hugging Face data set folder.

A spreadsheet program runs a cell that looks like a formula. In CSV and Excel such cells therefore get a leading
apostrophe; JSON Lines and Parquet hold the text exactly and are the files to read again.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Sheet:
    """A table of text: columns, and rows as long as these."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def records(self) -> list[dict[str, str]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def defused(cell: str) -> str:
    """The cell as a spreadsheet program may open it: never a formula."""
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def as_csv(sheet: Sheet) -> bytes:
    """UTF-8, comma, LF; formulas defused."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([sheet.columns, *([defused(cell) for cell in row] for row in sheet.rows)])
    return out.getvalue().encode()


def csv_rows(data: bytes) -> list[list[str]]:
    """The cells of such a file, defused as they are."""
    return list(csv.reader(io.StringIO(data.decode(), newline="")))


def as_excel(sheet: Sheet) -> bytes:
    """One sheet, every cell text; formulas defused. Bytes depend on the library's version, not on the clock."""
    import datetime

    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    page = book.create_sheet("rows")
    for row in (sheet.columns, *sheet.rows):
        page.append([defused(cell) for cell in row])
    book.properties.created = book.properties.modified = datetime.datetime(2000, 1, 1)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def as_parquet(sheet: Sheet) -> bytes:
    """Text columns, as they are."""
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(_arrow(sheet), out)
    return out.getvalue()


def as_json_lines(sheet: Sheet) -> bytes:
    """One object a line, as it is."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in sheet.records()).encode()


def as_label_studio_tasks(sheet: Sheet) -> bytes:
    """One task a row, all columns in its data: for import into a project."""
    return json.dumps([{"data": record} for record in sheet.records()], ensure_ascii=False, indent=1).encode()


def as_hugging_face(sheet: Sheet, label: str, names: Sequence[str]) -> dict[str, bytes]:
    """A data set folder: file name to bytes. The column `label` becomes class numbers whose names lie in the file.

    names: every category in the study's order. A label that is none of them, or blank, is -1: no label.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    features: dict[str, object] = {column: {"dtype": "string", "_type": "Value"} for column in sheet.columns}
    features[label] = {"names": list(names), "_type": "ClassLabel"}
    table = _arrow(sheet)
    numbers = [names.index(text) if text in names else -1 for text in table.column(label).to_pylist()]
    table = table.set_column(table.column_names.index(label), label, pa.array(numbers, pa.int64()))
    table = table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    out = io.BytesIO()
    pq.write_table(table, out)
    described = json.dumps({"features": features}, ensure_ascii=False, indent=1).encode()
    return {"data/train-00000-of-00001.parquet": out.getvalue(), "dataset_info.json": described + b"\n"}


def _arrow(sheet: Sheet) -> Any:
    import pyarrow

    cells = zip(*sheet.rows, strict=True) if sheet.rows else ([] for _ in sheet.columns)
    return pyarrow.table(
        {name: pyarrow.array(list(column), pyarrow.string()) for name, column in zip(sheet.columns, cells, strict=True)}
    )
