"""Kappa for more than two annotators who keep their own category rates: Conger's and Light's."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from agreement.counts import vectors_of_codes
from agreement.exact import Array, Values, added, beyond_chance, plain, ratio
from agreement.inputs import codes_of, multiplicity_of, refuse
from agreement.kappa import cohen_kappa, weighted_kappa
from agreement.totals import summed, totals, weighted_product
from agreement.weights import Weights, agreement_weights


def conger_kappa(
    codes: ArrayLike,
    multiplicity: ArrayLike | None = None,
    n_categories: int | None = None,
    weights: Weights | None = None,
    values: list[float] | None = None,
) -> Values:
    """Conger's kappa (Conger 1980; ragged and weighted as in Gwet 2014).

    codes: shape (U, M). What each of M annotators said, 0..C-1; below 0 is no label. multiplicity: shape (..., U).
    n_categories: C; one more than the highest code if left out.

    Chance agreement is the mean over pairs of annotators of what their own rates would give. An annotator's rates
    come from all items they labelled, also those nobody else did; annotators with no label at all are left out.
    Two annotators on complete items: Cohen's kappa. nan if no item has two labels or all use one same category.
    """
    matrix, times, c = _checked(codes, multiplicity, n_categories)
    exact = times.dtype == object
    w = None if weights is None else agreement_weights(weights, c, values, exact=exact)
    vectors = vectors_of_codes(matrix, c)
    observed = totals(_like(vectors, times), times, w).mean_agreement
    return plain(beyond_chance(observed, conger_expected(given_by_annotator(matrix, times, c), w)))


def light_kappa(
    codes: ArrayLike,
    multiplicity: ArrayLike | None = None,
    n_categories: int | None = None,
    weights: Weights | None = None,
    values: list[float] | None = None,
) -> Values:
    """Light's kappa (Light 1971): the mean of Cohen's kappa over all pairs of annotators, each on its own common items.

    Arguments as `conger_kappa`. nan if any pair's kappa is undefined, or there is no pair.
    """
    matrix, times, c = _checked(codes, multiplicity, n_categories)
    pairs = list(combinations(range(matrix.shape[1]), 2))
    if not pairs:
        return plain(np.full(times.shape[:-1], np.nan))
    tables = [_pair_tables(matrix, times, c, first, second) for first, second in pairs]
    kappas = [cohen_kappa(t) if weights is None else weighted_kappa(t, weights, values) for t in tables]
    return plain(ratio(np.stack([np.asarray(k) for k in kappas]).sum(axis=0), len(pairs)))


def pair_tables(
    codes: ArrayLike, multiplicity: ArrayLike | None, n_categories: int | None, first: int, second: int
) -> Array:
    """Tables of two annotators (columns of codes) over any leading axis of multiplicity, shape (..., C, C).

    codes, multiplicity, n_categories: as `conger_kappa`. All zero if the two have no common item.
    """
    matrix, times, c = _checked(codes, multiplicity, n_categories)
    for name, column in (("first", first), ("second", second)):
        if column not in range(matrix.shape[1]):
            refuse(name, f"is {column!r}; the columns are 0 to {matrix.shape[1] - 1}")
    return _pair_tables(matrix, times, c, first, second)


def _pair_tables(codes: Array, multiplicity: Array, n_categories: int, first: int, second: int) -> Array:
    a, b = codes[:, first], codes[:, second]
    both = (a >= 0) & (b >= 0)
    cells = np.zeros((len(codes), n_categories**2))
    cells[both, (a * n_categories + b)[both]] = 1
    flat = summed(multiplicity, _like(cells, multiplicity))
    return flat.reshape(*flat.shape[:-1], n_categories, n_categories)


def given_by_annotator(codes: Array, multiplicity: Array, n_categories: int) -> Array:
    """How often each annotator gave each category, shape (..., M, C)."""
    one_hot = (codes[:, :, None] == np.arange(n_categories)).reshape(len(codes), codes.shape[1] * n_categories)
    flat = summed(multiplicity, _like(one_hot, multiplicity))
    return flat.reshape(*flat.shape[:-1], codes.shape[1], n_categories)


def conger_expected(given: Array, weights: Array | None) -> Array:
    """Chance agreement, shape (...), from how often each annotator gave each category, shape (..., M, C)."""
    labels = added(given)
    rates = np.where(labels[..., None] > 0, ratio(given, labels[..., None]), 0)
    active = added((labels > 0).astype(np.int64))
    together = added(rates, axis=-2)
    with_self = added(weighted_product(rates, weights, rates))
    return ratio(weighted_product(together, weights, together) - with_self, active * (active - 1))


def _checked(codes: ArrayLike, multiplicity: ArrayLike | None, n_categories: int | None) -> tuple[Array, Array, int]:
    matrix, c = codes_of(codes, n_categories)
    return matrix, multiplicity_of(multiplicity, len(matrix)), c


def _like(counts: Array, multiplicity: Array) -> Array:
    return counts.astype(np.int64).astype(object) if multiplicity.dtype == object else counts.astype(np.float64)
