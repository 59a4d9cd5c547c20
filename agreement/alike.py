"""Pairs of annotators who agree more than anybody else does: honest work can look so too, so somebody should look."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.kappa import cohen_kappa
from agreement.standard_error import cohen_kappa_standard_error

HUNDREDS = 200  # shared items from which a kappa far above all others is worth a look
FAR = 0.2  # and how far above, besides four standard errors
TELLING = 5  # so many equal labels other than the commonest make two annotators' labels look copied

Pair = tuple[str, str]
Tables = Mapping[Pair, NDArray[Any]]


@dataclass(frozen=True)
class AlikePair:
    """A pair far more alike than all others. next_highest: kappa of the next pair, on n_items shared items."""

    pair: Pair
    kappa: float
    next_highest: float
    n_items: int


def implausibly_alike(pair_counts: Tables) -> Iterator[AlikePair]:
    """Pairs whose kappa lies far above that of every other pair, on hundreds of items.

    pair_counts: per pair, shape (C, C). Needs at least three pairs with a kappa; nothing otherwise.
    """
    found = {}
    for pair, table in pair_counts.items():
        if table.sum() >= HUNDREDS:
            kappa, error = float(cohen_kappa(table)), float(cohen_kappa_standard_error(table))
            if not (math.isnan(kappa) or math.isnan(error)):
                found[pair] = (kappa, error, int(table.sum()))
    for pair, (kappa, error, n_items) in found.items():
        others = [other[0] for who, other in found.items() if who != pair]
        if len(others) >= 2 and kappa - max(others) > max(FAR, 4 * error):
            yield AlikePair(pair, kappa, max(others), n_items)


def identical(pair_counts: Tables) -> Iterator[tuple[Pair, int, int]]:
    """Pairs with the same label on every shared item: the pair, its items, and how many labels are telling.

    Telling are those other than the commonest, at least TELLING of them: all-negative labels are alike honestly.
    """
    for pair, table in pair_counts.items():
        agreed = np.diagonal(table)
        n_items, telling = int(table.sum()), int(agreed.sum() - agreed.max(initial=0))
        if agreed.sum() == n_items and telling >= TELLING:
            yield pair, n_items, telling
