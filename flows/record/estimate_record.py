"""Estimates as they are stored and shown: rounded once, here."""

from __future__ import annotations

from fractions import Fraction

from agreement.estimate import Estimate
from agreement.rounding import ceil_text, floor_text
from schemas.report import EstimateRecord


def estimate_record(estimate: Estimate) -> EstimateRecord:
    """An estimate as it is stored: value floored, bounds rounded outward, once."""
    lower, upper = estimate.lower_text, estimate.upper_text
    if estimate.lower is not None and lower is None:
        lower = floor_text(estimate.lower)
    if estimate.upper is not None and upper is None:
        upper = ceil_text(estimate.upper)
    number = estimate.exact if estimate.exact is not None else estimate.value
    return EstimateRecord(
        statistic=estimate.statistic,
        category=estimate.category,
        value=floor_text(number) if number is not None else None,
        exact=str(estimate.exact) if estimate.exact is not None else None,
        lower=lower,
        upper=upper,
        status=estimate.status,
        interval=estimate.interval,
        n=dict(estimate.n),
        undefined_replicates=estimate.undefined_replicates,
    )


def reference_value(name: str, exact: Fraction | None, why: str) -> Estimate:
    """A figure to compare with, which has no interval of its own. why: what is missing if it has no value."""
    return Estimate(
        statistic=name,
        value=None if exact is None else float(exact),
        exact=exact,
        status="ok" if exact is not None else f"undefined: {why}",
        interval="none: a reference value",
    )
