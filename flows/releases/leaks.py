"""What must not leave with a release: items somebody trains on, and columns nobody may see. Lists are registered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from agreement.errors import OutOfOrder, Problem
from flows.reading.intake import take_in
from flows.reading.tables import Table, read_table
from flows.redaction import redacted_objects
from flows.releases.reference_set import ReferenceSet
from flows.storage.ledger import Event
from flows.storage.project import Change
from flows.storage.state import State
from flows.storage.store import rows
from schemas.names import look_alike, shown
from schemas.study import Study

LISTED = 1000
# A list names items by id, or by their text where the frame keeps a `text` column.
COLUMNS = ("item_id", "text")


def freeze_training_lists(change: Change, study: Study, folder: Path) -> list[list[str]]:
    """The declared lists as objects: name and digest of each. InputRefused for one that cannot be read."""
    frozen = []
    for name in study.release.training_lists:
        intake = take_in(folder / name, change.objects)
        table = read_table(intake, change.con)
        if not any(table.has(column) for column in COLUMNS):
            from flows.reading.findings import Findings

            found = Findings(table.file)
            found.add("missing-column", "no column item_id or text", line=1, column="item_id")
            raise found.refusal()
        frozen.append([name, intake.digest])
    return frozen


def require_no_overlap(change: Change, study: Study, registration: Event, reference: ReferenceSet) -> None:
    """OutOfOrder, naming every item, if the release would hold an item of a declared training list that is still there.

    Compared exactly and as a reader would compare: case, width, spaces and dashes aside.
    """
    problems: list[Problem] = []
    ids = {look_alike(row["item_id"]): row["item_id"] for row in reference.rows}
    texts = _texts(change, reference)
    gone = removed_lists(change.state, registration)
    for name, digest in registration.payload.get("training_lists", []):
        if name in gone:
            continue
        change.objects.read(digest)  # IntegrityError if it is not what was registered
        table = read_table(take_in(change.objects.path(digest), change.objects), change.con)
        problems += _overlap(change, table, "item_id", ids, name)
        problems += _overlap(change, table, "text", texts, name)
    if problems:
        raise OutOfOrder(
            f"release {study.study}: {len(problems)} items are in a training list",
            problems[:LISTED],
            next_step="Take them out of the training data, or label other items; a list is declared in the study file.",
        )


def removed_lists(state: State, registration: Event) -> list[str]:
    """Declared training lists that were removed on request: none can be compared with, and releases say so."""
    gone = redacted_objects(state.redacted)
    return [name for name, digest in registration.payload.get("training_lists", []) if digest in gone]


def canary(study_id: str, version: str, project_id: str) -> str:
    """A line nobody would write by chance: found in a corpus, it shows that this release was trained on."""
    digest = sha256(f"{project_id}\x00{study_id}\x00{version}".encode()).hexdigest()[:32]
    return f"Reference data, not for training. Canary {digest}."


def _overlap(change: Change, table: Table, column: str, known: dict[str, str], name: str) -> Iterator[Problem]:
    if not known or not table.has(column):
        return
    query = f"select rowid, {table.sql(column)} from {table.relation} order by rowid"
    for row, text in rows(change.con, query):
        item = known.get(look_alike(text.strip()))
        if item is not None:
            message = "also an item of a training list"
            yield Problem("trained-on", message, "", name, table.line_of(row), column, shown(item))


def _texts(change: Change, reference: ReferenceSet) -> dict[str, str]:
    """Normalised text -> item, for frames that keep the text of their items."""
    released = {row["item_id"] for row in reference.rows}
    found: dict[str, str] = {}
    for path in _frames_with_text(change):
        for item, text in rows(change.con, 'select item_id, "meta:text" from read_parquet(?)', [str(path)]):
            if item in released and text:
                found[look_alike(text.strip())] = item
    return found


def _frames_with_text(change: Change) -> Iterable[Path]:
    for round_state in change.state.rounds.values():
        path = change.objects.standing(round_state.opened.payload["frame"])
        if path is not None and "text" in round_state.opened.payload["metadata"]:
            yield path
