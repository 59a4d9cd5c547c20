"""All coefficients of two annotators as estimates, with one convention for the items only one of them labelled."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from agreement.counts import count_vectors, pair_counts
from agreement.estimate import Estimate
from agreement.estimates import estimate_many, estimate_pair
from agreement.patterns import Patterns


def estimate_two(patterns: Patterns, *, positive: ArrayLike | None = None, **options: Any) -> dict[str, Estimate]:
    """Every coefficient of two annotators by name: those of `estimate_many` and those of `estimate_pair`.

    patterns: of two annotators. positive: as in `estimate_pair`. options: what both take (seed, resamples, ...).

    What only two annotators have (Cohen's kappa, Scott's pi and their kin) is of the items both labelled. All other
    figures are those of `estimate_many`: category shares come from every rated item (Gwet 2014), so that a third
    annotator without a label changes none of them. With clusters whole clusters are drawn, and what only
    `estimate_pair` has, the prevalence and bias index, keeps its value without an interval.
    """
    many = estimate_many(*count_vectors(patterns), patterns=patterns, **options)
    pair = estimate_pair(pair_counts(patterns, 0, 1), positive=positive, **options)
    only_pair = {name: estimate for name, estimate in pair.items() if name not in many}
    if patterns.clusters is not None:
        why = "none: items of one cluster are not independent"
        only_pair = {name: replace(e, lower=None, upper=None, interval=why) for name, e in only_pair.items()}
    return many | only_pair
