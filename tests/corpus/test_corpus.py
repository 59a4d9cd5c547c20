"""Malformed files are refused with exactly these words, each place named, and nothing is left behind (cases.py)."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SPEC = importlib.util.spec_from_file_location("corpus_cases", HERE / "cases.py")
assert SPEC is not None
assert SPEC.loader is not None
corpus = importlib.util.module_from_spec(SPEC)
sys.modules["corpus_cases"] = corpus
SPEC.loader.exec_module(corpus)

CASES = {name: (kind, data) for name, kind, data in corpus.cases()}
EXPECTED = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", CASES)
def test_a_malformed_file_is_refused_in_these_words(name: str) -> None:
    """The words: expected.json, renewed by `python tests/corpus/cases.py --renew` and read in the difference."""
    found = corpus.outcome(*CASES[name])
    assert found == EXPECTED[name]


def test_the_corpus_is_large_and_every_file_in_it_is_refused() -> None:
    assert CASES.keys() == EXPECTED.keys()
    assert len(CASES) >= 150
    assert len({problem[0] for one in EXPECTED.values() for problem in one["problems"]}) >= 60
    assert {one["exit"] for one in EXPECTED.values()} <= {2, 3, 8}
    assert [name for name, one in EXPECTED.items() if one["left"]] == []


def test_every_refusal_names_a_code_and_a_next_step() -> None:
    silent = [name for name, one in EXPECTED.items() if not one["problems"]]
    assert silent == []


def test_every_thing_wrong_in_a_file_is_listed_at_once() -> None:
    many = EXPECTED["labels: several things wrong at once"]["problems"]
    assert len({line for _, line, *_ in many}) == len(corpus.MANY)


def test_no_message_names_a_folder_of_this_machine() -> None:
    assert "/tmp" not in json.dumps(EXPECTED)
    assert str(Path.home()) not in json.dumps(EXPECTED)
