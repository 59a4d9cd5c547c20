"""What the figures would be otherwise: with missing labels filled in, or under other rules for counting them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from agreement.alpha import krippendorff_alpha
from agreement.counts import count_vectors
from agreement.exact import exactly
from agreement.flag_statistics import FLAG_STATISTICS
from agreement.flags import flags_of
from agreement.missing import Scenario as Filling
from agreement.missing import abstention_as_category, extremes, fill, percent_agreement_extremes
from agreement.patterns import ABSTAINED, MISSING, Patterns
from agreement.percent import percent_agreement
from agreement.rounding import ceil_text, floor_text
from agreement.specific import positive_specific_agreement
from schemas.report import RuleTableRow, Scenario
from schemas.study import Study

ABSTENTION = "abstained"  # the category abstentions become in the rule table


def scenarios(study: Study, patterns: Patterns) -> list[Scenario]:
    """Worst and best of the figures that only go one way, two named ways for alpha; nothing if nothing is missing."""
    if not ((patterns.codes <= MISSING) & (patterns.multiplicity > 0)[:, None]).any():
        return []
    ends = percent_agreement_extremes(patterns)
    found = [_scenario("percent_agreement", ends.lowest, ends.highest)]
    positive = study.positive_mask()
    if any(positive):
        flags = flags_of(patterns, positive)
        for name in ("positive_specific_agreement", "jaccard"):
            ends = extremes(FLAG_STATISTICS[name], flags)
            found.append(_scenario(name, ends.lowest, ends.highest))
    if study.scale == "nominal":
        worst, best = (_alpha(fill(patterns, way)) for way in _WAYS)
        found.append(_scenario("krippendorff_alpha", worst, best, "scenarios"))
    return found


def rule_table(study: Study, by_rule: Mapping[str, Patterns]) -> list[RuleTableRow]:
    """The figures under each duplicate rule, with abstentions as missing and as a category. The registered row first.

    by_rule: what each rule counts; the registered one first. Only where either makes a difference.
    """
    abstained = any((p.codes == ABSTAINED).any() for p in by_rule.values())
    if len(by_rule) == 1 and not abstained:
        return []
    rows = []
    for rule, patterns in by_rule.items():
        rows.append(_row(study, rule, "missing", patterns))
        if abstained:
            rows.append(_row(study, rule, "category", abstention_as_category(patterns, ABSTAINED, ABSTENTION)))
    return rows


_WAYS: tuple[Filling, Filling] = ("partners_disagree", "partners_agree")


def _row(study: Study, rule: str, abstentions: str, patterns: Patterns) -> RuleTableRow:
    vectors, multiplicity = count_vectors(patterns)
    positive = np.append(study.positive_mask(), [False] * (len(patterns.categories) - len(study.categories)))
    figures = {"percent_agreement": exactly(percent_agreement, vectors, multiplicity)}
    if study.scale == "nominal":
        figures["krippendorff_alpha"] = _alpha(patterns)
    if positive.any():
        figures["positive_specific_agreement"] = exactly(
            lambda v, m: positive_specific_agreement(v, positive, m), vectors, multiplicity
        )
    return RuleTableRow(
        duplicates=rule,
        abstentions="category" if abstentions == "category" else "missing",
        registered=rule == study.duplicates and abstentions == "missing",
        figures={name: None if value is None else floor_text(value) for name, value in figures.items()},
    )


def _alpha(patterns: Patterns) -> Fraction | None:
    return exactly(krippendorff_alpha, *count_vectors(patterns))


def _scenario(name: str, worst: Fraction | None, best: Fraction | None, kind: str = "extremes") -> Scenario:
    return Scenario(
        statistic=name,
        worst=None if worst is None else floor_text(worst),
        best=None if best is None else ceil_text(best),
        kind="scenarios" if kind == "scenarios" else "extremes",
    )
