"""One plain paragraph per slice on what its numbers can tell, and one on what they cannot."""

from __future__ import annotations

from agreement.rounding import display
from schemas.report import EstimateRecord, SliceRecord
from schemas.study import Study


def can_tell(study: Study, record: SliceRecord) -> str:
    """Counts first, then the figure with its interval, in words."""
    who = names([a.annotator_id for a in record.annotators])
    paired = f"{record.coverage.paired:,} of {record.coverage.items:,} items were labelled by two or more of {who}"
    psa = find(record, "positive_specific_agreement")
    if record.positives is None or psa is None:
        alpha = find(record, "krippendorff_alpha")
        return f"{paired}. {_figure('Krippendorff’s alpha', alpha)}"
    if psa.value is None:
        return f"{paired}, and none of these was flagged by anybody: there is no agreement on flags to measure."
    joint, union = record.positives.joint, record.positives.union
    shared = f"{joint:,} of the {union:,} items that anybody flagged were flagged by everyone who labelled them"
    return (
        f"{paired}; {shared}. {_figure('Positive specific agreement', psa)} "
        "In words: when one of them flags an item, this is how often another one does too."
    )


def cannot_tell(study: Study, record: SliceRecord) -> str:
    """The limits of this slice: what it was drawn for, how few positives there are, and validity."""
    parts = []
    if record.speaks_of == "traffic":
        parts.append("Rates here are shares of labels, not the true share of positive items in traffic.")
    else:
        parts.append(
            "This slice was drawn for hard cases: its figures do not speak of traffic, and no rate is taken from it."
        )
    silent = record.coverage.missing + record.coverage.abstained
    if silent:
        parts.append(
            f"{silent:,} of {record.coverage.assigned:,} assigned labels are missing or abstained; what they could "
            "have changed is shown, not known."
        )
    if record.positives is not None and record.positives.union < 100:
        parts.append(
            f"With {record.positives.union:,} union positives the interval is wide; differences inside it are not seen."
        )
    parts.append("Agreement is not validity: annotators can agree and be wrong together.")
    return " ".join(parts)


def find(record: SliceRecord, statistic: str) -> EstimateRecord | None:
    return next((e for e in record.estimates if e.statistic == statistic and e.category is None), None)


def names(people: list[str]) -> str:
    """ "ada", "ada and bo", "ada, bo and cy" """
    return " and ".join(part for part in (", ".join(people[:-1]), people[-1] if people else "") if part)


def interval_text(estimate: EstimateRecord) -> str:
    """ "0.17 [0.04 to 0.32]", "0.17", or why there is no value."""
    if estimate.value is None:
        return estimate.status
    value = display(estimate.value)
    if estimate.lower is None or estimate.upper is None:
        return value
    return f"{value} [{display(estimate.lower)} to {display(estimate.upper)}]"


def _figure(name: str, estimate: EstimateRecord | None) -> str:
    if estimate is None or estimate.value is None:
        return f"{name} is undefined here."
    text = f"{name} is {interval_text(estimate)}"
    if estimate.lower is None or estimate.upper is None:
        return f"{text}."
    low, high = display(estimate.lower), display(estimate.upper)
    return f"{text}: as many items drawn again could easily have given a figure from {low} to {high}."
