"""Planning: figures of the 500-item table (golden/mission_cases.json, `planning`), and every argument that is off."""

from __future__ import annotations

import pytest

from agreement.errors import ConfigError
from flows.plan import Wish, plan_lines, plans
from flows.storage.project import Project


def test_the_500_item_table_needs_174_and_445_union_positives_not_100_and_250(tmp_path):
    for half_width, union, within, thumb in ((0.08, 174, 8, 126), (0.05, 445, 15, 322)):
        (found,) = plans(Project(tmp_path), Wish(half_width, None), 12 / 47, None, ["uniform=0.082"], "41=0.14")
        assert abs(found.found.union_positives - union) <= within
        assert abs(found.found.square_root_rule - thumb) <= 1  # 41 * (0.14 / half_width) ** 2
    assert "uniform, 0.082 union positives an item" in "\n".join(plan_lines(found))


def test_enriched_strata_are_planned_at_their_own_density(tmp_path):
    (found,) = plans(Project(tmp_path), Wish(None, 0.40), 0.70, None, ["flagged=0.41", "uniform=0.082"], "")
    flagged, uniform = found.found.budgets["flagged"], found.found.budgets["uniform"]
    assert flagged.union_positives == uniform.union_positives
    assert 4.9 < uniform.items / flagged.items < 5.1  # 0.41 / 0.082


@pytest.mark.parametrize(
    ("wish", "agreement", "from_round", "densities", "known", "columns"),
    [
        (Wish(None, None), 0.5, None, [], "", ["--half-width"]),
        (Wish(0.1, 0.4), 0.5, None, [], "", ["--half-width"]),
        (Wish(0.1, None), None, None, [], "", ["--agreement"]),
        (Wish(1.5, None), 2.0, None, ["a=0", "b"], "x", ["--agreement", "--half-width", *["--density"] * 2, "--known"]),
        (Wish(0.1, None, seconds_per_label=-1), 0.5, None, ["a=1.5"], "", ["--seconds", "--density"]),
    ],
)
def test_every_argument_that_is_off_is_named_at_once(tmp_path, wish, agreement, from_round, densities, known, columns):
    with pytest.raises(ConfigError) as refused:
        plans(Project(tmp_path), wish, agreement, from_round, densities, known)
    assert [problem.column for problem in refused.value.problems] == columns
