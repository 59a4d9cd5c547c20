"""The coefficients of a slice, and the evidence its rules are judged on."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from agreement.counts import count_vectors
from agreement.estimate import Estimate
from agreement.estimates import estimate_many
from agreement.flags import Flags, flags_of
from agreement.patterns import Patterns
from agreement.readings import SliceEvidence
from agreement.two_annotators import estimate_two
from flows.counts import SliceCounts
from flows.record.settings import Settings
from schemas.study import Study

# Below this many union positives a bootstrap interval of a chance-corrected coefficient is not shown (design.md).
FEWEST_UNION_POSITIVES = 10


def evidence_of(study: Study, counts: SliceCounts, settings: Settings) -> SliceEvidence:
    """What the rules of a slice are judged on: its patterns, and the coefficients with bounds at the gate's level."""
    positive = tuple(c.value for c in study.categories if c.positive)
    return SliceEvidence(
        patterns=counts.patterns,
        positive=positive,
        estimates=_coefficients(study, counts.name, counts.patterns, settings),
    )


def _coefficients(study: Study, name: str, patterns: Patterns, settings: Settings) -> dict[str, Estimate]:
    """Chance-corrected and raw agreement of a slice: two annotators as a pair, more of them or ragged by vectors."""
    positive = study.positive_mask()
    withheld = why_withheld(flags_of(patterns, positive)) if any(positive) else None
    options = coefficient_options(study, settings, withheld)
    options["seed"] = settings.seed_of(name)
    if len(patterns.annotators) == 2:
        return estimate_two(patterns, positive=np.array(positive) if any(positive) else None, **options)
    return estimate_many(*count_vectors(patterns), patterns=patterns, **options)


def coefficient_options(study: Study, settings: Settings, withheld: str | None) -> dict[str, Any]:
    options: dict[str, Any] = {
        "resamples": settings.resamples,
        "level": settings.level,
        "metric": study.scale,
        "withheld": withheld,
    }
    if study.scale in ("interval", "ratio"):
        options["values"] = [Fraction(value) for value in study.category_values()]
    if study.weights is not None:
        options["weights"] = _weights(study)
    return options


def _weights(study: Study) -> Any:
    if isinstance(study.weights, str):
        return study.weights
    return [[Fraction(cell) for cell in row] for row in study.weights or ()]


def why_withheld(flags: Flags) -> str | None:
    """Why a bootstrap interval of a chance-corrected coefficient is not shown; None if it is."""
    few = flags.union_positives < FEWEST_UNION_POSITIVES
    return f"fewer than {FEWEST_UNION_POSITIVES} union positives" if few else None
