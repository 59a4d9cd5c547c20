"""Every figure printed in the literature, or by another package, that these coefficients must give."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agreement.alpha import krippendorff_alpha
from agreement.alpha_values import krippendorff_alpha_values
from agreement.brennan_prediger import brennan_prediger
from agreement.conger import conger_kappa, light_kappa
from agreement.counts import count_vectors, merge_vectors, pair_counts, patterns_from_wide, vectors_of_pairs
from agreement.fleiss import fleiss_category_kappa, fleiss_kappa
from agreement.gwet import gwet_ac1, gwet_ac2
from agreement.indices import bias_index, prevalence_index
from agreement.kappa import (
    category_kappa,
    category_pi,
    cohen_kappa,
    expected_agreement,
    max_kappa,
    scott_pi,
    share_of_max,
    weighted_kappa,
)
from agreement.percent import percent_agreement, percent_agreement_pooled_pairs
from agreement.resample import bootstrap, jackknife_standard_error, percentile
from agreement.specific import jaccard, specific_agreement
from agreement.standard_error import (
    alpha_standard_error,
    cohen_kappa_standard_error,
    conger_standard_error,
    fleiss_null_standard_error,
    gwet_standard_error,
    linearised_standard_error,
    pair_standard_error,
    t_interval,
)
from agreement.symmetry import mcnemar
from agreement.weights import agreement_weights

HERE = Path(__file__).parent
COPIED = json.loads((HERE.parent / "published" / "coefficients.json").read_text())
SHARED = HERE.parents[1].parent / "shared" / "golden" / "published.json"
NOT_HERE = ("planning", "alt_test", "alt_test_external")  # test_planning.py and the alt-test's own file
WEIGHTS = ("linear", "quadratic", "ordinal", "radical", "ratio", "circular", "bipolar")

# Weights and distances that a case states in words, as agreement weights.
CUSTOM = {
    "cohen1960_table2": 1 - np.array([[0, 1, 3], [1, 0, 6], [3, 6, 0]]) / 6,
    "artstein_poesio2008_table4": 1 - np.array([[0, 1, 0.5], [1, 0, 0.5], [0.5, 0.5, 0]]),
}


class Case:
    """The data of a case in every form a coefficient asks for, and each figure by the name the literature gives it."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.id, self.kind, data = case["id"], case["kind"], case["data"]
        self.codes: Any = None
        self.table: Any = None
        self.values: Any = None
        if self.kind in ("table2x2", "table_kxk"):
            self.table = np.array(data)
            self.categories = [str(k + 1) for k in range(len(data))]
            self.vectors, self.times = vectors_of_pairs(self.table)
        elif self.kind == "counts":
            self.categories = data["categories"]
            self.vectors, self.times = merge_vectors(data["counts"])
        else:
            used = {v for row in data["ratings"] for v in row if v is not None}
            self.categories = data.get("categories") or sorted(used, key=str)
            self.patterns = patterns_from_wide(_matrix(data), self.categories)
            self.codes = self.patterns.codes
            self.vectors, self.times = count_vectors(self.patterns)
            if self.codes.shape[1] == 2:
                self.table = pair_counts(self.patterns, 0, 1)
        if all(isinstance(c, int | float) for c in self.categories):
            self.values = self.categories

    def figure(self, name: str) -> Any:
        for ending, answer in (
            ("_ci95_gwet", self.gwet_interval),
            ("_se_gwet", self.gwet_error),
            ("_se_jackknife", self.jackknife_error),
            ("_se_linearised", self.linearised_error),
        ):
            if name.endswith(ending):
                return answer(name.removesuffix(ending))
        if name in PLAIN:
            return PLAIN[name](self)
        base, _, weights = name.rpartition("_")
        if weights in WEIGHTS:
            return WEIGHTED[base](self, weights)
        return WEIGHTED[name.partition("_custom_")[0]](self, CUSTOM[self.id])

    def gwet_error(self, name: str) -> float:
        coefficient, weights = _coefficient(name)
        if self.kind in ("table2x2", "table_kxk"):
            if coefficient == "cohen_kappa":
                return cohen_kappa_standard_error(self.table, weights or "identity", self.values)
            return pair_standard_error(coefficient, self.table, weights, self.values)
        if coefficient == "conger_kappa":
            c = len(self.categories)
            return conger_standard_error(self.codes, self.patterns.multiplicity, c, weights, self.values, gwet=True)
        return gwet_standard_error(coefficient, self.vectors, self.times, weights, self.values)

    def gwet_interval(self, name: str) -> list[float]:
        found = t_interval(self.figure(name), self.gwet_error(name), int(self.times.sum()))
        assert found.lower is not None
        assert found.upper is not None
        return [found.lower, found.upper]

    def jackknife_error(self, name: str) -> float:
        statistic = krippendorff_alpha if name.startswith("krippendorff") else STATISTICS[name]
        found = bootstrap(lambda t: {"x": statistic(self.vectors, t)}, self.times, resamples=1, seed=0)
        return jackknife_standard_error(found["x"])

    def linearised_error(self, name: str) -> float:
        if name.startswith("krippendorff"):
            return alpha_standard_error(self.vectors, self.times, name.rpartition("_")[2], self.values)
        coefficient, weights = _coefficient(name)
        return linearised_standard_error(coefficient, self.vectors, self.times, weights, self.values)


def _matrix(data: dict[str, Any]) -> Any:
    return np.array(data["ratings"], dtype=data["dtype"]) if "dtype" in data else data["ratings"]


def _coefficient(name: str) -> tuple[Any, str | None]:
    base, _, last = name.rpartition("_")
    weights = last if last in WEIGHTS else None
    stem = base if weights or last == "nominal" else name
    same = {
        "scott_pi": "fleiss_kappa",
        "krippendorff_alpha": "fleiss_kappa",
        "gwet_ac1": "gwet_ac",
        "gwet_ac2": "gwet_ac",
    }
    return same.get(stem, stem), weights


STATISTICS: dict[str, Any] = {
    "percent_agreement": percent_agreement,
    "fleiss_kappa": fleiss_kappa,
    "gwet_ac1": gwet_ac1,
    "brennan_prediger": brennan_prediger,
}


def _pi(c: Case, weights: Any = None) -> float:
    return scott_pi(c.table, weights, c.values)


def _by_category(c: Case, figures: Any) -> dict[str, float]:
    return dict(zip([str(k) for k in c.categories], np.asarray(figures).tolist(), strict=True))


def _conger(c: Case, weights: Any = None) -> float:
    return conger_kappa(c.codes, c.patterns.multiplicity, len(c.categories), weights, c.values)


def _light(c: Case, weights: Any = None) -> float:
    return light_kappa(c.codes, c.patterns.multiplicity, len(c.categories), weights, c.values)


def _alpha(metric: str) -> Any:
    return lambda c: krippendorff_alpha(c.vectors, c.times, metric, c.values)


def _alpha_of_weights(c: Case, weights: Any) -> float:
    matrix = agreement_weights(weights, len(c.categories), c.values)
    return krippendorff_alpha(c.vectors, c.times, 1 - matrix)


def _specific_weighted(c: Case, weights: Any) -> dict[str, float]:
    matrix = agreement_weights(weights, len(c.categories), c.values)
    return _by_category(c, specific_agreement(c.vectors, c.times, matrix))


WEIGHTED: dict[str, Any] = {
    "cohen_kappa": lambda c, w: weighted_kappa(c.table, w, c.values),
    "scott_pi": _pi,
    "fleiss_kappa": lambda c, w: fleiss_kappa(c.vectors, c.times, w, c.values),
    "gwet_ac2": lambda c, w: gwet_ac2(c.vectors, c.times, w, c.values),
    "brennan_prediger": lambda c, w: brennan_prediger(c.vectors, c.times, w, c.values),
    "percent_agreement": lambda c, w: percent_agreement(c.vectors, c.times, w, c.values),
    "conger_kappa": _conger,
    "light_kappa": _light,
    "krippendorff_alpha": _alpha_of_weights,
    "krippendorff_alpha_weights": _alpha_of_weights,
    "specific_agreement": _specific_weighted,
}
ALPHAS = {f"krippendorff_alpha_{m}": _alpha(m) for m in ("nominal", "ordinal", "interval", "ratio")}
PLAIN: dict[str, Any] = {
    **ALPHAS,
    "percent_agreement": lambda c: percent_agreement(c.vectors, c.times),
    "percent_agreement_pooled_pairs": lambda c: percent_agreement_pooled_pairs(c.vectors, c.times),
    "cohen_kappa": lambda c: cohen_kappa(c.table),
    "cohen_kappa_expected_agreement": lambda c: expected_agreement(c.table),
    "cohen_kappa_max": lambda c: max_kappa(c.table),
    "share_of_max": lambda c: share_of_max(c.table),
    "cohen_kappa_ase": lambda c: cohen_kappa_standard_error(c.table),
    "cohen_kappa_ase_null": lambda c: cohen_kappa_standard_error(c.table, null=True),
    "scott_pi": _pi,
    "gwet_ac1": lambda c: gwet_ac1(c.vectors, c.times),
    "brennan_prediger": lambda c: brennan_prediger(c.vectors, c.times),
    "pabak": lambda c: brennan_prediger(c.vectors, c.times),
    "fleiss_kappa": lambda c: fleiss_kappa(c.vectors, c.times),
    "fleiss_kappa_marginals_from_items_with_2plus": lambda c: fleiss_kappa(
        c.vectors, c.times, marginals="items-with-two-or-more"
    ),
    "fleiss_kappa_null_se": lambda c: fleiss_null_standard_error(c.vectors, c.times),
    "fleiss_kappa_null_z": lambda c: fleiss_kappa(c.vectors, c.times) / fleiss_null_standard_error(c.vectors, c.times),
    "fleiss_category_kappa": lambda c: _by_category(c, fleiss_category_kappa(c.vectors, c.times)),
    "category_kappa_cohen_one_vs_rest": lambda c: _by_category(c, category_kappa(c.table)),
    "category_kappa_pi_type": lambda c: _by_category(c, category_pi(c.table)),
    "conger_kappa": _conger,
    "light_kappa": _light,
    "specific_agreement": lambda c: _by_category(c, specific_agreement(c.vectors, c.times)),
    "positive_agreement": lambda c: specific_agreement(c.vectors, c.times)[0],
    "negative_agreement": lambda c: specific_agreement(c.vectors, c.times)[1],
    "jaccard_positive": lambda c: jaccard(c.vectors, [True, False], c.times),
    "prevalence_index": lambda c: prevalence_index(c.table),
    "bias_index": lambda c: bias_index(c.table),
    "mcnemar_exact_p": lambda c: mcnemar(c.table).p_exact,
    "mcnemar_chi2": lambda c: mcnemar(c.table).chi2,
    "mcnemar_chi2_cc": lambda c: mcnemar(c.table).chi2_corrected,
}


def _wrong(found: Any, expected: Any, tolerance: float) -> bool:
    if isinstance(expected, dict):
        return set(found) != set(expected) or any(_wrong(found[k], expected[k], tolerance) for k in expected)
    if isinstance(expected, list):
        return any(_wrong(f, e, tolerance) for f, e in zip(found, expected, strict=True))
    if expected is None:
        return not math.isnan(found)
    return not abs(found - expected) <= tolerance


def _check(case: dict[str, Any]) -> None:
    known = Case(case)
    skipped = {"by_group", "exact_item_bootstrap"}  # have their own tests below
    found = {name: known.figure(name) for name in case["expect"] if name not in skipped}
    wrong = {n: (f, case["expect"][n]) for n, f in found.items() if _wrong(f, case["expect"][n], case["tolerance"])}
    assert not wrong


def _plain_cases(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(c, id=c["id"]) for c in cases if c["kind"] not in (*NOT_HERE, "reference_to_case")]


@pytest.mark.parametrize("case", _plain_cases(COPIED))
def test_every_printed_figure_is_reproduced(case: dict[str, Any]) -> None:
    _check(case)


def test_the_copied_figures_are_those_of_the_shared_file() -> None:
    if not SHARED.exists():
        pytest.skip("the shared golden file is not beside this checkout")
    shared = {c["id"]: c for c in json.loads(SHARED.read_text()) if c["kind"] not in NOT_HERE}
    assert {c["id"]: (c["data"], c["expect"], c["tolerance"]) for c in COPIED} == {
        k: (c["data"], c["expect"], c["tolerance"]) for k, c in shared.items()
    }


def _copied(case_id: str) -> dict[str, Any]:
    return next(c for c in COPIED if c["id"] == case_id)


@pytest.mark.parametrize("group", ["F", "M"])
def test_a_group_keeps_the_categories_of_the_whole(group: str) -> None:
    case = _copied("gwet_raw_gender")
    rows = [r for r, g in zip(case["data"]["ratings"], case["data"]["groups"], strict=True) if g == group]
    part = Case({**case, "data": {**case["data"], "ratings": rows}})
    expected = dict(case["expect"]["by_group"][group])
    assert expected.pop("n_items") == part.times.sum()
    assert not any(_wrong(part.figure(name), value, case["tolerance"]) for name, value in expected.items())


def _bootstrapped(c: Case, resamples: int) -> Any:
    def statistics(times: Any) -> dict[str, Any]:
        return {
            "percent_agreement": percent_agreement(c.vectors, times),
            "krippendorff_alpha_nominal": krippendorff_alpha(c.vectors, times),
            "krippendorff_alpha_ordinal": krippendorff_alpha(c.vectors, times, "ordinal"),
            "krippendorff_alpha_interval": krippendorff_alpha(c.vectors, times, "interval"),
            "gwet_ac1": gwet_ac1(c.vectors, times),
            "positive_agreement": specific_agreement(c.vectors, times)[..., 1],
        }

    return bootstrap(statistics, c.times, resamples=resamples, seed=12345)


def test_the_bootstrap_tends_to_the_exact_distribution_over_all_resamples() -> None:
    """Authority: enumeration of all 7**7 resamples (case bootstrap_exact_7items)."""
    case = _copied("bootstrap_exact_7items")
    known, resamples = Case(case), 40_000
    found = _bootstrapped(known, resamples)
    cells = np.flatnonzero(known.table)

    def kappa(times: Any) -> dict[str, Any]:
        tables = np.zeros((*times.shape[:-1], 4))
        tables[..., cells] = times
        return {"x": cohen_kappa(tables.reshape(*times.shape[:-1], 2, 2))}

    found["cohen_kappa"] = bootstrap(kappa, known.table.ravel()[cells], resamples=resamples, seed=1)["x"]
    for name, exact in case["expect"]["exact_item_bootstrap"].items():
        replicates = found[name].replicates
        defined = replicates[~np.isnan(replicates)]
        share = exact["undefined_share"]
        error = 4 / math.sqrt(resamples)
        assert abs(np.isnan(replicates).mean() - share) <= error * math.sqrt(share * (1 - share)), name
        assert abs(defined.mean() - exact["mean"]) <= error * exact["sd"], name
        assert abs(defined.std() - exact["sd"]) <= 2 * error * exact["sd"], name
        if share <= 0.01:
            bounds = percentile(found[name].value, replicates, 0.95)
            quantiles = exact["quantiles_inverse_cdf_of_defined"]
            assert (bounds.lower, bounds.upper) == pytest.approx((quantiles["0.025"], quantiles["0.975"])), name


def test_the_bootstrap_of_alpha_agrees_with_200_000_resamples_made_elsewhere() -> None:
    case = _copied("bootstrap_mc_hayes_krippendorff")
    found = _bootstrapped(Case(_copied(case["data"]["case"])), 20_000)
    for name, expected in case["expect"]["item_bootstrap"].items():
        bounds = percentile(found[name].value, found[name].replicates, 0.95)
        assert [bounds.lower, bounds.upper] == pytest.approx(expected["percentile_ci95"], abs=case["tolerance"]), name
        assert np.nanstd(found[name].replicates) == pytest.approx(expected["sd"], abs=case["tolerance"]), name


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_of_values_is_alpha_of_count_vectors(metric: Any) -> None:
    for case_id in ("krippendorff2011_C", "hayes_krippendorff2007", "dtype_uint8_interval"):
        case = _copied(case_id)
        known = Case(case)
        matrix = np.array([[np.nan if v is None else v for v in row] for row in case["data"]["ratings"]])
        expected = krippendorff_alpha(known.vectors, known.times, metric, known.values)
        assert krippendorff_alpha_values(matrix, metric) == pytest.approx(expected, abs=1e-12)
