"""The question and the labels of a flat file: a column, a column an option, or JSON in a cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flows.formats.answers import labels_of
from flows.formats.columns import Columns
from flows.formats.flat_fields import Job, field_of, note
from flows.formats.json_bytes import document
from flows.formats.questions import choose_question
from schemas.format_map import FormatMap


def questions_of(tables: Sequence[Columns], how: FormatMap) -> set[str]:
    found: set[str] = set()
    if how.questions is None:
        return found
    for table in tables:
        if how.questions.column is not None:
            found |= set(table.values.get(how.questions.column, ())) - {""}
        else:
            found |= {name for name, _ in _answer_columns(table, how)}
    return found


def _answer_columns(table: Columns, how: FormatMap) -> Iterator[tuple[str, str]]:
    """(question, column) of every answer column; with one column an option, several columns share a question."""
    assert how.questions is not None
    prefix = how.questions.prefix or ""
    for column, cells in table.values.items():
        if not column.startswith(prefix):
            continue
        name = column.removeprefix(prefix)
        if how.questions.json_answers and any(cell.startswith(("{", "[{")) for cell in cells[:20]):
            yield from ((question, column) for question in _json_questions(cells, table.file))
        elif how.questions.options and "." in name and set(cells) <= {"true", "false", ""}:
            yield name.rsplit(".", 1)[0], column
        else:
            yield name, column


def _json_questions(cells: list[str], file: str) -> set[str]:
    return {question for cell in cells for question in _json_answers(cell, file)}


def _json_answers(cell: str, file: str) -> dict[str, object]:
    value = document(cell.encode(), file) if cell else {}
    answers: dict[str, object] = {}
    for one in value if isinstance(value, list) else [value]:
        answers.update(one)
    return answers


def chosen_question(questions: set[str], tables: Sequence[Columns], job: Job) -> str | None:
    file = tables[0].file if tables else "the files"
    if job.how.questions is None:
        return job.options.question
    return choose_question(questions, (), job.options, job.refusals, file)


def labels_in(table: Columns, job: Job, question: str | None) -> list[str]:
    """The label column; or the answer column of the question; or the option whose column says true."""
    questions = job.how.questions
    if questions is None or questions.prefix is None:
        return field_of(table, job, "label", question)
    columns = [column for name, column in _answer_columns(table, job.how) if name == question]
    if not columns:
        return [""] * len(table)
    if questions.json_answers and any(cell.startswith(("{", "[{")) for cell in table.values[columns[0]]):
        cells = table.values[columns[0]]
        chosen = [labels_of(_json_answers(cell, table.file).get(question or "")) for cell in cells]
        return [only_label(labels, table, job, i) for i, labels in enumerate(chosen)]
    if len(columns) == 1 and columns[0] == (questions.prefix or "") + (question or ""):
        return table.values[columns[0]]
    names = [column.rsplit(".", 1)[1] for column in columns]
    marked = zip(*(table.values[column] for column in columns), strict=True)
    return [
        only_label([name for name, cell in zip(names, cells, strict=True) if cell == "true"], table, job, i)
        for i, cells in enumerate(marked)
    ]


def only_label(labels: list[str], table: Columns, job: Job, i: int) -> str:
    if len(labels) > 1:
        note(job, table, i, "several-labels", f"{len(labels)} labels in one answer", ", ".join(labels))
    return labels[0] if labels else ""
