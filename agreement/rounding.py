"""One rounding rule for what is stored, compared and shown: four places, always against whoever asks to pass."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

PLACES = 4
GRID = 10**PLACES

Number = Fraction | Decimal | int | float

_DECIMAL_TEXT = re.compile(r"-?[0-9]+(\.[0-9]{1,4})?")


def floor_text(value: Number) -> str:
    """The largest decimal of four places that is not above the value.

    >>> floor_text(Fraction(12, 47)), floor_text(Fraction(-1, 9))
    ('0.2553', '-0.1112')
    """
    return grid_text(math.floor(as_fraction(value) * GRID))


def ceil_text(value: Number) -> str:
    """The smallest decimal of four places that is not below the value.

    >>> ceil_text(Fraction(12, 47)), ceil_text(Fraction(-1, 9))
    ('0.2554', '-0.1111')
    """
    return grid_text(math.ceil(as_fraction(value) * GRID))


def grid_text(ten_thousandths: int) -> str:
    """A whole number of ten-thousandths as decimal text. `-0` does not exist.

    >>> grid_text(-1), grid_text(0), grid_text(10000)
    ('-0.0001', '0.0000', '1.0000')
    """
    sign = "-" if ten_thousandths < 0 else ""
    whole, rest = divmod(abs(ten_thousandths), GRID)
    return f"{sign}{whole}.{rest:0{PLACES}d}"


def as_fraction(value: Number) -> Fraction:
    """The number exactly as it is held; a float that is not finite raises ValueError."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"not a finite number: {value}")
    return Fraction(value)


def parse_decimal(text: object) -> Fraction | None:
    """The value of decimal text such as `0.65`, `-0.1` or `100`; None for anything else.

    Only ASCII digits and a point, at most four places, and only text: a float of a YAML file is not what was typed.

    >>> parse_decimal("0.65"), parse_decimal("70%"), parse_decimal(0.65), parse_decimal(".nan")
    (Fraction(13, 20), None, None, None)
    """
    if not isinstance(text, str) or not _DECIMAL_TEXT.fullmatch(text):
        return None
    return Fraction(text)


def display(found: str, threshold: str | None = None) -> str:
    """Decimal text as a page shows it: two places, half up, or as many more as tell it from the threshold.

    found: decimal text as the gate compared it. threshold: what it was compared with, if anything.

    >>> display("0.2553"), display("0.6499", "0.65"), display("0.6500", "0.65"), display("-0.1112")
    ('0.26', '0.6499', '0.65', '-0.11')
    """
    for places in range(2, PLACES + 1):
        shown = half_up(found, places)
        if threshold is None or _side(shown, threshold) == _side(found, threshold):
            break
    return shown


def half_up(value: str | Decimal, places: int = 2) -> str:
    """Decimal text rounded half away from zero to so many places. `-0` does not exist."""
    rounded = Decimal(value).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    return str(rounded if rounded else abs(rounded))


def _side(text: str, threshold: str) -> int:
    difference = Decimal(text) - Decimal(threshold)
    return (difference > 0) - (difference < 0)
