"""The gate's operating curve: how often it passes if the truth is x."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agreement.gate import bound_alpha
from agreement.operating_curve import OperatingCurve, curve_table, operating_curves
from schemas.study import Study

HEAD = (
    "What these rules can tell apart. If two annotators really agree on this share of their flags",
    "(positive specific agreement), a round with so many flagged items passes this often:",
)


def curves(study: Study) -> list[OperatingCurve]:
    """One curve per slice with a rule on its flagged items, for the annotators and attempts of the study."""
    return operating_curves(study.gate.rules, _alpha(study), study.passes, seed=study.interval.seed)


def curve_lines(study: Study) -> list[str]:
    """The curves as lines of text."""
    found = _alike_together(curves(study))
    if not found:
        return ["No rule is on flagged items, so there is no operating curve to show."]
    return [*HEAD, *(text for curve in found for text in curve_table(_changing_part(curve)).splitlines())]


def _alike_together(found: Sequence[OperatingCurve]) -> list[OperatingCurve]:
    """Slices with the same curve as one."""
    groups: dict[tuple[object, ...], list[OperatingCurve]] = {}
    for curve in found:
        assumed = tuple(rule.statistic for rule in curve.assumed)
        groups.setdefault((curve.union_positives, curve.exact, curve.points, assumed), []).append(curve)
    return [replace(group[0], slice=" and ".join(curve.slice for curve in group)) for group in groups.values()]


def _changing_part(curve: OperatingCurve) -> OperatingCurve:
    """From the last truth that never passes to the first that always does, to a tenth of a percent."""
    never = [place for place, (_, chance) in enumerate(curve.points) if chance < 0.0005]
    always = [place for place, (_, chance) in enumerate(curve.points) if chance >= 0.9995]
    first, last = max(never, default=0), min(always, default=len(curve.points))
    return replace(curve, points=curve.points[first : last + 1]) if first <= last else curve


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
