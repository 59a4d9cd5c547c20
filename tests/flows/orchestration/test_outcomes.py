"""How several studies' outcomes make one exit code and one message."""

from __future__ import annotations

import pickle

import pytest

from agreement.errors import ConfigError, GateFailed, GoldgateError, InputRefused, IntegrityError, OutOfOrder, Problem
from flows.orchestration.outcomes import NOT_COMPLETE, WORST_FIRST, Outcome, refusal_of, worst


def all_exit_codes() -> set[int]:
    return {0, 1, *(kind.exit_code for kind in GoldgateError.__subclasses__())}


def test_every_exit_code_has_its_place() -> None:
    assert set(WORST_FIRST) == all_exit_codes()
    assert len(WORST_FIRST) == len(all_exit_codes())


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ([0, 0], 0),
        ([0, 5], 5),
        ([5, 4, 0], 4),
        ([4, NOT_COMPLETE], NOT_COMPLETE),  # not every verdict is there yet
        ([NOT_COMPLETE, 3], 3),
        ([3, 6, 4], 6),
    ],
)
def test_the_worst_exit_code_wins(codes: list[int], expected: int) -> None:
    assert worst([Outcome("s", "r", code) for code in codes]).exit_code == expected


def test_one_study_is_refused_as_its_step_refused_it() -> None:
    refusal = InputRefused("labels.csv: 1 of 9 rows refused", [Problem("unknown-label", "not declared")])
    assert refusal_of([Outcome("s", "r").stopped(refusal)]) is refusal
    assert refusal_of([Outcome("s", "r", 4)]) is None


def test_several_refusals_become_one_of_the_worst_kind_with_each_problem_once() -> None:
    shared, own = Problem("bad-time", "not a time"), Problem("unknown-label", "not declared")
    outcomes = [
        Outcome("tone", "r").stopped(OutOfOrder("not registered", next_step="Register it.")),
        Outcome("claims", "r").stopped(InputRefused("labels.csv refused", [shared, own], "Correct it.")),
        Outcome("links", "r").stopped(InputRefused("labels.csv refused", [shared], "Correct it.")),
        Outcome("other", "r", 4),
    ]
    together = refusal_of(outcomes)
    assert isinstance(together, InputRefused)
    assert together.problems == (shared, own)
    assert together.headline == "tone: not registered; claims: labels.csv refused; links: labels.csv refused"
    assert together.next_step == "Register it. Correct it."


@pytest.mark.parametrize("kind", [ConfigError, InputRefused, GateFailed, IntegrityError, OutOfOrder])
def test_a_refusal_keeps_its_problems_when_it_is_pickled(kind: type[GoldgateError]) -> None:
    """Prefect pickles what a task raised wherever results are persisted."""
    problem = Problem("unknown-label", "not declared", "Correct it.", "a.csv", 3, "label", "mabye")
    back = pickle.loads(pickle.dumps(kind("a.csv refused", [problem], "Run it again.", {"unknown-label": 1})))
    assert type(back) is kind
    assert (back.headline, back.problems, back.next_step) == ("a.csv refused", (problem,), "Run it again.")
    assert back.counts == {"unknown-label": 1}
