"""The alternative annotator test against the authors' printed figures, and its edges."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from agreement import AltTest, alt_test
from agreement.alternative_annotator import benjamini_yekutieli

HERE = Path(__file__).parent
CASE = json.loads((HERE.parent / "published" / "alt_test.json").read_text())
SHARED = HERE.parents[1].parent / "shared"
AUTHORS_DATA = SHARED / "data" / "alttest"  # the folder `data` of the repository nitaytech/AltTest


def _matrix(humans: dict[str, dict[str, Any]], model: dict[str, Any]) -> tuple[Any, Any, list[Any]]:
    """Codes of the annotators and of the model, and the answers they stand for."""
    items = sorted({item for answers in (*humans.values(), model) for item in answers})
    answers = sorted({a for given in (*humans.values(), model) for a in given.values()})
    code = {answer: k for k, answer in enumerate(answers)}
    codes = [[code.get(given.get(item), -1) for given in humans.values()] for item in items]
    return np.array(codes), [code.get(model.get(item), -1) for item in items], answers


@pytest.mark.parametrize("name", CASE["expect"])
def test_the_authors_figures_are_reproduced(name: str) -> None:
    data, expected = CASE["data"], CASE["expect"][name]
    codes, model, answers = _matrix(data["humans"], data["llm"])
    scoring, _, epsilon = name.partition("_eps_")
    found = alt_test(
        codes, model, epsilon=float(epsilon), scoring=scoring, values=answers, q=data["q_fdr"],
        fewest_annotators=data["min_humans_per_instance"], fewest_items=data["min_instances_per_human"],
    )  # fmt: skip
    people = list(data["humans"])
    assert found.winning_rate == pytest.approx(expected["winning_rate"], abs=CASE["tolerance"])
    assert found.advantage_probability == pytest.approx(expected["advantage_prob"], abs=CASE["tolerance"])
    p_values = {people[a.column]: a.p_value for a in found.annotators}
    assert p_values == pytest.approx(expected["p_values"], abs=CASE["tolerance"])
    assert [people[a.column] for a in found.annotators if a.beaten] == expected["rejected"]
    assert found.skipped == (people.index("D"),)


def test_the_copied_case_is_that_of_the_shared_file() -> None:
    golden = SHARED / "golden" / "published.json"
    if not golden.exists():
        pytest.skip("the shared golden file is not beside this checkout")
    shared = next(c for c in json.loads(golden.read_text()) if c["id"] == CASE["id"])
    assert {key: shared[key] for key in ("data", "expect", "tolerance")} == {
        key: CASE[key] for key in ("data", "expect", "tolerance")
    }


def test_the_papers_52_runs_are_reproduced() -> None:
    if not AUTHORS_DATA.exists():
        pytest.skip("the authors' data sets (nitaytech/AltTest) are not beside this checkout")
    golden = json.loads((SHARED / "golden" / "published.json").read_text())
    runs = next(c for c in golden if c["kind"] == "alt_test_external")["expect"]["runs"]
    for run in runs:
        folder = AUTHORS_DATA / run["dataset"]
        humans = json.loads((folder / "human_annotations.json").read_text())
        models = json.loads((folder / "llm_annotations.json").read_text())
        codes, model, answers = _matrix(humans, models[run["llm"]])
        values = answers if run["scoring"] == "neg_rmse" else None
        found = alt_test(codes, model, epsilon=run["epsilon"], scoring=run["scoring"], values=values)
        assert found.winning_rate == pytest.approx(run["winning_rate"], abs=1e-9), run
        assert found.advantage_probability == pytest.approx(run["advantage_prob"], abs=1e-9), run
        assert len(found.annotators) == run["n_humans"], run


def _random(seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, size=(80, 1))
    codes = np.where(rng.random((80, 4)) < 0.7, truth, rng.integers(0, 3, size=(80, 4)))
    codes[rng.random((80, 4)) < 0.15] = -1
    model = np.where(rng.random(80) < 0.8, truth[:, 0], rng.integers(0, 3, size=80))
    return codes, model


@pytest.mark.parametrize("seed", range(5))
def test_p_values_are_those_of_scipys_t_test_and_rejections_those_of_statsmodels(seed: int) -> None:
    """Authority: scipy ttest_1samp(d, epsilon, alternative="less"), statsmodels multipletests(method="fdr_by")."""
    codes, model = _random(seed)
    found = alt_test(codes, model, epsilon=0.15, fewest_items=10)
    for a in found.annotators:
        others = np.delete(codes, a.column, axis=1)
        rows = ((codes >= 0).sum(axis=1) >= 2) & (codes[:, a.column] >= 0)
        own = (others[rows] == codes[rows, a.column][:, None]).sum(axis=1)
        models = (others[rows] == model[rows][:, None]).sum(axis=1)
        d = (own >= models).astype(float) - (models >= own)
        assert a.p_value == pytest.approx(stats.ttest_1samp(d, 0.15, alternative="less").pvalue, abs=1e-12)
    theirs = multipletests([a.p_value for a in found.annotators], alpha=0.05, method="fdr_by")[0]
    assert [a.beaten for a in found.annotators] == theirs.tolist()


def test_rows_with_a_multiplicity_are_so_many_items() -> None:
    codes, model = _random(7)
    both = np.column_stack([codes, model])
    distinct, times = np.unique(both, axis=0, return_counts=True)
    assert alt_test(distinct[:, :-1], distinct[:, -1], times, 3, epsilon=0.1) == alt_test(codes, model, epsilon=0.1)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_the_order_of_items_and_annotators_and_the_names_of_categories_change_nothing(seed: int, random: Any) -> None:
    codes, model = _random(seed)
    rows, columns, names = list(range(80)), list(range(4)), list(range(3))
    for order in (rows, columns, names):
        random.shuffle(order)
    renamed = np.array([*names, -1])  # the last entry answers for no label
    other = alt_test(renamed[codes][rows][:, columns], renamed[model][rows], None, 3, epsilon=0.1)
    found = {a.column: a for a in alt_test(codes, model, None, 3, epsilon=0.1).annotators}
    for a in other.annotators:
        same = found[columns[a.column]]
        assert (a.n_items, a.model_advantage, a.beaten) == (same.n_items, same.model_advantage, same.beaten)
        assert a.p_value == pytest.approx(same.p_value, abs=1e-12)


def test_equal_shares_as_similarities_are_accuracy() -> None:
    codes, model = _random(8)
    assert alt_test(codes, model, epsilon=0.1, scoring=np.eye(3)) == alt_test(codes, model, epsilon=0.1)


def _two(n: int, model: list[int]) -> AltTest:
    return alt_test(np.zeros((n, 2), dtype=int), model, epsilon=0.2)


def test_differences_that_are_all_alike_need_no_spread() -> None:
    assert [a.p_value for a in _two(30, [0] * 30).annotators] == [0.0, 0.0]
    assert _two(30, [0] * 30).passes
    assert [a.p_value for a in _two(30, [1] * 30).annotators] == [1.0, 1.0]


def test_all_differences_equal_to_epsilon_decide_nothing() -> None:
    found = alt_test(np.zeros((30, 2), dtype=int), [0] * 30, epsilon=0.0)
    assert all(math.isnan(a.p_value) and not a.beaten for a in found.annotators)
    assert (found.winning_rate, found.passes) == (0.0, False)


def test_nobody_with_enough_items_is_undefined_with_a_reason() -> None:
    found = _two(29, [0] * 29)
    assert math.isnan(found.winning_rate)
    assert math.isnan(found.advantage_probability)
    assert not found.passes
    assert found.skipped == (0, 1)
    assert found.status == "undefined: no annotator has 30 items to compare"


# The step-up rejects everything up to the last p value under its line, though an earlier one lies above its own.
BENJAMINI_YEKUTIELI = [
    ([0.02, 0.03, 0.026], [True, True, True], 0.06),
    ([0.01], [True], 0.01),
    ([0.011], [False], 0.01),
    ([math.nan, 0.0], [False, True], 0.05),
]


@pytest.mark.parametrize(("p_values", "rejected", "q"), BENJAMINI_YEKUTIELI)
def test_the_false_discovery_rate_is_held_by_a_step_up(p_values: list[float], rejected: list[bool], q: float) -> None:
    assert benjamini_yekutieli(p_values, q) == rejected
