"""Two people who look alike: planted copies are named, honest agreement is not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from agreement.counts import patterns_from_codes
from agreement.patterns import NOT_ASSIGNED, Patterns
from flows.record import alike_signs as signs
from flows.record.alike_signs import alike_signs


def patterns(**labels: Sequence[str]) -> Patterns:
    """One text of labels a person, one letter or word an item; ' ' where there is none."""
    categories = sorted({label for column in labels.values() for label in column} - {" "})
    codes = [[NOT_ASSIGNED if x == " " else categories.index(x) for x in column] for column in labels.values()]
    return patterns_from_codes(np.array(codes, dtype=np.int64).T, list(labels), categories)


def codes(*parts: Patterns) -> list[str]:
    return [code for code, _ in alike_signs(parts)]


HONEST = "n" * 50 + "y" * 4  # people who flag rarely are alike honestly
COPIED = "n" * 50 + "y" * 5
ODD = [f"word {n}" for n in range(5)]
CASES = [
    ("four equal flags", {"ada": HONEST, "bo": HONEST}, []),
    ("five equal flags", {"ada": COPIED, "bo": COPIED}, ["identical-labels"]),
    ("one label differs", {"ada": COPIED, "bo": "y" + COPIED[1:]}, []),
    ("no item in common", {"ada": COPIED + " " * 55, "bo": " " * 55 + COPIED}, []),
    ("five words of their own", {"ada": ["a", *ODD], "bo": ["b", *ODD], "cy": ["b"] * 6}, ["same-free-choices"]),
    ("four words of their own", {"ada": ["a", *ODD[:4]], "bo": ["b", *ODD[:4]], "cy": ["b"] * 5}, []),
    ("everybody's words", {"ada": ["a", *ODD], "bo": ["b", *ODD], "cy": ["b", *ODD[::-1]]}, []),
    ("one word five times", {"ada": "a" + "w" * 5, "bo": "b" + "w" * 5, "cy": "b" * 6}, []),
]


@pytest.mark.parametrize(("what", "labels", "expected"), CASES, ids=[case[0] for case in CASES])
def test_pairs_that_look_alike(what: str, labels: dict[str, Sequence[str]], expected: list[str]) -> None:
    assert codes(patterns(**labels)) == expected


def test_parts_of_a_round_are_seen_together() -> None:
    """Three telling flags in each of two slices are five or more in all."""
    part = patterns(ada="n" * 20 + "y" * 3, bo="n" * 20 + "y" * 3)
    assert codes(part) == []
    assert codes(part, part) == ["identical-labels"]


def test_a_pair_far_more_alike_than_all_others() -> None:
    """300 items; ada and bo differ on 3, every other pair on about half: kappa .98 beside about 0."""
    ada = "ab" * 150
    bo = "aaaaaa" + ada[6:]
    people = {"ada": ada, "bo": bo, "cy": "aabb" * 75, "di": ("aabb" * 76)[1:301]}
    ((code, sentence),) = alike_signs([patterns(**people)])
    assert code == "implausibly-alike"
    assert sentence.startswith("ada and bo are far more alike than any other pair: kappa 0.98 on 300 items")
    assert codes(patterns(**{who: labels[:100] for who, labels in people.items()})) == []  # 100 are not hundreds


def test_free_text_is_compared_without_a_table_a_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signs, "MOST_CATEGORIES", 6)
    texts = {"ada": ["a", *ODD, "n"], "bo": ["b", *ODD, "n"], "cy": ["b"] * 7}
    assert codes(patterns(**texts)) == ["same-free-choices"]
