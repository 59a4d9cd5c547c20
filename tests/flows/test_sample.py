"""The committed sample study shows what its README says it shows."""

from __future__ import annotations

import csv
import importlib.util
import sys
from hashlib import sha256
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from agreement.counts import count_vectors, patterns_from_wide
from agreement.gwet import gwet_ac1
from agreement.patterns import Patterns
from agreement.percent import percent_agreement
from agreement.specific import joint_positives, positive_specific_agreement, union_positives
from schemas.round_file import parse_round
from schemas.study import parse_study

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
POSITIVE = np.array([False, True])

# round, slice, items, raw agreement, AC1, union and joint positives, positive specific agreement. Authority: the rows
# themselves, drawn once by make_sample.py; data/README.md prints the same figures.
FIGURES = [
    ("round-01", "uniform", 240, "0.97", "0.97", 13, 2, "0.42"),
    ("round-01", "suspected", 900, "0.93", "0.92", 102, 12, "0.42"),
    ("round-01", "complained", 900, "0.94", "0.93", 100, 15, "0.44"),
    ("round-02", "uniform", 240, "0.95", "0.95", 25, 9, "0.66"),
    ("round-02", "suspected", 560, "0.93", "0.91", 103, 42, "0.72"),
    ("round-02", "complained", 560, "0.92", "0.89", 115, 49, "0.73"),
]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def labels(round_id: str) -> dict[tuple[str, str], str]:
    """Label by item and annotator; '' where somebody could not say."""
    folder = SAMPLE / round_id
    if (folder / "labels.csv").exists():
        return {(r["item_id"], r["annotator_id"]): r["label"] for r in rows(folder / "labels.csv")}
    return {(r["item_id"], who): r["label"] for who in ("ada", "bo", "cy") for r in rows(folder / f"{who}.csv")}


def slice_patterns(round_id: str, slice_name: str) -> Patterns:
    said = labels(round_id)
    items = [row["item_id"] for row in rows(SAMPLE / round_id / "frame.csv") if row["slice"] == slice_name]
    answers = [[said.get((item, who)) or None for who in ("ada", "bo", "cy")] for item in items]
    return patterns_from_wide(answers, ("within", "beyond"), annotators=("ada", "bo", "cy"))


@pytest.mark.parametrize(("round_id", "slice_name", "n", "raw", "ac1", "union", "joint", "psa"), FIGURES)
def test_each_slice_has_the_figures_the_data_page_prints(
    round_id: str, slice_name: str, n: int, raw: str, ac1: str, union: int, joint: int, psa: str
) -> None:
    patterns = slice_patterns(round_id, slice_name)
    vectors, times = count_vectors(patterns)
    found = (
        int(patterns.multiplicity.sum()),
        f"{percent_agreement(vectors, times):.2f}",
        f"{gwet_ac1(vectors, times):.2f}",
        int(union_positives(vectors, POSITIVE, times)),
        int(joint_positives(vectors, POSITIVE, times)),
        f"{float(positive_specific_agreement(vectors, POSITIVE, times)):.2f}",
    )
    assert found == (n, raw, ac1, union, joint, psa)
    line = f"| {slice_name} | {n} | {raw} | {ac1} | {union}, {joint} | {psa} |"
    assert line in (SAMPLE.parent / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("slice_name", ["uniform", "suspected", "complained"])
def test_the_first_round_looks_good_by_raw_agreement_and_ac1(slice_name: str) -> None:
    vectors, times = count_vectors(slice_patterns("round-01", slice_name))
    assert percent_agreement(vectors, times) >= 0.93
    assert gwet_ac1(vectors, times) >= 0.9


@pytest.mark.parametrize("slice_name", ["suspected", "complained"])
def test_the_second_round_passes_with_less_than_a_tenth_to_spare(slice_name: str) -> None:
    vectors, times = count_vectors(slice_patterns("round-02", slice_name))
    assert 0.65 <= positive_specific_agreement(vectors, POSITIVE, times) < 0.75
    assert union_positives(vectors, POSITIVE, times) >= 100


def test_the_rows_are_those_the_generator_makes(tmp_path: Path) -> None:
    load_generator().write_sample(tmp_path)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.csv"))
    assert made == sorted(path.relative_to(SAMPLE) for path in SAMPLE.rglob("*.csv"))
    assert [name for name in made if (tmp_path / name).read_bytes() != (SAMPLE / name).read_bytes()] == []


@pytest.mark.parametrize("round_id", ["round-01", "round-02"])
def test_an_item_version_is_the_digest_of_its_answer(round_id: str) -> None:
    frame = rows(SAMPLE / round_id / "frame.csv")
    assert len({row["item_id"] for row in frame}) == len(frame)
    assert [r for r in frame if r["item_version"] != sha256(r["answer"].encode()).hexdigest()[:8]] == []


def test_the_adjudicator_decides_exactly_the_contested_items_of_the_second_round() -> None:
    answers: dict[str, set[str]] = {}
    for (item, _), label in labels("round-02").items():
        answers.setdefault(item, set()).update({label} - {""})
    contested = {item for item, said in answers.items() if len(said) == 2}
    decided = rows(SAMPLE / "round-02" / "adjudications.csv")
    assert {row["item_id"] for row in decided} == contested
    assert len(decided) == len(contested)
    assert all(row["label"] in ("within", "beyond") and row["reason"] for row in decided)


def test_no_item_is_in_both_rounds() -> None:
    first, second = ({row["item_id"] for row in rows(SAMPLE / name / "frame.csv")} for name in ("round-01", "round-02"))
    assert first & second == set()


def test_study_and_round_files_of_the_sample_can_be_read() -> None:
    for version, round_id in (("1.0", "round-01"), ("2.0", "round-02")):
        study = parse_study((SAMPLE / f"study-{version}.yaml").read_bytes(), f"study-{version}.yaml")
        round_file = parse_round((SAMPLE / round_id / "round.yaml").read_bytes(), "round.yaml")
        assert round_file.guideline_version == study.guideline.version == version
        assert round_file.study == study.study
        assert all((SAMPLE / round_id / name).exists() for name in (*round_file.files, str(round_file.frame)))


def load_generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_sample", SAMPLE / "make_sample.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_sample"] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module
