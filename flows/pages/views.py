"""What the pages pick out of a report: which estimate stands where, and how it is written. Nothing is computed
but how many rules of a slice passed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from flows.pages import numbers, words
from flows.pages.figures import CORRECTED, Figure, charted, figure, find, slice_estimates, thresholds
from schemas.report import (
    AnnotatorRecord,
    Coverage,
    EstimateRecord,
    MissingKinds,
    PairRecord,
    Report,
    RuleRecord,
    SliceRecord,
    Status,
)


@dataclass(frozen=True)
class Overlap:
    """Items flagged by the first alone, by both, by the second alone. Of two annotators only."""

    first: int
    both: int
    second: int

    @property
    def total(self) -> int:
        return self.first + self.both + self.second


@dataclass(frozen=True)
class SliceView:
    """One slice, ready to be laid out."""

    record: SliceRecord
    anchor: str
    share: Figure | None  # positive share, from the uniform slice only
    raw: Figure | None
    corrected: Figure | None  # kappa for two annotators, else alpha
    main: Figure | None  # positive specific agreement
    main_estimate: EstimateRecord | None
    corrected_estimate: EstimateRecord | None
    figures: tuple[Figure, ...]  # every estimate of the slice, and of its pair where there is only one
    rules: tuple[RuleRecord, ...]
    rules_line: str  # "1 of 2 rules failed"
    rules_mark: Status  # of all rules on the slice
    mark: Status  # of the rules on the charted statistic
    never_flags: tuple[tuple[str, str], ...]  # who, agreement with somebody who never flags
    matrices: tuple[PairRecord, ...]  # pairs drawn as full tables
    flagged_by: tuple[tuple[str, int], ...]
    overlap: Overlap | None
    pair_statistics: tuple[tuple[str, str | None], ...]
    coverage_rows: tuple[tuple[str, Coverage], ...]

    @property
    def is_traffic(self) -> bool:
        return self.record.speaks_of == "traffic"


def slice_views(report: Report) -> list[SliceView]:
    return [_slice_view(report, record, k) for k, record in enumerate(report.slices, start=1)]


def _slice_view(report: Report, record: SliceRecord, k: int) -> SliceView:
    estimates = slice_estimates(record)
    rules = tuple(rule for rule in report.verdict.rules if rule.slice == record.name)
    gated = report.verdict.status != "not_gated"

    def shown(*names: str) -> tuple[EstimateRecord | None, Figure | None]:
        estimate = find(estimates, *names)
        if estimate is None:
            return None, None
        limits = thresholds(report, record.name, estimate.statistic, estimate.category)
        return estimate, figure(estimate, limits)

    corrected_estimate, corrected = shown(*CORRECTED)
    main_estimate, main = shown("positive_specific_agreement")
    share = shown("positive_share")[1] if record.speaks_of == "traffic" else None
    on = charted(record)
    return SliceView(
        record=record,
        anchor=f"slice-{k}",
        share=share,
        raw=shown("percent_agreement")[1],
        corrected=corrected,
        main=main,
        main_estimate=main_estimate,
        corrected_estimate=corrected_estimate,
        figures=tuple(_table_figure(report, record, e) for e in estimates),
        rules=rules,
        rules_line=rules_line(rules) if gated else "not gated",
        rules_mark=_mark(list(rules)) if gated else "not_gated",
        mark=_mark([r for r in rules if on and r.statistic == on.statistic]) if gated else "not_gated",
        never_flags=never_flags(record.pairs[0]) if len(record.pairs) == 1 else (),
        matrices=tuple(record.pairs) if len(record.pairs) <= 3 or n_categories(record) > 2 else (),
        flagged_by=_flagged_by(record),
        overlap=_overlap(report, record),
        pair_statistics=tuple(pair_statistics(record)),
        coverage_rows=tuple(_coverage_rows(record)),
    )


def _table_figure(report: Report, record: SliceRecord, estimate: EstimateRecord) -> Figure:
    """As `figure`; a positive share of hard cases is not printed, as it says only how they were chosen."""
    made = figure(estimate, thresholds(report, record.name, estimate.statistic, estimate.category))
    if record.speaks_of != "traffic" and words.statistic_key(estimate.statistic) == "positive_share":
        return replace(made, status="from uniform only", exact_bounds="", method="", counts="", fraction="")
    return made


def n_categories(record: SliceRecord) -> int:
    return max((len(pair.table) for pair in record.pairs), default=0)


def rules_line(rules: Iterable[RuleRecord]) -> str:
    """ "all 3 rules passed", "1 of 2 rules failed", "1 of 1 rule not evaluable", "no rule"."""
    rules = list(rules)
    total = len(rules)
    if not total:
        return "no rule"
    parts = []
    for verdict in ("fail", "not_evaluable"):
        n = sum(rule.verdict == verdict for rule in rules)
        if n:
            parts.append(f"{n} of {words.plural(total, 'rule')} {words.RULE_VERDICT[verdict]}")
    return ", ".join(parts) or (f"all {total} rules passed" if total > 1 else "1 of 1 rule passed")


def _mark(rules: list[RuleRecord]) -> Status:
    """Which mark stands for several rules: a failed one, else one without a value, else passed; none without a rule."""
    verdicts = [rule.verdict for rule in rules]
    if "fail" in verdicts:
        return "fail"
    if "not_evaluable" in verdicts:
        return "not_evaluable"
    return "pass" if verdicts else "not_gated"


def never_flags(pair: PairRecord) -> tuple[tuple[str, str], ...]:
    """Per annotator of a pair: the raw agreement somebody who never flags would have with them."""
    both = ((pair.first, pair.never_flags_vs_first), (pair.second, pair.never_flags_vs_second))
    return tuple((who, value) for who, value in both if value is not None)


def _flagged_by(record: SliceRecord) -> tuple[tuple[str, int], ...]:
    if record.positives is None:
        return ()
    counts = record.positives.flagged_by
    of = len(counts) - 1
    return tuple((f"{k} of {of}" if k else "none", n) for k, n in enumerate(counts))


def _overlap(report: Report, record: SliceRecord) -> Overlap | None:
    """From the one pair's table: positive is whatever category is declared so."""
    positive = [k for k, category in enumerate(report.study.categories) if category.positive]
    if len(record.pairs) != 1 or not positive:
        return None
    table = record.pairs[0].table
    negative = [k for k in range(len(table)) if k not in positive]
    return Overlap(
        first=sum(table[r][c] for r in positive for c in negative),
        both=sum(table[r][c] for r in positive for c in positive),
        second=sum(table[r][c] for r in negative for c in positive),
    )


def _coverage_rows(record: SliceRecord) -> list[tuple[str, Coverage]]:
    rows = [(annotator.annotator_id, annotator.coverage) for annotator in record.annotators]
    return [*rows, ("all", record.coverage)]


def glossary(report: Report) -> list[tuple[str, str]]:
    """Each statistic of the report and what it answers, in the order of first appearance."""
    names: dict[str, str] = {}
    for record in report.slices:
        pairs = [e for pair in record.pairs for e in pair.estimates]
        for e in [*record.estimates, *pairs, *report.traffic]:
            names.setdefault(words.statistic(e.statistic), words.answers(e.statistic))
    return [(name, answer) for name, answer in names.items() if answer]


def missing_kinds(kinds: MissingKinds) -> list[tuple[str, int]]:
    return [(words.MISSING_KIND[name], n) for name, n in kinds.model_dump().items()]


def abstain_reasons(report: Report) -> list[str]:
    """Every reason given anywhere, in the order of first appearance."""
    seen: dict[str, None] = {}
    for record in report.slices:
        seen.update(dict.fromkeys(record.coverage.abstain_reasons))
    return list(seen)


def found(rule: RuleRecord) -> str:
    """What a rule found, with as many digits as its verdict needs; "undefined" where it has no value."""
    return "undefined" if rule.found is None else numbers.shown(rule.found, rule.asked)


def in_the_way(report: Report) -> list[RuleRecord]:
    """The rules that did not pass, weakest first."""
    by_number = {rule.number: rule for rule in report.verdict.rules}
    return [by_number[number] for number in report.verdict.weakest_first if number in by_number]


def stand_in_the_way(report: Report) -> str:
    """ "Four of nine rules stand in the way" """
    n, total = len(in_the_way(report)), len(report.verdict.rules)
    if total == 1:
        return "The one rule stands in the way"
    verb = "stands" if n == 1 else "stand"
    return f"{words.number_word(n).capitalize()} of {words.plural(total, 'rule')} {verb} in the way".replace(
        f" {total:,} rule", f" {words.number_word(total)} rule"
    )


def counts_line(positives_joint: int, positives_union: int) -> str:
    """ "4 of 44 shared", "nobody flagged any" """
    if positives_union == 0:
        return "nobody flagged any"
    return f"{numbers.count(positives_joint)} of {numbers.count(positives_union)} shared"


def flag_rate(annotator: AnnotatorRecord) -> str:
    return "" if annotator.flag_rate is None else numbers.percent(annotator.flag_rate)


def pair_statistics(record: SliceRecord) -> list[tuple[str, str | None]]:
    """The statistics that the pairs of a slice have, in order of first appearance."""
    seen: dict[tuple[str, str | None], None] = {}
    for pair in record.pairs:
        seen.update(dict.fromkeys((e.statistic, e.category) for e in pair.estimates))
    return list(seen)


def pair_figures(pair: PairRecord, statistics: list[tuple[str, str | None]]) -> list[Figure | None]:
    by_key = {(e.statistic, e.category): figure(e) for e in pair.estimates}
    return [by_key.get(key) for key in statistics]


@dataclass(frozen=True)
class OtherRule:
    """One row of the rule table, its figures in the order of `OtherRules.names`."""

    slice: str
    duplicates: str
    abstentions: str
    figures: tuple[str, ...]


@dataclass(frozen=True)
class OtherRules:
    """The figures of every slice under each rule of counting."""

    names: tuple[str, ...]
    rows: tuple[OtherRule, ...]


def other_rules(report: Report) -> OtherRules | None:
    """The rule tables of all slices as one; None where neither rule makes a difference anywhere."""
    keys = list(dict.fromkeys(key for s in report.slices for row in s.rule_table for key in row.figures))
    rows = [
        OtherRule(
            slice=s.name,
            duplicates=f"{row.duplicates} (as registered)" if row.registered else row.duplicates,
            abstentions="as missing" if row.abstentions == "missing" else "as a category",
            figures=tuple(_or_undefined(row.figures.get(key)) for key in keys),
        )
        for s in report.slices
        for row in s.rule_table
    ]
    return OtherRules(tuple(words.statistic(key) for key in keys), tuple(rows)) if rows else None


def _or_undefined(value: str | None) -> str:
    return "undefined" if value is None else numbers.stored(value)
