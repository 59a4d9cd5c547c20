"""What no public function may do: give a number, or numpy's own error, for counts that cannot be counts."""

from __future__ import annotations

import inspect
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import agreement
from agreement import Flags, Patterns, Resampled, Rule, SliceEvidence
from agreement.errors import GoldgateError
from agreement.flag_statistics import FLAG_STATISTICS

PAIR = [[6, 21], [14, 459]]
VECTORS, TIMES = [[2, 0], [1, 1], [0, 2]], [6, 35, 459]
CODES = [[0, 0], [0, 1], [1, 0], [1, 1]]
MASK = [True, False]
PATTERNS = Patterns(("a", "b"), ("flag", "no"), np.array(CODES), np.array([6, 21, 14, 459]))
CELLS = Flags(*(np.array(x) for x in ([0, 1, 2], [2, 2, 2], [0, 0, 0], [9, 4, 5])), cells=np.array([0, 0, 1]))
FLAGS = agreement.two_annotator_flags(6, 21, 14, 459)
DRAWN = Resampled(0.5, np.linspace(0.3, 0.7, 200), np.array([0.45, 0.5, 0.56]), np.array([5.0, 6.0, 5.0]))
PSA = FLAG_STATISTICS["positive_specific_agreement"]
TWENTIETH = Fraction(1, 20)
RULE = Rule("all", "positive_specific_agreement", at_least="0.40")
TABLE, COUNTS = {"pair_counts": PAIR}, {"count_vectors": VECTORS, "multiplicity": TIMES}
FLAGGED = {"count_vectors": VECTORS, "positive": MASK, "multiplicity": TIMES}
WEIGHTED = {"weights": "linear", "values": [0, 1]}
CODED = {"codes": CODES, "multiplicity": [6, 21, 14, 459], "n_categories": 2}
COMPARED = {"figures": agreement.all_figures(2), "drawing": agreement.Drawing(seed=1, resamples=20)}
SAID = {"item": [1, 1], "annotator": ["a", "b"], "label": ["flag", "no"], "categories": ["flag", "no"]}

# A sound call of every public function.
SOUND: dict[str, dict[str, Any]] = {
    "agreement_weights": {"weights": "linear", "n_categories": 2, "values": [0, 1]},
    "all_figures": {"n_categories": 2, "positive": MASK},
    "all_pairs": {"patterns": PATTERNS},
    "alpha_standard_error": COUNTS | {"metric": "interval", "values": [0, 1]},
    "alt_test": CODED | {"model": [0, 1, 0, 1], "epsilon": 0.2, "values": [0, 1], "scoring": "neg_rmse", "q": 0.05},
    "as_exact": {"counts": TIMES},
    "bias_index": TABLE,
    "bootstrap": {"statistics": lambda t: {"x": t.sum(axis=-1)}, "multiplicity": TIMES, "resamples": 10, "seed": 1},
    "bound_alpha": {"level": "0.95", "attempts": 2},
    "bowker": TABLE,
    "brennan_prediger": COUNTS | WEIGHTED,
    "category_kappa": TABLE,
    "category_pi": TABLE,
    "chance_positive_specific_agreement": TABLE | {"positive": MASK},
    "check_rules": {"rules": [RULE], "categories": ["flag", "no"], "positive": [], "n_annotators": 2, "slices": []},
    "cohen_kappa": TABLE,
    "cohen_kappa_standard_error": TABLE | WEIGHTED,
    "collapsed_pairs": TABLE | {"positive": MASK},
    "compare_annotators": COMPARED | {"patterns": PATTERNS, "first": ["a", "b"], "second": ["b", "a"]},
    "compare_slices": COMPARED | {"first": PATTERNS, "second": PATTERNS},
    "compare_statistics": COMPARED | {"patterns": PATTERNS, "first": "cohen_kappa", "second": "gwet_ac1"},
    "conger_kappa": CODED | WEIGHTED,
    "conger_standard_error": CODED | WEIGHTED,
    "contested_share": FLAGGED,
    "count_vectors": {"patterns": PATTERNS},
    "detectable_difference": {"n": 220, "discordance": 0.3, "alpha": 0.05, "power": 0.8},
    "difference": {"first": DRAWN, "second": DRAWN, "paired": True},
    "estimate_flag_statistics": {"patterns": PATTERNS, "positive": MASK, "alpha": TWENTIETH},
    "estimate_many": COUNTS
    | WEIGHTED
    | {"seed": 1, "resamples": 20, "level": 0.95, "method": "bca", "metric": "ordinal"},
    "estimate_pair": TABLE | WEIGHTED | {"seed": 1, "resamples": 20, "level": 0.95, "method": "bca", "positive": MASK},
    "exactly": {},
    "expected_agreement": TABLE,
    "extremes": {"statistic": PSA, "flags": FLAGS},
    "flags_of": {"patterns": PATTERNS, "positive": MASK},
    "fleiss_category_kappa": COUNTS,
    "fleiss_kappa": COUNTS | WEIGHTED | {"marginals": "all-items"},
    "fleiss_null_standard_error": COUNTS,
    "gwet_ac1": COUNTS,
    "gwet_ac2": COUNTS | WEIGHTED,
    "gwet_standard_error": COUNTS | WEIGHTED | {"coefficient": "fleiss_kappa"},
    "interval": {"resampled": DRAWN, "level": 0.95, "method": "bca"},
    "item_agreement": {"count_vectors": VECTORS},
    "items_for_cohen_kappa": {"rate1": 0.5, "rate2": 0.5, "k0": 0.7, "k1": 0.85, "alpha": 0.05, "power": 0.8},
    "items_for_intraclass_kappa": {
        "kappa0": 0.4,
        "kappa1": 0.6,
        "prevalence": 0.3,
        "raters": 3,
        "alpha": 0.05,
        "power": 0.8,
    },
    "items_for_kappa_at_marginals": {"marginals": [0.2, 0.8], "k0": 0.4, "k1": 0.6, "alpha": 0.05, "power": 0.8},
    "jaccard": FLAGGED,
    "jackknife_bca": {
        "value": 0.5,
        "replicates": DRAWN.replicates,
        "jackknife": DRAWN.jackknife,
        "jackknife_weights": DRAWN.jackknife_weights,
        "level": 0.95,
    },
    "jackknife_standard_error": {"resampled": DRAWN},
    "joint_positive_rate": FLAGGED,
    "joint_positives": FLAGGED,
    "judge": {"rules": [RULE], "slices": {"all": SliceEvidence(PATTERNS, ("flag",))}, "level": "0.95", "attempts": 1},
    "krippendorff_alpha": COUNTS | {"metric": "interval", "values": [0, 1]},
    "krippendorff_alpha_values": {"values": [[1.0, 2.0], [3.0, np.nan], [1.0, 1.5]], "metric": "interval"},
    "krippendorff_alpha_within": COUNTS | {"whole": TIMES, "metric": "interval", "values": [0, 1]},
    "leave_one_annotator_out": {"patterns": PATTERNS, "statistic": agreement.percent_agreement},
    "light_kappa": CODED | WEIGHTED,
    "linearised_standard_error": COUNTS | WEIGHTED | {"coefficient": "fleiss_kappa"},
    "lowest_pair": {"patterns": PATTERNS, "positive": MASK},
    "max_kappa": TABLE,
    "mcnemar": TABLE,
    "merge_vectors": {"vectors": VECTORS, "multiplicity": TIMES},
    "negative_specific_agreement": FLAGGED,
    "never_flags_agreement": TABLE | {"positive": MASK},
    "operating_curves": {"rules": [RULE], "alpha": TWENTIETH, "annotators": 2, "union_positives": 20},
    "pair_agreement": TABLE,
    "pair_agreements": {"patterns": PATTERNS, "positive": MASK},
    "pair_counts": {"patterns": PATTERNS, "first": 0, "second": "b"},
    "pair_standard_error": TABLE | WEIGHTED | {"coefficient": "fleiss_kappa"},
    "pair_tables": CODED | {"first": 0, "second": 1},
    "paired_items": COUNTS,
    "partner_test": {"patterns": PATTERNS, "positive": MASK},
    "pass_probability": {"rules": [RULE], "union_positives": 20, "truth": Fraction(1, 2), "alpha": TWENTIETH},
    "patterns_from_codes": {
        "codes": CODES,
        "annotators": ["a", "b"],
        "categories": ["flag", "no"],
        "multiplicity": [6, 21, 14, 459],
    },
    "patterns_from_long": SAID | {"annotators": ["a", "b"]},
    "patterns_from_wide": {"matrix": [["flag", "no"]], "categories": ["flag", "no"], "annotators": ["a", "b"]},
    "percent_agreement": COUNTS | WEIGHTED,
    "percent_agreement_extremes": {"patterns": PATTERNS},
    "percent_agreement_pooled_pairs": COUNTS,
    "percentile": {"value": 0.5, "replicates": DRAWN.replicates, "level": 0.95},
    "plan_positives": {"agreement": 0.5, "half_width": 0.1, "densities": {"uniform": 0.1}, "attempts": 1},
    "positive_share": FLAGGED,
    "positive_specific_agreement": FLAGGED,
    "prevalence_index": TABLE,
    "ratio_interval": {"y": [0, 1, 2], "z": [1, 2, 2], "multiplicity": [4, 5, 6], "alpha": TWENTIETH},
    "scott_pi": TABLE | WEIGHTED,
    "share_of_max": TABLE,
    "specific_agreement": COUNTS | WEIGHTED,
    "specific_interval": {
        "n_positive": [0, 1, 3],
        "n_labels": [3, 3, 3],
        "multiplicity": [9, 4, 5],
        "alpha": TWENTIETH,
    },
    "stuart_maxwell": TABLE,
    "t_interval": {"value": 0.5, "standard_error": 0.1, "n_items": 20, "level": 0.95},
    "traffic_figure": {"statistic": "jaccard", "flags": CELLS, "pool_items": {0: 90, 1: 10}, "alpha": TWENTIETH},
    "two_annotator_flags": {"both": 6, "first_only": 21, "second_only": 14, "neither": 459},
    "union_positive_rate": FLAGGED,
    "union_positives": FLAGGED,
    "vectors_of_pairs": TABLE,
    "weighted_kappa": TABLE | WEIGHTED,
    "worst_lower": {"statistic": PSA, "flags": FLAGS, "alpha": TWENTIETH},
}

NOT_COUNTS = {
    "negative": [[6, -1], [14, 459]],
    "nan": [[6, math.nan], [14, 459]],
    "infinite": [[6, math.inf], [14, 459]],
    "fractional": [[6, 0.5], [14, 459]],
    "exact fraction": [[6, Fraction(1, 2)], [14, 459]],
    "truth values": [[True, False], [False, True]],
    "text": [["6", "1"], ["14", "459"]],
    "missing": [[6, None], [14, 459]],
    "one axis": [6, 1, 14, 459],
    "no category": np.zeros((0, 0)),
    "ragged": [[6, 1], [14]],
    "a single number": 6,
}
NOT_TIMES = {
    "negative": [6, -1, 459],
    "nan": [6, math.nan, 459],
    "fractional": [6, 0.5, 459],
    "too short": [6, 35],
    "too long": [6, 35, 459, 1, 1],
    "text": ["6", "35", "459"],
    "a single number": 6,
}
NOT_SHARES = {"below 0": -0.1, "above 1": 1.5, "nan": math.nan, "text": "much"}
NOT_LEVELS = NOT_SHARES | {"0": 0, "1": 1}
NOT_WHOLE = {"0": 0, "negative": -2, "fractional": 1.5, "nan": math.nan}

# By the name of the argument: what it may not be.
WRONG: dict[str, dict[str, Any]] = {
    "pair_counts": NOT_COUNTS | {"not square": [[6, 21, 1], [14, 459, 1]]},
    "count_vectors": NOT_COUNTS,
    "vectors": NOT_COUNTS,
    "multiplicity": NOT_TIMES,
    "whole": NOT_TIMES,
    "codes": {
        "fractional": [[0, 0.5], [0, 1], [1, 0], [1, 1]],
        "nan": [[0, math.nan], [0, 1], [1, 0], [1, 1]],
        "of no category": [[0, 2], [0, 1], [1, 0], [1, 1]],
        "one axis": [0, 1, 1, 0],
        "text": [["0", "1"]] * 4,
        "truth values": [[True, False]] * 4,
    },
    "model": {"too short": [0, 1], "fractional": [0, 0.5, 0, 1], "of no category": [0, 1, 0, 2], "text": list("abab")},
    "positive": {
        "too short": [True],
        "too long": [True, False, True],
        "numbers": [2, 0],
        "nan": [math.nan, 0.0],
        "text": ["flag", "no"],
        "two axes": [MASK, MASK],
        "a single one": True,
    },
    "weights": {
        "unknown": "square",
        "of another shape": np.eye(3),
        "nan": [[1, math.nan], [0, 1]],
        "distances": [[0, 1], [1, 0]],
        "text": [["a", "b"], ["c", "d"]],
    },
    "metric": {
        "unknown": "euclid",
        "of another shape": np.eye(3),
        "nan": [[0, math.nan], [1, 0]],
        "weights": np.eye(2),
    },
    "values": {"too few": [1], "nan": [0, math.nan], "text": ["low", "high"], "infinite": [0, math.inf]},
    "counts": {"nan": [1, math.nan], "text": ["a"], "infinite": [math.inf]},
    "n_categories": {"0": 0, "negative": -1},
    "level": NOT_LEVELS,
    "alpha": NOT_LEVELS,
    "power": NOT_LEVELS,
    "q": NOT_SHARES,
    "epsilon": NOT_SHARES,
    "truth": NOT_SHARES,
    "agreement": NOT_SHARES,
    "discordance": NOT_SHARES,
    "prevalence": NOT_SHARES,
    "rate1": NOT_SHARES,
    "rate2": NOT_SHARES,
    "method": {"unknown": "basic"},
    "marginals": {"unknown": "some-items", "not shares": [0.5, 0.9], "negative": [-0.2, 1.2]},
    "scoring": {"unknown": "f1", "of another shape": np.eye(3), "nan": [[1, math.nan], [0, 1]]},
    "coefficient": {"unknown": "kendall"},
    "attempts": NOT_WHOLE,
    "resamples": {"negative": -1, "fractional": 1.5},
    "union_positives": {"negative": -1, "fractional": 1.5},
    "n": {"negative": -1, "nan": math.nan},
    "raters": {"1": 1, "fractional": 2.5},
    "half_width": {"0": 0.0, "negative": -0.1, "nan": math.nan},
    "first": {"no column": 7, "unknown": "z"},
    "second": {"no column": 7, "unknown": "z"},
    "annotators": {"twice": ["a", "a"], "too few": ["a"]},
    "categories": {"twice": ["flag", "flag"], "alike as text": ["1", 1]},
    "n_positive": {"negative": [0, -1, 3], "fractional": [0, 0.5, 3], "nan": [0, math.nan, 3], "too many": [0, 1, 4]},
    "n_labels": {"negative": [3, -3, 3], "fractional": [3, 2.5, 3], "too short": [3, 3]},
    "y": {"above z": [0, 3, 2], "negative": [0, -1, 2], "nan": [0, math.nan, 2], "too short": [0, 1]},
    "z": {"nan": [1, math.nan, 2], "too short": [1, 2]},
    "both": NOT_WHOLE,
    "label": {"too few": ["flag"], "undeclared": ["flag", "maybe"]},
}
# Where a name means something else than in the table above, or what is wrong elsewhere is sound here.
SOUND_HERE = {
    *(("both", case) for case in ("0",)),
    ("krippendorff_alpha_values", "values"),
    ("items_for_kappa_at_marginals", "unknown"),
    ("fleiss_kappa", "not shares"),
    ("fleiss_kappa", "negative"),
    ("difference", "first"),
    ("difference", "second"),
    ("compare_slices", "first"),
    ("compare_slices", "second"),
    ("check_rules", "categories"),
    ("check_rules", "positive"),
    ("bootstrap", "too short"),
    ("bootstrap", "too long"),
    ("operating_curves", "annotators"),
}


def _arguments() -> list[tuple[str, str]]:
    return [(function, name) for function, sound in SOUND.items() for name in sorted(sound.keys() & WRONG.keys())]


def _outcome(function: str, argument: str, value: Any) -> str:
    """ "refused", or what happened instead. One of our ValueErrors starts with an argument's name; numpy's do not."""
    try:
        found = getattr(agreement, function)(**SOUND[function] | {argument: value})
    except GoldgateError:
        return "refused"
    except Exception as error:
        ours = isinstance(error, ValueError) and str(error).split()[0] in {argument, *SOUND[function]}
        return "refused" if ours else f"{type(error).__name__}: {error}"
    return f"gave {found!r}"


def test_every_public_function_has_a_sound_call_here() -> None:
    public = {name for name in agreement.__all__ if not inspect.isclass(getattr(agreement, name))}
    assert public == set(SOUND)


@pytest.mark.parametrize("function", [name for name in SOUND if name != "exactly"])
def test_the_sound_call_is_one(function: str) -> None:
    assert getattr(agreement, function)(**SOUND[function]) is not None


@pytest.mark.parametrize(("function", "argument"), _arguments())
def test_what_cannot_be_is_refused_by_the_name_of_the_argument(function: str, argument: str) -> None:
    outcomes = {
        case: _outcome(function, argument, value)
        for case, value in WRONG[argument].items()
        if not SOUND_HERE & {(function, argument), (function, case), (argument, case)}
    }
    assert {case: outcome for case, outcome in outcomes.items() if outcome != "refused"} == {}


OF_NO_ITEMS = ("mcnemar", "stuart_maxwell", "bowker", "vectors_of_pairs")  # give a test or counts, no one value
EMPTY_TABLE, NO_VECTORS = np.zeros((2, 2), dtype=int), np.zeros((0, 2), dtype=int)


@pytest.mark.parametrize(
    "function", [name for name, sound in SOUND.items() if sound.keys() == {"pair_counts"} and name not in OF_NO_ITEMS]
)
def test_an_empty_table_has_no_value(function: str) -> None:
    assert np.isnan(getattr(agreement, function)(EMPTY_TABLE)).all()


@pytest.mark.parametrize("function", [name for name, sound in SOUND.items() if "count_vectors" in sound])
def test_no_items_have_no_value_and_a_reason(function: str) -> None:
    sound = {k: v for k, v in SOUND[function].items() if k not in ("count_vectors", "multiplicity")}
    if function.endswith("_within"):
        sound["whole"] = []
    if function == "krippendorff_alpha_within" or function not in ("item_agreement",):
        sound["multiplicity"] = []
    found = getattr(agreement, function)(count_vectors=NO_VECTORS, **sound)
    if function == "estimate_many":
        assert {e.status for e in found.values()} == {"undefined: nothing labelled"}
    elif function in ("union_positives", "joint_positives", "paired_items"):
        assert found == 0
    else:
        assert np.isnan(found).all()


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.float32, np.float64])
def test_no_small_type_overflows(dtype: Any) -> None:
    table = np.array([[120, 100], [110, 90]])
    vectors, times = np.array([[100, 0], [90, 30], [0, 120]]), np.array([120, 110, 100])
    for name, sound in SOUND.items():
        statistic = getattr(agreement, name)
        rest = {k: v for k, v in sound.items() if k in ("positive", "weights", "metric", "values", "coefficient")}
        if sound.keys() <= {"pair_counts", "positive", "weights", "values"} and "pair_counts" in sound:
            calls = [{"pair_counts": t, **rest} for t in (table, table.astype(dtype))]
        elif sound.keys() <= {"count_vectors", "multiplicity", *rest} and "multiplicity" in sound:
            calls = [{"count_vectors": v, "multiplicity": t, **rest} for v, t in _both(vectors, times, dtype)]
        else:
            continue
        wide, small = (statistic(**call) for call in calls)
        assert repr(wide) == repr(small), name


def _both(vectors: Any, times: Any, dtype: Any) -> list[tuple[Any, Any]]:
    return [(vectors, times), (vectors.astype(dtype), times.astype(dtype))]
