"""From an Altair chart to SVG that sits in a page: small, labelled for screen readers, coloured by the page's
own tokens, and the same bytes every time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

# Bundled with the renderer, so text is measured alike on every machine; the page's own font is used to draw.
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
TEXT, SMALL = 13, 12

Spec = dict[str, Any]  # a Vega-Lite drawing as plain data

# The look every chart shares: no frame, no grid, no ticks, text in ink. Colours are the page's own tokens. Given
# as a whole, as each of Altair's `configure_*` copies the whole chart.
_CONFIG = {
    "aria": False,
    "font": FONT,
    "background": "transparent",
    "padding": 0,
    "view": {"stroke": None},
    "concat": {"spacing": 0},
    "text": {"fontSize": TEXT, "color": "var(--ink)"},
    "axis": {
        "grid": False,
        "ticks": False,
        "domain": False,
        "title": None,
        "labelFontSize": TEXT,
        "labelColor": "var(--ink-2)",
        "labelPadding": 6,
    },
}
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"  # a name, never fetched
_NOISE = re.compile(
    r' (?:font-family="[^"]*"|opacity="1"|pointer-events="none"|aria-hidden="true"|class="[^"]*"'
    r'|role="[^"]*"|aria-[a-z]+="[^"]*"|stroke-miterlimit="10"|xmlns(?::xlink)?="[^"]*"|version="1.1")'
)
_EMPTY = re.compile(r'<path d=""[^>]*/>|<path d="M0,0h0v0h0Z"[^>]*/>|<g></g>')
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")


def inline_svg(chart: Spec, *, key: str, size: str, title: str, description: str) -> Markup:
    """The chart as one <svg> for a page.

    key: starts the ids of its title and description; unique within a page. size: "wide" or "narrow", a CSS class.
    description: every value of the chart in words.
    """
    import vl_convert

    raw: str = vl_convert.vegalite_to_svg({"$schema": _SCHEMA, **chart, "config": _CONFIG})
    body = re.sub(r"<[^>]*>", lambda tag: _slim(tag[0]), raw)
    while _EMPTY.search(body):
        body = _EMPTY.sub("", body)
    root = re.match(r"<svg[^>]*(viewBox=\"0 0 ([\d.]+) [^\"]*\")[^>]*>", body)
    assert root, "the renderer always writes a root with a viewBox"
    head = (
        f'<svg class="c {size}" width="{root[2]}" {root[1]} role="img" aria-labelledby="{key}-t {key}-d">'
        f'<title id="{key}-t">{escape(title)}</title><desc id="{key}-d">{escape(description)}</desc>'
    )
    return Markup(head + body[root.end() :])  # our own drawing; the renderer escapes its texts


def _slim(tag: str) -> str:
    tag = _NOISE.sub("", tag)
    return _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), tag)


def drawing(values: list[dict[str, Any]]) -> Any:
    """A chart over these rows (an `alt.Chart`; untyped, as its keyword types refuse styles kept in a dict).

    The rows go in as a tuple: Altair copies lists, with all that is in them, at every method call.
    """
    import altair as alt

    return alt.Chart({"values": tuple(values)})


def layered(layers: Sequence[Any], width: int, height: int) -> Spec:
    """Drawings on top of each other, on one scale.

    Put together as plain data: `alt.layer` and its kin copy all they hold several times, which takes ten times as long.
    """
    parts = []
    for layer in layers:
        part: Spec = layer.to_dict(validate=False)
        part["data"] = {"values": part.pop("datasets")[part["data"]["name"]]} if "datasets" in part else part["data"]
        parts.append({key: value for key, value in part.items() if key not in ("config", "$schema")})
    return {"layer": parts, "width": width, "height": height}
