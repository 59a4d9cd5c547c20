"""Statistics that are a ratio of two sums over items of what was flagged: their terms, exact value and interval.

Written once as terms y and z of an item with r positive of m labels, 0 <= y <= z, so that the value, the interval, the
traffic-weighted figure and what missing labels could do to it (`agreement.missing`) all follow from the same lines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from agreement.beta_interval import BetaInterval, Form, ratio_interval, specific_terms
from agreement.estimate import Estimate
from agreement.exact import Array
from agreement.flags import Flags, flags_of
from agreement.inputs import positive_of
from agreement.patterns import Patterns

Terms = Callable[[Array, Array], tuple[Array, Array]]  # (r, m) to (y, z), arrays of one shape


@dataclass(frozen=True)
class FlagStatistic:
    """terms: y and z of an item. form: whether the statistic is p = sum y / sum z, or 2p / (1 + p).

    empty: why it is undefined when sum z is 0.
    """

    terms: Terms
    form: Form
    empty: str


def _jaccard(r: Array, m: Array) -> tuple[Array, Array]:
    return _int((m >= 2) & (r == m)), _int((m >= 2) & (r > 0))


def _contested(r: Array, m: Array) -> tuple[Array, Array]:
    return _int((m >= 2) & (r > 0) & (r < m)), _int((m >= 2) & (r > 0))


def _union_rate(r: Array, m: Array) -> tuple[Array, Array]:
    return _int((m >= 2) & (r > 0)), _int(m >= 2)


def _joint_rate(r: Array, m: Array) -> tuple[Array, Array]:
    return _int((m >= 2) & (r == m)), _int(m >= 2)


def _share(r: Array, m: Array) -> tuple[Array, Array]:
    r, m = np.broadcast_arrays(r, m)
    y = np.asarray(_exact_share(r.astype(object), m.astype(object)), dtype=object)
    return y, _int(m >= 2)


_exact_share = np.frompyfunc(lambda r, m: Fraction(r, m) if m >= 2 else Fraction(0), 2, 1)


def _int(where: Array) -> Array:
    return np.asarray(where, dtype=np.int64)


NO_FLAGS, NO_PAIRS = "undefined: no paired item was flagged", "undefined: nothing is paired"

_SPECIFIC = FlagStatistic(specific_terms, "specific", NO_FLAGS)
FLAG_STATISTICS = {
    "positive_specific_agreement": _SPECIFIC,
    "negative_specific_agreement": FlagStatistic(
        specific_terms, "specific", "undefined: every paired item was flagged by all"
    ),
    "specific_agreement": FlagStatistic(
        specific_terms, "specific", "undefined: the category was never used on a paired item"
    ),
    "jaccard": FlagStatistic(_jaccard, "share", NO_FLAGS),
    "contested_share": FlagStatistic(_contested, "share", NO_FLAGS),
    "union_positive_rate": FlagStatistic(_union_rate, "share", NO_PAIRS),
    "joint_positive_rate": FlagStatistic(_joint_rate, "share", NO_PAIRS),
    "positive_share": FlagStatistic(_share, "share", NO_PAIRS),
}

OTHER_CATEGORIES = ("negative_specific_agreement", "specific_agreement")  # their flags are not the study's positives


def exact_value(statistic: FlagStatistic, flags: Flags, weights: Array | None = None) -> Fraction | None:
    """The statistic as a fraction; None if undefined. weights: exact, shape (U,), one per kind of item."""
    y, z = statistic.terms(flags.n_positive, flags.n_labels)
    units = exact_units(flags, weights)
    return from_ratio(statistic.form, (units * y.astype(object)).sum(), (units * z.astype(object)).sum())


def interval(statistic: FlagStatistic, flags: Flags, alpha: Fraction, weights: Array | None = None) -> BetaInterval:
    """Its interval; with weights the flags must be kept by cell. alpha: what both sides together may miss."""
    y, z = statistic.terms(flags.n_positive, flags.n_labels)
    _, most = statistic.terms(flags.n_labels, flags.n_labels)
    return ratio_interval(
        y.astype(float),
        z,
        flags.multiplicity,
        form=statistic.form,
        alpha=alpha,
        clusters=flags.clusters,
        cells=None if weights is None else flags.cells,
        weights=None if weights is None else weights.astype(float),
        enters=flags.paired,
        most=most,
    )


def exact_units(flags: Flags, weights: Array | None) -> Array:
    """Multiplicity times weight of each kind of item, as Python integers or fractions. Shape (U,)."""
    units = flags.multiplicity.astype(object)
    return units if weights is None else units * weights


def from_ratio(form: Form, top: int | Fraction, bottom: int | Fraction) -> Fraction | None:
    """The statistic from its two sums; None if there is nothing to divide by."""
    if bottom == 0:
        return None
    p = Fraction(top) / Fraction(bottom)
    return p if form == "share" else 2 * p / (1 + p)


def flag_masks(patterns: Patterns, positive: ArrayLike | None) -> dict[tuple[str, str | None], Array]:
    """Which categories count as positive for each statistic and category: shape (C,) each."""
    masks: dict[tuple[str, str | None], Array] = {}
    if positive is not None:
        mask = positive_of(positive, len(patterns.categories))
        masks = {(name, None): mask for name in FLAG_STATISTICS if name != "specific_agreement"}
        masks["negative_specific_agreement", None] = ~mask
    for code, category in enumerate(patterns.categories):
        masks["specific_agreement", category] = np.arange(len(patterns.categories)) == code
    return masks


def estimate_flag_statistics(
    patterns: Patterns, positive: ArrayLike | None, alpha: Fraction = Fraction(1, 20)
) -> list[Estimate]:
    """All of them for one slice, with intervals: those of the positive categories, and each category's own.

    positive: bool, shape (C,), or None if the study declares none; alpha: what both sides together may miss.
    """
    return [
        estimate_flag_statistic(name, category, flags_of(patterns, mask), alpha)
        for (name, category), mask in flag_masks(patterns, positive).items()
    ]


def estimate_flag_statistic(name: str, category: str | None, flags: Flags, alpha: Fraction) -> Estimate:
    """One of them as it is reported."""
    statistic = FLAG_STATISTICS[name]
    value = exact_value(statistic, flags)
    bounds = interval(statistic, flags, alpha)
    counts = flag_counts(flags, of_positives=name not in OTHER_CATEGORIES)
    return Estimate(
        statistic=name,
        category=category,
        value=None if value is None else float(value),
        exact=value,
        lower=bounds.lower,
        upper=bounds.upper,
        status="ok" if value is not None else statistic.empty,
        interval="beta" if bounds.lower is not None else f"none: {bounds.why.removeprefix('undefined: ')}",
        n={key: n for key, n in counts.items() if key != "missing_labels"},
        n_eff=bounds.n_eff,
        lower_text=bounds.lower_text,
        upper_text=bounds.upper_text,
    )


def flag_counts(flags: Flags, of_positives: bool = True) -> dict[str, int]:
    """The counts a flag statistic is shown beside. of_positives: whether the flags are the study's positives."""
    by_any, by_all = ("union_positives", "joint_positives") if of_positives else ("said_by_any", "said_by_all")
    return {
        "paired_items": flags.paired_items,
        by_any: flags.union_positives,
        by_all: flags.joint_positives,
        "missing_labels": flags.n_missing_labels,
    }
