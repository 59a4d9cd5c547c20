"""What a whole file shows beside its single rows: each trap on the smallest file that has it, and on one that only
looks like it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agreement.errors import InputRefused
from flows.labels.trap_checks import means_unsure

H = "item_id,annotator_id,label\n"
TRAPS = {"constant-item-id", "transposed-matrix", "one-author", "abstention-spelling"}


def traps(made: Any, data: str, **arguments: Any) -> dict[str, str]:
    """Code -> message of the traps a file is refused for."""
    with pytest.raises(InputRefused) as refused:
        made.ingest(data, **arguments)
    return {p.code: p.message for p in refused.value.problems if p.code in TRAPS}


WRONG = "b-1,ada,mabye\n"  # refused for itself, so that every file here is
FILES = [
    ("one item on three rows", "b-1,ada,supported\n" * 2 + "b-1,bo,supported\n", {"constant-item-id"}),
    ("one item, each annotator once", "b-1,ada,supported\nb-1,bo,supported\n" + WRONG.replace("ada", "cy"), set()),
    ("two items by one person, each twice", "b-1,ada,supported\nb-2,ada,supported\n" * 2, {"one-author"}),
    ("two items by one person, once", "b-1,ada,mabye\nb-2,ada,supported\n", set()),
    ("two people, each twice", "b-1,ada,mabye\nb-2,bo,supported\n" * 2, set()),
    ("people as items", "ada,b-1,supported\nbo,b-1,unsupported\n", {"transposed-matrix"}),
    ("one person as an item", "ada,ada,supported\n", set()),
    ("an abstention as a label", "b-1,ada,cannot tell\nb-2,ada,supported\n", {"abstention-spelling"}),
    ("the declared reason as a label", "b-1,ada,Source Missing\nb-2,ada,supported\n", {"abstention-spelling"}),
    ("another wrong label", WRONG, set()),
]


@pytest.mark.parametrize(("what", "data", "expected"), FILES, ids=[case[0] for case in FILES])
def test_a_trap_has_a_name(standing: Any, what: str, data: str, expected: set[str]) -> None:
    assert set(traps(standing, H + data)) == expected


def test_an_abstention_that_changed_its_spelling_names_the_other_round(make_round: Callable[..., Any]) -> None:
    """Two rounds of a published image study say 'unsure' and 'Unsure / cannot tell'."""
    made = make_round(extra="abstentions: {unsure: source-missing}\n")
    made.open("r2", "c-1,v1,uniform\n")
    found = traps(made, H + "c-1,ada,Unsure / cannot tell\n", round_id="r2")
    assert found == {
        "abstention-spelling": "seems to mean 'cannot judge' (1 row); abstaining was written 'unsure' in round r1"
    }


@pytest.mark.parametrize("label", ["unsure", "Not_sure", "can't tell", "N/A", "ambiguous", "?"])
def test_words_that_mean_no_judgement(label: str) -> None:
    assert means_unsure(label)


@pytest.mark.parametrize("label", ["yes", "none", "neutral", "other"])
def test_words_that_may_be_categories_mean_no_abstention(label: str) -> None:
    assert not means_unsure(label)
