"""What a notebook hands over: data frames, mappings, rows that differ in length, missing marks, seeds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from agreement import (
    bootstrap,
    count_vectors,
    estimate_many,
    estimate_pair,
    patterns_from_codes,
    patterns_from_long,
    patterns_from_wide,
    weighted_kappa,
)
from agreement.errors import ConfigError
from agreement.inputs import numbers_of

ROWS = [["y", "n"], ["n", "n"], ["y", None]]


def _same(first: Any, second: Any) -> bool:
    return bool((first.codes == second.codes).all() and (first.multiplicity == second.multiplicity).all())


@pytest.mark.parametrize("columns", [["a", "b"], ["y", "n"]])
def test_of_a_data_frame_the_cells_count_and_not_the_names_of_its_columns(columns: list[str]) -> None:
    frame = pd.DataFrame(ROWS, columns=columns)
    assert _same(patterns_from_wide(frame, ["n", "y"]), patterns_from_wide(ROWS, ["n", "y"]))


@pytest.mark.parametrize("gap", [None, math.nan, np.float32("nan"), pd.NA])
def test_none_nan_and_the_na_of_pandas_are_all_missing(gap: Any) -> None:
    expected = patterns_from_wide(ROWS, ["n", "y"])
    assert _same(patterns_from_wide([*ROWS[:2], ["y", gap]], ["n", "y"]), expected)
    long = patterns_from_long([1, 1, 2, 2, 3, 3], list("abababab"[:6]), ["y", "n", "n", "n", "y", gap], ["n", "y"])
    assert _same(long, expected)
    assert np.isnan(numbers_of([gap, 1.5], "model")).tolist() == [True, False]


def test_columns_of_a_data_frame_with_any_index_are_lists() -> None:
    frame = pd.DataFrame({"item": [1, 1], "who": ["a", "a"], "label": ["y", "y"]}, index=[7, 9])
    with pytest.raises(ConfigError, match="labelled it more than once"):
        patterns_from_long(frame["item"], frame["who"], frame["label"], ["n", "y"])


COLUMNS: Any = {"a": ["y"], "b": ["n"]}
LABEL_OF: Any = {"y": 1}
NO_SEED: Any = None
CANNOT: list[tuple[str, Callable[[], Any]]] = [
    ("matrix is of type dict", lambda: patterns_from_wide(COLUMNS, ["n", "y"])),
    ("matrix has rows of different length", lambda: patterns_from_wide([["y", "n"], ["n"]], ["n", "y"])),
    ("matrix must be a list of rows", lambda: patterns_from_wide([1, 0], [0, 1])),
    ("codes is no array", lambda: patterns_from_codes([[0, 1], [1]], "ab", "ny")),
    ("item is of type DataFrame", lambda: patterns_from_long(pd.DataFrame(ROWS), "aa", "yn", ["n", "y"])),
    ("label is of type dict", lambda: patterns_from_long([1], ["a"], LABEL_OF, ["n", "y"])),
    ("seed is 'x'", lambda: estimate_pair([[4, 1], [1, 4]], seed="x")),
    ("seed is -1", lambda: estimate_pair([[4, 1], [1, 4]], seed=-1)),
    ("seed is None", lambda: bootstrap(lambda t: {"n": t.sum(axis=-1)}, [2, 2], resamples=9, seed=NO_SEED)),
]


@pytest.mark.parametrize(("says", "call"), CANNOT, ids=[says for says, _ in CANNOT])
def test_what_cannot_be_used_is_refused_by_name(says: str, call: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match=says):
        call()


OTHER = patterns_from_wide([["n", "n"], ["y", "y"]], ["n", "y"])
THREE = patterns_from_wide(ROWS, ["n", "y", "z"])


@pytest.mark.parametrize(("patterns", "says"), [(OTHER, "are not of the same items"), (THREE, "have 3 categories")])
def test_patterns_of_other_items_are_refused(patterns: Any, says: str) -> None:
    vectors, times = count_vectors(patterns_from_wide(ROWS, ["n", "y"]))
    with pytest.raises(ValueError, match=f"patterns {says}"):
        estimate_many(vectors, times, patterns=patterns, seed=1, resamples=10)


@pytest.mark.parametrize(
    ("matrix", "says"),
    [
        ([[1, 2], [2, 1]], "between 0 and 1"),
        ([[1, -0.1], [-0.1, 1]], "between 0 and 1"),
        ([[1, 0], [0.5, 1]], "not symmetric"),
        ([[1, 0], [0, 0.5]], "not 1"),
    ],
)
def test_a_weight_matrix_is_symmetric_from_0_to_1_and_the_text_of_the_refusal_says_so(matrix: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        weighted_kappa([[6, 2], [1, 4]], matrix)
