"""Raw agreement. Two figures carry this name in the literature; each has its own name here."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from agreement.exact import Array, Values, added, plain, ratio
from agreement.inputs import square_counts
from agreement.totals import Totals, agreeing_pairs, checked, totals
from agreement.weights import Weights, agreement_weights


def percent_agreement(
    count_vectors: ArrayLike,
    multiplicity: ArrayLike | None = None,
    weights: Weights | None = None,
    values: list[float] | None = None,
) -> Values:
    """Mean over items of the share of an item's label pairs that agree (Gwet 2014, p_a).

    count_vectors: shape (U, C). multiplicity: shape (..., U), one each if left out.
    weights, values: as in `agreement_weights`; the identity if left out.

    nan if no item has two labels.

    >>> round(percent_agreement([[2, 0], [1, 1], [0, 3]]), 4)
    0.6667
    """
    return plain(totals_weighted(count_vectors, multiplicity, weights, values)[0].mean_agreement)


def percent_agreement_pooled_pairs(count_vectors: ArrayLike, multiplicity: ArrayLike | None = None) -> Values:
    """Agreeing label pairs over all label pairs of all items, so that an item with more labels weighs more.

    Shapes as in `percent_agreement`. nan if no item has two labels.
    """
    return plain(pooled_over_pairs(totals(count_vectors, multiplicity)))


def pair_agreement(pair_counts: ArrayLike) -> Values:
    """Share of two annotators' common items with the same label. pair_counts: shape (..., C, C). nan if no item."""
    table = square_counts(pair_counts)
    return plain(ratio(np.trace(table, axis1=-2, axis2=-1), table.sum(axis=(-2, -1))))


def item_agreement(count_vectors: ArrayLike) -> Array:
    """Share of agreeing label pairs of each vector's items, shape (U,). nan for an item with fewer than two labels."""
    vectors, _ = checked(count_vectors, None)
    labels = vectors.sum(axis=1)
    return ratio(agreeing_pairs(vectors, None), labels * (labels - 1))


def pooled_over_pairs(t: Totals) -> Array:
    """Shape (...): `percent_agreement_pooled_pairs` of totals."""
    s = t.several
    return ratio(added(s.agreeing), added(s.items * s.labels * (s.labels - 1)))


def totals_weighted(
    count_vectors: ArrayLike,
    multiplicity: ArrayLike | None,
    weights: Weights | None,
    values: list[float] | None,
) -> tuple[Totals, Array | None]:
    """Totals under weights given by name or matrix, and the weight matrix (None for the identity)."""
    if weights is None:
        return totals(count_vectors, multiplicity), None
    vectors, _ = checked(count_vectors, None)
    matrix = agreement_weights(weights, vectors.shape[1], values, exact=vectors.dtype == object)
    return totals(count_vectors, multiplicity, matrix), matrix
