"""Fleiss' kappa for any number of annotators, complete or ragged."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from agreement.exact import Array, Values, beyond_chance, plain
from agreement.inputs import check_one_of
from agreement.percent import totals_weighted
from agreement.totals import Totals, checked, totals, weighted_product
from agreement.weights import Weights

Marginals = Literal["all-items", "items-with-two-or-more"]


def fleiss_kappa(
    count_vectors: ArrayLike,
    multiplicity: ArrayLike | None = None,
    weights: Weights | None = None,
    values: list[float] | None = None,
    marginals: Marginals = "all-items",
) -> Values:
    """Fleiss' kappa (Fleiss 1971), extended to ragged labels and weights by Gwet (2014).

    count_vectors: shape (U, C). multiplicity: shape (..., U), one each if left out.
    weights, values: as in `agreement_weights`; the identity if left out.
    marginals: where the category shares of chance agreement come from. "all-items" counts single-rated items
        as well (Gwet 2014); "items-with-two-or-more" takes the items that agreement comes from. They are the
        same where every item has two labels.

    For two annotators on complete items this is Scott's pi. nan if no item has two labels, or if only one
    category is used.
    """
    check_one_of("marginals", marginals, get_args(Marginals))
    t, matrix = totals_weighted(count_vectors, multiplicity, weights, values)
    return plain(fleiss_of(t, matrix, marginals))


def fleiss_category_kappa(count_vectors: ArrayLike, multiplicity: ArrayLike | None = None) -> Array:
    """Fleiss' kappa of each category against all others, shape (..., C). nan where a category is never used."""
    vectors, times = checked(count_vectors, multiplicity)
    others = vectors.sum(axis=1)[:, None] - vectors
    each = [fleiss_of(totals(np.column_stack([vectors[:, k], others[:, k]]), times)) for k in range(vectors.shape[1])]
    return np.stack(each, axis=-1)


def fleiss_of(t: Totals, weights: Array | None = None, marginals: Marginals = "all-items") -> Array:
    """Shape (...): `fleiss_kappa` of totals."""
    shares = (t if marginals == "all-items" else t.several).shares
    return beyond_chance(t.mean_agreement, weighted_product(shares, weights, shares))
