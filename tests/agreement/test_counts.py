"""Labels become counts without losing, inventing or reordering any."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from agreement import (
    all_pairs,
    count_vectors,
    pair_counts,
    patterns_from_codes,
    patterns_from_long,
    patterns_from_wide,
    vectors_of_pairs,
)
from agreement.errors import ConfigError
from agreement.patterns import MISSING, NOT_ASSIGNED


def test_items_with_the_same_answers_are_counted_once_with_their_number() -> None:
    patterns = patterns_from_wide([["y", "n"], ["n", "n"], ["y", "n"]], ["n", "y"])
    assert patterns.codes.tolist() == [[0, 0], [1, 0]]
    assert patterns.multiplicity.tolist() == [1, 2]
    assert patterns.categories == ("n", "y")


def test_declared_order_is_kept_and_unused_categories_stay() -> None:
    patterns = patterns_from_wide([["low", "high"]], ["low", "mid", "high"])
    assert patterns.codes.tolist() == [[0, 2]]
    assert pair_counts(patterns, 0, 1).shape == (3, 3)
    assert count_vectors(patterns)[0].tolist() == [[1, 0, 1]]


@pytest.mark.parametrize("absent", [None, math.nan, np.float64("nan")])
def test_none_and_nan_are_missing(absent: Any) -> None:
    patterns = patterns_from_wide([["y", absent]], ["n", "y"])
    assert patterns.codes.tolist() == [[1, MISSING]]


@pytest.mark.parametrize("text", ["None", "", "nan", "NA"])
def test_text_that_looks_like_missing_is_a_label_only_if_declared(text: str) -> None:
    assert patterns_from_wide([["y", text]], ["y", text]).codes.tolist() == [[0, 1]]
    with pytest.raises(ConfigError) as refusal:
        patterns_from_wide([["y", text]], ["y", "n"])
    assert [(p.code, p.value) for p in refusal.value.problems] == [("unknown-label", text)]
    assert patterns_from_wide([["y", text]], ["y", "n"], missing=[text]).codes.tolist() == [[0, MISSING]]


def test_every_undeclared_label_is_named_at_once() -> None:
    for labels in ([["mabye", "y"], ["n", "yes"]], np.array([["mabye", "y"], ["n", "yes"]])):
        with pytest.raises(ConfigError) as refusal:
            patterns_from_wide(labels, ["n", "y"])
        assert sorted(str(p.value) for p in refusal.value.problems) == ["mabye", "yes"]


def test_long_rows_in_any_order_give_the_same_patterns() -> None:
    rows = [("i1", "b", "y"), ("i1", "a", "n"), ("i2", "a", "y"), ("i3", "b", None)]
    found = [patterns_from_long(*zip(*order, strict=True), ["n", "y"]) for order in (rows, rows[::-1])]
    assert found[0].annotators == ("a", "b")
    assert {tuple(r) for r in found[0].codes.tolist()} == {(0, 1), (1, NOT_ASSIGNED), (NOT_ASSIGNED, MISSING)}
    assert np.array_equal(found[0].codes, found[1].codes)
    assert np.array_equal(found[0].multiplicity, found[1].multiplicity)


def test_a_label_given_twice_and_a_stranger_are_refused() -> None:
    with pytest.raises(ConfigError) as twice:
        patterns_from_long(["i1", "i1"], ["a", "a"], ["y", "n"], ["n", "y"])
    assert [(p.code, p.value) for p in twice.value.problems] == [("duplicate-label", "i1")]
    with pytest.raises(ConfigError) as stranger:
        patterns_from_long(["i1"], ["c"], ["y"], ["n", "y"], annotators=["a", "b"])
    assert [(p.code, p.value) for p in stranger.value.problems] == [("unknown-annotator", "c")]


def test_coverage_eleven_pairs_ten_items_and_drops_none_silently() -> None:
    """The worked case: ten items both labelled, one only the second did."""
    both = [("n", "n")] * 4 + [("n", "y"), ("y", "n")] + [("y", "y")] * 4
    patterns = patterns_from_wide([*both, (None, "y")], ["n", "y"], annotators=["a", "b"])
    assert patterns.multiplicity.sum() == 11
    assert pair_counts(patterns, "a", "b").tolist() == [[4, 1], [1, 4]]
    assert [(p.first, p.second, p.n_items) for p in all_pairs(patterns)] == [("a", "b", 10)]


def test_items_nobody_labelled_leave_the_count_vectors_and_single_labels_stay() -> None:
    vectors, times = count_vectors(patterns_from_codes([[-1, -2], [-1, 0], [1, 1]], "ab", ["n", "y"]))
    assert (vectors.tolist(), times.tolist()) == ([[0, 2], [1, 0]], [1, 1])


@pytest.mark.parametrize("n_annotators", [2, 8, 40])  # a table of keys, sorted keys, and too many for one integer
def test_packing_rows_into_integers_finds_the_same_patterns_as_sorting_rows(n_annotators: int) -> None:
    codes = np.random.default_rng(1).integers(-4, 3, size=(500, n_annotators))
    codes[250:] = codes[:250]
    found = patterns_from_codes(codes, [str(k) for k in range(n_annotators)], "abc")
    rows, times = np.unique(codes, axis=0, return_counts=True)
    assert np.array_equal(found.codes, rows)
    assert np.array_equal(found.multiplicity, times)
    doubled = patterns_from_codes(rows, [str(k) for k in range(n_annotators)], "abc", 2 * times)
    assert np.array_equal(doubled.multiplicity, 2 * times)


def test_codes_outside_the_declared_categories_are_refused() -> None:
    with pytest.raises(ValueError, match="codes must lie between -4 and 1"):
        patterns_from_codes([[0, 2]], "ab", ["n", "y"])


def test_a_pair_table_becomes_vectors_of_two_labels_over_any_leading_axis() -> None:
    table = np.array([[6, 21], [14, 459]])
    vectors, times = vectors_of_pairs(np.stack([table, 2 * table]))
    assert vectors.tolist() == [[2, 0], [1, 1], [0, 2]]
    assert times.tolist() == [[6, 35, 459], [12, 70, 918]]
