"""The labels of any file as numbers: items, annotators, categories."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from agreement.counts import patterns_from_codes
from agreement.errors import ConfigError, Problem
from agreement.patterns import MISSING, NOT_ASSIGNED, Patterns
from flows.looks.groups import keep_groups_whole
from flows.looks.notes import alike_items, alike_texts, hardly_paired, seems_no_label
from flows.reading.findings import LISTED, Findings
from flows.reading.places import at_places
from flows.reading.tables import Table
from flows.storage.store import Connection, rows
from schemas.names import shown

_NUMBER = re.compile(r"[+-]?[0-9]+([.][0-9]+)?", re.ASCII)
MOST_CELLS = 200_000_000  # items times annotators held in memory together

# What is kept of an annotator's several rows on one item, numbered `n` in file order, `m` of them.
_KEPT = {"refuse": "true", "first": "n = 1", "last": "n = m", "drop-conflicting": "n = 1 and alike"}


@dataclass(frozen=True)
class Choice:
    """Which columns mean what, and how to read them. wide: the annotators' columns, else annotator and label.
    no_answer: a condition, in SQL, for rows that hold no label whatever their label column says."""

    item: tuple[str, ...]
    annotator: str
    label: str
    wide: tuple[str, ...]
    by: str
    categories: tuple[str, ...]
    positive: tuple[str, ...]
    missing: tuple[str, ...]
    duplicates: str
    scale: str
    no_answer: str = "false"


@dataclass(frozen=True)
class LongRows:
    """One row a label, numbered, in the temporary table `numbered` (item, annotator, code, grp).

    n_duplicates: rows that do not count because of others. groups: values of the `by` column.
    """

    categories: tuple[str, ...]
    annotators: tuple[str, ...]
    groups: tuple[str, ...]
    n_labels: int
    n_missing: int
    n_duplicates: int
    notes: tuple[str, ...]

    def patterns(self, con: Connection, group: str | None) -> Patterns:
        """Who said what in one group (None: all), as distinct patterns. Only annotators who are in it."""
        where = "" if group is None else "where grp = ?"
        query = f"select item, annotator, code from numbered {where}"
        codes, present = _matrix(con, query, [] if group is None else [group])
        return patterns_from_codes(codes, [self.annotators[i] for i in present], self.categories)

    def side_by_side(self, con: Connection, first: str, second: str) -> tuple[Patterns, list[list[str]], int]:
        """Two groups as patterns of the same items: an annotator of each is a column of its own.

        Also the columns of either group, and how many items are in both.
        """
        query = """select item, annotator + case when grp = ? then 0 else ? end annotator, code
                   from numbered where grp in (?, ?)"""
        n_all = len(self.annotators)
        codes, columns = _matrix(con, query, [first, n_all, first, second])
        sets = [[f"{i}" for i in columns if (i >= n_all) == second_one] for second_one in (False, True)]
        of_first = np.array([i < n_all for i in columns])
        seen = codes != NOT_ASSIGNED
        common = int((seen[:, of_first].any(axis=1) & seen[:, ~of_first].any(axis=1)).sum())
        return patterns_from_codes(codes, [f"{i}" for i in columns], self.categories), sets, common


def _matrix(con: Connection, query: str, bound: list[str | int]) -> tuple[np.ndarray, list[int]]:
    """Codes of items by annotators, and the annotators' numbers."""
    found = con.execute(query, bound).fetchnumpy()
    items, item = np.unique(np.asarray(found["item"]), return_inverse=True)
    present, annotator = np.unique(np.asarray(found["annotator"]), return_inverse=True)
    if len(items) * len(present) > MOST_CELLS:
        raise ConfigError(
            f"{len(items):,} items times {len(present):,} annotators are too many to look at together",
            next_step="Look at parts with --by, or register a study: a round's counts are made in the database.",
            code="too-many-to-look-at",
        )
    codes = np.full((len(items), len(present)), NOT_ASSIGNED, dtype=np.int32)
    codes[item, annotator] = np.asarray(found["code"])
    return codes, present.tolist()


def long_rows(con: Connection, table: Table, choice: Choice) -> LongRows:
    """Number the labels of a table.

    InputRefused for an annotator's several rows on one item (unless a rule says which counts), labels that are not
    among the declared categories, and empty ids.
    """
    found = Findings(table.file)
    con.execute(f"create or replace temp table long as {_long_query(table, choice)}", {"missing": list(choice.missing)})
    _check_ids(con, table, choice, found)
    if choice.duplicates == "refuse":
        _check_duplicates(con, table, found)
    n_all = _number(con, "select count(*) from long")
    n_duplicates = n_all - _keep_one(con, choice.duplicates)
    categories = _categories(con, table, choice, found)
    if found:
        raise at_places(found.refusal(table.n_rows), table.paths)
    grouped = keep_groups_whole(con, choice.by) if choice.by else []
    annotators = [name for (name,) in rows(con, "select distinct annotator from kept order by annotator")]
    con.execute(
        f"""create or replace temp table numbered as
            select dense_rank() over (order by item) item, list_position($annotators, annotator) - 1 annotator, grp,
              case when is_missing then {MISSING} else list_position($categories, "label") - 1 end code
            from kept""",
        {"annotators": annotators, "categories": list(categories)},
    )
    return LongRows(
        categories=categories,
        annotators=tuple(annotators),
        groups=tuple(g for (g,) in rows(con, "select distinct grp from kept where grp is not null order by grp")),
        n_labels=_number(con, "select count(*) from kept where not is_missing"),
        n_missing=_number(con, "select count(*) from kept where is_missing"),
        n_duplicates=n_duplicates,
        notes=(*_notes(con, choice), *grouped),
    )


def labels_of_several(con: Connection) -> dict[str, list[str]]:
    """What `long_rows` kept of the items that several annotators labelled: item -> labels in alphabetical order."""
    return dict(
        rows(
            con,
            """select item, list("label" order by "label") from kept where not is_missing
               group by item having count(*) > 1 order by item""",
        )
    )


def _long_query(table: Table, choice: Choice) -> str:
    """One row a label. In a wide file without an item column each row is an item."""
    if not choice.item:
        item = "rowid::varchar"
    elif len(choice.item) == 1:
        item = table.sql(choice.item[0])
    else:
        item = f"concat_ws(chr(31), {', '.join(table.sql(name) for name in choice.item)})"
    by = table.sql(choice.by) if choice.by else "null::varchar"
    pairs = [(_literal(name), table.sql(name)) for name in choice.wide]
    if not pairs:
        pairs = [(table.sql(choice.annotator), table.sql(choice.label))]
    parts = [
        f"""select rowid src_row, {item} item, {annotator} annotator, {label} "label", {by} grp,
              {label} = '' or list_contains($missing, {label}) or {choice.no_answer} is_missing from {table.relation}"""
        for annotator, label in pairs
    ]
    return " union all ".join(parts)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _check_ids(con: Connection, table: Table, choice: Choice, found: Findings) -> None:
    for name, column in (("item", ", ".join(choice.item)), ("annotator", choice.annotator)):
        bad = rows(con, f"select src_row from long where {name} = '' order by src_row limit {LISTED}")
        for (row,) in bad:
            found.add("blank-id", f"the {name} is empty", line=table.line_of(row), column=column, value="")


def _check_duplicates(con: Connection, table: Table, found: Findings) -> None:
    repeated = """with repeated as (
        select src_row, item, annotator, "label", first_value(src_row) over w first_row,
          first_value("label") over w first_label
        from long window w as (partition by item, annotator order by src_row))"""
    bad = rows(
        con,
        f"""{repeated} select src_row, item, annotator, "label", first_row, first_label from repeated
            where src_row <> first_row order by src_row limit {LISTED}""",
    )
    fix = "Correct the file, or say which row counts: --duplicates first, last or drop-conflicting."
    for row, item, annotator, label, first_row, first_label in bad:
        line = table.line_of(first_row)
        if label == first_label:
            code, message = "duplicate-row", f"{annotator} labelled this item on line {line} already, alike"
        else:
            code, message = "conflicting-duplicate", f"{annotator} said {first_label!r} on line {line}, {label!r} here"
        found.add(code, message, line=table.line_of(row), column="item", value=item.replace(chr(31), ", "), fix=fix)
    if len(bad) == LISTED:
        total = _number(con, f"{repeated} select count(*) from repeated where src_row <> first_row")
        found.add_unlisted("duplicate-row", total - len(bad))


def _keep_one(con: Connection, rule: str) -> int:
    """Temporary table `kept`: one row of each annotator and item, or none. How many."""
    con.execute(
        f"""create or replace temp table kept as
            select * exclude (n, m, alike) from (
              select *, row_number() over w n, count(*) over p m, min("label") over p = max("label") over p alike
              from long
              window w as (partition by item, annotator order by src_row), p as (partition by item, annotator))
            where {_KEPT[rule]}"""
    )
    return _number(con, "select count(*) from kept")


def _categories(con: Connection, table: Table, choice: Choice, found: Findings) -> tuple[str, ...]:
    """The declared labels, or those found: numbers by size, else in the order of the alphabet."""
    used = [label for (label,) in rows(con, 'select distinct "label" from kept where not is_missing order by "label"')]
    declared = choice.categories
    if not declared:
        return _ordered(used, choice, table)
    stray = [label for label in used if label not in declared]
    bad = rows(
        con,
        f"""select src_row, "label" from kept where not is_missing and list_contains($stray, "label")
            order by src_row limit {LISTED}""",
        {"stray": stray},
    )
    fix = "Add it to --categories, or to --missing if it means no label."
    for row, label in bad:
        message = f"label is not one of: {', '.join(declared)}"
        found.add("unknown-label", message, line=table.line_of(row), column="label", value=label, fix=fix)
    return declared


def _ordered(used: Sequence[str], choice: Choice, table: Table) -> tuple[str, ...]:
    absent = [value for value in choice.positive if value not in used]
    if absent:
        fix = f"Labels found: {', '.join(used[:20])}."
        raise ConfigError(
            f"{table.file}: --positive is not a label of the file",
            [Problem("unknown-category", "no label of the file", fix, value=value) for value in absent],
        )
    if all(_NUMBER.fullmatch(label) for label in used):
        return tuple(sorted(used, key=float))
    if choice.scale != "nominal":
        raise ConfigError(
            f"{table.file}: the labels are not numbers, so say their order: --categories A,B,C",
            code="order-unknown",
            next_step="Name the labels in their order with --categories.",
        )
    return tuple(used)


def _notes(con: Connection, choice: Choice) -> Iterator[str]:
    blank = _number(con, "select count(*) from kept where \"label\" = ''")
    if blank:
        yield f"{blank:,} empty cells taken as no label"
    written = {label for (label,) in rows(con, 'select distinct "label" from long where is_missing')}
    for spelling in choice.missing:
        if spelling not in written:
            yield f"no cell holds {shown(spelling)!r}, which --missing names"
    if not choice.categories:
        yield from alike_texts(con, '"label"', "labels")
        yield from seems_no_label(con)
    if not choice.wide:
        yield from alike_texts(con, "annotator", "annotators")
    if choice.item:
        yield from alike_items(con)
        yield from hardly_paired(con)


def _number(con: Connection, query: str) -> int:
    return int(rows(con, query)[0][0])
