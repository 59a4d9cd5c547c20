"""The picture of a report: one row per slice, its interval against the registered thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from flows.pages import svg
from flows.pages.text import visible

if TYPE_CHECKING:
    import altair as alt

# A column of text beside the scales: field, x, dy, style.
_Column = tuple[str, int, int, dict[str, Any]]

_ROW = {"wide": 40, "narrow": 50}
# The ends of the scale bare, a threshold with two decimals, or as many as it was registered with.
TICK = (
    "datum.value == 0 || datum.value == 1 ? format(datum.value, 'd')"
    " : abs(datum.value * 100 - round(datum.value * 100)) < 1e-9 ? format(datum.value, '.2f')"
    " : format(datum.value, '.4~f')"
)
SHAPE = {"pass": "circle", "fail": "square", "not_evaluable": "circle", "not_gated": "circle"}
_ZONES = ("agreement not shown", "not enough", "agreement shown")
_ZONES_SHORT = ("not shown", "not enough", "shown")
COLOUR = {
    "pass": "var(--pass)",
    "fail": "var(--fail)",
    "not_evaluable": "var(--none)",
    "not_gated": "var(--ink)",
}


@dataclass(frozen=True)
class Point:
    """A value with its interval, as numbers to draw and as text to read. value None: undefined, `text` says why."""

    value: float | None
    lower: float | None
    upper: float | None
    text: str  # "0.17", or the status
    bounds: str  # "0.04 to 0.32" or ""


@dataclass(frozen=True)
class Row:
    """One row of the picture. below, above: the registered thresholds, if any. mark: pass, fail, …"""

    label: str
    grey: str  # "traffic", "hard cases"
    note: str  # "4 of 44 flags shared"
    main: Point
    other: Point | None
    mark: str
    below: float | None = None
    above: float | None = None
    hollow: str = "circle"  # the shape of a mark that is not judged

    @property
    def in_words(self) -> str:
        value = f"{self.main.text} [{self.main.bounds}]" if self.main.bounds else self.main.text
        return f"{self.label} ({self.grey}): {value}, {self.note}" if self.note else f"{self.label}: {value}"


def interval_chart(rows: Sequence[Row], *, key: str, title: str, main_name: str, other_name: str | None) -> Markup:
    """Two drawings of the same rows, a wide and a narrow one; the page's CSS shows one of them."""
    description = ". ".join(visible(row.in_words) for row in rows) + "."
    drawn = {"wide": _wide(rows, main_name, other_name), "narrow": narrow_chart(rows)}
    return Markup("").join(
        svg.inline_svg(chart, key=f"{key}-{size}", size=size, title=title, description=description)
        for size, chart in drawn.items()
    )


def _wide(rows: Sequence[Row], main_name: str, other_name: str | None) -> Any:

    height = _ROW["wide"] * len(rows)
    names: list[_Column] = [
        ("label", 0, -8, {"fontWeight": "bold", "limit": 175}),
        ("about", 0, 9, {"small": True, "limit": 180}),
    ]
    found: list[_Column] = [("text", 10, 0, {"fontWeight": "bold"}), ("bounds", 54, 0, {"grey": True})]
    panels = [
        _texts(rows, height, 205, names),
        _scale_panel(rows, "main", height, 330, main_name, zones=True),
        _texts(rows, height, 142, found),
    ]
    if other_name:
        values: list[_Column] = [
            ("other_text", 10, 0, {"fontWeight": "bold"}),
            ("other_bounds", 58, 0, {"grey": True}),
            ("other_undefined", 10, 0, {"fontStyle": "italic", "limit": 122}),
        ]
        panels += [_scale_panel(rows, "other", height, 100, other_name), _texts(rows, height, 150, values)]
    return {"hconcat": panels, "spacing": 0}


def narrow_chart(rows: Sequence[Row], name: str = "") -> Any:
    """One scale for a phone, the rows' names and values inside it."""
    height = _ROW["narrow"] * len(rows)
    return _scale_panel(rows, "main", height, 350, name, zones=True, inside=True)


def _data(rows: Sequence[Row], which: str) -> list[dict[str, Any]]:
    """The rows as the values of a chart. Texts are made visible first: a chart has no other guard."""
    values = []
    for k, row in enumerate(rows):
        point = row.main if which == "main" else row.other
        other = row.other
        values.append(
            {
                "row": k,
                "label": visible(row.label),
                "grey": row.grey,
                "about": visible(" · ".join(part for part in (row.grey, row.note) if part)),
                "value": point.value if point else None,
                "lower": point.lower if point else None,
                "upper": point.upper if point else None,
                "text": row.main.text if row.main.value is not None else "",
                "bounds": row.main.bounds,
                "other_text": other.text if other and other.value is not None else "",
                "other_bounds": other.bounds if other else "",
                "undefined": row.main.text if row.main.value is None else "",
                "other_undefined": other.text if other and other.value is None else "",
                "below": row.below,
                "above": row.above,
                "mark": row.mark if which == "main" else "not_gated",
                "hollow": row.hollow if which == "main" else "circle",
            }
        )
    return values


def _texts(rows: Sequence[Row], height: int, width: int, columns: list[_Column]) -> Any:
    """A panel of text beside the scales: (field, x, dy, style) per column."""
    import altair as alt

    base = svg.drawing(_data(rows, "main")).encode(y=_y(rows))
    layers = []
    for field, x, dy, style in columns:
        small, grey = style.pop("small", False), style.pop("grey", False)
        mark = base.mark_text(
            align="left",
            baseline="middle",
            dy=dy,
            fontSize=svg.SMALL if small else svg.TEXT,
            color="var(--ink-2)" if small or grey else "var(--ink)",
            **style,
        )
        layers.append(mark.encode(x=alt.value(x), text=alt.Text(f"{field}:N")))
    return svg.layered([*layers, *_lines(rows)], width, height)


def _y(rows: Sequence[Row], band: float = 0.5) -> alt.Y:
    import altair as alt

    scale = alt.Scale(domain=list(range(len(rows))), padding=0)
    return alt.Y("row:O", scale=scale, axis=None, bandPosition=band)


def _lines(rows: Sequence[Row]) -> list[Any]:
    """A hairline above each row and below the last."""

    above = svg.drawing([{"row": k} for k in range(len(rows))])
    below = svg.drawing([{"row": len(rows) - 1}])
    return [
        above.mark_rule(color="var(--line)").encode(y=_y(rows, 0)),
        below.mark_rule(color="var(--line)").encode(y=_y(rows, 1)),
    ]


def _scale_panel(
    rows: Sequence[Row],
    which: str,
    height: int,
    width: int,
    name: str,
    *,
    zones: bool = False,
    inside: bool = False,
) -> Any:
    """Intervals on a scale. zones: tinted below and above the row's thresholds. inside: texts in the rows."""
    import altair as alt

    data = _data(rows, which)
    lowest = min((d["lower"] if d["lower"] is not None else d["value"] or 0 for d in data), default=0)
    domain = [min(0.0, lowest), 1.0]
    marks = sorted({t for d in data for t in (d["below"], d["above"]) if zones and t is not None})
    x = alt.X(
        "value:Q",
        scale=alt.Scale(domain=domain, nice=False, zero=False),
        axis=alt.Axis(
            values=spread([0.0, 1.0], marks),
            labelExpr=TICK,
            labelFlush=False,
        ),
    )
    shift = 10 if inside else 0
    chart = svg.drawing(data)
    layers: list[Any] = []
    if zones:
        layers += _zones(chart, rows, domain)
        layers += _zone_names(rows, width, domain, _ZONES_SHORT if inside else _ZONES)
    layers += _lines(rows)
    layers += _intervals(chart, rows, shift)
    layers += _marks(data, rows, x, shift)
    if which == "main":
        why = chart.mark_text(
            align="left", baseline="middle", dy=shift, fontStyle="italic", limit=width - 12, color="var(--ink)"
        )
        layers.append(why.encode(x=alt.value(8), y=_y(rows), text=alt.Text("undefined:N")))
    if inside:
        layers += _inside_texts(chart, rows, width)
    if name:
        heading = svg.drawing([{"name": name}])
        layers.append(
            heading.mark_text(align="left", baseline="bottom", fontWeight="bold").encode(
                x=alt.value(0), y=alt.value(-24 if _zone_edges(rows) else -5), text=alt.Text("name:N")
            )
        )
    return svg.layered(layers, width, height)


def spread(ends: list[float], marks: list[float], apart: float = 1 / 12) -> list[float]:
    """Axis values that do not print over each other: the ends, and the thresholds that lie far enough `apart`."""
    kept = list(ends)
    for mark in marks:
        if all(abs(mark - other) > apart for other in kept):
            kept.append(mark)
    return sorted(kept)


def _zones(chart: Any, rows: Sequence[Row], domain: list[float]) -> list[Any]:
    """Tinted bands per row, and a line at each threshold."""
    import altair as alt

    edges = chart.transform_calculate(start=str(domain[0]), end=str(domain[1]))
    below = edges.transform_filter("isValid(datum.below)").mark_rect(color="var(--zone-below)")
    above = edges.transform_filter("isValid(datum.above)").mark_rect(color="var(--zone-above)")
    layers = [
        below.encode(x=alt.X("start:Q"), x2=alt.X2("below:Q"), y=_y(rows)),
        above.encode(x=alt.X("above:Q"), x2=alt.X2("end:Q"), y=_y(rows)),
    ]
    for field in ("below", "above"):
        line = chart.transform_filter(f"isValid(datum.{field})").mark_rule(color="var(--ink-2)")
        layers.append(line.encode(x=alt.X(f"{field}:Q"), y=_y(rows, 0), y2=alt.Y2("row:O", bandPosition=1)))
    return layers


def _zone_edges(rows: Sequence[Row]) -> list[float]:
    """The two thresholds that every row shares; empty where rows differ or have none."""
    first = rows[0]
    if any((row.below, row.above) != (first.below, first.above) for row in rows):
        return []
    return [] if first.below is None or first.above is None else [first.below, first.above]


def _zone_names(rows: Sequence[Row], width: int, domain: list[float], words: tuple[str, str, str]) -> list[Any]:
    """The names of the zones above them, where every row has the same ones and the names have room."""
    import altair as alt

    between = _zone_edges(rows)
    if not between:
        return []
    edges = [domain[0], *between, domain[1]]
    names = [
        {"x": (left + right) / 2, "name": word}
        for left, right, word in zip(edges, edges[1:], words, strict=False)
        if (right - left) / (domain[1] - domain[0]) * width > 7 * len(word)
    ]
    chart = svg.drawing(names)
    text = chart.mark_text(baseline="bottom", fontSize=svg.SMALL, color="var(--ink-2)")
    return [text.encode(x=alt.X("x:Q"), y=alt.value(-5), text=alt.Text("name:N"))]


def _intervals(chart: Any, rows: Sequence[Row], shift: int) -> list[Any]:
    import altair as alt

    drawn = chart.transform_filter("isValid(datum.lower)")
    caps = {"thickness": 2, "size": 10, "opacity": 1, "color": "var(--ink)", "yOffset": shift, "orient": "vertical"}
    return [
        drawn.mark_rule(color="var(--ink)", strokeWidth=2, yOffset=shift).encode(
            x=alt.X("lower:Q"), x2=alt.X2("upper:Q"), y=_y(rows)
        ),
        drawn.mark_tick(**caps).encode(x=alt.X("lower:Q"), y=_y(rows)),
        drawn.mark_tick(**caps).encode(x=alt.X("upper:Q"), y=_y(rows)),
    ]


def _marks(data: list[dict[str, Any]], rows: Sequence[Row], x: alt.X, shift: int) -> list[Any]:
    """The values: circle passed, square failed, dashed not evaluable, hollow not judged."""

    layers = []
    for kind in sorted({(d["mark"], d["hollow"]) for d in data}):
        mark, hollow = kind
        judged = mark in ("pass", "fail")
        chosen = svg.drawing([d for d in data if (d["mark"], d["hollow"]) == kind and d["value"] is not None])
        layers.append(
            chosen.mark_point(
                shape=SHAPE[mark] if mark != "not_gated" else hollow,
                fill=COLOUR[mark] if judged else "var(--paper)",
                stroke=COLOUR[mark],
                strokeWidth=1.8,
                strokeDash=[3, 2] if mark == "not_evaluable" else [],
                size=100,
                opacity=1,
                yOffset=shift,
            ).encode(x=x, y=_y(rows))
        )
    return layers


def _inside_texts(chart: Any, rows: Sequence[Row], width: int) -> list[Any]:
    """Narrow drawing: the row's name and value above its interval, inside the row."""
    import altair as alt

    value = chart.transform_calculate(both="datum.text + '  ' + datum.bounds")
    return [
        chart.mark_text(align="left", baseline="middle", dy=-13, fontWeight="bold", limit=width - 150).encode(
            x=alt.value(6), y=_y(rows), text=alt.Text("label:N")
        ),
        value.mark_text(align="right", baseline="middle", dy=-13).encode(
            x=alt.value(width - 6), y=_y(rows), text=alt.Text("both:N")
        ),
    ]
