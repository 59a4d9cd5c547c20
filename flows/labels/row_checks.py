"""Checks of one row at a time: the distinct combinations are validated, then the refused ones traced to their rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from flows.labels.label_rows import LabelRows
from flows.reading.findings import LISTED, Findings
from flows.storage.store import Connection, rows
from schemas.records import COLUMN_OF, TUPLE, Codebook, failing_tuples

_TUPLE_SQL = ", ".join(f'"{name}"' for name in TUPLE)


def check_rows(con: Connection, labels: LabelRows, book: Codebook, found: Findings) -> None:
    """Note every row that breaks a row rule."""
    tuples = rows(
        con,
        f"""select {_TUPLE_SQL}, min(src_row), count(*) from {labels.relation}
            group by {_TUPLE_SQL} order by min(src_row)""",
    )
    failed = failing_tuples([row[: len(TUPLE)] for row in tuples], book)
    totals = Counter[str]()
    for position, code in failed:
        totals[code] += tuples[position][-1]
    before = Counter(found.counts)
    _list_rows(con, labels, book, tuples, failed, found)
    for code, total in totals.items():
        found.add_unlisted(code, total - (found.counts[code] - before[code]))


def _list_rows(
    con: Connection,
    labels: LabelRows,
    book: Codebook,
    tuples: Sequence[tuple[str | int, ...]],
    failed: Sequence[tuple[int, str]],
    found: Findings,
) -> None:
    """The first refused rows. They are among the combinations that begin first, which `tuples` is sorted by."""
    first = sorted({position for position, _ in failed})[:LISTED]
    if not first:
        return
    import pyarrow as pa

    columns = {name: pa.array([tuples[p][i] for p in first], pa.string()) for i, name in enumerate(TUPLE)}
    con.register("refused_tuple", pa.table({"n": pa.array(first, pa.int64()), **columns}))
    places = rows(
        con,
        f"""select r.src_row, t.n, r.labelled_at from {labels.relation} r
            join refused_tuple t using ({_TUPLE_SQL}) order by r.src_row limit {LISTED}""",
    )
    con.unregister("refused_tuple")
    codes: dict[int, list[str]] = {}
    for position, code in failed:
        codes.setdefault(position, []).append(code)
    for row, position, time in places:
        values = dict(zip(TUPLE, tuples[position], strict=False))
        for code in codes[position]:
            column = COLUMN_OF[code]
            value = time if column == "labelled_at" else str(values[column])
            message, fix = _message(code, value, values, book)
            place = labels.place(column)
            found.add(code, message, line=labels.line_of(row), column=place, value=value, fix=fix)


def _message(code: str, value: str, values: dict[str, str | int], book: Codebook) -> tuple[str, str | None]:
    """What is wrong, and a better fix than the usual one if there is one."""
    allowed = ", ".join(book.categories)
    if code == "near-miss-label":
        return f"label is not exactly {book.nearest_category(value)!r}", None
    if code == "unknown-label":
        return f"label is not one of: {allowed} (guideline {book.guideline_version})", None
    if code == "several-labels":
        return f"{len(book.parts(value))} labels in one answer", None
    if code == "unknown-annotator":
        near = book.nearest_annotator(value)
        return "annotator is not on the roster" + (f"; nearly {near!r}" if near else ""), None
    if code == "undeclared-abstain-reason":
        declared = ", ".join(book.abstention_reasons) or "none is declared: abstaining is not allowed"
        return f"reason is not one of: {declared}", None
    if code == "other-guideline-version":
        return f"labelled under another guideline version than {book.guideline_version}", None
    return _PLAIN.get(code, code), None


_PLAIN = {
    "adjudicator-as-annotator": "this person is an adjudicator",
    "unknown-status": "not a status",
    "unknown-origin": "not an origin",
    "blank-label": "labelled, and the label is empty",
    "label-without-answer": "a label beside a status that says there is none",
    "abstain-without-reason": "abstained without a reason",
    "reason-without-abstention": "a reason for abstaining, and the status is not abstained",
    "bad-time": "not an ISO 8601 time",
    "schema-unspecified": "refused by the schema, which names no rule",
}
