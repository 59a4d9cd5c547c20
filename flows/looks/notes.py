"""What a person should know of a labels file that is looked at, though nothing in it is wrong."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from agreement.errors import InputRefused
from flows.reading.tables import Table
from flows.storage.store import Connection, rows
from schemas.names import look_alike, shown

MOST_TEXTS = 10_000  # distinct ones compared with each other
MOST_ITEMS = 100_000
HARDLY = 0.05  # of the items
FEWEST_ITEMS = 10
_NO_LABEL = ("na", "n/a", "nan", "null", "#n/a", "<na>")
_NUMBER = re.compile(r"[+-]?[0-9]+([.][0-9]+)?", re.ASCII)

# Columns that say whether a row holds an answer at all, and what they then say.
_STATUS_NAMES = ("status", "state", "label_status", "annotation_status", "response_status", "answer_status")
_FLAG_NAMES = ("was_cancelled", "cancelled", "canceled", "skipped", "is_skipped", "is_draft", "draft")
_NO_ANSWER = (
    *("skipped", "skip", "draft", "cancelled", "canceled", "discarded", "ignored", "ignore", "abstained"),
    *("never_shown", "submitted_empty", "not_started", "in_progress", "expired", "returned", "timed_out"),
)
_TRUE = ("true", "1", "yes")


def no_answer(con: Connection, table: Table, used: set[str]) -> tuple[str, list[str]]:
    """A condition, in SQL, for rows that hold no label whatever their label column says; and what was found, in words.

    Rows that a status column calls skipped, draft and the like, that a flag marks so, or whose answer is not the
    annotator's own (`origin` of our files). used: columns that were asked for, which are left alone.
    """
    conditions, notes = list[str](), list[str]()
    for name in table.columns:
        key, cell = name.strip().casefold(), f"lower(trim({table.sql(name)}))"
        if name in used:
            continue
        if key in _STATUS_NAMES:
            conditions.append(f"{cell} in ({_list(_NO_ANSWER)})")
            notes += _other_statuses(con, table, name)
        elif key in _FLAG_NAMES:
            conditions.append(f"{cell} in ({_list(_TRUE)})")
        elif key == "origin" and _only(con, table, name, ("", "own", "prediction", "copied", "reviewer", "gold")):
            conditions.append(f"{cell} not in ('', 'own')")
        else:
            continue
        n = rows(con, f"select count(*) from {table.relation} where {conditions[-1]}")[0][0]
        if n:
            notes.append(f"{n:,} rows hold no label of the annotator's own: {shown(name)} says so")
    return " or ".join(f"({one})" for one in conditions) or "false", notes


def _list(texts: tuple[str, ...]) -> str:
    return ", ".join(f"'{text}'" for text in texts)


def _only(con: Connection, table: Table, name: str, known: tuple[str, ...]) -> bool:
    found = rows(con, f"select count(*) from {table.relation} where lower({table.sql(name)}) not in ({_list(known)})")
    return bool(found[0][0] == 0)


def _other_statuses(con: Connection, table: Table, name: str) -> Iterator[str]:
    """The further values of a status column, where there are several: their rows count, which may not be meant."""
    cell = table.sql(name)
    counted = rows(
        con,
        f"""select {cell}, count(*) from {table.relation} where lower(trim({cell})) not in ({_list(_NO_ANSWER)})
            group by all order by 2 desc, 1 limit 6""",
    )
    if len(counted) > 1:
        said = ", ".join(f"{shown(value)!r} ({n:,})" for value, n in counted)
        yield f"rows of every other {shown(name)} count: {said}"


def alike_texts(con: Connection, column: str, what: str) -> Iterator[str]:
    """Different texts of the table `kept` that a reader would take for one another, with how often each stands."""
    for said in _alike(con, column, MOST_TEXTS):
        yield f"look-alike {what} are kept apart: {said}"


def alike_items(con: Connection) -> Iterator[str]:
    """The same of item ids, in one note: three examples and how many more there are."""
    said = list(_alike(con, "replace(item, chr(31), ', ')", MOST_ITEMS))
    if said:
        more = f"; and {len(said) - 3:,} more" if len(said) > 3 else ""
        yield f"look-alike items are kept apart: {'; '.join(said[:3])}{more}"


def hardly_paired(con: Connection) -> Iterator[str]:
    """Whether so few items have labels of several annotators that their ids may not be written alike."""
    people, items, paired = rows(
        con,
        """select (select count(distinct annotator) from kept where not is_missing), count(*),
             count(*) filter (n > 1)
           from (select count(distinct annotator) n from kept where not is_missing group by item)""",
    )[0]
    if people > 1 and items >= FEWEST_ITEMS and paired < HARDLY * items:
        yield (
            f"only {paired:,} of {items:,} items have labels of several annotators, and the figures rest on these:"
            " are the item ids written alike?"
        )


def seems_no_label(con: Connection) -> Iterator[str]:
    """Labels that usually mean that there is none."""
    counted = rows(con, 'select "label", count(*) from kept where not is_missing group by all order by 2 desc, 1')
    for text, n in counted:
        if text.strip().casefold() in _NO_LABEL:
            yield f"{shown(text)!r} ({n:,}) is taken as a label: --missing {shown(text)} if it means none"


def _alike(con: Connection, column: str, most: int) -> Iterator[str]:
    counted = rows(
        con,
        f"""select {column}, count(*) from kept where not is_missing group by all order by 2 desc, 1 limit {most}""",
    )
    groups: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for text, n in counted:
        groups[_look(text)].append((text, n))
    for group in groups.values():
        if len(group) > 1:
            yield " and ".join(f"{shown(text)!r} ({n:,})" for text, n in group)


def _look(text: str) -> str:
    """Equal for 1, 01 and 1.0; for other case, width, accents' form, spaces and dashes."""
    look = look_alike(text.strip())
    if not _NUMBER.fullmatch(look):
        return look
    # As text: long ids that differ in their last digits are one and the same floating-point number.
    whole, _, part = look.lstrip("+-").partition(".")
    sign = "-" if look.startswith("-") else ""
    return f"{sign}{whole.lstrip('0')}.{part.rstrip('0')}"


def seems_data(con: Connection, table: Table) -> bool:
    """Whether the first line looks like data: one of its cells stands again further down in its column."""
    again = " or ".join(f"{table.sql(name)} = ?" for name in table.columns)
    return bool(rows(con, f"select 1 from {table.relation} where {again} limit 1", list(table.columns)))


NO_HEADER = "If the first line is data, say --no-header and name columns by their number."


def for_a_look(refusal: InputRefused) -> InputRefused:
    """The refusal in words that fit where nothing is stored and no round is open."""
    problems = []
    for problem in refusal.problems:
        fix = problem.fix
        if problem.code in ("duplicate-column", "blank-column"):
            fix = f"{fix} {NO_HEADER}"
        elif "--empty" in fix:
            fix = "Export it again."
        problems.append(replace(problem, fix=fix))
    next_step = problems[0].fix if len(problems) == 1 else "Correct the file and run the command again."
    headline = refusal.headline.removesuffix("nothing stored").rstrip(",; ")
    return InputRefused(headline, problems, next_step, refusal.counts)
