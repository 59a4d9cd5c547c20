"""Signs that two annotators did not label independently, from who said what: to be looked at, never proof."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.alike import TELLING, identical, implausibly_alike
from agreement.counts import all_pairs
from agreement.patterns import Patterns

MOST_ANNOTATORS = 100  # beyond, the pairs are too many to compare them all
MOST_CATEGORIES = 200  # beyond, labels are free text: only equal choices are counted

Pair = tuple[str, str]
Sign = tuple[str, str]  # a code and a sentence


def alike_signs(parts: Sequence[Patterns]) -> Iterator[Sign]:
    """A sign for each two annotators that look alike, over all parts of a set of labels together."""
    people = {who for part in parts for who in part.annotators}
    if len(people) > MOST_ANNOTATORS:
        return
    if all(len(part.categories) <= MOST_CATEGORIES for part in parts):
        tables = _tables(parts)
        for (a, b), n_items, telling in identical(tables):
            message = f"{a} and {b} agree on all {n_items:,} shared items, {telling:,} of them not the commonest label."
            yield "identical-labels", message
        for found in implausibly_alike(tables):
            a, b = found.pair
            yield (
                "implausibly-alike",
                f"{a} and {b} are far more alike than any other pair: kappa {found.kappa:.2f} on {found.n_items:,} "
                f"items, no other pair above {found.next_highest:.2f}.",
            )
    for (a, b), n in same_free_choices(parts).items():
        if n >= TELLING:
            yield "same-free-choices", f"{a} and {b} gave {n:,} different answers alike that nobody else gives."


def same_free_choices(parts: Sequence[Patterns]) -> Mapping[Pair, int]:
    """How many labels two people gave to the same items and nobody else ever gives. {} for fewer than three people:
    with two every label is theirs alone."""
    users: dict[str, set[str]] = defaultdict(set)
    for part in parts:
        for who, column in zip(part.annotators, part.codes.T, strict=True):
            for code in np.unique(column[column >= 0]):
                users[part.categories[code]].add(who)
    people = sorted(set().union(*users.values()))
    if len(people) < 3:
        return {}
    found: dict[Pair, int] = {}
    for a, b in combinations(people, 2):
        theirs = {label for label, who in users.items() if who == {a, b}}
        if theirs:
            found[a, b] = len(set().union(*(_given_alike(part, a, b) for part in parts)) & theirs)
    return found


def _given_alike(part: Patterns, a: str, b: str) -> set[str]:
    """The labels that both gave to one and the same item."""
    if not {a, b} <= set(part.annotators):
        return set()
    first, second = (part.codes[:, part.annotators.index(who)] for who in (a, b))
    return {part.categories[k] for k in np.unique(first[(first == second) & (first >= 0)])}


def _tables(parts: Sequence[Patterns]) -> dict[Pair, NDArray[Any]]:
    tables: dict[Pair, NDArray[Any]] = {}
    for part in parts:
        for pair in all_pairs(part):
            who = (pair.first, pair.second)
            tables[who] = tables[who] + pair.pair_counts if who in tables else pair.pair_counts
    return tables
