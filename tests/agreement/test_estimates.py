"""Estimates: every coefficient of a slice at once, each with a status, a reason and its counts."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from agreement import (
    Patterns,
    conger_kappa,
    count_vectors,
    estimate_many,
    estimate_pair,
    krippendorff_alpha,
    pair_counts,
    patterns_from_codes,
)
from agreement import linearised as linearised_module

PSA_500 = [[6, 21], [14, 459]]
PAIR_NAMES = {
    "percent_agreement",
    "cohen_kappa",
    "cohen_kappa_expected_agreement",
    "cohen_kappa_max",
    "share_of_max",
    "scott_pi",
    "krippendorff_alpha",
    "gwet_ac1",
    "brennan_prediger",
    "prevalence_index",
    "bias_index",
}
MANY_NAMES = {
    "percent_agreement",
    "percent_agreement_pooled_pairs",
    "fleiss_kappa",
    "krippendorff_alpha",
    "gwet_ac1",
    "brennan_prediger",
}


def _three_annotators(n_items: int = 400, seed: int = 1) -> Patterns:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, size=(n_items, 1))
    codes = np.where(rng.random((n_items, 3)) < 0.7, truth, rng.integers(0, 3, size=(n_items, 3)))
    codes[rng.random((n_items, 3)) < 0.1] = -2
    return patterns_from_codes(codes, "abc", "xyz")


def test_a_pair_has_every_coefficient_exact_with_its_interval() -> None:
    """Authority for the fractions: the worked table of 500 answers."""
    found = estimate_pair(PSA_500, seed=20261130)
    assert set(found) == PAIR_NAMES
    assert found["cohen_kappa"].exact == Fraction(246, 1121)
    assert found["krippendorff_alpha"].exact == Fraction(9826, 44791)
    for name, estimate in found.items():
        assert estimate.status == "ok"
        assert estimate.interval == "bca"
        assert estimate.lower is not None
        assert estimate.upper is not None
        assert estimate.value is not None
        assert estimate.lower <= estimate.value <= estimate.upper, name
        assert estimate.n == {"paired_items": 500}


def test_estimates_of_many_are_exact_and_agree_with_the_coefficients() -> None:
    patterns = _three_annotators()
    vectors, times = count_vectors(patterns)
    found = estimate_many(vectors, times, seed=1, resamples=500, patterns=patterns)
    assert set(found) == MANY_NAMES | {"conger_kappa"}
    assert found["krippendorff_alpha"].value == pytest.approx(krippendorff_alpha(vectors, times), abs=1e-12)
    assert found["conger_kappa"].value == pytest.approx(conger_kappa(patterns.codes, patterns.multiplicity, 3))
    for estimate in found.values():
        assert isinstance(estimate.exact, Fraction)
        assert estimate.interval == "bca"
        assert estimate.value == float(estimate.exact)
    counts = found["fleiss_kappa"].n
    assert counts["labelled_items"] == counts["paired_items"] + counts["single_rated_items"]


@pytest.mark.parametrize(
    ("table", "name", "status"),
    [
        ([[0, 0], [0, 0]], "percent_agreement", "undefined: nothing paired"),
        ([[0, 0], [0, 10]], "cohen_kappa", "undefined: one category only"),
        ([[0, 0], [0, 10]], "krippendorff_alpha", "undefined: one category only"),
        ([[5, 0], [5, 0]], "share_of_max", "undefined: the rates allow no more than chance"),
    ],
)
def test_an_undefined_pair_figure_says_why(table: Any, name: str, status: str) -> None:
    found = estimate_pair(table, seed=1, resamples=50)[name]
    assert (found.value, found.exact, found.lower, found.status) == (None, None, None, status)


@pytest.mark.parametrize(
    ("vectors", "status"),
    [
        (np.zeros((0, 2), dtype=int), "undefined: nothing labelled"),
        ([[1, 0], [0, 1]], "undefined: single-rated items only"),
        ([[2, 0], [0, 1]], "undefined: one category only"),
    ],
)
def test_an_undefined_figure_of_many_says_why(vectors: Any, status: str) -> None:
    assert estimate_many(vectors, seed=1, resamples=50)["krippendorff_alpha"].status == status


def test_the_caller_can_withhold_intervals_and_values_stay() -> None:
    found = estimate_pair(PSA_500, seed=1, resamples=100, withheld="fewer than 10 union positives")["cohen_kappa"]
    assert (found.exact, found.lower) == (Fraction(246, 1121), None)
    assert found.interval == "none: fewer than 10 union positives"


def test_without_resamples_there_are_values_alone() -> None:
    found = estimate_pair(PSA_500, seed=1, resamples=0)["cohen_kappa"]
    assert (found.exact, found.interval) == (Fraction(246, 1121), "none: not asked for")


def test_weights_and_an_ordinal_scale_add_their_own_figures() -> None:
    pair = estimate_pair(np.diag([9, 5, 7]) + 1, seed=1, resamples=200, weights="linear", metric="ordinal")
    assert {"weighted_kappa", "krippendorff_alpha"} <= set(pair)
    vectors, times = count_vectors(_three_annotators())
    many = estimate_many(vectors, times, seed=1, resamples=200, weights="linear", metric="ordinal")
    assert many["krippendorff_alpha"].value == pytest.approx(krippendorff_alpha(vectors, times, "ordinal"))
    assert isinstance(many["gwet_ac2"].exact, Fraction)


def test_positive_categories_can_be_several() -> None:
    table = np.arange(9).reshape(3, 3)
    found = estimate_pair(table, seed=1, resamples=0, positive=[False, True, True])
    assert found["prevalence_index"].exact == Fraction(int(table[1:, 1:].sum() - table[0, 0]), int(table.sum()))


def test_above_five_thousand_patterns_intervals_are_linearised_and_close_to_bca(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    patterns = _three_annotators(2_000)
    vectors, times = count_vectors(patterns)
    drawn = estimate_many(vectors, times, seed=1, patterns=patterns)
    monkeypatch.setattr(linearised_module, "PATTERNS_AT_MOST", 3)
    direct = estimate_many(vectors, times, seed=1, patterns=patterns)
    for name, estimate in direct.items():
        assert estimate.interval == "linearised"
        assert drawn[name].interval == "bca"
        for bound in ("lower", "upper"):
            assert getattr(estimate, bound) == pytest.approx(getattr(drawn[name], bound), abs=0.004), name


def test_declared_clusters_are_drawn_whole() -> None:
    codes = np.repeat([[0, 0], [0, 1], [1, 1], [1, 1]], 10, axis=0)
    clusters = np.repeat(np.arange(8), 5)
    patterns = Patterns(("a", "b"), ("n", "y"), codes, np.ones(40, dtype=np.int64), clusters)
    vectors, times = count_vectors(patterns)
    whole = estimate_many(vectors, times, seed=1, patterns=patterns)["percent_agreement"]
    alone = estimate_many(vectors, times, seed=1)["percent_agreement"]
    assert whole.value == alone.value
    assert whole.lower is not None
    assert alone.lower is not None
    assert whole.lower < alone.lower


def test_two_annotators_with_clusters_have_the_figures_of_a_pair_from_the_same_draws() -> None:
    codes = np.repeat([[0, 0], [0, 1], [1, 1], [1, 0], [0, -1]], [24, 20, 28, 8, 20], axis=0)
    patterns = Patterns(("a", "b"), ("n", "y"), codes, np.ones(100, dtype=np.int64), np.arange(100) // 4)
    found = estimate_many(*count_vectors(patterns), seed=1, patterns=patterns, weights="linear")
    alone = estimate_pair(pair_counts(patterns, 0, 1), seed=1, weights="linear")
    for name in ("cohen_kappa", "weighted_kappa", "scott_pi", "share_of_max"):
        assert found[name].exact == alone[name].exact
        assert found[name].interval == "bca"
    assert found["cohen_kappa"].lower < alone["cohen_kappa"].lower


def test_the_order_of_the_items_changes_no_byte() -> None:
    codes = np.random.default_rng(2).integers(-2, 3, size=(300, 3))
    found = []
    for order in (np.arange(300), np.random.default_rng(3).permutation(300)):
        patterns = patterns_from_codes(codes[order], "abc", "xyz")
        many = estimate_many(*count_vectors(patterns), seed=1, resamples=1_000, patterns=patterns)
        found.append((many, estimate_pair(pair_counts(patterns, 0, 1), seed=1, resamples=1_000)))
    assert found[0] == found[1]


def test_the_number_of_threads_changes_no_byte() -> None:
    program = (
        "import numpy as np; from agreement import *\n"
        "codes = np.random.default_rng(5).integers(-2, 4, size=(3000, 4))\n"
        "p = patterns_from_codes(codes, 'abcd', 'wxyz')\n"
        "options = dict(seed=1, resamples=2000, patterns=p, metric='ordinal', weights='ratio')\n"
        "print(estimate_many(*count_vectors(p), **options))\n"
    )
    digests = {
        hashlib.sha256(
            subprocess.run(
                [sys.executable, "-c", program],
                env={**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads},
                check=True,
                capture_output=True,
            ).stdout
        ).hexdigest()
        for threads in ("1", "2")
    }
    assert len(digests) == 1
