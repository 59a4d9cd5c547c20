"""Krippendorff's alpha of measured values, where every label may be another number."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from agreement.alpha import Metric
from agreement.errors import ConfigError, Problem
from agreement.exact import Array
from agreement.inputs import check_one_of, numbers_of, refuse

METRICS = ("nominal", "ordinal", "interval", "ratio")
_CELLS_AT_ONCE = 4_000_000


def krippendorff_alpha_values(values: ArrayLike, metric: Metric = "interval") -> float:
    """Krippendorff's alpha of a matrix of numbers. Memory grows with the labels, never with labels times values.

    values: shape (items, annotators), any numeric type; nan is no label.
    metric: "nominal", "ordinal", "interval" or "ratio", as in `krippendorff_alpha`.

    Interval and ordinal take time linear in the labels (after sorting); ratio compares all distinct values with
    each other, a block at a time. nan if no item has two labels, or if all labels are the same.
    """
    matrix = numbers_of(values, "values")
    if matrix.ndim != 2:
        refuse("values", f"has shape {matrix.shape}; it must be (items, annotators)")
    check_one_of("metric", metric, METRICS)
    given = ~np.isnan(matrix)
    paired = given.sum(axis=1) >= 2
    matrix, given = matrix[paired], given[paired]
    labels = given.sum(axis=1)
    flat = matrix[given]
    if not np.isfinite(flat).all() or (metric == "ratio" and (flat < 0).any()):
        needs = "needs finite numbers, for the ratio metric none below 0"
        fix = "Leave out what is no value (nan), and values the metric has no distance for."
        raise ConfigError("alpha's values cannot be used", [Problem("values-cannot-be-used", needs, fix)])
    if metric == "interval":
        observed, expected = _of_numbers(matrix, given, labels, flat)
    else:
        distinct, codes, counts = np.unique(flat, return_inverse=True, return_counts=True)
        if metric == "ordinal":
            ranks = np.cumsum(counts) - counts / 2
            matrix[given] = ranks[codes]
            observed, expected = _of_numbers(matrix, given, labels, matrix[given])
        elif metric == "nominal":
            matrix[given] = codes
            observed = _within_items(matrix, given, labels, lambda a, b: a != b)
            expected = float(len(flat)) ** 2 - float((counts.astype(np.float64) ** 2).sum())
        else:
            observed = _within_items(matrix, given, labels, _ratio_distance)
            expected = _ratio_over_all_pairs(distinct, counts)
    return float(1 - (len(flat) - 1) * observed / expected) if expected > 0 else float("nan")


def _of_numbers(matrix: Array, given: Array, labels: Array, flat: Array) -> tuple[float, float]:
    """Squared differences within items and over all labels, from sums alone."""
    centred = np.where(given, matrix - (flat.mean() if len(flat) else 0), 0)
    own_mean = centred.sum(axis=1, keepdims=True) / np.maximum(labels, 1)[:, None]
    within = np.where(given, centred - own_mean, 0)
    observed = 2 * float((labels * (within**2).sum(axis=1) / np.maximum(labels - 1, 1)).sum())
    same = len(flat) == 0 or flat.min() == flat.max()  # the mean of equal numbers may differ from them by a bit
    return observed, 0.0 if same else 2 * len(flat) * float((centred**2).sum())


def _within_items(matrix: Array, given: Array, labels: Array, distance: object) -> float:
    """Distances summed over ordered label pairs of each item, divided by its labels less one."""
    assert callable(distance)
    total = 0.0
    for first in range(matrix.shape[1]):
        for second in range(first + 1, matrix.shape[1]):
            both = given[:, first] & given[:, second]
            apart = distance(matrix[both, first], matrix[both, second])
            total += 2 * float((apart / (labels[both] - 1)).sum())
    return total


def _ratio_distance(a: Array, b: Array) -> Array:
    together = a + b
    return np.where(together > 0, (a - b) / np.where(together > 0, together, 1), 0) ** 2


def _ratio_over_all_pairs(distinct: Array, counts: Array) -> float:
    times = counts.astype(np.float64)
    step = max(1, _CELLS_AT_ONCE // max(len(distinct), 1))
    blocks = (slice(start, start + step) for start in range(0, len(distinct), step))
    return sum(float(times[b] @ (_ratio_distance(distinct[b, None], distinct) @ times)) for b in blocks)
