"""What must hold for the interval and the standard error of every table."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from agreement import (
    alpha_standard_error,
    bootstrap,
    cohen_kappa_standard_error,
    estimate_pair,
    jackknife_standard_error,
    linearised_standard_error,
    vectors_of_pairs,
)

few = settings(max_examples=40, deadline=None)
tables = st.integers(2, 3).flatmap(lambda c: hnp.arrays(np.int64, (c, c), elements=st.integers(0, 25)))
COEFFICIENTS = ("percent_agreement", "fleiss_kappa", "gwet_ac", "brennan_prediger")


@few
@given(tables)
def test_a_value_lies_inside_its_own_interval(table: Any) -> None:
    for name, found in estimate_pair(table, seed=1, resamples=200).items():
        if found.lower is not None:
            assert found.lower - 1e-12 <= found.value <= found.upper + 1e-12, name


@few
@given(hnp.arrays(np.int64, st.integers(2, 30), elements=st.integers(-50, 50)))
def test_the_jackknife_of_a_mean_is_the_means_own_standard_error(sample: Any) -> None:
    """Efron 1982: s / sqrt(n)."""

    def mean(times: Any) -> dict[str, Any]:
        return {"mean": (times * sample).sum(axis=-1) / times.sum(axis=-1)}

    found = bootstrap(mean, np.ones(len(sample)), resamples=0, seed=0)["mean"]
    own = sample.std(ddof=1) / math.sqrt(len(sample))
    assert jackknife_standard_error(found) == pytest.approx(own, abs=1e-10)


@few
@given(tables)
def test_four_times_the_items_halve_every_standard_error(table: Any) -> None:
    """Variances of means fall as 1 / n; with the divisor n - 1 as (n - 1) / (4n - 1)."""
    n = int(table.sum())
    assume(n > 1)
    vectors, times = vectors_of_pairs(table)
    smaller = math.sqrt((n - 1) / (4 * n - 1))
    for name in COEFFICIENTS:
        once = linearised_standard_error(name, vectors, times)
        assert linearised_standard_error(name, vectors, 4 * times) == pytest.approx(
            once * smaller, nan_ok=True, abs=1e-12
        )
    half = cohen_kappa_standard_error(table) / 2
    assert cohen_kappa_standard_error(4 * table) == pytest.approx(half, nan_ok=True, abs=1e-7)
    once, more = alpha_standard_error(vectors, times), alpha_standard_error(vectors, 4 * times)
    assert math.isnan(once) == math.isnan(more)
    assert math.isnan(once) or more <= once + 1e-12
