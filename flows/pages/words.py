"""The words of the pages: one per idea, the same in HTML and Markdown."""

from __future__ import annotations

from schemas.report import Report, RuleRecord

VERDICT = {
    "pass": "Passed",
    "fail": "Blocked",
    "not_evaluable": "Not evaluable",
    "not_gated": "Not gated",
}
RULE_VERDICT = {"pass": "passed", "fail": "failed", "not_evaluable": "not evaluable"}
FAILED_AS = {
    "shown_below": "shown to lie below: mend the guideline",
    "shown_above": "shown to lie above: mend the guideline",
    "not_shown": "not shown: the interval holds the threshold",
}
KIND = {
    "pilot": "pilot round",
    "measured": "measured round",
    "relabel": "relabel round",
    "retrospective": "retrospective round",
}
CLOSED_HOW = {
    "registered-stop": "by the registered stop",
    "complete": "every assigned label is in",
    "incomplete": "closed incomplete",
    "cut-short": "cut short: shown, not gated",
}
MISSING_KIND = {
    "never_shown": "Never shown",
    "draft": "Draft",
    "skipped": "Skipped",
    "submitted_empty": "Submitted empty",
    "no_row": "No row",
}
# A grade that lets a round pass and yet has to be said before anything else.
LESSER_GRADE = "registered before results"
COMPARISON = {"at_least": "at least", "at_most": "at most"}
JUDGED_ON = {"value": "value", "lower": "lower bound", "upper": "upper bound"}

# statistic -> (name, what it answers)
_STATISTICS = {
    "percent_agreement": (
        "Raw agreement",
        "How often the same label. Mostly: how rare the positive label is.",
    ),
    "percent_agreement_pooled_pairs": (
        "Raw agreement, pooled pairs",
        "The same over all pairs of labels at once.",
    ),
    "cohen_kappa": ("Cohen’s kappa", "Share of the room above chance agreement that was reached."),
    "cohen_kappa_expected_agreement": (
        "Floor: expected agreement",
        "Raw agreement of two people who label as often and never look.",
    ),
    "max_agreement": ("Ceiling: most possible agreement", "The most these two flag rates allow."),
    "cohen_kappa_max": ("Ceiling: largest possible kappa", "The most kappa these two flag rates allow."),
    "share_of_max": ("Share of the possible", "Kappa as a share of that ceiling."),
    "weighted_kappa": ("Weighted kappa", "Kappa in which near misses count in part, by the registered weights."),
    "scott_pi": ("Scott’s pi", "Like kappa, with chance taken from both annotators together."),
    "fleiss_kappa": ("Fleiss’ kappa", "Chance-corrected agreement of any number of annotators."),
    "conger_kappa": ("Conger’s kappa", "Kappa of several annotators, each with own flag rate."),
    "krippendorff_alpha": (
        "Krippendorff’s alpha",
        "The same correction, also for more annotators and gaps.",
    ),
    "gwet_ac1": (
        "Gwet’s AC1",
        "Assumes that agreement on a rare label is hardly ever luck. That assumption makes it high, "
        "not the annotators.",
    ),
    "gwet_ac2": (
        "Gwet’s AC2",
        "AC1 in which near misses count in part, by the registered weights. The same assumption makes it high.",
    ),
    "brennan_prediger": (
        "Brennan-Prediger",
        "Assumes that chance would use every category equally often.",
    ),
    "positive_specific_agreement": (
        "Positive specific agreement",
        "If one flags, how often does the other?",
    ),
    "negative_specific_agreement": (
        "Negative specific agreement",
        "If one does not flag, how often does the other not?",
    ),
    "chance_positive_specific_agreement": (
        "Positive specific agreement by chance",
        "What two independent annotators at these flag rates would have.",
    ),
    "specific_agreement": ("Specific agreement", "If one says this category, how often does the other?"),
    "jaccard": ("Jaccard", "Joint positives as a share of union positives."),
    "contested_share": ("Contested share", "Share of union positives that not all flagged."),
    "positive_share": ("Positive share", "Mean share of an item’s labels that are positive."),
    "union_positive_rate": ("Union positive rate", "Share of paired items flagged by at least one."),
    "joint_positive_rate": ("Joint positive rate", "Share of paired items flagged by all."),
    "prevalence_index": ("Prevalence index", "How unequal the classes are: 0 equal, 1 or −1 one class only."),
    "bias_index": ("Bias index", "How far the two flag rates lie apart."),
    "coverage": ("Coverage", "Items with at least two own labels of one version, of the slice’s frame."),
    "flagged_coverage": ("Flagged coverage", "Flagged items with every assigned label, of all flagged."),
    "union_positives": ("Union positives", "Items flagged by at least one."),
    "joint_positives": ("Joint positives", "Items flagged by all."),
    "paired_items": ("Paired items", "Items with at least two own labels of one version."),
    "abstention_rate": ("Abstention rate", "Share of assigned labels that were abstentions."),
    "missing_rate": ("Missing rate", "Share of assigned labels that are missing."),
}
_ALIASES = {
    "expected_agreement": "cohen_kappa_expected_agreement",
    "kappa_max": "cohen_kappa_max",
    "observed_agreement": "percent_agreement",
    "maximum_agreement": "max_agreement",
}

_INTERVALS = {
    "beta": "Clopper-Pearson on n_eff",
    "bca": "BCa bootstrap over patterns",
    "percentile": "percentile bootstrap",
    "linearised": "linearised",
}


def statistic_key(name: str) -> str:
    """The name under which the pages know a statistic."""
    return _ALIASES.get(name, name)


def statistic(name: str, category: str | None = None) -> str:
    """A statistic's name for people, with the category it speaks of. An unknown one is its key with spaces."""
    key = statistic_key(name)
    label = _STATISTICS[key][0] if key in _STATISTICS else key.replace("_", " ").capitalize()
    return f"{label}: {category}" if category is not None else label


def answers(name: str) -> str:
    """What a statistic answers, one line; "" for one the pages do not know."""
    return _STATISTICS.get(statistic_key(name), ("", ""))[1]


def interval_method(name: str) -> str:
    return _INTERVALS.get(name, name)


def in_a_sentence(name: str, category: str | None = None) -> str:
    """The statistic's name inside a sentence: lower case unless it starts with a person's name."""
    label = statistic(name, category)
    return label if "’" in label.split(" ")[0] or label.startswith("Brennan") else label[0].lower() + label[1:]


NOTHING_SUSPICIOUS = (
    "Looked for: one person behind several passes, identical labels, a pair far more alike than all others, copied "
    "files. Nothing of it was seen, which does not prove blindness."
)


def asked(rule: RuleRecord) -> str:
    """ "lower bound at least 0.40" """
    on = "" if rule.judged_on == "value" and "." not in rule.asked else JUDGED_ON[rule.judged_on] + " "
    worst = ", missing labels counted at their worst" if rule.missing == "worst" else ""
    return f"{on}{COMPARISON[rule.comparison]} {rule.asked}{worst}"


_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def number_word(n: int) -> str:
    """Small numbers as words, for sentences."""
    return _NUMBERS[n] if 0 <= n < len(_NUMBERS) else f"{n:,}"


def plural(n: int, one: str, many: str | None = None) -> str:
    """ "1 rule", "2 rules", "1,000 items" """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def lesser_grade(report: Report) -> str:
    """ "registered before results" where that is the round's grade, else ""."""
    is_lesser = report.registration is not None and report.registration.grade == LESSER_GRADE
    return LESSER_GRADE if is_lesser else ""
