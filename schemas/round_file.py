"""The round file, `round.yaml` in a round's folder: which study, which files, and how these files name things."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from agreement.errors import Problem
from schemas import names
from schemas.checked import read_checked
from schemas.forms import CategoryName, ColumnName, InnerPath, Part, PersonId, Slug, Text, Version
from schemas.names import look_alike, shown
from schemas.typed_walk import Form, Whole

CanonicalColumn = Literal[
    "item_id",
    "item_version",
    "annotator_id",
    "status",
    "label",
    "abstain_reason",
    "guideline_version",
    "labelled_at",
]
OutsidePath = Annotated[str, Form("bad-path", names.path_fault, "give a path relative to this file")]


class StudyQuestion(Part):
    study: Slug = Field(description="id of a study")
    question: Text | None = Field(default=None, description="its question in the files, where they hold several")


class RoundFile(Part):
    study: Slug | tuple[StudyQuestion, ...] = Field(
        description="id of the study, or a list of study and question for a folder that serves several"
    )
    round: Slug = Field(description="id of the round")
    kind: Literal["pilot", "measured", "relabel", "retrospective"] = Field(description="what the round may be used for")
    guideline_version: Version = Field(description="version the annotators followed, quoted")
    frame: InnerPath | None = Field(
        default=None,
        description="the file of the round's items, as you drew them",
    )
    assignments: InnerPath | None = Field(
        default=None, description="who labels what; without it every regular annotator labels every item"
    )
    attempt_of: Slug | None = Field(
        default=None, description="round of the same version that did not pass, which this replaces"
    )
    files: tuple[InnerPath, ...] = Field(default=(), description="the files of labels, as exported")
    complete: bool = Field(default=False, description="true: close even if assigned labels are missing")
    columns: dict[CanonicalColumn, ColumnName] = Field(default={}, description="our column: the files' column")
    constants: dict[CanonicalColumn, Text] = Field(default={}, description="our column: value for files without it")
    ignore: tuple[ColumnName, ...] = Field(default=(), description="columns of the files that are not read")
    annotators: dict[ColumnName, PersonId] = Field(
        default={}, description="file name, e-mail or session: id on the roster"
    )
    labels: dict[Text, CategoryName] = Field(default={}, description="spelling in the files: declared label")
    question: Text | None = Field(default=None, description="the question in the files, where they hold several")
    format: Text | None = Field(default=None, description="format of the files, where their content shall not decide")
    map: InnerPath | None = Field(default=None, description="map of a flat export, beside this file")
    project: Text | None = Field(default=None, description="the project in the files, where they hold several")
    content: tuple[ColumnName, ...] = Field(
        default=(), description="keys of an export that were in front of the annotator; hashed as the item version"
    )
    abstentions: dict[Text, Slug] = Field(
        default={}, description="answer in the files that means 'cannot judge': declared reason"
    )
    empty_means: CategoryName | None = Field(
        default=None, description="label that an answer sent without a choice stands for"
    )
    set_aside: tuple[Literal["other-version", "other-round", "gold"], ...] = Field(
        default=(), description="rows that are kept and counted, but not used; refused otherwise"
    )
    study_file: OutsidePath | None = Field(default=None, description="study file that `run` registers first if needed")
    pool: dict[Slug, Annotated[int, Whole(0, 10**12)]] = Field(
        {}, description="cell: its items in the pool; needed for figures weighted to traffic"
    )
    attestation: Text | None = Field(
        default=None, description="who vouches for blindness, and how; printed in the report"
    )

    def studies(self) -> tuple[StudyQuestion, ...]:
        """The studies this folder serves, each with its question in the files (None: the files hold one only)."""
        if isinstance(self.study, str):
            return (StudyQuestion(study=self.study, question=self.question),)
        return self.study


def parse_round(data: bytes, file: str) -> RoundFile:
    """The round these bytes describe.

    file: the name shown in problems. Raises ConfigError with every problem found, each with line and key path.
    """
    return read_checked(RoundFile, data, file, check_round, "nothing done")


def check_round(parts: Mapping[str, Any]) -> Iterator[Problem]:
    """What must hold between the keys. parts: the intact top-level values, by field name."""
    if isinstance(study := parts.get("study"), tuple):
        yield from _several_studies(study, parts.get("question"))
    yield from _each_column_once(parts.get("columns", {}), parts.get("constants", {}), parts.get("ignore", ()))
    yield from _each_file_once(parts.get("files", ()))
    yield from _labels_stay_apart(parts.get("labels", {}))
    if parts.get("attempt_of") is not None and parts.get("attempt_of") == parts.get("round"):
        yield _problem("attempt-of-itself", "a round cannot replace itself", "name the earlier round", "attempt_of")


def _several_studies(studies: tuple[StudyQuestion, ...], question: str | None) -> Iterator[Problem]:
    if not studies:
        yield _problem("no-study", "the list is empty", "name at least one study", "study")
    if question is not None:
        fix = "move each question into the list"
        yield _problem("two-questions", "a list of studies carries its own questions", fix, "question", question)
    seen: set[str] = set()
    for i, entry in enumerate(studies):
        if entry.study in seen:
            yield _problem("duplicate-study", "stands twice", "keep one", f"study[{i}].study", entry.study)
        seen.add(entry.study)


def _each_column_once(
    columns: Mapping[str, str], constants: Mapping[str, str], ignored: tuple[str, ...]
) -> Iterator[Problem]:
    for name in columns.keys() & constants.keys():
        fix = "keep the column or the constant"
        yield _problem("column-and-constant", f"{name} comes from both", fix, f"constants.{name}")
    seen: dict[str, str] = {}
    for name, theirs in columns.items():
        if theirs in seen:
            message = f"'{shown(theirs)}' already is {seen[theirs]}"
            yield _problem("duplicate-column", message, "map each column once", f"columns.{name}", theirs)
        seen.setdefault(theirs, name)
    for i, theirs in enumerate(ignored):
        if theirs in seen:
            message = f"'{shown(theirs)}' is read as {seen[theirs]}"
            yield _problem("ignored-and-read", message, "remove it from one", f"ignore[{i}]", theirs)


def _each_file_once(files: tuple[str, ...]) -> Iterator[Problem]:
    seen: set[str] = set()
    for i, file in enumerate(files):
        if file.casefold() in seen:
            yield _problem("duplicate-file", f"'{shown(file)}' stands twice", "keep one", f"files[{i}]", file)
        seen.add(file.casefold())


def _labels_stay_apart(labels: Mapping[str, str]) -> Iterator[Problem]:
    """A declared label that is mapped to another one would silently mean that other one."""
    declared = set(labels.values())
    for spelling, label in labels.items():
        if spelling in declared and spelling != label:
            message = f"'{shown(spelling)}' is a declared label itself, mapped to '{shown(label)}'"
            fix = "map spellings to declared labels, not declared labels to each other"
            yield _problem("label-swapped", message, fix, f"labels.{shown(spelling)}", spelling)
        elif look_alike(spelling) in {look_alike(d) for d in declared - {label}}:
            message = f"'{shown(spelling)}' looks like another declared label than '{shown(label)}'"
            yield _problem("label-swapped", message, "check the mapping", f"labels.{shown(spelling)}", spelling)


def _problem(code: str, message: str, fix: str, path: str, value: str | None = None) -> Problem:
    return Problem(code, message, fix, column=path, value=None if value is None else shown(value))
