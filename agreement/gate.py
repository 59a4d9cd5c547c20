"""The gate: registered rules, the evidence of each slice, one verdict with a reason per rule. Reads and writes nothing.

Only the declared rules are looped over. A rule passes if a finite decimal, rounded against it, meets its threshold;
what has no value is not evaluable and never a pass; no rules is not a pass either.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from agreement.flag_statistics import FLAG_STATISTICS, OTHER_CATEGORIES
from agreement.flags import Flags
from agreement.inputs import check_between, check_whole
from agreement.planning import attempt_level, positives_for_lower
from agreement.readings import Reading, SliceEvidence, read, read_flags, rule_flags
from agreement.rounding import display, parse_decimal
from agreement.rules import STATISTICS, TRAFFIC, Definition, Rule, check_rules
from agreement.tipping import TippingPoint, tipping_point

__all__ = [
    "STATISTICS",
    "Definition",
    "Further",
    "Rule",
    "RuleResult",
    "SliceEvidence",
    "Verdict",
    "bound_alpha",
    "check_rules",
    "judge",
]

Status = Literal["pass", "fail", "not_evaluable"]
FailedAs = Literal["shown_below", "shown_above", "not_shown"]

EXIT_CODES: dict[Status, int] = {"pass": 0, "fail": 4, "not_evaluable": 5}


@dataclass(frozen=True)
class Further:
    """What it would take.

    union_positives: how many a further attempt needs in all; more_items: about how many items more that is at the
        density seen; joint_positives: how many of the present union positives would have to be flagged by all.
    sentence: the same in words, or why more labels cannot help.
    """

    sentence: str
    union_positives: int | None = None
    more_items: int | None = None
    joint_positives: int | None = None


@dataclass(frozen=True)
class RuleResult:
    """One rule's verdict.

    failed_as: `shown_below` (for at_most: `shown_above`) if the whole observed interval lies on the wrong side, so
        the guideline needs mending; `not_shown` if the interval holds the threshold, or a count is short, so more
        labels may help; None for what has no interval, and for a rule that did not fail.
    found: the decimal that was compared, None if there is none. value, lower_text, upper_text: the figure as observed.
    asked, reason: parts of a sentence. tipping: None where nothing is missing or the statistic has none.
    """

    rule: Rule
    verdict: Status
    asked: str
    reason: str
    found: str | None = None
    failed_as: FailedAs | None = None
    value: Fraction | None = None
    lower_text: str | None = None
    upper_text: str | None = None
    n_eff: float | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    tipping: TippingPoint | None = None
    further: Further | None = None


@dataclass(frozen=True)
class Verdict:
    """status: fail if any rule fails; else not_evaluable if any is, or there are no rules; else pass.

    results: in the order the rules were declared. alpha: what both bounds of each interval together could miss.
    """

    status: Status
    results: tuple[RuleResult, ...]
    alpha: Fraction

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.status]


def judge(
    rules: Sequence[Rule],
    slices: Mapping[str, SliceEvidence],
    level: str | Fraction = "0.95",
    attempts: int = 1,
) -> Verdict:
    """The verdict on a round.

    slices: evidence by slice name; a declared slice that is absent is not evaluable.
    level: of the study's intervals, as decimal text. attempts: how many the registration allows; every bound is taken
        at level 1 - (1 - level) / attempts, and so must be the estimates in the evidence.
    """
    alpha = bound_alpha(level, attempts)
    results = tuple(judge_rule(rule, slices.get(rule.slice), alpha) for rule in rules)
    verdicts = {result.verdict for result in results}
    status: Status = "pass"
    if "fail" in verdicts:
        status = "fail"
    elif not results or "not_evaluable" in verdicts:
        status = "not_evaluable"
    return Verdict(status, results, alpha)


def bound_alpha(level: str | Fraction, attempts: int = 1) -> Fraction:
    """What both bounds of an interval together may miss: (1 - level) / attempts.

    >>> bound_alpha("0.95"), bound_alpha("0.95", attempts=2)
    (Fraction(1, 20), Fraction(1, 40))
    """
    exact = parse_decimal(level) if isinstance(level, str) else level
    check_between("level", exact)
    check_whole("attempts", attempts, 1)
    return 1 - attempt_level(Fraction(exact or 0), attempts)


def judge_rule(rule: Rule, evidence: SliceEvidence | None, alpha: Fraction) -> RuleResult:
    """One rule on the evidence of its slice."""
    asked = asked_text(rule)
    if evidence is None:
        return RuleResult(rule, "not_evaluable", asked, "no labels of this slice")
    reading = read(rule, evidence, alpha)
    verdict = compare(rule, reading.found)
    return RuleResult(
        rule=rule,
        verdict=verdict,
        asked=asked,
        reason=_reason(rule, reading, verdict),
        found=reading.found,
        failed_as=_failed_as(rule, reading) if verdict == "fail" else None,
        value=reading.value,
        lower_text=reading.lower_text,
        upper_text=reading.upper_text,
        n_eff=reading.n_eff,
        counts=reading.counts,
        tipping=_tipping(rule, evidence, alpha),
        further=_what_it_takes(rule, evidence, reading, alpha) if verdict == "fail" else None,
    )


def compare(rule: Rule, found: str | None) -> Status:
    """The decimal found against the threshold, as fractions. Anything that is not a number is not evaluable."""
    threshold = rule.threshold
    if found is None or threshold is None or (rule.at_least is None) == (rule.at_most is None):
        return "not_evaluable"
    met = Fraction(found) >= threshold if rule.at_least is not None else Fraction(found) <= threshold
    return "pass" if met else "fail"


def asked_text(rule: Rule) -> str:
    """What the rule asks, in words.

    >>> asked_text(Rule("flagged", "positive_specific_agreement", at_least="0.40", judged_on="lower", missing="worst"))
    'positive specific agreement, lower bound, worst case of the missing labels, at least 0.40'
    """
    name = rule.statistic.replace("_", " ") + (f" on {rule.category}" if rule.category is not None else "")
    parts = [name]
    if rule.judged_on != "value":
        parts.append(f"{rule.judged_on} bound")
    if rule.missing == "worst":
        parts.append("worst case of the missing labels")
    side = "at least" if rule.at_least is not None else "at most"
    return f"{', '.join(parts)}, {side} {rule.threshold_text}"


def _reason(rule: Rule, reading: Reading, verdict: Status) -> str:
    if verdict == "not_evaluable":
        return reading.status if reading.status != "ok" else "the threshold is not a number"
    found, asked = reading.found or "", rule.threshold_text or ""
    is_count = STATISTICS[rule.statistic].kind == "count"
    shown = found if is_count else display(found, asked)
    outcome = "passed" if verdict == "pass" else "failed"
    exactly = ", exactly" if Fraction(found) == rule.threshold else ""
    return f"{shown}, asked {'at least' if rule.at_least is not None else 'at most'} {asked}: {outcome}{exactly}"


def _failed_as(rule: Rule, reading: Reading) -> FailedAs | None:
    threshold = rule.threshold
    if STATISTICS[rule.statistic].kind == "count":
        return "not_shown"
    if threshold is None or reading.lower_text is None or reading.upper_text is None:
        return None
    if rule.at_least is not None:
        return "shown_below" if Fraction(reading.upper_text) < threshold else "not_shown"
    return "shown_above" if Fraction(reading.lower_text) > threshold else "not_shown"


def _tipping(rule: Rule, evidence: SliceEvidence, alpha: Fraction) -> TippingPoint | None:
    """Only for statistics of the positives, and of one slice: traffic weighs missing labels by cell."""
    definition = STATISTICS.get(rule.statistic)
    if definition is None or not definition.worst or rule.statistic not in FLAG_STATISTICS or rule.slice == TRAFFIC:
        return None
    if not evidence.positive or rule.statistic in OTHER_CATEGORIES:
        return None
    flags = rule_flags(rule, evidence)

    def passes(filled: Flags) -> bool | None:
        verdict = compare(rule, read_flags(rule, filled, alpha).found)
        return None if verdict == "not_evaluable" else verdict == "pass"

    return None if flags is None else tipping_point(FLAG_STATISTICS[rule.statistic], flags, passes)


def _what_it_takes(rule: Rule, evidence: SliceEvidence, reading: Reading, alpha: Fraction) -> Further | None:
    """Where only labels that did not come in stand in the way, more items would not help: they would miss some too."""
    observed = replace(rule, missing="observed")
    if rule.missing == "worst" and compare(observed, read(observed, evidence, alpha).found) == "pass":
        return Further(
            "the labels that came in pass; those that are missing, at their worst, do not: see that they come in"
        )
    return _further(rule, reading, alpha)


def _further(rule: Rule, reading: Reading, alpha: Fraction) -> Further | None:
    """What a failed rule would need, for union positives and for agreement on a category."""
    threshold = rule.threshold
    if threshold is None or rule.at_least is None:
        return None
    by_any = "said_by_any" if rule.statistic in OTHER_CATEGORIES else "union_positives"
    union, items = reading.counts.get(by_any, 0), reading.counts.get("paired_items", 0)
    if rule.statistic == "union_positives":
        short = int(threshold) - union
        more = math.ceil(Fraction(short * items, union)) if union else None
        about = f": about {more:,} more items, if they stay as dense" if more is not None else ""
        return Further(f"{short:,} short{about}", int(threshold), more)
    if STATISTICS[rule.statistic].family != "specific" or reading.value is None:
        return None
    if rule.judged_on == "value" or reading.value <= threshold:
        joint = math.ceil(union * threshold / (2 - threshold))
        said = "flagged" if by_any == "union_positives" else "labelled so"
        relation = "below" if reading.value < threshold else "at"
        start = (
            f"of {union:,} items {said}, {joint:,} would have to be {said} by all"
            if rule.judged_on == "value"
            else f"more labels cannot fix this: the value itself is {relation} {rule.threshold_text}"
        )
        return Further(start, joint_positives=joint)
    return _more_positives(reading, threshold, alpha, union, items)


def _more_positives(reading: Reading, threshold: Fraction, alpha: Fraction, union: int, items: int) -> Further:
    """Union positives at which the lower bound of the same value would reach the threshold."""
    trials = positives_for_lower(float(reading.value or 0), float(threshold), 1 - alpha)
    if trials is None or not reading.n_eff:
        return Further("no number of labels would be enough at this value")
    needed = max(union + 1, math.ceil(trials * union / reading.n_eff))
    more = math.ceil(Fraction((needed - union) * items, union))
    sentence = f"about {needed:,} union positives would be needed at this value: about {more:,} more items"
    return Further(sentence, needed, more)
