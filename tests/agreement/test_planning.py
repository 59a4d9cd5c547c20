"""How many union positives, items and hours; and sample sizes for kappa from the literature."""

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest

from agreement.errors import ConfigError
from agreement.planning import (
    attempt_level,
    expected_bounds,
    expected_half_width,
    plan_positives,
    positives_for_beta_half_width,
    positives_for_half_width,
    positives_for_lower,
    square_root_rule,
)
from agreement.sample_size import (
    detectable_difference,
    items_for_cohen_kappa,
    items_for_difference,
    items_for_intraclass_kappa,
    items_for_kappa_at_marginals,
)

PUBLISHED = Path(__file__).parents[2].parent / "shared" / "golden" / "published.json"


def test_uniform_sample_and_enriched_strata_are_budgeted_at_their_own_density():
    plan = plan_positives(0.6, half_width=0.1, densities={"uniform": 0.082, "flagged": 0.41})
    assert plan.budgets["uniform"].items == math.ceil(plan.union_positives / 0.082)
    assert plan.budgets["flagged"].items == math.ceil(plan.union_positives / 0.41)
    assert plan.budgets["flagged"].person_hours == pytest.approx(plan.budgets["flagged"].items * 2 * 90 / 3600)


def test_the_square_root_rule_stands_beside_and_asks_for_too_little():
    # 41 union positives: the rule of thumb starts from a half-width of 0.14; the interval has 0.173.
    plan = plan_positives(12 / 47, half_width=0.08, known=(41, 0.14))
    assert plan.square_root_rule == square_root_rule(41, 0.14, 0.08) == 126
    assert plan.square_root_rule < plan.union_positives < plan.union_positives_beta


@pytest.mark.parametrize("agreement", [0.2553, 0.5, 0.8])
@pytest.mark.parametrize("half_width", [0.05, 0.1])
def test_the_beta_plan_is_the_fewest_that_is_enough(agreement, half_width):
    n = positives_for_beta_half_width(agreement, half_width)
    assert expected_half_width(agreement, n) <= half_width < expected_half_width(agreement, n - 1)
    # The linearised plan leaves out the price of never missing more than promised: a few to twenty per cent.
    assert 0.7 * n < positives_for_half_width(agreement, half_width) < n


def test_a_threshold_below_the_value_can_be_reached_and_one_above_cannot():
    n = positives_for_lower(0.6, 0.5)
    assert expected_bounds(0.6, n)[0] >= 0.5 > expected_bounds(0.6, n - 1)[0]
    assert positives_for_lower(0.5, 0.5) is None
    assert plan_positives(0.4, at_least=0.5).budgets == {}


def test_a_further_attempt_costs_level_and_labels():
    assert attempt_level(Fraction(19, 20), 2) == Fraction(39, 40)
    once, twice = plan_positives(0.6, at_least=0.5), plan_positives(0.6, at_least=0.5, attempts=2)
    assert once.union_positives < twice.union_positives


SAMPLE_SIZES = [
    # Number before rounding up; the formulas of Cantor 1996, Flack et al. 1988, Donner and Eliasziw 1992, Connor 1987.
    (lambda: items_for_cohen_kappa(0.5, 0.5, 0.7, 0.85), 116.35389511190591),
    (lambda: items_for_kappa_at_marginals([0.2, 0.25, 0.55], 0.4, 0.6), 100.6133015641362),
    (lambda: items_for_kappa_at_marginals([0.2, 0.25, 0.55], 0.4, 0.6, power=0.9), 135.7982457815127),
    (lambda: items_for_intraclass_kappa(0.4, 0.6, 0.3, raters=3), 105.52088982063758),
    (lambda: detectable_difference(220, 0.3), 0.10290198155585818),
]


@pytest.mark.parametrize(("compute", "expected"), SAMPLE_SIZES)
def test_published_sample_sizes_are_reproduced(compute, expected):
    assert compute() == pytest.approx(expected, rel=1e-6)


def test_two_categories_have_one_table_so_both_kappa_plans_agree():
    # With equal marginals of two categories kappa fixes the table, so the greatest variance is the only one.
    expected = items_for_cohen_kappa(0.3, 0.3, 0.4, 0.6)
    assert items_for_kappa_at_marginals([0.3, 0.7], 0.4, 0.6) == pytest.approx(expected, rel=1e-6)


def test_a_kappa_the_rates_do_not_allow_is_refused():
    with pytest.raises(ConfigError, match=r"do not allow a kappa of 0\.9"):
        items_for_cohen_kappa(0.1, 0.5, 0.1, 0.9)


def test_the_detectable_difference_is_the_one_that_needs_so_many_items():
    assert items_for_difference(detectable_difference(500, 0.2), 0.2) == pytest.approx(500)
    assert math.isnan(detectable_difference(2, 0.01))


def compute_shared(data):
    """The published case's own figure, by the keys its kind of plan has."""
    if "rate1" in data:
        keys = ("rate1", "rate2", "k0", "k1", "alpha", "power", "one_sided")
        return items_for_cohen_kappa(**{key: data[key] for key in keys})
    if "marginals" in data:
        keys = ("marginals", "k0", "k1", "alpha", "power", "one_sided")
        return items_for_kappa_at_marginals(**{key: data[key] for key in keys})
    if "prevalence" in data:
        keys = ("kappa0", "kappa1", "prevalence", "raters", "alpha", "power")
        return items_for_intraclass_kappa(**{key: data[key] for key in keys})
    return detectable_difference(data["n"], data["discordance"], data["alpha"], data["power"])


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the shared published cases are not beside this checkout")
def test_every_shared_planning_case():
    cases = [case for case in json.loads(PUBLISHED.read_text()) if case["kind"] == "planning"]
    assert len(cases) >= 5
    for case in cases:
        found, expected = compute_shared(case["data"]), case["expect"]
        if "n" in expected:
            assert math.ceil(found) == expected["n"], case["id"]
        key = "n_raw" if "n_raw" in expected else "detectable_difference"
        assert found == pytest.approx(expected[key], rel=case["tolerance"]), case["id"]
