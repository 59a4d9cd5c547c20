"""How many of an item's labels are positive, and how many are missing: all that specific agreement needs to know."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.inputs import check_whole, positive_of, refuse
from agreement.patterns import MISSING, Patterns

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Flags:
    """Items of one slice by what was said about them, one category (or set of categories) against the rest.

    n_positive, n_labels, n_gaps: shape (U,). Positive labels, labels, and assigned labels that gave no category
        (missing, abstained, of another item version), of an item of this kind.
    multiplicity: shape (U,). How many items are of this kind.
    clusters, cells: shape (U,) or None, as in `Patterns`.

    An item is *paired* if it has two labels or more; only paired items enter an agreement figure.
    """

    n_positive: Counts
    n_labels: Counts
    n_gaps: Counts
    multiplicity: Counts
    clusters: Counts | None = None
    cells: Counts | None = None

    def __post_init__(self) -> None:
        for name in ("n_positive", "n_labels", "n_gaps", "multiplicity"):
            values = getattr(self, name)
            if np.shape(values) != np.shape(self.multiplicity) or np.ndim(values) != 1:
                refuse(name, f"has shape {np.shape(values)}; all counts of flags are of one shape (U,)")
            if values.dtype.kind not in "iu" or np.min(values, initial=0) < 0:
                refuse(name, "must be whole numbers from 0")
        if (self.n_positive > self.n_labels).any():
            refuse("n_positive", "must not exceed n_labels")

    @property
    def paired(self) -> NDArray[np.bool_]:
        return self.n_labels >= 2

    @property
    def n_items(self) -> int:
        return int(self.multiplicity.sum())

    @property
    def n_missing_labels(self) -> int:
        return int((self.n_gaps * self.multiplicity).sum())

    def count(self, where: NDArray[np.bool_]) -> int:
        """Items of the kinds chosen by a mask of shape (U,)."""
        return int(self.multiplicity[where].sum())

    @property
    def paired_items(self) -> int:
        return self.count(self.paired)

    @property
    def union_positives(self) -> int:
        """Paired items flagged by at least one annotator."""
        return self.count(self.paired & (self.n_positive > 0))

    @property
    def joint_positives(self) -> int:
        """Paired items flagged by everyone who labelled them."""
        return self.count(self.paired & (self.n_positive == self.n_labels))


def flags_of(patterns: Patterns, positive: ArrayLike, by_cell: bool = False) -> Flags:
    """The flags of a slice.

    positive: bool, shape (C,). Which categories count as positive; several are collapsed into one.
    by_cell: keep items of different cells apart (needed only where cells have weights of their own).
    """
    codes = patterns.codes
    labelled = codes >= 0
    is_positive = positive_of(positive, len(patterns.categories))
    flagged = labelled & is_positive[np.where(labelled, codes, 0)]
    columns = [flagged.sum(axis=1), labelled.sum(axis=1), (codes <= MISSING).sum(axis=1)]
    clusters, cells = patterns.clusters, patterns.cells if by_cell else None
    columns += [extra for extra in (clusters, cells) if extra is not None]
    rows = np.stack([np.asarray(column, dtype=np.int64) for column in columns], axis=1)
    kinds, which = np.unique(rows, axis=0, return_inverse=True)
    multiplicity = np.zeros(len(kinds), dtype=np.int64)
    np.add.at(multiplicity, which.ravel(), patterns.multiplicity)
    return Flags(
        n_positive=kinds[:, 0],
        n_labels=kinds[:, 1],
        n_gaps=kinds[:, 2],
        multiplicity=multiplicity,
        clusters=kinds[:, 3] if clusters is not None else None,
        cells=kinds[:, -1] if cells is not None else None,
    )


def two_annotator_flags(both: int, first_only: int, second_only: int, neither: int) -> Flags:
    """The flags of a two by two table."""
    for name, count in (("both", both), ("first_only", first_only), ("second_only", second_only), ("neither", neither)):
        check_whole(name, count)
    return Flags(
        n_positive=np.array([0, 1, 2]),
        n_labels=np.full(3, 2),
        n_gaps=np.zeros(3, dtype=np.int64),
        multiplicity=np.array([neither, first_only + second_only, both]),
    )
