"""The panel for a binary label that says why high raw agreement can mean little: floor, observed, ceiling, and
somebody who never flags, on one scale, with every coefficient that the same counts give.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from markupsafe import Markup

from flows.pages import figures, numbers, svg, words
from flows.pages.figures import Figure
from flows.pages.text import visible
from flows.pages.views import SliceView, never_flags
from schemas.report import EstimateRecord, PairRecord, Report

PANEL = (
    "percent_agreement",
    "cohen_kappa_expected_agreement",
    "max_agreement",
    "cohen_kappa",
    "cohen_kappa_max",
    "share_of_max",
    "krippendorff_alpha",
    "positive_specific_agreement",
    "chance_positive_specific_agreement",
    "negative_specific_agreement",
    "gwet_ac1",
    "prevalence_index",
    "bias_index",
)


@dataclass(frozen=True)
class Level:
    """One line of the picture: a raw agreement and whose it is. kind: observed, bound (floor, ceiling) or never."""

    label: str
    value: str
    kind: str


@dataclass(frozen=True)
class Paradox:
    title: str
    short: str
    slice: str
    speaks_of: str
    pair: str
    paired: int
    text: str
    figure: Markup
    figures: tuple[Figure, ...]
    never_flags: tuple[tuple[str, str], ...]


def paradox(report: Report, slices: Sequence[SliceView], *, drawn: bool = True) -> Paradox | None:
    """The panel of the uniform slice, else of the first that has a pair: of its two annotators, or of the pair that
    agrees least. None where a label is not binary, nothing is positive, or no raw agreement has a value.
    drawn: with its picture.
    """
    positive = [c for c in report.study.categories if c.positive]
    if len(report.study.categories) != 2 or len(positive) != 1:
        return None
    usable = [(s, pair) for s in slices if (pair := _pair_of(s)) is not None]
    found = next((both for both in usable if both[0].is_traffic), usable[0] if usable else None)
    if found is None:
        return None
    chosen, pair = found
    by_name = _estimates_of(chosen, pair)
    observed = str(by_name["percent_agreement"].value)
    never = never_flags(pair)
    raw = numbers.percent(observed)
    beaten = bool(never) and all(Decimal(v) > Decimal(observed) for _, v in never)
    return Paradox(
        title=f"{raw} looks fine. Here is why it is not" if beaten else f"What {raw} raw agreement is made of",
        short=f"Why {raw} is not fine" if beaten else f"What {raw} is made of",
        slice=chosen.record.name,
        speaks_of=chosen.record.speaks_of,
        pair=f"{pair.first} and {pair.second}",
        paired=pair.paired,
        text=_text(report, chosen, pair, beaten),
        figure=_picture(_levels(pair, by_name, never)) if drawn else Markup(""),
        figures=tuple(figures.figure(by_name[name], places=3) for name in PANEL if name in by_name),
        never_flags=never,
    )


def _pair_of(s: SliceView) -> PairRecord | None:
    """The slice's one pair, or its lowest where there are more; None where its raw agreement has no value."""
    pairs = s.record.pairs
    lowest = [pair for pair in pairs if f"{pair.first} and {pair.second}" == s.record.lowest_pair]
    pair = pairs[0] if len(pairs) == 1 else lowest[0] if lowest else None
    if pair is None or _raw(s, pair) is None:
        return None
    return pair


def _raw(s: SliceView, pair: PairRecord) -> str | None:
    by_name = _estimates_of(s, pair)
    return by_name["percent_agreement"].value if "percent_agreement" in by_name else None


def _estimates_of(s: SliceView, pair: PairRecord) -> dict[str, EstimateRecord]:
    """By name: those of the pair; where it is the only one, the slice's own come first."""
    estimates = figures.slice_estimates(s.record) if len(s.record.pairs) == 1 else pair.estimates
    return {words.statistic_key(e.statistic): e for e in reversed(estimates)}


def _text(report: Report, chosen: SliceView, pair: PairRecord, beaten: bool) -> str:
    k = next(i for i, c in enumerate(report.study.categories) if not c.positive)
    neither, same = pair.table[k][k], sum(pair.table[i][i] for i in range(2))
    which = ", the pair that agrees least," if len(chosen.record.pairs) > 1 else ""
    start = (
        f"{pair.first} and {pair.second}{which} gave {numbers.count(same)} of "
        f"{words.plural(pair.paired, 'item')} the same label. "
        f"{numbers.count(neither)} of these are items neither flagged"
    )
    if beaten:
        return (
            f"{start}, and somebody who flags nothing at all agrees with either of them better than they agree "
            "with each other."
        )
    return f"{start}: agreement on these says little about whether the two detect the same thing."


def _levels(pair: PairRecord, by_name: dict[str, EstimateRecord], never: Sequence[tuple[str, str]]) -> list[Level]:
    levels = []
    for name, label, kind in (
        ("cohen_kappa_expected_agreement", "Floor: flagging as rarely, never looking", "bound"),
        ("percent_agreement", f"{pair.first} and {pair.second}, observed", "observed"),
    ):
        value = by_name[name].value if name in by_name else None
        if value is not None:
            levels.append(Level(label, value, kind))
    levels += [Level(f"Never flags, against {who}", value, "never") for who, value in never]
    ceiling = by_name["max_agreement"].value if "max_agreement" in by_name else None
    if ceiling is not None:
        levels.append(Level("Ceiling: the most these flag rates allow", ceiling, "bound"))
    return levels


def _picture(levels: Sequence[Level]) -> Markup:
    title = "Raw agreement between floor and ceiling"
    description = ". ".join(f"{visible(one.label)}: {numbers.percent(one.value)}" for one in levels) + "."
    return Markup("").join(
        svg.inline_svg(_chart(levels, size), key=f"paradox-{size}", size=size, title=title, description=description)
        for size in ("wide", "narrow")
    )


def _chart(levels: Sequence[Level], size: str) -> Any:
    """Dots on one scale that starts just below the lowest. Narrow: the names stand above the dots."""
    import altair as alt

    narrow = size == "narrow"
    step, width = (46, 350) if narrow else (32, 470)
    start = int(min(float(one.value) for one in levels) * 20) / 20
    if start >= 1:
        start = 0.95
    values = [
        {
            "row": k,
            "label": visible(one.label),
            "value": float(one.value),
            "text": numbers.percent(one.value),
            "kind": one.kind,
            "start": start,
        }
        for k, one in enumerate(levels)
    ]
    chart = svg.drawing(values)
    shift = 12 if narrow else 0
    y = alt.Y("row:O", scale=alt.Scale(domain=list(range(len(levels))), padding=0), axis=None)
    scale = alt.Scale(domain=[start, 1.0], nice=False, zero=False)
    axis = alt.Axis(values=[start, 1.0], labelExpr="format(datum.value * 100, '.0f') + ' %'", labelFlush=True)
    x = alt.X("value:Q", scale=scale, axis=axis)
    layers: list[Any] = [
        chart.mark_rule(color="var(--line-2)", strokeWidth=1.5, yOffset=shift).encode(
            x=alt.X("start:Q"), x2=alt.X2("value:Q"), y=y
        )
    ]
    looks = {
        "bound": ("circle", "var(--ink-2)", "var(--ink-2)"),
        "observed": ("square", "var(--ink)", "var(--ink)"),
        "never": ("circle", "var(--paper)", "var(--ink-2)"),
    }
    for kind, (shape, fill, stroke) in looks.items():
        some = svg.drawing([v for v in values if v["kind"] == kind])
        layers.append(
            some.mark_point(
                shape=shape, fill=fill, stroke=stroke, strokeWidth=1.8, size=90, opacity=1, yOffset=shift
            ).encode(x=x, y=y)
        )
    name_x, name_dy, value_x = (0, -8, width) if narrow else (-330, 0, width + 70)
    name = chart.mark_text(align="left", baseline="middle", dy=name_dy, limit=270 if narrow else 300)
    value = chart.mark_text(align="right", baseline="middle", dy=name_dy)
    layers.append(name.encode(x=alt.value(name_x), y=y, text=alt.Text("label:N")))
    layers.append(value.encode(x=alt.value(value_x), y=y, text=alt.Text("text:N")))
    return svg.layered(layers, width, step * len(levels))
