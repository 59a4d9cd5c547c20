"""The gate's operating curve: how often it passes if the truth is x."""

from __future__ import annotations

from typing import Any

from agreement.gate import bound_alpha
from agreement.operating_curve import OperatingCurve, curve_table, operating_curves
from schemas.study import Study


def curves(study: Study) -> list[OperatingCurve]:
    """One curve per slice with a rule on its flagged items, for the annotators and attempts of the study."""
    return operating_curves(study.gate.rules, _alpha(study), study.passes, seed=study.interval.seed)


def curve_lines(study: Study) -> list[str]:
    """The curves as lines of text."""
    found = curves(study)
    if not found:
        return ["No rule is on flagged items, so there is no operating curve to show."]
    head = "How often the gate passes, by what the positive specific agreement really is:"
    return [head, *(text for curve in found for text in curve_table(curve).splitlines())]


def curve_records(study: Study) -> list[dict[str, Any]]:
    """The curves as JSON-able records."""
    return [
        {
            "slice": curve.slice,
            "union_positives": curve.union_positives,
            "exact": curve.exact,
            "points": [{"truth": float(truth), "passes": chance} for truth, chance in curve.points],
            "taken_as_met": sorted({rule.statistic for rule in curve.assumed}),
        }
        for curve in curves(study)
    ]


def curve_page(study: Study) -> bytes:
    """The curves as one HTML page with a picture."""
    from flows.pages.curve_page import render_curves_html

    return render_curves_html(study.study, study.question, f"{float(1 - _alpha(study)):.6g}", curves(study))


def _alpha(study: Study) -> Any:
    return bound_alpha(study.interval.level, study.gate.attempts)
