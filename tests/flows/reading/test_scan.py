"""The scanner finds what a slow state machine finds, whatever the window."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

import pytest

from flows.reading.scan import Scan, first_record, scan

DELIMITER = b","


def oracle(data: bytes, n_columns: int) -> tuple[list[tuple[str, int]], list[list[bytes]]]:
    """RFC 4180 byte by byte, written for this test: faults as (code, line), and the records."""
    faults, records = [], []
    cells, cell, quoted, strayed = [], b"", "", False
    line = opened = record_line = 1
    for i, value in enumerate(data):
        c = bytes([value])
        following = data[i + 1 : i + 2]
        if c == b"\r" and following != b"\n":
            faults.append(("bare-cr", line))
        elif value < 32 and c not in b"\r\n\t":
            faults.append(("control-character", line))
        if quoted == "in":
            if c == b'"':
                quoted = "maybe"
            else:
                cell += c
        elif quoted == "maybe" and c == b'"':
            cell, quoted = cell + c, "in"
        elif c == b'"' and not cell and not quoted:
            quoted, opened = "in", line
        elif c == DELIMITER:
            cells, cell, quoted, strayed = [*cells, cell], b"", "", False
        elif c == b"\n":
            cells = [*cells, cell.removesuffix(b"\r")]
            if cells == [b""] and not quoted:
                faults.append(("blank-line", record_line))
            elif len(cells) != n_columns:
                faults.append(("ragged-row", record_line))
            records.append(cells)
            cells, cell, quoted, strayed = [], b"", "", False
            record_line = line + 1
        else:
            is_stray = c == b'"' or (quoted == "maybe" and c != b"\r")
            if is_stray and not strayed:
                faults.append(("stray-quote", line))
                strayed = True
            quoted = "after" if quoted else ""
            cell += c
        line += c == b"\n"
    if quoted == "in":
        faults.append(("unterminated-quote", opened))
    elif cells or cell or quoted:
        cells = [*cells, cell]
        if cells == [b"\r"] and not quoted:
            faults.append(("blank-line", record_line))
        elif len(cells) != n_columns:
            faults.append(("truncated", record_line))
        records.append(cells)
    return sorted(faults), records


def found(result: Scan) -> list[tuple[str, int]]:
    return sorted((fault.code, fault.line) for fault in result.faults)


def scanned(tmp_path: Path, data: bytes, n_columns: int = 2, window: int = 8 << 20) -> Scan:
    path = tmp_path / "file"
    path.write_bytes(data)
    return scan(path, DELIMITER, n_columns, window=window)


CASES = [
    # what, bytes, faults
    ("plain", b"a,b\n1,2\n", []),
    ("quoted", b'a,b\n"1","2, ""3"""\n', []),
    ("newline in a cell", b'a,b\n"1\n1",2\n3\n', [("ragged-row", 4)]),
    ("CRLF", b"a,b\r\n1,2\r\n", []),
    ("a mix of line ends", b"a,b\r\n1,2\n", []),
    ("no last newline", b"a,b\n1,2", []),
    ("half a last line", b"a,b\n1", [("truncated", 2)]),
    ("too few and too many cells", b"a,b\n1\n1,2,3\n", [("ragged-row", 2), ("ragged-row", 3)]),
    ("one empty cell more", b"a,b\n1,2,\n", [("ragged-row", 2)]),
    ("mark in a bare cell", b'a,b\n1,ye"s\n', [("stray-quote", 2)]),
    ("mark at the end of a bare cell", b'a,b\n1,ye"\n', [("stray-quote", 2)]),
    ("text after the closing mark", b'a,b\n1,"ye"s\n3,4\n', [("stray-quote", 2)]),
    ("space before a mark", b'a,b\n1, "no"\n', [("stray-quote", 2)]),
    ("space after a mark", b'a,b\n"no" ,1\n', [("stray-quote", 2)]),
    ("never closed, names the opening line", b'a,b\n1,2\n"3,4\n5,6\n', [("unterminated-quote", 3)]),
    ("blank line", b"a,b\n\n1,2\n\n", [("blank-line", 2), ("blank-line", 4)]),
    ("NUL", b"a,b\n1,x\x00y\n", [("control-character", 2)]),
    ("bare CR as line end", b"a,b\r1,2\n", [("bare-cr", 1), ("ragged-row", 1)]),
    ("bare CR inside marks", b'a,b\n1,"x\ry"\n', [("bare-cr", 2)]),
    ("latin-1", b"a,b\n1,caf\xe9\n", [("not-utf8", 2)]),
]


@pytest.mark.parametrize(("data", "faults"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_each_fault_is_found_on_its_line(tmp_path: Path, data: bytes, faults: list[tuple[str, int]]) -> None:
    for window in (3, 8 << 20):
        assert found(scanned(tmp_path, data, window=window)) == faults


def test_random_files_give_what_the_state_machine_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """300 files of mostly hostile bytes, each in windows of 2, 7 and all bytes; the oracle is above.

    None has a record longer than the longest allowed, so none may be given up.
    """
    monkeypatch.setattr("flows.reading.scan.LONGEST_RECORD", 40)
    random_bytes = random.Random(20261130)
    n_clean = 0
    for _ in range(300):
        alphabet = random_bytes.choice([b'a",\n', b'ab,,\n"', b'a,\r\n"\x01', b"a,\n", b'"",\n\r'])
        data = bytes(random_bytes.choices(alphabet, k=random_bytes.randint(1, 40)))
        faults, records = oracle(data, 2)
        for window in (2, 7, 8 << 20):
            result = scanned(tmp_path, data, window=window)
            assert found(result) == faults, (data, window)
            if not any(code == "unterminated-quote" for code, _ in faults):
                assert result.n_records == len(records), (data, window)
        n_clean += not faults
    assert n_clean > 5


def test_files_that_pass_are_what_python_csv_reads(tmp_path: Path) -> None:
    """Cells from Python's csv writer; the line of each record is where its reader began to read it."""
    random_cells = random.Random(7)
    for _ in range(100):
        end = random_cells.choice(["\n", "\r\n"])
        buffer = io.StringIO(newline="")
        writer = csv.writer(buffer, lineterminator=end, quoting=random_cells.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
        rows = [["".join(random_cells.choices('aé", \n', k=4)) + "x" for _ in range(3)] for _ in range(8)]
        writer.writerows(rows)
        data = buffer.getvalue().encode()
        result = scanned(tmp_path, data, n_columns=3, window=random_cells.choice([5, 64, 8 << 20]))
        assert result.faults == []
        assert result.n_records == 8
        reader, line = csv.reader(io.StringIO(data.decode(), newline=""), strict=True), 1
        for index, row in enumerate(reader):
            assert row == rows[index]
            assert result.line_of(index) == line
            line = reader.line_num + 1


def test_the_cell_with_the_fault_is_named(tmp_path: Path) -> None:
    result = scanned(tmp_path, b'id,label,note\n1,"x\ny",a\x01b\n2,ye"s,\n', n_columns=3)
    assert [(f.code, f.line, f.field, f.value) for f in result.faults] == [
        ("control-character", 3, 2, b"a\x01b"),
        ("stray-quote", 4, 1, b'ye"s'),
    ]


def test_the_cell_with_another_fault_is_named_beside_a_stray_mark(tmp_path: Path) -> None:
    result = scanned(tmp_path, b'id,label,note\n1,ye"s,a\x01b\n', n_columns=3)
    assert [(f.code, f.field, f.value) for f in result.faults] == [
        ("stray-quote", 1, b'ye"s'),
        ("control-character", 2, b"a\x01b"),
    ]


def test_a_byte_that_is_not_utf8_is_named_by_its_place_in_the_file(tmp_path: Path) -> None:
    data = b'a,b\n1,ye"s\n2,x\n3,caf\xe9\n4,\xff\n'
    expected = [f"byte {data.index(bad):,} of the file is not UTF-8" for bad in (b"\xe9", b"\xff")]
    for window in (3, 8 << 20):
        result = scanned(tmp_path, data, window=window)
        assert [f.message for f in result.faults if f.code == "not-utf8"] == expected


def test_beyond_the_limit_faults_are_counted_not_listed(tmp_path: Path) -> None:
    result = scanned(tmp_path, b"a,b\n" + b"1\n" * 2500)
    assert len(result.faults) == 1000
    assert result.counts == {"ragged-row": 2500}
    result = scanned(tmp_path, b"a,b\n" + b'1,ye"s\n' * 1001)
    assert len(result.faults) == 1000
    assert result.counts == {"stray-quote": 1001}


def test_bytes_that_are_not_utf8_are_all_counted_and_the_first_are_listed(tmp_path: Path) -> None:
    data = b"a,b\n" + b"1,\xff\n" * 1100 + b"1,\xe2\x82\n"  # the last two would begin a character
    for window in (50, 8 << 20):
        result = scanned(tmp_path, data, window=window)
        assert [f.line for f in result.faults] == list(range(2, 1002))
        assert result.counts == {"not-utf8": 1102}
    last = scanned(tmp_path, b"a,b\n1,\xe2\x82\n")
    assert [f.message for f in last.faults] == [f"byte {n} of the file is not UTF-8" for n in (6, 7)]


def test_the_longest_row_is_let_through_and_one_byte_more_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flows.reading.scan.LONGEST_RECORD", 10)
    result = scanned(tmp_path, b"a,b\n1,34567890\n1,345678901\n")
    assert [(f.code, f.line, f.message) for f in result.faults] == [("too-large", 3, "the row has 11 bytes")]
    for window in (6, 20, 50, 400):  # many short rows with a wrong mark are not one long row
        assert scanned(tmp_path, b"a,b\n" + b'1,ye"s\n' * 60, window=window).counts == {"stray-quote": 60}


def test_a_row_too_long_to_be_one_is_refused_without_reading_on(tmp_path: Path) -> None:
    data = b'a,b\n1,"' + b"x" * 3_000_000
    result = scanned(tmp_path, data, window=100_000)
    assert [(f.code, f.line) for f in result.faults] == [("too-large", 2)]


def test_first_record_is_unquoted() -> None:
    assert first_record(b'"a, ""b""",c\n1,2\n', b",") == [b'a, "b"', b"c"]
    assert first_record(b'"', b",") == [b'"']  # a mark that opens and nothing else: refused later, shown as it stands
