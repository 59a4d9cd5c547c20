"""What may stand where, told by events alone: the table of verbs, and what an event needs to have gone before it."""

from __future__ import annotations

from typing import Any

import pytest

from agreement.errors import OutOfOrder
from flows.storage.ledger import Event
from flows.storage.order import check_event, check_promoted, facts, require, require_study, study_facts
from flows.storage.state import NEVER, State, StudyState, fold

KEY = {"study_id": "s", "round_id": "r1"}


def events(*told: tuple[str, dict[str, Any]]) -> list[Event]:
    """Events about study s and its round r1, unless their payload says otherwise."""
    return [
        Event(n, f"hash {n}", f"hash {n - 1}", "2026-04-01T12:00:00Z", "a", "t", type, {**KEY, **payload})
        for n, (type, payload) in enumerate(told, start=1)
    ]


def state(*told: tuple[str, dict[str, Any]]) -> State:
    return fold(events(*told))


REGISTERED = ("study.registered", {"guideline_version": "1.0"})
OPENED = ("round.opened", {"guideline_version": "1.0", "kind": "measured"})
INGESTED = ("submission.ingested", {})
CLOSED = ("round.closed", {})
MEASURED = ("round.measured", {})  # event 5 of UNTIL_MEASURED
GATED = ("gate.evaluated", {"measured": 5, "verdict": "pass"})
REPORTED = ("report.written", {"measured": 5})
UNTIL_MEASURED = (REGISTERED, OPENED, INGESTED, CLOSED, MEASURED)
ALL = (*UNTIL_MEASURED, REPORTED, GATED)

CHANGED_SINCE = "open labels closed measured reported evaluated"
SO_FAR: list[tuple[str, tuple[tuple[str, dict[str, Any]], ...], str]] = [
    ("opened", ALL[:2], "open"),
    ("labels in", ALL[:3], "open labels"),
    ("closed", ALL[:4], "open labels closed closed-unless-measured"),
    ("measured", ALL[:5], "open labels closed measured current"),
    ("reported", ALL[:6], "open labels closed measured current reported"),
    ("gated", ALL, "open labels closed measured current reported evaluated"),
    ("reopened", (*ALL[:4], ("round.reopened", {})), "open labels"),
    ("measured again", (*ALL, MEASURED), "open labels closed measured current"),
    ("told otherwise", (*ALL, ("deviation.recorded", {})), CHANGED_SINCE),
    ("told before", (*ALL[:4], ("deviation.recorded", {}), MEASURED), "open labels closed measured current"),
    ("amended since", (*ALL, ("study.amended", OPENED[1])), CHANGED_SINCE),
    (
        "amended since, another version",
        (*ALL, ("study.amended", {"guideline_version": "2.0"})),
        "open labels closed measured current reported evaluated",
    ),
    ("looked at since", (*ALL, ("explored", {"rounds": [["s", "r1"]]})), CHANGED_SINCE),
    ("removed since", (*ALL, ("redacted", {"rounds": [["s", "r1", 1]]})), CHANGED_SINCE),
]  # fmt: skip


@pytest.mark.parametrize(("told", "true"), [case[1:] for case in SO_FAR], ids=[case[0] for case in SO_FAR])
def test_what_is_true_of_a_round_follows_from_its_events(told: Any, true: str) -> None:
    assert facts(state(*told).round("r1")) == {name.replace("-", " ") for name in true.split()}


def test_an_amendment_before_results_is_no_deviation_and_one_after_a_look_is() -> None:
    amended = ("study.amended", {"guideline_version": "1.0"})
    explored = ("explored", {"rounds": [["s", "r1"]]})
    assert state(*ALL[:3], amended).round("r1").amended == []
    assert len(state(*ALL[:3], explored, amended).round("r1").amended) == 1


def test_results_are_seen_from_the_first_measuring_or_look() -> None:
    assert state(*ALL[:4]).round("r1").results_seen == NEVER
    assert state(*ALL, MEASURED).round("r1").results_seen == 5
    assert state(*ALL[:3], ("explored", {"rounds": [["s", "r1"]]}), CLOSED, MEASURED).round("r1").results_seen == 4


def code(check: Any) -> str:
    """Code of the refusal, "" where there is none."""
    try:
        check()
    except OutOfOrder as error:
        return error.problems[0].code
    return ""


VERBS: list[tuple[str, int, str]] = [
    # verb, after how many events of ALL, code of what is missing or in the way
    ("ingest", 2, ""),
    ("ingest", 4, "round-closed"),
    ("ingest", 5, ""),  # kept as late
    ("close", 2, ""),
    ("close", 5, "round-measured"),
    ("reopen", 3, "closed-missing"),
    ("reopen", 4, ""),
    ("reopen", 5, "round-measured"),
    ("reassign", 3, ""),
    ("reassign", 4, "round-closed"),
    ("measure", 3, "closed-missing"),
    ("measure", 4, ""),
    ("report", 4, "measured-missing"),
    ("report", 5, ""),
    ("gate", 4, "measured-missing"),
    ("gate", 5, ""),
    ("promote", 5, "evaluated-missing"),
    ("promote", 7, ""),
    ("adjudicate", 4, "measured-missing"),
    ("adjudicate", 5, ""),
    ("outcome", 3, "closed-missing"),
    ("deviation", 2, ""),
]


@pytest.mark.parametrize(("verb", "n", "expected"), VERBS)
def test_a_verb_is_refused_by_the_first_step_that_is_missing_or_in_the_way(verb: str, n: int, expected: str) -> None:
    round_state = state(*ALL[:n]).round("r1")
    assert code(lambda: require(verb, round_state)) == expected


@pytest.mark.parametrize("verb", ["gate", "promote"])
def test_a_round_that_is_not_measured_as_such_is_never_gated(verb: str) -> None:
    pilot = ("round.opened", {**OPENED[1], "kind": "pilot"})
    round_state = state(REGISTERED, pilot, *ALL[2:]).round("r1")
    assert code(lambda: require(verb, round_state)) == "kind-not-gated"
    assert code(lambda: require("report", round_state)) == ""


def test_a_refusal_names_the_command_for_this_round_or_study() -> None:
    with pytest.raises(OutOfOrder) as refused:
        require("measure", state(*ALL[:3]).round("r1"))
    assert refused.value.next_step == "Close it: `goldgate close r1`."
    with pytest.raises(OutOfOrder) as refused:
        require_study("withdraw", StudyState("s"), State())
    assert refused.value.next_step == "See what there is: `goldgate history s`."


STUDIES: list[tuple[str, int, str]] = [
    ("register", 0, ""),
    ("amend", 0, "registered-missing"),
    ("amend", 1, ""),
    ("calibration", 1, ""),
    ("calibration", 3, "study-collecting"),
    ("calibration", 4, ""),
    ("release", 6, "evaluated-missing"),
    ("release", 7, ""),
    ("withdraw", 7, "released-missing"),
]


@pytest.mark.parametrize(("verb", "n", "expected"), STUDIES)
def test_a_verb_about_a_study_too(verb: str, n: int, expected: str) -> None:
    now = state(*ALL[:n])
    study = now.studies.get("s") or StudyState("s")
    assert code(lambda: require_study(verb, study, now)) == expected


def test_only_an_open_measured_round_keeps_a_calibration_away() -> None:
    pilot = ("round.opened", {**OPENED[1], "kind": "pilot"})
    now = state(REGISTERED, pilot)
    assert "collecting" not in study_facts(now.study("s"), now)


@pytest.mark.parametrize(("version", "true"), [(None, True), ("1.0", True), ("2.0", False)])
def test_registered_speaks_of_the_version_that_is_asked_about(version: str | None, true: bool) -> None:
    now = state(REGISTERED)
    assert ("registered" in study_facts(now.study("s"), now, version)) is true


FOUND: list[tuple[str, int, tuple[str, dict[str, Any]], bool]] = [
    ("the next step", 4, MEASURED, True),
    ("a step too early", 3, MEASURED, False),
    ("a registration of a new study", 0, REGISTERED, True),
    ("an amendment of another version", 1, ("study.amended", {"guideline_version": "2.0"}), False),
    ("an amendment of this version", 1, ("study.amended", {"guideline_version": "1.0"}), True),
    ("what may stand anywhere", 0, ("explored", {"rounds": []}), True),
    ("no such kind", 7, ("gate.waived", {}), False),
    ("a release", 7, ("release.promoted", {"rounds": ["r1"]}), True),
    ("a release before the gate", 6, ("release.promoted", {"rounds": ["r1"]}), False),
    ("a release of a round that never was", 7, ("release.promoted", {"rounds": ["r1", "r2"]}), False),
    ("a withdrawal of nothing", 7, ("release.withdrawn", {"rounds": ["r2"]}), False),
]


@pytest.mark.parametrize(("n", "next_one", "fits"), [case[1:] for case in FOUND], ids=[case[0] for case in FOUND])
def test_an_event_of_a_ledger_is_held_to_the_same_tables(n: int, next_one: Any, fits: bool) -> None:
    found = events(*ALL[:n], next_one)
    try:
        check_event(fold(found[:-1]), found[-1])
    except OutOfOrder:
        assert not fits
    else:
        assert fits


@pytest.mark.parametrize(("verdict", "fits"), [("pass", True), ("fail", False), ("not_evaluable", False)])
def test_labels_of_a_round_that_did_not_pass_are_not_promoted(verdict: str, fits: bool) -> None:
    round_state = state(*ALL[:6], ("gate.evaluated", {"measured": 5, "verdict": verdict})).round("r1")
    if fits:
        check_promoted(round_state)
        return
    with pytest.raises(OutOfOrder, match="promote r1: it did not pass"):
        check_promoted(round_state)


def test_rounds_are_found_by_their_name_and_study_and_in_the_order_they_opened() -> None:
    second = ("round.opened", {**OPENED[1], "round_id": "r2", "guideline_version": "2.0"})
    elsewhere = ("round.opened", {**OPENED[1], "study_id": "t"})
    now = state(REGISTERED, OPENED, second, elsewhere)
    assert [r.round_id for r in now.rounds_of("s")] == ["r1", "r2"]
    assert [r.round_id for r in now.rounds_of("s", "2.0")] == ["r2"]
    assert now.round("r2").study_id == now.round("r2", "s").study_id == "s"
    assert now.round("t/r1").study_id == now.round("r1", "t").study_id == "t"
    with pytest.raises(OutOfOrder, match="no round r2"):
        now.round("r2", "t")


def test_the_last_verdict_is_the_one_that_counts() -> None:
    again = ("gate.evaluated", {"measured": 5, "verdict": "fail"})
    assert state(*UNTIL_MEASURED).round("r1").verdict is None
    assert state(*ALL, again).round("r1").verdict == "fail"
