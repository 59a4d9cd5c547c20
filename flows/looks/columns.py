"""Which columns of a labels file are meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from agreement.errors import ConfigError, Problem
from flows.looks.options import LookOptions, listed
from flows.looks.rows import Choice
from flows.reading.tables import Table
from schemas.names import shown

# Taken where nothing is said; the first of them that the file has.
_USUAL = {"item": ("item_id", "item"), "annotator": ("annotator_id", "annotator"), "label": ("label",)}


def choice_of(table: Table, options: LookOptions) -> Choice:
    """Which columns are meant. ConfigError naming those there are, for every one that is not."""
    problems: list[Problem] = []

    def columns(option: str, text: str) -> tuple[str, ...]:
        wanted = (text,) if table.has(text) else tuple(listed(text))
        for name in wanted:
            problem = _column_problem(table, option, name)
            if problem:
                problems.append(problem)
        return wanted

    def asked(option: str) -> str:
        text = getattr(options, option) or next((name for name in _USUAL[option] if table.has(name)), "")
        if not text:
            fix = f"Name it: --{option} COLUMN. There are: {_names(table)}."
            problems.append(Problem("column-not-named", f"which column is the {option}?", fix, file=table.file))
        return text

    wide = columns("wide", options.wide) if options.wide else ()
    item = columns("item", options.item if wide else asked("item")) if options.item or not wide else ()
    annotator = columns("annotator", asked("annotator")) if not wide else ()
    label = columns("label", asked("label")) if not wide else ()
    by = columns("by", options.by) if options.by else ()
    for option, names in (("annotator", annotator), ("label", label), ("by", by)):
        if len(names) > 1:
            problems.append(Problem("several-columns", f"--{option} takes one column", "Name one.", file=table.file))
    problems += _used_twice(table, {"item": item, "annotator": annotator, "label": label, "wide": wide, "by": by})
    if problems:
        raise ConfigError(f"{table.file}: the columns to look at are not clear", problems)
    return Choice(
        item=item,
        annotator=annotator[0] if annotator else "",
        label=label[0] if label else "",
        wide=wide,
        by=by[0] if by else "",
        categories=tuple(listed(options.categories)),
        positive=tuple(listed(options.positive)),
        missing=tuple(listed(options.missing)),
        duplicates=options.duplicates,
        scale=options.scale,
    )


def _used_twice(table: Table, used: Mapping[str, tuple[str, ...]]) -> Iterator[Problem]:
    """One column in two parts that exclude each other. Only --by may name a part of the item, as a round is."""
    for first, second in combinations(used, 2):
        for name in used[first]:
            if name in used[second] and (first, second) != ("item", "by"):
                message = f"one column is asked for as --{first} and as --{second}"
                fix = "Groups are made by a column of their own." if second == "by" else "Name a column of its own."
                yield Problem("named-twice", message, fix, file=table.file, value=shown(name))


def _column_problem(table: Table, option: str, name: str) -> Problem | None:
    if table.has(name):
        return table.unusable.get(name)
    near = table.nearest(name)
    fix = f"Did you mean {near!r}?" if near else f"There are: {_names(table)}."
    return Problem("no-such-column", f"--{option}: no such column", fix, file=table.file, value=shown(name))


def _names(table: Table) -> str:
    return ", ".join(shown(name) for name in table.columns[:30])
