"""Brennan and Prediger's coefficient, which takes chance to be even over the declared categories."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from agreement.exact import Array, Values, beyond_chance, plain, ratio
from agreement.percent import totals_weighted
from agreement.totals import Totals
from agreement.weights import Weights


def brennan_prediger(
    count_vectors: ArrayLike,
    multiplicity: ArrayLike | None = None,
    weights: Weights | None = None,
    values: list[float] | None = None,
) -> Values:
    """Brennan-Prediger (1981); Randolph's free-marginal kappa; for two categories PABAK.

    count_vectors: shape (U, C). multiplicity: shape (..., U), one each if left out. Every declared category
    counts, used or not. weights, values: as in `agreement_weights`; the identity if left out.

    nan if no item has two labels, or if only one category is declared.
    """
    t, matrix = totals_weighted(count_vectors, multiplicity, weights, values)
    return plain(brennan_prediger_of(t, matrix))


def brennan_prediger_of(t: Totals, weights: Array | None = None) -> Array:
    """Shape (...): `brennan_prediger` of totals."""
    n_categories = t.given.shape[-1]
    total_weight = n_categories if weights is None else weights.sum()
    observed = t.mean_agreement
    expected = ratio(np.full(observed.shape, total_weight, dtype=observed.dtype), n_categories**2)
    return beyond_chance(observed, expected)
