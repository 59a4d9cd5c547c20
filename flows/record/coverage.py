"""How much of what was asked for came in, per slice and per annotator."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from agreement.patterns import NOT_ASSIGNED
from agreement.rounding import floor_text
from flows.counts import AnnotatorCounts, SliceCounts
from schemas.report import AnnotatorRecord, Coverage, MissingKinds
from schemas.study import Study


def slice_coverage(counts: SliceCounts) -> Coverage:
    codes, times = counts.patterns.codes, counts.patterns.multiplicity
    labelled = (codes >= 0).sum(axis=1)
    asked = (codes != NOT_ASSIGNED).sum(axis=1)
    people = counts.annotators
    return Coverage(
        items=int(times.sum()),
        assigned=sum(p.assigned for p in people),
        labelled=sum(sum(p.labels.values()) for p in people),
        abstained=sum(sum(p.abstain_reasons.values()) for p in people),
        missing=sum(sum(p.statuses.values()) for p in people),
        missing_kinds=_kinds(people),
        abstain_reasons=_summed(p.abstain_reasons for p in people),
        other_version=sum(p.other_version for p in people),
        paired=int(times[labelled >= 2].sum()),
        complete=int(times[(labelled == asked) & (asked > 0)].sum()),
    )


def annotator_record(
    study: Study, counts: SliceCounts, person: AnnotatorCounts, extra: dict[str, int], revisions: dict[str, int]
) -> AnnotatorRecord:
    """One annotator in one slice. extra, revisions: per annotator, of the whole round."""
    codes, times = counts.patterns.codes, counts.patterns.multiplicity
    own = codes[:, counts.patterns.annotators.index(person.annotator_id)]
    others = (codes >= 0).sum(axis=1) - (own >= 0)
    labelled = sum(person.labels.values())
    positive = [c.value for c in study.categories if c.positive]
    flagged = sum(person.labels[value] for value in positive)
    return AnnotatorRecord(
        annotator_id=person.annotator_id,
        kind=next(a.kind for a in study.roster.annotators if a.id == person.annotator_id),
        coverage=Coverage(
            items=int(times[own != NOT_ASSIGNED].sum()),
            assigned=person.assigned,
            labelled=labelled,
            abstained=sum(person.abstain_reasons.values()),
            missing=sum(person.statuses.values()),
            missing_kinds=_kinds([person]),
            abstain_reasons=_summed([person.abstain_reasons]),
            other_version=person.other_version,
            paired=int(times[(own >= 0) & (others >= 1)].sum()),
            complete=labelled,
        ),
        labels=person.labels,
        flagged=flagged if positive else None,
        flag_rate=floor_text(Fraction(flagged, labelled)) if positive and labelled else None,
        revisions=revisions.get(person.annotator_id, 0),
        extra=extra.get(person.annotator_id, 0),
    )


def _kinds(people: Iterable[AnnotatorCounts]) -> MissingKinds:
    return MissingKinds(**_summed(person.statuses for person in people))


def _summed(parts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in parts:
        for name, n in part.items():
            total[name] = total.get(name, 0) + n
    return {name: n for name, n in total.items() if n}
