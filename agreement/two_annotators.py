"""All coefficients of two annotators as estimates, with one convention for the items only one of them labelled."""

from __future__ import annotations

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
    annotator without a label changes none of them. Whole clusters are drawn as `estimate_many` does, and the
    prevalence and bias index, which it has not, are then left out.
    """
    vectors, times = count_vectors(patterns)
    many = estimate_many(vectors, times, patterns=patterns, **options)
    if patterns.clusters is not None:
        return many
    pair = estimate_pair(pair_counts(patterns, 0, 1), positive=positive, **options)
    # Without gaps both are the same figures from the same draws; `estimate_pair` draws however many patterns there are.
    gaps = (vectors.sum(axis=1) == 1).any()
    return {**many, **pair, **many} if gaps else {**many, **pair}
