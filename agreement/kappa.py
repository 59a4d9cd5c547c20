"""Kappa and its kin for two annotators, from the table of what both said about the same items."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from agreement.exact import Array, Values, plain, ratio
from agreement.inputs import square_counts
from agreement.totals import weighted_product
from agreement.weights import Weights, agreement_weights


def cohen_kappa(pair_counts: ArrayLike) -> Values:
    """Cohen's kappa (Cohen 1960).

    pair_counts: shape (..., C, C). Items the first annotator put in category c (row) and the second in category
        d (column).

    nan if there is no common item, or if both used one and the same category throughout: chance agreement is
    then 1.

    >>> round(cohen_kappa([[20, 5], [10, 15]]), 3)
    0.4
    """
    table = square_counts(pair_counts)
    n, chance = _chance(table, None)
    return plain(ratio(n * _agreeing(table, None) - chance, n * n - chance))


def expected_agreement(pair_counts: ArrayLike) -> Values:
    """Agreement that two annotators with these category rates would have by chance (Cohen 1960). nan if no item."""
    n, chance = _chance(square_counts(pair_counts), None)
    return plain(ratio(chance, n * n))


def weighted_kappa(pair_counts: ArrayLike, weights: Weights, values: list[float] | None = None) -> Values:
    """Weighted kappa (Cohen 1968). Weights and values as in `agreement_weights`; no default, for there is none.

    Shapes and undefined as in `cohen_kappa`.
    """
    table = square_counts(pair_counts)
    matrix = agreement_weights(weights, table.shape[-1], values, exact=table.dtype == object)
    n, chance = _chance(table, matrix)
    return plain(ratio(n * _agreeing(table, matrix) - chance, n * n - chance))


def max_kappa(pair_counts: ArrayLike) -> Values:
    """The highest kappa these two annotators' category rates allow (Cohen 1960). Undefined as `cohen_kappa`."""
    table = square_counts(pair_counts)
    n, chance = _chance(table, None)
    return plain(ratio(n * _most_agreeing(table) - chance, n * n - chance))


def share_of_max(pair_counts: ArrayLike) -> Values:
    """Kappa over the highest kappa the rates allow. nan also where the rates allow no more than chance."""
    table = square_counts(pair_counts)
    n, chance = _chance(table, None)
    return plain(ratio(n * _agreeing(table, None) - chance, n * _most_agreeing(table) - chance))


def scott_pi(pair_counts: ArrayLike, weights: Weights | None = None, values: list[float] | None = None) -> Values:
    """Scott's pi (Scott 1955): chance from the pooled category rates of both. Shapes and undefined as `cohen_kappa`."""
    table = square_counts(pair_counts)
    exact = table.dtype == object
    matrix = None if weights is None else agreement_weights(weights, table.shape[-1], values, exact=exact)
    pooled = table.sum(axis=-1) + table.sum(axis=-2)
    chance = weighted_product(pooled, matrix, pooled)
    n = table.sum(axis=(-2, -1))
    return plain(ratio(4 * n * _agreeing(table, matrix) - chance, 4 * n * n - chance))


def category_kappa(pair_counts: ArrayLike) -> Array:
    """Cohen's kappa of each category against all others, shape (..., C). nan where both always or never use it."""
    table = square_counts(pair_counts)
    n = table.sum(axis=(-2, -1), keepdims=True)[..., 0]
    first, second = table.sum(axis=-1), table.sum(axis=-2)
    both = np.diagonal(table, axis1=-2, axis2=-1)
    return ratio(2 * (n * both - first * second), n * (first + second) - 2 * first * second)


def category_pi(pair_counts: ArrayLike) -> Array:
    """Scott's pi of each category against all others, shape (..., C): (specific agreement - p) / (1 - p).

    p is the pooled rate of the category. nan where both always or never use it.
    """
    table = square_counts(pair_counts)
    n = table.sum(axis=(-2, -1), keepdims=True)[..., 0]
    pooled = table.sum(axis=-1) + table.sum(axis=-2)
    both = np.diagonal(table, axis1=-2, axis2=-1)
    return ratio(4 * n * both - pooled * pooled, pooled * (2 * n - pooled))


def _chance(table: Array, weights: Array | None) -> tuple[Array, Array]:
    """The table's items n, and n**2 times expected agreement: integers, so that 1 - expected is 0 exactly."""
    chance = weighted_product(table.sum(axis=-1), weights, table.sum(axis=-2))
    return np.asarray(table.sum(axis=(-2, -1))), chance


def _agreeing(table: Array, weights: Array | None) -> Array:
    if weights is None:
        return np.asarray(np.trace(table, axis1=-2, axis2=-1))
    return np.asarray((table * weights).sum(axis=(-2, -1)))


def _most_agreeing(table: Array) -> Array:
    return np.asarray(np.minimum(table.sum(axis=-1), table.sum(axis=-2)).sum(axis=-1))
