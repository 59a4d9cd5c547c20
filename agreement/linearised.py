"""Intervals without resampling, for data with so many distinct patterns that drawing them would take too long."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.alpha import Metric
from agreement.estimate import Estimate
from agreement.patterns import Patterns
from agreement.standard_error import (
    Coefficient,
    alpha_standard_error,
    conger_standard_error,
    linearised_standard_error,
)
from agreement.weights import Weights

PATTERNS_AT_MOST = 5_000
_COEFFICIENTS: dict[str, Coefficient] = {
    "percent_agreement": "percent_agreement",
    "percent_agreement_pooled_pairs": "percent_agreement_pooled_pairs",
    "fleiss_kappa": "fleiss_kappa",
    "gwet_ac1": "gwet_ac",
    "gwet_ac2": "gwet_ac",
    "brennan_prediger": "brennan_prediger",
}


def too_many(patterns: NDArray[np.int64]) -> bool:
    """Whether these distinct rows are too many to draw over."""
    return len(patterns) > PATTERNS_AT_MOST


def linearised_intervals(
    estimates: dict[str, Estimate],
    vectors: NDArray[np.int64],
    times: NDArray[np.int64],
    patterns: Patterns | None,
    level: float,
    weights: Weights | None,
    metric: Metric | ArrayLike,
    values: list[float] | None,
    clustered: bool,
) -> dict[str, Estimate]:
    """The same estimates with value -/+ z standard errors; "none: <why>" where no closed form is at hand."""
    if clustered:
        return {k: replace(e, interval="none: too many patterns to draw clusters") for k, e in estimates.items()}
    reach = NormalDist().inv_cdf((1 + level) / 2)
    errors = {name: _error(name, vectors, times, patterns, weights, metric, values) for name in estimates}
    return {name: _with(e, errors[name], reach) for name, e in estimates.items()}


def _error(
    name: str,
    vectors: NDArray[np.int64],
    times: NDArray[np.int64],
    patterns: Patterns | None,
    weights: Weights | None,
    metric: Metric | ArrayLike,
    values: list[float] | None,
) -> float:
    if name == "krippendorff_alpha":
        return (
            math.nan
            if isinstance(metric, str) and metric == "ordinal"
            else alpha_standard_error(vectors, times, metric, values)
        )
    if name == "conger_kappa" and patterns is not None:
        return conger_standard_error(patterns.codes, patterns.multiplicity, vectors.shape[1])
    if name not in _COEFFICIENTS:
        return math.nan
    own_weights: Any = weights if name == "gwet_ac2" else None
    return linearised_standard_error(_COEFFICIENTS[name], vectors, times, own_weights, values)


def _with(estimate: Estimate, error: float, reach: float) -> Estimate:
    if estimate.value is None:
        return estimate
    if math.isnan(error):
        return replace(estimate, interval="none: too many patterns to draw, and no closed form")
    lower, upper = estimate.value - reach * error, estimate.value + reach * error
    return replace(estimate, lower=max(-1.0, lower), upper=min(1.0, upper), interval="linearised")
