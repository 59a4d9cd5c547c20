"""Which labels a release holds and how each came about. Pure: rows in, rows and reasons out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from flows.counts import ItemAnswers
from schemas.study_parts import ReleaseRule

COLUMNS = (
    "item_id",
    "item_version",
    "label",
    "how",
    "slice",
    "cell",
    "inclusion_probability",
    "round_id",
    "guideline_version",
)


@dataclass(frozen=True)
class LabelledItem:
    """One item of a passed round, with the labels its assigned human annotators gave it.

    relabelled: it was labelled again, after an earlier version of the guideline had failed on it.
    """

    answers: ItemAnswers
    round_id: str
    guideline_version: str
    relabelled: bool = False


@dataclass(frozen=True)
class ReferenceSet:
    """The rows to release, and what is not among them.

    rows: dicts with COLUMNS as keys, sorted by item. single: items with fewer than two labels, left out.
    unresolved: contested items without a decision.
    """

    rows: tuple[dict[str, str], ...]
    single: tuple[str, ...]
    unresolved: tuple[str, ...]
    how: dict[str, int]


def build(items: Iterable[LabelledItem], decisions: Mapping[tuple[str, str], str], rule: ReleaseRule) -> ReferenceSet:
    """Apply the registered `release:` block.

    decisions: (round, item) -> the adjudicator's label, "" where undecidable. Unanimous items keep their label;
    contested ones get the decision, or the majority's label where that was registered and there is one.
    """
    rows, single, unresolved = [], [], []
    for item in sorted(items, key=lambda i: (i.answers.item_id, i.round_id)):
        item_id, labels = item.answers.item_id, item.answers.labels
        if len(labels) < 2:
            single.append(item_id)
            continue
        label, how = _decide(labels, decisions.get((item.round_id, item_id)), rule)
        if label is None:
            unresolved.append(item_id)
        else:
            rows.append(_row(item, label, "relabelled" if item.relabelled else how))
    how_many = Counter(row["how"] for row in rows)
    return ReferenceSet(tuple(rows), tuple(single), tuple(unresolved), dict(sorted(how_many.items())))


def unresolved_share(reference: ReferenceSet) -> tuple[int, int]:
    """Contested items left without a label, of all items with two labels or more."""
    return len(reference.unresolved), len(reference.unresolved) + len(reference.rows)


def _decide(labels: tuple[str, ...], decision: str | None, rule: ReleaseRule) -> tuple[str | None, str]:
    votes = Counter(labels)
    if len(votes) == 1:
        return labels[0], "unanimous"
    if decision:
        return decision, "adjudicated"
    if rule.contested == "majority" and decision is None:
        label, n = votes.most_common(1)[0]
        if 2 * n > len(labels):
            return label, "majority"
    return None, ""


def _row(item: LabelledItem, label: str, how: str) -> dict[str, str]:
    return {
        "item_id": item.answers.item_id,
        "item_version": item.answers.item_version,
        "label": label,
        "how": how,
        "slice": item.answers.slice,
        "cell": item.answers.cell,
        "inclusion_probability": item.answers.inclusion_probability,
        "round_id": item.round_id,
        "guideline_version": item.guideline_version,
    }
