"""Digits on a page: half-up, two decimals, more where two would contradict what was decided (mock-ups, "Wording")."""

from __future__ import annotations

import pytest

from flows.pages import numbers
from schemas.report import EstimateRecord


@pytest.mark.parametrize(
    ("value", "thresholds", "expected"),
    [
        ("0.1666", (), "0.17"),
        ("0.1650", (), "0.17"),  # half goes up
        ("0.5", (), "0.50"),
        ("0.6581", ("0.66",), "0.658"),  # 0.66 would sit on the threshold it misses
        ("0.6581", ("0.667",), "0.66"),  # 0.66 is already below 0.667
        ("0.3999", ("0.40",), "0.3999"),
        ("0.4000", ("0.40",), "0.40"),  # exactly there, and said so
        ("0.6499", ("0.40", "0.65"), "0.6499"),
        ("-0.1112", (), "−0.11"),
        ("-0.0010", (), "0.00"),
        ("-0.0010", ("0",), "−0.001"),  # a lower bound just below "beats chance"
        ("76", ("100",), "76"),
        ("1000", (), "1,000"),
    ],
)
def test_two_decimals_unless_they_contradict_a_threshold(
    value: str, thresholds: tuple[str, ...], expected: str
) -> None:
    assert numbers.shown(value, *thresholds) == expected


def test_shares_are_percent_with_one_decimal() -> None:
    assert [numbers.percent(v) for v in ("0.0240", "0.9780", "1.0000", "0.0004")] == [
        "2.4 %",
        "97.8 %",
        "100.0 %",
        "0.0 %",
    ]


def test_an_interval_says_to_so_that_a_minus_is_never_a_dash() -> None:
    estimate = EstimateRecord(statistic="cohen_kappa", value="0.1049", lower="-0.0801", upper="0.2812", interval="bca")
    assert numbers.with_interval(estimate) == "0.10 [−0.08 to 0.28]"


def test_an_undefined_estimate_is_its_status() -> None:
    estimate = EstimateRecord(
        statistic="cohen_kappa", value=None, status="undefined: no flags", interval="none: undefined"
    )
    assert numbers.with_interval(estimate) == "undefined: no flags"


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [
        ("2026-04-17T15:30:00Z", "17 April 2026"),
        ("2026-04-07", "7 April 2026"),
        ("2026-13-01", "2026-13-01"),
        ("last week", "last week"),
    ],
)
def test_a_time_stamp_is_shown_as_a_day_and_anything_else_as_it_is(stamp: str, expected: str) -> None:
    assert numbers.day(stamp) == expected


def test_a_level_has_no_more_digits_than_it_needs() -> None:
    assert [numbers.level_percent(v) for v in ("0.95", "0.975", "0.98750")] == ["95 %", "97.5 %", "98.75 %"]
