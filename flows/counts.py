"""From stored labels to counts: the questions asked of the database when a round is measured.

Everything comes back as integers in a fixed order, so it does not depend on threads, row order or machine. Only raw
labels are read here; adjudications live in another table and cannot reach a figure.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from agreement.patterns import ABSTAINED, MISSING, NOT_ASSIGNED, OTHER_VERSION, Patterns
from flows.storage.state import RoundState
from flows.storage.store import Connection, rows
from schemas.study import Study

# An answer is packed with its annotator's number into one integer: number * WIDTH + answer + SHIFT.
WIDTH, SHIFT = 1_000_000, 10

# Which row counts when one person labelled one item version more than once in a submission, by registered rule.
_COUNTED_ROW = {
    "refuse": "min(occurrence)",
    "first": "min(occurrence)",
    "last": "max(occurrence)",
    "drop-conflicting": "case when count(distinct status || chr(31) || label) > 1 then 0 else min(occurrence) end",
}


@dataclass(frozen=True)
class AnnotatorCounts:
    """One annotator's labels in one slice, as the frozen assignments expect them.

    labels: per declared category. statuses: per status other than labelled and abstained, plus `no_row`.
    """

    annotator_id: str
    assigned: int
    labels: dict[str, int]
    abstain_reasons: dict[str, int]
    statuses: dict[str, int]
    other_version: int


@dataclass(frozen=True)
class SliceCounts:
    """All counts of one slice of a round."""

    name: str
    patterns: Patterns
    annotators: tuple[AnnotatorCounts, ...]


@dataclass(frozen=True)
class RoundCounts:
    """All counts of a round: the slices of its frame, in the study's order, and what stands apart."""

    slices: tuple[SliceCounts, ...]
    cells: tuple[str, ...]  # names, by the numbers used in Patterns.cells
    extra: dict[str, int]  # labels on nothing assigned, per annotator
    revisions: dict[str, int]  # rows replaced by a later submission, per annotator
    set_aside: dict[str, int]  # per reason
    duplicates: int  # rows beyond the one that counts
    late: int
    other_rules: dict[str, dict[str, Patterns]]  # what each other duplicate rule would have counted, per slice


def count_round(con: Connection, study: Study, round_state: RoundState) -> RoundCounts:
    """Count a round's labels. Slices, annotators and categories come in the study's order."""
    _resolve(con, study, round_state)
    other_rules = {}
    if _duplicates(con):
        other_rules = _other_rules(con, study, round_state)
        _resolve(con, study, round_state)
    annotators = _annotators(con, study)
    cells = _cells(con)
    return RoundCounts(
        slices=tuple(
            SliceCounts(
                name,
                _patterns(con, study, annotators, cells, name),
                _annotator_counts(con, study, annotators, name),
            )
            for name in _slices(con, study)
        ),
        cells=tuple(cells),
        extra=_extra(con),
        revisions=_revisions(con, round_state),
        set_aside=_set_aside(con, round_state),
        duplicates=_duplicates(con),
        late=_late(con, round_state),
        other_rules=other_rules,
    )


def _other_rules(con: Connection, study: Study, round_state: RoundState) -> dict[str, dict[str, Patterns]]:
    """Patterns under every duplicate rule but the registered one; leaves the last of them resolved."""
    found = {}
    for rule in _COUNTED_ROW:
        if rule not in ("refuse", study.duplicates):
            other = study.model_copy(update={"duplicates": rule})
            _resolve(con, other, round_state)
            annotators = _annotators(con, other)
            cells = _cells(con)
            found[rule] = {name: _patterns(con, other, annotators, cells, name) for name in _slices(con, other)}
    return found


def _cells(con: Connection) -> list[str]:
    return [name for (name,) in rows(con, "select distinct cell from answer order by cell")]


def _resolve(con: Connection, study: Study, round_state: RoundState) -> None:
    """One row per assigned label: what it is, or why there is none. Temporary tables `mine` and `answer`."""
    key = [round_state.study_id, round_state.round_id]
    con.execute(
        """create or replace temp table mine as
             select l.item_id, l.annotator_id, l.status, l.label, l.abstain_reason, l.occurrence, l.ingest_seq
             from raw_label l join frame_item f
               on f.study_id = l.study_id and f.round_id = l.round_id and f.item_id = l.item_id
                  and f.item_version = l.item_version
             where l.study_id = ? and l.round_id = ? and l.set_aside = '' and l.origin = 'own' and not l.late
             qualify l.ingest_seq = max(l.ingest_seq) over (partition by l.item_id, l.annotator_id)""",
        key,
    )
    categories = list(study.category_values())
    con.execute(
        f"""create or replace temp table answer as
             with counted as (
               select item_id, annotator_id, {_COUNTED_ROW[study.duplicates]} occurrence
               from mine group by all),
             one as (select m.* from mine m join counted using (item_id, annotator_id, occurrence)),
             elsewhere as (
               select distinct item_id, annotator_id from raw_label
               where study_id = $study and round_id = $round and set_aside = 'other-version'),
             asked as (select item_id, annotator_id from asked_label where study_id = $study and round_id = $round)
             select f.slice, f.cell, f.cluster, a.item_id, a.annotator_id,
               coalesce(o.status, case when e.item_id is not null then 'other_version' else 'no_row' end) status,
               coalesce(o.label, '') "label", coalesce(o.abstain_reason, '') abstain_reason,
               case when o.status = 'labelled' then list_position($categories, o.label) - 1
                    when o.status = 'abstained' then {ABSTAINED}
                    when o.status is null and e.item_id is not null then {OTHER_VERSION}
                    else {MISSING} end code
             from asked a
             join frame_item f on f.study_id = $study and f.round_id = $round and f.item_id = a.item_id
             left join one o on o.item_id = a.item_id and o.annotator_id = a.annotator_id
             left join elsewhere e on e.item_id = a.item_id and e.annotator_id = a.annotator_id""",
        {"study": key[0], "round": key[1], "categories": categories},
    )


def _annotators(con: Connection, study: Study) -> list[str]:
    """Who was asked in this round, in the roster's order."""
    asked = {name for (name,) in rows(con, "select distinct annotator_id from answer")}
    return [name for name in study.annotator_ids() if name in asked]


def _slices(con: Connection, study: Study) -> list[str]:
    """Slices of the frame: the declared ones in their order, then any other by name."""
    present = {name for (name,) in rows(con, "select distinct slice from answer")}
    declared = [name for name in study.slice_names() if name in present]
    return declared + sorted(present - set(declared))


def _patterns(con: Connection, study: Study, annotators: list[str], cells: list[str], slice_name: str) -> Patterns:
    found = rows(
        con,
        """with numbered as (
             select item_id, cell, cluster,
               (list_position($annotators, annotator_id) - 1) * $width + code + $shift packed
             from answer where slice = $slice),
           items as (select cell, cluster, list(packed order by packed) pattern from numbered
                     group by item_id, cell, cluster)
           select cell, cluster, pattern, count(*) from items group by all order by all""",
        {"annotators": annotators, "width": WIDTH, "shift": SHIFT, "slice": slice_name},
    )
    codes = np.full((len(found), len(annotators)), NOT_ASSIGNED, dtype=np.int64)
    for row, (_, _, pattern, _) in enumerate(found):
        packed = np.array(pattern, dtype=np.int64)
        codes[row, packed // WIDTH] = packed % WIDTH - SHIFT
    cluster_names = {name: n for n, name in enumerate(sorted({cluster for _, cluster, _, _ in found}))}
    return Patterns(
        annotators=tuple(annotators),
        categories=study.category_values(),
        codes=codes,
        multiplicity=np.array([n for *_, n in found], dtype=np.int64),
        clusters=np.array([cluster_names[c] for _, c, _, _ in found], dtype=np.int64) if study.cluster else None,
        cells=np.array([cells.index(cell) for cell, *_ in found], dtype=np.int64),
    )


def _annotator_counts(
    con: Connection, study: Study, annotators: list[str], slice_name: str
) -> tuple[AnnotatorCounts, ...]:
    found = rows(
        con,
        """select annotator_id, status, "label", abstain_reason, count(*) from answer where slice = ?
           group by all order by all""",
        [slice_name],
    )
    per_person: dict[str, list[tuple[str, str, str, int]]] = defaultdict(list)
    for name, *rest in found:
        per_person[name].append((rest[0], rest[1], rest[2], rest[3]))
    return tuple(_one_annotator(study, name, per_person[name]) for name in annotators if per_person[name])


def _one_annotator(study: Study, name: str, found: list[tuple[str, str, str, int]]) -> AnnotatorCounts:
    labels = dict.fromkeys(study.category_values(), 0)
    reasons = dict.fromkeys(study.abstention_reasons, 0)
    statuses = dict.fromkeys(("never_shown", "draft", "skipped", "submitted_empty", "no_row"), 0)
    other_version = 0
    for status, label, reason, n in found:
        if status == "labelled":
            labels[label] += n
        elif status == "abstained":
            reasons[reason] = reasons.get(reason, 0) + n
        elif status == "other_version":
            other_version += n
        else:
            statuses[status] += n
    return AnnotatorCounts(name, sum(n for *_, n in found), labels, reasons, statuses, other_version)


def _extra(con: Connection) -> dict[str, int]:
    """Labels on anything but a frozen assignment: kept, shown apart, in no figure."""
    found = rows(
        con,
        """select m.annotator_id, count(*) from mine m
           where m.status = 'labelled' and not exists (
             select 1 from answer a where a.item_id = m.item_id and a.annotator_id = m.annotator_id)
           group by all order by all""",
    )
    return dict(found)


def _revisions(con: Connection, round_state: RoundState) -> dict[str, int]:
    found = rows(
        con,
        """select annotator_id, count(distinct (item_id, ingest_seq)) - count(distinct item_id) n
           from raw_label where study_id = ? and round_id = ? and set_aside = '' and not late
           group by all having n > 0 order by all""",
        [round_state.study_id, round_state.round_id],
    )
    return dict(found)


def _set_aside(con: Connection, round_state: RoundState) -> dict[str, int]:
    found = rows(
        con,
        """select set_aside, count(*) from raw_label where study_id = ? and round_id = ? and set_aside <> ''
           group by all order by all""",
        [round_state.study_id, round_state.round_id],
    )
    return dict(found)


def _duplicates(con: Connection) -> int:
    ((n,),) = rows(con, "select count(*) - count(distinct (item_id, annotator_id)) from mine")
    return int(n)


def _late(con: Connection, round_state: RoundState) -> int:
    ((n,),) = rows(
        con,
        "select count(*) from raw_label where study_id = ? and round_id = ? and late",
        [round_state.study_id, round_state.round_id],
    )
    return int(n)


@dataclass(frozen=True)
class ItemAnswers:
    """One item of the frame and the labels its assigned annotators gave it, in alphabetical order."""

    item_id: str
    item_version: str
    cell: str
    slice: str
    inclusion_probability: str
    labels: tuple[str, ...]


def answers(con: Connection, study: Study, round_state: RoundState, annotators: list[str]) -> list[ItemAnswers]:
    """The items of the frame, sorted, with the labels of the named annotators where they were assigned.

    Labels stand in the order of the alphabet, so that nobody's can be told from its place.
    """
    _resolve(con, study, round_state)
    found = rows(
        con,
        """select f.item_id, f.item_version, f.cell, f.slice, f.inclusion_probability,
                  coalesce(list(a."label" order by a."label") filter (a.code >= 0), [])
           from frame_item f left join answer a on a.item_id = f.item_id and list_contains($annotators, a.annotator_id)
           where f.study_id = $study and f.round_id = $round
           group by all order by f.item_id""",
        {"study": round_state.study_id, "round": round_state.round_id, "annotators": annotators},
    )
    return [
        ItemAnswers(item, version, cell, part, share, tuple(labels))
        for item, version, cell, part, share, labels in found
    ]
