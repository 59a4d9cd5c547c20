"""What a rule's statistic is in the evidence of a slice: exact value, bounds rounded outward, counts behind it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from agreement.estimate import Estimate
from agreement.exact import Array
from agreement.flag_statistics import (
    FLAG_STATISTICS,
    OTHER_CATEGORIES,
    FlagStatistic,
    exact_value,
    flag_counts,
    interval,
)
from agreement.flags import Flags, flags_of
from agreement.missing import extremes, percent_agreement_extremes, worst_lower
from agreement.patterns import ABSTAINED, MISSING, NOT_ASSIGNED, Patterns
from agreement.rounding import ceil_text, floor_text
from agreement.rules import STATISTICS, TRAFFIC, Rule
from agreement.traffic import cell_weights

COVERAGE = ("coverage", "flagged_coverage", "abstention_rate", "missing_rate")
COUNTS = ("union_positives", "joint_positives", "paired_items")


@dataclass(frozen=True)
class SliceEvidence:
    """All that the rules of one slice are judged on.

    patterns: the answers, one row per distinct pattern, with every item of the slice's frame.
    positive: names of the categories that are positive.
    estimates: by statistic name, the figures that are not computed here (percent_agreement, kappas, alpha, AC1, AC2,
        with bounds taken at the gate's level).
    frame_items: items of the slice's frame; None if the patterns hold them all.
    pool_items: items of the pool per cell; only for the slice `traffic`, whose patterns carry cells.
    """

    patterns: Patterns
    positive: tuple[str, ...] = ()
    estimates: Mapping[str, Estimate] = field(default_factory=dict)
    frame_items: int | None = None
    pool_items: Mapping[int, int] | None = None


@dataclass(frozen=True)
class Reading:
    """One statistic as a rule sees it.

    found: the decimal that is compared, rounded against the rule; None if there is none, and `status` says why.
    value: the exact value as observed. lower_text, upper_text: its interval as observed, rounded outward.
    counts: what it rests on. n_eff: how many two-label items the data are worth, for flag statistics.
    """

    found: str | None
    value: Fraction | None = None
    lower_text: str | None = None
    upper_text: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    n_eff: float | None = None
    status: str = "ok"


def read(rule: Rule, evidence: SliceEvidence, alpha: Fraction) -> Reading:
    """The statistic of a rule. alpha: what both bounds together may miss, attempts counted.

    Never raises for evidence a person can bring about; what has no value has a status.
    """
    if rule.statistic not in STATISTICS:
        return Reading(None, status="undefined: no such statistic")
    if STATISTICS[rule.statistic].positive and not evidence.positive:
        return Reading(None, status="undefined: no category is positive")
    if rule.statistic in COUNTS or rule.statistic in COVERAGE:
        return _read_total(rule, evidence)
    if rule.statistic in FLAG_STATISTICS:
        flags = rule_flags(rule, evidence)
        if flags is None:
            return Reading(None, status="undefined: no such category")
        return read_flags(rule, flags, alpha, evidence.pool_items if rule.slice == TRAFFIC else None)
    return _read_estimate(rule, evidence)


def rule_flags(rule: Rule, evidence: SliceEvidence) -> Flags | None:
    """The flags a rule's statistic is made from; None if its category is not declared."""
    categories = evidence.patterns.categories
    positive = np.array([category in evidence.positive for category in categories])
    if rule.statistic == "specific_agreement":
        if rule.category not in categories:
            return None
        positive = np.array([category == rule.category for category in categories])
    if rule.statistic == "negative_specific_agreement":
        positive = ~positive
    return flags_of(evidence.patterns, positive, by_cell=rule.slice == TRAFFIC)


def read_flags(rule: Rule, flags: Flags, alpha: Fraction, pool_items: Mapping[int, int] | None = None) -> Reading:
    """A flag statistic. pool_items: for traffic, items of the pool per cell."""
    statistic = FLAG_STATISTICS[rule.statistic]
    counts = flag_counts(flags, of_positives=rule.statistic not in OTHER_CATEGORIES)
    weights: Array | None = None
    if rule.slice == TRAFFIC:
        if pool_items is None or flags.cells is None:
            return Reading(None, counts=counts, status="undefined: traffic needs the pool's cells")
        weights = cell_weights(flags, pool_items)
        if weights is None:
            return Reading(None, counts=counts, status="undefined: a cell of the pool has no paired item")
    value = exact_value(statistic, flags, weights)
    bounds = interval(statistic, flags, alpha, weights)
    found: str | None
    if rule.missing == "worst":
        drawn = None if weights is None or pool_items is None else cell_weights(flags, pool_items, of="drawn")
        found = _worst(rule, statistic, flags, alpha, drawn)
    else:
        found = _side(rule, value, bounds.lower_text, bounds.upper_text)
    status = "ok"
    if found is None:
        status = statistic.empty if value is None else bounds.why
    return Reading(found, value, bounds.lower_text, bounds.upper_text, counts, bounds.n_eff, status)


def _worst(rule: Rule, statistic: FlagStatistic, flags: Flags, alpha: Fraction, weights: Array | None) -> str | None:
    if rule.judged_on == "value":
        ends = extremes(statistic, flags, weights)
        return _side(rule, ends.lowest if rule.at_least is not None else ends.highest, None, None)
    if rule.judged_on == "lower":
        bound = worst_lower(statistic, flags, alpha, weights)
        return None if bound is None else bound[1]
    # The upper bound of the contested share is one less the lower bound of the joint share.
    bound = worst_lower(FLAG_STATISTICS["jaccard"], flags, alpha, weights)
    return None if bound is None else ceil_text(1 - Fraction(bound[1]))


def _side(rule: Rule, value: Fraction | None, lower: str | None, upper: str | None) -> str | None:
    """The decimal a rule compares: the value rounded against it, or the bound it names."""
    if rule.judged_on == "lower":
        return lower
    if rule.judged_on == "upper":
        return upper
    if value is None:
        return None
    return floor_text(value) if rule.at_least is not None else ceil_text(value)


def _read_total(rule: Rule, evidence: SliceEvidence) -> Reading:
    """Counts, and shares of what was assigned: no interval."""
    patterns = evidence.patterns
    flags = flags_of(patterns, np.array([category in evidence.positive for category in patterns.categories]))
    if rule.statistic in COUNTS:
        counts = flag_counts(flags)
        number = counts[rule.statistic]
        return Reading(str(number), Fraction(number), counts=counts)
    top, bottom, names = _coverage(rule.statistic, patterns, flags, evidence.frame_items)
    counts = dict(zip(names, (top, bottom), strict=True))
    if bottom == 0:
        return Reading(None, counts=counts, status=f"undefined: no {names[1].replace('_', ' ')}")
    value = Fraction(top, bottom)
    return Reading(_side(rule, value, None, None), value, counts=counts)


def _coverage(
    statistic: str, patterns: Patterns, flags: Flags, frame_items: int | None
) -> tuple[int, int, tuple[str, str]]:
    if statistic == "coverage":
        return flags.paired_items, frame_items if frame_items is not None else flags.n_items, ("paired_items", "items")
    if statistic == "flagged_coverage":
        flagged = flags.n_positive > 0
        return flags.count(flagged & (flags.n_gaps == 0)), flags.count(flagged), ("complete_items", "flagged_items")
    assigned = int(((patterns.codes != NOT_ASSIGNED).sum(axis=1) * patterns.multiplicity).sum())
    if statistic == "abstention_rate":
        where, name = patterns.codes == ABSTAINED, "abstained_labels"
    else:
        where, name = (patterns.codes <= MISSING) & (patterns.codes != ABSTAINED), "missing_labels"
    return int((where.sum(axis=1) * patterns.multiplicity).sum()), assigned, (name, "assigned_labels")


def _read_estimate(rule: Rule, evidence: SliceEvidence) -> Reading:
    """A figure made elsewhere, at the gate's level; nothing that is not finite gets through."""
    estimate = evidence.estimates.get(rule.statistic)
    if estimate is None:
        return Reading(None, status="undefined: the figure was not computed")
    counts = dict(estimate.n)
    if not _finite(estimate.value):
        status = estimate.status if estimate.status != "ok" else "undefined: not a finite number"
        return Reading(None, counts=counts, status=status)
    value = estimate.exact if estimate.exact is not None else Fraction(estimate.value or 0.0)
    lower = floor_text(estimate.lower) if estimate.lower is not None and _finite(estimate.lower) else None
    upper = ceil_text(estimate.upper) if estimate.upper is not None and _finite(estimate.upper) else None
    if rule.missing == "worst":
        found = _worst_percent(rule, evidence)
    else:
        found = _side(rule, value, lower, upper)
    status = "ok" if found is not None else f"undefined: no interval ({estimate.interval.removeprefix('none: ')})"
    return Reading(found, value, lower, upper, counts, None, status)


def _worst_percent(rule: Rule, evidence: SliceEvidence) -> str | None:
    if rule.statistic != "percent_agreement" or rule.judged_on != "value":
        return None
    ends = percent_agreement_extremes(evidence.patterns)
    return _side(rule, ends.lowest if rule.at_least is not None else ends.highest, None, None)


def _finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
