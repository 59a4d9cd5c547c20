"""The state is what the ledger says, at any point of it."""

from __future__ import annotations

from typing import Any

import pytest

from agreement.errors import ConfigError, IntegrityError, OutOfOrder
from flows.storage.ledger import Event
from flows.storage.state import fold

LABELS = {"uniform": {"++": 2, "+-": 1, "--": 3}}


def test_the_state_after_event_n_is_the_fold_of_the_first_n(make: Any) -> None:
    make.register()
    make.gated(LABELS)
    events = make.events()
    seen = []
    for n in range(len(events) + 1):
        state = fold(events[:n])
        assert state.head.size == n
        known = state.rounds.get(("promises", "r1"))
        seen.append(known and (len(known.submissions), known.closed is not None, len(known.measured), known.verdict))
    assert seen == [
        *[None] * 3,  # nothing, created, registered
        (0, False, 0, None),
        (1, False, 0, None),
        (1, True, 0, None),
        (1, True, 1, None),
        (1, True, 1, "pass"),
    ]


@pytest.mark.parametrize(("as_of", "fits"), [(1, True), (2, True), (0, False), (3, False), (-1, False)])
def test_a_past_state_must_be_one_the_ledger_has(make: Any, as_of: int, fits: bool) -> None:
    make.register()
    if fits:
        assert make.project.state(as_of).head.size == as_of
    else:
        with pytest.raises(ConfigError, match="events 1 to 2"):
            make.project.state(as_of)


def test_an_unknown_study_names_those_that_exist(make: Any) -> None:
    make.register()
    with pytest.raises(ConfigError) as refused:
        make.project.state().study("promisses")
    assert (refused.value.problems[0].code, refused.value.problems[0].fix) == ("unknown-study", "Known: promises.")


def test_an_unknown_round_names_the_step_that_is_missing(make: Any) -> None:
    make.register()
    with pytest.raises(OutOfOrder) as refused:
        make.project.state().round("r1")
    assert "goldgate open" in refused.value.next_step


def test_a_round_name_of_two_studies_needs_its_study(make: Any) -> None:
    for study in ("promises", "tone"):
        make.register(make.study(study=study))
        make.open(LABELS, "r1", study=study)
    state = make.project.state()
    with pytest.raises(ConfigError) as refused:
        state.round("r1")
    assert refused.value.problems[0].fix == "Known: promises/r1, tone/r1."
    assert state.round("tone/r1").study_id == state.round("r1", "tone").study_id == "tone"


@pytest.mark.parametrize(
    ("type", "payload"),
    [
        ("round.closed", {"study_id": "promises", "round_id": "never-opened"}),
        ("submission.ingested", {}),
        ("round.opened", {"study_id": "promises"}),
        ("gate.evaluated", {"study_id": "none", "round_id": "none"}),
    ],
)
def test_an_event_about_what_never_was_is_a_broken_ledger(type: str, payload: dict[str, str]) -> None:
    event = Event(1, "h", "p", "2026-04-01T12:00:00Z", "a", "t", type, payload)
    with pytest.raises(IntegrityError, match="event 1"):
        fold([event])


def test_the_state_knows_whose_ledger_it_is(make: Any) -> None:
    make.register()
    assert make.project.state().project_id == make.events()[0].payload["project_id"] == "test"
