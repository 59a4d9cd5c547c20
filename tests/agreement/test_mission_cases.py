"""The tables of the mission, every fraction exactly.

The facts stand here as a table: counts of two annotators on one yes/no question, and the fractions that follow from
each definition by hand. Where the shared golden file is present, each of its numbers is compared as well.
"""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from agreement.alpha import krippendorff_alpha
from agreement.beta_interval import specific_interval
from agreement.brennan_prediger import brennan_prediger
from agreement.counts import count_vectors, pair_counts, patterns_from_wide
from agreement.exact import exactly
from agreement.flags import two_annotator_flags
from agreement.gwet import gwet_ac1
from agreement.kappa import cohen_kappa, expected_agreement, max_kappa, scott_pi, share_of_max
from agreement.percent import percent_agreement
from agreement.planning import budget, plan_positives, square_root_half_width
from agreement.readings import SliceEvidence, read
from agreement.rules import Rule
from agreement.specific import (
    chance_positive_specific_agreement,
    contested_share,
    jaccard,
    joint_positive_rate,
    negative_specific_agreement,
    never_flags_agreement,
    positive_share,
    positive_specific_agreement,
    union_positive_rate,
)

GOLDEN = Path(__file__).parents[2].parent / "shared" / "golden" / "mission_cases.json"
POSITIVE = [True, False]

ORDER = (
    "percent_agreement",
    "cohen_kappa_expected_agreement",
    "cohen_kappa",
    "cohen_kappa_max",
    "share_of_max",
    "scott_pi",
    "gwet_ac1",
    "krippendorff_alpha_nominal",
    "positive_specific_agreement",
    "negative_specific_agreement",
    "union_positive_rate",
    "joint_positive_rate",
    "jaccard_positive",
    "contested_share",
    "always_negative_vs_first",
    "always_negative_vs_second",
)

# (both, first only, second only, neither), then the statistics in the order above.
TABLES = {
    "psa_500": (
        (6, 21, 14, 459),
        "93/100 11379/12500 246/1121 946/1121 123/473 9791/44791 420209/455209 9826/44791 12/47 918/953 41/500 3/250 "
        "6/41 35/41 473/500 24/25",
    ),
    "kappa_1000": (
        (4, 18, 22, 956),
        "24/25 119143/125000 857/5857 5357/5857 857/5357 107/732 14268/14893 1717/11712 1/6 239/244 11/250 1/250 "
        "1/11 10/11 489/500 487/500",
    ),
    "balanced_10": ((4, 1, 1, 4), "4/5 1/2 3/5 1 3/5 3/5 3/5 31/50 4/5 4/5 3/5 2/5 2/3 1/3 1/2 1/2"),
    "skewed_10": ((0, 1, 1, 8), "4/5 41/50 -1/9 1 -1/9 -1/9 31/41 -1/18 0 8/9 1/5 0 0 1 9/10 9/10"),
    "harmful_100": (
        (7, 5, 3, 85),
        "23/25 201/250 29/49 44/49 29/44 579/979 3621/4021 581/979 7/11 85/89 3/20 7/100 7/15 8/15 22/25 9/10",
    ),
}


def two_by_two(both, first_only, second_only, neither):
    return np.array([[both, first_only], [second_only, neither]])


def vectors_of(both, first_only, second_only, neither):
    return np.array([[2, 0], [1, 1], [0, 2]]), np.array([both, first_only + second_only, neither])


def everything(cells):
    """Every statistic of one table as a fraction; None where undefined."""
    table, (vectors, times) = two_by_two(*cells), vectors_of(*cells)

    def pairs(statistic, **options):
        return exactly(statistic, table, **options)

    def many(statistic):
        return exactly(statistic, vectors, times)

    def flagged(statistic):
        return exactly(statistic, vectors, positive=POSITIVE, multiplicity=times)

    return {
        "percent_agreement": many(percent_agreement),
        "cohen_kappa_expected_agreement": pairs(expected_agreement),
        "cohen_kappa": pairs(cohen_kappa),
        "cohen_kappa_max": pairs(max_kappa),
        "share_of_max": pairs(share_of_max),
        "scott_pi": pairs(scott_pi),
        "gwet_ac1": many(gwet_ac1),
        "brennan_prediger": many(brennan_prediger),
        "krippendorff_alpha_nominal": many(krippendorff_alpha),
        "positive_specific_agreement": flagged(positive_specific_agreement),
        "negative_specific_agreement": flagged(negative_specific_agreement),
        "union_positive_rate": flagged(union_positive_rate),
        "joint_positive_rate": flagged(joint_positive_rate),
        "jaccard_positive": flagged(jaccard),
        "contested_share": flagged(contested_share),
        "positive_share": flagged(positive_share),
        "chance_positive_specific_agreement": pairs(chance_positive_specific_agreement, positive=POSITIVE),
        "always_negative_vs_first": pairs(lambda t: never_flags_agreement(t, POSITIVE)[0]),
        "always_negative_vs_second": pairs(lambda t: never_flags_agreement(t, POSITIVE)[1]),
    }


@pytest.mark.parametrize("name", TABLES)
def test_every_statistic_of_a_table_is_the_fraction_its_definition_gives(name):
    cells, fractions = TABLES[name]
    expected = dict(zip(ORDER, map(Fraction, fractions.split()), strict=True))
    found = everything(cells)
    assert {key: found[key] for key in expected} == expected


def test_one_category_throughout_leaves_kappa_and_positive_agreement_undefined():
    found = everything((0, 0, 0, 10))
    assert found["percent_agreement"] == 1
    assert found["cohen_kappa"] is None
    assert found["positive_specific_agreement"] is None


def test_an_item_only_one_annotator_labelled_counts_as_missing_and_as_nothing_else():
    # The balanced ten plus one: total 11, paired 10, kappa still 0.6, coverage 10/11.
    first = ["no"] * 5 + ["yes"] * 5 + [None]
    second = ["no"] * 4 + ["yes", "no"] + ["yes"] * 4 + ["yes"]
    patterns = patterns_from_wide(np.array([first, second], dtype=object).T, categories=("no", "yes"))
    assert exactly(cohen_kappa, pair_counts(patterns, 0, 1)) == Fraction(3, 5)
    coverage = read(Rule("all", "coverage", at_least="0"), SliceEvidence(patterns), Fraction(1, 20))
    assert coverage.value == Fraction(10, 11)
    assert coverage.counts == {"paired_items": 10, "items": 11}
    assert count_vectors(patterns)[1].sum() == 11


def test_the_interval_of_the_500_item_table_is_clopper_pearson_on_41_union_positives():
    flags = two_annotator_flags(6, 21, 14, 459)
    found = specific_interval(flags.n_positive, flags.n_labels, flags.multiplicity)
    # Clopper and Pearson on 6 of 41, transformed: 0.1054 to 0.4517.
    assert (found.lower_text, found.upper_text, found.n_eff) == ("0.1054", "0.4517", 41)


def test_the_plan_for_the_500_item_table():
    # Half-widths by the square-root rule from 0.14 at 41; work at 8.2 % union rate, two annotators, 90 s a label.
    assert square_root_half_width(41, 0.14, 100) == pytest.approx(0.08, abs=0.012)
    assert square_root_half_width(41, 0.14, 250) == pytest.approx(0.055, abs=0.006)
    assert budget(100, 0.082).items == pytest.approx(1200, abs=40)
    assert budget(100, 0.082).person_hours == pytest.approx(60, abs=2)
    assert budget(100, 0.41).items == 244
    assert budget(100, 0.41).person_hours == pytest.approx(12, abs=0.5)


@pytest.mark.parametrize(
    ("half_width", "positives", "within", "items", "hours"), [(0.08, 174, 8, 2118, 106), (0.05, 445, 15, 5422, 271)]
)
def test_what_a_half_width_needs(half_width, positives, within, items, hours):
    plan = plan_positives(12 / 47, half_width=half_width, densities={"uniform": 0.082})
    assert plan.union_positives == pytest.approx(positives, abs=within)
    assert plan.budgets["uniform"].items == pytest.approx(items, rel=0.02)
    assert plan.budgets["uniform"].person_hours == pytest.approx(hours, rel=0.02)


def shared_cases():
    return json.loads(GOLDEN.read_text()) if GOLDEN.exists() else []


@pytest.mark.skipif(not GOLDEN.exists(), reason="the shared golden file is not beside this checkout")
def test_the_shared_golden_file_says_the_same():
    tables = [case for case in shared_cases() if case["kind"] == "table2x2"]
    assert len(tables) >= 7
    for case in tables:
        cells = tuple(case["cells"][key] for key in ("both", "a_only", "b_only", "neither"))
        found = everything(cells)
        for key, expected in case.get("expect_exact", {}).items():
            assert found[key] == Fraction(expected), (case["id"], key)
        for key, expected in case["expect"].items():
            if expected is None:
                assert found[key] is None, (case["id"], key)
            else:
                assert math.isclose(found[key], expected, abs_tol=1e-12), (case["id"], key)
