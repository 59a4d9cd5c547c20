"""Before anything is said of a published release: is its folder what was published?"""

from __future__ import annotations

from agreement.errors import IntegrityError, Problem
from flows.releases import release_check
from flows.storage.ledger import Event
from flows.storage.project import Project


def require_as_published(project: Project, released: Event) -> None:
    """IntegrityError, naming what differs, if the folder of a release is not what it was."""
    folder = project.root / released.payload["folder"]
    lines = release_check.differences(folder, released.payload["release_id"])
    if lines:
        raise IntegrityError(
            f"release {released.payload['version']} is not what was published",
            [Problem("release-changed", line, file=folder.name) for line in lines],
            next_step="Restore the folder from a copy. A version is never published twice.",
        )
