"""Two-annotator coefficients on the worked tables, as exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from agreement import (
    bias_index,
    brennan_prediger,
    cohen_kappa,
    exactly,
    expected_agreement,
    gwet_ac1,
    krippendorff_alpha,
    max_kappa,
    pair_agreement,
    prevalence_index,
    scott_pi,
    share_of_max,
    vectors_of_pairs,
    weighted_kappa,
)
from agreement.errors import ConfigError

# Authority: the worked tables of the project's brief, recomputed by hand in fractions. Order of the figures:
# raw agreement, expected agreement, kappa, highest kappa, share of it, pi, AC1, alpha.
WORKED = {
    "500 answers": (
        [[6, 21], [14, 459]],
        "93/100 11379/12500 246/1121 946/1121 123/473 9791/44791 420209/455209 9826/44791",
    ),
    "1,000 outputs": (
        [[4, 18], [22, 956]],
        "24/25 119143/125000 857/5857 5357/5857 857/5357 107/732 14268/14893 1717/11712",
    ),
    "balanced ten": ([[4, 1], [1, 4]], "4/5 1/2 3/5 1 3/5 3/5 3/5 31/50"),
    "skewed ten": ([[0, 1], [1, 8]], "4/5 41/50 -1/9 1 -1/9 -1/9 31/41 -1/18"),
    "100 posts": ([[7, 5], [3, 85]], "23/25 201/250 29/49 44/49 29/44 579/979 3621/4021 581/979"),
}
OF_TABLES: list[Any] = [pair_agreement, expected_agreement, cohen_kappa, max_kappa, share_of_max, scott_pi]
OF_VECTORS: list[Any] = [gwet_ac1, krippendorff_alpha]


@pytest.mark.parametrize("name", WORKED)
def test_a_worked_table_gives_its_exact_fractions(name: str) -> None:
    table, expected = WORKED[name]
    found = [exactly(f, table) for f in OF_TABLES] + [exactly(f, *vectors_of_pairs(table)) for f in OF_VECTORS]
    assert found == [Fraction(text) for text in expected.split()]


def test_one_category_throughout_leaves_kappa_undefined_and_raw_agreement_one() -> None:
    table = [[0, 0], [0, 10]]
    assert pair_agreement(table) == expected_agreement(table) == 1
    for undefined in (cohen_kappa, max_kappa, share_of_max, scott_pi):
        assert math.isnan(undefined(table))
        assert exactly(undefined, table) is None


def test_nothing_paired_leaves_everything_undefined() -> None:
    for statistic in (*OF_TABLES, prevalence_index, bias_index):
        assert math.isnan(statistic(np.zeros((2, 2), dtype=int)))


def test_small_integer_types_do_not_overflow() -> None:
    table = [[100, 20], [27, 110]]
    for small in (np.int8, np.uint8, np.int16):
        assert cohen_kappa(np.array(table, dtype=small)) == cohen_kappa(table)


def test_kappa_is_made_of_pabak_prevalence_and_bias() -> None:
    """Byrt, Bishop and Carlin 1993: kappa = (PABAK - PI**2 + BI**2) / (1 - PI**2 + BI**2)."""
    for table, _ in WORKED.values():
        pabak = brennan_prediger(*vectors_of_pairs(table))
        both = bias_index(table) ** 2 - prevalence_index(table) ** 2
        assert cohen_kappa(table) == pytest.approx((pabak + both) / (1 + both), abs=1e-12)


@pytest.mark.parametrize(
    ("weights", "values", "code"),
    [
        ("cubic", None, "unknown-weights"),
        ([[1, 0], [0, 1]], None, "weights-do-not-fit"),
        ("linear", [1, 2], "values-do-not-fit"),
        ("linear", [1, 2, math.nan], "values-not-numbers"),
        ("linear", ["a", "b", "c"], "values-not-numbers"),
    ],
)
def test_weights_that_cannot_be_used_are_refused_by_name(weights: Any, values: Any, code: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        weighted_kappa(np.eye(3, dtype=int), weights, values)
    assert [p.code for p in refusal.value.problems] == [code]
