"""The study file: one question asked of one kind of item, and what must be shown before its labels are believed.

`parse_study` is the only way in: it reads strictly, lists every problem at once and gives a frozen object.
Decimal numbers stay text here, exactly as registered; nothing in a study is a float.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from agreement.rules import STATISTICS
from schemas.checked import read_checked
from schemas.forms import ColumnName, DecimalText, Part, Slug, Text
from schemas.study_checks import check_study
from schemas.study_parts import Category, Gate, Guideline, Interval, ReleaseRule, Roster, Slices, Stop
from schemas.typed_walk import Whole


class Study(Part):
    study: Slug = Field(description="id of the study")
    question: Text = Field(description="the question the labels answer")
    unit: Text = Field(description="what one item is")
    guideline: Guideline = Field(description="the text annotators follow")
    scale: Literal["nominal", "ordinal", "interval", "ratio"] = Field(description="how the categories relate")
    weights: Literal["linear", "quadratic"] | tuple[tuple[DecimalText, ...], ...] | None = Field(
        default=None, description="agreement weights, or a matrix of quoted decimals; not for nominal; no default"
    )
    categories: tuple[Category, ...] = Field(description="the labels, in order")
    abstention_reasons: tuple[Slug, ...] = Field(
        default=(), description="reasons for `cannot judge`; none: not allowed"
    )
    roster: Roster = Field(description="who labels and who decides")
    passes: Annotated[int, Whole(1, 100)] = Field(description="independent human labels an item; at least 2")
    slices: Slices = Field(description="what is drawn; at least one")
    traffic: bool = Field(
        default=False, description="true: a rule may name `slice: traffic`, all slices weighted by their rates"
    )
    cluster: ColumnName | None = Field(
        default=None, description="metadata column; items with one value are not independent"
    )
    duplicates: Literal["refuse", "first", "last", "drop-conflicting"] = Field(
        default="refuse", description="which row counts when one person labels an item twice in a file"
    )
    interval: Interval = Field(description="how intervals are made")
    seconds_per_label: Annotated[int, Whole(1, 86_400)] | None = Field(default=None, description="for planning")
    stop: Stop | None = Field(default=None, description="registered reason to stop early")
    release: ReleaseRule = Field(default=ReleaseRule(), description="what a release contains")
    gate: Gate = Field(description="what must be shown")

    def category_values(self) -> tuple[str, ...]:
        return tuple(category.value for category in self.categories)

    def positive_mask(self) -> tuple[bool, ...]:
        """One truth value per category, in declared order. All false where no category is positive."""
        return tuple(category.positive for category in self.categories)

    def annotator_ids(self) -> tuple[str, ...]:
        """Everybody on the roster whose labels may come in: people, models and reserves, as declared."""
        return tuple(annotator.id for annotator in self.roster.annotators)

    def regular_ids(self) -> tuple[str, ...]:
        """Human annotators who are not reserves: those who label every item where nothing else is assigned."""
        return tuple(annotator.id for annotator in self.roster.annotators if annotator.regular)

    def reserves(self) -> tuple[str, ...]:
        return tuple(annotator.id for annotator in self.roster.annotators if annotator.reserve)

    def models(self) -> tuple[str, ...]:
        return tuple(annotator.id for annotator in self.roster.annotators if annotator.kind == "model")

    def adjudicator_ids(self) -> tuple[str, ...]:
        return tuple(adjudicator.id for adjudicator in self.roster.adjudicators)

    def slice_names(self) -> tuple[str, ...]:
        """`uniform` first where it is declared, then the strata as declared. `traffic` is not a slice."""
        return self.slices.names()


def parse_study(data: bytes, file: str) -> Study:
    """The study these bytes declare.

    file: the name shown in problems. Raises ConfigError with every problem found, each with line and key path.
    """
    return read_checked(Study, data, file, check_study, "nothing registered")


def canonical_definition(study: Study) -> dict[str, Any]:
    """What is registered: the study with every default written out and the definition version of each statistic
    a rule names. Text, truth values, whole numbers, null, lists and objects only; no floats."""
    used = sorted({rule.statistic for rule in study.gate.rules})
    definition = study.model_dump(mode="json", by_alias=True)
    return {**definition, "statistics": {name: STATISTICS[name].version for name in used}}
