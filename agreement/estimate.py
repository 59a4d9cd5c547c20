"""A statistic as it is reported: value, interval, status, and the counts it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True)
class Estimate:
    """One statistic of one slice.

    statistic: its name, such as `positive_specific_agreement`.
    category: the category it speaks of, for statistics that have one.
    exact: the value as a fraction of integers where it is one; None if undefined or irrational.
    value: the same as a float; None if undefined. Never nan.
    lower, upper: bounds of the interval, unrounded floats; None where there is no interval.
    status: "ok", or "undefined: <why>".
    interval: how the bounds were made ("beta", "bca", "percentile", "linearised"), or why there are none
        ("none: <why>").
    n: the counts it rests on, by name.
    undefined_replicates: how many bootstrap replicates had no value; shown, never set to 0 or 1.
    n_eff: for beta intervals, how many independent two-label items the data are worth.
    lower_text, upper_text: the bounds rounded outward to four places where that was proved in integers; where None,
        round `lower` and `upper` by `agreement.rounding`.
    """

    statistic: str
    value: float | None
    exact: Fraction | None = None
    lower: float | None = None
    upper: float | None = None
    status: str = "ok"
    category: str | None = None
    interval: str = "none: not asked for"
    n: Mapping[str, int] = field(default_factory=dict)
    undefined_replicates: int = 0
    n_eff: float | None = None
    lower_text: str | None = None
    upper_text: str | None = None

    @property
    def defined(self) -> bool:
        return self.value is not None
