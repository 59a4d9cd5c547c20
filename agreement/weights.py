"""How far two different categories agree: the weight matrices of the literature, by name, over a declared order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agreement.errors import ConfigError, Problem
from agreement.exact import Array, as_exact
from agreement.inputs import check_whole, finite_of

Weights = str | ArrayLike


def agreement_weights(
    weights: Weights, n_categories: int, values: Sequence[Any] | None = None, *, exact: bool = False
) -> Array:
    """The weight matrix, shape (C, C): 1 on the diagonal, less where two categories agree less.

    weights: "identity", "linear", "quadratic", "ordinal", "radical", "ratio", "circular", "bipolar" (all as in
        Gwet 2014, Handbook of Inter-Rater Reliability, ch. 3), or a matrix of one's own: from 0 to 1, symmetric,
        1 on the diagonal.
    values: what the categories stand for as numbers, in declared order; their ranks 1..C if left out. "ordinal"
        counts ranks and does not look at values.
    exact: fractions instead of floats, for the names whose weights are rational.

    Raises ConfigError for an unknown name, another matrix, or values that are not C finite numbers.
    """
    if not isinstance(weights, str):
        return _own_matrix(weights, n_categories, exact)
    if weights not in _DISTANCES:
        raise _refused("unknown-weights", f"weights '{weights}' are unknown", ", ".join(_DISTANCES), weights)
    check_whole("n_categories", n_categories, 1)
    numbers = category_values(values, n_categories)
    distance = _DISTANCES[weights]
    pairs = [[_off_diagonal(distance, i, j, numbers) for j in range(n_categories)] for i in range(n_categories)]
    largest = max(max(row) for row in pairs)
    matrix = [[1 - (d / largest if largest else 0) for d in row] for row in pairs]
    return np.array(matrix, dtype=object if exact else np.float64)


def category_values(values: Sequence[Any] | None, n_categories: int) -> list[Fraction]:
    """The categories as exact numbers: the given values, or the ranks 1..C."""
    if values is None:
        return [Fraction(rank) for rank in range(1, n_categories + 1)]
    if len(values) != n_categories:
        raise _refused(
            "values-do-not-fit", f"{len(values)} values for {n_categories} categories", "one value a category"
        )
    try:
        return [Fraction(v.item() if isinstance(v, np.generic) else v) for v in values]
    except (TypeError, ValueError, OverflowError) as error:
        raise _refused(
            "values-not-numbers", "the categories' values are not all finite numbers", "numbers", str(values)
        ) from error


def _off_diagonal(distance: _Distance, i: int, j: int, numbers: list[Fraction]) -> Any:
    return Fraction(0) if i == j else distance(i, j, numbers)


_Distance = Callable[[int, int, list[Fraction]], Any]


def _identity(i: int, j: int, v: list[Fraction]) -> Any:
    return Fraction(1)


def _linear(i: int, j: int, v: list[Fraction]) -> Any:
    return abs(v[i] - v[j])


def _quadratic(i: int, j: int, v: list[Fraction]) -> Any:
    return (v[i] - v[j]) ** 2


def _ordinal(i: int, j: int, v: list[Fraction]) -> Any:
    return Fraction(math.comb(abs(i - j) + 1, 2))


def _radical(i: int, j: int, v: list[Fraction]) -> Any:
    return math.sqrt(abs(v[i] - v[j]))


def ratio_distance(i: int, j: int, v: list[Fraction]) -> Any:
    """((a - b) / (a + b))**2, and 0 where both are 0: Krippendorff's ratio metric."""
    return ((v[i] - v[j]) / (v[i] + v[j])) ** 2 if v[i] + v[j] else Fraction(0)


def _circular(i: int, j: int, v: list[Fraction]) -> Any:
    return math.sin(math.pi * float(v[i] - v[j]) / float(max(v) - min(v) + 1)) ** 2


def _bipolar(i: int, j: int, v: list[Fraction]) -> Any:
    room = (v[i] + v[j] - 2 * min(v)) * (2 * max(v) - v[i] - v[j])
    return (v[i] - v[j]) ** 2 / room if room else Fraction(0)


_DISTANCES: dict[str, _Distance] = {
    "identity": _identity,
    "linear": _linear,
    "quadratic": _quadratic,
    "ordinal": _ordinal,
    "radical": _radical,
    "ratio": ratio_distance,
    "circular": _circular,
    "bipolar": _bipolar,
}


def _own_matrix(weights: ArrayLike, n_categories: int, exact: bool) -> Array:
    matrix = finite_of(weights, "weights")
    if matrix.shape != (n_categories, n_categories):
        raise _refused(
            "weights-do-not-fit",
            f"the weight matrix has shape {matrix.shape}, the categories need {(n_categories, n_categories)}",
            "one row and one column a category, in declared order",
        )
    numbers = as_exact(matrix)
    wrong = _wrong_with(numbers)
    if wrong:
        raise _refused("weights-do-not-fit", wrong, "1 - distance / the largest")
    return numbers if exact else numbers.astype(np.float64)


def _wrong_with(matrix: Array) -> str:
    if (np.diagonal(matrix) != 1).any():
        return "the weights of equal labels, on the diagonal, are not 1"
    if ((matrix < 0) | (matrix > 1)).any():
        return "the weights do not all lie between 0 and 1"
    return "" if (matrix == matrix.T).all() else "the weight matrix is not symmetric"


def _refused(code: str, message: str, fix: str, value: str | None = None) -> ConfigError:
    return ConfigError("weights cannot be used", [Problem(code, message, f"use {fix}", value=value)])
