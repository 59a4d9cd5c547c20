"""Every way by which honest people get through: its command, and its line in the report (audit.md, part B)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

LABELS = {"uniform": {"++": 8, "+-": 2, "--": 10}}
HEAD = "item_id,item_version,annotator_id,label\n"

Way = Callable[[Any], object]
WAYS: dict[str, tuple[Way, tuple[str, ...]]] = {}


def way(*lines: str) -> Callable[[Way], Way]:
    def note(function: Way) -> Way:
        WAYS[function.__name__] = (function, lines)
        return function

    return note


def started(at: Any, labels: Any = LABELS, **options: Any) -> None:
    at.register(**options)
    at.open(labels)


def brings(at: Any, text: str, *options: str, name: str = "more.csv") -> str:
    file = at.make.folder / name
    file.write_text(text)
    return str(at.types("ingest", "r1", file, *options))


@way("| first.csv | `", "| labels.csv | `", "| 40 | 20 | 20 | 0 |")
def cumulative_exports(at: Any) -> None:
    started(at)
    lines = at.labels().read_text().splitlines(keepends=True)
    brings(at, "".join(lines[:21]), name="first.csv")
    assert "20 new, 20 already there" in at.types("ingest", "r1", at.labels())
    at.types("close", "r1")


@way("Revised because: bo misread the last one", "| bo | 9 | 45.0 % | 9 | 11 | 1 | 0 |")
def a_revision(at: Any) -> None:
    started(at)
    at.types("ingest", "r1", at.labels())
    brings(at, f"{HEAD}r1-uniform-10,v1,bo,yes\n", "--revision", "bo misread the last one")
    at.types("close", "r1")


@way("Set aside, other-version: 1", "Set aside, other-round: 1")
def rows_set_aside(at: Any) -> None:
    started(at, {"uniform": {"++": 8, "--": 10, "+v": 1}})
    at.open({"uniform": {"++": 1}}, "p1", kind="pilot")
    at.types("ingest", "r1", at.labels(), "--set-aside", "other-version")
    brings(at, f"{HEAD}p1-uniform-1,v1,bo,yes\n", "--set-aside", "other-round")
    at.types("close", "r1", "--incomplete", "one answer is on another version")


@way("what ada had not answered went to cy. Why: ada fell ill", "| cy |")
def a_reserve_steps_in(at: Any) -> None:
    at.make.reserves = ["cy"]
    started(at, {"uniform": {"++": 8, "--": 10, ".-": 2}})
    at.types("ingest", "r1", at.labels())
    at.types("reassign", "r1", "ada", "cy", "ada fell ill")
    brings(at, f"{HEAD}r1-uniform-19,v1,cy,no\nr1-uniform-20,v1,cy,no\n")
    at.types("close", "r1")


@way("closed incomplete: bo is on leave")
def an_incomplete_round(at: Any) -> None:
    started(at, {"uniform": {"++": 8, "+.": 2, "--": 10}})
    at.types("ingest", "r1", at.labels())
    assert "2 assigned labels have not come in (bo 2)" in at.types("close", "r1", code=8)
    at.types("close", "r1", "--incomplete", "bo is on leave")


@way("# ○ Not gated", "This round was cut short (rule 3 contradicts rule 5) and is not gated.")
def a_rule_found_wanting_in_mid_round(at: Any) -> None:
    started(at, {"uniform": {"++": 8, "..": 10}})
    at.types("ingest", "r1", at.labels())
    at.types("close", "r1", "--cut-short", "rule 3 contradicts rule 5")


@way("reopened, after it had been closed by event 5. Why: a file was forgotten", "every assigned label is in")
def a_round_reopened_for_a_file_that_was_forgotten(at: Any) -> None:
    started(at, {"uniform": {"++": 8, "+.": 1, "--": 10}})
    at.types("ingest", "r1", at.labels())
    at.types("close", "r1", "--incomplete", "bo has none")
    at.types("reopen", "r1", "a file was forgotten")
    brings(at, f"{HEAD}r1-uniform-9,v1,bo,no\n")
    at.types("close", "r1")


@way("1 late label: kept, never in a gated figure.", "Late: kept, never in a gated figure.")
def a_late_label(at: Any) -> None:
    started(at, {"uniform": {"++": 8, "+.": 1, "--": 10}})
    at.types("ingest", "r1", at.labels())
    at.types("close", "r1", "--incomplete", "bo is on leave")
    at.types("measure", "r1")
    brings(at, f"{HEAD}r1-uniform-9,v1,bo,yes\n")


STOP = "stop: {union_positives: 5, at_most_items: 18}\ngate:"


@way("by the registered stop: 8 union positives among 12 items; 5 were registered")
def a_registered_stop(at: Any) -> None:
    started(at, {"uniform": {"++": 8, "--": 4, "..": 8}}, text=lambda text: text.replace("gate:", STOP, 1))
    at.types("ingest", "r1", at.labels())
    at.types("close", "r1")


@way("labels.csv was refused, and nothing of it stored (unknown-label 1)")
def a_file_refused_and_corrected(at: Any) -> None:
    started(at)
    right = at.labels().read_text()
    at.labels().write_text(right.replace("labelled,yes", "labelled,mabye", 1))
    at.types("ingest", "r1", at.labels(), code=3)
    at.labels().write_text(right)
    at.types("ingest", "r1", at.labels())
    at.types("close", "r1")


@way("Said when the round was opened: the lead sat apart")
def a_word_for_blindness(at: Any) -> None:
    at.register()
    at.open(LABELS, more="attestation: the lead sat apart")
    at.types("ingest", "r1", at.labels())
    at.types("close", "r1")


@pytest.mark.parametrize("name", list(WAYS))
def test_it_can_be_done_and_stands_in_the_report(typist: Any, name: str) -> None:
    play, lines = WAYS[name]
    play(typist)
    page = typist.report()
    for line in lines:
        assert line in page
