"""Decimal numbers as text: ASCII digits and a point, as they are registered, compared and shown. Never floats."""

from __future__ import annotations

import re
from fractions import Fraction

DECIMAL_PATTERN = r"^-?(0|[1-9][0-9]{0,11})(\.[0-9]{1,6})?$"
THRESHOLD_PATTERN = r"^-?[0-9]+(\.[0-9]{1,4})?$"
SHARE_PATTERN = r"^(0(\.[0-9]{1,6})?|1(\.0{1,6})?)$"
LEVEL_PATTERN = r"^0\.[5-9][0-9]{0,3}$"

_HINTS = (
    ("%", "is a percentage; write a share such as 0.70"),
    (",", "has a comma; write a point"),
    ("_", "has an underscore; write digits only"),
    ("e", "has an exponent; write the digits out"),
)


def decimal_fault(text: str) -> str | None:
    """What keeps this text from being a decimal number, or None."""
    if re.fullmatch(DECIMAL_PATTERN[1:-1], text, re.ASCII):
        return None
    hint = next((hint for sign, hint in _HINTS if sign in text.lower()), None)
    return hint or "is not a decimal number of digits and a point, with at most six places"


def share_fault(text: str) -> str | None:
    """A share: above 0, at most 1."""
    if (fault := decimal_fault(text)) is not None:
        return fault
    return None if 0 < Fraction(text) <= 1 else "is not above 0 and at most 1"


def level_fault(text: str) -> str | None:
    """The level of an interval: from 0.5 to below 1."""
    if (fault := decimal_fault(text)) is not None:
        return fault
    if re.fullmatch(LEVEL_PATTERN[1:-1], text, re.ASCII) is None:
        return "is not from 0.5 to below 1, with at most four places"
    return None
