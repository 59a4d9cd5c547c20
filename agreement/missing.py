"""What missing labels could do: the worst and the best value over every way to fill them in.

A gap is an assigned label that gave no category: missing, abstained, or of another item version. A fill puts some
category in every gap. Replacing a label by a gap only adds fills, so the worst value over all fills can only get worse:
that is what makes a rule with `missing: worst` immune to leaving labels out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from agreement.beta_interval import beta_bounds, binomial_interval, cluster_factor, to_form
from agreement.exact import Array
from agreement.flag_statistics import FlagStatistic, exact_units, from_ratio, interval
from agreement.flags import Flags
from agreement.inputs import check_between
from agreement.patterns import MISSING, NOT_ASSIGNED, Patterns
from agreement.rounding import floor_text

Scenario = Literal["partners_agree", "partners_disagree"]


@dataclass(frozen=True)
class Extremes:
    """The lowest and the highest value over all fills; None where no fill has a value."""

    lowest: Fraction | None
    highest: Fraction | None


def extremes(statistic: FlagStatistic, flags: Flags, weights: Array | None = None) -> Extremes:
    """Lowest and highest value of a flag statistic over all fills, exactly.

    weights: exact, shape (U,), by cell, for the case that everything drawn was labelled.

    The ratio of two sums is minimised by Dinkelbach's method (1967, Management Science 13:492-498): with the present
    ratio q, each item takes the fill with the least y - qz, until q stands still.
    """
    options = _options(statistic, flags)
    units = exact_units(flags, weights)
    lowest, highest = (_extreme(options, units, side) for side in (-1, 1))
    if lowest is None or highest is None:
        return Extremes(None, None)
    return Extremes(from_ratio(statistic.form, lowest, 1), from_ratio(statistic.form, highest, 1))


def worst_lower(
    statistic: FlagStatistic, flags: Flags, alpha: Fraction, weights: Array | None = None
) -> tuple[float, str] | None:
    """A lower bound that no fill's own lower bound goes under, and that never rises when a label becomes a gap.

    As a float, and rounded down to four places; None if no fill has an interval.

    Nothing missing: the ordinary lower bound. Otherwise the higher of two bounds, each of which only falls when fills
    are added. Both rest on 0 <= y <= z, which gives n_eff >= sum z / max z:

    - every item at its least y and its greatest z - y (for two and three annotators some fill does just that; for two
      on independent items the result is Clopper-Pearson of that fill, proved in integers);
    - the least p at the least n_eff over all fills, at most one per union positive. (y - pz)^2 / (p(1 - p)) is convex
      in p, so its greatest sum over the fills is taken at the least or the greatest p.

    With clusters, max z is that of a whole cluster. It is conservative for more than two annotators.
    """
    check_between("alpha", alpha)
    if not (flags.n_gaps * flags.multiplicity).any():
        bounds = interval(statistic, flags, alpha, weights)
        if bounds.lower is None or bounds.lower_text is None:
            return None
        return bounds.lower, bounds.lower_text
    options = _options(statistic, flags)
    if not (options.z * options.valid * flags.multiplicity[:, None]).any():
        return None
    boxed = _boxed_lower(statistic, options, flags, alpha, weights)
    if boxed is None or weights is not None:
        return boxed
    return max(boxed, _ranged_lower(statistic, options, flags, alpha))


@dataclass(frozen=True)
class _Options:
    """Terms of an item for each number of flags put in its gaps, shape (U, F); `valid` where it has as many gaps."""

    y: Array
    z: Array
    valid: NDArray[np.bool_]

    def least(self, terms: Array) -> Array:
        return np.asarray(np.where(self.valid, terms, terms.max()).min(axis=1))

    def greatest(self, terms: Array) -> Array:
        return np.asarray(np.where(self.valid, terms, terms.min()).max(axis=1))


def _options(statistic: FlagStatistic, flags: Flags) -> _Options:
    added = np.arange(int(flags.n_gaps.max(initial=0)) + 1)
    assigned = (flags.n_labels + flags.n_gaps)[:, None]
    valid = added <= flags.n_gaps[:, None]
    n_positive = flags.n_positive[:, None] + np.where(valid, added, 0)
    y, z = statistic.terms(n_positive, np.broadcast_to(assigned, n_positive.shape))
    return _Options(y, z, valid)


def _extreme(options: _Options, units: Array, side: int) -> Fraction | None:
    """The least (side -1) or greatest (1) sum y / sum z over all fills; None if sum z is 0 for each."""
    y, z = options.y.astype(object), options.z.astype(object)
    # Starting outside 0 .. 1, the first choice takes some z wherever it can, so no z then means no fill has any.
    q = Fraction(2) if side < 0 else Fraction(-1)
    rows = np.arange(len(y))
    while True:
        # Times the denominator of q, so that whole terms stay whole: fractions are many times slower.
        gain = np.where(options.valid, side * (q.denominator * y - q.numerator * z), -np.inf)
        chosen = gain.argmax(axis=1)
        bottom = (units * z[rows, chosen]).sum()
        if bottom == 0:  # later on: all that was left to gain is nothing, so q stands
            return q if 0 <= q <= 1 else None
        found = Fraction((units * y[rows, chosen]).sum()) / Fraction(bottom)
        if found == q:
            return found
        q = found


def _boxed_lower(
    statistic: FlagStatistic, options: _Options, flags: Flags, alpha: Fraction, weights: Array | None
) -> tuple[float, str] | None:
    """Every item at its least y and greatest z - y, as many trials as their sum over the greatest z."""
    units = exact_units(flags, weights)
    concordant = (units * options.least(options.y)).sum()
    discordant = (units * options.greatest(options.z - options.y)).sum()
    greatest_z = options.greatest(options.z)
    weighted_z = greatest_z if weights is None else greatest_z * weights
    if flags.clusters is None:
        largest = weighted_z[flags.multiplicity > 0].max()
    else:
        largest = _by_cluster(flags, flags.clusters, weighted_z).max()
    if flags.clusters is None and weights is None and concordant % largest == discordant % largest == 0:
        hits = int(concordant // largest)
        exact = binomial_interval(hits, hits + int(discordant // largest), alpha, statistic.form)
        return None if exact.lower is None or exact.lower_text is None else (exact.lower, exact.lower_text)
    shrink = _shrink(options, flags, alpha, weights)
    if shrink is None:
        return None
    trials = float(concordant + discordant) / float(largest) * shrink
    p = float(Fraction(concordant) / Fraction(concordant + discordant))
    lower = to_form(beta_bounds(p, trials, float(alpha) / 2)[0], statistic.form)
    return lower, floor_text(lower)


def _ranged_lower(statistic: FlagStatistic, options: _Options, flags: Flags, alpha: Fraction) -> tuple[float, str]:
    """The least p over all fills at the least n_eff over all fills, at most one per observed union positive."""
    units = flags.multiplicity.astype(object)
    least, greatest = _extreme(options, units, -1), _extreme(options, units, 1)
    shrink = _shrink(options, flags, alpha, None)
    if not least or greatest is None or greatest == 1 or shrink is None:
        return 0.0, floor_text(0)
    ends = [_relative_spread(options, flags, float(p)) for p in (least, greatest)]
    smallest_bottom = float((flags.multiplicity * options.least(options.z)).sum())
    observed = options.least(options.z) > 0
    n_eff = min(flags.count(observed), smallest_bottom**2 / max(*ends, 1e-300)) * shrink
    lower = to_form(beta_bounds(float(least), n_eff, float(alpha) / 2)[0], statistic.form)
    return lower, floor_text(lower)


def _relative_spread(options: _Options, flags: Flags, p: float) -> float:
    """The greatest sum over independent units of (y - pz)^2 / (p(1 - p)) that any fill can give."""
    residuals = options.y - p * options.z
    low, high = options.least(residuals), options.greatest(residuals)
    if flags.clusters is not None:
        low, high = (_by_cluster(flags, flags.clusters, side) for side in (low, high))
        squares = np.maximum(low**2, high**2)
    else:
        squares = np.maximum(low**2, high**2) * flags.multiplicity
    return float(squares.sum()) / (p * (1 - p))


def _by_cluster(flags: Flags, clusters: Array, terms: Array) -> Array:
    """Sums of an item's terms, shape (U,), over each cluster."""
    _, which = np.unique(clusters, return_inverse=True)
    totals = np.zeros(int(which.max()) + 1, dtype=terms.dtype)
    np.add.at(totals, which.ravel(), flags.multiplicity * terms)
    return totals


def _shrink(options: _Options, flags: Flags, alpha: Fraction, weights: Array | None) -> float | None:
    """What few clusters or small cells take off n_eff, at its worst over all fills; None if there is no interval."""
    shrink = 1.0
    if flags.clusters is not None:
        observed = (options.least(options.z) > 0) & (flags.multiplicity > 0)
        n_clusters = len(np.unique(flags.clusters[observed]))
        if n_clusters < 2:
            return None
        shrink *= cluster_factor(n_clusters, alpha) * (n_clusters - 1) / n_clusters
    if weights is not None and flags.cells is not None:
        sizes = [flags.count(flags.paired & (flags.cells == cell)) for cell in np.unique(flags.cells)]
        if min(sizes) < 2:
            return None
        shrink *= (min(sizes) - 1) / min(sizes)
    return shrink


def percent_agreement_extremes(patterns: Patterns) -> Extremes:
    """Lowest and highest raw agreement (mean over items of the share of agreeing pairs) over all fills, exactly.

    Lowest: each gap of an item takes the category that item has least of; highest: the one it has most of.
    """
    counts, gaps = _counts_and_gaps(patterns)
    assigned = counts.sum(axis=1) + gaps
    enters = assigned >= 2
    n_items = int(patterns.multiplicity[enters].sum())
    if n_items == 0:
        return Extremes(None, None)

    def value(filled: Array) -> Fraction:
        pairs = (filled * (filled - 1)).sum(axis=1).tolist()
        shares = (
            Fraction(agreeing * n, m * (m - 1))
            for agreeing, m, n, counted in zip(
                pairs, assigned.tolist(), patterns.multiplicity.tolist(), enters.tolist(), strict=True
            )
            if counted
        )
        return sum(shares, Fraction(0)) / n_items

    return Extremes(value(_spread_out(counts, gaps)), value(_pile_up(counts, gaps)))


def fill(patterns: Patterns, scenario: Scenario) -> Patterns:
    """The patterns with every gap filled, for figures such as kappa and alpha that have no simple worst case.

    partners_agree: each gap says what most of the item's labels say, or the slice's commonest category if it has none.
    partners_disagree: each gap says what fewest of the item's labels say (the earlier category on a tie).
    Codes are not merged or sorted again: rows that have become equal stay apart.
    """
    codes = patterns.codes.copy()
    counts, _ = _counts_and_gaps(patterns)
    commonest = int((counts * patterns.multiplicity[:, None]).sum(axis=0).argmax())
    for row, tally in zip(codes, counts, strict=True):
        for place in np.flatnonzero(row <= MISSING):
            if scenario == "partners_agree":
                row[place] = tally.argmax() if tally.any() else commonest
            else:
                row[place] = tally.argmin()
            tally[row[place]] += 1
    return replace(patterns, codes=codes)


def abstention_as_category(patterns: Patterns, code: int, name: str) -> Patterns:
    """The same answers with one kind of gap (such as ABSTAINED) counted as a category of its own, put last."""
    codes = np.where(patterns.codes == code, len(patterns.categories), patterns.codes)
    return replace(patterns, codes=codes, categories=(*patterns.categories, name))


def _counts_and_gaps(patterns: Patterns) -> tuple[Array, Array]:
    codes = patterns.codes
    counts = np.stack([(codes == c).sum(axis=1) for c in range(len(patterns.categories))], axis=1)
    return counts.astype(np.int64), ((codes < NOT_ASSIGNED).sum(axis=1)).astype(np.int64)


def _spread_out(counts: Array, gaps: Array) -> Array:
    filled = counts.copy()
    for step in range(int(gaps.max(initial=0))):
        rows = np.flatnonzero(gaps > step)
        filled[rows, filled[rows].argmin(axis=1)] += 1
    return filled


def _pile_up(counts: Array, gaps: Array) -> Array:
    filled = counts.copy()
    filled[np.arange(len(counts)), counts.argmax(axis=1)] += gaps
    return filled
