"""The table of formats in schemas/README.md, made from the readers themselves: `python -m flows.formats.table`.

A test holds the page equal to what is made here.
"""

from __future__ import annotations

from pathlib import Path

from flows.formats.presets import presets
from flows.formats.reading import ABILITIES
from flows.formats.recognise import FORMATS

PAGE = Path(__file__).parents[2] / "schemas" / "README.md"
BEGIN, END = "<!-- formats: made by python -m flows.formats.table -->", "<!-- end of formats -->"


def format_table() -> str:
    """A Markdown table: one row an ability, one column a format, and a list of what else each cannot say."""
    columns = [(f.name, f.can, f.also) for f in FORMATS if f.can]
    columns += [(how.format, frozenset(how.can), how.loss) for how in presets().values()]
    lines = ["| | " + " | ".join(name for name, *_ in columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for ability, (words, _) in ABILITIES.items():
        cells = ["yes" if ability in can else "" for _, can, _ in columns]
        lines.append(f"| {words} | " + " | ".join(cells) + " |")
    lines += ["", "Formats and what else they cannot say:", ""]
    titles = {f.name: f.title for f in FORMATS} | {how.format: how.about for how in presets().values()}
    also = {name: sentences for name, _, sentences in columns}
    for name, title in titles.items():
        said = "; ".join(also.get(name, ()))
        lines.append(f"- `{name}`: {title}" + (f". Note: {said}" if said else ""))
    return "\n".join(lines)


def page_with_table(page: str) -> str:
    """The page with the table between its markers. ValueError if the markers are missing."""
    before, rest = page.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    return f"{before}{BEGIN}\n\n{format_table()}\n\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page_with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
