"""The pages have words for whatever a rule may name."""

from __future__ import annotations

import pytest

from agreement.rules import STATISTICS
from flows.pages.words import answers, statistic


@pytest.mark.parametrize("name", STATISTICS)
def test_every_statistic_a_rule_may_name_has_a_name_and_says_what_it_answers(name: str) -> None:
    assert answers(name)
    assert statistic(name) != name
