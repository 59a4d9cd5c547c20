"""The parts of a study file: what each may hold. Read and checked as a whole by schemas/study.py."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from agreement.rules import Rule
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
