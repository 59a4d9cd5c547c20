"""One estimate as a reader sees it, and which estimate stands where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from flows.pages import numbers, words
from schemas.report import EstimateRecord, Report, SliceRecord

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


def figure(estimate: EstimateRecord, against: Thresholds | None = None, places: int = 2) -> Figure:
    """An estimate in words and digits; more digits where two would contradict a threshold of `against`."""
    against = against or Thresholds()
    share = words.statistic_key(estimate.statistic) in SHARES
    value = bounds = exact_bounds = ""
    if estimate.value is not None:
        value = (
            numbers.percent(estimate.value) if share else numbers.shown(estimate.value, *against.value, places=places)
        )
    if estimate.lower is not None and estimate.upper is not None:
        lower, upper = (
            numbers.percent(bound) if share else numbers.shown(bound, *limits, places=places)
            for bound, limits in ((estimate.lower, against.lower), (estimate.upper, against.upper))
        )
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


def slice_estimates(record: SliceRecord) -> list[EstimateRecord]:
    """The slice's estimates, and those of its one pair that the slice does not already have."""
    own = list(record.estimates)
    if len(record.pairs) == 1:
        have = {(e.statistic, e.category) for e in own}
        own += [e for e in record.pairs[0].estimates if (e.statistic, e.category) not in have]
    return own


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
