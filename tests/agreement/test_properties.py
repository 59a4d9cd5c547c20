"""What must hold for every table, whatever is in it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from agreement import (
    brennan_prediger,
    category_pi,
    cohen_kappa,
    collapsed_pairs,
    conger_kappa,
    count_vectors,
    exactly,
    fleiss_category_kappa,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    krippendorff_alpha,
    krippendorff_alpha_within,
    leave_one_annotator_out,
    light_kappa,
    max_kappa,
    merge_vectors,
    pair_agreement,
    pair_counts,
    patterns_from_codes,
    percent_agreement,
    percent_agreement_pooled_pairs,
    scott_pi,
    specific_agreement,
    vectors_of_pairs,
    weighted_kappa,
)

few = settings(max_examples=60, deadline=None)
tables = st.integers(2, 4).flatmap(lambda c: hnp.arrays(np.int64, (c, c), elements=st.integers(0, 30)))
N_CATEGORIES = 3
codes = st.tuples(st.integers(2, 12), st.integers(2, 4)).flatmap(
    lambda shape: hnp.arrays(np.int64, shape, elements=st.integers(-2, N_CATEGORIES - 1))
)
OF_VECTORS: dict[str, Any] = {
    "percent_agreement": percent_agreement,
    "percent_agreement_pooled_pairs": percent_agreement_pooled_pairs,
    "fleiss_kappa": fleiss_kappa,
    "gwet_ac1": gwet_ac1,
    "brennan_prediger": brennan_prediger,
    "alpha_nominal": krippendorff_alpha,
    "alpha_ordinal": lambda v, t=None: krippendorff_alpha(v, t, "ordinal"),
    "alpha_interval": lambda v, t=None: krippendorff_alpha(v, t, "interval"),
    "alpha_ratio": lambda v, t=None: krippendorff_alpha(v, t, "ratio"),
    "gwet_ac2": lambda v, t=None: gwet_ac2(v, t, "quadratic"),
}
BLIND_TO_NAMES = ("percent_agreement", "fleiss_kappa", "gwet_ac1", "brennan_prediger", "alpha_nominal")
OF_TABLES: dict[str, Any] = {
    "cohen_kappa": cohen_kappa,
    "scott_pi": scott_pi,
    "max_kappa": max_kappa,
    "pair_agreement": pair_agreement,
    "linear": lambda t: weighted_kappa(t, "linear"),
}


def same(first: Any, second: Any) -> None:
    np.testing.assert_allclose(first, second, rtol=1e-10, atol=1e-10, equal_nan=True)


def _vectors(matrix: Any) -> tuple[Any, Any]:
    return count_vectors(_patterns(matrix))


def _patterns(matrix: Any) -> Any:
    return patterns_from_codes(matrix, [str(k) for k in range(matrix.shape[1])], list("abc"))


@few
@given(tables)
def test_swapping_the_annotators_changes_no_coefficient(table: Any) -> None:
    for statistic in OF_TABLES.values():
        same(statistic(table), statistic(table.T))


@few
@given(tables, st.randoms(use_true_random=False))
def test_renaming_the_categories_changes_no_unweighted_coefficient(table: Any, random: Any) -> None:
    order = list(range(len(table)))
    random.shuffle(order)
    renamed = table[np.ix_(order, order)]
    for name, statistic in OF_TABLES.items():
        if name != "linear":
            same(statistic(table), statistic(renamed))
    vectors, times = vectors_of_pairs(table)
    for name in BLIND_TO_NAMES:
        same(OF_VECTORS[name](vectors, times), OF_VECTORS[name](vectors[:, order], times))


@few
@given(codes, st.randoms(use_true_random=False))
def test_the_order_of_items_and_of_annotators_changes_nothing(matrix: Any, random: Any) -> None:
    rows, columns = list(range(len(matrix))), list(range(matrix.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    shuffled = matrix[rows][:, columns]
    for statistic in OF_VECTORS.values():
        assert np.array_equal(statistic(*_vectors(matrix)), statistic(*_vectors(shuffled)), equal_nan=True)
    for statistic in (conger_kappa, light_kappa):
        same(statistic(matrix, None, N_CATEGORIES), statistic(shuffled, None, N_CATEGORIES))


@few
@given(codes)
def test_merging_equal_vectors_and_dropping_empty_ones_changes_nothing(matrix: Any) -> None:
    each = np.stack([(matrix == k).sum(axis=1) for k in range(N_CATEGORIES)], axis=1)
    for statistic in OF_VECTORS.values():
        same(statistic(each), statistic(*merge_vectors(each)))


@few
@given(tables)
def test_alpha_of_two_annotators_is_pi_with_a_correction_that_vanishes(table: Any) -> None:
    """Krippendorff 2004: 1 - alpha = (1 - 1 / 2n) (1 - pi)."""
    n = table.sum()
    assume(n > 0)
    same(1 - krippendorff_alpha(*vectors_of_pairs(table)), (1 - 1 / (2 * n)) * (1 - scott_pi(table)))


@few
@given(tables)
def test_for_two_annotators_fleiss_is_pi_and_conger_and_light_are_cohen(table: Any) -> None:
    assume(table.sum() > 0)
    vectors, times = vectors_of_pairs(table)
    same(fleiss_kappa(vectors, times), scott_pi(table))
    same(percent_agreement(vectors, times), pair_agreement(table))
    c = len(table)
    cells = np.stack(np.indices(table.shape), axis=-1).reshape(-1, 2)
    same(conger_kappa(cells, table.ravel(), c), cohen_kappa(table))
    same(light_kappa(cells, table.ravel(), c), cohen_kappa(table))


@few
@given(codes)
def test_identity_weights_give_the_unweighted_form(matrix: Any) -> None:
    vectors, times = _vectors(matrix)
    same(fleiss_kappa(vectors, times, "identity"), fleiss_kappa(vectors, times))
    same(gwet_ac2(vectors, times, "identity"), gwet_ac1(vectors, times))
    same(specific_agreement(vectors, times, "identity"), specific_agreement(vectors, times))
    same(brennan_prediger(vectors, times, "identity"), brennan_prediger(vectors, times))
    same(krippendorff_alpha(vectors, times, 1 - np.eye(N_CATEGORIES)), krippendorff_alpha(vectors, times))
    same(conger_kappa(matrix, None, 3, "identity"), conger_kappa(matrix, None, 3))
    table = pair_counts(_patterns(matrix), 0, 1)
    same(weighted_kappa(table, "identity"), cohen_kappa(table))
    same(scott_pi(table, "identity"), scott_pi(table))


@few
@given(tables)
def test_fractions_and_floats_give_the_same_values(table: Any) -> None:
    for statistic in OF_TABLES.values():
        _same_exactly(statistic, table)
    for statistic in OF_VECTORS.values():
        _same_exactly(statistic, *vectors_of_pairs(table))


def _same_exactly(statistic: Any, *counts: Any) -> None:
    exact = exactly(statistic, *counts)
    same(statistic(*counts), math.nan if exact is None else float(exact))


@few
@given(codes, st.integers(0, 2**32 - 1))
def test_a_leading_axis_gives_the_same_as_one_at_a_time(matrix: Any, seed: int) -> None:
    vectors, times = _vectors(matrix)
    drawn = np.random.default_rng(seed).integers(0, 6, size=(2, 3, len(times)))
    for statistic in OF_VECTORS.values():
        together = np.asarray(statistic(vectors, drawn))
        assert together.shape == (2, 3)
        same(together, [[statistic(vectors, t) for t in block] for block in drawn])
    several = np.random.default_rng(seed).integers(0, 6, size=(2, 3, len(matrix)))
    for by_code in (conger_kappa, light_kappa):
        together = by_code(matrix, several, N_CATEGORIES)
        same(together, [[by_code(matrix, t, N_CATEGORIES) for t in block] for block in several])


@few
@given(codes)
def test_perfect_agreement_gives_one(matrix: Any) -> None:
    matrix = np.repeat(np.abs(matrix[:, :1]) % N_CATEGORIES, matrix.shape[1], axis=1)
    assume(len(np.unique(matrix)) > 1)
    for statistic in OF_VECTORS.values():
        assert statistic(*_vectors(matrix)) == pytest.approx(1, abs=1e-12)
    assert conger_kappa(matrix) == pytest.approx(1)


@few
@given(tables)
def test_kappa_stays_under_the_maximum_its_rates_allow(table: Any) -> None:
    kappa = cohen_kappa(table)
    assume(not math.isnan(kappa))
    assert kappa <= max_kappa(table) + 1e-12
    assert max_kappa(table) <= 1 + 1e-12


@few
@given(codes)
def test_a_whole_of_one_stratum_has_its_own_alpha(matrix: Any) -> None:
    vectors, times = _vectors(matrix)
    for metric in ("nominal", "ordinal", "interval", "ratio"):
        within = krippendorff_alpha_within(vectors, times, times, metric)
        same(within, krippendorff_alpha(vectors, times, metric))


@few
@given(codes)
def test_a_category_against_the_rest_is_the_table_with_the_rest_merged(matrix: Any) -> None:
    vectors, times = _vectors(matrix)
    for k, found in enumerate(fleiss_category_kappa(vectors, times)):
        merged = np.stack([vectors[:, k], vectors.sum(axis=1) - vectors[:, k]], axis=1)
        same(found, fleiss_kappa(merged, times))
    table = pair_counts(_patterns(matrix), 0, 1)
    for k, found in enumerate(category_pi(table)):
        same(found, scott_pi(collapsed_pairs(table, np.arange(N_CATEGORIES) == k)))


@few
@given(tables)
def test_pi_of_a_category_is_its_specific_agreement_beyond_its_rate(table: Any) -> None:
    assume(table.sum() > 0)
    rate = (table.sum(axis=0) + table.sum(axis=1)) / (2 * table.sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = (specific_agreement(*vectors_of_pairs(table)) - rate) / (1 - rate)
    same(category_pi(table)[rate < 1], expected[rate < 1])


@few
@given(codes)
def test_leaving_an_annotator_out_is_the_figure_of_the_others(matrix: Any) -> None:
    assume(matrix.shape[1] > 2)
    found = leave_one_annotator_out(_patterns(matrix), percent_agreement)
    same(found["0"], percent_agreement(*_vectors(matrix[:, 1:])))
