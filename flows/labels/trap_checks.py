"""Signs, in a whole file, that its rows are not what they seem: each a refusal with a name of its own.

The rows of such a file are mostly refused one by one as well; these say what is wrong with all of them. What compares
annotators is not here: nobody may learn how alike they are before the round is measured (flows/record/suspicions.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flows.labels.label_rows import LabelRows
from flows.reading.findings import Findings
from flows.storage.store import Connection, rows
from schemas.names import look_alike, shown
from schemas.records import Codebook

_OWN = "origin = 'own' and set_aside = ''"
_UNSURE = (
    *("unsure", "unclear", "cannot", "can't", "can not", "don't know", "dont know", "not sure", "no idea", "n/a"),
    *("ambiguous", "uncertain", "abstain", "skip", "undecided", "?"),
)


def check_traps(
    con: Connection, labels: LabelRows, book: Codebook, passes: int, spellings: Mapping[str, str], found: Findings
) -> None:
    """Note what the file as a whole shows. spellings: how abstaining is or was written, to where it is said."""
    constant_item(con, labels, found)
    transposed(con, labels, book.annotators, found)
    if book.duplicates == "refuse":
        one_author(con, labels, passes, found)
    abstention_spelling(con, labels, book, spellings, found)


def constant_item(con: Connection, labels: LabelRows, found: Findings) -> None:
    """One item id on every row, though an annotator answered more than once and the round has several items."""
    ((n_items, n_rows, n_people, example),) = rows(
        con,
        f"""select count(distinct item_id), count(*), count(distinct annotator_id), min(item_id)
            from {labels.relation} where {_OWN}""",
    )
    n_frame = rows(con, "select count(*) from (select 1 from frame_here limit 2)")[0][0]
    if n_items == 1 and n_rows > max(n_people, 2) and n_frame > 1:
        message = f"all {n_rows:,} rows have one item id, also those of one annotator"
        found.add("constant-item-id", message, column=labels.place("item_id"), value=example)


def transposed(con: Connection, labels: LabelRows, annotators: Sequence[str], found: Findings) -> None:
    """Annotators in the place of items, and none of them where annotators should be."""
    swapped = rows(
        con,
        f"""select src_row, item_id from {labels.relation}
            where list_contains($people, item_id) and not list_contains($people, annotator_id)
              and frame_version = '' order by src_row limit 1""",
        {"people": list(annotators)},
    )
    for row, name in swapped:
        message = "an annotator stands where the item should: are rows and columns swapped?"
        place = labels.place("item_id")
        found.add("transposed-matrix", message, line=labels.line_of(row), column=place, value=name)


def one_author(con: Connection, labels: LabelRows, passes: int, found: Findings) -> None:
    """One name on as many labels of each item as independent passes were promised.

    Asked where a person may label an item once: it says why all of those rows are refused.
    """
    if passes < 2:
        return
    counted = rows(
        con,
        f"""select any_value(annotator_id), count(distinct annotator_id), count(distinct item_id), count(*)
            from {labels.relation} where {_OWN} and status = 'labelled'""",
    )
    for name, n_people, n_items, n_rows in counted:
        if n_people == 1 and n_items > 1 and n_rows >= passes * n_items:
            message = f"{passes} independent passes were promised, and all {n_rows:,} labels are one person's"
            found.add("one-author", message, column=labels.place("annotator_id"), value=name)


def abstention_spelling(
    con: Connection, labels: LabelRows, book: Codebook, spellings: Mapping[str, str], found: Findings
) -> None:
    """A label that is no category and means "cannot judge", beside how that was written elsewhere."""
    used = rows(
        con,
        f"""select "label", count(*), min(src_row) from {labels.relation}
            where status = 'labelled' and not list_contains($categories, "label") and "label" <> ''
            group by "label" order by min(src_row)""",
        {"categories": list(book.categories)},
    )
    known = {**dict.fromkeys(book.abstention_reasons, "as a reason in the study"), **spellings}
    for label, n, row in used:
        near = [one for one in known if look_alike(one.strip()) == look_alike(label.strip())]
        if not known or not (near or means_unsure(label)):
            continue
        other = near[0] if near else next(iter(spellings), next(iter(known)))
        count = "1 row" if n == 1 else f"{n:,} rows"
        message = f"seems to mean 'cannot judge' ({count}); abstaining was written {other!r} {known[other]}"
        place = labels.place("label")
        found.add("abstention-spelling", message, line=labels.line_of(row), column=place, value=shown(label))


def means_unsure(label: str) -> bool:
    """Whether a reader would take the label for "cannot judge"."""
    text = look_alike(label).replace("-", " ")
    return any(word in text for word in _UNSURE)
