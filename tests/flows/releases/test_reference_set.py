"""Which labels may leave, one item at a time: unanimous, decided, by majority where registered, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from flows.counts import ItemAnswers
from flows.releases.reference_set import COLUMNS, LabelledItem, build, unresolved_share
from schemas.study_parts import ReleaseRule

ADJUDICATED, MAJORITY = ReleaseRule(contested="adjudicated"), ReleaseRule(contested="majority")


def item(item_id: str, *labels: str, round_id: str = "r1") -> LabelledItem:
    return LabelledItem(ItemAnswers(item_id, "v1", "rest", "uniform", "0.10", labels), round_id, "1.0")


CASES: list[tuple[str, tuple[str, ...], str | None, ReleaseRule, tuple[str, str] | str]] = [
    ("two alike", ("yes", "yes"), None, ADJUDICATED, ("yes", "unanimous")),
    ("two alike, and somebody decided otherwise", ("yes", "yes"), "no", ADJUDICATED, ("yes", "unanimous")),
    ("two that differ", ("no", "yes"), None, ADJUDICATED, "unresolved"),
    ("two that differ, decided", ("no", "yes"), "yes", ADJUDICATED, ("yes", "adjudicated")),
    ("two that differ, undecidable", ("no", "yes"), "", ADJUDICATED, "unresolved"),
    ("two of three, no majority registered", ("no", "yes", "yes"), None, ADJUDICATED, "unresolved"),
    ("two of three", ("no", "yes", "yes"), None, MAJORITY, ("yes", "majority")),
    ("two of three, decided otherwise", ("no", "yes", "yes"), "no", MAJORITY, ("no", "adjudicated")),
    ("two of three, found undecidable", ("no", "yes", "yes"), "", MAJORITY, "unresolved"),
    ("half is no majority", ("no", "no", "yes", "yes"), None, MAJORITY, "unresolved"),
    ("the most is not the majority", ("a", "b", "c", "c"), None, MAJORITY, "unresolved"),
    ("three of five", ("a", "b", "c", "c", "c"), None, MAJORITY, ("c", "majority")),
    ("one label", ("yes",), None, MAJORITY, "single"),
    ("one label, and somebody decided", ("yes",), "yes", ADJUDICATED, "single"),
    ("no label", (), None, ADJUDICATED, "single"),
]


@pytest.mark.parametrize(("labels", "decision", "rule", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_what_becomes_of_one_item(
    labels: tuple[str, ...], decision: str | None, rule: ReleaseRule, expected: tuple[str, str] | str
) -> None:
    decisions = {} if decision is None else {("r1", "i1"): decision}
    found = build([item("i1", *labels)], decisions, rule)
    if isinstance(expected, str):
        assert (found.rows, getattr(found, expected)) == ((), ("i1",))
        assert not found.how
    else:
        assert [(row["label"], row["how"]) for row in found.rows] == [expected]
        assert (found.single, found.unresolved, found.how) == ((), (), {expected[1]: 1})


def test_a_row_says_what_the_frame_says_of_its_item() -> None:
    (row,) = build([item("i1", "yes", "yes")], {}, ADJUDICATED).rows
    assert tuple(row) == COLUMNS
    assert row == {
        "item_id": "i1",
        "item_version": "v1",
        "label": "yes",
        "how": "unanimous",
        "slice": "uniform",
        "cell": "rest",
        "inclusion_probability": "0.10",
        "round_id": "r1",
        "guideline_version": "1.0",
    }


def test_rows_are_sorted_by_item_whatever_order_they_came_in() -> None:
    items = [item(name, "yes", "yes") for name in ("b", "a", "c")]
    assert [row["item_id"] for row in build(items, {}, ADJUDICATED).rows] == ["a", "b", "c"]


def test_a_decision_speaks_of_its_own_round() -> None:
    decided_elsewhere: Any = {("r2", "i1"): "yes"}
    assert build([item("i1", "no", "yes")], decided_elsewhere, ADJUDICATED).unresolved == ("i1",)


def test_the_share_left_out_is_of_all_items_with_two_labels() -> None:
    items = [item("a", "yes", "yes"), item("b", "no", "yes"), item("c", "yes"), item("d", "no", "no")]
    assert unresolved_share(build(items, {}, ADJUDICATED)) == (1, 3)
