"""The study file: one question asked of one kind of item, and what must be shown before its labels are believed.

`parse_study` is the only way in: it reads strictly, lists every problem at once and gives a frozen object.
Decimal numbers stay text here, exactly as registered; nothing in a study is a float.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from agreement.rules import STATISTICS, Rule
from schemas.checked import read_checked
from schemas.forms import (
    CategoryName,
    ColumnName,
    DecimalText,
    InnerPath,
    Level,
    Part,
    PersonId,
    Share,
    Slug,
    Text,
    Threshold,
    Version,
)
from schemas.study_checks import check_study
from schemas.typed_walk import Whole


class Guideline(Part):
    version: Version = Field(description="version of the guideline, quoted")
    file: InnerPath = Field(description="the guideline's text, relative to the study file")


class Category(Part):
    value: CategoryName = Field(description="the label exactly as it stands in the files")
    definition: Text = Field(description="when this label is right")
    positive: bool = Field(default=False, description="true for what the study looks for; several may be")
    examples: tuple[Text, ...] = Field(default=(), description="cases that get this label")
    counter_examples: tuple[Text, ...] = Field(default=(), description="cases that look as if, and do not")


class Annotator(Part):
    id: PersonId = Field(description="id in the files; never personal data, it stays for ever")
    kind: Literal["human", "model"] = Field(default="human", description="models are measured, never counted as a pass")
    reserve: bool = Field(default=False, description="true: gets no items until `reassign` brings them in")

    @property
    def regular(self) -> bool:
        """Whether they label every item where nothing else is assigned."""
        return self.kind == "human" and not self.reserve


class Adjudicator(Part):
    id: PersonId = Field(description="who decides contested items; not one of the annotators")


class Roster(Part):
    annotators: tuple[Annotator, ...] = Field(description="everybody whose labels may come in")
    adjudicators: tuple[Adjudicator, ...] = Field(default=(), description="everybody whose decisions may come in")


class Uniform(Part):
    rate: Share = Field(description="share of the pool drawn at random")


class Condition(Part):
    column: ColumnName = Field(description="metadata column of the pool")
    equals: Text | None = Field(default=None, description="the column holds exactly this text")
    is_in: tuple[Text, ...] | None = Field(default=None, alias="in", description="the column holds one of these texts")
    at_least: DecimalText | None = Field(default=None, description="the column's number is this or more")
    below: DecimalText | None = Field(default=None, description="the column's number is less than this")


class Stratum(Part):
    name: Slug = Field(description="name of the slice")
    rate: Share = Field(description="share of the stratum's items that is drawn")
    where: Condition = Field(description="column and one of equals, in, at_least, below")


class Slices(Part):
    uniform: Uniform | None = Field(default=None, description="the random slice, only source of positive share")
    strata: tuple[Stratum, ...] = Field(
        default=(), description="enriched slices; an item belongs to the first that fits"
    )

    def names(self) -> tuple[str, ...]:
        uniform = ("uniform",) if self.uniform is not None else ()
        return uniform + tuple(stratum.name for stratum in self.strata)


class Interval(Part):
    level: Level = Field(default="0.95", description="level of every interval")
    resamples: Annotated[int, Whole(100, 1_000_000)] = Field(default=10_000, description="bootstrap draws")
    seed: Annotated[int, Whole(0, 2**53 - 1)] = Field(description="seed of the draws, any whole number")


class Stop(Part):
    union_positives: Annotated[int, Whole(1, 10**9)] = Field(description="enough items flagged by anybody")
    at_most_items: Annotated[int, Whole(1, 10**9)] = Field(description="stop here in any case")


class ReleaseRule(Part):
    contested: Literal["adjudicated", "majority"] = Field(
        default="adjudicated", description="where the label of an item comes from on which annotators differ"
    )
    unresolved: Literal["refuse", "out"] = Field(
        default="refuse", description="contested items without a decision: refuse the release, or leave them out"
    )
    at_most_unresolved: Share | None = Field(
        default=None, description="largest share left out; needed with `unresolved: out`"
    )
    training_lists: tuple[InnerPath, ...] = Field(default=(), description="lists of items no release may contain")


class RuleEntry(Part):
    slice: Slug = Field(description="a declared slice, `uniform`, or `traffic` where the study allows it")
    statistic: Text = Field(description="what is judged")
    category: CategoryName | None = Field(default=None, description="for statistics that speak of one category")
    at_least: Threshold | None = Field(
        default=None, description="lowest value that passes, quoted, at most four places"
    )
    at_most: Threshold | None = Field(default=None, description="highest value that passes; one of the two")
    judged_on: Literal["value", "lower", "upper"] = Field(
        default="value", description="the value or a bound of its interval"
    )
    missing: Literal["observed", "worst"] = Field(
        default="observed", description="worst: missing labels count as they would hurt most"
    )
    because: Text | None = Field(default=None, description="why this rule; required for gwet_ac1 and gwet_ac2")

    def as_rule(self) -> Rule:
        return Rule(
            slice=self.slice,
            statistic=self.statistic,
            category=self.category,
            at_least=self.at_least,
            at_most=self.at_most,
            judged_on=self.judged_on,
            missing=self.missing,
            because=self.because,
        )


class Gate(Part):
    use: Text = Field(description="what the labels feed")
    because: Text = Field(description="why these thresholds")
    attempts: Annotated[int, Whole(1, 20)] = Field(
        default=1, description="rounds that may try; each bound at 1 - 0.05/attempts"
    )
    entries: tuple[RuleEntry, ...] = Field(alias="rules", description="all must pass")

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(entry.as_rule() for entry in self.entries)


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
