"""The one Jinja environment of the pages: escapes everything, refuses what is undefined or None."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from flows.pages import numbers, words
from flows.pages.text import visible

_TEMPLATES = Path(__file__).parent / "templates"


@cache
def environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        finalize=_shown,
    )
    made.filters.update(
        count=numbers.count,
        day=numbers.day,
        effective=numbers.effective,
        shown=numbers.shown,
        stored=numbers.stored,
        percent=numbers.percent,
        level=numbers.level_percent,
        number_word=words.number_word,
    )
    made.globals.update(words=words, css=_css())
    return made


def render(template: str, **record: object) -> bytes:
    return environment().get_template(template).render(record).encode("utf-8") + b"\n"


def _shown(value: object) -> object:
    if value is None:
        raise ValueError("a page was about to print None; a missing value has a status text")
    return visible(value) if type(value) is str else value


def _css() -> Markup:
    return Markup((_TEMPLATES / "base.css").read_text(encoding="utf-8"))
