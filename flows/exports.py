"""What people ask for after a round was measured: who disagreed where, what is confused with what, what to decide.

Every one of these shows more than one person's answers to an item, so none is made before the round is measured.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import combinations
from pathlib import Path

from agreement.errors import ConfigError
from flows.contested import contested_items, decided_items
from flows.export_files import Sheet
from flows.register import registered_study
from flows.storage.order import require
from flows.storage.project import Project
from flows.storage.state import RoundState
from flows.storage.store import Connection, rows
from flows.storage.unchanged import require_unchanged
from schemas.study import Study


def disagreements(project: Project, round_id: str, study_id: str | None = None) -> Sheet:
    """One row a contested item, one column an annotator, with the reasons of those who abstained.

    Contested: at least two different labels among the assigned annotators' own. Sorted by item.
    """
    study, round_state = _measured(project, round_id, study_id)
    people = study.annotator_ids()
    with project.reading() as con:
        require_unchanged(project, con, round_state)
        contested = contested_items(con, study, round_state)
        said = _said(con)
    columns = ("item_id", "item_version", "slice", "cell", "guideline_version", *people, "abstentions")
    found = []
    for item in contested:
        each = {who: said.get((item.item_id, who), ("", "")) for who in people}
        reasons = "; ".join(f"{who}: {reason}" for who, (_, reason) in each.items() if reason)
        labels = (label for label, _ in each.values())
        about = (item.item_id, item.item_version, item.slice, item.cell, round_state.guideline_version)
        found.append((*about, *labels, reasons))
    return Sheet(columns, tuple(found))


def confused_pairs(project: Project, round_id: str, study_id: str | None = None) -> Sheet:
    """How often each two labels were given to one item, over all pairs of answers, per slice; frequent ones first."""
    study, round_state = _measured(project, round_id, study_id)
    with project.reading() as con:
        require_unchanged(project, con, round_state)
        contested = contested_items(con, study, round_state)
    counts: Counter[tuple[str, str, str]] = Counter()
    for item in contested:
        for a, b in combinations(item.labels, 2):
            if a != b:
                counts[item.slice, min(a, b), max(a, b)] += 1
    ordered = sorted(counts.items(), key=lambda entry: (entry[0][0], -entry[1], entry[0]))
    return Sheet(("slice", "label", "other_label", "n"), tuple((*pair, str(n)) for pair, n in ordered))


def adjudication_queue(project: Project, round_id: str, study_id: str | None = None) -> Sheet:
    """Contested items without a decision, with the columns `adjudicate` reads left to fill in.

    Blind: no label of anybody, no slice, and in an order that says nothing (that of a hash).
    """
    study, round_state = _measured(project, round_id, study_id)
    with project.reading() as con:
        require_unchanged(project, con, round_state)
        contested = contested_items(con, study, round_state)
        decided = decided_items(con, round_state)
    open_items = [item for item in contested if item.item_id not in decided]
    key = f"{round_state.study_id}\0{round_state.round_id}\0"
    open_items.sort(key=lambda item: hashlib.sha256((key + item.item_id).encode()).digest())
    return Sheet(
        ("item_id", "label", "adjudicator_id", "reason"), tuple((item.item_id, "", "", "") for item in open_items)
    )


def released_labels(folder: Path) -> Sheet:
    """The labels of a published release, as its Parquet file holds them. ConfigError if there is none in the folder."""
    import pyarrow.parquet as pq

    path = folder / "labels.parquet"
    if not path.is_file():
        raise ConfigError(
            f"{folder.name}: not a release", next_step="Name a folder below releases/.", code="not-a-release"
        )
    table = pq.read_table(path)
    cells = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return Sheet(
        tuple(table.column_names), tuple(tuple("" if cell is None else str(cell) for cell in row) for row in cells)
    )


def _measured(project: Project, round_id: str, study_id: str | None) -> tuple[Study, RoundState]:
    state = project.state()
    round_state = state.round(round_id, study_id)
    require("adjudicate", round_state)
    return registered_study(project.objects, state, round_state), round_state


def _said(con: Connection) -> dict[tuple[str, str], tuple[str, str]]:
    """(item, annotator) to (label, reason for abstaining), of the answers that count."""
    found = rows(con, "select item_id, annotator_id, label, abstain_reason from answer")
    return {(item, who): (label, reason) for item, who, label, reason in found}
