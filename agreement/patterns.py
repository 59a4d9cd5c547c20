"""Who said what, as distinct patterns with how many items have each: the counts everything else is made from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agreement.inputs import refuse

# Codes below zero in `Patterns.codes`: why there is no category. "Missing" has this one meaning everywhere.
NOT_ASSIGNED = -1  # the annotator was never asked about this item
MISSING = -2  # asked, no answer
ABSTAINED = -3  # asked, answered "cannot judge" with a declared reason
OTHER_VERSION = -4  # answered about another version of the item


@dataclass(frozen=True)
class Patterns:
    """The answers of one slice, item by item, counted by distinct pattern.

    annotators: M ids, in the order of the columns of `codes`.
    categories: C declared values in their declared order, used or not.
    codes: int array, shape (U, M). 0..C-1 is a category; the constants above say why there is none.
    multiplicity: int64 array, shape (U,). How many items have that pattern.
    clusters: int64 array, shape (U,), or None. Which cluster a pattern's items lie in (a pattern stands once
        per cluster it occurs in).
    cells: int64 array, shape (U,), or None. Which cell of the pool, as a number, likewise.

    Rows are distinct and sorted, so draws over them do not depend on the order of the items.
    """

    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    codes: NDArray[np.int64]
    multiplicity: NDArray[np.int64]
    clusters: NDArray[np.int64] | None = None
    cells: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        shape = (len(self.multiplicity), len(self.annotators))
        if np.shape(self.codes) != shape:
            refuse("codes", f"has shape {np.shape(self.codes)}; rows of multiplicity and annotators give {shape}")
        for name, values, lowest in (("codes", self.codes, OTHER_VERSION), ("multiplicity", self.multiplicity, 0)):
            if np.asarray(values).dtype.kind not in "iu" or np.min(values, initial=lowest) < lowest:
                refuse(name, f"must be whole numbers from {lowest}")
        if np.max(self.codes, initial=-1) >= len(self.categories):
            refuse("codes", f"must lie below {len(self.categories)}, the number of categories")
        for name, names in (("annotators", self.annotators), ("categories", self.categories)):
            if len(set(names)) < len(names):
                refuse(name, f"name one twice: {', '.join(map(str, names))}")
