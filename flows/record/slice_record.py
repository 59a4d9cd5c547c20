"""Everything the report says of one slice."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from agreement.counts import all_pairs
from agreement.flag_statistics import estimate_flag_statistic, estimate_flag_statistics
from agreement.flags import Flags, flags_of
from agreement.partner import partner_test
from agreement.patterns import Patterns
from agreement.readings import SliceEvidence, read
from agreement.rounding import ceil_text, floor_text
from agreement.rules import Rule
from agreement.specific import lowest_pair
from flows.counts import SliceCounts
from flows.record.coverage import annotator_record, slice_coverage
from flows.record.estimate_record import estimate_record
from flows.record.pair_record import pair_record
from flows.record.plain_words import can_tell, cannot_tell
from flows.record.sensitivity import rule_table, scenarios
from flows.record.settings import Settings
from schemas.report import EstimateRecord, PartnerCheck, Positives, SliceRecord
from schemas.study import Study

UNIFORM = "uniform"
# Figures on how much is positive speak of traffic, so only the uniform slice has them.
SHARES = ("union_positive_rate", "joint_positive_rate", "positive_share")
COVERAGE = ("coverage", "flagged_coverage", "abstention_rate", "missing_rate")


def slice_record(
    study: Study,
    counts: SliceCounts,
    evidence: SliceEvidence,
    settings: Settings,
    extra: dict[str, int],
    revisions: dict[str, int],
    other_rules: dict[str, Patterns],
) -> SliceRecord:
    """Everything the report says of one slice.

    extra, revisions: per annotator, of the whole round. other_rules: what other duplicate rules would have counted.
    """
    patterns, positive = counts.patterns, study.positive_mask()
    flags = flags_of(patterns, positive) if any(positive) else None
    lowest = lowest_pair(patterns, positive) if flags is not None and len(patterns.annotators) > 2 else None
    used = {value for person in counts.annotators for value, n in person.labels.items() if n}
    record = SliceRecord(
        name=counts.name,
        speaks_of="traffic" if counts.name == UNIFORM else "hard cases",
        sampling=sampling_words(study, counts.name),
        coverage=slice_coverage(counts),
        annotators=[annotator_record(study, counts, person, extra, revisions) for person in counts.annotators],
        pairs=[
            pair_record(study, counts.name, pair, patterns, settings) for pair in all_pairs(patterns) if pair.n_items
        ],
        lowest_pair=f"{lowest.first} and {lowest.second}" if lowest is not None else None,
        positives=_positives(flags, settings) if flags is not None else None,
        estimates=_estimates(study, counts, evidence, settings),
        scenarios=scenarios(study, patterns),
        rule_table=rule_table(study, {study.duplicates: patterns} | other_rules),
        partner=_partner(patterns, positive) if flags is not None else None,
        unused_categories=[value for value in study.category_values() if value not in used],
        warnings=list(_warnings(flags)),
        can_tell="",
        cannot_tell="",
    )
    return record.model_copy(update={"can_tell": can_tell(study, record), "cannot_tell": cannot_tell(study, record)})


def sampling_words(study: Study, slice_name: str) -> str:
    """How a slice was drawn, as registered."""
    if slice_name == UNIFORM and study.slices.uniform is not None:
        return f"drawn at random from the whole pool, rate {study.slices.uniform.rate}"
    for stratum in study.slices.strata:
        if stratum.name == slice_name:
            where = stratum.where
            parts = {
                "is": where.equals,
                "is one of": ", ".join(where.is_in) if where.is_in else None,
                "is at least": where.at_least,
                "is below": where.below,
            }
            condition = " and ".join(f"{how} {text}" for how, text in parts.items() if text is not None)
            return f"drawn where {where.column} {condition}, rate {stratum.rate}"
    return "not registered"


def _estimates(study: Study, counts: SliceCounts, evidence: SliceEvidence, settings: Settings) -> list[EstimateRecord]:
    mask = np.array(study.positive_mask())
    flag_figures = estimate_flag_statistics(counts.patterns, mask if mask.any() else None, settings.alpha)
    if counts.name != UNIFORM:
        flag_figures = [e for e in flag_figures if e.statistic not in SHARES]
    names = [name for name in COVERAGE if mask.any() or name != "flagged_coverage"]
    return [
        *(estimate_record(e) for e in (*flag_figures, *evidence.estimates.values())),
        *(_share(name, evidence, settings) for name in names),
    ]


def _share(name: str, evidence: SliceEvidence, settings: Settings) -> EstimateRecord:
    """A share of what was assigned: counted, not sampled, so without an interval."""
    reading = read(Rule("", name, at_least="0"), evidence, settings.alpha)
    return EstimateRecord(
        statistic=name,
        value=reading.found,
        exact=str(reading.value) if reading.value is not None else None,
        status=reading.status,
        interval="none: a count of this round",
        n=dict(reading.counts),
    )


def _positives(flags: Flags, settings: Settings) -> Positives:
    most = int(flags.n_labels.max(initial=0))
    union, joint = flags.union_positives, flags.joint_positives
    n_eff = estimate_flag_statistic("positive_specific_agreement", None, flags, settings.alpha).n_eff
    return Positives(
        flagged_by=[flags.count(flags.paired & (flags.n_positive == k)) for k in range(most + 1)],
        union=union,
        joint=joint,
        contested=union - joint,
        n_eff=floor_text(n_eff) if n_eff is not None else None,
    )


def _partner(patterns: Patterns, positive: tuple[bool, ...]) -> PartnerCheck:
    test = partner_test(patterns, positive)
    return PartnerCheck(
        paired_positive=test.together_positive,
        paired_labels=test.together_labels,
        alone_positive=test.alone_positive,
        alone_labels=test.alone_labels,
        p_value=ceil_text(test.p_value) if test.p_value is not None else None,
    )


def _warnings(flags: Flags | None) -> Iterable[str]:
    if flags is not None and flags.n_items and not flags.union_positives:
        yield "Nobody flagged an item that two annotators labelled: there is no agreement on flags to measure."
