"""The operating curve of a study's gate as one self-contained HTML page: picture and table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from agreement.operating_curve import STUDIES, OperatingCurve
from flows.pages import svg
from flows.pages.environment import render
from flows.pages.text import visible


def render_curves_html(study_id: str, question: str, level: str, curves: Sequence[OperatingCurve]) -> bytes:
    """The page of a registered gate. level: of each bound. The same curves give the same bytes."""
    return render(
        "curve.html.j2",
        study_id=study_id,
        question=question,
        level=level,
        figures=[(curve, _figure(n, curve)) for n, curve in enumerate(curves)],
        rows=[[f"{100 * chance:.1f} %" for _, chance in points] for points in _across(curves)],
        truths=[f"{float(truth):.2f}" for truth, _ in curves[0].points] if curves else [],
        n_studies=STUDIES,
    )


def _across(curves: Sequence[OperatingCurve]) -> list[Any]:
    """Per truth, the point of every curve."""
    return list(zip(*(curve.points for curve in curves), strict=True))


def _figure(n: int, curve: OperatingCurve) -> Markup:
    description = ". ".join(f"True {float(t):.2f}: passes {100 * chance:.1f} %" for t, chance in curve.points) + "."
    title = f"How often {visible(curve.slice)} passes, by the true positive specific agreement"
    return Markup("").join(
        svg.inline_svg(_chart(curve, width), key=f"curve-{n}-{size}", size=size, title=title, description=description)
        for size, width in (("wide", 640), ("narrow", 320))
    )


def _chart(curve: OperatingCurve, width: int) -> svg.Spec:
    import altair as alt

    points = svg.drawing([{"truth": float(truth), "chance": chance} for truth, chance in curve.points])
    x = alt.X("truth:Q", scale=alt.Scale(domain=[0, 1], nice=False), axis=alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1]))
    y = alt.Y("chance:Q", scale=alt.Scale(domain=[0, 1], nice=False), axis=alt.Axis(values=[0, 0.5, 1], format=".0%"))
    asked = sorted({float(rule.threshold) for rule in curve.judged if rule.threshold is not None})
    lines = svg.drawing([{"truth": value, "name": f"{value:.2f}"} for value in asked])
    return svg.layered(
        [
            lines.mark_rule(color="var(--line-2)", strokeWidth=1.5).encode(x=x),
            lines.mark_text(dy=-8, color="var(--ink-2)", baseline="bottom").encode(x=x, y=alt.value(0), text="name:N"),
            points.mark_line(color="var(--ink)", strokeWidth=2).encode(x=x, y=y),
            points.mark_point(shape="circle", fill="var(--ink)", stroke="var(--ink)", size=30, opacity=1).encode(
                x=x, y=y
            ),
        ],
        width,
        200,
    )
