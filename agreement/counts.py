"""From labels to counts: who said what, as distinct patterns, pair tables and count vectors."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.errors import ConfigError, Problem
from agreement.inputs import array_of, as_counts, is_missing, refuse, square_counts
from agreement.patterns import MISSING, NOT_ASSIGNED, Patterns

_SMALLEST_CODE = -4
_UNKNOWN = -9
_TABLE_AT_MOST = 4_000_000
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Pair:
    """Two annotators and the table of their common items.

    pair_counts: int64, shape (C, C). n_items: how many items both labelled.
    """

    first: str
    second: str
    pair_counts: Ints
    n_items: int


def patterns_from_long(
    item: Sequence[Hashable],
    annotator: Sequence[str],
    label: Sequence[Any],
    categories: Sequence[Hashable],
    annotators: Sequence[str] | None = None,
    missing: Iterable[Hashable] = (),
) -> Patterns:
    """Patterns of a list of labels, one row a label; the order of the rows does not matter.

    categories: all declared labels in their order. A label outside them is refused; None, nan and the NA of pandas
        are missing, as is what `missing` lists; "None", "" and "nan" are labels like any other, so refused unless
        declared.
    annotators: the order of the annotators; sorted if left out.

    Raises ConfigError listing every undeclared label and unknown annotator, or labels given twice.
    """
    _refuse_no_list(item=item, annotator=annotator, label=label)
    item, annotator = list(item), list(annotator)
    if not len(item) == len(annotator) == len(label):
        refuse("label", f"has {len(label)} entries, item {len(item)} and annotator {len(annotator)}")
    names = tuple(sorted({str(a) for a in annotator})) if annotators is None else tuple(annotators)
    column = {name: position for position, name in enumerate(names)}
    columns = np.array([column.get(str(a), -1) for a in annotator], dtype=np.int64)
    values = label if isinstance(label, np.ndarray) else np.array([*label, None], dtype=object)[:-1]
    codes = _codes(values, categories, missing)
    if (columns < 0).any():
        strangers = sorted({str(a) for a in annotator} - set(names))
        raise _refused(
            [
                Problem(
                    "unknown-annotator",
                    "annotator is not declared",
                    "Declare the annotator, or leave the label out.",
                    value=s,
                )
                for s in strangers
            ]
        )
    rows: dict[Hashable, int] = {}
    row = np.array([rows.setdefault(i, len(rows)) for i in item], dtype=np.int64)
    _refuse_twice(row * len(names) + columns, item, annotator)
    matrix = np.full((len(rows), len(names)), NOT_ASSIGNED, dtype=np.int64)
    matrix[row, columns] = codes
    return patterns_from_codes(matrix, names, categories)


def patterns_from_wide(
    matrix: ArrayLike,
    categories: Sequence[Hashable],
    missing: Iterable[Hashable] = (),
    annotators: Sequence[str] | None = None,
) -> Patterns:
    """Patterns of a matrix of labels, one row an item and one column an annotator. Otherwise as `patterns_from_long`.

    matrix: a list of rows, an array, or a data frame, of which the cells count and not the names of the columns.
    annotators: names of the columns; "1", "2", ... if left out.

    Raises ValueError also for a mapping and for rows of different length.
    """
    labels = array_of(matrix, "matrix") if hasattr(matrix, "__array__") else _object_matrix(matrix)
    if labels.ndim != 2:
        refuse("matrix", f"has shape {labels.shape}; it must be (items, annotators)")
    names = tuple(annotators or [str(k + 1) for k in range(labels.shape[1])])
    if labels.shape[1] != len(names):
        refuse("matrix", f"has shape {labels.shape}; {len(names)} annotators are named")
    codes = _codes(labels.ravel(), categories, missing).reshape(labels.shape)
    return patterns_from_codes(codes, names, categories)


def patterns_from_codes(
    codes: ArrayLike, annotators: Sequence[str], categories: Sequence[Hashable], multiplicity: ArrayLike | None = None
) -> Patterns:
    """Patterns of a matrix of codes, shape (items, M): 0..C-1 a category, below 0 why there is none.

    multiplicity: how many items each row stands for; one if left out.
    """
    matrix = array_of(codes, "codes")
    if matrix.ndim != 2 or matrix.dtype.kind not in "iu":
        refuse("codes", f"are {matrix.dtype} of shape {matrix.shape}; they must be whole numbers, (items, annotators)")
    if matrix.size and not (matrix.min() >= _SMALLEST_CODE and matrix.max() < len(categories)):
        refuse("codes", f"must lie between {_SMALLEST_CODE} and {len(categories) - 1}")
    times = None if multiplicity is None else _times(multiplicity, len(matrix))
    distinct, merged = _distinct_rows(matrix, len(categories), times)
    return Patterns(tuple(annotators), tuple(str(c) for c in categories), distinct, merged)


def pair_counts(patterns: Patterns, first: int | str, second: int | str) -> Ints:
    """The table of two annotators, shape (C, C), over the items both labelled. They are named by id or by column."""
    a, b = patterns.codes[:, _column(patterns, first, "first")], patterns.codes[:, _column(patterns, second, "second")]
    c = len(patterns.categories)
    both = (a >= 0) & (b >= 0)
    table = np.zeros(c * c, dtype=np.int64)
    np.add.at(table, (a * c + b)[both], patterns.multiplicity[both])
    return table.reshape(c, c)


def all_pairs(patterns: Patterns) -> list[Pair]:
    """Every two annotators with their table, in the order of the columns."""
    tables = ((a, b, pair_counts(patterns, i, j)) for (i, a), (j, b) in combinations(enumerate(patterns.annotators), 2))
    return [Pair(a, b, table, int(table.sum())) for a, b, table in tables]


def count_vectors(patterns: Patterns) -> tuple[Ints, Ints]:
    """Distinct count vectors, shape (U, C), sorted, and how many items have each, shape (U,).

    Items nobody labelled are left out; items with one label stay in (they tell about category rates).
    """
    vectors = vectors_of_codes(patterns.codes, len(patterns.categories))
    return merge_vectors(vectors, patterns.multiplicity)


def merge_vectors(vectors: ArrayLike, multiplicity: ArrayLike | None = None) -> tuple[Ints, Ints]:
    """Equal count vectors merged and sorted, empty ones dropped, with the items of each."""
    matrix = as_counts(vectors, "vectors").astype(np.int64)
    if matrix.ndim != 2:
        refuse("vectors", f"has shape {matrix.shape}; it must be (vectors, categories)")
    times = np.ones(len(matrix), dtype=np.int64) if multiplicity is None else _times(multiplicity, len(matrix))
    used = (matrix.sum(axis=1) > 0) & (times > 0)
    matrix, times = matrix[used], times[used]
    if not len(matrix):
        return matrix, times
    distinct, where = np.unique(matrix, axis=0, return_inverse=True)
    merged = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(merged, where.ravel(), times)
    return distinct, merged


def vectors_of_codes(codes: ArrayLike, n_categories: int) -> Ints:
    """How many annotators gave each category, shape (U, C), for patterns of shape (U, M)."""
    matrix = np.asarray(codes)
    each = [(matrix == k).sum(axis=1, dtype=np.int64) for k in range(n_categories)]
    return np.stack(each, axis=1) if each else np.zeros((len(matrix), 0), dtype=np.int64)


def vectors_of_pairs(pair_counts: ArrayLike) -> tuple[Ints, NDArray[Any]]:
    """A pair table, shape (..., C, C), as count vectors (U, C) of two labels and their multiplicity (..., U)."""
    table = square_counts(pair_counts)
    c = table.shape[-1]
    row, column = np.triu_indices(c)
    vectors = np.eye(c, dtype=np.int64)[row] + np.eye(c, dtype=np.int64)[column]
    mirrored = np.swapaxes(table, -1, -2)[..., row, column]
    return vectors, np.where(row == column, table[..., row, column], table[..., row, column] + mirrored)


def _column(patterns: Patterns, annotator: int | str, name: str) -> int:
    names = patterns.annotators
    if annotator not in names and annotator not in range(len(names)):
        refuse(name, f"{annotator!r} is not one of: {', '.join(names)}")
    return names.index(annotator) if isinstance(annotator, str) else annotator


def _times(multiplicity: ArrayLike, n_rows: int) -> Ints:
    times = as_counts(multiplicity, "multiplicity").astype(np.int64)
    if times.shape != (n_rows,):
        refuse("multiplicity", f"has shape {times.shape}; it must be {n_rows} long")
    return times


def _refuse_no_list(**given: Any) -> None:
    for name, entries in given.items():
        if isinstance(entries, Mapping | str) or getattr(entries, "ndim", 1) != 1:
            refuse(name, f"is of type {type(entries).__name__}; it must be a list with one entry a label")


def _object_matrix(matrix: ArrayLike) -> NDArray[Any]:
    if isinstance(matrix, Mapping | str | bytes) or not isinstance(matrix, Iterable):
        refuse("matrix", f"is of type {type(matrix).__name__}; it must be a list of rows, one row an item")
    given: list[Any] = list(matrix)
    if not all(isinstance(row, Iterable) and not isinstance(row, Mapping) for row in given):
        refuse("matrix", "must be a list of rows, each a list of the item's labels")
    rows = [list(row) for row in given]
    if len({len(row) for row in rows}) > 1:
        refuse("matrix", "has rows of different length; a label that is missing is None")
    out = np.empty((len(rows), len(rows[0]) if rows else 0), dtype=object)
    for position, row in enumerate(rows):
        out[position, :] = row
    return out


def _codes(labels: NDArray[Any], categories: Sequence[Hashable], missing: Iterable[Hashable]) -> Ints:
    """Position of each label in the declared list, MISSING where there is none."""
    lookup: dict[Any, int] = {category: position for position, category in enumerate(categories)}
    if len(lookup) != len(categories):
        raise _refused(
            [
                Problem(
                    "category-twice",
                    "a category is declared twice",
                    "Name each category once.",
                    value=str(list(categories)),
                )
            ]
        )
    absent = set(missing) - set(lookup)
    if labels.dtype == object:
        return _looked_up(labels.tolist(), lookup, absent)
    # Comparing with each category in turn is many times faster than sorting all labels to find the distinct ones.
    codes = np.full(labels.shape, _UNKNOWN, dtype=np.int64)
    for category, position in lookup.items():
        codes[labels == category] = position
    rest = codes == _UNKNOWN
    if rest.any():
        codes[rest] = _looked_up(labels[rest].tolist(), lookup, absent)
    return codes


def _looked_up(labels: list[Any], lookup: dict[Any, int], absent: set[Hashable]) -> Ints:
    known = {label: _code(label, lookup, absent) for label in dict.fromkeys(labels)}
    strangers = [label for label, code in known.items() if code is None]
    if strangers:
        declared = ", ".join(str(c) for c in lookup)
        raise _refused(
            [
                Problem(
                    "unknown-label",
                    f"label is not one of: {declared}",
                    "Declare the label as a category, or leave it out.",
                    value=str(s),
                )
                for s in strangers
            ]
        )
    return np.array([known[label] for label in labels], dtype=np.int64)


def _code(value: Any, lookup: dict[Any, int], absent: set[Hashable]) -> int | None:
    if value in lookup:
        return lookup[value]
    return MISSING if is_missing(value) or value in absent else None


def _refuse_twice(cells: Ints, item: Sequence[Hashable], annotator: Sequence[str]) -> None:
    _, first, counts = np.unique(cells, return_index=True, return_counts=True)
    twice = first[counts > 1].tolist()
    if twice:
        raise _refused(
            [
                Problem(
                    "duplicate-label",
                    f"annotator {annotator[k]} labelled it more than once",
                    "Keep one label of each annotator and item.",
                    value=str(item[k]),
                )
                for k in twice
            ]
        )


def _distinct_rows(matrix: NDArray[Any], n_categories: int, times: Ints | None) -> tuple[Ints, Ints]:
    """Distinct rows, sorted, and how many items have each: rows are packed into one integer and counted."""
    base = n_categories - _SMALLEST_CODE
    n_columns = matrix.shape[1]
    if not len(matrix) or base**n_columns >= 2**62:
        return _distinct_wide_rows(matrix, times)
    keys: NDArray[Any] = np.zeros(len(matrix), dtype=np.int64 if base**n_columns > 2**31 else np.int32)
    for column in range(n_columns):
        keys *= base
        keys += matrix[:, column]
        keys -= _SMALLEST_CODE
    if base**n_columns <= _TABLE_AT_MOST:
        counts = np.bincount(keys, minlength=1) if times is None else _weighted_bincount(keys, times)
        found = np.flatnonzero(counts)
        merged = counts[found]
    else:
        found, where, counts = np.unique(keys, return_inverse=True, return_counts=True)
        merged = counts if times is None else _weighted_bincount(where, times)
    powers = base ** np.arange(n_columns - 1, -1, -1, dtype=np.int64)
    rows = found.astype(np.int64)[:, None] // powers % base + _SMALLEST_CODE
    return rows, merged.astype(np.int64)


def _weighted_bincount(keys: NDArray[Any], times: Ints) -> Ints:
    out = np.zeros(int(keys.max(initial=0)) + 1, dtype=np.int64)
    np.add.at(out, keys, times)
    return out


def _distinct_wide_rows(matrix: NDArray[Any], times: Ints | None) -> tuple[Ints, Ints]:
    rows = matrix.astype(np.int64)
    if not len(rows):
        return rows, np.zeros(0, dtype=np.int64)
    distinct, where, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return distinct, counts.astype(np.int64) if times is None else _weighted_bincount(where.ravel(), times)


def _refused(problems: list[Problem]) -> ConfigError:
    return ConfigError("the labels do not fit what was declared", problems, "Declare it, or correct the labels.")
