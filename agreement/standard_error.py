"""Standard errors in closed form, each with its source. They serve where resampling is not wanted or too dear.

`influences` says how far each item moves a coefficient, to first order. Its mean square over the items gives the
linearised standard error. Gwet's published formula treats items with one label differently; it is kept apart.
"""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from agreement.alpha import Metric, squared_distances
from agreement.conger import conger_expected, given_by_annotator
from agreement.counts import vectors_of_codes, vectors_of_pairs
from agreement.exact import Array
from agreement.inputs import check_between, check_one_of, codes_of, multiplicity_of, refuse, square_counts
from agreement.resample import Interval
from agreement.totals import agreeing_pairs, checked
from agreement.weights import Weights, agreement_weights

Coefficient = Literal[
    "percent_agreement", "percent_agreement_pooled_pairs", "fleiss_kappa", "gwet_ac", "brennan_prediger"
]


def cohen_kappa_standard_error(
    pair_counts: ArrayLike,
    weights: Weights = "identity",
    values: list[float] | None = None,
    *,
    null: bool = False,
) -> float:
    """Large-sample standard error of Cohen's kappa, plain or weighted (Fleiss, Cohen, Everitt 1969).

    pair_counts: shape (C, C). null: the one that holds if true kappa is 0; for a test, not for an interval.
    nan where kappa is undefined.
    """
    table = square_counts(pair_counts)
    if table.ndim != 2:
        refuse("pair_counts", f"has shape {table.shape}; a standard error is of one table, (C, C)")
    n = float(table.sum())
    if n == 0:
        return math.nan
    p = table / n
    w = agreement_weights(weights, len(table), values)
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    observed, expected = float((w * p).sum()), float(rows @ w @ columns)
    if expected == 1:
        return math.nan
    margins = (w @ columns)[:, None] + (rows @ w)[None, :]
    if null:
        spread = float((np.outer(rows, columns) * (w - margins) ** 2).sum()) - expected**2
        return math.sqrt(max(spread, 0) / n) / (1 - expected)
    squares = float((p * (w * (1 - expected) - margins * (1 - observed)) ** 2).sum())
    spread = squares - (observed * expected - 2 * expected + observed) ** 2
    return math.sqrt(max(spread, 0) / n) / (1 - expected) ** 2


def fleiss_null_standard_error(count_vectors: ArrayLike, multiplicity: ArrayLike | None = None) -> float:
    """Standard error of Fleiss' kappa if the true kappa is 0 (Fleiss, Nee, Landis 1979). For a test, not an interval.

    nan unless every item has the same number of labels, two or more, and two categories are used.
    """
    vectors, times = checked(count_vectors, multiplicity)
    sizes = np.unique(vectors[times > 0].sum(axis=1))
    if len(sizes) != 1 or sizes[0] < 2:
        return math.nan
    m, n = float(sizes[0]), float(times.sum())
    p = times @ vectors / (n * m)
    q = 1 - p
    spread = float((p * q).sum())
    if spread == 0:
        return math.nan
    return math.sqrt(2 / (n * m * (m - 1)) * (spread**2 - float((p * q * (q - p)).sum()))) / spread


def linearised_standard_error(
    coefficient: Coefficient,
    count_vectors: ArrayLike,
    multiplicity: ArrayLike | None = None,
    weights: Weights | None = None,
    values: list[float] | None = None,
) -> float:
    """First-order standard error over items (the delta method; divisor n - 1).

    n is the items with a label. nan where the coefficient is undefined or n < 2.
    """
    _, times = checked(count_vectors, multiplicity)
    return _root_mean_square(influences(coefficient, count_vectors, multiplicity, weights, values), times)


def gwet_standard_error(
    coefficient: Coefficient,
    count_vectors: ArrayLike,
    multiplicity: ArrayLike | None = None,
    weights: Weights | None = None,
    values: list[float] | None = None,
) -> float:
    """Standard error as printed by Gwet (2014) and computed by irrCAC, to compare with those.

    It is `linearised_standard_error` where every item has two labels. An item with one label counts here as if it
    said the coefficient is 0, which makes the figure larger than jackknife and bootstrap.
    """
    vectors, times = checked(count_vectors, multiplicity)
    moves = influences(coefficient, count_vectors, multiplicity, weights, values)
    return _root_mean_square(
        _as_gwet(moves, vectors, times, _value(coefficient, vectors, times, weights, values)), times
    )


def pair_standard_error(
    coefficient: Coefficient,
    pair_counts: ArrayLike,
    weights: Weights | None = None,
    values: list[float] | None = None,
) -> float:
    """Standard error for two annotators (Gwet 2014, two-rater formulas; divisor n). For Scott's pi: "fleiss_kappa".

    irrCAC prints Scott's pi's also for Krippendorff's alpha.
    """
    vectors, times = vectors_of_pairs(pair_counts)
    n = float(times.sum())
    if n < 1:
        return math.nan
    moves = influences(coefficient, vectors, times, weights, values)
    return math.sqrt(float((times * moves**2)[times > 0].sum())) / n


def alpha_standard_error(
    count_vectors: ArrayLike,
    multiplicity: ArrayLike | None = None,
    metric: Metric | ArrayLike = "nominal",
    values: list[float] | None = None,
) -> float:
    """Infinitesimal jackknife of Krippendorff's alpha (Efron 1982): squared derivatives by each item's weight, summed.

    Not for the ordinal metric, which changes with the data itself (ValueError). Times n / (n - 1), n the items with a
    label. nan where alpha is undefined.
    """
    if isinstance(metric, str) and metric == "ordinal":
        raise ValueError("the ordinal metric depends on the labels, so this derivative does not hold for it")
    vectors, times = checked(count_vectors, multiplicity)
    distances = squared_distances(metric, vectors.shape[1], values, exact=False)
    labels = vectors.sum(axis=1)
    several = labels >= 2
    used = np.where(several[:, None], vectors, 0)
    given = times @ used
    n_labels, expected = given.sum(), float(given @ distances @ given)
    n_items = float(times[labels > 0].sum())
    if expected == 0 or n_items < 2:
        return math.nan
    apart = np.where(several, ((vectors @ distances) * vectors).sum(axis=1) / np.maximum(labels - 1, 1), 0)
    observed = float(times @ apart)
    more_labels = used.sum(axis=1)
    more_expected = 2 * used @ distances @ given
    slopes = (n_labels - 1) * apart + more_labels * observed - (n_labels - 1) * observed * more_expected / expected
    return float(np.sqrt(n_items / (n_items - 1) * (times * (slopes / expected) ** 2).sum()))


def conger_standard_error(
    codes: ArrayLike,
    multiplicity: ArrayLike | None = None,
    n_categories: int | None = None,
    weights: Weights | None = None,
    values: list[float] | None = None,
    *,
    gwet: bool = False,
) -> float:
    """Linearised standard error of Conger's kappa; gwet: as printed by Gwet (2014), see `gwet_standard_error`.

    Arguments as `conger_kappa`. nan where it is undefined.
    """
    matrix, c = codes_of(codes, n_categories)
    times = multiplicity_of(multiplicity, len(matrix))
    w = agreement_weights("identity" if weights is None else weights, c, values)
    vectors = vectors_of_codes(matrix, c).astype(np.float64)
    observed, observed_moves, n_items = _observed_moves(vectors, times, w)
    given = given_by_annotator(matrix, times, c)
    expected = float(conger_expected(given, w))
    labels = given.sum(axis=1)
    rates = given / np.maximum(labels, 1)[:, None]
    others = (rates.sum(axis=0) - rates) @ w
    rated = matrix >= 0
    own = np.take_along_axis(others.T, np.maximum(matrix, 0), axis=0) if c else np.zeros(matrix.shape)
    centred = np.where(rated, own - (rates * others).sum(axis=1), 0) * n_items / np.maximum(labels, 1)
    active = int((labels > 0).sum())
    kappa = (observed - expected) / (1 - expected) if expected < 1 else math.nan
    expected_moves = 2 * centred.sum(axis=1) / max(active * (active - 1), 1)
    moves = (
        (observed_moves - (1 - kappa) * expected_moves) / (1 - expected) if expected < 1 else observed_moves * math.nan
    )
    return _root_mean_square(
        _as_gwet(moves, vectors, times, kappa) if gwet else moves, np.where(vectors.any(axis=1), times, 0)
    )


def t_interval(value: float, standard_error: float, n_items: int, level: float = 0.95) -> Interval:
    """value -/+ t times the standard error, n - 1 degrees of freedom, the upper bound at most 1 (Gwet 2014)."""
    from scipy import special

    check_between("level", level)
    if math.isnan(standard_error) or n_items < 2:
        return Interval(None, None, "none: no standard error")
    reach = float(special.stdtrit(n_items - 1, (1 + level) / 2)) * standard_error
    return Interval(value - reach, min(1.0, value + reach), "linearised")


def influences(
    coefficient: Coefficient,
    count_vectors: ArrayLike,
    multiplicity: ArrayLike | None = None,
    weights: Weights | None = None,
    values: list[float] | None = None,
) -> Array:
    """How far one item of each vector moves the coefficient, times n, shape (U,). Its mean over items is 0.

    coefficient: "gwet_ac" is AC1, with weights AC2. nan where the coefficient is undefined.
    """
    check_one_of("coefficient", coefficient, get_args(Coefficient))
    vectors, times = checked(count_vectors, multiplicity)
    c = vectors.shape[1]
    w = agreement_weights("identity" if weights is None else weights, c, values)
    if coefficient == "percent_agreement_pooled_pairs":
        return _pooled_moves(vectors, times, w)
    observed, observed_moves, n_items = _observed_moves(vectors, times, w)
    if coefficient == "percent_agreement":
        return observed_moves
    labels = vectors.sum(axis=1)
    shares = vectors / np.maximum(labels, 1)[:, None]
    rates = np.where(labels > 0, times, 0) @ shares / max(n_items, 1)
    expected, slopes = _expected_and_slopes(coefficient, rates, w)
    if not expected < 1:
        return np.full(len(vectors), np.nan)
    value = (observed - expected) / (1 - expected)
    expected_moves = np.where(labels > 0, (shares - rates) @ slopes, 0)
    return np.asarray((observed_moves - (1 - value) * expected_moves) / (1 - expected))


def _expected_and_slopes(coefficient: Coefficient, rates: Array, w: Array) -> tuple[float, Array]:
    """Chance agreement at these category rates, and its derivative by each rate (up to a constant)."""
    c = len(rates)
    if coefficient == "fleiss_kappa":
        return float(rates @ w @ rates), (w + w.T) @ rates
    if coefficient == "gwet_ac":
        scale = w.sum() / (c * (c - 1)) if c > 1 else math.nan
        return float(scale * (rates * (1 - rates)).sum()), scale * (1 - 2 * rates)
    return float(w.sum() / c**2), np.zeros(c)


def _observed_moves(vectors: Array, times: Array, w: Array) -> tuple[float, Array, float]:
    labels = vectors.sum(axis=1)
    several = labels >= 2
    n_items, n_paired = float(times[labels > 0].sum()), float(times[several].sum())
    if n_paired == 0:
        return math.nan, np.full(len(vectors), np.nan), n_items
    agreement = np.where(several, agreeing_pairs(vectors, w) / np.maximum(labels * (labels - 1), 1), 0)
    observed = float(times[several] @ agreement[several]) / n_paired
    return observed, np.where(several, n_items / n_paired * (agreement - observed), 0), n_items


def _pooled_moves(vectors: Array, times: Array, w: Array) -> Array:
    labels = vectors.sum(axis=1)
    agreeing, pairs = agreeing_pairs(vectors, w), labels * (labels - 1)
    all_pairs = float(times @ pairs)
    if all_pairs == 0:
        return np.full(len(vectors), np.nan)
    return np.asarray(float(times[labels > 0].sum()) / all_pairs * (agreeing - times @ agreeing / all_pairs * pairs))


def _value(
    coefficient: Coefficient, vectors: Array, times: Array, weights: Weights | None, values: list[float] | None
) -> float:
    w = agreement_weights("identity" if weights is None else weights, vectors.shape[1], values)
    observed, _, n_items = _observed_moves(vectors, times, w)
    labels = vectors.sum(axis=1)
    rates = np.where(labels > 0, times, 0) @ (vectors / np.maximum(labels, 1)[:, None]) / max(n_items, 1)
    expected = 0.0 if coefficient == "percent_agreement" else _expected_and_slopes(coefficient, rates, w)[0]
    return (observed - expected) / (1 - expected) if expected < 1 else math.nan


def _as_gwet(moves: Array, vectors: Array, times: Array, value: float) -> Array:
    """Gwet centres agreement over all items, so an item with one label stands at minus the coefficient."""
    labels = vectors.sum(axis=1)
    n_items, n_paired = float(times[labels > 0].sum()), float(times[labels >= 2].sum())
    share = n_items / n_paired if n_paired else math.nan
    return np.asarray(moves + np.where(labels >= 2, (share - 1) * value, np.where(labels > 0, -value, 0)))


def _root_mean_square(moves: Array, times: Array) -> float:
    n = float(times.sum())
    if n < 2:
        return math.nan
    return math.sqrt(float((times * moves**2)[times > 0].sum()) / (n * (n - 1)))
