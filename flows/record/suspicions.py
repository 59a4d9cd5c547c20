"""What may be a sign that labels are not independent: what we saw, never what was proved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from agreement.alike import identical, implausibly_alike
from agreement.counts import all_pairs
from flows.counts import SliceCounts
from flows.storage.ledger import Event
from schemas.study import Study


def suspicions(study: Study, slices: Sequence[SliceCounts], submissions: Sequence[Event]) -> Iterator[str]:
    """A sentence for each sign, over all slices of a round together."""
    tables: dict[tuple[str, str], Any] = {}
    for part in slices:
        for pair in all_pairs(part.patterns):
            who = (pair.first, pair.second)
            tables[who] = tables.get(who, 0) + pair.pair_counts
    labelled = {person.annotator_id for part in slices for person in part.annotators if sum(person.labels.values())}
    if len(labelled) == 1 and study.passes > 1:
        yield f"{study.passes} passes were promised, and all labels are {next(iter(labelled))}’s."
    same = list(identical(tables))
    for (a, b), n_items, telling in same:
        yield f"{a} and {b} agree on all {n_items:,} shared items, {telling:,} of them not the commonest label."
    for found in implausibly_alike(tables):
        a, b = found.pair
        yield (
            f"{a} and {b} are far more alike than any other pair: kappa {found.kappa:.2f} on {found.n_items:,} items, "
            f"no other pair above {found.next_highest:.2f}."
        )
    for event in submissions:
        if event.payload.get("copied"):
            yield f"{event.payload['file_name']} looks copied from another submission (see its notes)."
