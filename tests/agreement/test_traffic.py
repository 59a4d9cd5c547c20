"""Agreement weighted to traffic."""

from fractions import Fraction

import numpy as np
import pytest

from agreement.flags import Flags
from agreement.gate import judge
from agreement.patterns import Patterns
from agreement.readings import SliceEvidence
from agreement.rules import Rule
from agreement.traffic import cell_weights, traffic_figure

PSA = "positive_specific_agreement"


def two_cells(first, second, gaps=0):
    """Two annotators; per cell (neither, contested, both)."""
    return Flags(
        n_positive=np.array([0, 1, 2, 0, 1, 2, 0]),
        n_labels=np.array([2, 2, 2, 2, 2, 2, 1]),
        n_gaps=np.array([0, 0, 0, 0, 0, 0, 1]),
        multiplicity=np.array([*first, *second, gaps]),
        cells=np.array([0, 0, 0, 1, 1, 1, 1]),
    )


def test_the_figure_is_the_ratio_of_weighted_totals_and_not_a_mean_of_the_slices():
    # 10 % of traffic flagged (union rate .40, PSA .70), the rest .02 and .40: truth .620, and a mean would say .430.
    # Cells thirteen and one times the 250 and 400, so that its rates are whole items.
    found = traffic_figure(PSA, two_cells((1950, 600, 700), (392, 6, 2)), {0: 1000, 1: 9000})
    assert float(found.value) == pytest.approx(0.620, abs=0.0005)
    # By hand: joint .1 * 700/3250 + .9 * 2/400, union .1 * 1300/3250 + .9 * 8/400.
    joint, union = Fraction(7, 325) + Fraction(9, 2000), Fraction(4, 100) + Fraction(18, 1000)
    assert found.value == 2 * joint / (union + joint)


def test_the_interval_is_the_formula_centred_in_the_cells():
    flags = two_cells((150, 46, 54), (392, 6, 2))
    found = traffic_figure(PSA, flags, {0: 1000, 1: 9000})
    w = np.array([4.0] * 3 + [22.5] * 3)
    n, r = flags.multiplicity[:6], flags.n_positive[:6]
    y, z = r * (r - 1), np.where(r > 0, 2, 0)
    p = (n * w * y).sum() / (n * w * z).sum()
    variance = 0.0
    for cell in (slice(0, 3), slice(3, 6)):
        e = np.repeat((w * (y - p * z))[cell], n[cell])  # one number an item, as the definition is written
        variance += ((e - e.mean()) ** 2).sum() * len(e) / (len(e) - 1)
    variance /= (n * w * z).sum() ** 2
    assert found.interval.n_eff == pytest.approx(p * (1 - p) / variance, rel=1e-12)
    assert found.interval.lower < float(found.value) < found.interval.upper


def test_a_cell_with_most_of_the_variance_or_few_union_positives_is_warned_of():
    found = traffic_figure(PSA, two_cells((150, 46, 54), (396, 2, 2)), {0: 1000, 1: 9000})
    assert [share.union_positives for share in found.cells] == [100, 4]
    assert found.cells[1].variance_share > 0.5
    assert sum(share.variance_share for share in found.cells) == pytest.approx(1)
    assert len(found.warnings) == 2
    assert found.warnings[1] == "cell 1 has 4 union positives: too few to speak of it"


def test_one_cell_alone_gives_the_unweighted_figure():
    flags = two_cells((459, 35, 6), (0, 0, 0))
    assert traffic_figure(PSA, flags, {0: 5000, 1: 0}).value == Fraction(12, 47)


def test_a_cell_of_the_pool_without_paired_items_leaves_no_figure():
    found = traffic_figure(PSA, two_cells((459, 35, 6), (0, 0, 0), gaps=3), {0: 1000, 1: 9000})
    assert found.value is None
    assert found.status == "undefined: a cell of the pool has no paired item"


def test_weights_count_paired_items_or_those_drawn():
    flags = two_cells((150, 46, 54), (392, 6, 2), gaps=50)
    assert cell_weights(flags, {0: 1000, 1: 9000})[3] == Fraction(9000, 400)
    assert cell_weights(flags, {0: 1000, 1: 9000}, of="drawn")[3] == 20


def test_a_gate_rule_may_name_traffic_where_the_cells_are_known():
    codes = np.array([[1, 1], [0, 1], [0, 0]] * 2)
    patterns = Patterns(
        ("ida", "bo"), ("flag", "no"), codes, np.array([150, 46, 54, 392, 6, 2]), cells=np.array([0] * 3 + [1] * 3)
    )
    rules = [
        Rule("traffic", PSA, at_least="0.62"),
        Rule("traffic", PSA, at_least="0.40", judged_on="lower"),
        Rule("traffic", PSA, at_least="0.30", judged_on="lower", missing="worst"),
    ]
    with_cells = judge(rules, {"traffic": SliceEvidence(patterns, ("flag",), pool_items={0: 1000, 1: 9000})})
    assert [result.verdict for result in with_cells.results] == ["pass", "pass", "pass"]
    assert with_cells.results[0].found == "0.6206"  # 18/29
    without = judge(rules, {"traffic": SliceEvidence(patterns, ("flag",))})
    assert without.status == "not_evaluable"
