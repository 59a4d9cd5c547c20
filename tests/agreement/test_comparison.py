"""Differences between coefficients, annotator sets and slices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agreement import (
    Drawing,
    all_figures,
    cohen_kappa,
    compare_annotators,
    compare_slices,
    compare_statistics,
    count_vectors,
    estimate_many,
    gwet_ac1,
    krippendorff_alpha,
    pair_counts,
    patterns_from_codes,
)

DRAWING = Drawing(seed=1, resamples=2_000)


def _patterns(seed: int, n_items: int = 300, n_annotators: int = 3, skill: float = 0.8) -> Any:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, size=(n_items, 1))
    said = np.where(
        rng.random((n_items, n_annotators)) < skill, truth, rng.integers(0, 3, size=(n_items, n_annotators))
    )
    return patterns_from_codes(said, list("abcdef")[:n_annotators], list("xyz"))


def test_the_difference_of_two_coefficients_is_their_difference_and_narrower_than_either() -> None:
    patterns = _patterns(1)
    vectors, times = count_vectors(patterns)
    found = compare_statistics(patterns, "gwet_ac1", "krippendorff_alpha", all_figures(3), DRAWING)
    assert found.statistic == "gwet_ac1 - krippendorff_alpha"
    assert found.value == pytest.approx(gwet_ac1(vectors, times) - krippendorff_alpha(vectors, times), abs=1e-14)
    alone = estimate_many(vectors, times, seed=1, resamples=2_000)["gwet_ac1"]
    assert found.interval == "bca"
    assert found.upper - found.lower < (alone.upper - alone.lower) / 5  # what moves both alike is gone
    assert found.n == {"paired_items": 300}


def test_the_difference_of_two_pairs_of_annotators_is_that_of_their_kappas() -> None:
    patterns = _patterns(2)
    found = compare_annotators(patterns, ["a", "b"], ["a", "c"], all_figures(3, weights="linear"), DRAWING)
    expected = cohen_kappa(pair_counts(patterns, "a", "b")) - cohen_kappa(pair_counts(patterns, "a", "c"))
    assert found["cohen_kappa"].value == pytest.approx(expected, abs=1e-14)
    assert found["cohen_kappa"].lower < expected < found["cohen_kappa"].upper
    assert {"weighted_kappa", "gwet_ac2", "scott_pi", "krippendorff_alpha"} <= set(found)


def test_two_sets_of_different_size_have_what_both_have() -> None:
    found = compare_annotators(_patterns(3), ["a", "b", "c"], ["a", "b"], all_figures(3), DRAWING)
    assert "krippendorff_alpha" in found
    assert "cohen_kappa" not in found


def test_a_set_less_itself_is_nothing_and_has_no_interval() -> None:
    found = compare_annotators(_patterns(4), ["a", "b"], ["b", "a"], all_figures(3), DRAWING)["krippendorff_alpha"]
    assert found.value == pytest.approx(0, abs=1e-12)
    assert found.interval == "none: the jackknife has no variance"


def test_slices_without_a_common_item_vary_on_their_own() -> None:
    """Authority: variances of independent figures add."""
    first, second = _patterns(5, skill=0.9), _patterns(6, skill=0.6)
    found = compare_slices(first, second, all_figures(3), DRAWING)["krippendorff_alpha"]
    widths = []
    for part in (first, second):
        alone = estimate_many(*count_vectors(part), seed=3, patterns=part, resamples=2_000)["krippendorff_alpha"]
        widths.append(alone.upper - alone.lower)
    assert found.upper - found.lower == pytest.approx(np.hypot(*widths), rel=0.1)
    assert found.lower > 0


def test_positives_have_differences_too_and_a_figure_that_is_undefined_says_whose() -> None:
    some, none = np.array([[0, 0], [0, 1], [1, 1], [1, 1]]), np.ones((4, 2), dtype=int)
    parts = [patterns_from_codes(codes, "ab", ["flag", "no"], [9, 8, 20, 20]) for codes in (some, none)]
    found = compare_slices(*parts, all_figures(2, positive=[True, False]), DRAWING)
    assert found["positive_specific_agreement"].status == "undefined: the second slice has no value"
    assert found["negative_specific_agreement"].value == pytest.approx(80 / 88 - 1)


def test_an_interval_can_be_withheld_or_left_out_and_the_value_stays() -> None:
    patterns = _patterns(7)
    names = ("gwet_ac1", "fleiss_kappa")
    full = compare_statistics(patterns, *names, all_figures(3), DRAWING)
    for drawing, why in (
        (Drawing(1, 2_000, withheld="fewer than 10 union positives"), "none: fewer than 10 union positives"),
        (Drawing(1, 0), "none: not asked for"),
    ):
        found = compare_statistics(patterns, *names, all_figures(3), drawing)
        assert (found.value, found.lower, found.interval) == (full.value, None, why)
