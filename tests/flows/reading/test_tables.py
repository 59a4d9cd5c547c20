"""Files of every kind become the same table of text, or are refused with the place named."""

from __future__ import annotations

import csv
import gzip
import io
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.errors import InputRefused
from flows.reading.intake import take_in
from flows.reading.tables import Table, dicts, read_table
from flows.storage.objects import Objects
from flows.storage.store import Connection, memory_store

ROWS = [{"item_id": "007", "label": "yes"}, {"item_id": "b", "label": "NA"}]


class Reader:
    """Reads bytes as a file of a given name, with everything in one folder."""

    def __init__(self, folder: Path, con: Connection) -> None:
        self.folder, self.con = folder, con

    def table(self, data: bytes, name: str = "labels.csv", header: bool = True) -> Table:
        source = self.folder / name
        source.write_bytes(data)
        return read_table(take_in(source, Objects(self.folder / "objects")), self.con, header=header)

    def rows(self, data: bytes, name: str = "labels.csv") -> list[dict[str, str]]:
        return [row for _, row in dicts(self.con, self.table(data, name))]

    def refusal(self, data: bytes, name: str = "labels.csv") -> list[tuple[str, int | None, str | None]]:
        with pytest.raises(InputRefused) as caught:
            self.table(data, name)
        return [(p.code, p.line, p.value) for p in caught.value.problems]


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    (tmp_path / "objects").mkdir()
    with memory_store(tmp_path / "objects") as con:
        yield Reader(tmp_path, con)


def parquet(columns: dict[str, pa.Array]) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


def workbook(*sheets: list[list[object]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


SAME = {
    "labels.csv": b"item_id,label\n007,yes\nb,NA\n",
    "crlf.csv": b"item_id,label\r\n007,yes\r\nb,NA\r\n",
    "mixed.csv": b"item_id,label\r\n007,yes\nb,NA\r\n",
    "quoted.csv": b'"item_id","label"\n"007","yes"\n"b","NA"\n',
    "bom.csv": b"\xef\xbb\xbfitem_id,label\n007,yes\nb,NA\n",
    "open.csv": b"item_id,label\n007,yes\nb,NA",
    "labels.tsv": b"item_id\tlabel\n007\tyes\nb\tNA\n",
    "semicolon.csv": b"item_id;label\n007;yes\nb;NA\n",
    "labels.jsonl": b'{"item_id": "007", "label": "yes"}\r\n{"label": "NA", "item_id": "b"}',
    "labels.parquet": parquet({"item_id": pa.array(["007", "b"]), "label": pa.array(["yes", "NA"])}),
    "labels.xlsx": workbook([["item_id", "label"], ["007", "yes"], ["b", "NA"]], []),
}


@pytest.mark.parametrize("name", SAME)
def test_every_kind_of_file_gives_the_same_text(reader: Reader, name: str) -> None:
    assert reader.rows(SAME[name], name) == ROWS


NOTES = [
    ("labels.csv", ()),
    ("bom.csv", ("byte-order-mark",)),
    ("mixed.csv", ("mixed-line-ends",)),
    ("open.csv", ("no-final-newline",)),
    ("semicolon.csv", ("delimiter ';'",)),
]


@pytest.mark.parametrize(("name", "notes"), NOTES)
def test_what_was_let_through_is_noted(reader: Reader, name: str, notes: tuple[str, ...]) -> None:
    assert reader.table(SAME[name], name).notes == notes


REFUSED = [
    ("nothing", b"", [("empty-file", None, None)]),
    ("white space", b" \n\n ", [("empty-file", None, None)]),
    ("UTF-16", "item_id,label\n".encode("utf-16"), [("not-utf8", 1, None)]),
    ("UTF-16 without a mark", "item_id,label\n".encode("utf-16-le"), [("not-utf8", 1, None)]),
    ("latin-1 in row 2", b"id,label\na,x\nb,caf\xe9\n", [("not-utf8", 3, "caf\\xe9")]),
    ("latin-1 in the header", b"id,caf\xe9\na,x\n", [("not-utf8", 1, None)]),
    ("NUL in a label", b"id,label\na,x\x00y\n", [("control-character", 2, "x\\x00y")]),
    ("unterminated quote", b'id,label\na,x\nb,"y\nc,z\n', [("unterminated-quote", 3, '"y\\nc,z\\n')]),
    ("stray quote", b'id,label\na,"ye"s\n', [("stray-quote", 2, '"ye"s')]),
    ("ragged", b"id,label\na\nb,x,y\n", [("ragged-row", 2, "a"), ("ragged-row", 3, "b,x,y")]),
    (
        "a blank line and a missing last newline cancel in the counts",
        b"id,label\n\na,x",
        [("blank-line", 2, "")],
    ),
    ("bare CR at the end of every line", b"id,label\ra,x\rb,y\r", [("bare-cr", 1, None)]),
    ("bare CR in a row", b"id,label\r\na,x\rb,y\r\n", [("ragged-row", 2, None), ("bare-cr", 2, "x\\rb")]),
    ("cut off", b"id,label\na,x\nb", [("truncated", 3, "b")]),
    ("two columns of one name", b"Label,label\na,b\n", [("duplicate-column", 1, "label")]),
    ("a column without a name", b"id,\na,b\n", [("blank-column", 1, None)]),
    ("1,001 columns", b"x," * 1000 + b"x\n", [("too-large", 1, None)]),
    ("a cell of 3 MB", b"id,label\na," + b"x" * 3_000_000 + b"\n", [("too-large", 2, None)]),
]


@pytest.mark.parametrize(("data", "problems"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_delimited_text_that_is_not_well_formed_is_refused(
    reader: Reader, data: bytes, problems: list[tuple[str, int | None, str | None]]
) -> None:
    found = reader.refusal(data)
    assert [(code, line) for code, line, _ in found] == [(code, line) for code, line, _ in problems]
    assert [v for (_, _, v), (_, _, wanted) in zip(found, problems, strict=True) if wanted is not None] == [
        wanted for _, _, wanted in problems if wanted is not None
    ]


REFUSED_JSON = [
    ("half an object", b'{"a": 1}\n{"a": \n', [("bad-json", 2, '{"a":')]),
    ("a list", b'{"a": 1}\n[1]\n', [("bad-json", 2, "[1]")]),
    ("a key twice", b'{"a": 1, "a": 2}\n', [("duplicate-key", 1, None)]),
    ("a blank line", b'{"a": 1}\n\n{"a": 2}\n', [("blank-line", 2, None)]),
    ("NaN", b'{"a": NaN}\n', [("bad-json", 1, '{"a": NaN}')]),
    ("half a character", b'{"a": "\\ud800"}\n', [("not-utf8", 1, '{"a": "\\ud800"}')]),
    ("an escaped NUL", b'{"a": "x\\u0000"}\n', [("control-character", 1, "x\\x00")]),
    ("latin-1", b'{"a": "caf\xe9"}\n', [("not-utf8", 1, None)]),
    ("keys that differ in case", b'{"a": 1, "A": 2}\n', [("duplicate-column", None, "A")]),
    ("a list of other things", b'[{"a": 1},\n7]\n', [("json-array", 2, "7")]),
    ("an empty list", b"[]", [("no-rows", 1, None)]),
    ("a list that is cut off", b'[{"a": 1},\n{"a"', [("bad-json", 2, '{"a"')]),
    ("two lists", b'[{"a": 1}]\n[]', [("bad-json", 2, "[]")]),
    ("a key twice in a list", b'[\n{"a": 1},\n{"a": 1,\n"a": 2}]', [("duplicate-key", 3, None)]),
    ("NaN in a list", b'[{"a": NaN}]', [("bad-json", 1, '{"a": NaN}')]),
    ("bare CR between the objects", b'{"a": 1}\r{"a": 2}\r', [("bare-cr", 1, None)]),
    ("nesting without end", b'{"a":' + b"[" * 100_000 + b"\n", [("bad-json", 1, None)]),
]


@pytest.mark.parametrize(
    ("data", "problems"), [case[1:] for case in REFUSED_JSON], ids=[case[0] for case in REFUSED_JSON]
)
def test_json_lines_that_are_not_flat_objects_are_refused(
    reader: Reader, data: bytes, problems: list[tuple[str, int | None, str | None]]
) -> None:
    found = reader.refusal(data, "labels.jsonl")
    assert [(code, line) for code, line, _ in found] == [(code, line) for code, line, _ in problems]
    for (_, _, value), (_, _, wanted) in zip(found, problems, strict=True):
        assert wanted is None or value == wanted


def test_json_values_keep_their_written_form_and_nested_ones_are_marked(reader: Reader) -> None:
    table = reader.table(b'{"a": 1.0, "b": true, "c": null, "d": [1]}\n{"e": "x"}\n', "labels.jsonl")
    assert [row for _, row in dicts(reader.con, table)] == [
        {"a": "1.0", "b": "true", "c": "", "d": '["1"]', "e": ""},
        {"a": "", "b": "", "c": "", "d": "", "e": "x"},
    ]
    assert {name: p.code for name, p in table.unusable.items()} == {"d": "nested-value"}


def test_parquet_types_with_one_written_form_become_text_and_others_are_marked(reader: Reader) -> None:
    data = parquet(
        {
            "whole": pa.array([7, None]),
            "truth": pa.array([True, False]),
            "time": pa.array([0, 1_500_000], pa.timestamp("us", tz="UTC")),
            "real": pa.array([0.5, 1.0]),
        }
    )
    table = reader.table(data, "labels.parquet")
    rows = [row for _, row in dicts(reader.con, table)]
    assert [row["whole"] for row in rows] == ["7", ""]
    assert [row["truth"] for row in rows] == ["true", "false"]
    assert [row["time"] for row in rows] == ["1970-01-01T00:00:00.000000Z", "1970-01-01T00:00:01.500000Z"]
    assert {name: p.code for name, p in table.unusable.items()} == {"real": "column-type"}


REFUSED_BINARY: list[tuple[str, str, Callable[[], bytes], list[str]]] = [
    ("gzip", "l.csv.gz", lambda: gzip.compress(b"id,label\na,x\n"), ["compressed"]),
    ("damaged Parquet", "l.parquet", lambda: b"PAR1" + b"x" * 100 + b"PAR1", ["damaged-parquet"]),
    (
        "Parquet with names that differ in case",
        "l.parquet",
        lambda: parquet({"a": pa.array(["x"]), "A": pa.array(["y"])}),
        ["duplicate-column"],
    ),
    (
        "Parquet with a NUL",
        "l.parquet",
        lambda: parquet({"a": pa.array(["x\x00"])}),
        ["control-character"],
    ),
    ("two sheets", "l.xlsx", lambda: workbook([["a"], ["x"]], [["a"], ["y"]]), ["several-sheets"]),
    ("formula", "l.xlsx", lambda: workbook([["a"], ["=1+1"]]), ["formula-cell"]),
    ("wide row", "l.xlsx", lambda: workbook([["a"], ["x", "y"]]), ["ragged-row"]),
    ("empty row", "l.xlsx", lambda: workbook([["a"], [None], ["x"]]), ["blank-line"]),
    (
        "titles above the header",
        "l.xlsx",
        lambda: workbook([["Of r1"], [], ["a", "b", "c"], ["x", "y"]]),
        ["header-not-first"],
    ),
    ("zip that is no workbook", "l.xlsx", lambda: _zip({"../../x": b"y"}), ["compressed"]),
    ("damaged workbook", "l.xlsx", lambda: _zip({"xl/workbook.xml": b"<"}), ["damaged-workbook"]),
]


def _zip(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "make", "codes"), [case[1:] for case in REFUSED_BINARY], ids=[case[0] for case in REFUSED_BINARY]
)
def test_binary_files_that_cannot_be_trusted_are_refused(
    reader: Reader, name: str, make: Callable[[], bytes], codes: list[str]
) -> None:
    assert [code for code, _, _ in reader.refusal(make(), name)] == codes


def test_lines_count_newlines_inside_cells(reader: Reader) -> None:
    table = reader.table(b'id,note\na,"1\n2\n3"\nb,x\n')
    assert [table.line_of(row) for row in range(2)] == [2, 5]


def test_without_a_header_columns_are_numbered(reader: Reader) -> None:
    table = reader.table(b"w1\t201\t0\nw2\t201\t1\n", "labels.tsv", header=False)
    assert table.columns == ("1", "2", "3")
    assert table.n_rows == 2
    assert table.line_of(0) == 1


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    (tmp_path / "objects").mkdir()
    (tmp_path / "file.csv").write_text("a\nb\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "file.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    for name, code in [
        ("link.csv", "not-a-regular-file"),
        ("pipe.csv", "not-a-regular-file"),
        ("objects", "not-a-regular-file"),
        ("absent.csv", "no-such-file"),
    ]:
        with pytest.raises(InputRefused) as caught:
            take_in(tmp_path / name, Objects(tmp_path / "objects"))
        assert [p.code for p in caught.value.problems] == [code]
    assert list((tmp_path / "objects").iterdir()) == []


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "labels.csv"
    source.write_bytes(b"id,label\n")
    read = os.read

    def read_while_it_grows(handle: int, size: int) -> bytes:
        data = read(handle, size)
        if data:
            with source.open("ab") as out:
                out.write(b"a,x\n")
        return data[:9]

    monkeypatch.setattr("flows.reading.intake.os.read", lambda h, n: read_while_it_grows(h, n) if grow.pop() else b"")
    grow = [False, True]
    with pytest.raises(InputRefused) as caught:
        take_in(source, Objects(tmp_path / "objects"))
    assert [p.code for p in caught.value.problems] == ["changed-during-read"]


def test_names_are_opened_literally_and_shown_escaped(reader: Reader) -> None:
    for name in ["*.csv", 'it\'s "x".csv', "-rf.csv", "a\nb.csv", "x\u202egpj.csv"]:
        table = reader.table(b"id,label\na,x\n", name)
        assert table.n_rows == 1
        assert table.file.isprintable()


CELLS = st.lists(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\r", min_codepoint=9), max_size=5),
        min_size=3,
        max_size=3,
    ),
    min_size=2,
    max_size=5,
)


@settings(max_examples=30, deadline=None)
@given(rows=CELLS, quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]), end=st.sampled_from(["\n", "\r\n"]))
def test_accepted_means_exactly_what_python_csv_reads(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], quoting: int, end: str
) -> None:
    """Authority: Python's csv module. Whatever is refused here is refused for a reason with a code."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer, quoting=quoting, lineterminator=end).writerows([["x1", "x2", "x3"], *rows])
    folder = tmp_path_factory.mktemp("csv")
    (folder / "objects").mkdir()
    with memory_store(folder / "objects") as con:
        reader = Reader(folder, con)
        data = buffer.getvalue()
        if any(character < " " and character not in "\t\r\n" for character in data):
            assert {code for code, _, _ in reader.refusal(data.encode())} == {"control-character"}
        else:
            got = [list(row.values()) for row in reader.rows(data.encode())]
            assert got == list(csv.reader(io.StringIO(data, newline="")))[1:]


def test_a_json_list_of_flat_objects_is_a_table(reader: Reader) -> None:
    """As `DataFrame.to_json(orient="records")` writes it, on one line; and as it looks indented."""
    flat = b'\xef\xbb\xbf[{"a": 1.0, "b": "x\\ny"},{"a": null, "b": "]"}]'
    indented = b'[\n  {\n    "a": 1.0,\n    "b": "x\\ny"\n  },\n  {"a": null, "b": "]"}\n]\n'
    rows = [{"a": "1.0", "b": "x\ny"}, {"a": "", "b": "]"}]
    table = reader.table(flat, "labels.txt")
    assert ([cells for _, cells in dicts(reader.con, table)], list(table.paths)) == (rows, ["[0]", "[1]"])
    table = reader.table(indented, "labels.json")
    assert (dicts(reader.con, table), table.paths) == ([(2, rows[0]), (6, rows[1])], ())
