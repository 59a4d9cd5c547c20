"""The tables of formats and of the map's keys, made from the readers and the model: `python -m flows.formats.table`.

A test holds the pages equal to what is made here.
"""

from __future__ import annotations

from pathlib import Path

from flows.formats.presets import FOLDER, presets
from flows.formats.reading import ABILITIES
from flows.formats.recognise import FORMATS
from schemas.format_map import FormatMap
from schemas.json_schema import key_table

PAGE = Path(__file__).parents[2] / "schemas" / "README.md"
KEYS_PAGE = FOLDER / "README.md"
KEYS_BEGIN, KEYS_END = "<!-- keys: made by python -m flows.formats.table -->", "<!-- end of keys -->"
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
    """schemas/README.md with the table of formats between its markers."""
    return _between(page, BEGIN, END, format_table())


def page_with_keys(page: str) -> str:
    """configs/formats/README.md with every key of a map between its markers."""
    return _between(page, KEYS_BEGIN, KEYS_END, key_table(FormatMap))


def _between(page: str, begin: str, end: str, text: str) -> str:
    """The page with this text between its markers. ValueError if a marker is missing."""
    before, rest = page.split(begin, 1)
    after = rest.split(end, 1)[1]
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"


if __name__ == "__main__":
    PAGE.write_text(page_with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    KEYS_PAGE.write_text(page_with_keys(KEYS_PAGE.read_text(encoding="utf-8")), encoding="utf-8")
