"""What differs between two releases of a study, and between two states of a project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from agreement.errors import ConfigError, Problem
from flows.amend import differences, plain
from flows.exports import released_labels
from flows.register import frozen_study
from flows.releases.unchanged import require_as_published
from flows.storage import replay, store
from flows.storage.digests import COLUMNS
from flows.storage.follows import followed
from flows.storage.ledger import Event
from flows.storage.project import Project
from flows.storage.state import State
from schemas.names import shown

Stored = Counter[tuple[str, tuple[Any, ...]]]  # table and row -> how often it is stored


@dataclass(frozen=True)
class ChangedLabel:
    item_id: str
    before: str
    after: str
    why: str


@dataclass(frozen=True)
class ReleaseDiff:
    """Two releases compared, item by item. removed: item and, where it is known, why."""

    added: tuple[str, ...]
    removed: tuple[tuple[str, str], ...]
    changed: tuple[ChangedLabel, ...]
    same: int

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class ChangedRow:
    """A stored row that one of two states has more often. change: added or removed."""

    table: str
    change: str
    row: dict[str, Any]


@dataclass(frozen=True)
class StateDiff:
    """Two states of one project compared. labels: answers that count and are there in one only, or differ.

    rows: whatever else was stored too: items, assignments, rows set aside or late, decisions. rows_before, rows_after:
    stored rows of labels. rules: changes of registered study files, a line each.
    """

    events: tuple[str, ...]
    rows_before: int
    rows_after: int
    rows: tuple[ChangedRow, ...]
    labels: tuple[ChangedLabel, ...]
    rules: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def diff_releases(project: Project, study_id: str, first: str, second: str) -> ReleaseDiff:
    """Which items release `second` has that `first` has not, which it lost, and which labels changed and why."""
    state = project.state()
    before, after = (_labels(project, state, study_id, version) for version in (first, second))
    gone = {event.payload["target"]: event.payload["reason"] for event in state.redacted}
    changed = [
        ChangedLabel(item, before[item]["label"], after[item]["label"], _why(before[item], after[item]))
        for item in sorted(before.keys() & after.keys())
        if before[item]["label"] != after[item]["label"]
    ]
    return ReleaseDiff(
        added=tuple(sorted(after.keys() - before.keys())),
        removed=tuple(
            (item, f"removed on request: {gone[item]}" if item in gone else "not released any more")
            for item in sorted(before.keys() - after.keys())
        ),
        changed=tuple(changed),
        same=len(before.keys() & after.keys()) - len(changed),
    )


def diff_states(project: Project, study_id: str, first: int, second: int) -> StateDiff:
    """What came between event `first` and event `second` of the ledger to one study: events, rows, labels, rules.

    Events of no study, or of several, are named too.
    """
    project.state(first), project.state(second)  # both must exist
    project.state(max(first, second)).study(study_id)
    events = project.events()
    (stored_before, before), (stored_after, after) = (_contents(project, study_id, events[:n]) for n in (first, second))
    labels = [
        ChangedLabel("/".join(key), before.get(key, ""), after.get(key, ""), "")
        for key in sorted(before.keys() | after.keys())
        if before.get(key) != after.get(key)
    ]
    low, high = sorted((first, second))
    return StateDiff(
        events=tuple(f"{event.seq} {event.type}" for event in events[low:high] if _concerns(event, study_id)),
        rows_before=_n_labels(stored_before),
        rows_after=_n_labels(stored_after),
        rows=(*_rows("removed", stored_before - stored_after), *_rows("added", stored_after - stored_before)),
        labels=tuple(labels),
        rules=tuple(_rules(project, study_id, followed(events[:first]), followed(events[:second]))),
    )


def _concerns(event: Event, study_id: str) -> bool:
    rounds = event.payload.get("rounds", []) if "study_id" not in event.payload else []
    return event.payload.get("study_id", study_id) == study_id and (
        not rounds or any(of == study_id for of, *_ in rounds)
    )


def _labels(project: Project, state: State, study_id: str, version: str) -> dict[str, dict[str, str]]:
    releases = {event.payload["version"]: event for event in state.study(study_id).releases}
    if version not in releases:
        raise ConfigError(
            f"diff: {study_id} has no release {shown(version)}",
            [Problem("unknown-release", "no such release", f"Known: {', '.join(releases)}.", value=shown(version))],
        )
    folder = project.root / releases[version].payload["folder"]
    if not folder.is_dir():
        raise ConfigError(
            f"diff: the labels of release {version} are not there any more",
            [Problem("release-removed", "the release was withdrawn and its labels were removed")],
            next_step="Compare with a release that is still there: `goldgate history` lists them.",
        )
    require_as_published(project, releases[version])  # a changed folder would make up differences
    return {row["item_id"]: row for row in released_labels(folder).records()}


def _why(before: dict[str, str], after: dict[str, str]) -> str:
    parts = [
        f"{name.replace('_', ' ')} {before[name]}, now {after[name]}"
        for name in ("how", "item_version", "round_id", "guideline_version")
        if before[name] != after[name]
    ]
    return "; ".join(parts) or f"{after['how']} both times: decided again"


def _contents(project: Project, study_id: str, events: list[Event]) -> tuple[Stored, dict[tuple[str, ...], str]]:
    """A study's rows, and the answer that counts per round, item and annotator, after these events."""
    with store.memory_store(project.objects.folder) as con:
        store.create_tables(con)
        with store.tx(con):
            for event in events:
                replay.apply(con, event, project.objects)
        stored = Counter(
            (table, row)
            for table, names in COLUMNS.items()
            for row in store.rows(con, f"select {names} from {table} where study_id = ?", [study_id])
        )
        found = store.rows(
            con,
            """select study_id, round_id, item_id, annotator_id,
                 case status when 'labelled' then "label" else status end
               from raw_label where study_id = ? and set_aside = '' and origin = 'own' and not late
               qualify row_number() over (partition by study_id, round_id, item_id, annotator_id
                                          order by ingest_seq desc, occurrence) = 1
               order by all""",
            [study_id],
        )
    return stored, {(study, name, item, who): answer for study, name, item, who, answer in found}


def _n_labels(stored: Stored) -> int:
    return sum(n for (table, _), n in stored.items() if table == "raw_label")


def _rows(change: str, stored: Stored) -> Iterator[ChangedRow]:
    for (table, row), n in sorted(stored.items()):
        names = COLUMNS[table].split(", ")
        yield from [ChangedRow(table, change, dict(zip(names, row, strict=True)))] * n


def _rules(project: Project, study_id: str, before: State, after: State) -> Iterator[str]:
    old, new = (_study_files(state, study_id) for state in (before, after))
    for key in sorted(old.keys() | new.keys()):
        name = f"{key[0]}, guideline {key[1]}"
        if key not in old or key not in new:
            yield f"{name}: {'registered' if key in new else 'not registered'}"
        elif old[key] != new[key]:
            studies = [plain(frozen_study(project.objects, {"study_file": d})) for d in (old[key], new[key])]
            yield from (f"{name}: {line}" for line in differences("", *studies))


def _study_files(state: State, study_id: str) -> dict[tuple[str, str], str]:
    """Digest of the study file that stands, by study and guideline version."""
    found = {}
    for study in [state.studies[study_id]] if study_id in state.studies else []:
        for event in (*study.registrations.values(), *study.amendments):
            found[study.study_id, event.payload["guideline_version"]] = str(event.payload["study_file"])
    return found
