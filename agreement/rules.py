"""The rules a study may register: which statistics there are, and what makes a set of rules acceptable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from agreement.errors import Problem
from agreement.rounding import parse_decimal

JudgedOn = Literal["value", "lower", "upper"]
Missing = Literal["observed", "worst"]

TRAFFIC = "traffic"  # the one slice name that stands for all cells, weighted


@dataclass(frozen=True)
class Rule:
    """A threshold on one statistic of one slice. Exactly one of at_least and at_most is decimal text.

    category: for `specific_agreement`, whose agreement. judged_on: the value, or the bound beside the threshold.
    missing: "worst" judges the worst case over what the missing and abstained labels could have been.
    because: why; required for `gwet_ac1` and `gwet_ac2`.
    """

    slice: str
    statistic: str
    at_least: str | None = None
    at_most: str | None = None
    category: str | None = None
    judged_on: JudgedOn = "value"
    missing: Missing = "observed"
    because: str | None = None

    @property
    def threshold_text(self) -> str | None:
        return self.at_least if self.at_least is not None else self.at_most

    @property
    def threshold(self) -> Fraction | None:
        """The threshold as a number; None if its text is not one."""
        return parse_decimal(self.threshold_text)


@dataclass(frozen=True)
class Definition:
    """What a rule's statistic is.

    version: changes whenever the same labels would give another figure; registered, and self-checked.
    kind: count (a whole number), rate (0 to 1), coefficient (-1 to 1).
    family: specific (agreement on a category), chance (corrected for chance), raw, share (of what was flagged),
        count, or coverage (of what was assigned).
    positive: it needs the study to declare positive categories. annotators: exactly so many, if not None.
    weights: it needs the study to say how far two of its ordered categories agree. because: it needs a reason.
    interval: it has bounds to be judged on. worst: its worst case over missing labels is known; worst_bound: that of
        its bound as well. traffic: it can be weighted to traffic.
    """

    version: str
    kind: Literal["count", "rate", "coefficient"]
    family: Literal["specific", "chance", "raw", "share", "count", "coverage"]
    positive: bool = False
    annotators: int | None = None
    weights: bool = False
    because: bool = False
    interval: bool = False
    worst: bool = False
    worst_bound: bool = False
    traffic: bool = False

    @property
    def lowest(self) -> int:
        return -1 if self.kind == "coefficient" else 0


def _specific(name: str, positive: bool) -> Definition:
    return Definition(
        f"{name}/1", "rate", "specific", positive, interval=True, worst=True, worst_bound=True, traffic=True
    )


def _chance(name: str, annotators: int | None = None, *, weights: bool = False, because: bool = False) -> Definition:
    return Definition(
        f"{name}/1", "coefficient", "chance", annotators=annotators, weights=weights, because=because, interval=True
    )


STATISTICS: dict[str, Definition] = {
    "union_positives": Definition("union_positives/1", "count", "count", positive=True),
    "joint_positives": Definition("joint_positives/1", "count", "count", positive=True),
    "paired_items": Definition("paired_items/1", "count", "count"),
    "positive_specific_agreement": _specific("positive_specific_agreement", positive=True),
    "negative_specific_agreement": _specific("negative_specific_agreement", positive=True),
    "specific_agreement": _specific("specific_agreement", positive=False),
    "percent_agreement": Definition("percent_agreement/1", "rate", "raw", interval=True, worst=True),
    "cohen_kappa": _chance("cohen_kappa", annotators=2),
    "weighted_kappa": _chance("weighted_kappa", annotators=2, weights=True),
    "scott_pi": _chance("scott_pi", annotators=2),
    "fleiss_kappa": _chance("fleiss_kappa"),
    "conger_kappa": _chance("conger_kappa"),
    "krippendorff_alpha": _chance("krippendorff_alpha"),
    "gwet_ac1": _chance("gwet_ac1", because=True),
    "gwet_ac2": _chance("gwet_ac2", weights=True, because=True),
    "brennan_prediger": _chance("brennan_prediger"),
    "jaccard": Definition(
        "jaccard/1", "rate", "share", True, interval=True, worst=True, worst_bound=True, traffic=True
    ),
    "contested_share": Definition(
        "contested_share/1", "rate", "share", True, interval=True, worst=True, worst_bound=True, traffic=True
    ),
    "union_positive_rate": Definition("union_positive_rate/1", "rate", "share", True, interval=True, traffic=True),
    "positive_share": Definition("positive_share/1", "rate", "share", True, interval=True, traffic=True),
    "coverage": Definition("coverage/1", "rate", "coverage"),
    "flagged_coverage": Definition("flagged_coverage/1", "rate", "coverage", positive=True),
    "abstention_rate": Definition("abstention_rate/1", "rate", "coverage"),
    "missing_rate": Definition("missing_rate/1", "rate", "coverage"),
}

# These stay high however rare the positive label is, so they do not show that agreement beats chance on it.
HIGH_ON_RARE_LABELS = ("gwet_ac1", "gwet_ac2", "brennan_prediger")


def check_rules(
    rules: Sequence[Rule],
    *,
    categories: Sequence[str],
    positive: Sequence[str],
    n_annotators: int,
    slices: Iterable[str],
    traffic: bool = False,
    weights: bool = False,
) -> list[Problem]:
    """Everything that keeps these rules from being registered; empty if nothing does.

    n_annotators: labels asked for per item. traffic: whether the study declared the weighted slice `traffic`.
    weights: whether it declared agreement weights over its ordered categories.
    """
    if not rules:
        return [_problem(None, "no-rules", "the gate has no rules", "Add rules: nothing evaluated is not a pass.")]
    known = (*slices, TRAFFIC) if traffic else tuple(slices)
    found: list[Problem] = []
    for place, rule in enumerate(rules):
        found += _check_names(place, rule, categories, known)
        definition = STATISTICS.get(rule.statistic)
        if definition is not None:
            found += _check_threshold(place, rule, definition)
            found += _check_needs(place, rule, definition, positive, n_annotators, weights)
            found += _check_company(place, rule, definition, rules)
        if rule in rules[:place]:
            found.append(_problem(place, "rule-twice", "the same rule stands twice", "Remove one of them."))
    families = {STATISTICS[rule.statistic].family for rule in rules if rule.statistic in STATISTICS}
    if not found and not families & {"specific", "chance", "raw", "share"}:
        message = "no rule is on agreement, so the gate would pass labels nobody agrees on"
        fix = "Add a rule on agreement, such as positive_specific_agreement with its company."
        found.append(_problem(None, "no-agreement-rule", message, fix))
    return found


def _check_names(place: int, rule: Rule, categories: Sequence[str], slices: Sequence[str]) -> Iterable[Problem]:
    if rule.slice not in slices:
        fix = f"Name one of: {', '.join(slices)}."
        if rule.slice == TRAFFIC:
            fix += " The weighted slice `traffic` must be declared by the study."
        yield _problem(place, "rule-slice", "no such slice", fix, "slice", rule.slice)
    if rule.statistic not in STATISTICS:
        fix = f"Name one of: {', '.join(STATISTICS)}."
        yield _problem(place, "rule-statistic", "no such statistic", fix, "statistic", rule.statistic)
    if rule.statistic == "specific_agreement" and rule.category not in categories:
        fix = f"Name one of: {', '.join(categories)}."
        yield _problem(place, "rule-category", "the rule names no declared category", fix, "category", rule.category)
    if rule.statistic != "specific_agreement" and rule.category is not None:
        fix = "Remove it; only specific_agreement speaks of one category."
        yield _problem(place, "rule-category", "this statistic has no category", fix, "category", rule.category)


def _check_threshold(place: int, rule: Rule, definition: Definition) -> Iterable[Problem]:
    if (rule.at_least is None) == (rule.at_most is None):
        yield _problem(place, "rule-threshold", "needs exactly one of at_least and at_most", "Keep one of them.")
        return
    side = "at_least" if rule.at_least is not None else "at_most"
    value, text = rule.threshold, rule.threshold_text
    shown = text if isinstance(text, str) else repr(text)
    if value is None:
        fix = 'Write it as quoted decimal text with at most four places, such as "0.65".'
        yield _problem(place, "rule-threshold", "the threshold is not decimal text", fix, side, shown)
    elif definition.kind == "count":
        if value < 0 or value.denominator != 1 or not str(text).isdecimal():
            fix = 'Write a whole number, such as "100".'
            yield _problem(place, "rule-threshold", "the threshold of a count is not whole", fix, side, shown)
    elif not definition.lowest <= value <= 1 or (definition.lowest == 0 and str(text).startswith("-")):
        fix = f"Write a number from {definition.lowest} to 1."
        yield _problem(place, "rule-threshold", "the threshold is out of range", fix, side, shown)


def _check_needs(
    place: int, rule: Rule, definition: Definition, positive: Sequence[str], n_annotators: int, weights: bool
) -> Iterable[Problem]:
    if definition.positive and not positive:
        fix = "Declare which categories are positive."
        yield _problem(place, "rule-needs-positive", "needs a positive category", fix, "statistic", rule.statistic)
    if definition.weights and not weights:
        fix = "Declare the scale of the ordered categories and `weights:`, such as `scale: ordinal`, `weights: linear`."
        message = "needs weights: how far two different categories agree"
        yield _problem(place, "rule-needs-weights", message, fix, "statistic", rule.statistic)
    if definition.annotators is not None and n_annotators != definition.annotators:
        fix = "Use krippendorff_alpha or fleiss_kappa."
        message = f"is for two annotators and the study asks {n_annotators} per item"
        yield _problem(place, "rule-annotators", message, fix, "statistic", rule.statistic)
    sides = ("value", "lower") if rule.at_least is not None else ("value", "upper")
    if rule.judged_on not in (sides if definition.interval else sides[:1]):
        fix = f"Judge it on {' or '.join(sides if definition.interval else sides[:1])}."
        yield _problem(place, "rule-judged-on", "cannot be judged on this", fix, "judged_on", rule.judged_on)
    bound_known = definition.worst_bound and (rule.at_most is None or rule.statistic == "contested_share")
    known = definition.worst if rule.judged_on == "value" else bound_known
    if rule.missing == "worst" and not known:
        fix = "Use `missing: observed`, or a rule on specific agreement, jaccard or contested_share."
        yield _problem(place, "rule-missing", "the worst case of this is not known", fix, "missing", rule.missing)
    if rule.slice == TRAFFIC and not definition.traffic:
        fix = "Name a slice that was drawn at one rate."
        yield _problem(place, "rule-traffic", "cannot be weighted to traffic", fix, "statistic", rule.statistic)
    if definition.because and not (rule.because or "").strip():
        fix = "Add `because:` with the reason, or use krippendorff_alpha."
        message = f"a rule on {rule.statistic} needs a reason"
        yield _problem(place, "rule-needs-because", message, fix, "statistic", rule.statistic)


def _check_company(place: int, rule: Rule, definition: Definition, rules: Sequence[Rule]) -> Iterable[Problem]:
    # No chance-corrected figure is weighted to traffic, so there the company may stand on any slice.
    beside = [other for other in rules if other.slice == rule.slice or rule.slice == TRAFFIC]
    if definition.family == "specific" and not _any(beside, _beats_chance):
        fix = 'Add krippendorff_alpha with `judged_on: lower, at_least: "0"` on the same slice.'
        message = "a rule on specific agreement stands without a chance-corrected rule on the same slice"
        yield _problem(place, "rule-without-chance", message, fix, "statistic", rule.statistic)
    agreement = definition.family in ("specific", "chance", "raw") or rule.statistic in ("jaccard", "contested_share")
    if agreement and rule.judged_on == "value" and not _any(beside, _shows_enough):
        fix = "Add a rule judged on `lower`, or one on union_positives, on the same slice."
        message = "a rule on a value passes half of the studies whose truth is just that"
        yield _problem(place, "rule-without-bound", message, fix, "statistic", rule.statistic)


def _any(rules: Iterable[Rule], test: Callable[[Rule], bool]) -> bool:
    return any(test(rule) for rule in rules)


def _beats_chance(rule: Rule) -> bool:
    definition = STATISTICS.get(rule.statistic)
    chance = definition is not None and definition.family == "chance"
    return chance and rule.statistic not in HIGH_ON_RARE_LABELS and rule.at_least is not None


def _shows_enough(rule: Rule) -> bool:
    if rule.at_least is None:
        return rule.judged_on == "upper"
    return rule.judged_on == "lower" or rule.statistic == "union_positives"


def _problem(
    place: int | None, code: str, message: str, fix: str, key: str | None = None, value: str | None = None
) -> Problem:
    column = "gate.rules" if place is None else f"gate.rules[{place}]" + (f".{key}" if key else "")
    return Problem(code=code, message=message, fix=fix, column=column, value=value)
