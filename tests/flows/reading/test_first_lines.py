"""Where the first line is no header this is said in one finding, with the line the header seems to stand on."""

from __future__ import annotations

import pytest

from flows.reading.findings import Findings
from flows.reading.first_lines import check_first_lines, rows_above_header

MARKS = (b",", b"\t", b";")
TABLE = b"item_id,annotator_id,label\ni1,ada,yes\ni2,ada,no\n"
SEMICOLONS = TABLE.replace(b",", b";")
TITLED = "is not the header, which seems to stand on line {}"


def said(head: bytes, mark: bytes = b",", others: tuple[bytes, ...] = MARKS) -> list[tuple[str, int | None, str]]:
    found = Findings("labels.csv")
    check_first_lines(head, mark, others, found)
    return [(p.code, p.line, p.message) for p in found.problems]


TITLES = [
    ("one title", b"Labels of round 1\n" + TABLE, 2),
    ("as a spreadsheet pads it", b"Labels of round 1,,\n" + TABLE, 2),
    ("two titles", b"Labels of round 1,,\nexported by ada,,\n" + TABLE, 3),
    ("a title and a blank line", b"Labels of round 1\r\n\r\n" + TABLE.replace(b"\n", b"\r\n"), 3),
    ("blank lines alone", b"\n\n" + TABLE, 3),
    ("a title with a comma in quotation marks", b'"Labels, round 1",,\n' + TABLE, 2),
    ("a title over two lines", b'"Labels\nround 1",,\n' + TABLE, 3),
    ("a title above semicolons", b"Labels of round 1\n" + SEMICOLONS, 2),
    ("a title with a comma above many columns", b"Labels, of ada\n" + b"a,b,c,d,e\n1,2,3,4,5\n", 2),
]


@pytest.mark.parametrize(("head", "line"), [case[1:] for case in TITLES], ids=[case[0] for case in TITLES])
def test_titles_above_the_header_are_one_finding(head: bytes, line: int) -> None:
    assert said(head) == [("header-not-first", 1, TITLED.format(line))]


HEADERS = [
    ("a table", TABLE),
    ("a header and no rows", b"item_id,annotator_id,label\n"),
    ("a header cut short", b"item_id,annotator_id\ni1,ada,yes\ni2,ada,no\n"),
    ("columns without a name", b"item_id,,label\ni1,ada,yes\ni2,ada,no\n"),
    ("two columns, the second without a name", b"item_id,\ni1,yes\ni2,no\n"),
    ("one column of texts with commas", b"text\nno, never\nwell, yes\n"),
    ("one column, and no two rows alike", b"text\na, b, c\nd\ne, f, g, h\n"),
    ("semicolons inside texts", b"item_id,label\na;b;c,yes\nd;e;f,no\n"),
    ("nothing but titles", b"Labels\n\nnone yet\n"),
]


@pytest.mark.parametrize("head", [case[1] for case in HEADERS], ids=[case[0] for case in HEADERS])
def test_a_first_line_that_may_be_a_header_is_left_to_the_other_checks(head: bytes) -> None:
    assert said(head) == []


def test_a_delimiter_that_was_named_is_the_only_one_looked_for() -> None:
    assert said(b"Labels of round 1\n" + SEMICOLONS, b",", ()) == []
    assert said(b"Labels of round 1\n" + SEMICOLONS, b";", ()) == [("header-not-first", 1, TITLED.format(2))]


@pytest.mark.parametrize("line", [b"sep=;", b"SEP=,", b'"sep=;"', b"sep=\t"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_line_for_spreadsheet_programs_is_called_so(line: bytes, end: bytes) -> None:
    ((code, at, message),) = said(line + end + SEMICOLONS)
    assert (code, at) == ("header-not-first", 1)
    assert message.endswith("is for spreadsheet programs; the header seems to stand on line 2")


def test_a_line_end_that_is_a_bare_carriage_return_hides_nothing_else() -> None:
    old = TABLE.replace(b"\n", b"\r")
    bare = [("bare-cr", 1, "ends in a carriage return alone, without a line feed")]
    assert said(old) == said(b"Labels of round 1\r" + old) == bare
    assert said(TABLE.replace(b"\n", b"\r\n")) == []


def test_only_the_first_ten_rows_are_looked_at() -> None:
    assert rows_above_header([(1, 1)] * 8 + [(3, 3), (3, 3)]) == 8
    assert said(b"a note\n" * 8 + TABLE) == [("header-not-first", 1, TITLED.format(9))]
    assert said(b"a note\n" * 9 + TABLE) == []
