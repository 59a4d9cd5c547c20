"""An amendment before results replaces; afterwards it is a deviation that never helps (audit.md, part C, 6)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agreement.errors import ConfigError, OutOfOrder
from flows.adjudicate import adjudicate
from flows.amend import amend
from flows.audit.verify import verify
from flows.exports import adjudication_queue
from flows.gate import evaluate
from flows.history import history
from flows.measure import measure
from flows.open import open_round
from flows.register import grade
from flows.releases.release import release
from flows.report import write_report

pytestmark = pytest.mark.usefixtures("plain_pages")

PASSING = {"uniform": {"++": 20, "+-": 1, "-+": 1, "--": 38}}  # positive specific agreement 40/42
FAILING = {"uniform": {"++": 2, "+-": 10, "-+": 10, "--": 38}}  # 4/24
CHANCE = '{slice: uniform, statistic: krippendorff_alpha, at_least: "-1"}'
COUNT = '{{slice: uniform, statistic: union_positives, at_least: "{}"}}'
SPECIFIC = '{{slice: uniform, statistic: positive_specific_agreement, at_least: "{}"}}'


def rules(agreement: str, union: str = "1") -> list[str]:
    return [COUNT.format(union), SPECIFIC.format(agreement), CHANCE]


def change_to(make: Any, agreement: str, why: str = "it was wrong", **more: Any) -> Any:
    return amend(make.project, make.study(rules=rules(agreement), **more), why)


def test_before_labels_an_amendment_replaces_what_governs_the_round(make: Any) -> None:
    make.register(make.study(rules=rules("0.50")))
    make.open(PASSING)
    done = change_to(make, "0.99")
    assert done.effects == (("r1", "replaces"),)
    assert done.event.payload["what"] == ['gate.rules[1].at_least: "0.50", now "0.99"']
    assert done.event.payload["predecessor"] == 2
    make.ingest()
    make.close()
    measure(make.project, "r1")
    report = write_report(make.project, "r1").report
    assert (report.verdict.status, report.deviations) == ("fail", [])
    assert report.registration.grade == "preregistered"
    assert [line.split(",")[0] for line in report.registration.history] == ["event 2", "event 4"]
    assert "after event 2. it was wrong" in report.registration.history[1]


def test_after_labels_and_before_results_it_replaces_and_lowers_the_grade(make: Any) -> None:
    make.register(make.study(rules=rules("0.99")))
    make.open(PASSING)
    make.ingest()
    change_to(make, "0.50")
    state = make.project.state()
    assert grade(state, state.round("r1")) == "registered before results"


@pytest.mark.parametrize(
    ("labels", "first", "then", "counts"),
    [
        (FAILING, "0.50", "0.10", "fail"),  # lowering a threshold after the results helps nobody
        (PASSING, "0.50", "0.99", "fail"),  # raising it counts
        (PASSING, "0.50", "0.60", "pass"),
        (FAILING, "0.50", "0.60", "fail"),
    ],
)
def test_after_results_both_verdicts_are_shown_and_the_worse_counts(
    make: Any, labels: Any, first: str, then: str, counts: str
) -> None:
    make.register(make.study(rules=rules(first)))
    as_registered = make.gated(labels).report.verdict.status
    amended = change_to(make, then).event.seq
    measure(make.project, "r1")
    found = evaluate(make.project, "r1")
    report = write_report(make.project, "r1").report
    assert report.verdict.status == found.report.verdict.status == found.event.payload["verdict"] == counts
    (both,) = report.deviation_verdicts
    assert (both.as_registered, both.counts) == (as_registered, counts)
    assert report.deviations == [
        f"event {amended}: amended after results of this round could be known. Why: it was wrong "
        f'What: gate.rules[1].at_least: "{first}", now "{then}". Without it: {both.as_registered}; '
        f"with it: {both.as_amended}. The worse counts: {counts}."
    ]
    shown = history(make.project, "promises").deviations
    assert [(d.round_id, d.as_registered, d.as_amended, d.counts) for d in shown] == [
        ("r1", both.as_registered, both.as_amended, counts)
    ]
    assert verify(make.project).status == "UNANCHORED"


def test_two_amendments_after_results_are_both_shown_and_the_worst_of_all_counts(make: Any) -> None:
    make.register(make.study(rules=rules("0.50")))
    make.gated(PASSING)
    change_to(make, "0.99")
    change_to(make, "0.40", "back again")
    measure(make.project, "r1")
    report = write_report(make.project, "r1").report
    assert [(d.as_registered, d.as_amended, d.counts) for d in report.deviation_verdicts] == [
        ("pass", "fail", "fail"),
        ("pass", "pass", "fail"),
    ]


def test_a_verdict_from_before_an_amendment_is_not_given_again_nor_released(make: Any) -> None:
    make.register(make.study(rules=rules("0.50")))
    make.gated({"uniform": {"++": 20, "--": 40}})
    change_to(make, "0.99")
    with pytest.raises(OutOfOrder, match=r"the study was amended, or something .* since it was measured"):
        evaluate(make.project, "r1")
    with pytest.raises(OutOfOrder, match="since it was measured"):
        release(make.project, "promises", "1")


def test_the_next_round_is_governed_by_the_amendment_and_says_that_results_were_known(make: Any) -> None:
    make.register(make.study(rules=rules("0.99"), attempts=2))
    make.gated(PASSING)
    amended = change_to(make, "0.50", attempts=2).event.seq
    report = make.gated(PASSING, "r2", more="attempt_of: r1").report
    assert report.verdict.status == "pass"
    assert report.deviations == [
        f"event {amended}: the rules were amended when results of r1 were known. Why: it was wrong "
        'What: gate.rules[1].at_least: "0.99", now "0.50". Without it: fail; with it: pass. '
        "Results of this round were not known then, so it governs: pass."
    ]
    shown = history(make.project, "promises").deviations[-1]
    assert (shown.round_id, shown.as_registered, shown.as_amended, shown.counts, shown.governs) == (
        *("r2", "fail", "pass", "pass"),
        True,
    )
    measure(make.project, "r1")  # the amendment is a deviation for it
    evaluate(make.project, "r1")
    for name in ("r1", "r2"):
        write_report(make.project, name)
    decided = [row[0] for row in adjudication_queue(make.project, "r2").rows]
    adjudicate(make.project, "r2", make.decide(decided))
    card = (make.project.root / release(make.project, "promises", "1").folder / "README.md").read_text()
    assert "the rules were amended when results of r1 were known" in card


def test_the_same_amendment_again_is_already_done(make: Any) -> None:
    make.register(make.study(rules=rules("0.50")))
    first = change_to(make, "0.60")
    again = change_to(make, "0.60")
    assert (first.already_done, again.already_done, again.event) == (False, True, first.event)


def test_what_labels_rest_on_is_not_amended(make: Any) -> None:
    make.register()
    make.open(PASSING)
    wider = make.study(text=lambda text: text.replace('value: "no"', 'value: "nope"').replace("unreadable", "unclear"))
    with pytest.raises(OutOfOrder) as refused:
        amend(make.project, wider, "rename")
    assert [p.column for p in refused.value.problems] == ["categories", "abstention_reasons"]
    assert {p.code for p in refused.value.problems} == {"not-amendable"}


def test_attempts_are_not_raised_once_results_are_known(make: Any) -> None:
    make.register()
    make.gated(FAILING)
    with pytest.raises(OutOfOrder, match="1 attempts were registered, and results have been seen"):
        amend(make.project, make.study(attempts=3), "one more try")


def test_another_guideline_text_is_another_version(make: Any) -> None:
    file = make.register() and make.study(rules=rules("0.60"))
    Path(file.parent / "guideline-1.0.md").write_text("Flag everything.\n")
    with pytest.raises(OutOfOrder, match="annotators who follow another text follow another version"):
        amend(make.project, file, "clearer")


@pytest.mark.parametrize("why", ["", "  "])
def test_an_amendment_says_why(make: Any, why: str) -> None:
    make.register()
    with pytest.raises(ConfigError, match="amend: no reason"):
        amend(make.project, make.study(rules=rules("0.60")), why)


def test_only_what_is_registered_is_amended(make: Any) -> None:
    make.register()
    with pytest.raises(OutOfOrder, match="no study file is registered for this guideline version"):
        amend(make.project, make.study(version="2.0"), "a mistake")


def test_a_round_opened_after_an_amendment_rests_on_it(make: Any) -> None:
    make.register(make.study(rules=rules("0.50")))
    done = change_to(make, "0.60")
    opened = open_round(make.project, make.round(PASSING))
    assert opened.event.payload["registration"] == done.event.seq
    assert opened.event.payload["study_file"] == done.event.payload["study_file"]
