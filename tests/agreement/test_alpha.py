"""Krippendorff's alpha: metrics, strata, measured values."""

from __future__ import annotations

import math
import tracemalloc
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from agreement import alpha as alpha_module
from agreement import exactly, krippendorff_alpha, krippendorff_alpha_values, krippendorff_alpha_within
from agreement.errors import ConfigError

VECTORS = np.array([[3, 0, 0], [1, 2, 0], [0, 1, 1], [0, 0, 3], [1, 0, 0], [0, 2, 1]])
TIMES = np.array([4, 2, 3, 5, 2, 1])


def _by_definition(vectors: Any, times: Any, distance: Any) -> float:
    """Krippendorff 2004, p. 222: observed and expected disagreement over label pairs, one by one."""
    items = [np.repeat(np.arange(3), v).tolist() for v, t in zip(vectors, times, strict=True) for _ in range(t)]
    items = [labels for labels in items if len(labels) > 1]
    pooled = [label for labels in items for label in labels]
    observed = sum(distance(a, b) / (len(labels) - 1) for labels in items for a, b in permutations(labels, 2))
    expected = sum(distance(a, b) for a, b in permutations(pooled, 2))
    return 1 - (len(pooled) - 1) * observed / expected


def test_each_metric_is_its_definition_over_pairs_of_labels() -> None:
    used = TIMES[:, None] * VECTORS * (VECTORS.sum(axis=1) > 1)[:, None]
    given = used.sum(axis=0)

    def ordinal(a: int, b: int) -> float:
        low, high = min(a, b), max(a, b)
        return float(given[low : high + 1].sum() - (given[low] + given[high]) / 2) ** 2

    values = [1, 2, 5]
    definitions: dict[str, Any] = {
        "nominal": lambda a, b: a != b,
        "ordinal": ordinal,
        "interval": lambda a, b: (values[a] - values[b]) ** 2,
        "ratio": lambda a, b: ((values[a] - values[b]) / (values[a] + values[b])) ** 2,
    }
    for metric, distance in definitions.items():
        expected = _by_definition(VECTORS, TIMES, distance)
        assert krippendorff_alpha(VECTORS, TIMES, metric, values) == pytest.approx(expected, abs=1e-12), metric


def test_the_ordinal_metric_is_found_anew_for_every_replicate(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = np.random.default_rng(1).integers(0, 5, size=(6, len(TIMES)))
    alone = [krippendorff_alpha(VECTORS, t, "ordinal") for t in drawn]
    np.testing.assert_allclose(krippendorff_alpha(VECTORS, drawn, "ordinal"), alone, atol=1e-12)
    monkeypatch.setattr(alpha_module, "_CELLS_AT_ONCE", 1)  # the way taken when vectors and categories are many
    np.testing.assert_allclose(krippendorff_alpha(VECTORS, drawn, "ordinal"), alone, atol=1e-12)


def test_a_stratum_against_the_whole_uses_the_wholes_expected_disagreement() -> None:
    """By hand: 10 of 10 and 8 of 10 pairs agree; pooled labels 20 and 20, expected 2 * 20 * 20 / (40 * 39)."""
    vectors, whole = np.array([[2, 0], [1, 1], [0, 2]]), np.array([9, 2, 9])
    expected = Fraction(2 * 20 * 20, 40 * 39)
    first, second = np.array([9, 1, 0]), np.array([0, 1, 9])
    for stratum, observed in ((first, Fraction(1, 10)), (second, Fraction(1, 10)), (whole, Fraction(2, 20))):
        assert exactly(krippendorff_alpha_within, vectors, stratum, whole) == 1 - observed / expected
    assert krippendorff_alpha(vectors, first) <= 0 < krippendorff_alpha_within(vectors, first, whole)


def test_values_of_small_integer_types_do_not_overflow() -> None:
    values = [[1, 2], [2, 2], [3, 3], [200, 100]]
    assert krippendorff_alpha_values(np.array(values, np.uint8)) == krippendorff_alpha_values(values)


@pytest.mark.parametrize("values", [[[1.0, math.nan], [math.nan, 2.0]], [[0.1, 0.1], [0.1, 0.1]], np.zeros((0, 2))])
def test_values_without_a_pair_or_without_variance_have_no_alpha(values: Any) -> None:
    for metric in ("nominal", "ordinal", "interval", "ratio"):
        assert math.isnan(krippendorff_alpha_values(values, metric))


def test_values_the_metric_cannot_measure_are_refused() -> None:
    for values, metric in (([[1.0, math.inf]], "interval"), ([[1.0, -2.0]], "ratio")):
        with pytest.raises(ConfigError):
            krippendorff_alpha_values(values, metric)
    with pytest.raises(ConfigError):
        krippendorff_alpha(VECTORS, TIMES, "cubic")
    with pytest.raises(ConfigError):
        krippendorff_alpha(VECTORS, TIMES, "ratio", [-1, 0, 1])


def test_a_hundred_thousand_distinct_values_need_memory_for_the_labels_only() -> None:
    values = np.random.default_rng(2).normal(size=(50_000, 1)) + np.random.default_rng(3).normal(size=(50_000, 2))
    for metric in ("interval", "ordinal"):
        tracemalloc.start()
        found = krippendorff_alpha_values(values, metric)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert found == pytest.approx(0.5, abs=0.03)  # by construction half of the variance is shared
        assert peak < 50_000_000
