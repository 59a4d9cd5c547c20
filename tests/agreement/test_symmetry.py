"""Tests of equal category use: the large-sample forms and the exact ones."""

from __future__ import annotations

import math
from itertools import product
from math import comb

import numpy as np
import pytest

from agreement import bowker, mcnemar, stuart_maxwell


@pytest.mark.parametrize(
    ("b", "c", "p"),
    [
        (1, 0, 1.0),  # by hand: two-sided, capped at 1
        (5, 0, 2 / 2**5),
        (2, 8, 2 * (1 + 10 + 45) / 2**10),
        (4, 4, 1.0),
    ],
)
def test_the_exact_mcnemar_probability_is_the_two_sided_binomial(b: int, c: int, p: float) -> None:
    assert mcnemar([[3, b], [c, 9]]).p_exact == pytest.approx(p, abs=1e-15)


def test_mid_p_takes_half_of_what_was_seen_twice() -> None:
    found = mcnemar([[3, 2], [8, 9]])
    assert found.p_mid == pytest.approx(found.p_exact - comb(10, 2) / 2**10, abs=1e-12)


def test_annotators_who_never_differ_have_no_statistic_and_probability_one() -> None:
    for found in (mcnemar([[4, 0], [0, 6]]), stuart_maxwell([[4, 0], [0, 6]])):
        assert math.isnan(found.chi2)
        assert found.p_exact == 1
    assert math.isnan(bowker(np.diag([1, 2, 3]))[0])


def test_for_two_categories_stuart_maxwell_is_mcnemar() -> None:
    table = [[101, 12], [29, 33]]
    one, other = stuart_maxwell(table), mcnemar(table)
    assert (one.chi2, one.p_chi2, one.p_exact) == pytest.approx((other.chi2, other.p_chi2, other.p_exact), abs=1e-9)


def test_stuart_maxwell_gives_the_figure_of_the_vision_data() -> None:
    """Stuart 1955, Biometrika 42:412-416: unaided vision of 7,477 women, chi-square 11.96 with 3 degrees of freedom."""
    table = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]]
    found = stuart_maxwell(table)
    assert round(found.chi2, 2) == 11.96
    assert found.degrees == 3
    assert math.isnan(found.p_exact)  # 10**14 outcomes: the large-sample form serves


def test_the_exact_stuart_maxwell_probability_counts_all_outcomes() -> None:
    """Authority: every way in which the confused items of each two categories can fall, counted one by one."""
    table = np.array([[5, 3, 1], [0, 4, 2], [0, 1, 6]])
    seen = stuart_maxwell(table)
    sizes = [3, 1, 3]  # confusions of categories 1-2, 1-3, 2-3
    at_least = 0
    for there in product(*(range(n + 1) for n in sizes)):
        other = np.diag(np.diag(table))
        for (i, j), n, k in zip(((0, 1), (0, 2), (1, 2)), sizes, there, strict=True):
            other[i, j], other[j, i] = k, n - k
        ways = math.prod(comb(n, k) for n, k in zip(sizes, there, strict=True))
        chi2 = stuart_maxwell(other).chi2
        at_least += ways * (chi2 >= seen.chi2 - 1e-9)
    assert seen.p_exact == pytest.approx(at_least / 2 ** sum(sizes), abs=1e-12)


def test_unused_categories_cost_no_degree_of_freedom() -> None:
    table = np.zeros((4, 4), dtype=int)
    table[:2, :2] = [[10, 7], [2, 9]]
    assert stuart_maxwell(table).degrees == 1
    assert stuart_maxwell(table).chi2 == pytest.approx(mcnemar(table[:2, :2]).chi2)
