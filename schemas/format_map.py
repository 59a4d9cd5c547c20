"""The declarative map of a flat export: which column means what. No code for a tool whose rows are answers.

A map is YAML, in a round's folder for anybody's own tool or among the presets in configs/formats/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import Field

from agreement.errors import Problem
from schemas.checked import read_checked
from schemas.forms import ColumnName, Part, Slug, Text

CanonicalField = Literal["item_id", "item_version", "annotator_id", "status", "label", "abstain_reason", "labelled_at"]
Ability = Literal[
    "content", "annotator", "skipped", "draft", "empty", "abstained", "never_shown", "time",
    "copied", "reviewed", "gold",
]  # fmt: skip


class Marked(Part):
    """Rows whose column holds one of these values; without values, anything but blank."""

    column: ColumnName = Field(description="column that tells")
    values: tuple[Text, ...] = Field(default=(), description="values that mark the row; none: any that is not blank")


class Apart(Marked):
    reason: Slug = Field(description="why such rows are not labels of the round")


class Abstention(Part):
    column: ColumnName = Field(description="column that tells")
    reasons: dict[Text, Slug] = Field(description="value in the file: declared reason for abstaining")


class Questions(Part):
    """How a file says which question a row or a column answers."""

    column: ColumnName | None = Field(default=None, description="column that names the question of the row")
    prefix: Text | None = Field(default=None, description="columns that begin so are answers, named after it")
    options: bool = Field(default=False, description="true: one true/false column an option, PREFIX question.option")
    json_answers: bool = Field(default=False, description="true: a cell may hold all answers as JSON")


class Times(Part):
    formats: tuple[Text, ...] = Field(description="how times are written, as in Python's strptime; %Z for a zone")
    zones: dict[Text, Text] = Field(default={}, description="zone abbreviation: its offset, such as -07:00")


class FormatMap(Part):
    format: Slug = Field(description="name of the format, as shown and as given to --format")
    about: Text = Field(description="what the file is, in a line")
    recognise: tuple[ColumnName, ...] = Field(default=(), description="columns that only this format has together")
    header: bool = Field(default=True, description="false: the first line is a row; columns are then 1, 2 ...")
    records: Text | None = Field(default=None, description="key of the list of rows, if the file is one JSON object")
    columns: dict[CanonicalField, ColumnName] = Field(
        default={}, description="our field: its column; nested JSON by a dotted path"
    )
    first_of: dict[CanonicalField, tuple[ColumnName, ...]] = Field(
        default={}, description="our field: columns of which the first that is not blank counts"
    )
    constants: dict[CanonicalField, Text] = Field(default={}, description="our field: its value in every row")
    item_prefix: Text | None = Field(default=None, description="columns that begin so are the item; it has no id else")
    content: tuple[ColumnName, ...] = Field(default=(), description="columns that were in front of the annotator")
    wide: tuple[ColumnName, ...] = Field(default=(), description="one column an annotator, named for them")
    lists: bool = Field(default=False, description="true: label and annotator cells hold lists, paired by position")
    unnamed_column: ColumnName | None = Field(default=None, description="name for a first column without one")
    questions: Questions | None = Field(default=None, description="where a file holds several questions")
    blank: Literal["submitted_empty", "skipped", "never_shown", "refuse"] = Field(
        default="refuse", description="what a blank label means"
    )
    skipped: Marked | None = Field(default=None, description="rows that were skipped")
    abstained: Abstention | None = Field(default=None, description="rows that mean 'cannot judge'")
    gold: Marked | None = Field(default=None, description="control rows, with a known answer")
    reviewed: Marked | None = Field(default=None, description="rows whose answer is a reviewer's")
    models: Marked | None = Field(default=None, description="rows whose annotator is a model, not a person")
    apart: tuple[Apart, ...] = Field(
        default=(), description="rows that are not labels of the round: rejected, training"
    )
    changed: ColumnName | None = Field(default=None, description="column with the time of the last change")
    times: Times | None = Field(default=None, description="how times are written, unless ISO 8601")
    short_rows: bool = Field(default=False, description="true: rows may lack cells at their end")
    blank_lines: bool = Field(default=False, description="true: blank lines between rows are dropped and counted")
    can: tuple[Ability, ...] = Field(default=("annotator",), description="what such files can express")
    loss: tuple[Text, ...] = Field(default=(), description="what else they cannot say, as sentences")


PLAIN = FormatMap(format="plain", about="columns with our own names, or as the round file maps them")


def parse_format_map(data: bytes, file: str) -> FormatMap:
    """The map these bytes declare. Raises ConfigError with every problem, each with line and key path."""
    return read_checked(FormatMap, data, file, check_map, "nothing done")


def check_map(parts: Mapping[str, Any]) -> Iterator[Problem]:
    """What must hold between the keys."""
    named = [set(parts.get(key, {})) for key in ("columns", "first_of", "constants")]
    twice = (named[0] & named[1]) | (named[0] & named[2]) | (named[1] & named[2])
    for field in sorted(twice):
        yield Problem("field-twice", f"{field} comes from two places", "keep one", column=f"columns.{field}")
    if parts.get("wide") and parts.get("lists"):
        yield Problem("wide-and-lists", "a table is wide or has lists, not both", "keep one", column="lists")
    questions = parts.get("questions")
    if questions is not None and (questions.column is None) == (questions.prefix is None):
        fix = "give the column that names the question, or the prefix of answer columns"
        yield Problem("question-source", "needs either column or prefix", fix, column="questions")
