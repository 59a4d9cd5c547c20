"""Honouring a deletion request: bytes go, a stub stays, an event tells every reader to skip the rows.

A stub lies beside where the object was, `<digest>.redacted`: digest and size of what is gone, and the digest of the
object that stands for it now ("" if none). Rebuilding, measuring and verifying follow stubs, so no path reads removed
rows. The ledger line is written first; what a stopped command left to do is done by the next one.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from flows.storage.ledger import Event, require_shape
from flows.storage.objects import Objects, sync_folder
from flows.storage.published import inside


def enforce(root: Path, objects: Objects, events: Iterable[Event]) -> None:
    """Remove what the ledger says is removed, if it is still there. Only under the project lock.

    Names are looked at once more here, where bytes go: nothing but objects and releases of this very folder.
    """
    for event in events:
        if event.type == "redacted":
            require_shape(event)
            folders = [inside(root, folder) for folder in event.payload["releases"]]
            inside(root, objects.folder.name)
            for digest, size, replaced_by in event.payload["objects"]:
                _remove(objects, digest, size, replaced_by)
            for folder in folders:
                shutil.rmtree(folder, ignore_errors=True)


def _remove(objects: Objects, digest: str, size: int, replaced_by: str) -> None:
    stub = objects.stub_path(digest)
    if not stub.exists():
        temporary = objects.incoming()
        record = {"digest": digest, "size": size, "replaced_by": replaced_by}
        temporary.write_text(json.dumps(record, sort_keys=True) + "\n", encoding="ascii")
        temporary.replace(stub)
        sync_folder(objects.folder)
    if objects.path(digest).exists():
        objects.path(digest).unlink()
        sync_folder(objects.folder)


def redacted_objects(events: Iterable[Event]) -> dict[str, tuple[int, str]]:
    """Digest -> (size, what stands for it now) of every object removed."""
    return {
        digest: (size, replaced_by)
        for event in events
        if event.type == "redacted"
        for digest, size, replaced_by in event.payload["objects"]
    }


def last_redaction(events: Iterable[Event]) -> int:
    """The last removal's sequence number; 0 if there was none. A database older than that is made anew."""
    return max((event.seq for event in events if event.type == "redacted"), default=0)


def drop_database(database: Path) -> None:
    """Delete the database and whatever lies beside it: they may hold removed rows, and are made anew."""
    for path in sorted(database.parent.glob(f"{database.name}*")):
        path.unlink()
