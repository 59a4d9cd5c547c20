"""How often would the registered gate pass, if the true agreement were x?

For two annotators on independent items the joint positives among so many union positives are binomial and every rule on
them is monotone, so the probability is an exact binomial tail. For more annotators it is simulated, with a seed. Rules
that do not follow from the flagged items alone (kappa, alpha, coverage) are taken as met and named, so the figure is an
upper limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.beta_interval import Form, tail_at_least, upper_with_one_more
from agreement.flag_statistics import FLAG_STATISTICS
from agreement.flags import two_annotator_flags
from agreement.gate import compare
from agreement.inputs import check_between, check_whole, share_of
from agreement.readings import read_flags
from agreement.rules import TRAFFIC, Rule

TRUTHS = tuple(Fraction(step, 20) for step in range(4, 20))  # 0.20, 0.25 ... 0.95
DEFAULT_UNION_POSITIVES = 100
FROM_FLAGS = ("positive_specific_agreement", "jaccard", "contested_share")
STUDIES = 10_000


@dataclass(frozen=True)
class OperatingCurve:
    """How often the rules of one slice pass.

    union_positives: how many the curve assumes: those a rule asks for. points: true positive specific agreement, chance
    of passing. judged, assumed: rules that the curve counts, and rules it takes as met. exact: no simulation.
    """

    slice: str
    union_positives: int
    points: tuple[tuple[Fraction, float], ...]
    judged: tuple[Rule, ...]
    assumed: tuple[Rule, ...]
    exact: bool


def operating_curves(
    rules: Sequence[Rule],
    alpha: Fraction = Fraction(1, 20),
    annotators: int = 2,
    *,
    union_positives: int | None = None,
    flag_rate: float = 0.05,
    truths: Sequence[Fraction] = TRUTHS,
    seed: int = 0,
) -> list[OperatingCurve]:
    """One curve per slice that has a rule on its flagged items, in the order of the rules.

    alpha: what both bounds together may miss, attempts counted. union_positives: for slices without a rule on them.
    flag_rate: how often an annotator flags, used only with more than two annotators. Nothing is taken to be missing.
    """
    check_between("alpha", alpha)
    if union_positives is not None:
        check_whole("union_positives", union_positives)
    curves = []
    for name in dict.fromkeys(rule.slice for rule in rules if rule.statistic in FROM_FLAGS and rule.slice != TRAFFIC):
        here = [rule for rule in rules if rule.slice == name]
        judged = tuple(rule for rule in here if rule.statistic in FROM_FLAGS)
        assumed = tuple(rule for rule in here if rule.statistic not in (*FROM_FLAGS, "union_positives"))
        asked = [int(r.threshold) for r in here if r.statistic == "union_positives" and r.at_least and r.threshold]
        n = max(asked, default=union_positives or DEFAULT_UNION_POSITIVES)
        if annotators == 2:
            chances = _exact_chances(judged, n, alpha, truths)
        else:
            chances = _simulated_chances(judged, n, alpha, truths, annotators, flag_rate, seed)
        points = tuple(zip(truths, chances, strict=True))
        curves.append(OperatingCurve(name, n, points, judged, assumed, annotators == 2))
    return curves


def pass_probability(rules: Sequence[Rule], union_positives: int, truth: Fraction, alpha: Fraction) -> Fraction:
    """Exactly how often two annotators whose true positive specific agreement is `truth` meet all these rules.

    rules: on FROM_FLAGS statistics. The chance that the joint positives are at least as many as the rules need.
    """
    check_whole("union_positives", union_positives)
    share_of("truth", truth)
    check_between("alpha", alpha)
    needed = fewest_joint_positives(rules, union_positives, alpha)
    if needed is None:
        return Fraction(0)
    return tail_at_least(needed, union_positives, truth / (2 - truth))


def fewest_joint_positives(rules: Sequence[Rule], union_positives: int, alpha: Fraction) -> int | None:
    """The fewest joint positives of so many union positives that meet all rules; None if even all of them do not.

    Each rule is monotone in the joint positives, so halving finds the place.
    """

    def met(joint: int) -> bool:
        flags = two_annotator_flags(joint, union_positives - joint, 0, 0)
        return all(compare(rule, read_flags(rule, flags, alpha).found) == "pass" for rule in rules)

    if not met(union_positives):
        return None
    low, high = -1, union_positives
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if met(middle) else (middle, high)
    return high


def curve_table(curve: OperatingCurve) -> str:
    """The curve as lines of text."""
    how = "exact" if curve.exact else f"simulated, {STUDIES:,} studies a line"
    lines = [f"slice {curve.slice}, {curve.union_positives} union positives ({how})", "  if the truth is   it passes"]
    lines += [f"  {float(truth):15.2f}   {_percent(chance):>9}" for truth, chance in curve.points]
    if curve.assumed:
        lines.append("  taken as met: " + ", ".join(dict.fromkeys(rule.statistic for rule in curve.assumed)))
    return "\n".join(lines)


def _percent(chance: float) -> str:
    return f"{100 * chance:.1f} %"


def _exact_chances(rules: Sequence[Rule], n: int, alpha: Fraction, truths: Sequence[Fraction]) -> list[float]:
    needed = fewest_joint_positives(rules, n, alpha)
    if needed is None:
        return [0.0] * len(truths)
    return [float(tail_at_least(needed, n, truth / (2 - truth))) for truth in truths]


def _simulated_chances(
    rules: Sequence[Rule],
    n: int,
    alpha: Fraction,
    truths: Sequence[Fraction],
    annotators: int,
    flag_rate: float,
    seed: int,
) -> list[float]:
    """Studies of n flagged items, flags per item beta-binomial with the true agreement as P(flag | another flag)."""
    chances = []
    for place, truth in enumerate(truths):
        shares = flags_on_flagged_items(float(truth), annotators, flag_rate)
        studies = np.random.default_rng([seed, place]).multinomial(n, shares, size=STUDIES)
        met = np.ones(STUDIES, dtype=bool)
        for rule in rules:
            met &= _met_by(rule, studies, alpha)
        chances.append(float(met.mean()))
    return chances


def flags_on_flagged_items(truth: float, annotators: int, flag_rate: float) -> NDArray[np.float64]:
    """Chance of 1 .. m flags on an item that has one: shape (m,).

    Beta-binomial with mean flag_rate and P(flag | another flag) = truth; no agreement beyond chance if truth is not
    above the flag rate.
    """
    from scipy.stats import betabinom  # scipy costs a second to import and only simulations need it

    correlation = min(max((truth - flag_rate) / (1 - flag_rate), 1e-6), 1 - 1e-6)
    spread = (1 - correlation) / correlation
    flags = np.arange(1, annotators + 1)
    chances = betabinom.pmf(flags, annotators, flag_rate * spread, (1 - flag_rate) * spread)
    return np.asarray(chances / chances.sum())


def _met_by(rule: Rule, studies: NDArray[np.int64], alpha: Fraction) -> NDArray[np.bool_]:
    """Which studies meet a rule. studies: shape (S, m), items with 1 .. m flags.

    Floating point throughout: thresholds lie on the grid the gate rounds to, so rounding first would change nothing.
    """
    threshold = rule.threshold
    if threshold is None:
        return np.zeros(len(studies), dtype=bool)
    annotators = studies.shape[1]
    statistic = FLAG_STATISTICS[rule.statistic]
    y, z = statistic.terms(np.arange(1, annotators + 1), np.full(annotators, annotators))
    value, lower, upper = simulated_bounds(y, z, studies, float(alpha), statistic.form)
    figure = {"value": value, "lower": lower, "upper": upper}[rule.judged_on]
    side = 1 if rule.at_least is not None else -1
    return np.asarray(side * (figure - float(threshold)) >= -1e-12)


def simulated_bounds(
    y: ArrayLike, z: ArrayLike, studies: NDArray[np.int64], alpha: float, form: Form
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Value, lower and upper bound of many studies of complete, independent items at once. Shape (S,) each.

    y, z: terms of an item of each kind that enters, shape (K,), one of them flagged by all. studies: items of each
        kind, shape (S, K).
    """
    from scipy.special import betaincinv  # scipy costs a second to import and only simulations need it here

    y, z = np.asarray(y, dtype=float), np.asarray(z, dtype=float)
    bottom = studies @ z
    p = studies @ y / bottom
    variance = (studies * (y - p[:, None] * z) ** 2).sum(axis=1) / bottom**2
    n_eff = np.where(variance > 1e-15, p * (1 - p) / np.maximum(variance, 1e-15), studies.sum(axis=1))
    lower = np.where(p <= 0, 0.0, betaincinv(np.maximum(p * n_eff, 1e-9), (1 - p) * n_eff + 1, alpha / 2))
    upper = upper_with_one_more(y, z, studies, np.full(len(z), z.max()), alpha / 2)
    if form == "share":
        return p, lower, upper
    value, low, high = (2 * share / (1 + share) for share in (p, lower, upper))
    return value, low, high
