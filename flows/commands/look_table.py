"""What `goldgate agreement FILE` prints: one table per group, each figure with its interval and what it rests on."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from flows.commands.printing import plain


def print_look(found: dict[str, Any], console: Console | None = None) -> None:
    """Print the record `look` gives. Text out of the file is printed as text, never as markup."""
    console = console or Console()
    for line in heading(found):
        console.print(Text(plain(line)))
    for group in found["groups"]:
        console.print()
        console.print(Text(plain(_group_line(found, group))))
        console.print(_table(group["estimates"]))
    if found["difference"] is not None:
        console.print()
        console.print(Text(plain(difference_line(found))))
        console.print(_table(found["difference"]["estimates"]))


def difference_line(found: dict[str, Any]) -> str:
    """What is compared with what, and on which items."""
    asked = found["difference"]
    first, second, common = asked["first"], asked["second"], asked.get("common_items")
    by = f"{found['by']} " if asked["kind"] == "groups" else ""
    drawn = "each drawn on its own: no item in common" if common == 0 else "from the same draws of the items"
    return f"Difference: {by}{first} less {by}{second}, {drawn}"


def heading(found: dict[str, Any]) -> list[str]:
    """What was read, and how."""
    how = "declared" if found["categories_declared"] else "as found, none declared"
    lines = [
        f"{found['file']}: {found['format']}, {found['n_rows']:,} rows, {found['n_labels']:,} labels, "
        f"{found['n_missing']:,} missing",
        f"Categories ({how}): {', '.join(found['categories'])}",
    ]
    if found["n_duplicates"]:
        lines.append(
            f"Duplicates: {found['n_duplicates']:,} rows do not count (rule: {found['duplicates']})",
        )
    lines += [f"Note: {note}" for note in found["notes"]]
    return [*lines, *(f"Cannot say: {sentence}" for sentence in found.get("loss", ()))]


def _group_line(found: dict[str, Any], group: dict[str, Any]) -> str:
    counts = group["counts"]
    name = "All" if group["name"] == "all" else f"{found['by']} {group['name'] or '(empty)'}"
    line = (
        f"{name}: {counts['items']:,} items, {counts['annotators']} annotators, {counts['paired_items']:,} paired items"
    )
    if "union_positives" in counts:
        line += f", {counts['union_positives']:,} union positives, {counts['joint_positives']:,} joint positives"
    return line


def _table(estimates: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("statistic", "value", "interval (95 %)", "how"):
        table.add_column(title, justify="right" if title == "value" else "left")
    for e in estimates:
        name = e["statistic"].replace("_", " ") + (f" of {e['category']!r}" if e["category"] is not None else "")
        if e["value"] is None:
            table.add_row(Text(plain(name)), "-", "", Text(e["status"]))
        else:
            bounds = f"{e['lower']:.4f} to {e['upper']:.4f}" if e["lower"] is not None else ""
            table.add_row(Text(plain(name)), f"{e['value']:.4f}", bounds, Text(e["interval"]))
    return table
