"""Checks of rows against the round's frame, against each other, and against what came in before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flows.labels.label_rows import KEY, LabelRows, count
from flows.reading.findings import LISTED, Findings
from flows.storage.store import Connection, rows
from schemas.names import look_alike
from schemas.records import failing_ids

_ANSWER = 'status || chr(31) || "label" || chr(31) || abstain_reason'
_LARGEST_FRAME_FOR_HINTS = 200_000


def check_set(con: Connection, labels: LabelRows, duplicates_rule: str, found: Findings) -> None:
    """Note every row that its item or the other rows of the file do not allow. Numbers repeated rows."""
    unknown_items(con, labels, found)
    other_versions(con, labels, found)
    gold_rows(con, labels, found)
    if duplicates_rule == "refuse":
        duplicates(con, labels, found)
    else:
        number_duplicates(con, labels)


def unknown_items(con: Connection, labels: LabelRows, found: Findings) -> None:
    """Items that are not of this round, and what they were perhaps meant to be."""
    where = "frame_version = '' and set_aside = ''"
    bad = _listed(con, labels, where, "item_id, elsewhere")
    if not bad:
        return
    ids = list(dict.fromkeys(item for _, item, elsewhere in bad if not elsewhere))
    no_ids = {ids[position]: code for position, code in failing_ids(ids)}
    nearest = _nearest_items(con, [item for item in ids if item not in no_ids or item.strip() != item])
    before = sum(found.counts.values())
    for row, item, elsewhere in bad:
        code, message = "unknown-item", "not an item of this round"
        if elsewhere:
            code, message = "other-round", "an item of another round of this study"
        elif item in nearest:
            code, message = "near-miss-item", f"not an item of this round; nearly {nearest[item]!r}"
        elif item in no_ids:
            code, message = no_ids[item], "not an item id"
        found.add(code, message, line=labels.line_of(row), column=labels.place("item_id"), value=item)
    found.add_unlisted("unknown-item", count(con, labels.relation, where) - (sum(found.counts.values()) - before))


def other_versions(con: Connection, labels: LabelRows, found: Findings) -> None:
    where = "frame_version not in ('', item_version) and set_aside = ''"
    bad = _listed(con, labels, where, "item_version, frame_version")
    for row, version, frozen in bad:
        message = f"the item was frozen in version {frozen!r}"
        place = labels.place("item_version")
        found.add("other-item-version", message, line=labels.line_of(row), column=place, value=version)
    _count_rest(con, labels, where, "other-item-version", len(bad), found)


def gold_rows(con: Connection, labels: LabelRows, found: Findings) -> None:
    where = "origin = 'gold' and set_aside = ''"
    bad = _listed(con, labels, where, "item_id")
    for row, item in bad:
        place = labels.place("item_id")
        found.add("gold-row", "a control item, not a blind label", line=labels.line_of(row), column=place, value=item)
    _count_rest(con, labels, where, "gold-row", len(bad), found)


def duplicates(con: Connection, labels: LabelRows, found: Findings) -> None:
    """Rows that repeat an earlier row's item and annotator: alike, or with another answer."""
    repeated = f"""
        with keys as (select {KEY} from {labels.relation} group by {KEY} having count(*) > 1),
        numbered as (select src_row, item_id, annotator_id, status, "label", {_ANSWER} answer,
                       first_value(src_row) over w first_row, first_value({_ANSWER}) over w first_answer,
                       first_value("label") over w first_label, first_value(status) over w first_status
                     from {labels.relation} join keys using ({KEY})
                     window w as (partition by {KEY} order by src_row)),
        repeated as (select *, answer = first_answer alike from numbered where src_row <> first_row)"""
    counts = rows(con, f"{repeated} select alike, count(*) from repeated group by alike")
    if not counts:
        return
    bad = rows(
        con,
        f"""{repeated} select src_row, first_row, item_id, annotator_id, status, "label", first_status, first_label,
              alike from repeated order by src_row limit {LISTED}""",
    )
    for row, first_row, item, annotator, status, label, first_status, first_label, alike in bad:
        line, place = labels.line_of(first_row), labels.place("item_id")
        if alike:
            code, message = "duplicate-row", f"{annotator} labelled this item on line {line} already, alike"
        else:
            code, was, now = "conflicting-duplicate", first_label or first_status, label or status
            message = f"{annotator} said {was!r} on line {line} and says {now!r} here"
        found.add(code, message, line=labels.line_of(row), column=place, value=item)
    for alike, n in counts:
        listed = sum(row[-1] == alike for row in bad)
        found.add_unlisted("duplicate-row" if alike else "conflicting-duplicate", n - listed)


def number_duplicates(con: Connection, labels: LabelRows) -> None:
    """Number the rows of one annotator on one item, in file order: the registered rule chooses by it."""
    con.execute(
        f"""update {labels.relation} as r set occurrence = n.occurrence from (
              select src_row, row_number() over (partition by {KEY} order by src_row) occurrence
              from {labels.relation} join (select {KEY} from {labels.relation} group by {KEY} having count(*) > 1)
                using ({KEY})) n
            where n.src_row = r.src_row"""
    )


def begin(con: Connection, params: dict[str, str]) -> None:
    """Temporary tables for one ingest. `frame_here`: the round's items. `present`: each annotator's last answers in
    this round, to which each file of a batch adds its own."""
    con.execute(
        """create or replace temp table frame_here as
           select item_id, item_version from frame_item where study_id = $study and round_id = $round""",
        params,
    )
    con.execute(
        f"""create or replace temp table present as
            select {KEY}, occurrence, status, "label", abstain_reason, labelled_at, ingest_seq from raw_label
            where study_id = $study and round_id = $round
            qualify ingest_seq = max(ingest_seq) over (partition by {KEY})""",
        params,
    )


@dataclass(frozen=True)
class Comparison:
    """A file's rows beside what came in before. fresh: the table of those to store. Counts are rows.

    keys: temporary table of the file's keys with a verdict (new, same, changed); None if nothing came in before.
    """

    fresh: str
    keys: str | None
    n_new: int
    n_same: int
    n_changed: int


def compare_with_present(con: Connection, labels: LabelRows) -> Comparison:
    """Sort a file's rows by what is there already.

    An answer where there was only a draft, or an item never shown, is new: an export that grew, not a revision.
    """
    if not count(con, "(select 1 from present limit 1)"):
        return Comparison(labels.relation, None, labels.n_rows, 0, 0)
    keys, fresh = f"keys_of_{labels.relation}", f"fresh_{labels.relation}"
    con.execute(
        f"""create temp table {keys} as
            with mine as (select {KEY}, list({_ANSWER} order by occurrence) answers, min(src_row) src_row
                          from {labels.relation} group by {KEY}),
            theirs as (select {KEY}, list({_ANSWER} order by occurrence) answers, max(status) was_status,
                         max("label") was_label, bool_and(status in ('draft', 'never_shown')) unanswered
                       from present group by {KEY})
            select m.* exclude (answers), t.was_status, t.was_label,
              case when t.answers is null then 'new' when t.answers = m.answers then 'same'
                   when t.unanswered then 'new' else 'changed' end verdict
            from mine m left join theirs t using ({KEY})"""
    )
    con.execute(
        f"""create temp table {fresh} as
            select r.*, k.verdict from {labels.relation} r join {keys} k on {_same_key("r", "k")}
            where k.verdict <> 'same'"""
    )
    verdicts = dict(rows(con, f"select verdict, count(*) from {fresh} group by verdict"))
    n_new, n_changed = verdicts.get("new", 0), verdicts.get("changed", 0)
    return Comparison(fresh, keys, n_new, labels.n_rows - n_new - n_changed, n_changed)


def changed(con: Connection, labels: LabelRows, comparison: Comparison, found: Findings) -> None:
    """Answers that differ from what came in before. For an ingest without a revision."""
    if not comparison.n_changed:
        return
    bad = rows(
        con,
        f"""select k.src_row, k.annotator_id, k.was_status, k.was_label, r.status, r."label"
            from {comparison.keys} k join {labels.relation} r using (src_row)
            where k.verdict = 'changed' order by k.src_row limit {LISTED}""",
    )
    for row, annotator, was_status, was_label, status, label in bad:
        message = f"{annotator} said {was_label or was_status!r} before and says {label or status!r} here"
        place = labels.place("label")
        found.add("changed-label", message, line=labels.line_of(row), column=place, value=label or status)
    if len(bad) == LISTED:
        found.add_unlisted("changed-label", count(con, str(comparison.keys), "verdict = 'changed'") - len(bad))


def add_to_present(con: Connection, comparison: Comparison) -> None:
    """What was accepted becomes what the next file of the batch is compared with."""
    con.execute(f"delete from present p where exists (select 1 from {comparison.fresh} f where {_same_key('p', 'f')})")
    con.execute(
        f"""insert into present select {KEY}, occurrence, status, "label", abstain_reason, labelled_at, 0
            from {comparison.fresh}"""
    )


def _same_key(a: str, b: str) -> str:
    return " and ".join(f"{a}.{name} = {b}.{name}" for name in KEY.split(", "))


def _listed(con: Connection, labels: LabelRows, where: str, columns: str) -> list[tuple[Any, ...]]:
    return rows(con, f"select src_row, {columns} from {labels.relation} where {where} order by src_row limit {LISTED}")


def _count_rest(con: Connection, labels: LabelRows, where: str, code: str, listed: int, found: Findings) -> None:
    if listed == LISTED:
        found.add_unlisted(code, count(con, labels.relation, where) - listed)


def _nearest_items(con: Connection, ids: Sequence[str]) -> dict[str, str]:
    """Items of the frame that a reader would take these ids for."""
    if not ids:
        return {}
    frame = rows(con, f"select item_id from frame_here limit {_LARGEST_FRAME_FOR_HINTS}")
    by_look = {_look(item): item for (item,) in reversed(frame)}
    return {item: by_look[_look(item)] for item in ids if _look(item) in by_look}


def _look(item: str) -> str:
    """Equal for 7, 007 and 7.0; for other case, width, spaces and dashes."""
    look = look_alike(item.strip().strip("\u200b\u200c\u200d\ufeff\u202e"))
    return look.removesuffix(".0").lstrip("0") or "0"
