"""Specific agreement: given that one annotator says a category, how often another does. And its kin.

All take count vectors of shape (U, C) (how many annotators gave each category) and `multiplicity` of shape (..., U)
(how many items have each vector, default one); results keep the leading axes and are nan where undefined. Given counts
as fractions (`agreement.exact.exactly`) they give fractions.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agreement.exact import Array, as_exact, ratio
from agreement.flags import Flags
from agreement.inputs import multiplicity_of, positive_of, square_counts, vectors_of
from agreement.patterns import Patterns
from agreement.totals import checked, summed
from agreement.weights import Weights, agreement_weights


def specific_agreement(
    count_vectors: ArrayLike,
    multiplicity: ArrayLike | None = None,
    weights: Weights | None = None,
    values: list[float] | None = None,
) -> Array:
    """Agreement on each category, for any number of annotators, ragged or not. Shape (..., C).

    sum_i r_ik (r*_ik - 1) / sum_i r_ik (r_i - 1), with r_ik labels k among the r_i of item i, and
    r*_ik = sum_l w_kl r_il (r_ik itself without weights). Two annotators, no weights: 2a / (2a + b + c), which is F1.

    weights, values: as in `agreement_weights`: what agreement between category k (row) and l is worth.

    nan for a category that nobody used on an item with two labels.

    Source: Uebersax 1982, Educ Psychol Meas 42:181-183; Cicchetti and Feinstein 1990, J Clin Epidemiol 43:551-558.

    >>> specific_agreement(np.array([[2, 0], [1, 1], [0, 2]]), np.array([6, 35, 459])).round(4).tolist()
    [0.2553, 0.9633]
    """
    vectors, times = checked(count_vectors, multiplicity)
    partners = vectors
    if weights is not None:
        exact = vectors.dtype == object
        partners = vectors @ agreement_weights(weights, vectors.shape[1], values, exact=exact).T
    n_labels = vectors.sum(axis=-1, keepdims=True)
    agreeing = vectors * (partners - 1)
    possible = vectors * (n_labels - 1)
    return ratio(summed(times, agreeing), summed(times, possible))


def positive_specific_agreement(
    count_vectors: ArrayLike, positive: ArrayLike, multiplicity: ArrayLike | None = None
) -> Array:
    """Specific agreement on the positive categories taken as one. Shape (...).

    positive: bool, shape (C,). nan if no paired item was flagged.
    """
    return specific_agreement(collapse(count_vectors, positive), multiplicity)[..., 0]


def negative_specific_agreement(
    count_vectors: ArrayLike, positive: ArrayLike, multiplicity: ArrayLike | None = None
) -> Array:
    """Specific agreement on everything that is not positive, taken as one. Shape (...). nan if it never occurs."""
    return specific_agreement(collapse(count_vectors, positive), multiplicity)[..., 1]


def collapse(count_vectors: ArrayLike, positive: ArrayLike) -> Array:
    """Count vectors of shape (U, 2): positive labels, other labels."""
    vectors = vectors_of(count_vectors)
    mask = positive_of(positive, vectors.shape[1])
    return np.stack([vectors[..., mask].sum(axis=-1), vectors[..., ~mask].sum(axis=-1)], axis=-1)


def union_positives(count_vectors: ArrayLike, positive: ArrayLike, multiplicity: ArrayLike | None = None) -> Array:
    """Paired items flagged by at least one annotator. Shape (...)."""
    flagged, n_labels = _flagged(count_vectors, positive)
    return _total(_ones((n_labels >= 2) & (flagged > 0), flagged), multiplicity)


def joint_positives(count_vectors: ArrayLike, positive: ArrayLike, multiplicity: ArrayLike | None = None) -> Array:
    """Paired items flagged by everyone who labelled them. Shape (...)."""
    flagged, n_labels = _flagged(count_vectors, positive)
    return _total(_ones((n_labels >= 2) & (flagged == n_labels), flagged), multiplicity)


def paired_items(count_vectors: ArrayLike, multiplicity: ArrayLike | None = None) -> Array:
    """Items with two labels or more. Shape (...)."""
    vectors = vectors_of(count_vectors)
    n_labels = vectors.sum(axis=-1)
    return _total(_ones(n_labels >= 2, n_labels), multiplicity)


def jaccard(count_vectors: ArrayLike, positive: ArrayLike, multiplicity: ArrayLike | None = None) -> Array:
    """Joint positives among union positives (Jaccard 1912). Shape (...). nan if no paired item was flagged."""
    return ratio(
        joint_positives(count_vectors, positive, multiplicity),
        union_positives(count_vectors, positive, multiplicity),
    )


def contested_share(count_vectors: ArrayLike, positive: ArrayLike, multiplicity: ArrayLike | None = None) -> Array:
    """Share of the union positives that somebody did not flag: 1 - jaccard. Shape (...). nan if there are none."""
    return 1 - jaccard(count_vectors, positive, multiplicity)


def union_positive_rate(count_vectors: ArrayLike, positive: ArrayLike, multiplicity: ArrayLike | None = None) -> Array:
    """Share of paired items flagged by at least one. Shape (...). nan if nothing is paired."""
    return ratio(union_positives(count_vectors, positive, multiplicity), paired_items(count_vectors, multiplicity))


def joint_positive_rate(count_vectors: ArrayLike, positive: ArrayLike, multiplicity: ArrayLike | None = None) -> Array:
    """Share of paired items flagged by all who labelled them. Shape (...). nan if nothing is paired."""
    return ratio(joint_positives(count_vectors, positive, multiplicity), paired_items(count_vectors, multiplicity))


def positive_share(count_vectors: ArrayLike, positive: ArrayLike, multiplicity: ArrayLike | None = None) -> Array:
    """Mean over paired items of the share of an item's labels that are positive. Shape (...). nan if none is paired."""
    flagged, n_labels = _flagged(count_vectors, positive)
    paired = _ones(n_labels >= 2, n_labels)
    share = ratio(flagged * paired, n_labels + (1 - paired))
    return ratio(_total(share, multiplicity), _total(paired, multiplicity))


def chance_positive_specific_agreement(pair_counts: ArrayLike, positive: ArrayLike) -> Array:
    """The positive specific agreement of two annotators who flag at these rates independently: 2 q1 q2 / (q1 + q2).

    pair_counts: shape (..., C, C). Result of shape (...). nan if neither flags anything or nothing is paired.
    """
    first, second = _flag_rates(pair_counts, positive)
    return ratio(2 * first * second, first + second)


def never_flags_agreement(pair_counts: ArrayLike, positive: ArrayLike) -> Array:
    """Raw agreement an annotator who never flags would reach with the first and with the second. Shape (..., 2)."""
    return 1 - np.stack(_flag_rates(pair_counts, positive), axis=-1)


def flagged_by(flags: Flags) -> Array:
    """Items by how many labels they have (row) and how many of those are positive. Shape (M + 1, M + 1)."""
    size = int(flags.n_labels.max(initial=0)) + 1
    table = np.zeros((size, size), dtype=np.int64)
    np.add.at(table, (flags.n_labels, flags.n_positive), flags.multiplicity)
    return table


class PairAgreement(NamedTuple):
    """Positive specific agreement of one pair of annotators on the items both labelled."""

    first: str
    second: str
    value: Fraction | None
    union_positives: int
    paired_items: int


def pair_agreements(patterns: Patterns, positive: ArrayLike) -> list[PairAgreement]:
    """Every pair of annotators that shares an item, in roster order."""
    # The last entry answers for the codes below zero.
    mask = np.append(positive_of(positive, len(patterns.categories)), False)
    labelled = patterns.codes >= 0
    flagged = mask[np.where(labelled, patterns.codes, -1)]
    pairs = []
    for a, b in combinations(range(len(patterns.annotators)), 2):
        shared = labelled[:, a] & labelled[:, b]
        n_paired = int(patterns.multiplicity[shared].sum())
        union = int(patterns.multiplicity[shared & (flagged[:, a] | flagged[:, b])].sum())
        joint = int(patterns.multiplicity[shared & flagged[:, a] & flagged[:, b]].sum())
        value = Fraction(2 * joint, joint + union) if union else None
        if n_paired:
            pairs.append(PairAgreement(patterns.annotators[a], patterns.annotators[b], value, union, n_paired))
    return pairs


def lowest_pair(patterns: Patterns, positive: ArrayLike) -> PairAgreement | None:
    """The pair that agrees least on positives; None if no pair flagged a shared item. Ties go to roster order."""
    defined = [pair for pair in pair_agreements(patterns, positive) if pair.value is not None]
    return min(defined, key=lambda pair: pair.value or Fraction(0)) if defined else None


def _flagged(count_vectors: ArrayLike, positive: ArrayLike) -> tuple[Array, Array]:
    two = collapse(count_vectors, positive)
    return two[..., 0], two.sum(axis=-1)


def _flag_rates(pair_counts: ArrayLike, positive: ArrayLike) -> tuple[Array, Array]:
    table = square_counts(pair_counts)
    mask = positive_of(positive, table.shape[-1])
    n_items = table.sum(axis=(-2, -1))
    first = table.sum(axis=-1)[..., mask].sum(axis=-1)
    second = table.sum(axis=-2)[..., mask].sum(axis=-1)
    return ratio(first, n_items), ratio(second, n_items)


def _ones(where: Array, like: Array) -> Array:
    ones = np.asarray(where).astype(np.int64)
    return as_exact(ones) if like.dtype == object else ones.astype(np.float64)


def _total(terms: Array, multiplicity: ArrayLike | None) -> Array:
    """Sum over items of terms of shape (U,) or (U, C), by multiplicity of shape (..., U)."""
    times = multiplicity_of(multiplicity, len(terms), exact=terms.dtype == object)
    if terms.dtype == object or times.dtype == object:
        return np.asarray(as_exact(times) @ as_exact(terms))
    return np.asarray(times @ terms)
