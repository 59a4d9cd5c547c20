"""Times as other tools write them, made ISO 8601; a zone that is not written stays unknown."""

from __future__ import annotations

from datetime import datetime

from flows.formats.columns import Columns
from flows.reading.findings import Findings
from schemas.format_map import Times

# Zones that mean the same everywhere; others (PDT, CST ...) must be declared, as several places use one name.
_EVERYWHERE = {"UTC": "+00:00", "GMT": "+00:00", "Z": "+00:00"}


def iso_times(cells: list[str], times: Times | None, table: Columns, refusals: Findings) -> list[str]:
    """The cells as ISO 8601 text, as they are where the map declares no formats. Each distinct cell is read once."""
    if times is None:
        return cells
    known = {}
    for i, cell in enumerate(cells):
        if cell not in known:
            known[cell] = _iso(cell, times, table, i, refusals) if cell else ""
    return [known[cell] for cell in cells]


def _iso(cell: str, times: Times, table: Columns, i: int, refusals: Findings) -> str:
    line, path = table.at(i)
    text, offset = cell, None
    for word in cell.split():
        if word in times.zones or word in _EVERYWHERE:
            text, offset = cell.replace(word, "ZONE"), times.zones.get(word) or _EVERYWHERE[word]
        elif word.isalpha() and word.isupper() and len(word) in (3, 4):
            message = f"the zone '{word}' is not declared"
            refusals.add("unknown-zone", message, file=table.file, line=line or None, column=path or None, value=cell)
            return cell
    for form in times.formats:
        try:
            found = datetime.strptime(text, form.replace("%Z", "ZONE"))
        except ValueError:
            continue
        return found.isoformat() + (offset or "").replace("+00:00", "Z")
    message = "the time is written in none of the declared ways"
    refusals.add("bad-time", message, file=table.file, line=line or None, column=path or None, value=cell)
    return cell
