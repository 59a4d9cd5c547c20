"""The interval of specific agreement and its kin: a beta interval at the sample size the data are worth.

Specific agreement of a category is 2p / (1 + p) with p a ratio of two sums over items, sum y / sum z. For two
annotators p is joint / union positives, and given the union positives the joint ones are binomial: the interval is then
Clopper and Pearson's (1934, Biometrika 26:404-413). In general the linearised variance V of the ratio gives an
effective sample size n_eff = p(1 - p) / V, and the same beta quantiles are taken at that size (Korn and Graubard 1998,
Survey Methodology 24:193-201).

With three annotators or more V is estimated apart from p, and a sample in which nobody happened to agree much shows
little of the variance there is: an upper bound made from it alone lay too low in up to 9 % of studies (20 union
positives). So the upper bound on independent items is made with one more item, flagged by all, as Clopper and Pearson's
is made with one more success: see `upper_with_one_more`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.inputs import as_counts, check_between, multiplicity_of, numbers_of, refuse
from agreement.rounding import GRID, ceil_text, floor_text, grid_text

Floats = NDArray[np.float64]
Form = Literal["share", "specific"]  # p itself, or 2p / (1 + p)

# Up to this many trials a rounded bound is checked in integers; above, a float is right to far more than four places.
EXACT_TRIALS = 2_000


@dataclass(frozen=True)
class BetaInterval:
    """An interval, unrounded and rounded outward to four places.

    lower, upper: floats; None where there is no interval, and then `why` says why.
    lower_text, upper_text: the same rounded outward, as the gate compares and a report shows them.
    n_eff: how many independent two-label items the data are worth. p: the ratio on whose scale the bounds were made.
    """

    lower: float | None
    upper: float | None
    lower_text: str | None
    upper_text: str | None
    n_eff: float | None
    p: float | None
    why: str = "ok"


def specific_interval(
    n_positive: ArrayLike,
    n_labels: ArrayLike,
    multiplicity: ArrayLike | None = None,
    *,
    alpha: Fraction = Fraction(1, 20),
    clusters: ArrayLike | None = None,
    cells: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> BetaInterval:
    """The interval of specific agreement of one category, for any number of annotators.

    n_positive, n_labels: shape (U,). Labels in the category, and labels, of an item. multiplicity: shape (U,).
    alpha: what both sides together may miss, such as 1/20.
    clusters: shape (U,). Items of one cluster are not independent: their residuals are summed first.
    cells, weights: shape (U,). Items drawn at different rates: residuals are centred within each cell.

    With r of m labels, y = r(r - 1) and z = 2r(m - 1) - y, so items nobody flagged never enter. None if no paired item
    was flagged, if the flagged items lie in a single cluster, or if a cell has a single paired item.
    """
    n_positive, n_labels = as_counts(n_positive, "n_positive"), as_counts(n_labels, "n_labels")
    if n_positive.shape != n_labels.shape or (n_positive > n_labels).any():
        refuse("n_positive", "and n_labels must be of one shape, and no item more positive labels than labels")
    y, z = specific_terms(n_positive, n_labels)
    _, most = specific_terms(n_labels, n_labels)
    paired = np.asarray(n_labels) >= 2
    return ratio_interval(
        y,
        z,
        multiplicity,
        form="specific",
        alpha=alpha,
        clusters=clusters,
        cells=cells,
        weights=weights,
        enters=paired,
        most=most,
    )


def specific_terms(n_positive: ArrayLike, n_labels: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """y and z of each item, of any equal shape. Both are zero for an item with fewer than two labels."""
    r, m = np.asarray(n_positive, dtype=np.int64), np.asarray(n_labels, dtype=np.int64)
    y = np.where(m >= 2, r * (r - 1), 0)
    return y, np.where(m >= 2, 2 * r * (m - 1) - y, 0)


def ratio_interval(
    y: ArrayLike,
    z: ArrayLike,
    multiplicity: ArrayLike | None = None,
    *,
    form: Form = "share",
    alpha: Fraction = Fraction(1, 20),
    clusters: ArrayLike | None = None,
    cells: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    enters: ArrayLike | None = None,
    most: ArrayLike | None = None,
) -> BetaInterval:
    """The interval of p = sum wy / sum wz, 0 <= y <= z per item; all arrays of shape (U,).

    enters: bool. Which items belong to the figure at all, for centring in cells; default those with z > 0.
    most: z of an item with as many labels that are all positive, so that y = z; default z.
    Two outcomes per item (y is 0 or z, one z for all), no clusters or weights: Clopper-Pearson, proved in integers.
    """
    check_between("alpha", alpha)
    y, z = numbers_of(y, "y"), numbers_of(z, "z")
    if y.shape != z.shape or y.ndim != 1 or not ((y >= 0) & (y <= z)).all():
        refuse("y", "and z must be of one shape (U,), with 0 <= y <= z for every item")
    counts = multiplicity_of(multiplicity, len(y))
    keep = (counts > 0) & (np.asarray(enters, dtype=bool) if enters is not None else z > 0)
    if not (keep & (z > 0)).any():
        return _none("undefined: nothing to divide by")
    y, z, counts = y[keep], z[keep], counts[keep]
    w = np.ones_like(y) if weights is None else np.asarray(weights, dtype=float)[keep]
    if clusters is None and weights is None and _binomial(y, z):
        trials, hits = int(counts[z > 0].sum()), int(counts[y > 0].sum())
        return binomial_interval(hits, trials, alpha, form)
    groups = None if clusters is None else np.asarray(clusters)[keep]
    strata = None if cells is None else np.asarray(cells)[keep]
    found = _linearised(y, z, counts, w, groups, strata, alpha, form)
    if groups is not None or strata is not None or weights is not None:
        return found
    all_positive = z if most is None else np.asarray(most, dtype=float)[keep]
    upper = to_form(float(upper_with_one_more(y, z, counts, all_positive, float(alpha) / 2)), form)
    return replace(found, upper=upper, upper_text=ceil_text(upper))


def _binomial(y: Floats, z: Floats) -> bool:
    sizes = np.unique(z[z > 0])
    return len(sizes) == 1 and bool(np.isin(y, (0.0, sizes[0])).all())


def _linearised(
    y: Floats,
    z: Floats,
    counts: Floats,
    w: Floats,
    clusters: NDArray[np.int64] | None,
    cells: NDArray[np.int64] | None,
    alpha: Fraction,
    form: Form,
) -> BetaInterval:
    bottom = float((counts * w * z).sum())
    p = float((counts * w * y).sum()) / bottom
    residuals = w * (y - p * z)
    # A cluster without a single positive says nothing here, as a negative item does not; so it is not counted.
    n_clusters = 0 if clusters is None else len(np.unique(clusters[z > 0]))
    if n_clusters == 1:
        return _none("undefined: all positives lie in one cluster")
    spread = _sum_of_squares(residuals, counts, clusters, cells, n_clusters)
    if spread is None:
        return _none("undefined: a cell with a single unit has no variance")
    t_factor = cluster_factor(n_clusters, alpha) if n_clusters else 1.0
    n_eff = effective_size(p, spread / bottom**2, counts[z > 0], w[z > 0]) * t_factor
    lower, upper = beta_bounds(p, n_eff, float(alpha) / 2)
    lower, upper = to_form(lower, form), to_form(upper, form)
    return BetaInterval(lower, upper, floor_text(lower), ceil_text(upper), n_eff, p)


def _sum_of_squares(
    residuals: Floats,
    counts: Floats,
    clusters: NDArray[np.int64] | None,
    cells: NDArray[np.int64] | None,
    n_clusters: int,
) -> float | None:
    """Sum over independent units of the squared residual, in cells and clusters; None if a cell has one unit."""
    if clusters is not None:
        labels = clusters[:, None] if cells is None else np.stack([cells, clusters], axis=1)
        units, unit = np.unique(labels, axis=0, return_inverse=True)
        totals = np.zeros(len(units))
        np.add.at(totals, unit.ravel(), residuals * counts)
        residuals, counts = totals, np.ones_like(totals)
        cells = None if cells is None else units[:, 0]
    if cells is None:
        factor = n_clusters / (n_clusters - 1) if clusters is not None else 1.0
        return float((counts * residuals**2).sum()) * factor
    spreads = cell_spreads(residuals, counts, cells)
    return None if None in spreads.values() else sum(filter(None, spreads.values()))


def cell_spreads(residuals: Floats, counts: Floats, cells: NDArray[np.int64]) -> dict[int, float | None]:
    """Per cell the sum of squares about the cell's mean, times n / (n - 1); None for a cell with a single unit."""
    spreads: dict[int, float | None] = {}
    for cell in np.unique(cells).tolist():
        n, e = counts[cells == cell], residuals[cells == cell]
        size = n.sum()
        centred = e - (n * e).sum() / size
        spreads[cell] = float((n * centred**2).sum() * size / (size - 1)) if size > 1 else None
    return spreads


def effective_size(p: float, variance: float, counts: Floats, weights: Floats) -> float:
    """p(1 - p) / V; where V is 0, the items that enter (weighted by Kish 1965: squared sum over sum of squares)."""
    if variance > 1e-15:  # what is left of a sum of squares that is exactly zero
        return p * (1 - p) / variance
    return float((counts * weights).sum() ** 2 / (counts * weights**2).sum())


def cluster_factor(n_clusters: int, alpha: Fraction) -> float:
    """(z / t)**2: how much less a variance estimated from few clusters is worth. 1 for many."""
    from scipy.special import stdtrit  # scipy costs a second to import and only clusters need a t

    tail = 1 - float(alpha) / 2
    return float((NormalDist().inv_cdf(tail) / stdtrit(n_clusters - 1, tail)) ** 2)


def beta_bounds(p: float, n: float, tail: float) -> tuple[float, float]:
    """Beta quantiles for a share p of n trials, n need not be whole; `tail` may lie beyond each bound."""
    from scipy.special import betaincinv  # scipy costs a second to import and reading commands do without

    lower = 0.0 if p <= 0 else float(betaincinv(p * n, (1 - p) * n + 1, tail))
    upper = 1.0 if p >= 1 else float(betaincinv(p * n + 1, (1 - p) * n, 1 - tail))
    return lower, upper


def upper_with_one_more(y: ArrayLike, z: ArrayLike, counts: ArrayLike, most: ArrayLike, tail: float) -> Floats:
    """The upper bound of p = sum y / sum z over independent, unweighted items: shape (...).

    y, z, most: shape (U,), as in `ratio_interval`. counts: shape (..., U), items of each kind, one with z > 0 or more.
    tail: what may lie beyond the bound.

    One item more, whose labels are all positive and as many as those of the flagged items on average; then the beta
    distribution with the mean and the linearised variance of that larger sample. Where y is 0 or z this is Clopper and
    Pearson's bound, beta(hits + 1, misses). It follows Gaffke (2005, Mathematical Methods of Statistics 14:451-467),
    who bounds a mean by random weights on the sample and its greatest possible value; the beta with two moments of it
    needs no draws.
    """
    from scipy.special import betaincinv  # scipy costs a second to import and reading commands do without

    y, z, most = (np.asarray(a, dtype=float) for a in (y, z, most))
    counts = np.asarray(counts, dtype=float)
    one_more = counts @ np.where(z > 0, most, 0) / (counts @ (z > 0))
    bottom = counts @ z + one_more
    p = (counts @ y + one_more) / bottom
    squares = (counts * (y - p[..., None] * z) ** 2).sum(axis=-1) + (one_more * (1 - p)) ** 2
    certain = squares <= 1e-15 * bottom**2  # every label of every flagged item is positive
    n = p * (1 - p) * bottom**2 / np.where(certain, 1, squares)
    bound = betaincinv(np.where(certain, 1, p * n), np.where(certain, 1, (1 - p) * n), 1 - tail)
    return np.asarray(np.where(certain, 1.0, bound))


def to_form(p: float, form: Form) -> float:
    """From the scale of p to that of the statistic."""
    return p if form == "share" else 2 * p / (1 + p)


@lru_cache(maxsize=100_000)
def binomial_interval(hits: int, trials: int, alpha: Fraction, form: Form = "share") -> BetaInterval:
    """Clopper-Pearson; the bounds rounded outward are proved by binomial tails in integers up to EXACT_TRIALS."""
    p = hits / trials
    low, high = (to_form(bound, form) for bound in beta_bounds(p, trials, float(alpha) / 2))
    lower_text, upper_text = floor_text(low), ceil_text(high)
    if trials <= EXACT_TRIALS:
        lower_text = _proved_lower(hits, trials, alpha / 2, form, lower_text)
        upper_text = _proved_upper(hits, trials, alpha / 2, form, upper_text)
    return BetaInterval(low, high, lower_text, upper_text, float(trials), p)


def _proved_lower(hits: int, trials: int, tail: Fraction, form: Form, guess: str) -> str:
    """The largest grid value d with P(X >= hits | d) <= tail."""

    def holds(step: int) -> bool:
        return step <= 0 or tail_at_least(hits, trials, _p_at(step, form)) <= tail

    return grid_text(_last_true(holds, _steps(guess)))


def _proved_upper(hits: int, trials: int, tail: Fraction, form: Form, guess: str) -> str:
    """The smallest grid value d with P(X <= hits | d) <= tail."""

    def holds(step: int) -> bool:
        at_most = tail_at_least(trials - hits, trials, 1 - _p_at(GRID - step, form)) if step > 0 else Fraction(0)
        return step <= 0 or at_most <= tail

    return grid_text(GRID - _last_true(holds, GRID - _steps(guess)))


def _last_true(holds: Callable[[int], bool], guess: int) -> int:
    """The largest step for which `holds`, true up to it and false after; `guess` is at most a few steps off."""
    while holds(guess + 1) and guess < GRID:
        guess += 1
    while not holds(guess):
        guess -= 1
    return guess


def _p_at(step: int, form: Form) -> Fraction:
    value = Fraction(step, GRID)
    return value if form == "share" else value / (2 - value)


def _steps(text: str) -> int:
    return int(Fraction(text) * GRID)


def tail_at_least(hits: int, trials: int, p: Fraction) -> Fraction:
    """P(X >= hits) for X binomial(trials, p), exactly."""
    a, whole = p.numerator, p.denominator
    b = whole - a
    if hits <= 0:
        return Fraction(1)
    if b == 0:
        return Fraction(1)
    term = a**trials  # X = trials, then downwards
    total, x = term, trials
    while x > hits:
        term = term * x * b // ((trials - x + 1) * a) if a else 0
        total, x = total + term, x - 1
    return Fraction(total, whole**trials)


def _none(why: str) -> BetaInterval:
    return BetaInterval(None, None, None, None, None, None, why)
