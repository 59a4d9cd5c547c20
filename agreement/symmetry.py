"""Do two annotators use the categories equally often? Tests on the table of what both said."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.inputs import refuse, square_counts

_OUTCOMES_AT_MOST = 2_000_000


@dataclass(frozen=True)
class McNemar:
    """McNemar's test of a 2 x 2 table.

    first_only, second_only: items only one of the two put in the first category.
    chi2, chi2_corrected: (b - c)**2 / (b + c) and (|b - c| - 1)**2 / (b + c), one degree of freedom, with p values
        p_chi2 and p_chi2_corrected. nan if the two never differ.
    p_exact: two-sided binomial, for any size of sample. p_mid: the same less half the probability of what was seen.
        1 if the two never differ.
    """

    first_only: int
    second_only: int
    chi2: float
    chi2_corrected: float
    p_chi2: float
    p_chi2_corrected: float
    p_exact: float
    p_mid: float


@dataclass(frozen=True)
class StuartMaxwell:
    """Stuart-Maxwell test that two annotators have the same category rates.

    chi2: the statistic, with `degrees` of freedom and the p value p_chi2. nan if the two never differ.
    p_exact: probability, given how often each two categories were confused and each direction being as likely, of a
        statistic at least as large. 1 if the two never differ. nan where there are more than two million outcomes:
        the sample is then large enough for p_chi2.
    """

    chi2: float
    degrees: int
    p_chi2: float
    p_exact: float


def mcnemar(pair_counts: ArrayLike) -> McNemar:
    """McNemar's test (McNemar 1947), exact form and both chi-square forms. pair_counts: shape (2, 2)."""
    from scipy import special

    table = _square(pair_counts)
    if table.shape != (2, 2):
        refuse("pair_counts", f"has shape {table.shape}; McNemar's test needs (2, 2)")
    b, c = int(table[0, 1]), int(table[1, 0])
    n = b + c
    if n == 0:
        return McNemar(b, c, math.nan, math.nan, math.nan, math.nan, 1.0, 1.0)
    chi2, corrected = (b - c) ** 2 / n, (abs(b - c) - 1) ** 2 / n
    tail = float(special.bdtr(min(b, c), n, 0.5))
    seen = math.exp(math.lgamma(n + 1) - math.lgamma(b + 1) - math.lgamma(c + 1) - n * math.log(2))
    return McNemar(
        first_only=b,
        second_only=c,
        chi2=chi2,
        chi2_corrected=corrected,
        p_chi2=float(special.chdtrc(1, chi2)),
        p_chi2_corrected=float(special.chdtrc(1, corrected)),
        p_exact=min(1.0, 2 * tail),
        p_mid=min(1.0, 2 * tail - seen),
    )


def stuart_maxwell(pair_counts: ArrayLike) -> StuartMaxwell:
    """Stuart-Maxwell test of marginal homogeneity (Stuart 1955; Maxwell 1970). pair_counts: shape (C, C).

    For two categories it is McNemar's test without correction.
    """
    from scipy import special

    table = _square(pair_counts)
    confused = table + table.T
    np.fill_diagonal(confused, 0)
    if not confused.any():
        return StuartMaxwell(math.nan, 0, math.nan, 1.0)
    covariance = np.diag(confused.sum(axis=1)) - confused
    inverse = np.linalg.pinv(covariance.astype(np.float64))
    degrees = int(np.linalg.matrix_rank(covariance))
    difference = (table.sum(axis=1) - table.sum(axis=0)).astype(np.float64)
    chi2 = float(difference @ inverse @ difference)
    return StuartMaxwell(chi2, degrees, float(special.chdtrc(degrees, chi2)), _exact(confused, inverse, chi2))


def bowker(pair_counts: ArrayLike) -> tuple[float, int, float]:
    """Bowker's test that each confusion is as frequent in both directions (Bowker 1948): chi2, degrees, p.

    pair_counts: shape (C, C). nan with 0 degrees if the two never differ.
    """
    from scipy import special

    table = _square(pair_counts)
    row, column = np.triu_indices(len(table), 1)
    there, back = table[row, column], table[column, row]
    used = there + back > 0
    degrees = int(used.sum())
    chi2 = float(((there - back)[used] ** 2 / (there + back)[used]).sum()) if degrees else math.nan
    return chi2, degrees, float(special.chdtrc(degrees, chi2)) if degrees else math.nan


def _square(pair_counts: ArrayLike) -> NDArray[np.int64]:
    table = square_counts(pair_counts)
    if table.ndim != 2:
        refuse("pair_counts", f"has shape {table.shape}; this test takes one table, (C, C)")
    return table.astype(np.int64)


def _exact(confused: NDArray[np.int64], inverse: NDArray[np.float64], seen: float) -> float:
    """Probability of a statistic at least as large: the confused items of each two categories fall like coins."""
    from scipy import special

    row, column = np.nonzero(np.triu(confused))
    sizes = confused[row, column]
    if math.prod(int(n) + 1 for n in sizes) > _OUTCOMES_AT_MOST:
        return math.nan
    differences = np.zeros((1, len(confused)))
    chances = np.ones(1)
    for i, j, n in zip(row, column, sizes, strict=True):
        there = np.arange(n + 1)
        step = np.zeros((n + 1, len(confused)))
        step[:, i], step[:, j] = 2 * there - n, n - 2 * there
        differences = (differences[:, None, :] + step[None, :, :]).reshape(-1, len(confused))
        chances = np.outer(chances, special.binom(n, there) * 0.5 ** float(n)).ravel()
    statistic = ((differences @ inverse) * differences).sum(axis=1)
    return min(1.0, float(chances[statistic >= seen * (1 - 1e-9) - 1e-9].sum()))
