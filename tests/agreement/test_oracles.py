"""Other programs on thousands of random tables, equal to 1e-10.

scikit-learn, statsmodels and krippendorff are installed for this alone. irrCAC cannot be installed beside scipy 1.17 or
later, so its figures stand in test_published.py as printed numbers.
"""

from __future__ import annotations

from typing import Any

import krippendorff
import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.contingency_tables import SquareTable
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from agreement import (
    bootstrap,
    bowker,
    brennan_prediger,
    cohen_kappa,
    cohen_kappa_standard_error,
    count_vectors,
    fleiss_kappa,
    interval,
    krippendorff_alpha,
    krippendorff_alpha_values,
    max_kappa,
    mcnemar,
    patterns_from_wide,
    stuart_maxwell,
    weighted_kappa,
)

CLOSE = {"abs": 1e-10, "rel": 1e-10}


def _tables(how_many: int, seed: int) -> list[Any]:
    """Random tables: sparse and full, balanced and lopsided, 2 to 5 categories."""
    rng = np.random.default_rng(seed)
    tables = []
    for _ in range(how_many):
        c = int(rng.integers(2, 6))
        shares = rng.dirichlet(np.full(c * c, rng.choice([0.1, 0.5, 3.0])))
        tables.append(rng.multinomial(int(rng.integers(2, 300)), shares).reshape(c, c))
    return tables


def _labels(table: Any) -> tuple[Any, Any]:
    rows, columns = np.indices(table.shape)
    return np.repeat(rows.ravel(), table.ravel()), np.repeat(columns.ravel(), table.ravel())


def test_kappa_equals_scikit_learn_on_random_tables() -> None:
    checked = 0
    for table in _tables(700, seed=1):
        first, second = _labels(table)
        labels = list(range(len(table)))
        for name, theirs in ((None, None), ("linear", "linear"), ("quadratic", "quadratic")):
            ours = cohen_kappa(table) if name is None else weighted_kappa(table, name)
            if not np.isnan(ours):
                assert ours == pytest.approx(cohen_kappa_score(first, second, labels=labels, weights=theirs), **CLOSE)
                checked += 1
    assert checked > 1_900


def test_kappa_its_maximum_and_its_errors_equal_statsmodels_on_random_tables() -> None:
    for table in _tables(1_000, seed=2):
        if np.isnan(cohen_kappa(table)):
            continue
        theirs = cohens_kappa(table)
        assert cohen_kappa(table) == pytest.approx(theirs.kappa, **CLOSE)
        assert max_kappa(table) == pytest.approx(theirs.kappa_max, **CLOSE)
        assert cohen_kappa_standard_error(table) ** 2 == pytest.approx(theirs.var_kappa, **CLOSE)
        assert cohen_kappa_standard_error(table, null=True) ** 2 == pytest.approx(theirs.var_kappa0, **CLOSE)
        weighted = cohens_kappa(table, wt="linear")
        assert cohen_kappa_standard_error(table, "linear") ** 2 == pytest.approx(weighted.var_kappa, **CLOSE)


def test_fleiss_and_randolph_equal_statsmodels_on_random_counts() -> None:
    rng = np.random.default_rng(3)
    for _ in range(1_000):
        c, m, n = (int(rng.integers(2, 6)), int(rng.integers(2, 8)), int(rng.integers(2, 60)))
        vectors = rng.multinomial(m, rng.dirichlet(np.full(c, 0.7)), size=n)
        if (vectors.sum(axis=0) > 0).sum() > 1:
            assert fleiss_kappa(vectors) == pytest.approx(statsmodels_fleiss(vectors), **CLOSE)
        assert brennan_prediger(vectors) == pytest.approx(statsmodels_fleiss(vectors, method="randolph"), **CLOSE)


def _ragged(rng: Any) -> Any:
    c, m, n = int(rng.integers(2, 6)), int(rng.integers(2, 6)), int(rng.integers(3, 60))
    truth = rng.integers(1, c + 1, size=(n, 1))
    labels = np.where(rng.random((n, m)) < rng.random(), truth, rng.integers(1, c + 1, size=(n, m))).astype(float)
    labels[rng.random((n, m)) < 0.25] = np.nan
    return labels


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_equals_the_krippendorff_package_on_random_ragged_labels(metric: Any) -> None:
    rng = np.random.default_rng(4)
    checked = 0
    while checked < 600:
        labels = _ragged(rng)
        present = labels[(~np.isnan(labels)).sum(axis=1) >= 2]
        if len(np.unique(present[~np.isnan(present)])) < 2:
            continue
        theirs = krippendorff.alpha(labels.T, level_of_measurement=metric)
        categories = [1, 2, 3, 4, 5, 6]
        vectors, times = count_vectors(patterns_from_wide(labels, categories))
        assert krippendorff_alpha(vectors, times, metric) == pytest.approx(theirs, **CLOSE)
        assert krippendorff_alpha_values(labels, metric) == pytest.approx(theirs, **CLOSE)
        checked += 1


def test_tests_of_symmetry_equal_statsmodels_on_random_tables() -> None:
    checked = 0
    for table in _tables(250, seed=5):
        differ = table + table.T
        np.fill_diagonal(differ, 0)
        if (differ.sum(axis=1) == 0).any():
            continue  # statsmodels inverts a singular matrix there
        ours, theirs = stuart_maxwell(table), SquareTable(table, shift_zeros=False).homogeneity()
        if ours.degrees == len(table) - 1:
            assert ours.chi2 == pytest.approx(theirs.statistic, abs=1e-7, rel=1e-7)
            assert ours.p_chi2 == pytest.approx(theirs.pvalue, abs=1e-7)
            checked += 1
        if (differ[np.triu_indices(len(table), 1)] > 0).all():
            symmetry = SquareTable(table, shift_zeros=False).symmetry()
            assert bowker(table)[0] == pytest.approx(symmetry.statistic, **CLOSE)
            assert bowker(table)[2] == pytest.approx(symmetry.pvalue, **CLOSE)
        if len(table) == 2:
            exact = statsmodels_mcnemar(table, exact=True)
            assert mcnemar(table).p_exact == pytest.approx(exact.pvalue, **CLOSE)
    assert checked > 60


def test_bca_equals_scipys_within_the_error_of_drawing() -> None:
    table = np.array([[60, 21], [14, 405]])
    first, second = _labels(table)

    def kappa(a: Any, b: Any, axis: int = -1) -> Any:
        both, n = (a * b).sum(axis), a.shape[axis]
        rates = a.mean(axis), b.mean(axis)
        expected = rates[0] * rates[1] + (1 - rates[0]) * (1 - rates[1])
        observed = (2 * both - a.sum(axis) - b.sum(axis)) / n + 1
        return (observed - expected) / (1 - expected)

    theirs = stats.bootstrap(
        (first, second), kappa, paired=True, vectorized=True, n_resamples=6_000, batch=500, rng=6
    ).confidence_interval
    found = bootstrap(
        lambda t: {"kappa": cohen_kappa(t.reshape(*t.shape[:-1], 2, 2))}, table.ravel(), resamples=20_000, seed=7
    )["kappa"]
    ours = interval(found, 0.95)
    assert (ours.lower, ours.upper) == pytest.approx((theirs.low, theirs.high), abs=0.012)
