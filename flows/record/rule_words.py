"""A rule's result in words: what it means, what was found on which counts, and what would change it."""

from __future__ import annotations

from collections.abc import Mapping

from agreement.gate import RuleResult
from agreement.rounding import display
from agreement.rules import STATISTICS

_AGREEMENT = {
    "pass": "Agreement is shown to be what was asked",
    "shown_below": "Agreement lies below what was asked",
    "not_shown": "Agreement is not shown to reach what was asked",
}
_HEADLINES = {
    ("specific", "pass"): "Agreement on flags is shown",
    ("specific", "shown_below"): "Agreement on flags lies below what was asked",
    ("specific", "not_shown"): "Agreement on flags is not shown to reach what was asked",
    ("chance", "pass"): "Agreement beats what chance would give",
    ("chance", "shown_below"): "Agreement does not beat chance by what was asked",
    ("chance", "not_shown"): "Agreement is not shown to beat chance by what was asked",
    ("count", "pass"): "Enough positives to decide on",
    ("count", "not_shown"): "Too few positives to decide on",
    ("coverage", "pass"): "Enough of the labels are there",
    ("coverage", "fail"): "Too many labels are missing",
}


def headline(result: RuleResult) -> str:
    """One clause that says what the result means."""
    if result.verdict == "not_evaluable":
        return "Nothing to measure" if result.value is None else "No interval to judge by"
    family = STATISTICS[result.rule.statistic].family
    how = "pass" if result.verdict == "pass" else (result.failed_as or "fail")
    return _HEADLINES.get((family, how)) or _AGREEMENT.get(how) or "The threshold is not met"


def reason(result: RuleResult, annotators: int) -> str:
    """Counts before coefficients, then what was asked."""
    counts = result.counts
    parts = []
    union, joint = counts.get("union_positives"), counts.get("joint_positives")
    if union is not None and joint is not None:
        by_all = "flagged by both" if annotators == 2 else "flagged by everyone who labelled them"
        parts.append(f"{joint:,} of {union:,} flagged items {by_all}.")
    else:
        parts += [_share(counts)] if len(counts) == 2 else []
    if result.value is not None and STATISTICS[result.rule.statistic].kind != "count":
        parts.append(f"{_name(result)} {figure(result)}.")
    if result.verdict == "not_evaluable":
        parts.append(f"{result.reason[:1].upper()}{result.reason[1:]}. Undefined is not zero and not a pass.")
    return " ".join(parts)


def figure(result: RuleResult) -> str:
    """ "0.17 [0.04 to 0.32]" with as many digits as the verdict needs."""
    asked = result.rule.threshold_text
    shown_value = result.found if result.rule.judged_on == "value" and result.rule.missing == "observed" else None
    value = display(shown_value, asked) if shown_value else display(_plain(result))
    if result.lower_text is None or result.upper_text is None:
        return value
    return f"{value} [{display(result.lower_text)} to {display(result.upper_text)}]"


def change(result: RuleResult, seconds_per_label: int | None, passes: int) -> str:
    """What would turn this rule; "" where it passed."""
    if result.verdict == "pass":
        return ""
    if result.verdict == "not_evaluable" and result.value is not None:
        return (
            "More items on which annotators can differ: resampling these gives one value, or too few positives. "
            "Where everybody agrees on everything, look first whether the labels are independent."
        )
    if result.verdict == "not_evaluable":
        return "The sample. Draw items where flags can be expected, or leave this slice out of the next registration."
    family = STATISTICS[result.rule.statistic].family
    if family == "coverage":
        return "The labels that are missing: bring them in with the next round, and settle what made people abstain."
    if result.further is None:
        return "The guideline: read what people disagree on, and settle it in the next version."
    sentence = result.further.sentence
    text = f"{sentence[:1].upper()}{sentence[1:]}"
    if result.further.more_items is not None and seconds_per_label is not None:
        hours = result.further.more_items * passes * seconds_per_label / 3600
        text += f", {hours:,.1f} person-hours at {seconds_per_label} seconds a label"
    more_may_help = result.further.more_items is not None
    return f"{text}." if more_may_help else f"The guideline. {text}."


def tipping(result: RuleResult) -> str:
    """At which number of missing labels the verdict would change."""
    point = result.tipping
    if point is None:
        return ""
    missing = f"{point.missing:,} missing label{'s' if point.missing > 1 else ''}"
    if point.flags is None:
        return f"No number of flags among the {missing} would change this."
    if point.flags == 0:
        return f"This would change if the {missing} were there, even if none of them was a flag."
    return f"This would change if {point.flags:,} of the {missing} were flags, placed as hurts or helps most."


def _share(counts: Mapping[str, int]) -> str:
    """Of two counts, the first as a part of the second."""
    (top, n), (bottom, of) = counts.items()
    return f"{n:,} {top.replace('_', ' ')} of {of:,} {bottom.replace('_', ' ')}."


def _name(result: RuleResult) -> str:
    name = result.rule.statistic.replace("_", " ").replace("krippendorff alpha", "Krippendorff’s alpha")
    name = name.replace("cohen kappa", "Cohen’s kappa").replace("gwet ac1", "Gwet’s AC1")
    name = f"{name} on {result.rule.category}" if result.rule.category else name
    return f"{name[:1].upper()}{name[1:]}"


def _plain(result: RuleResult) -> str:
    from agreement.rounding import floor_text

    return floor_text(result.value) if result.value is not None else ""
