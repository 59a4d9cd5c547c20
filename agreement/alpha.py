"""Krippendorff's alpha with his own four metrics, from count vectors."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from agreement.errors import ConfigError, Problem
from agreement.exact import Array, Values, added, as_exact, plain, ratio
from agreement.inputs import finite_of
from agreement.totals import Totals, checked, summed, totals
from agreement.weights import category_values, ratio_distance

Metric = Literal["nominal", "ordinal", "interval", "ratio"]
_CELLS_AT_ONCE = 20_000_000


def krippendorff_alpha(
    count_vectors: ArrayLike,
    multiplicity: ArrayLike | None = None,
    metric: Metric | ArrayLike = "nominal",
    values: list[float] | None = None,
) -> Values:
    """Krippendorff's alpha (Krippendorff 2004, 2011): 1 - observed / expected disagreement.

    count_vectors: shape (U, C). multiplicity: shape (..., U), one each if left out.
    metric: how far two categories lie apart. "nominal": 1 if they differ. "ordinal": squared number of ranks
        between them, by how often each is used on items with two labels (so it is found anew for every replicate).
        "interval": (a - b)**2. "ratio": ((a - b) / (a + b))**2. Or a matrix of squared distances, shape (C, C).
    values: what the categories stand for, for "interval" and "ratio"; their ranks 1..C if left out.

    Items with fewer than two labels count nowhere. nan if there is no other, or if only one category is used.

    >>> round(krippendorff_alpha([[2, 0], [1, 1], [0, 2]]), 4)
    0.4444
    """
    if isinstance(metric, str) and metric == "nominal":
        return plain(alpha_of(totals(count_vectors, multiplicity)))
    vectors, times = checked(count_vectors, multiplicity)
    observed, n_labels = _observed(vectors, times, times, metric, values)
    expected, _ = _expected(vectors, times, metric, values)
    return plain(1 - ratio((n_labels - 1) * observed, expected))


def krippendorff_alpha_within(
    count_vectors: ArrayLike,
    multiplicity: ArrayLike,
    whole: ArrayLike,
    metric: Metric | ArrayLike = "nominal",
    values: list[float] | None = None,
) -> Values:
    """Alpha of a stratum against the disagreement expected in the whole, so that strata can be compared.

    multiplicity: shape (..., U), the stratum's items. whole: shape (..., U), all items, over the same vectors.
    With its own expected disagreement a stratum of nearly one kind of item has a low alpha however well people
    agree on it; `krippendorff_alpha` gives that one.

    nan if the stratum has no item with two labels or the whole uses only one category.
    """
    vectors, times = checked(count_vectors, multiplicity)
    _, whole_times = checked(count_vectors, whole)
    observed, n_labels = _observed(vectors, times, whole_times, metric, values)
    expected, n_whole = _expected(vectors, whole_times, metric, values)
    return plain(1 - ratio(n_whole * (n_whole - 1) * observed, n_labels * expected))


def alpha_of(t: Totals) -> Array:
    """Shape (...): nominal alpha of totals."""
    s = t.several
    given = added(s.given, axis=-2)
    n_labels = added(given)
    # Ordered pairs of labels that differ, each item's divided by its labels less one.
    observed = added(s.items * s.labels - ratio(s.agreeing, s.labels - 1))
    expected = n_labels * n_labels - added(given * given)
    return 1 - ratio((n_labels - 1) * observed, expected)


def squared_distances(metric: Metric | ArrayLike, n_categories: int, values: list[float] | None, exact: bool) -> Array:
    """Squared distances of the categories, shape (C, C), for a metric that does not depend on the data."""
    if not isinstance(metric, str):
        own = finite_of(metric, "metric")
        if own.shape != (n_categories, n_categories):
            raise _refused(f"the distances have shape {own.shape}, not {(n_categories, n_categories)}")
        own = as_exact(own)
        if (own < 0).any() or (own != own.T).any() or np.diagonal(own).any():
            raise _refused("distances are 0 on the diagonal, symmetric and not negative")
        return own if exact else own.astype(np.float64)
    v = category_values(values, n_categories)
    if metric == "ratio" and min(v) < 0:
        raise _refused("the ratio metric needs values that are not negative")
    cells = range(n_categories)
    pairs: list[list[Any]]
    if metric == "nominal":
        pairs = [[int(i != j) for j in cells] for i in cells]
    elif metric == "interval":
        pairs = [[(v[i] - v[j]) ** 2 for j in cells] for i in cells]
    elif metric == "ratio":
        pairs = [[ratio_distance(i, j, v) for j in cells] for i in cells]
    else:
        raise _refused(f"metric '{metric}' is unknown; use nominal, ordinal, interval or ratio")
    return np.array(pairs, dtype=object if exact else np.float64)


def _observed(
    vectors: Array, times: Array, scale: Array, metric: Metric | ArrayLike, values: list[float] | None
) -> tuple[Array, Array]:
    """Distances summed over the ordered label pairs of each item, divided by its labels less one; and the labels.

    scale: the items whose category use makes the ordinal metric.
    """
    labels = vectors.sum(axis=1)
    sizes = sorted({m for m in labels.tolist() if m >= 2})
    shape = times.shape[:-1]
    observed = np.zeros(shape, dtype=times.dtype)
    if isinstance(metric, str) and metric == "ordinal":
        ranks = _centred_ranks(_used(vectors, scale))
        for m in sizes:
            observed = observed + ratio(_spread(vectors[labels == m], times[..., labels == m], ranks, m), m - 1)
    else:
        distances = squared_distances(metric, vectors.shape[1], values, vectors.dtype == object)
        apart = ((vectors @ distances) * vectors).sum(axis=1)[:, None]
        for m in sizes:
            observed = observed + ratio(summed(times, apart, labels == m)[..., 0], m - 1)
    return observed, added(_used(vectors, times))


def _expected(
    vectors: Array, times: Array, metric: Metric | ArrayLike, values: list[float] | None
) -> tuple[Array, Array]:
    """Distances summed over all ordered pairs of labels of all items with two or more, and how many labels."""
    used = _used(vectors, times)
    n_labels = added(used)
    if isinstance(metric, str) and metric == "ordinal":
        ranks = _centred_ranks(used)  # their mean over labels is 0, so no square of a sum is left to take off
        return 2 * n_labels * added(used * ranks * ranks), n_labels
    distances = squared_distances(metric, vectors.shape[1], values, vectors.dtype == object)
    return added(np.einsum("...k,kl->...l", used, distances) * used), n_labels


def _used(vectors: Array, times: Array) -> Array:
    """How often each category is used on items with two or more labels, shape (..., C)."""
    return summed(times, vectors, vectors.sum(axis=1) >= 2)


def _centred_ranks(used: Array) -> Array:
    """Each category's mean rank among all labels, less the overall mean: ordinal distance is their difference."""
    total = added(used)[..., None]
    return ratio(2 * np.cumsum(used, axis=-1) - used - total, 2)


def _spread(vectors: Array, times: Array, ranks: Array, m: float) -> Array:
    """Squared rank differences over ordered label pairs, summed over items with m labels, shape (...)."""
    n_vectors, c = vectors.shape
    if times.ndim > 1 and n_vectors * c * c > _CELLS_AT_ONCE:
        whole = np.broadcast_shapes(times.shape[:-1], ranks.shape[:-1])
        each_times = np.broadcast_to(times, (*whole, n_vectors)).reshape(-1, n_vectors)
        each_ranks = np.broadcast_to(ranks, (*whole, c)).reshape(-1, c)
        rows = [_spread(vectors, t, r, m) for t, r in zip(each_times, each_ranks, strict=True)]
        return np.array(rows).reshape(whole)
    if times.ndim == 1:
        squares = (vectors * times[:, None]).T @ vectors
    else:
        products = (vectors[:, :, None] * vectors[:, None, :]).reshape(n_vectors, c * c)
        squares = summed(times, products).reshape(*times.shape[:-1], c, c)
    single = added(summed(times, vectors) * ranks * ranks)
    crossed = (ranks[..., :, None] * squares * ranks[..., None, :]).sum(axis=(-2, -1))
    return np.asarray(2 * (m * single - crossed))


def _refused(message: str) -> ConfigError:
    fix = "Give nominal, ordinal, interval or ratio, or a matrix of squared distances."
    return ConfigError("alpha's metric cannot be used", [Problem("metric-cannot-be-used", message, fix)])
