"""What must have happened before what: every verb in every state of a round, by the one table and by the real verbs."""

from __future__ import annotations

import itertools
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agreement.errors import OutOfOrder
from flows.adjudicate import adjudicate
from flows.close import close_round, reassign, reopen_round
from flows.gate import evaluate
from flows.ingest import ingest
from flows.measure import measure
from flows.releases.release import release
from flows.report import write_report
from flows.storage import ledger, order
from flows.storage.order import EVENT_STUDY_VERBS, EVENT_VERBS, EVENTS_ANYWHERE, FACTS, ORDER, STUDY_FACTS, STUDY_ORDER

STATES = ("not opened", "open", "closed", "measured", "gated")
LABELS = {"uniform": {"++": 20, "--": 20, ".-": 1}}

# Whether a verb may be done in each state: "" if so, else the code of what is missing or in the way.
NOT, LATE, SHUT = "round-not-opened", "round-measured", "round-closed"
TABLE: dict[str, tuple[str, str, str, str, str]] = {
    # verb       not opened  open                closed              measured             gated
    "ingest": (NOT, "", SHUT, "", ""),  # after the first look a label is stored as late
    "close": (NOT, "", "", "", ""),  # closing again is already done
    "reopen": (NOT, "closed-missing", "", LATE, LATE),
    "reassign": (NOT, "", SHUT, SHUT, SHUT),
    "measure": (NOT, "closed-missing", "", "", ""),
    "report": (NOT, "closed-missing", "measured-missing", "", ""),
    "gate": (NOT, "closed-missing", "measured-missing", "", ""),
    "adjudicate": (NOT, "closed-missing", "measured-missing", "", ""),
    "release": ("", "evaluated-missing", "evaluated-missing", "evaluated-missing", "reported-missing"),
}
VERBS: dict[str, Callable[[Any], object]] = {
    "ingest": lambda m: ingest(m.project, "r1", [m.folder / "labels.csv"]),
    "close": lambda m: close_round(m.project, "r1", incomplete="one never came"),
    "reopen": lambda m: reopen_round(m.project, "r1", "a file was forgotten"),
    "reassign": lambda m: reassign(m.project, "r1", "ada", "cy", "ada fell ill"),
    "measure": lambda m: measure(m.project, "r1"),
    "report": lambda m: write_report(m.project, "r1"),
    "gate": lambda m: evaluate(m.project, "r1"),
    "adjudicate": lambda m: adjudicate(m.project, "r1", m.decide(["r1-uniform-1"])),
    "release": lambda m: release(m.project, "promises", "1.0"),
}
CELLS = [
    (verb, state, code)
    for verb, row in TABLE.items()
    for state, code in zip(STATES, row, strict=True)
    if (verb, state) != ("release", "not opened")  # no round to speak of: test_release.py
    and (verb, code) != ("report", "")  # pages take a while: test_pipeline.py writes them
]


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory, maker_in: Callable[..., Any]) -> dict[str, Any]:
    """One project, copied as it stood in each state."""
    make = maker_in(tmp_path_factory.mktemp("states") / "first", reserves="cy")
    found = {}

    def keep(state: str) -> None:
        copy = maker_in(make.folder.parent / state.replace(" ", "-"), reserves="cy")
        shutil.copytree(make.project.root, copy.project.root)
        shutil.copy(make.folder / "r1" / "labels.csv", copy.folder / "labels.csv")
        found[state] = copy

    make.register()
    make.round(LABELS)
    keep("not opened")
    make.open(LABELS)
    make.ingest()
    keep("open")
    make.close()
    keep("closed")
    measure(make.project, "r1")
    keep("measured")
    evaluate(make.project, "r1")
    keep("gated")
    return found


@pytest.mark.parametrize(("verb", "state", "code"), CELLS, ids=[f"{verb}, {state}" for verb, state, _ in CELLS])
def test_every_verb_in_every_state(
    states: dict[str, Any], tmp_path: Path, maker_in: Callable[..., Any], verb: str, state: str, code: str
) -> None:
    make = maker_in(tmp_path, reserves="cy")
    shutil.copytree(states[state].project.root, make.project.root)
    shutil.copy(states[state].folder / "labels.csv", make.folder / "labels.csv")
    before = make.types()
    if not code:
        assert VERBS[verb](make) is not None
        return
    with pytest.raises(OutOfOrder) as refused:
        VERBS[verb](make)
    assert refused.value.exit_code == 8
    assert [problem.code for problem in refused.value.problems] == [code]
    assert refused.value.next_step  # the missing step, or the way around it
    after = make.types()
    assert after == (before if verb != "release" else [*before, "release.refused"])


@pytest.mark.parametrize(("table", "facts"), [(ORDER, FACTS), (STUDY_ORDER, STUDY_FACTS)])
def test_the_tables_speak_of_known_facts_and_say_what_to_do(table: Any, facts: Any) -> None:
    for step in table.values():
        assert {fact.removesuffix(" unless measured") for fact in (*step.needs, *step.forbids)} <= set(facts)
    for fact, (missing, fix, in_the_way, _) in facts.items():
        needed = any(fact in step.needs for step in table.values())
        forbidden = any(fact in map(unless, step.forbids) for step in table.values())
        assert not needed or (missing and (fix or fact in ("collecting",)))
        assert not forbidden or in_the_way


def unless(fact: str) -> str:
    return fact.removesuffix(" unless measured")


def test_every_event_that_is_ever_written_has_a_place_in_the_order() -> None:
    """An event type in the code that no table knows would be refused by `verify`."""
    flows = Path(order.__file__).parents[1]
    written = set(
        itertools.chain.from_iterable(
            re.findall(r'(?:commit|append)\(\s*"([a-z_.]+)"', path.read_text(encoding="utf-8"))
            for path in flows.rglob("*.py")
        )
    )
    written.add(ledger.BEGINNING)  # the one that is not written by its name
    assert len(written) > 12
    known = {*EVENT_VERBS, *EVENT_STUDY_VERBS, *EVENTS_ANYWHERE}
    assert written - known == set()
    assert known - written == set()
    assert set(EVENT_VERBS.values()) <= set(ORDER)
    assert set(EVENT_STUDY_VERBS.values()) <= set(STUDY_ORDER)
