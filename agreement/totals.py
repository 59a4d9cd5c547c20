"""Integer totals of count vectors: all that the coefficients for any number of annotators need of the items.

Items are totalled apart for each number of labels an item has, because agreement within an item is divided by
that number. So the sums stay integers: exact, and the same in whatever order or on however many threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from agreement.exact import Array, added, as_exact, ratio
from agreement.inputs import multiplicity_of, vectors_of

_ONE_THREAD = 200_000


@dataclass(frozen=True)
class Totals:
    """Sums over items, by how many labels an item has. S distinct numbers of labels, C categories.

    labels: shape (S,). The numbers of labels, ascending, without 0.
    items: shape (..., S). Items with that many labels.
    given: shape (..., S, C). Labels those items got in each category.
    agreeing: shape (..., S). Ordered pairs of labels on the same item that agree, partly if weighted:
        sum_k r_k (r*_k - 1), with r*_k = sum_l w_kl r_l (Gwet 2014).
    """

    labels: Array
    items: Array
    given: Array
    agreeing: Array

    # Kept once found, because the coefficients of one slice share them.
    @cached_property
    def several(self) -> Totals:
        """Only the items with two or more labels: those that can agree or disagree."""
        kept = self.labels >= 2
        return Totals(self.labels[kept], self.items[..., kept], self.given[..., kept, :], self.agreeing[..., kept])

    @cached_property
    def mean_agreement(self) -> Array:
        """Shape (...). Mean over items with two or more labels of their share of agreeing label pairs (Gwet 2014)."""
        s = self.several
        return ratio(added(ratio(s.agreeing, s.labels * (s.labels - 1))), added(s.items))

    @cached_property
    def shares(self) -> Array:
        """Mean over items of the share of an item's labels in each category (Gwet 2014, pi_k). Shape (..., C)."""
        per_item = added(ratio(self.given, self.labels[:, None]), axis=-2)
        return ratio(per_item, added(self.items)[..., None])

    def exact(self) -> Totals:
        """The same totals as fractions. They are integers, so nothing was lost before (below 2**53)."""
        return Totals(as_exact(self.labels), as_exact(self.items), as_exact(self.given), as_exact(self.agreeing))


def totals(count_vectors: ArrayLike, multiplicity: ArrayLike | None = None, weights: Array | None = None) -> Totals:
    """Totals of these items.

    count_vectors: shape (U, C). How many annotators gave each category.
    multiplicity: shape (..., U). How many items have each vector; one each if left out.
    weights: shape (C, C). How far two categories agree, 1 on the diagonal; None is the identity.
    """
    vectors, times = checked(count_vectors, multiplicity)
    labels_each = vectors.sum(axis=1)
    sizes = sorted({m for m in labels_each.tolist() if m > 0})
    per_vector = np.column_stack([np.ones_like(labels_each), agreeing_pairs(vectors, weights), vectors])
    sums = [summed(times, per_vector, labels_each == m) for m in sizes]
    empty = np.zeros((*times.shape[:-1], 0, per_vector.shape[1]), dtype=times.dtype)
    stacked = np.stack(sums, axis=-2) if sums else empty
    return Totals(
        labels=np.array(sizes, dtype=vectors.dtype),
        items=stacked[..., 0],
        given=stacked[..., 2:],
        agreeing=stacked[..., 1],
    )


def checked(count_vectors: ArrayLike, multiplicity: ArrayLike | None) -> tuple[Array, Array]:
    """Both arrays ready for arithmetic, both exact if one is. Raises ValueError for what cannot be counts."""
    vectors = vectors_of(count_vectors)
    times = multiplicity_of(multiplicity, len(vectors), exact=vectors.dtype == object)
    if object in (vectors.dtype, times.dtype):
        return as_exact(vectors), as_exact(times)
    return vectors, times


def agreeing_pairs(vectors: Array, weights: Array | None) -> Array:
    """Ordered pairs of labels of each vector's items that agree, shape (U,)."""
    alike = vectors if weights is None else vectors @ weights.T
    return np.asarray((vectors * (alike - 1)).sum(axis=1))


def summed(times: Array, per_vector: Array, chosen: Array | None = None) -> Array:
    """Sum over items, shape (..., K), of what each vector's items contribute, shape (U, K).

    chosen: shape (U,), bool. Only these vectors.
    """
    if chosen is not None and not chosen.all():
        times, per_vector = times[..., chosen], per_vector[chosen]
    if times.dtype == object or per_vector.dtype == object:
        return np.asarray(times @ per_vector)
    if (per_vector == np.rint(per_vector)).all():
        return _product(times, per_vector)
    # A matrix product may add in another order on other threads, which shows once the terms are not integers.
    return np.asarray(np.einsum("...u,uk->...k", times, per_vector))


def _product(times: Array, per_vector: Array) -> Array:
    """times @ per_vector, in pieces too small for the matrix library to start threads: on a busy machine its threads
    wait for each other longer than the whole product takes."""
    if times.ndim == 1 or times.size == 0:
        return np.asarray(times @ per_vector)
    rows = times.reshape(-1, times.shape[-1])
    out = np.empty((len(rows), per_vector.shape[1]))
    step = max(1, _ONE_THREAD // max(per_vector.size, 1))
    for start in range(0, len(rows), step):
        np.matmul(rows[start : start + step], per_vector, out=out[start : start + step])
    return out.reshape(*times.shape[:-1], per_vector.shape[1])


def weighted_product(left: Array, weights: Array | None, right: Array) -> Array:
    """sum_kl w_kl left_k right_l over the last axis; the identity if weights is None."""
    if weights is None:
        return added(left * right)
    return added(np.einsum("...k,kl->...l", left, weights) * right)
