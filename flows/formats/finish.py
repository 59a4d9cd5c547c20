"""The end of every reading: checks on all rows of a file, and what they show that the format could not say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from flows.formats.reading import Format, Reading, ReadOptions, Rows, loss_of
from flows.reading.findings import Findings

_ORIGINS = {
    "prediction": "made from a prediction",
    "copied": "copied from another answer",
    "reviewer": "last changed by a reviewer",
    "gold": "gold",
}


def finish(
    format_: Format,
    rows: Rows,
    refusals: Findings,
    options: ReadOptions,
    *,
    notes: Iterable[str] = (),
    loss: Iterable[str] = (),
    questions: Collection[str] = (),
    question: str | None = None,
    apart: Mapping[str, Rows] | None = None,
    can: frozenset[str] | None = None,
) -> Reading:
    """The reading, or InputRefused with every problem found.

    can: what these files can express, where that is not what the format usually can.
    """
    apart = {reason: kept for reason, kept in (apart or {}).items() if len(kept)}
    _check_rows(rows, refusals, bool(apart))
    refusals.raise_if_any()
    _declared_abstentions(rows, options)
    counted = [f"{n} answers {_ORIGINS[origin]}, kept apart" for origin, n in sorted(_not_own(rows).items())]
    if without := sum(1 for time in rows.labelled_at if time and not _has_zone(time)):
        counted.append(f"{without} times have no zone: marked unknown")
    counted += [f"{len(kept)} rows kept apart: {reason}" for reason, kept in sorted(apart.items())]
    declared = loss_of(format_.can if can is None else can, (*format_.also, *loss))
    return Reading(
        format_.name, rows, declared, (*notes, *counted), tuple(sorted(questions)), question, apart
    )  # fmt: skip


def _has_zone(time: str) -> bool:
    return time.endswith("Z") or time[-6:-5] in ("+", "-") or time[-5:-4] in ("+", "-")


def _not_own(rows: Rows) -> Counter[str]:
    return Counter(origin for origin in rows.origin if origin != "own")


def _check_rows(rows: Rows, refusals: Findings, some_apart: bool) -> None:
    if not len(rows) and not some_apart and not refusals.problems:
        refusals.add("no-answers", "holds no answer to the question")
    for name in ("item_id", "annotator_id", "label"):
        _check_encodable(rows, name, refusals)
    if "no-annotator" not in refusals.counts and "merged-annotators" not in refusals.counts:
        _note_blanks(rows, "annotator_id", "no-annotator", "the answer has no annotator", refusals)
    if "no-stable-item-id" not in refusals.counts:
        _note_blanks(rows, "item_id", "missing-item-id", "the item has no id under the key", refusals)
        _check_ids_differ(rows, refusals)


def _check_ids_differ(rows: Rows, refusals: Findings) -> None:
    if len(rows) and len(set(rows.item_id)) == 1 and rows.item_id[0] and _busiest(rows) > 1:
        message = f"all {len(rows)} answers have one item id, also those of one annotator"
        refusals.add("constant-item-id", message, file=rows.file[0], value=rows.item_id[0])


def _busiest(rows: Rows) -> int:
    return max(Counter(rows.annotator_id).values())


def _note_blanks(rows: Rows, name: str, code: str, message: str, refusals: Findings) -> None:
    """One problem a row, or one a file where no row has the value."""
    values: list[str] = getattr(rows, name)
    if "" not in values:
        return
    filled = {file for file, value in zip(rows.file, values, strict=True) if value}
    for file, n in Counter(rows.file).items():
        if file not in filled:
            refusals.add(code, f"{message} (nor has any other of its {n} answers)", file=file)
    for i, value in enumerate(values):
        if not value and rows.file[i] in filled:
            note_at(refusals, rows, i, code, message)


def note_at(refusals: Findings, rows: Rows, i: int, code: str, message: str, value: str | None = None) -> None:
    """A problem at the place of row i."""
    refusals.add(code, message, file=rows.file[i], line=rows.line[i] or None, column=rows.path[i] or None, value=value)


def _check_encodable(rows: Rows, name: str, refusals: Findings) -> None:
    """A lone surrogate (half a character, legal in JSON escapes) has no UTF-8 form."""
    values: list[str] = getattr(rows, name)
    try:
        "".join(values).encode()
    except UnicodeEncodeError:
        for i, value in enumerate(values):
            if any("\ud800" <= c <= "\udfff" for c in value):
                note_at(refusals, rows, i, "bad-text", f"half a character in the {name}", value)


def _declared_abstentions(rows: Rows, options: ReadOptions) -> None:
    """Labels that were declared to mean "cannot judge" become abstentions with their reason."""
    if not options.abstentions:
        return
    for i, label in enumerate(rows.label):
        if rows.status[i] == "labelled" and label in options.abstentions:
            rows.status[i], rows.label[i] = "abstained", ""
            rows.abstain_reason[i] = options.abstentions[label]
