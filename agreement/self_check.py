"""Golden values per definition version, computed anew: a definition that gives another figure is another definition.

The table is 500 answers judged by two annotators (6 flagged by both, 21 and 14 by one alone, 459 by neither), plus two
items with a gap; the fractions were derived by hand from each definition.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from agreement.alpha import krippendorff_alpha
from agreement.brennan_prediger import brennan_prediger
from agreement.conger import conger_kappa
from agreement.counts import count_vectors, pair_counts, vectors_of_pairs
from agreement.exact import exactly
from agreement.fleiss import fleiss_kappa
from agreement.gwet import gwet_ac1, gwet_ac2
from agreement.kappa import cohen_kappa, scott_pi, weighted_kappa
from agreement.patterns import ABSTAINED, MISSING, Patterns
from agreement.percent import percent_agreement
from agreement.readings import SliceEvidence, read
from agreement.rules import STATISTICS, Rule

GOLDEN = {
    "union_positives/1": "41",
    "joint_positives/1": "6",
    "paired_items/1": "500",
    "positive_specific_agreement/1": "12/47",
    "negative_specific_agreement/1": "918/953",
    "specific_agreement/1": "12/47",
    "percent_agreement/1": "93/100",
    "cohen_kappa/1": "246/1121",
    "scott_pi/1": "9791/44791",
    # Chance from every item with a label: flags on 24.5 of 502 items, so 1 - 0.07 / (2 x 24.5 x 477.5 / 502^2).
    "fleiss_kappa/1": "41123/167125",
    # Two people as they labelled, 28 flags of 502 and 20 of 500: expected 228080 / 251000.
    "conger_kappa/1": "535/2292",
    "krippendorff_alpha/1": "9826/44791",
    "gwet_ac1/1": "10548311/11430325",
    "brennan_prediger/1": "43/50",
    # Linear weights on Cohen's table of three categories, below: observed 4/5, expected 31/50 and 39/80.
    "weighted_kappa/1": "9/19",
    "gwet_ac2/1": "25/41",
    "jaccard/1": "6/41",
    "contested_share/1": "35/41",
    "union_positive_rate/1": "41/500",
    "positive_share/1": "47/1000",
    "coverage/1": "250/251",
    "flagged_coverage/1": "41/42",
    "abstention_rate/1": "1/1004",
    "missing_rate/1": "1/1004",
}

_THREE = ((88, 14, 18), (10, 40, 10), (2, 6, 12))  # Cohen 1960, p. 45
_CODES = ((0, 0), (0, 1), (1, 0), (1, 1), (0, MISSING), (1, ABSTAINED))
_TIMES = (6, 21, 14, 459, 1, 1)

_FIGURES: dict[str, Callable[..., Any]] = {
    "percent_agreement": percent_agreement,
    "fleiss_kappa": fleiss_kappa,
    "krippendorff_alpha": krippendorff_alpha,
    "gwet_ac1": gwet_ac1,
    "brennan_prediger": brennan_prediger,
}
_PAIR_FIGURES: dict[str, Callable[..., Any]] = {"cohen_kappa": cohen_kappa, "scott_pi": scott_pi}


def definition_versions() -> dict[str, str]:
    """The definition version this program computes, by statistic."""
    return {name: definition.version for name, definition in STATISTICS.items()}


def self_check() -> list[str]:
    """Definition versions whose golden value does not come out; empty if all is well."""
    patterns = Patterns(
        annotators=("first", "second"),
        categories=("flag", "no flag"),
        codes=np.array(_CODES, dtype=np.int64),
        multiplicity=np.array(_TIMES, dtype=np.int64),
    )
    return [
        definition.version
        for name, definition in STATISTICS.items()
        if _value(name, patterns) != Fraction(GOLDEN[definition.version])
    ]


def _value(name: str, patterns: Patterns) -> Fraction | None:
    if name == "weighted_kappa":
        return exactly(weighted_kappa, _THREE, weights="linear")
    if name == "gwet_ac2":
        return exactly(gwet_ac2, *vectors_of_pairs(_THREE), weights="linear")
    if name == "conger_kappa":
        return exactly(conger_kappa, np.maximum(patterns.codes, -1), patterns.multiplicity, n_categories=2)
    if name in _PAIR_FIGURES:
        return exactly(_PAIR_FIGURES[name], pair_counts(patterns, 0, 1))
    if name in _FIGURES:
        return exactly(_FIGURES[name], *count_vectors(patterns))
    category = "flag" if name == "specific_agreement" else None
    rule = Rule("all", name, at_least="0", category=category)
    return read(rule, SliceEvidence(patterns, positive=("flag",)), Fraction(1, 20)).value
