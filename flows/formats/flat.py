"""Flat exports, read by a declarative map (schemas/format_map.py): columns in, canonical rows out."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from flows.formats.answers import labels_of
from flows.formats.clock import iso_times
from flows.formats.columns import Columns, columns_of
from flows.formats.finish import finish
from flows.formats.flat_answers import chosen_question, labels_in, only_label, questions_of
from flows.formats.flat_fields import Job, field_of, item_ids, item_versions, note
from flows.formats.json_bytes import as_text
from flows.formats.reading import Format, Reading, ReadOptions, Rows
from flows.formats.sniff import Files, Sniff
from flows.reading.findings import Findings
from schemas.format_map import PLAIN, FormatMap, Marked
from schemas.names import shown


def read(files: Files, options: ReadOptions) -> Reading:
    """Read files by `options.format_map`, or as a plain table. InputRefused with every problem found."""
    how = options.format_map or PLAIN
    tables = [columns_of(data, file, how) for file, data in files.items()]
    return read_columns(_format(how), tables, options)


def read_columns(format_: Format, tables: Sequence[Columns], options: ReadOptions) -> Reading:
    """The same for columns that were read already."""
    how = options.format_map or PLAIN
    job = Job(how, options, Findings())
    questions = questions_of(tables, how)
    question = chosen_question(questions, tables, job)
    rows, apart, notes = Rows(), dict[str, Rows](), list[str]()
    for table in tables:
        notes += table.notes
        notes += _changed_note(table, job, question)
        _check_columns(table, job, question)
        if not job.refusals.problems:
            _read_table(table, job, question, rows, apart)
    _check_turned(rows, tables, job)
    loss = [_WIDE_LOSS] if how.wide and how.blank == "refuse" else []
    return finish(
        format_,
        rows,
        job.refusals,
        options,
        notes=notes,
        loss=loss,
        questions=questions,
        question=question,
        apart=apart,
    )


_WIDE_LOSS = "an empty cell is a missing label or 'none of these': it counts as never shown"


def _changed_note(table: Columns, job: Job, question: str | None) -> list[str]:
    if job.how.changed is None or job.how.changed not in table.values:
        return []
    made = field_of(table, job, "labelled_at", question)
    later = sum(
        last[:19] > first[:19] for first, last in zip(made, table.values[job.how.changed], strict=True) if first
    )
    return [f"{later} answers were changed later; the time is that of the first"] if later else []


def _format(how: FormatMap) -> Format:
    return Format(how.format, how.about, frozenset(how.can), lambda look: fits(how, look), read, tuple(how.loss))


def fits(how: FormatMap, look: Sniff) -> bool:
    """Whether the file has all the columns that only this format has together."""
    columns = {*look.header, *look.keys()}
    rows = look.records[0].get(how.records) if how.records and look.records else None
    if isinstance(rows, list) and rows and isinstance(rows[0], dict):
        columns |= set(rows[0])
    names = {name.split(".")[0] if look.records else name for name in how.recognise}
    return bool(names) and names <= columns


# Are the columns there?


def _check_columns(table: Columns, job: Job, question: str | None) -> None:
    how = job.how
    wanted = {job.column(field, question) for field in ("item_id", "annotator_id", "label", "labelled_at", "status")}
    wanted |= {*how.wide, *(m.column for m in _marks(how)), how.questions.column if how.questions else None}
    for name in sorted(wanted - {None}, key=str):
        if name not in table.values and not _may_be_absent(name, job):
            there = ", ".join(shown(column, 30) for column in list(table.values)[:12])
            message = f"has no column '{shown(str(name))}'; it has: {there}"
            job.refusals.add("unknown-column", message, file=table.file, column=name)


def _marks(how: FormatMap) -> list[Marked]:
    single = (how.skipped, how.gold, how.reviewed, how.models)
    return [*(mark for mark in single if mark is not None), *how.apart]


def _may_be_absent(name: str | None, job: Job) -> bool:
    """Columns a JSON row may leave out, and controls that a file without any does not have."""
    how = job.how
    optional = {mark.column for mark in _marks(how)} | {how.columns.get("labelled_at"), how.changed}
    return name in optional


# Rows


def _read_table(table: Columns, job: Job, question: str | None, rows: Rows, apart: dict[str, Rows]) -> None:
    if job.how.wide:
        _read_wide(table, job, question, rows)
        return
    n = len(table)
    items = item_ids(table, job, question)
    versions = item_versions(table, job, items)
    people = field_of(table, job, "annotator_id", question)
    labels = labels_in(table, job, question)
    form = None if job.options.looking else job.how.times
    times = iso_times(field_of(table, job, "labelled_at", question), form, table, job.refusals)
    given = field_of(table, job, "status", question)
    reasons = field_of(table, job, "abstain_reason", question)
    which = table.values[job.how.questions.column] if job.how.questions and job.how.questions.column else None
    marked = {name: _marked(table, mark) for name, mark in _single_marks(job.how)}
    set_apart = [(how.reason, _marked(table, how)) for how in job.how.apart]
    plain = not any(any(flags) for flags in (*marked.values(), *(flags for _, flags in set_apart)))
    if plain and which is None and not (job.how.lists or job.how.abstained or any(given)):
        _add_plain(table, job, rows, items, versions, people, labels, times)
        return
    for i in range(n):
        if which is not None and which[i] != question:
            continue
        line, path = table.at(i)
        reason = next((name for name, flags in set_apart if flags[i]), None)
        target = rows if reason is None else apart.setdefault(reason, Rows())
        origin = "gold" if marked["gold"][i] else "reviewer" if marked["reviewed"][i] else "own"
        kind = "model" if marked["models"][i] else "human"
        person = people[i] or (_model_name(table, job, i) if kind == "model" else "")
        for who, label in _one_or_list(person, labels[i], table, job, i):
            status, label, why = _status(i, label, table, job, marked["skipped"][i], given[i], reasons[i])
            target.add(items[i], versions[i], who, status, label, times[i], origin, table.file, line, path, why, kind)


def _single_marks(how: FormatMap) -> Iterator[tuple[str, Marked | None]]:
    yield from (("skipped", how.skipped), ("gold", how.gold), ("reviewed", how.reviewed), ("models", how.models))


def _add_plain(
    table: Columns, job: Job, rows: Rows, items: list[str], versions: list[str], people: list[str],
    labels: list[str], times: list[str],
) -> None:  # fmt: skip
    """All rows alike: whole columns at once."""
    n, blank = len(table), job.how.blank
    status = ["labelled"] * n
    if "" in labels:
        if job.options.empty_means is not None:
            labels = [label or job.options.empty_means for label in labels]
        else:
            status = ["labelled" if label else blank for label in labels]
            _refuse_blanks(table, labels, job)
    lines = table.places if table.place == "line" else [0] * n
    paths = [""] * n if table.place == "line" else [f"{table.place} {number}" for number in table.places]
    for name, column in (
        ("item_id", items), ("item_version", versions), ("annotator_id", people), ("status", status),
        ("label", labels), ("labelled_at", times), ("line", lines), ("path", paths), ("origin", ["own"] * n),
        ("file", [table.file] * n), ("abstain_reason", [""] * n), ("annotator_kind", ["human"] * n),
    ):  # fmt: skip
        getattr(rows, name).extend(column)


def _refuse_blanks(table: Columns, labels: list[str], job: Job) -> None:
    if job.how.blank == "refuse":
        for i, label in enumerate(labels):
            if not label:
                note(job, table, i, "blank-label", "the label is empty, and the map does not say what that means")


def _marked(table: Columns, mark: Marked | None) -> list[bool]:
    if mark is None:
        return [False] * len(table)
    columns = [mark.column]
    if mark.column.endswith("*"):  # GOLDEN:* is any column that begins so
        columns = [name for name in table.values if name.startswith(mark.column[:-1])]
    flags = [False] * len(table)
    for column in columns:
        cells = table.values.get(column, [])
        values = frozenset(mark.values)
        marks = [cell in values if values else bool(cell) for cell in cells] or flags
        flags = [flag or mark_ for flag, mark_ in zip(flags, marks, strict=True)]
    return flags


def _model_name(table: Columns, job: Job, i: int) -> str:
    """A model's row may name nobody: it then goes by the value that marks it, for the person map to name."""
    assert job.how.models is not None
    return table.values[job.how.models.column][i]


def _one_or_list(person: str, label: str, table: Columns, job: Job, i: int) -> Iterator[tuple[str, str]]:
    """One answer a row, or lists of answers and people paired by position."""
    if not job.how.lists:
        yield person, label
        return
    people, answers = _list(person, table, job, i), _list(label, table, job, i)
    if len(people) != len(answers):
        note(job, table, i, "uneven-lists", f"{len(answers)} answers and {len(people)} annotators")
        return
    for who, answer in zip(people, answers, strict=True):
        labels = [as_text(one) for one in answer] if isinstance(answer, list) else labels_of(answer)
        yield as_text(who), only_label(labels, table, job, i)


def _list(cell: str, table: Columns, job: Job, i: int) -> list[object]:
    """A list written as JSON or as Python writes it."""
    try:
        value = ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        value = None
    if isinstance(value, list | tuple):
        return list(value)
    note(job, table, i, "uneven-lists", "the cell is not a list", cell)
    return []


_STATUSES = ("labelled", "abstained", "skipped", "draft", "submitted_empty", "never_shown")


def _status(
    i: int, label: str, table: Columns, job: Job, skipped: bool, given: str, reason: str
) -> tuple[str, str, str]:
    """(status, label, reason for abstaining) of row i."""
    how = job.how
    if skipped:
        return "skipped", "", ""
    if how.abstained is not None:
        cell = label if how.abstained.column == how.columns.get("label") else _cell(table, how.abstained.column, i)
        if cell in how.abstained.reasons:
            return "abstained", "", how.abstained.reasons[cell]
    if given:
        if given not in _STATUSES:
            note(job, table, i, "unknown-status", f"'{shown(given)}' is not a status", given)
        return given, label, reason
    if label:
        return "labelled", label, reason
    if job.options.empty_means is not None:
        return "labelled", job.options.empty_means, ""
    if how.lists:
        return "submitted_empty", "", ""
    if how.blank == "refuse":
        note(job, table, i, "blank-label", "the label is empty, and the map does not say what that means")
    return ("submitted_empty" if how.blank == "refuse" else how.blank), "", ""


def _cell(table: Columns, column: str, i: int) -> str:
    cells: Mapping[str, list[str]] = table.values
    return cells[column][i] if column in cells else ""


# One column an annotator


def _read_wide(table: Columns, job: Job, question: str | None, rows: Rows) -> None:
    items = item_ids(table, job, question)
    versions = item_versions(table, job, items)
    blank = job.how.blank if job.how.blank != "refuse" else "never_shown"
    lines = table.places if table.place == "line" else [0] * len(table)
    for person in job.how.wide:
        labels = table.values[person]
        filled = [label or job.options.empty_means or "" for label in labels]
        n = len(labels)
        for name, column in (
            ("item_id", items), ("item_version", versions), ("annotator_id", [person] * n), ("label", filled),
            ("status", ["labelled" if label else blank for label in filled]), ("line", lines),
            ("labelled_at", [""] * n), ("origin", ["own"] * n), ("file", [table.file] * n),
            ("path", [person] * n), ("abstain_reason", [""] * n), ("annotator_kind", ["human"] * n),
        ):  # fmt: skip
            getattr(rows, name).extend(column)


def _check_turned(rows: Rows, tables: Sequence[Columns], job: Job) -> None:
    """Items where annotators should be: rows and columns of the table are swapped."""
    known = set(job.options.annotators)
    if not known or not len(rows):
        return
    people, items = set(rows.annotator_id), set(rows.item_id)
    if not people & known and items & known:
        example = next(iter(sorted(items & known)))
        message = f"'{shown(example)}' is an annotator but stands where items should"
        job.refusals.add("transposed-matrix", message, file=tables[0].file, value=example)
