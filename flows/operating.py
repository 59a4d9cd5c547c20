"""The registered gate's operating curve: how often it passes if the truth is x."""

from __future__ import annotations

from agreement.gate import bound_alpha
from agreement.operating_curve import OperatingCurve, curve_table, operating_curves
from schemas.study import Study


def curves(study: Study) -> list[OperatingCurve]:
    """One curve per slice with a rule on its flagged items, for the annotators and attempts registered."""
    alpha = bound_alpha(study.interval.level, study.gate.attempts)
    return operating_curves(study.gate.rules, alpha, study.passes, seed=study.interval.seed)


def curve_lines(study: Study) -> list[str]:
    """The same as lines of text."""
    found = curves(study)
    if not found:
        return []
    head = "How often the gate passes, by what the positive specific agreement really is:"
    return [head, *(text for curve in found for text in curve_table(curve).splitlines())]
