"""What every public function asks of its arrays, in one place; below it they are trusted.

A refusal is a ValueError that starts with the argument's name. Checks are a few passes over the array, so they cost
little beside any sum over the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]
_MOST = 2**53  # the largest whole number up to which a float64 holds every one


def refuse(name: str, why: str) -> NoReturn:
    """Raise the one kind of error this library has for an argument it cannot use."""
    raise ValueError(f"{name} {why}")


def array_of(values: ArrayLike, name: str) -> Array:
    """The values as an array; a data frame's are its cells. Raises ValueError for rows of different length."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} is no array: its rows differ in length") from error


def is_missing(value: Any) -> bool:
    """Whether a value stands for no answer: None, nan, or the NA of pandas, which is known by its name alone."""
    return (
        value is None or (isinstance(value, float | np.floating) and value != value) or type(value).__name__ == "NAType"
    )


def check_seed(seed: Any) -> None:
    """What the draws start from: a whole number from 0, or a list of them."""
    numbers = list(seed) if isinstance(seed, list | tuple | np.ndarray) else [seed]
    if not numbers or not all(_is_whole(n) and n >= 0 for n in numbers):
        refuse("seed", f"is {seed!r}; it must be a whole number from 0, or a list of them")


def as_counts(counts: ArrayLike, name: str = "counts") -> Array:
    """Counts ready for arithmetic: exact ones stay exact, all others become float64, so no small type overflows.

    Raises ValueError unless they are whole numbers from 0. Any shape.
    """
    array = array_of(counts, name)
    if array.dtype == object:
        return _exact_counts(array, name)
    if array.dtype.kind not in "iuf":
        refuse(name, f"are {array.dtype}, not numbers")
    out = array.astype(np.float64, copy=False)
    if not out.size:
        return out
    lowest, highest = out.min(), out.max()
    if not (lowest >= 0 and highest < np.inf):
        refuse(name, "hold nan" if np.isnan(lowest) else "are not finite" if lowest >= 0 else "hold a negative number")
    if array.dtype.kind == "f" and not (out == np.rint(out)).all():
        refuse(name, "are not whole numbers")
    if highest > _MOST:
        refuse(name, "are too large to be added exactly")
    return out


def square_counts(pair_counts: ArrayLike, name: str = "pair_counts") -> Array:
    """Pair tables, shape (..., C, C), as `as_counts`. Raises ValueError if the last two axes differ or are empty."""
    table = as_counts(pair_counts, name)
    if table.ndim < 2 or table.shape[-1] != table.shape[-2] or not table.shape[-1]:
        refuse(name, f"has shape {table.shape}; it must be square, one row and one column a category")
    return table


def vectors_of(count_vectors: ArrayLike) -> Array:
    """Count vectors, shape (U, C), as `as_counts`."""
    vectors = as_counts(count_vectors, "count_vectors")
    if vectors.ndim != 2 or not vectors.shape[1]:
        refuse("count_vectors", f"has shape {vectors.shape}; it must be (vectors, categories)")
    return vectors


def multiplicity_of(multiplicity: ArrayLike | None, n_rows: int, *, exact: bool = False) -> Array:
    """Multiplicities, shape (..., U), as `as_counts`; ones if left out."""
    if multiplicity is None:
        return np.full(n_rows, Fraction(1), dtype=object) if exact else np.ones(n_rows)
    times = as_counts(multiplicity, "multiplicity")
    if times.ndim == 0 or times.shape[-1] != n_rows:
        refuse("multiplicity", f"has shape {times.shape}; its last axis must be {n_rows} long")
    return times


def positive_of(positive: ArrayLike, n_categories: int, name: str = "positive") -> NDArray[np.bool_]:
    """A mask over the categories, shape (C,). Raises ValueError for anything but one truth value a category."""
    mask = array_of(positive, name)
    if mask.shape != (n_categories,):
        refuse(name, f"has shape {mask.shape}; it must be one truth value for each of {n_categories} categories")
    if mask.dtype.kind == "b":
        return mask
    if mask.dtype.kind not in "iuf" or not np.isin(mask, (0, 1)).all():
        refuse(name, "is not made of truth values")
    return mask.astype(bool)


def codes_of(
    codes: ArrayLike, n_categories: int | None = None, *, name: str = "codes", at_least: int = 0
) -> tuple[NDArray[np.int64], int]:
    """Codes, shape (U, M), as int64, and how many categories there are. Below 0 is no label.

    n_categories: one more than the highest code if left out, or `at_least` if that is more.
    Raises ValueError for codes that are not whole numbers, or not below n_categories.
    """
    matrix = array_of(codes, name)
    if matrix.ndim != 2:
        refuse(name, f"has shape {matrix.shape}; it must be (items, annotators)")
    if matrix.dtype == object:
        matrix = _whole_objects(matrix, name)
    if matrix.dtype.kind == "f" and not (np.isfinite(matrix).all() and (matrix == np.rint(matrix)).all()):
        refuse(name, "are not whole numbers")
    if matrix.dtype.kind not in "iuf":
        refuse(name, f"are {matrix.dtype}, not numbers")
    highest = int(matrix.max(initial=-1))
    if n_categories is None:
        n_categories = max(highest + 1, at_least, 1)
    check_whole("n_categories", n_categories, 1)
    if highest >= n_categories:
        refuse(name, f"hold {highest}, and {n_categories} categories have the codes 0 to {n_categories - 1}")
    return matrix.astype(np.int64), n_categories


def finite_of(values: ArrayLike, name: str) -> Array:
    """Finite numbers, exact ones too. Any shape."""
    array = array_of(values, name)
    if array.dtype.kind not in "iufbO":
        refuse(name, f"are {array.dtype}, not numbers")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        refuse(name, "are not all finite numbers")
    if array.dtype == object:
        for value in array.ravel().tolist():
            if not isinstance(value, int | float | Fraction) or not -np.inf < value < np.inf:
                refuse(name, f"hold {value!r}, which is no finite number")
    return array


def numbers_of(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Measured values as float64; None and nan are no value. Any shape."""
    array = array_of(values, name)
    if array.dtype.kind not in "iufO" or (
        array.dtype == object and not all(is_missing(v) or isinstance(v, int | float | Fraction) for v in array.ravel())
    ):
        refuse(name, "hold something that is no number")
    if array.dtype == object:
        numbers = [math.nan if is_missing(v) else float(v) for v in array.ravel()]
        return np.array(numbers, dtype=np.float64).reshape(array.shape)
    return array.astype(np.float64)


def share_of(name: str, value: Any) -> float:
    """A number from 0 to 1."""
    if not isinstance(value, int | float | Fraction | np.number) or not 0 <= value <= 1:
        refuse(name, f"is {value!r}; it must be a number from 0 to 1")
    return float(value)


def check_between(name: str, value: Any) -> None:
    """A level, or what an interval may miss: more than 0, less than 1."""
    if share_of(name, value) in (0, 1):
        refuse(name, f"is {value!r}; it must lie between 0 and 1")


def check_whole(name: str, value: Any, lowest: int = 0) -> None:
    """A whole number, not below the lowest."""
    if not _is_whole(value) or value < lowest:
        refuse(name, f"is {value!r}; it must be a whole number from {lowest}")


def check_one_of(name: str, value: Any, known: Iterable[str]) -> None:
    """One of the words known."""
    if not isinstance(value, str) or value not in known:
        refuse(name, f"is {value!r}; use {', '.join(known)}")


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _exact_counts(array: Array, name: str) -> Array:
    for value in array.ravel().tolist():
        if isinstance(value, bool) or not isinstance(value, int | Fraction) or value < 0 or value.denominator != 1:
            refuse(name, f"hold {value!r}, which is no whole number from 0")
    return array


def _whole_objects(array: Array, name: str) -> Array:
    for value in array.ravel().tolist():
        if isinstance(value, bool) or not isinstance(value, int | Fraction) or value.denominator != 1:
            refuse(name, f"hold {value!r}, which is no whole number")
    return array.astype(np.int64)
