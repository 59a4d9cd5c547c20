"""At which number of flags among the missing labels would a verdict change?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from agreement.flag_statistics import FlagStatistic, exact_value
from agreement.flags import Flags


@dataclass(frozen=True)
class TippingPoint:
    """The verdict changes if `flags` of the `missing` labels were flags, placed as helps the change most.

    flags: None if no number of flags changes it. 0: it changes even if none of them was one.
    """

    flags: int | None
    missing: int


def tipping_point(
    statistic: FlagStatistic, flags: Flags, passes: Callable[[Flags], bool | None]
) -> TippingPoint | None:
    """Fill every gap, flags first where they count most, and find how many change the verdict.

    passes: the verdict on flags; None is not evaluable. None is returned if nothing is missing.

    Flags are put in one item after the other, in the order of what each does to y - qz at the present ratio q, for as
    long as it helps; the number found is enough, and for items with a single gap the fewest along that order.
    """
    n_missing = flags.n_missing_labels
    if n_missing == 0:
        return None
    now = passes(flags)
    wanted_up = now is not True
    steps = _steps(statistic, flags, 1 if wanted_up else -1)
    n_steps = sum(n_items for _, _, n_items in steps)

    def changed(done: int) -> bool:
        return passes(_filled(flags, steps, done)[0]) is not now

    if changed(0):
        return TippingPoint(0, n_missing)
    if not changed(n_steps):
        return TippingPoint(None, n_missing)
    low, high = 0, n_steps
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if changed(middle) else (middle, high)
    return TippingPoint(_filled(flags, steps, high)[1], n_missing)


Step = tuple[int, int, int]  # kind of item, flags put into each such item, how many such items


def _steps(statistic: FlagStatistic, flags: Flags, side: int) -> list[Step]:
    """Whole items to be filled with flags, best first; only those that help (side 1: to raise, -1: to lower)."""
    q = exact_value(statistic, flags) or Fraction(0)
    q = q / (2 - q) if statistic.form == "specific" else q
    gains: list[tuple[Fraction, Step]] = []
    assigned = flags.n_labels + flags.n_gaps
    for kind in np.flatnonzero((flags.n_gaps > 0) & (flags.multiplicity > 0)).tolist():
        n_gaps = int(flags.n_gaps[kind])
        positive = flags.n_positive[kind] + np.arange(n_gaps + 1)
        y, z = statistic.terms(positive, np.full(n_gaps + 1, assigned[kind]))
        worth = [side * (Fraction(a) - q * b) for a, b in zip(y.tolist(), z.tolist(), strict=True)]
        best = max(range(n_gaps + 1), key=lambda f: (worth[f], -f))
        if best and worth[best] > worth[0]:
            gain = (worth[best] - worth[0]) / best
            gains.append((gain, (kind, best, int(flags.multiplicity[kind]))))
    return [step for _, step in sorted(gains, key=lambda pair: (-pair[0], pair[1]))]


def _filled(flags: Flags, steps: list[Step], done: int) -> tuple[Flags, int]:
    """The flags with every gap filled: `done` items get their flags, all other gaps none; and the flags put in."""
    kinds = np.arange(len(flags.multiplicity))
    added = np.zeros_like(kinds)
    multiplicity = flags.multiplicity.copy()
    rows: list[tuple[int, int, int]] = []
    put = 0
    for kind, per_item, n_items in steps:
        take = min(done, n_items)
        done -= take
        put += take * per_item
        multiplicity[kind] -= take
        rows.append((kind, per_item, take))
    source = np.concatenate([kinds, np.array([row[0] for row in rows], dtype=np.int64)])
    added = np.concatenate([added, np.array([row[1] for row in rows], dtype=np.int64)])
    filled = replace(
        flags,
        n_positive=flags.n_positive[source] + added,
        n_labels=(flags.n_labels + flags.n_gaps)[source],
        n_gaps=np.zeros(len(source), dtype=np.int64),
        multiplicity=np.concatenate([multiplicity, np.array([row[2] for row in rows], dtype=np.int64)]),
        clusters=None if flags.clusters is None else flags.clusters[source],
        cells=None if flags.cells is None else flags.cells[source],
    )
    return filled, put
