"""Are labels whose partner said nothing positive more often? Then what is missing is not missing by chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from agreement.inputs import positive_of
from agreement.patterns import ABSTAINED, MISSING, NOT_ASSIGNED, Patterns


@dataclass(frozen=True)
class PartnerTest:
    """Labels by whether a partner gave no category, and how many of each are positive.

    p_value: Fisher's exact test, one-sided: labels without their partner are positive more often. None where one of the
        two groups is empty, or all labels are alike.
    """

    alone_positive: int
    alone_labels: int
    together_positive: int
    together_labels: int
    p_value: float | None


def partner_test(patterns: Patterns, positive: ArrayLike) -> PartnerTest:
    """Labels of items where an assigned partner is missing or abstained, against labels where every partner answered.

    positive: bool, shape (C,). Items with a single assigned annotator are left out; a label of another item version
    counts as a partner that answered.

    Source: Fisher 1934, Statistical Methods for Research Workers, section 21.02.
    """
    labelled = patterns.codes >= 0
    # The last entry answers for the codes below zero.
    mask = np.append(positive_of(positive, len(patterns.categories)), False)
    flagged = mask[np.where(labelled, patterns.codes, -1)]
    partner_silent = np.asarray(np.isin(patterns.codes, (MISSING, ABSTAINED)).any(axis=1))
    several = np.asarray((patterns.codes != NOT_ASSIGNED).sum(axis=1) >= 2)

    def total(cells: np.ndarray, where: np.ndarray) -> int:
        return int((cells.sum(axis=1) * patterns.multiplicity)[where & several].sum())

    alone = total(flagged, partner_silent), total(labelled, partner_silent)
    together = total(flagged, ~partner_silent), total(labelled, ~partner_silent)
    return PartnerTest(*alone, *together, p_value=_fisher_greater(alone, together))


def _fisher_greater(alone: tuple[int, int], together: tuple[int, int]) -> float | None:
    (a, n), (b, m) = alone, together
    if n == 0 or m == 0 or a + b in (0, n + m):
        return None
    from scipy.stats import hypergeom  # scipy costs a second to import and only this needs it

    return float(hypergeom.sf(a - 1, n + m, a + b, n))
