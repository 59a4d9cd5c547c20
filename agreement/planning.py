"""How many union positives, items and person-hours an interval's half-width or a threshold needs.

Specific agreement rests on the union positives alone, so they are what is planned; items and hours follow from how
dense they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from agreement.beta_interval import beta_bounds, to_form
from agreement.inputs import check_whole, refuse, share_of

MOST_POSITIVES = 10_000_000  # beyond this a plan is no plan
LEVEL = Fraction(19, 20)


@dataclass(frozen=True)
class Budget:
    """Work to reach so many union positives. density: union positives per item; items are rounded up."""

    union_positives: int
    density: float
    items: int
    labels: int
    person_hours: float


@dataclass(frozen=True)
class PositivesPlan:
    """union_positives: what a half-width needs by the linearised variance behind n_eff, or a lower bound by the beta
        interval; None if no number is enough.
    union_positives_beta: what a half-width needs counting the beta interval's own extra width (it never misses more
        than promised, and that has its price: 189 for 174, 471 for 445).
    square_root_rule: what the rule of thumb would say, from a known half-width; None without one.
    level: of each bound, after sharing 0.05 among the attempts.
    budgets: one per density, by name.
    """

    union_positives: int | None
    union_positives_beta: int | None
    square_root_rule: int | None
    level: Fraction
    budgets: dict[str, Budget]


def plan_positives(
    agreement: float,
    *,
    half_width: float | None = None,
    at_least: float | None = None,
    densities: dict[str, float] | None = None,
    annotators: int = 2,
    seconds_per_label: float = 90,
    attempts: int = 1,
    known: tuple[int, float] | None = None,
) -> PositivesPlan:
    """Union positives for an interval of a half-width, or for a lower bound that reaches a threshold.

    agreement: specific agreement expected, 0 to 1. Exactly one of half_width and at_least.
    densities: union positives per item of each way to draw, such as {"uniform": 0.082, "flagged": 0.41}.
    attempts: each bound is taken at level 1 - 0.05 / attempts.
    known: union positives and half-width of an earlier round, for the square-root rule.
    """
    share_of("agreement", agreement)
    check_whole("attempts", attempts, 1)
    if half_width is not None and not half_width > 0:
        refuse("half_width", f"is {half_width!r}; it must be above 0")
    level = attempt_level(LEVEL, attempts)
    if (half_width is None) == (at_least is None):
        raise ValueError("plan for a half-width or for a threshold, one of the two")
    rule = None
    if half_width is not None:
        positives = positives_for_half_width(agreement, half_width, level)
        by_beta = positives_for_beta_half_width(agreement, half_width, level)
        rule = None if known is None else square_root_rule(*known, half_width)
    else:
        positives = by_beta = positives_for_lower(agreement, at_least or 0.0, level)
    budgets = (
        {}
        if positives is None
        else {
            name: budget(positives, density, annotators, seconds_per_label)
            for name, density in (densities or {}).items()
        }
    )
    return PositivesPlan(positives, by_beta, rule, level, budgets)


def attempt_level(level: Fraction, attempts: int) -> Fraction:
    """The level of each bound when so many attempts are allowed: 1 - (1 - level) / attempts (Bonferroni)."""
    return 1 - (1 - level) / attempts


def expected_half_width(agreement: float, union_positives: float, level: Fraction = LEVEL) -> float:
    """Half the width of the interval around this specific agreement on so many union positives.

    >>> round(expected_half_width(12 / 47, 41), 3)
    0.173
    """
    lower, upper = expected_bounds(agreement, union_positives, level)
    return (upper - lower) / 2


def expected_bounds(agreement: float, union_positives: float, level: Fraction = LEVEL) -> tuple[float, float]:
    """The interval if the figure comes out just so; union positives need not be whole."""
    p = agreement / (2 - agreement)
    lower, upper = beta_bounds(p, union_positives, float(1 - level) / 2)
    return to_form(lower, "specific"), to_form(upper, "specific")


def positives_for_half_width(agreement: float, half_width: float, level: Fraction = LEVEL) -> int | None:
    """The fewest union positives with this half-width by the linearised variance: z 2 / (1 + p)^2 sqrt(p(1 - p) / n).

    None if ten million are too few; 1 where the variance is zero.

    >>> positives_for_half_width(12 / 47, 0.08), positives_for_half_width(12 / 47, 0.05)
    (174, 445)
    """
    p = agreement / (2 - agreement)
    z = NormalDist().inv_cdf(1 - float(1 - level) / 2)
    needed = (z * 2 / (1 + p) ** 2 / half_width) ** 2 * p * (1 - p)
    return None if needed > MOST_POSITIVES else max(1, math.ceil(needed))


def positives_for_beta_half_width(agreement: float, half_width: float, level: Fraction = LEVEL) -> int | None:
    """The fewest union positives at which the beta interval is expected to be no wider; None if ten million are not.

    >>> positives_for_beta_half_width(12 / 47, 0.08), positives_for_beta_half_width(12 / 47, 0.05)
    (189, 471)
    """
    return _fewest(lambda n: expected_half_width(agreement, n, level) <= half_width)


def positives_for_lower(agreement: float, at_least: float, level: Fraction = LEVEL) -> int | None:
    """The fewest union positives whose expected lower bound reaches the threshold; None if no number does."""
    if agreement <= at_least:
        return None
    return _fewest(lambda n: expected_bounds(agreement, n, level)[0] >= at_least)


def square_root_rule(known_positives: int, known_half_width: float, half_width: float) -> int:
    """The rule of thumb: the half-width falls with the square root of the union positives.

    >>> square_root_rule(41, 0.14, 0.08), square_root_rule(41, 0.14, 0.055)
    (126, 266)
    """
    return math.ceil(known_positives * (known_half_width / half_width) ** 2)


def square_root_half_width(known_positives: int, known_half_width: float, positives: int) -> float:
    """The same rule the other way round.

    >>> round(square_root_half_width(41, 0.14, 100), 3), round(square_root_half_width(41, 0.14, 250), 3)
    (0.09, 0.057)
    """
    return known_half_width * math.sqrt(known_positives / positives)


def budget(union_positives: int, density: float, annotators: int = 2, seconds_per_label: float = 90) -> Budget:
    """Items, labels and person-hours until so many union positives are expected.

    >>> budget(100, 0.082).items, round(budget(100, 0.082).person_hours)
    (1220, 61)
    """
    items = math.ceil(Fraction(union_positives) / Fraction(str(density)))
    labels = items * annotators
    return Budget(union_positives, density, items, labels, labels * seconds_per_label / 3600)


def _fewest(enough: Callable[[int], bool]) -> int | None:
    """The smallest whole number that is enough, where more is never worse."""
    high = 1
    while not enough(high):
        high *= 2
        if high > MOST_POSITIVES:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
