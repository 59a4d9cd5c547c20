"""What somebody would try who wants a pass: each is refused, or shown with these words (audit.md, part C, 10).

A cheat is a function that tries it and gives the text in which it is refused or disclosed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agreement.errors import GoldgateError
from flows.adjudicate import adjudicate
from flows.amend import amend
from flows.calibration import hold_calibration
from flows.close import close_round, reassign, reopen_round
from flows.gate import evaluate
from flows.history import history
from flows.measure import measure
from flows.open import open_round
from flows.redact import redact
from flows.register import register
from flows.releases.release import release
from flows.report import write_report
from flows.told import note_explored

pytestmark = pytest.mark.usefixtures("plain_pages")

PASSING = {"uniform": {"++": 20, "+-": 1, "-+": 1, "--": 38}}
FAILING = {"uniform": {"++": 2, "+-": 10, "-+": 10, "--": 38}}
CONTESTED = [f"r1-uniform-{n}" for n in range(3, 23)]
CHANCE = '{slice: uniform, statistic: krippendorff_alpha, at_least: "-1"}'
SPECIFIC = '{{slice: uniform, statistic: positive_specific_agreement, at_least: "{}"}}'
COUNT = '{slice: uniform, statistic: union_positives, at_least: "1"}'
EASY = [COUNT, SPECIFIC.format("0.05"), CHANCE]

CHEATS: dict[str, tuple[Callable[[Any], str], str]] = {}


def cheat(words: str) -> Callable[[Callable[[Any], str]], Callable[[Any], str]]:
    def note(function: Callable[[Any], str]) -> Callable[[Any], str]:
        CHEATS[function.__name__] = (function, words)
        return function

    return note


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(GoldgateError) as caught:
        call()
    assert caught.value.exit_code != 0
    return " | ".join([caught.value.headline, *(p.message for p in caught.value.problems), caught.value.next_step])


def report_again(make: Any, name: str = "r1") -> Any:
    measure(make.project, name)
    return write_report(make.project, name).report


def failed(make: Any, **options: Any) -> None:
    make.register(make.study(**options))
    assert make.gated(FAILING).report.verdict.status == "fail"


@cheat("The worse counts: fail.")
def lower_the_threshold_after_the_results(make: Any) -> str:
    failed(make)
    amend(make.project, make.study(rules=EASY), "it was too strict")
    report = report_again(make)
    assert report.verdict.status == "fail"
    return report.deviations[0]


@cheat("the study file differs from what was registered")
def register_a_second_easier_study_for_the_same_version(make: Any) -> str:
    failed(make)
    return refused(lambda: register(make.project, make.study(rules=EASY)))


@cheat("The worse counts: fail.")
def drop_the_rule_that_failed(make: Any) -> str:
    failed(make)
    amend(make.project, make.study(rules=[COUNT, CHANCE]), "not needed")
    report = report_again(make)
    assert report.verdict.status == "fail"
    return report.deviations[0]


@cheat("`slices` changed, and labels of this version rest on it")
def merge_the_slice_that_failed_into_another(make: Any) -> str:
    make.register(make.study(slices=("uniform", "hard")))
    make.gated({"uniform": {"++": 9, "--": 9}, "hard": {"+-": 3, "--": 3}})
    return refused(lambda: amend(make.project, make.study(slices=("uniform",)), "one slice is enough"))


@cheat("1 attempts were registered, and results have been seen")
def register_more_attempts_after_a_failure(make: Any) -> str:
    failed(make)
    return refused(lambda: amend(make.project, make.study(attempts=5), "again"))


@cheat("attempt 2, but 1 registered")
def try_once_more_than_registered(make: Any) -> str:
    failed(make)
    return refused(lambda: open_round(make.project, make.round(PASSING, "r2", more="attempt_of: r1")))


@cheat("the text is word for word that of version 1.0, by which r1 was judged")
def call_the_same_guideline_another_version(make: Any) -> str:
    """A fresh version would begin to count attempts anew."""
    failed(make)
    again = make.study(version="1.1")
    (make.folder / "guideline-1.1.md").write_text((make.folder / "guideline-1.0.md").read_text())
    return refused(lambda: register(make.project, again))


@cheat("1 of 2 rounds passed")
def call_a_retry_a_batch_to_escape_the_count(make: Any) -> str:
    """A round that does not say that it replaces another one is a batch: history counts it, and adds both up."""
    failed(make)
    make.gated(PASSING, "r2")
    version = history(make.project, "promises").versions[0]
    (both,) = version.cumulative
    assert both.union == 44  # 22 of each: the failed round stays in the figure over all of them
    return f"{version.passed} of {version.judged} rounds passed"


@cheat("r1 is not a round of guideline 1.0 that was gated and did not pass")
def replace_a_round_before_it_was_judged(make: Any) -> str:
    make.register(make.study(attempts=2))
    make.measured(FAILING)
    return refused(lambda: open_round(make.project, make.round(PASSING, "r2", more="attempt_of: r1")))


@cheat("the results have been seen, so labels are not revised any more")
def change_labels_after_the_results(make: Any) -> str:
    failed(make)
    text = "item_id,item_version,annotator_id,label\nr1-uniform-3,v1,bo,yes\n"
    return refused(lambda: make.bring(text, revision="a slip"))


@cheat("bo said 'no' before and says 'yes' here")
def change_labels_without_a_reason(make: Any) -> str:
    make.register()
    make.open(FAILING)
    make.ingest()
    return refused(lambda: make.bring("item_id,item_version,annotator_id,label\nr1-uniform-3,v1,bo,yes\n"))


@cheat("the round has been measured: its results have been seen")
def reopen_after_the_results(make: Any) -> str:
    failed(make)
    return refused(lambda: reopen_round(make.project, "r1", "more labels"))


@cheat("the round is closed")
def reassign_after_the_results(make: Any) -> str:
    failed(make)
    return refused(lambda: reassign(make.project, "r1", "ada", "bo", "another reader"))


@cheat("1 late")
def send_late_labels_to_lift_the_figures(make: Any) -> str:
    make.register()
    make.open({"uniform": {"++": 2, "+-": 9, "+.": 3, "--": 38}})
    make.ingest()
    make.close()
    measure(make.project, "r1")
    before = write_report(make.project, "r1").report
    make.bring("item_id,item_version,annotator_id,label\nr1-uniform-12,v1,bo,yes\n")
    after = report_again(make)
    assert after.slices == before.slices
    return f"{after.late_labels} late"


@cheat("extra")
def bring_a_third_reader_in_for_contested_items_only(make: Any) -> str:
    """It would lift positive specific agreement; a label on nothing assigned is kept and shown apart."""
    make.register(make.study(text=lambda text: text.replace("{id: bo}", "{id: bo}, {id: cy}")))
    make.open(FAILING)
    make.ingest()
    rows = "".join(f"{item},v1,cy,yes\n" for item in CONTESTED)
    found = make.bring(f"item_id,item_version,annotator_id,label\n{rows}")
    make.close()
    report = report_again(make)
    assert report.extra_labels == found.n_extra == 20
    assert [a.annotator_id for a in report.slices[0].annotators] == ["ada", "bo"]
    return "extra"


@cheat("no digit")
def let_adjudicated_labels_into_the_agreement(make: Any) -> str:
    failed(make)
    before = write_report(make.project, "r1").report
    adjudicate(make.project, "r1", make.decide(CONTESTED))
    assert report_again(make) == before
    return "no digit"


@cheat("no round of guideline 1.0 passed")
def release_a_round_that_failed(make: Any) -> str:
    failed(make)
    return refused(lambda: release(make.project, "promises", "1"))


@cheat("no round has been through the gate")
def release_before_the_gate_was_asked(make: Any) -> str:
    make.register()
    make.measured(PASSING)
    return refused(lambda: release(make.project, "promises", "1"))


@cheat("a pilot round is never gated")
def gate_a_pilot(make: Any) -> str:
    make.register()
    make.measured(PASSING, kind="pilot")
    return refused(lambda: evaluate(make.project, "r1"))


@cheat("a relabel round is never gated")
def gate_the_relabelled_items_of_a_failed_round(make: Any) -> str:
    failed(make)
    make.register(make.study(version="2.0"))
    make.measured(PASSING, "r2", kind="relabel", version="2.0", items="r1")
    return refused(lambda: evaluate(make.project, "r2"))


@cheat("2 items are not labelled again")
def release_ungated_items_as_relabelled_ones(make: Any) -> str:
    failed(make)
    make.register(make.study(version="2.0"))
    return refused(lambda: make.open({"uniform": {"++": 2}}, "r2", kind="relabel", version="2.0"))


@cheat("This round was cut short")
def gate_a_round_that_was_cut_short(make: Any) -> str:
    make.register()
    make.open(PASSING)
    make.ingest()
    close_round(make.project, "r1", cut_short="we saw enough")
    measure(make.project, "r1")
    return refused(lambda: evaluate(make.project, "r1"))


@cheat("is not registered")
def collect_first_and_register_later(make: Any) -> str:
    return refused(lambda: open_round(make.project, make.round(PASSING)))


@cheat("shown in a pilot")
def measure_the_items_people_practised_on(make: Any) -> str:
    make.register()
    make.measured(PASSING, kind="pilot", items="same")
    return refused(lambda: open_round(make.project, make.round(PASSING, "r2", items="same")))


@cheat("was discussed in a calibration")
def measure_the_items_people_talked_about(make: Any) -> str:
    make.register()
    (make.folder / "talk.csv").write_text("item_id\nr1-uniform-1\n")
    hold_calibration(make.project, "promises", make.folder / "talk.csv", ["ada", "bo"])
    return refused(lambda: open_round(make.project, make.round(PASSING)))


@cheat("a measured round of the study is open")
def calibrate_while_the_round_is_open(make: Any) -> str:
    make.register()
    make.open(PASSING)
    (make.folder / "talk.csv").write_text("item_id\nr1-uniform-1\n")
    return refused(lambda: hold_calibration(make.project, "promises", make.folder / "talk.csv", ["ada"]))


@cheat("decided by an adjudicator")
def measure_items_whose_answer_was_decided(make: Any) -> str:
    failed(make, attempts=2)
    adjudicate(make.project, "r1", make.decide(CONTESTED))
    folder = make.round(PASSING, "r2", more="attempt_of: r1", items="r1")
    return refused(lambda: open_round(make.project, folder))


@cheat("somebody looked at the agreement in labels.csv, whose labels are in this round")
def look_at_the_agreement_while_labels_come_in(make: Any) -> str:
    make.register()
    make.open(PASSING)
    make.ingest()
    assert note_explored(make.project, make.folders["r1"] / "labels.csv") is not None
    make.close()
    return report_again(make).deviations[0]


@cheat("The worse counts: fail.")
def look_first_and_amend_before_measuring(make: Any) -> str:
    """A look makes results known: an amendment after it is a deviation although nothing was measured yet."""
    make.register()
    make.open(FAILING)
    make.ingest()
    note_explored(make.project, make.folders["r1"] / "labels.csv")
    amend(make.project, make.study(rules=EASY), "lower, as it will fail")
    make.close()
    report = report_again(make)
    assert report.verdict.status == "fail"
    return report.deviations[1]


@cheat("retrospective")
def label_first_and_open_a_round_around_it(make: Any) -> str:
    make.register()
    make.open(PASSING)
    lines = (make.folders["r1"] / "labels.csv").read_text().splitlines()
    dated = [f"{lines[0]},labelled_at", *(f"{line},2026-03-01T10:00:00Z" for line in lines[1:])]
    make.bring("\n".join(dated) + "\n", name="dated.csv")
    make.close()
    report = report_again(make)
    assert report.verdict.status == "not_gated"
    return str(report.registration.grade)


@cheat("The worse counts: fail.")
def remove_the_contested_items_on_request(make: Any) -> str:
    failed(make)
    redact(make.project, CONTESTED[0], "a request")
    report = report_again(make)
    assert report.verdict.status == "fail"
    return report.deviations[0]


@cheat("not_evaluable")
def flag_nothing_at_all(make: Any) -> str:
    """0 of 0 is no agreement: it has no value and never passes."""
    make.register()
    report = make.gated({"uniform": {"--": 40}}).report
    assert report.verdict.status == "fail"  # by the count of positives, which is 0
    return next(rule.verdict for rule in report.verdict.rules if rule.statistic == "positive_specific_agreement")


@cheat("1 registered slice without items")
def leave_the_difficult_slice_out(make: Any) -> str:
    make.register(make.study(slices=("uniform", "hard")))
    return refused(lambda: open_round(make.project, make.round(PASSING)))


@cheat("frame was frozen when the round opened")
def draw_the_items_again_until_they_suit(make: Any) -> str:
    make.register()
    make.open(PASSING)
    return refused(lambda: open_round(make.project, make.round({"uniform": {"--": 5}})))


@cheat("labels of bo are out")
def close_before_the_second_reader_is_in(make: Any) -> str:
    make.register()
    make.open({"uniform": {"++": 3, "+.": 4}})
    make.ingest()
    return refused(lambda: close_round(make.project, "r1"))


@cheat("copied-submission")
def hand_in_the_other_ones_labels(make: Any) -> str:
    make.register()
    make.open({"uniform": {"++": 8, "--": 8}})
    return str(make.ingest().notes)


@cheat("has labelled this item blind")
def decide_on_ones_own_labels(make: Any) -> str:
    make.register()
    make.gated(PASSING)
    path = make.folder / "own.csv"
    path.write_text("item_id,label,adjudicator_id,reason\nr1-uniform-21,yes,ada,mine\n")
    return refused(lambda: adjudicate(make.project, "r1", path))


@pytest.mark.parametrize("name", list(CHEATS))
def test_a_cheat_is_refused_or_disclosed_with_these_words(make: Any, name: str) -> None:
    attempt, words = CHEATS[name]
    assert words in attempt(make)


def test_there_are_at_least_25_of_them() -> None:
    assert len(CHEATS) >= 25
