"""Published sample sizes for kappa and for a difference between paired proportions: how many items.

All take alpha (the chance of a false alarm) and power, and return the number before rounding up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from agreement.errors import ConfigError
from agreement.inputs import check_between, check_whole, refuse, share_of


def items_for_cohen_kappa(
    rate1: float,
    rate2: float,
    k0: float,
    k1: float,
    alpha: float = 0.05,
    power: float = 0.8,
    one_sided: bool = True,
) -> float:
    """Items to show kappa k1 against k0 for two annotators and a binary label (Cantor 1996, Psychol Methods 1:150-153).

    rate1, rate2: how often each annotator flags. ConfigError if these rates do not allow such a kappa.

    >>> round(items_for_cohen_kappa(0.5, 0.5, 0.7, 0.85), 2)
    116.35
    """
    _check_errors(alpha, power)
    share_of("rate1", rate1)
    share_of("rate2", rate2)
    q0, q1 = (_kappa_variance(_binary_table(rate1, rate2, kappa)) for kappa in (k0, k1))
    return _items(q0, q1, k0, k1, alpha, power, one_sided)


def items_for_kappa_at_marginals(
    marginals: Sequence[float],
    k0: float,
    k1: float,
    alpha: float = 0.05,
    power: float = 0.8,
    one_sided: bool = True,
) -> float:
    """Items for two annotators with the same marginals over any number of categories.

    The variance is the greatest that any table with these marginals and this kappa can have: a linear programme
    (Flack, Afifi, Lachenbruch and Schouten 1988, Psychometrika 53:321-325).

    >>> round(items_for_kappa_at_marginals([0.2, 0.25, 0.55], 0.4, 0.6), 2)
    100.61
    """
    _check_errors(alpha, power)
    shares = [share_of("marginals", share) for share in marginals]
    if not math.isclose(sum(shares), 1, abs_tol=1e-9):
        refuse("marginals", f"add up to {sum(shares)}, not to 1")
    q0, q1 = (_greatest_variance(np.asarray(marginals, dtype=float), kappa) for kappa in (k0, k1))
    return _items(q0, q1, k0, k1, alpha, power, one_sided)


def items_for_intraclass_kappa(
    kappa0: float,
    kappa1: float,
    prevalence: float,
    raters: int = 2,
    alpha: float = 0.05,
    power: float = 0.8,
) -> float:
    """Items to tell intraclass kappa kappa1 from kappa0 by the goodness-of-fit test, for a binary label.

    Common correlation model: with chance kappa all annotators say the same, else each decides alone (Donner and
    Eliasziw 1992, Stat Med 11:1511-1519; Altaye, Donner and Klar 2001, Biometrics 57:584-588).

    >>> round(items_for_intraclass_kappa(0.4, 0.6, 0.3, raters=3), 2)
    105.52
    """
    _check_errors(alpha, power)
    share_of("prevalence", prevalence)
    check_whole("raters", raters, 2)
    null, other = (_flags_per_item(kappa, prevalence, raters) for kappa in (kappa0, kappa1))
    return _noncentrality(alpha, power) / float(((other - null) ** 2 / null).sum())


def detectable_difference(n: int, discordance: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """The smallest difference of two paired proportions that McNemar's test shows (Connor 1987, Biometrics 43:207-211).

    n: items. discordance: share of the items on which the two differ; the difference is at most that.

    >>> round(detectable_difference(220, 0.3), 6)
    0.102902
    """
    _check_errors(alpha, power)
    share_of("discordance", discordance)
    if not n > 0:
        refuse("n", f"is {n!r}; there must be items")
    low, high = 0.0, discordance
    if items_for_difference(discordance, discordance, alpha, power) > n:
        return math.nan
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if items_for_difference(middle, discordance, alpha, power) <= n else (middle, high)
    return high


def items_for_difference(difference: float, discordance: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """Items for McNemar's test to show a difference of two paired proportions (Connor 1987). Two-sided."""
    z_alpha, z_power = _z(1 - alpha / 2), _z(power)
    spread = max(discordance - difference**2, 0.0)
    return ((z_alpha * math.sqrt(discordance) + z_power * math.sqrt(spread)) / difference) ** 2


def _items(q0: float, q1: float, k0: float, k1: float, alpha: float, power: float, one_sided: bool) -> float:
    z_alpha = _z(1 - (alpha if one_sided else alpha / 2))
    return ((z_alpha * math.sqrt(q0) + _z(power) * math.sqrt(q1)) / (k1 - k0)) ** 2


def _binary_table(rate1: float, rate2: float, kappa: float) -> NDArray[np.float64]:
    """The two by two table of shares with these flag rates and this kappa."""
    chance = rate1 * rate2 + (1 - rate1) * (1 - rate2)
    observed = chance + kappa * (1 - chance)
    both = (observed - 1 + rate1 + rate2) / 2
    table = np.array([[both, rate1 - both], [rate2 - both, observed - both]])
    if (table < -1e-12).any():
        raise ConfigError(
            f"flag rates {rate1} and {rate2} do not allow a kappa of {kappa}",
            code="kappa-out-of-reach",
            next_step="Ask for a smaller kappa, or for flag rates that are more alike.",
        )
    return np.asarray(np.maximum(table, 0.0))


def _kappa_variance(table: NDArray[np.float64]) -> float:
    """n times the variance of kappa at these shares (Fleiss, Cohen and Everitt 1969, Psychol Bull 72:323-327)."""
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    observed, chance = float(np.trace(table)), float(rows @ columns)
    linear = (table * _cell_terms(rows, columns, observed, chance)).sum()
    return float(linear - (observed * chance - 2 * chance + observed) ** 2) / (1 - chance) ** 4


def _cell_terms(
    rows: NDArray[np.float64], columns: NDArray[np.float64], observed: float, chance: float
) -> NDArray[np.float64]:
    """What each cell's share is multiplied by in the variance; fixed once marginals and kappa are."""
    off_diagonal = (1 - observed) ** 2 * (columns[:, None] + rows[None, :]) ** 2
    diagonal = ((1 - chance) - (rows + columns) * (1 - observed)) ** 2
    terms = off_diagonal
    np.fill_diagonal(terms, diagonal)
    return terms


def _greatest_variance(marginals: NDArray[np.float64], kappa: float) -> float:
    from scipy.optimize import linprog  # scipy costs a second to import and only this needs it

    size = len(marginals)
    chance = float(marginals @ marginals)
    observed = chance + kappa * (1 - chance)
    terms = _cell_terms(marginals, marginals, observed, chance)
    row_sums = np.kron(np.eye(size), np.ones(size))
    column_sums = np.kron(np.ones(size), np.eye(size))
    conditions = np.vstack([row_sums, column_sums, np.eye(size).ravel()])
    found = linprog(-terms.ravel(), A_eq=conditions, b_eq=np.concatenate([marginals, marginals, [observed]]))
    if not found.success or found.fun is None:
        raise ConfigError(
            f"these marginals do not allow a kappa of {kappa}",
            code="kappa-out-of-reach",
            next_step="Ask for a smaller kappa, or for marginals that are more alike.",
        )
    return float(-found.fun - (observed * chance - 2 * chance + observed) ** 2) / (1 - chance) ** 4


def _flags_per_item(kappa: float, prevalence: float, raters: int) -> NDArray[np.float64]:
    """Chance of 0 .. raters flags on an item under the common correlation model."""
    alone = [
        math.comb(raters, flags) * prevalence**flags * (1 - prevalence) ** (raters - flags)
        for flags in range(raters + 1)
    ]
    chances = (1 - kappa) * np.array(alone)
    chances[0] += kappa * (1 - prevalence)
    chances[-1] += kappa * prevalence
    return chances


def _noncentrality(alpha: float, power: float) -> float:
    """Of a chi-squared with one degree of freedom that is exceeded with this power: solved on the normal scale."""
    critical = _z(1 - alpha / 2)
    low, high = 0.0, critical + _z(power) + 10
    for _ in range(200):
        middle = (low + high) / 2
        reached = NormalDist().cdf(middle - critical) + NormalDist().cdf(-middle - critical)
        low, high = (low, middle) if reached >= power else (middle, high)
    return high**2


def _z(share: float) -> float:
    return NormalDist().inv_cdf(share)


def _check_errors(alpha: float, power: float) -> None:
    check_between("alpha", alpha)
    check_between("power", power)
