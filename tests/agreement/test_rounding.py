"""One rounding rule."""

from fractions import Fraction

import pytest

from agreement.rounding import ceil_text, display, floor_text, half_up, parse_decimal


@pytest.mark.parametrize(
    ("value", "floored", "ceiled"),
    [
        (Fraction(12, 47), "0.2553", "0.2554"),
        (Fraction(-1, 9), "-0.1112", "-0.1111"),
        (Fraction(-1, 10**9), "-0.0001", "0.0000"),  # no minus zero
        (Fraction(13, 20), "0.6500", "0.6500"),
        (0, "0.0000", "0.0000"),
        (1, "1.0000", "1.0000"),
        (0.1 + 0.2, "0.3000", "0.3001"),  # a float is taken as it is held
        (41, "41.0000", "41.0000"),
    ],
)
def test_values_are_rounded_to_four_places_against_whoever_asks(value, floored, ceiled):
    assert (floor_text(value), ceil_text(value)) == (floored, ceiled)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_not_a_number_has_no_text(value):
    with pytest.raises(ValueError, match="finite"):
        floor_text(value)


@pytest.mark.parametrize(
    ("found", "threshold", "shown"),
    [
        ("0.6499", "0.65", "0.6499"),  # two or three places would sit on the threshold
        ("0.6580", "0.6667", "0.66"),
        ("0.6580", "0.66", "0.658"),
        ("0.6500", "0.65", "0.65"),
        ("0.6512", "0.65", "0.651"),
        ("0.3999", "0.40", "0.3999"),
        ("0.3946", "0.40", "0.39"),
        ("-0.0049", "0", "-0.005"),
        ("0.8550", None, "0.86"),
        ("-0.0049", None, "0.00"),
    ],
)
def test_a_page_shows_two_places_unless_they_would_sit_on_the_threshold(found, threshold, shown):
    assert display(found, threshold) == shown


def test_half_goes_up():
    assert [half_up(text) for text in ("0.125", "0.135", "-0.125")] == ["0.13", "0.14", "-0.13"]


@pytest.mark.parametrize("text", ["0.65", "1", "100", "-0.1", "0.0001"])
def test_decimal_text_is_read_exactly(text):
    assert parse_decimal(text) == Fraction(text)


@pytest.mark.parametrize(
    "text", [".nan", "nan", ".inf", "inf", "70%", "0,7", "0.65000", ".5", "1.", "1e-1", "+1", "", " 1", "1\n", "٠.٥"]
)
def test_anything_else_is_no_threshold(text):
    assert parse_decimal(text) is None


@pytest.mark.parametrize("value", [0.65, 1, None, True])
def test_only_text_is_a_threshold(value):
    assert parse_decimal(value) is None
