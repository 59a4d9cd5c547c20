"""The whole report of a round, from its counts and its history. Pure; the ledger head is filled in once it is known."""

from __future__ import annotations

from collections.abc import Sequence

from agreement.gate import judge
from agreement.readings import SliceEvidence
from agreement.rules import STATISTICS
from flows.counts import RoundCounts
from flows.open import attempt_number
from flows.record.collection import collection_lines
from flows.record.deviations import Other, amendment_words, between_words, compared, governed, lines, worse
from flows.record.evidence import evidence_of
from flows.record.settings import settings_of
from flows.record.slice_record import slice_record
from flows.record.suspicions import suspicions
from flows.record.traffic_record import traffic_evidence, traffic_figures, traffic_of
from flows.record.verdict_record import not_gated, verdict_record
from flows.register import grade, labels_seen_before, registration_of
from flows.storage.ledger import GENESIS_PREV, Event
from flows.storage.state import RoundState, State
from schemas.report import (
    CategoryRecord,
    Head,
    Protocol,
    RegistrationRecord,
    Report,
    RoundRecord,
    SliceRecord,
    StudyRecord,
    SubmissionRecord,
    VerdictRecord,
)
from schemas.study import Study


def report_record(
    study: Study,
    state: State,
    round_state: RoundState,
    counts: RoundCounts,
    versions: dict[str, str],
    amended: Sequence[tuple[Event, Study]] = (),
    before: Sequence[Other] = (),
    stood: tuple[Event, Study] | None = None,
) -> Report:
    """Everything a report says but its version, its changes and its ledger head.

    versions: of the packages figures may depend on, by name. amended: the study as amended after results of this round
    could be known. before: verdicts given before something was removed. stood: an amendment that governs this round and
    came when another round had shown its results, and the study as it stood before it.
    """
    settings = settings_of(study)
    evidence = {part.name: evidence_of(study, part, settings) for part in counts.slices}
    slices = [
        slice_record(
            study,
            part,
            evidence[part.name],
            settings,
            counts.extra,
            counts.revisions,
            {rule: found[part.name] for rule, found in counts.other_rules.items() if part.name in found},
        )
        for part in counts.slices
    ]
    traffic = traffic_of(study, counts.slices, counts.cells, dict(round_state.opened.payload["pool"]))
    evidence |= traffic_evidence(study, traffic)
    weighted = traffic_figures(study, traffic, settings)
    present = _verdict(study, state, round_state, evidence, slices)
    others = [*before]
    for event, new in amended:
        others.append(Other(event, amendment_words(event), _by(new, state, round_state, counts, slices)))
    verdict, both = worse(present, others), compared(present, others)
    if stood is not None:
        event, old = stood
        by_old = Other(event, between_words(event, state, round_state), _by(old, state, round_state, counts, slices))
        both = [governed(present, by_old, verdict.status), *both]
    return Report(
        version=0,
        changes=[],
        study=_study(study),
        round=_round(study, state, round_state),
        registration=_registration(state, round_state),
        ledger_head=Head(size=0, hash=GENESIS_PREV),
        verdict=verdict,
        slices=slices,
        traffic=weighted.estimates,
        traffic_weights=weighted.weights,
        traffic_warnings=weighted.warnings,
        submissions=[_submission(event) for event in round_state.submissions],
        collection=collection_lines(round_state),
        duplicates={study.duplicates: counts.duplicates} if counts.duplicates else {},
        extra_labels=sum(counts.extra.values()),
        late_labels=counts.late,
        deviations=lines(round_state, both),
        suspicions=list(suspicions(study, counts.slices, round_state.submissions)),
        deviation_verdicts=both,
        redacted=sum(n for e in round_state.redacted for *key, n in e.payload["rounds"] if key == _key(round_state)),
        outside=[_outside(event) for event in round_state.outcomes],
        protocol=Protocol(
            interval_level=verdict.level,
            resamples=settings.resamples,
            seed=settings.seed,
            definitions={rule.statistic: STATISTICS[rule.statistic].version for rule in study.gate.rules},
            versions=versions,
            duplicate_rule=study.duplicates,
        ),
    )


def why_not_gated(state: State, round_state: RoundState) -> str | None:
    """Why this round is shown and never judged; None if the gate may judge it."""
    if round_state.kind != "measured":
        return f"A {round_state.kind} round is never gated."
    if round_state.closed is not None and round_state.is_cut_short:
        return f"This round was cut short ({round_state.closed.payload['reason']}) and is not gated."
    found = grade(state, round_state)
    again = labels_seen_before(round_state)
    if found == "exploratory" and again:
        names = " and ".join(f"{study}/{name}" for study, name, _ in again)
        return f"These very labels came in for {names}, which was measured before this study was registered."
    if found in ("exploratory", "retrospective"):
        return f"These labels were there before what is asked of them was registered ({found}), so they are not gated."
    return None


def _verdict(
    study: Study,
    state: State,
    round_state: RoundState,
    evidence: dict[str, SliceEvidence],
    slices: Sequence[SliceRecord],
) -> VerdictRecord:
    why = why_not_gated(state, round_state)
    if why is not None:
        return not_gated(study, why, settings_of(study).alpha)
    verdict = judge(study.gate.rules, evidence, study.interval.level, study.gate.attempts)
    return verdict_record(study, round_state.round_id, verdict, slices)


def _by(
    study: Study,
    state: State,
    round_state: RoundState,
    counts: RoundCounts,
    slices: Sequence[SliceRecord],
) -> VerdictRecord:
    """The verdict another study file would give on the same counts."""
    settings = settings_of(study)
    evidence = {part.name: evidence_of(study, part, settings) for part in counts.slices}
    pool = dict(round_state.opened.payload["pool"])
    evidence |= traffic_evidence(study, traffic_of(study, counts.slices, counts.cells, pool))
    return _verdict(study, state, round_state, evidence, slices)


def _key(round_state: RoundState) -> list[str]:
    return [round_state.study_id, round_state.round_id]


def _outside(event: Event) -> str:
    payload = event.payload
    sources = ", ".join(f"{name} {n:,}" for name, n in payload["sources"])
    return f"event {event.seq}, {event.ts[:10]}: {payload['n_items']:,} items checked outside ({sources})"


def _study(study: Study) -> StudyRecord:
    return StudyRecord(
        study_id=study.study,
        question=study.question,
        unit=study.unit,
        use=study.gate.use,
        because=study.gate.because,
        scale=study.scale,
        categories=[
            CategoryRecord(value=c.value, positive=c.positive, definition=c.definition) for c in study.categories
        ],
        passes=study.passes,
        duplicates=study.duplicates,
    )


def _round(study: Study, state: State, round_state: RoundState) -> RoundRecord:
    opened, closed = round_state.opened, round_state.closed
    assert closed is not None  # only closed rounds are measured
    return RoundRecord(
        round_id=round_state.round_id,
        kind=opened.payload["kind"],
        guideline_version=round_state.guideline_version,
        guideline_digest=opened.payload["guideline_digest"],
        opened_at=opened.ts,
        closed_at=closed.ts,
        closed_how=closed.payload["how"],
        closed_reason=closed.payload["reason"],
        attempt=attempt_number(state, study.study, opened.payload["attempt_of"]),
        attempts=study.gate.attempts,
        attempt_of=opened.payload["attempt_of"],
        labels_dated=_dated(round_state),
    )


def _dated(round_state: RoundState) -> str:
    first = [e.payload.get("first_labelled_at") or "" for e in round_state.submissions]
    last = [e.payload.get("last_labelled_at") or "" for e in round_state.submissions]
    known = [text for text in (*first, *last) if text]
    return f"{min(known)} to {max(known)}" if known else "no label carries a time"


def _registration(state: State, round_state: RoundState) -> RegistrationRecord | None:
    event = registration_of(state, round_state)
    if event is None:
        return None
    study = state.study(round_state.study_id)
    everything = sorted((*study.registrations.values(), *study.amendments), key=lambda e: e.seq)
    return RegistrationRecord(
        digest=event.payload["study_file"],
        event=event.seq,
        at=event.ts,
        grade=grade(state, round_state),
        history=[_registration_line(e) for e in everything if _belongs(e, round_state)],
    )


def _belongs(event: Event, round_state: RoundState) -> bool:
    """Another version registered after a round was first measured does not belong to its report; an amendment does."""
    if event.payload["guideline_version"] == round_state.guideline_version:
        return True
    return not round_state.measured or event.seq < round_state.measured[0].seq


def _registration_line(event: Event) -> str:
    payload = event.payload
    start = f"event {event.seq}, {event.ts}: guideline {payload['guideline_version']}"
    file = f"study file {payload['study_file'][:12]}"
    if event.type == "study.registered":
        return f"{start} registered, {file}"
    effects = "; ".join(f"{name}: {effect}" for name, effect in payload["effects"]) or "no round yet"
    what = "; ".join(payload["what"])
    return f"{start} amended, {file}, after event {payload['predecessor']}. {payload['why']} ({what}) {effects}"


def _submission(event: Event) -> SubmissionRecord:
    payload = event.payload
    return SubmissionRecord(
        event=event.seq,
        file_name=payload["file_name"],
        digest=payload["raw"],
        rows=payload["n_rows"],
        new=payload["n_new"],
        already_there=payload["n_already_there"],
        revised=payload["n_revised"],
        revision_reason=payload.get("revision") or "",
        set_aside=dict(payload.get("set_aside") or []),
        late=bool(payload.get("late", False)),
        notes=list(payload.get("notes") or []),
        loss=list(payload.get("loss") or []),
    )
