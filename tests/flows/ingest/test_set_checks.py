"""Rows beside the frame, each other and what came before: all are counted, and both answers are named."""

from __future__ import annotations

from typing import Any

import pytest

from agreement.errors import InputRefused
from flows.labels import set_checks

COLUMNS = "item_id,item_version,annotator_id,status,label,origin\n"


def rows(*items: str, version: str = "v1", answer: str = "labelled,supported", origin: str = "own") -> str:
    return "".join(f"{item},{version},ada,{answer},{origin}\n" for item in items)


FIVE = [f"b-{i}" for i in range(1, 6)]
BO = "b-12,v1,bo,labelled,supported,own\n"  # or it would look like two annotators under one name
ALIKE, OTHER = rows("b-1", "b-2", "b-3"), rows("b-4", "b-5", answer="labelled,unsupported")
# What is wrong with the rows, and how often; only two of a kind are looked up one by one.
COUNTED = [
    (rows(*FIVE, version="v0"), {"other-item-version": 5}),
    (rows(*FIVE, origin="gold"), {"gold-row": 5}),
    (rows("q-1", "q-2", "q-3", "q-4", "q-5"), {"unknown-item": 5}),
    (BO + rows(*FIVE) + ALIKE + OTHER, {"duplicate-row": 3, "conflicting-duplicate": 2}),
    (BO + rows(*FIVE) + OTHER + ALIKE, {"duplicate-row": 3, "conflicting-duplicate": 2}),
    (rows(*(f"b-{i}" for i in range(6, 11)), answer="labelled,unsupported"), {"changed-label": 5}),
]


@pytest.fixture(scope="module")
def answered(standing: Any) -> Any:
    """ada answered b-6 to b-10, and skipped b-11."""
    standing.ingest(COLUMNS + rows("b-6", "b-7", "b-8", "b-10") + rows("b-11", answer="skipped,"))
    return standing


@pytest.mark.parametrize(("text", "counts"), COUNTED)
def test_rows_beyond_the_listing_limit_are_counted(
    answered: Any, monkeypatch: pytest.MonkeyPatch, text: str, counts: dict[str, int]
) -> None:
    monkeypatch.setattr(set_checks, "LISTED", 2)
    with pytest.raises(InputRefused) as refused:
        answered.ingest(COLUMNS + text)
    assert refused.value.counts == counts


SKIPPED, SAID = "skipped,", "labelled,supported"
NAMED = [
    # The rows, the code, its line, what it says, its value.
    (
        rows("b-1", answer=SAID) + rows("b-1", answer=SKIPPED),
        ("conflicting-duplicate", 3, "ada said 'supported' on line 2 and says 'skipped' here", "b-1"),
    ),
    (
        rows("b-1", answer=SKIPPED) + rows("b-1", answer=SAID),
        ("conflicting-duplicate", 3, "ada said 'skipped' on line 2 and says 'supported' here", "b-1"),
    ),
    (
        rows("b-6", answer=SKIPPED),
        ("changed-label", 2, "ada said 'supported' before and says 'skipped' here", "skipped"),
    ),
    (
        rows("b-11", answer=SAID),
        ("changed-label", 2, "ada said 'skipped' before and says 'supported' here", "supported"),
    ),
]


@pytest.mark.parametrize(("text", "expected"), NAMED)
def test_both_answers_are_named_by_their_label_or_else_their_status(
    answered: Any, text: str, expected: tuple[str, int, str, str]
) -> None:
    with pytest.raises(InputRefused) as refused:
        answered.ingest(COLUMNS + text)
    assert [(p.code, p.line, p.message, p.value) for p in refused.value.problems] == [expected]
