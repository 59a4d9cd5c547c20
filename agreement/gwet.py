"""Gwet's AC1 and AC2, which take chance agreement to fall as categories become rare."""

from __future__ import annotations

from numpy.typing import ArrayLike

from agreement.exact import Array, Values, added, beyond_chance, plain, ratio
from agreement.percent import totals_weighted
from agreement.totals import Totals, totals
from agreement.weights import Weights


def gwet_ac1(count_vectors: ArrayLike, multiplicity: ArrayLike | None = None) -> Values:
    """Gwet's AC1 (Gwet 2008, 2014).

    count_vectors: shape (U, C). multiplicity: shape (..., U), one each if left out. The C declared categories
    count, used or not. Its assumption: annotators guess only on hard items, and then evenly over all categories;
    with a rare category it therefore stays close to raw agreement. Show it only beside kappa.

    nan if no item has two labels, or if only one category is declared.
    """
    return plain(ac_of(totals(count_vectors, multiplicity)))


def gwet_ac2(
    count_vectors: ArrayLike,
    multiplicity: ArrayLike | None = None,
    weights: Weights = "quadratic",
    values: list[float] | None = None,
) -> Values:
    """Gwet's AC2: AC1 with weights (Gwet 2014). Weights and values as in `agreement_weights`; else as `gwet_ac1`."""
    t, matrix = totals_weighted(count_vectors, multiplicity, weights, values)
    return plain(ac_of(t, matrix))


def ac_of(t: Totals, weights: Array | None = None) -> Array:
    """Shape (...): AC1 of totals, AC2 with weights."""
    shares = t.shares
    n_categories = shares.shape[-1]
    total_weight = n_categories if weights is None else weights.sum()
    spread = added(shares * (1 - shares))
    return beyond_chance(t.mean_agreement, ratio(total_weight * spread, n_categories * (n_categories - 1)))
