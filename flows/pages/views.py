"""What the pages pick out of a report: which estimate stands where, and how it is written. Nothing is computed
but how many rules of a slice passed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from flows.pages import numbers, words
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

CORRECTED = ("cohen_kappa", "krippendorff_alpha", "fleiss_kappa")
SHARES = ("positive_share", "union_positive_rate", "joint_positive_rate")


def find(estimates: Iterable[EstimateRecord], *names: str) -> EstimateRecord | None:
    """The first estimate that has one of these names; earlier names win."""
    by_name = {words.statistic_key(e.statistic): e for e in reversed(list(estimates))}
    return next((by_name[name] for name in names if name in by_name), None)


@dataclass(frozen=True)
class Figure:
    """One estimate as a reader sees it.

    value: "0.17", "2.4 %", or "" where undefined. bounds: "0.04 to 0.32" or "".
    status: why there is no value, or "".
    exact_value, exact_bounds: the decimals as stored and compared.
    """

    name: str
    answers: str
    value: str
    bounds: str
    status: str
    exact_value: str
    exact_bounds: str
    method: str
    counts: str
    fraction: str

    @property
    def sentence(self) -> str:
        """ "0.17 [0.04 to 0.32]", or why not."""
        return self.status or (f"{self.value} [{self.bounds}]" if self.bounds else self.value)


@dataclass(frozen=True)
class Thresholds:
    """The registered thresholds on one statistic of one slice, by what they are compared with."""

    value: tuple[str, ...] = ()
    lower: tuple[str, ...] = ()
    upper: tuple[str, ...] = ()


def thresholds(report: Report, slice_name: str, statistic: str, category: str | None) -> Thresholds:
    on: dict[str, list[str]] = {"value": [], "lower": [], "upper": []}
    for rule in report.verdict.rules:
        if (rule.slice, rule.statistic, rule.category) == (slice_name, statistic, category):
            on[rule.judged_on].append(rule.asked)
    return Thresholds(tuple(on["value"]), tuple(on["lower"]), tuple(on["upper"]))


def figure(estimate: EstimateRecord, against: Thresholds | None = None) -> Figure:
    """An estimate in words and digits; more digits where two would contradict a threshold of `against`."""
    against = against or Thresholds()
    share = words.statistic_key(estimate.statistic) in SHARES
    value = bounds = exact_bounds = ""
    if estimate.value is not None:
        value = numbers.percent(estimate.value) if share else numbers.shown(estimate.value, *against.value)
    if estimate.lower is not None and estimate.upper is not None:
        write = numbers.percent if share else numbers.shown
        lower = write(estimate.lower) if share else numbers.shown(estimate.lower, *against.lower)
        upper = write(estimate.upper) if share else numbers.shown(estimate.upper, *against.upper)
        bounds = f"{lower.removesuffix(' %')} to {upper}"
        exact_bounds = f"{numbers.stored(estimate.lower)} to {numbers.stored(estimate.upper)}"
    return Figure(
        name=words.statistic(estimate.statistic, estimate.category),
        answers=words.answers(estimate.statistic),
        value=value,
        bounds=bounds,
        status="" if estimate.value is not None else estimate.status,
        exact_value="" if estimate.value is None else numbers.stored(estimate.value),
        exact_bounds=exact_bounds,
        method=_method(estimate),
        counts=", ".join(f"{name.replace('_', ' ')} {numbers.count(n)}" for name, n in estimate.n.items()),
        fraction=estimate.exact or "",
    )


def _method(estimate: EstimateRecord) -> str:
    method = words.interval_method(estimate.interval)
    if estimate.undefined_replicates:
        method += f"; {words.plural(estimate.undefined_replicates, 'replicate')} undefined"
    return method


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
        figures=tuple(figure(e, thresholds(report, record.name, e.statistic, e.category)) for e in estimates),
        rules=rules,
        rules_line=rules_line(rules) if gated else "not gated",
        rules_mark=_mark(list(rules)) if gated else "not_gated",
        mark=_mark([r for r in rules if on and r.statistic == on.statistic]) if gated else "not_gated",
        never_flags=_never_flags(record),
        matrices=tuple(record.pairs) if len(record.pairs) <= 3 or n_categories(record) > 2 else (),
        flagged_by=_flagged_by(record),
        overlap=_overlap(report, record),
        pair_statistics=tuple(pair_statistics(record)),
        coverage_rows=tuple(_coverage_rows(record)),
    )


def slice_estimates(record: SliceRecord) -> list[EstimateRecord]:
    """The slice's estimates, and those of its one pair that the slice does not already have."""
    own = list(record.estimates)
    if len(record.pairs) == 1:
        have = {(e.statistic, e.category) for e in own}
        own += [e for e in record.pairs[0].estimates if (e.statistic, e.category) not in have]
    return own


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


def _never_flags(record: SliceRecord) -> tuple[tuple[str, str], ...]:
    """Per annotator of the one pair: the raw agreement somebody who never flags would have with them."""
    if len(record.pairs) != 1:
        return ()
    pair = record.pairs[0]
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
    verb = "stands" if n == 1 else "stand"
    return f"{words.number_word(n).capitalize()} of {words.plural(total, 'rule')} {verb} in the way".replace(
        f" {total:,} rule", f" {words.number_word(total)} rule"
    )


def counts_line(positives_joint: int, positives_union: int) -> str:
    """ "4 of 44 flags shared", "nobody flagged any" """
    if positives_union == 0:
        return "nobody flagged any"
    return f"{numbers.count(positives_joint)} of {words.plural(positives_union, 'flag')} shared"


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


def zone(report: Report, record: SliceRecord) -> tuple[str | None, str | None]:
    """The lowest and highest registered threshold on the charted statistic of a slice: below the first agreement
    is not shown, above the second it is. (None, None) without a rule; only `at_least` rules draw zones.
    """
    estimate = charted(record)
    asked = [
        rule.asked
        for rule in report.verdict.rules
        if estimate
        and rule.slice == record.name
        and words.statistic_key(rule.statistic) == words.statistic_key(estimate.statistic)
        and rule.comparison == "at_least"
    ]
    if not asked:
        return None, None
    ordered = sorted(asked, key=Decimal)
    return ordered[0], ordered[-1] if len(set(asked)) > 1 else None


def charted(record: SliceRecord) -> EstimateRecord | None:
    """What the picture shows of a slice: specific agreement on flags where there are flags, else alpha or kappa."""
    estimates = slice_estimates(record)
    return find(estimates, "positive_specific_agreement") or find(estimates, *CORRECTED)
