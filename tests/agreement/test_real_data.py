"""Published label sets give the figures computed from them elsewhere. Skipped where the data are not at hand."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from agreement import (
    count_vectors,
    gwet_ac1,
    krippendorff_alpha,
    patterns_from_long,
    percent_agreement,
    percent_agreement_pooled_pairs,
    specific_agreement,
)

SHARED = Path(__file__).parents[2].parent / "shared"
CLOSE = 5e-5  # four printed places


def _rows(path: str, **options: Any) -> list[list[str]]:
    file = SHARED / path
    if not file.exists():
        pytest.skip(f"{path} is not beside this checkout")
    with file.open(newline="", encoding="utf-8") as lines:
        return list(csv.reader(lines, **options))


def _vectors(rows: list[tuple[str, str, str]], categories: list[str], missing: list[str]) -> Any:
    """Count vectors of (item, annotator, label), the first label of an annotator on an item kept."""
    first = {(item, annotator): label for item, annotator, label in reversed(rows)}
    items, annotators = zip(*first, strict=True)
    return count_vectors(patterns_from_long(items, annotators, list(first.values()), categories, missing=missing))


def _nibbler(rounds: str) -> Any:
    header, *rows = _rows("data/adversarial-nibbler/annotations.csv")
    at = {name: position for position, name in enumerate(header)}
    kept = [(r[at["item_id"]], r[at["rater_id"]], r[at["image_safety"]]) for r in rows if r[at["round"]] in rounds]
    return _vectors(kept, ["image_unsafe", "image_safe"], ["unsure_image_safe", "image_unsure_safe"])


def test_nibbler_raters_agree_as_computed_elsewhere() -> None:
    vectors = _nibbler("134")
    assert percent_agreement_pooled_pairs(*vectors) == pytest.approx(0.9015, abs=CLOSE)
    assert krippendorff_alpha(*vectors) == pytest.approx(0.7085, abs=CLOSE)
    assert specific_agreement(*vectors).tolist() == pytest.approx([0.9372, 0.7718], abs=CLOSE)


@pytest.mark.parametrize(("number", "alpha"), [("1", 0.703), ("3", 0.409), ("4", 0.749)])
def test_nibbler_alpha_by_round(number: str, alpha: float) -> None:
    assert krippendorff_alpha(*_nibbler(number)) == pytest.approx(alpha, abs=5e-4)


def test_convabuse_severity() -> None:
    header, *rows = _rows("data/convabuse/annotations.csv")
    at = [header.index(name) for name in ("item_id", "annotator_id", "severity")]
    labels = [tuple(row[k] for k in at) for row in rows]
    vectors = _vectors(labels, sorted({label for _, _, label in labels if label}, key=int), [""])
    assert krippendorff_alpha(*vectors) == pytest.approx(0.4374, abs=CLOSE)


def test_xsum_factuality() -> None:
    header, *rows = _rows("data/xsum-hallucination/factuality_annotations_xsum_summaries.csv")
    at = {name: position for position, name in enumerate(header)}
    labels = [(f"{r[at['bbcid']]} {r[at['system']]}", r[at["worker_id"]], r[at["is_factual"]]) for r in rows]
    assert krippendorff_alpha(*_vectors(labels, ["yes", "no"], ["NULL"])) == pytest.approx(0.7736, abs=CLOSE)


def test_barzan_crowd_labels() -> None:
    rows = _rows("formats/csv_long/barzan_labels.tsv", delimiter="\t")
    vectors = _vectors([(item, worker, label) for worker, item, label in rows], ["0", "1"], [])
    assert krippendorff_alpha(*vectors) == pytest.approx(0.405937, abs=5e-7)
    assert percent_agreement(*vectors) == pytest.approx(0.759800, abs=5e-7)
    assert gwet_ac1(*vectors) == pytest.approx(0.59681, abs=5e-6)
