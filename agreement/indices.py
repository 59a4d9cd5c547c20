"""Where agreement comes from: balance of categories, bias between two annotators, and single annotators' part in it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.counts import merge_vectors, vectors_of_codes
from agreement.exact import Array, Values, plain, ratio
from agreement.inputs import positive_of, refuse, square_counts
from agreement.patterns import Patterns


def prevalence_index(pair_counts: ArrayLike) -> Values:
    """Items both put in the first category less items both put in the second, over all (Byrt, Bishop, Carlin 1993).

    pair_counts: shape (..., 2, 2), the positive category first. From -1 to 1; near either end kappa is held down.
    nan if there is no common item. Cohen's kappa is (PABAK - PI**2 + BI**2) / (1 - PI**2 + BI**2).
    """
    table = _two_by_two(pair_counts)
    return plain(ratio(table[..., 0, 0] - table[..., 1, 1], table.sum(axis=(-2, -1))))


def bias_index(pair_counts: ArrayLike) -> Values:
    """The first annotator's rate of the first category less the second's (Byrt, Bishop, Carlin 1993).

    pair_counts: shape (..., 2, 2). nan if there is no common item.
    """
    table = _two_by_two(pair_counts)
    return plain(ratio(table[..., 0, 1] - table[..., 1, 0], table.sum(axis=(-2, -1))))


def collapsed_pairs(pair_counts: ArrayLike, positive: ArrayLike) -> Array:
    """The table with the positive categories as the first and all others as the second, shape (..., 2, 2).

    pair_counts: shape (..., C, C). positive: bool, shape (C,).
    """
    table = square_counts(pair_counts)
    side = positive_of(positive, table.shape[-1])
    groups = np.stack([side, ~side]).astype(np.int64)
    return np.asarray(groups @ table @ groups.T)


def leave_one_annotator_out(
    patterns: Patterns, statistic: Callable[[NDArray[np.int64], NDArray[np.int64]], float]
) -> dict[str, float]:
    """The statistic without each annotator in turn: who holds agreement down has the highest figure.

    statistic: a function of count vectors and their multiplicity. nan where it is undefined without that annotator.
    """
    n_categories = len(patterns.categories)
    figures = {}
    for position, name in enumerate(patterns.annotators):
        others = np.delete(patterns.codes, position, axis=1)
        figures[name] = float(statistic(*merge_vectors(vectors_of_codes(others, n_categories), patterns.multiplicity)))
    return figures


def _two_by_two(pair_counts: ArrayLike) -> Array:
    table = square_counts(pair_counts)
    if table.shape[-1] != 2:
        refuse("pair_counts", f"has shape {table.shape}; this index needs (..., 2, 2): collapse it first")
    return table
