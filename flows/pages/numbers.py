"""How numbers look, in one place: half-up, two decimals, and more where two would contradict the verdict."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal

from schemas.report import EstimateRecord

MINUS = "−"
# Fixed, so that no machine's language setting changes a page.
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def shown(value: str, *thresholds: str, places: int = 2) -> str:
    """Decimal text for a reader: half-up to `places`, more where it would sit on or cross a threshold it does not.

    >>> shown("0.1666"), shown("0.6581", "0.66"), shown("-0.1112"), shown("1000")
    ('0.17', '0.658', '−0.11', '1,000')
    """
    exact = Decimal(value)
    if "." not in value:
        return count(int(exact))
    n_stored = len(value.partition(".")[2])
    for digits in range(places, max(places, n_stored) + 1):
        rounded = exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
        if all(rounded.compare(Decimal(t)) == exact.compare(Decimal(t)) for t in thresholds):
            break
    return _signed(rounded)


def stored(value: str) -> str:
    """The decimal exactly as it is stored and compared, with a minus that lines up."""
    return value.replace("-", MINUS)


def percent(value: str) -> str:
    """A share as percent with one decimal, half-up: "0.0240" is "2.4 %"."""
    return _signed((Decimal(value) * 100).quantize(Decimal("0.1"), ROUND_HALF_UP)) + " %"


def effective(n_eff: str) -> str:
    """An effective sample size: one decimal, none where it is whole."""
    return shown(n_eff, places=1).removesuffix(".0") if "." in n_eff else shown(n_eff)


def count(n: int) -> str:
    """An integer with its thousands apart: 1,000."""
    return f"{n:,}".replace("-", MINUS)


def _signed(number: Decimal) -> str:
    text = f"{number:f}"
    return text.lstrip("-") if number == 0 else text.replace("-", MINUS)


def interval(estimate: EstimateRecord, lower_thresholds: tuple[str, ...] = ()) -> str:
    """The bounds as "0.04 to 0.32"; "" where there are none."""
    if estimate.lower is None or estimate.upper is None:
        return ""
    return f"{shown(estimate.lower, *lower_thresholds)} to {shown(estimate.upper)}"


def with_interval(estimate: EstimateRecord) -> str:
    """The value and its bounds as "0.17 [0.04 to 0.32]", or why it has no value."""
    if estimate.value is None:
        return estimate.status
    bounds = interval(estimate)
    return shown(estimate.value) + (f" [{bounds}]" if bounds else "")


def level_percent(level: str) -> str:
    """An interval's level as percent with no more digits than it has: "0.975" is "97.5 %"."""
    return f"{(Decimal(level) * 100).normalize():f} %"


def day(stamp: str) -> str:
    """The day of a time stamp, "17 April 2026"; text that is no time stamp stays as it is."""
    found = re.match(r"(\d{4})-(\d{2})-(\d{2})(?=T|\s|$)", stamp)
    if not found or not 1 <= int(found[2]) <= 12:
        return stamp
    return f"{int(found[3])} {_MONTHS[int(found[2]) - 1]} {found[1]}"
