"""What somebody would try at the command line who wants a pass: refused, or told in these words (audit.md, part C).

A cheat types its commands and gives what the last one said, or the report it led to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

CHANCE = '{slice: uniform, statistic: krippendorff_alpha, at_least: "-1"}'
EASY = ('{slice: uniform, statistic: union_positives, at_least: "1"}', CHANCE)
PASSING = {"uniform": {"++": 20, "+-": 1, "-+": 1, "--": 38}}
FAILING = {"uniform": {"++": 2, "+-": 10, "-+": 10, "--": 38}}
LOOK = ("--item", "item_id", "--annotator", "annotator_id", "--label", "label")


Cheat = Callable[[Any], str]
CHEATS: dict[str, tuple[Cheat, str]] = {}


def cheat(words: str) -> Callable[[Cheat], Cheat]:
    def note(function: Cheat) -> Cheat:
        CHEATS[function.__name__] = (function, words)
        return function

    return note


# A look before its time.


@cheat("These labels were there before what is asked of them was registered (exploratory), so they are not gated.")
def look_at_the_labels_and_then_register_what_they_reach(at: Any) -> str:
    at.register(study="other")  # a project exists
    at.make.round(FAILING)
    at.types("agreement", at.labels(), *LOOK)
    at.register(rules=EASY)
    at.collect(FAILING)
    at.types("measure", "r1")
    return at.types("gate", "r1", code=8)


@cheat("(exploratory)")
def look_at_another_copy_of_the_labels_and_then_register(at: Any) -> str:
    """The same labels as a table of another form, under another name: no byte is the same."""
    at.register(study="other")
    at.make.round(FAILING)
    said: dict[str, list[str]] = {}
    for line in at.labels().read_text().splitlines()[1:]:
        item, _, _, _, label, _ = line.split(",")
        said.setdefault(item, []).append(label)
    copy = at.make.folder / "copy.csv"
    copy.write_text("item_id,first,second\n" + "".join(f"{item},{a},{b}\n" for item, (a, b) in said.items()))
    at.types("agreement", copy, "--item", "item_id", "--wide", "first,second")
    at.register(rules=EASY)
    at.collect(FAILING)
    at.types("measure", "r1")
    return at.types("gate", "r1", code=8)


@cheat("somebody looked at the agreement in labels.csv, whose labels are in this round")
def look_at_the_labels_before_they_are_brought_in(at: Any) -> str:
    at.register()
    at.open(PASSING)
    assert "if this file comes into a round, its report will say so" in at.types("agreement", at.labels(), *LOOK)
    at.types("ingest", "r1", at.labels())
    at.types("close", "r1")
    return at.report()


@cheat("The worse counts: fail.")
def look_amend_and_only_then_bring_the_labels_in(at: Any) -> str:
    at.register()
    at.open(FAILING)
    at.types("agreement", at.labels(), *LOOK)
    at.types("amend", at.make.study(rules=EASY), "--why", "too strict")
    at.types("ingest", "r1", at.labels())
    at.types("close", "r1")
    return at.report()


def looked(at: Any, **options: Any) -> None:
    at.register(**options)
    at.open(FAILING)
    at.types("ingest", "r1", at.labels())
    at.types("agreement", at.labels(), *LOOK)


@cheat("1 attempts were registered, and results have been seen")
def look_and_allow_oneself_more_attempts(at: Any) -> str:
    looked(at)
    return at.types("amend", at.make.study(attempts=3), "--why", "it is hard", code=8)


@cheat("the results have been seen, so labels are not revised any more")
def look_and_revise_what_differs(at: Any) -> str:
    looked(at)
    file = at.make.folder / "revised.csv"
    file.write_text("item_id,item_version,annotator_id,label\nr1-uniform-3,v1,bo,yes\n")
    return at.types("ingest", "r1", file, "--revision", "a slip", code=8)


@cheat("its results could be known since event 5, and a round is not thrown away in their light")
def look_and_throw_the_round_away(at: Any) -> str:
    """A round that was cut short is no attempt, and its items may be drawn again."""
    looked(at)
    return at.types("close", "r1", "--cut-short", "a rule is wanting", code=8)


@cheat("labelled in r1, which was looked at")
def look_and_draw_the_same_items_again(at: Any) -> str:
    looked(at)
    return at.open(PASSING, "r2", items="r1", code=3)


# Items that are not blind.


@cheat("to be labelled blind in r1, which is not measured yet")
def practise_on_the_items_of_the_round_that_is_open(at: Any) -> str:
    """A pilot may be measured and talked about, all while its items are out to be labelled blind."""
    at.register()
    at.open(PASSING)
    return at.open(PASSING, "p1", kind="pilot", items="r1", code=3)


@cheat("to be labelled blind in r1, which is not measured yet")
def open_the_round_twice_and_measure_one_of_them_first(at: Any) -> str:
    at.register()
    at.open(FAILING)
    return at.open(PASSING, "r2", items="r1", code=3)


@cheat("labelled in old, which was measured")
def measure_labels_as_old_ones_and_then_bring_them_as_new(at: Any) -> str:
    at.register()
    at.collect(PASSING, "old", kind="retrospective")
    at.types("measure", "old")
    return at.open(PASSING, items="old", code=3)


@cheat("a calibration of the study was held since the round was closed")
def close_talk_it_over_and_reopen(at: Any) -> str:
    at.register()
    at.collect(FAILING)
    talk = at.make.folder / "talk.csv"
    talk.write_text("item_id\nr1-uniform-3\n")
    at.types("calibration", "promises", talk, "--people", "ada,bo")
    return at.types("reopen", "r1", "bo wants to think again", code=8)


@cheat("the round was cut short, and its items may have been given to another round since")
def cut_a_round_short_learn_of_its_items_elsewhere_and_reopen_it(at: Any) -> str:
    at.register()
    at.open(FAILING)
    at.types("ingest", "r1", at.labels())
    at.types("close", "r1", "--cut-short", "a rule is wanting")
    at.gated(FAILING, "r2", items="r1", code=4)
    return at.types("reopen", "r1", "it was not so bad", code=8)


# Rules.


@cheat("of promises, which asks the same question, by which r1 was judged")
def ask_the_same_question_as_another_study(at: Any) -> str:
    """Attempts are counted per study: a new id would begin to count anew."""
    at.register()
    at.gated(FAILING, code=4)
    return at.types("register", at.make.study(study="promises-2"), code=8)


@cheat("# ● Passed, registered before results")
def have_the_file_refused_and_amend_before_it_comes_in(at: Any) -> str:
    """A refused file has been seen: an amendment after it was not made before the labels."""
    at.register()
    at.open(PASSING)
    broken = at.make.folder / "broken.csv"
    broken.write_text(at.labels().read_text() + "nowhere,v1,ada,labelled,yes,\n")
    at.types("ingest", "r1", broken, code=3)
    at.types("amend", at.make.study(rules=EASY), "--why", "too strict")
    at.types("ingest", "r1", at.labels())
    at.types("close", "r1")
    page = at.report()
    assert at.types("gate", "r1").startswith("Passed, registered before results. These labels may be used")
    assert "broken.csv was refused, and nothing of it stored (unknown-item 1)" in page
    return page


@cheat("are contested and undecided")
def let_the_majority_decide_once_the_contested_items_are_known(at: Any) -> str:
    """The release block is part of the registration: amended after results it does not govern this round."""
    at.register()
    at.gated(PASSING)
    out = '{contested: adjudicated, unresolved: out, at_most_unresolved: "0.90"}'
    at.types("amend", at.make.study(release=out), "--why", "nobody has time to decide")
    at.types("measure", "r1")
    at.types("gate", "r1")
    return at.types("release", "promises", "1", code=8)


@cheat("1 of 2 rounds of this guideline version passed.")
def release_the_batch_that_passed_and_not_speak_of_the_other(at: Any) -> str:
    at.register(release='{contested: majority, unresolved: out, at_most_unresolved: "0.10"}')
    at.gated(FAILING, code=4)
    at.gated(PASSING, "r2")
    at.types("release", "promises", "1")
    return str(next((at.make.project.root / "releases" / "promises").glob("1-*/README.md")).read_text())


@cheat("Not checked: slice hard is of items by a column that the frame does not have.")
def leave_out_the_column_that_says_what_is_hard(at: Any) -> str:
    at.register(slices=("uniform", "hard"))
    at.collect({"uniform": {"++": 9, "--": 9}, "hard": {"++": 9, "--": 9}})
    return at.report()


@cheat("1 item went to fewer annotators than were registered.")
def ask_only_those_who_agree(at: Any) -> str:
    """Three independent labels an item were registered; of a hard one the third reader is not asked."""
    at.make.annotators = ("ada", "bo", "cy")
    at.register()
    at.collect({"uniform": {"+++": 9, "++_": 1, "---": 9}})
    return str(at.report())


# Labels.


@cheat("60 labels were removed on request; no figure here holds them.")
def remove_a_file_that_would_spoil_the_figures(at: Any) -> str:
    at.register()
    at.open(PASSING)
    lines = at.labels().read_text().splitlines(keepends=True)
    for who in ("ada", "bo"):
        file = at.make.folder / f"{who}.csv"
        file.write_text("".join([lines[0], *(line for line in lines if f",{who}," in line)]))
        at.types("ingest", "r1", file)
    at.types("redact", "bo.csv", "--reason", "she asked for it")
    at.types("close", "r1", "--incomplete", "bo's labels are gone")
    return at.report()


@cheat("Set aside, other-version: 10")
def say_that_the_contested_items_were_another_version(at: Any) -> str:
    """They are missing then, in the table of coverage and by the rules on it."""
    at.register()
    at.open({"uniform": {"++": 20, "+v": 10, "--": 30}})
    at.types("ingest", "r1", at.labels(), "--set-aside", "other-version")
    at.types("close", "r1", "--incomplete", "another version")
    return at.report()


@cheat("119 rows dated a day or more before the round was opened")
def leave_one_old_label_without_its_date(at: Any) -> str:
    """Where all are old the round is retrospective; where one has no date it is flagged."""
    at.register()
    at.open(PASSING)
    lines = at.labels().read_text().splitlines()
    dated = [f"{line},2026-03-01T10:00:00Z" for line in lines[1:-1]]
    old = at.make.folder / "old.csv"
    old.write_text("\n".join([f"{lines[0]},labelled_at", *dated, f"{lines[-1]},"]) + "\n")
    at.types("ingest", "r1", old)
    at.types("close", "r1")
    return at.report()


@pytest.mark.parametrize("name", list(CHEATS))
def test_a_cheat_is_refused_or_disclosed_with_these_words(typist: Any, name: str) -> None:
    attempt, words = CHEATS[name]
    assert words in attempt(typist)
