"""What may be a sign that labels are not independent: what we saw, never what was proved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flows.counts import SliceCounts
from flows.record.alike_signs import alike_signs
from flows.storage.ledger import Event
from schemas.study import Study


def suspicions(study: Study, slices: Sequence[SliceCounts], submissions: Sequence[Event]) -> Iterator[str]:
    """A sentence for each sign, over all slices of a round together."""
    labelled = {person.annotator_id for part in slices for person in part.annotators if sum(person.labels.values())}
    if len(labelled) == 1 and study.passes > 1:
        yield f"{study.passes} passes were promised, and all labels are {next(iter(labelled))}’s."
    yield from (sentence for _, sentence in alike_signs([part.patterns for part in slices]))
    for event in submissions:
        if event.payload.get("copied"):
            yield f"{event.payload['file_name']} looks copied from another submission (see its notes)."
