"""The picture of a history: per slice, every round's interval in order of time, grouped by guideline version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from flows.pages import history_view, numbers, svg, words
from flows.pages.charts import COLOUR, SHAPE, TICK, Point, Row, narrow_chart, spread
from flows.pages.figures import figure
from flows.pages.text import visible
from schemas.history import HistoryRecord, RoundLine, SliceLine, VersionRecord

_LEFT, _WIDTH, _HEIGHT, _GAP = 150, 760, 96, 0.25

Rounds = Sequence[tuple[VersionRecord, RoundLine]]


@dataclass(frozen=True)
class Column:
    """Where a round stands on the time axis."""

    x: float
    version: VersionRecord
    round: RoundLine


@dataclass(frozen=True)
class _Axis:
    """The upright scale of a slice. Every layer needs the same one, or the ticks of the first win."""

    lowest: float
    ticks: tuple[float, ...]

    def of(self, field: str) -> Any:
        import altair as alt

        scale = alt.Scale(domain=[self.lowest, 1.0], nice=False, zero=False)
        axis = alt.Axis(values=list(self.ticks), labelExpr=TICK, labelOverlap=False)
        return alt.Y(f"{field}:Q", scale=scale, axis=axis)


def history_chart(history: HistoryRecord) -> Markup | None:
    """A wide drawing with time from left to right, and narrow ones with a row per round; None without a figure."""
    rounds = history_view.shown_rounds(history)
    names = history_view.slice_names(rounds)
    if not any(_row(version, one, name) for version, one in rounds for name, _ in names):
        return None
    title = f"Agreement over rounds, {history.study_id}"
    rows = {name: _rows(rounds, name) for name, _ in names}
    description = " ".join(f"{visible(row.in_words)}." for name, _ in names for row in rows[name])
    drawn = [svg.inline_svg(_wide(rounds, names), key="h-wide", size="wide", title=title, description=description)]
    for k, (name, speaks_of) in enumerate(names):
        if rows[name]:
            text = " ".join(f"{visible(row.in_words)}." for row in rows[name])
            heading = f"{visible(name)} ({speaks_of})"
            drawn.append(
                svg.inline_svg(
                    narrow_chart(rows[name], heading), key=f"h-{k}", size="narrow", title=heading, description=text
                )
            )
    return Markup("").join(drawn)


def _slice(one: RoundLine, name: str) -> SliceLine | None:
    return next((record for record in one.slices if record.slice == name), None)


def _row(version: VersionRecord, one: RoundLine, name: str) -> Row | None:
    record = _slice(one, name)
    estimate = history_view.charted(record) if record else None
    if record is None or estimate is None:
        return None
    shown = figure(estimate)
    below, above = history_view.zone(version, name, estimate.statistic)
    return Row(
        label=one.round_id,
        grey=f"{name}, {record.speaks_of}",
        note=f"guideline {one.guideline_version}, {history_view.verdict_word(one)}",
        main=Point(
            value=None if estimate.value is None else float(estimate.value),
            lower=None if estimate.lower is None else float(estimate.lower),
            upper=None if estimate.upper is None else float(estimate.upper),
            text=shown.status or shown.value,
            bounds=shown.bounds,
        ),
        other=None,
        mark=record.rules if one.verdict not in (None, "not_gated") else "not_gated",
        below=below,
        above=above,
        hollow="diamond" if one.kind == "retrospective" else "circle",
    )


def _rows(rounds: Rounds, name: str) -> list[Row]:
    return [row for version, one in rounds if (row := _row(version, one, name)) is not None]


def _columns(rounds: Rounds) -> list[Column]:
    """One step per round, and a gap where the guideline changes."""
    columns: list[Column] = []
    x = 0.0
    for version, one in rounds:
        if columns and columns[-1].version is not version:
            x += _GAP
        columns.append(Column(x, version, one))
        x += 1
    return columns


def _groups(columns: Sequence[Column]) -> list[tuple[VersionRecord, float, float]]:
    """Each guideline version of the picture and the stretch it covers."""
    groups: list[tuple[VersionRecord, float, float]] = []
    for column in columns:
        if groups and groups[-1][0] is column.version:
            groups[-1] = (column.version, groups[-1][1], column.x + 0.5)
        else:
            groups.append((column.version, column.x - 0.5, column.x + 0.5))
    return groups


def _wide(rounds: Rounds, names: Sequence[tuple[str, str]]) -> Any:

    columns = _columns(rounds)
    panels = []
    for k, (name, speaks_of) in enumerate(names):
        layers = _panel(columns, name, speaks_of)
        if k == 0:
            layers += _group_heads(columns)
        if k == len(names) - 1:
            layers += _round_names(columns)
        panels.append(svg.layered(layers, _WIDTH, _HEIGHT))
    return {"vconcat": panels, "spacing": 18}


def _x(columns: Sequence[Column], field: str = "x") -> Any:
    import altair as alt

    scale = alt.Scale(domain=[-0.5, columns[-1].x + 0.5], nice=False, zero=False)
    return alt.X(f"{field}:Q", scale=scale, axis=None)


def _panel(columns: Sequence[Column], name: str, speaks_of: str) -> list[Any]:
    """One slice: tinted zones per guideline version, intervals, marks, values."""
    import altair as alt

    rows = [(column, row) for column in columns if (row := _row(column.version, column.round, name)) is not None]
    values = [
        {
            "x": column.x,
            "value": row.main.value,
            "lower": row.main.lower,
            "upper": row.main.upper,
            "text": row.main.text if row.main.value is not None else "undefined",
            "kind": f"{row.mark} {row.hollow}",
        }
        for column, row in rows
    ]
    thresholds = sorted({t for _, row in rows for t in (row.below, row.above) if t is not None})
    lowest = min([0.0, *(row.main.lower for _, row in rows if row.main.lower is not None)])
    axis = _Axis(lowest, tuple(spread([0.0, 1.0], thresholds, apart=0.15)))
    y = axis.of("value")
    layers = _zone_layers(columns, rows, axis)
    drawn = svg.drawing([v for v in values if v["lower"] is not None])
    layers.append(
        drawn.mark_rule(color="var(--ink)", strokeWidth=2).encode(
            x=_x(columns), y=axis.of("lower"), y2=alt.Y2("upper:Q")
        )
    )
    for kind in sorted({str(v["kind"]) for v in values}):
        mark, hollow = kind.split(" ")
        judged = mark in ("pass", "fail")
        some = svg.drawing([v for v in values if v["kind"] == kind and v["value"] is not None])
        layers.append(
            some.mark_point(
                shape=SHAPE[mark] if mark != "not_gated" else hollow,
                fill=COLOUR[mark] if judged else "var(--paper)",
                stroke=COLOUR[mark],
                strokeWidth=1.8,
                size=80,
                opacity=1,
            ).encode(x=_x(columns), y=y)
        )
    defined = svg.drawing([v for v in values if v["value"] is not None])
    text = {"align": "left", "baseline": "middle", "fontSize": svg.SMALL, "color": "var(--ink)"}
    layers.append(defined.mark_text(dx=9, **text).encode(x=_x(columns), y=y, text=alt.Text("text:N")))
    undefined = svg.drawing([v for v in values if v["value"] is None])
    layers.append(
        undefined.mark_text(fontStyle="italic", fontSize=svg.SMALL, color="var(--ink)").encode(
            x=_x(columns), y=alt.value(_HEIGHT / 2), text=alt.Text("text:N")
        )
    )
    label = svg.drawing([{"name": visible(name), "grey": speaks_of}])
    names = {"align": "left", "baseline": "middle", "limit": 105}
    layers.append(
        label.mark_text(fontWeight="bold", **names).encode(
            x=alt.value(-_LEFT), y=alt.value(_HEIGHT / 2 - 9), text=alt.Text("name:N")
        )
    )
    layers.append(
        label.mark_text(fontSize=svg.SMALL, color="var(--ink-2)", **names).encode(
            x=alt.value(-_LEFT), y=alt.value(_HEIGHT / 2 + 9), text=alt.Text("grey:N")
        )
    )
    return layers


def _zone_layers(columns: Sequence[Column], rows: Sequence[tuple[Column, Row]], axis: _Axis) -> list[Any]:
    import altair as alt

    below, above, lines, base = [], [], [], []
    for version, left, right in _groups(columns):
        limits = next((row for column, row in rows if column.version is version), None)
        base.append({"x": left, "right": right, "y": 0.0})
        if limits is None:
            continue
        if limits.below is not None:
            below.append({"x": left, "right": right, "y": axis.lowest, "top": limits.below})
            lines.append({"x": left, "right": right, "y": limits.below})
        if limits.above is not None:
            above.append({"x": left, "right": right, "y": limits.above, "top": 1.0})
            lines.append({"x": left, "right": right, "y": limits.above})
    layers = []
    for values, colour in ((below, "var(--zone-below)"), (above, "var(--zone-above)")):
        area = svg.drawing(values).mark_rect(color=colour)
        layers.append(area.encode(x=_x(columns), x2=alt.X2("right:Q"), y=axis.of("y"), y2=alt.Y2("top:Q")))
    for values, colour in ((lines, "var(--ink-2)"), (base, "var(--line-2)")):
        rule = svg.drawing(values).mark_rule(color=colour)
        layers.append(rule.encode(x=_x(columns), x2=alt.X2("right:Q"), y=axis.of("y")))
    return layers


def _group_heads(columns: Sequence[Column]) -> list[Any]:
    import altair as alt

    values = [
        {"x": left, "right": right, "name": visible(f"guideline {version.guideline_version}")}
        for version, left, right in _groups(columns)
    ]
    heads = svg.drawing(values)
    step = _WIDTH / (columns[-1].x + 1)
    return [
        heads.mark_rule(color="var(--ink)", strokeWidth=1.5).encode(
            x=_x(columns), x2=alt.X2("right:Q"), y=alt.value(-8)
        ),
        heads.mark_text(align="left", baseline="bottom", fontWeight="bold", limit=max(step * 0.95, 60)).encode(
            x=_x(columns), y=alt.value(-12), text=alt.Text("name:N")
        ),
    ]


def _round_names(columns: Sequence[Column]) -> list[Any]:
    """Below the last slice: the round, its day, its verdict."""
    import altair as alt

    step = _WIDTH / (columns[-1].x + 1)
    values = [
        {
            "x": column.x,
            "name": visible(column.round.round_id),
            "day": numbers.day(column.round.closed_at or column.round.opened_at).rsplit(" ", 1)[0],
            "verdict": history_view.verdict_word(column.round),
            "mark": column.round.verdict or "not_gated",
        }
        for column in columns
    ]
    lines = []
    for field, dy, style in (("name", 14, {"fontWeight": "bold"}), ("day", 30, {"color": "var(--ink-2)"})):
        text = svg.drawing(values).mark_text(baseline="top", fontSize=svg.SMALL, limit=step * 0.85, **style)
        lines.append(text.encode(x=_x(columns), y=alt.value(_HEIGHT + dy), text=alt.Text(f"{field}:N")))
    for mark in sorted({str(v["mark"]) for v in values}):
        some = svg.drawing([v for v in values if v["mark"] == mark])
        colour = "var(--ink-2)" if mark == "not_gated" else COLOUR[mark]
        text = some.mark_text(baseline="top", fontSize=svg.SMALL, limit=step * 0.95, color=colour)
        lines.append(text.encode(x=_x(columns), y=alt.value(_HEIGHT + 46), text=alt.Text("verdict:N")))
    return lines


def caption(history: HistoryRecord) -> str:
    rounds = history_view.shown_rounds(history)
    total = sum(len(version.rounds) for version in history.versions)
    part = f" The last {len(rounds)} of {total} rounds; the table has all." if total > len(rounds) else ""
    estimates = [e for _, one in rounds for record in one.slices if (e := history_view.charted(record))]
    name = words.statistic(estimates[0].statistic, estimates[0].category) if estimates else "Agreement"
    return (
        f"{name} with its interval, per slice. Lines and tints: registered thresholds, below the lower one agreement "
        "is not shown, above the upper one it is. Filled circle: all rules of the slice passed; filled square: one "
        f"failed; hollow: not judged. Below: the verdict on the whole round.{part}"
    )
