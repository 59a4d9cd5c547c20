"""One guideline version against the one before, in words: agreement on flags, with the interval of the difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from agreement.counts import count_vectors
from agreement.exact import Array
from agreement.patterns import Patterns
from agreement.resample import Resampled, bootstrap, difference, interval
from agreement.rounding import ceil_text, display, floor_text
from agreement.specific import positive_specific_agreement
from flows.record.settings import Settings


def difference_sentences(
    before: Mapping[str, Patterns],
    after: Mapping[str, Patterns],
    names: tuple[str, str],
    positive: tuple[bool, ...],
    settings: Settings,
) -> Iterator[str]:
    """A sentence per slice both rounds have. names: the two rounds. The rounds' items are taken as different ones."""
    if not any(positive):
        return
    for name in after:
        if name in before and before[name].categories == after[name].categories:
            yield _sentence(name, before[name], after[name], names, np.array(positive), settings)


def _sentence(
    name: str,
    before: Patterns,
    after: Patterns,
    names: tuple[str, str],
    positive: NDArray[np.bool_],
    settings: Settings,
) -> str:
    old, new = (
        _resampled(part, positive, settings, settings.seed_of(name, which))
        for part, which in zip((before, after), names, strict=True)
    )
    start = f"{name}: positive specific agreement in {names[1]} against {names[0]}"
    moved = difference(new, old, paired=False)
    if np.isnan(moved.value):
        return f"{start}: undefined, as one of the two has no flags."
    size = display(floor_text(abs(moved.value)))
    words = f"{size} {'more' if moved.value >= 0 else 'less'}"
    found = interval(moved, settings.level)
    if found.lower is None or found.upper is None:
        return f"{start}: {words}. Other items; seen, not shown to be caused by the guideline."
    low, high = display(floor_text(found.lower)), display(ceil_text(found.upper))
    return f"{start}: {words} [{low} to {high}]. Other items; seen, not shown to be caused by the guideline."


def _resampled(patterns: Patterns, positive: NDArray[np.bool_], settings: Settings, seed: tuple[int, int]) -> Resampled:
    vectors, multiplicity = count_vectors(patterns)

    def statistics(times: Array) -> dict[str, Array]:
        return {"psa": np.asarray(positive_specific_agreement(vectors, positive, times))}

    return bootstrap(statistics, multiplicity, resamples=settings.resamples, seed=seed)["psa"]
