"""Lines that are no rows do not hide what is wrong with the others."""

from __future__ import annotations

from typing import Any

import pytest

from agreement.errors import InputRefused

H = "item_id,annotator_id,label\n"
OK = "b-1,ada,supported\n"
J = '{"item_id": "%s", "annotator_id": "%s", "label": "%s"}\n'
CASES = [
    ("an empty line", H + OK + "\nb-2,eve,supported\n", [(3, "blank-line"), (4, "unknown-annotator")]),
    ("a short row", H + "b-2,ada\nb-1,ada,mabye\n", [(2, "ragged-row"), (3, "unknown-label")]),
    ("half a last line", H + "b-1,ada,mabye\nb-2,ad", [(2, "unknown-label"), (3, "truncated")]),
    ("CRLF, a mark", H + 'b-1,ada,mabye\r\n\r\nb-2,"eve",supported\r\n',
     [(2, "unknown-label"), (3, "blank-line"), (4, "unknown-annotator")]),
    ("byte order mark", "\ufeff" + H + "\nb-2,eve,supported\n", [(2, "blank-line"), (3, "unknown-annotator")]),
    ("a missing column", "item_id,annotator,label\n\n" + OK,
     [(1, "unexpected-column"), (1, "missing-column"), (2, "blank-line")]),
    ("only empty lines", H + "\n\n", [(2, "blank-line"), (3, "blank-line")]),
    ("JSON, an empty line", J % ("b-1", "ada", "mabye") + "\n" + J % ("b-2", "eve", "supported"),
     [(1, "unknown-label"), (2, "blank-line"), (3, "unknown-annotator")]),
    ("JSON, a broken line", "{\n" + J % ("b-2", "eve", "supported"), [(1, "bad-json"), (2, "unknown-annotator")]),
]  # fmt: skip
# Here no line can be trusted, so nothing beyond the bytes is said.
ONLY_BYTES = [
    ("a mark in a cell", H + 'b-1,ada,"supp"orted\n\nb-2,eve,supported\n', {"stray-quote", "blank-line"}),
    ("a row of two lines", H + '"b\n1",ada,supported\n\nb-2,eve,supported\n', {"blank-line"}),
]


@pytest.mark.parametrize(("what", "text", "expected"), CASES, ids=[case[0] for case in CASES])
def test_all_that_is_wrong_is_said_at_once(
    standing: Any, what: str, text: str, expected: list[tuple[int, str]]
) -> None:
    before = standing.labels()
    with pytest.raises(InputRefused) as refused:
        standing.ingest(text)
    assert [(p.line, p.code) for p in refused.value.problems] == expected
    assert sum(refused.value.counts.values()) == len(expected)
    assert standing.labels() == before


@pytest.mark.parametrize(("what", "text", "codes"), ONLY_BYTES, ids=[case[0] for case in ONLY_BYTES])
def test_where_lines_cannot_be_trusted_only_the_bytes_are_spoken_of(
    standing: Any, what: str, text: str, codes: set[str]
) -> None:
    with pytest.raises(InputRefused) as refused:
        standing.ingest(text)
    assert {p.code for p in refused.value.problems} == codes
