"""Is what a ledger says of each registration what the registered bytes say?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agreement.errors import Problem
from flows.register import frozen_study, guideline_digest
from flows.storage.ledger import Event
from flows.storage.objects import Objects

REGISTERING = ("study.registered", "study.amended")


def registrations_as_frozen(objects: Objects, events: Sequence[Event]) -> Iterator[Problem]:
    """Study, guideline version and guideline text of each event are those of the files it names."""
    for event in events:
        if event.type in REGISTERING:
            payload = event.payload
            study = frozen_study(objects, payload)
            frozen = {
                "study_id": study.study,
                "guideline_version": study.guideline.version,
                "guideline_digest": guideline_digest(objects.read(payload["guideline"])),
            }
            wrong = [key.replace("_", " ") for key, value in frozen.items() if payload[key] != value]
            if wrong:
                message = f"event {event.seq} ({event.type}): {', '.join(wrong)} is not what the registered files give"
                yield Problem("registration-differs", message, "Compare the ledger with a backup.")
