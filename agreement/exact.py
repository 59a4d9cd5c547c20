"""Division that knows when it has no answer, in floating point for arrays of replicates and in fractions for the gate.

Every coefficient is written once, with `ratio` for each division. Given integers or floats it works on whole arrays;
given counts as Python integers in an object array (`as_exact`) the same lines give exact fractions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.inputs import finite_of

Array = NDArray[Any]
_SHORT = 16


def as_exact(counts: ArrayLike) -> Array:
    """The same counts as an object array of fractions, so that arithmetic on them is exact. Any shape.

    Raises ValueError for what is no finite number.
    """
    array = finite_of(counts, "counts")
    flat = [Fraction(value) for value in array.ravel().tolist()]
    out = np.empty(len(flat), dtype=object)
    out[:] = flat
    return out.reshape(array.shape)


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> Array:
    """numerator / denominator by element, nan where the denominator is 0 or either is nan. Shapes broadcast."""
    top, bottom = np.asarray(numerator), np.asarray(denominator)
    if top.dtype == object or bottom.dtype == object:
        return np.asarray(_exact_ratio(top, bottom))
    with np.errstate(divide="ignore", invalid="ignore"):
        result = np.asarray(top / bottom)
    nothing = bottom == 0
    return np.where(nothing, np.nan, result) if nothing.any() else result


def added(values: Array, axis: int = -1) -> Array:
    """Sum over one axis. An axis of a few categories is added slice by slice, which is many times faster than numpy's
    own way of summing each short row."""
    n_slices = values.shape[axis]
    if values.ndim == 1 or not 0 < n_slices <= _SHORT:
        return np.asarray(values.sum(axis=axis))
    slices = np.moveaxis(values, axis, 0)
    total = slices[0] + slices[1] if n_slices > 1 else slices[0].copy()
    for each in slices[2:]:
        total = total + each
    return np.asarray(total)


def _divide(top: Any, bottom: Any) -> Any:
    if bottom == 0 or any(isinstance(x, float) and math.isnan(x) for x in (top, bottom)):
        return math.nan
    return top / bottom if isinstance(top, Fraction) or isinstance(bottom, Fraction) else Fraction(top, bottom)


_exact_ratio = np.frompyfunc(_divide, 2, 1)


def exactly(statistic: Callable[..., Any], *counts: ArrayLike, **options: Any) -> Fraction | None:
    """The statistic of these counts as a fraction; None where it is undefined.

    statistic: a function of counts that gives one value, built from +, -, * and `ratio` only.
    """
    value = np.asarray(statistic(*(as_exact(c) for c in counts), **options), dtype=object).item()
    if isinstance(value, float) and math.isnan(value):
        return None
    return Fraction(value)


# What a statistic returns: without a leading axis a float (a Fraction if the counts were exact), else an array.
Values: TypeAlias = Any


def plain(values: ArrayLike) -> Values:
    """The number itself where there is no leading axis, the array where there is one."""
    array = np.asarray(values)
    return array.item() if array.ndim == 0 else array


def beyond_chance(observed: ArrayLike, expected: ArrayLike) -> Array:
    """(observed - expected) / (1 - expected), nan where expected is 1: the form all kappa-like coefficients share."""
    top, chance = np.asarray(observed), np.asarray(expected)
    return ratio(top - chance, 1 - chance)
