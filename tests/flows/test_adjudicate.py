"""Decisions have a table of their own and reach no figure of agreement."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agreement.errors import InputRefused
from flows.adjudicate import adjudicate
from flows.exports import adjudication_queue
from flows.gate import evaluate
from flows.measure import measure
from flows.report import measured_report
from flows.storage.store import rows

pytestmark = pytest.mark.usefixtures("plain_pages")

PASSING = {"uniform": {"++": 20, "+-": 1, "-+": 1, "--": 38}}
LABELS = {"uniform": {"++": 3, "+-": 2, "-+": 1, "--": 4}}
ITEMS = [f"r1-uniform-{n}" for n in range(1, 11)]
HEADER = "item_id,label,adjudicator_id,reason\n"


@pytest.fixture(scope="module")
def measured_once(tmp_path_factory: pytest.TempPathFactory, maker_in: Callable[..., Any]) -> Any:
    make = maker_in(tmp_path_factory.mktemp("measured"))
    make.register()
    make.measured(LABELS)
    return make


@pytest.fixture
def measured(measured_once: Any, tmp_path: Path) -> Any:
    return measured_once.copied_to(tmp_path)


def test_no_digit_of_agreement_changes_with_any_number_of_decisions(measured: Any) -> None:
    before = measured_report(measured.project.objects, measured.project.state().round("r1").measured[-1])
    for n, (label, items) in enumerate([("yes", ITEMS), ("no", ITEMS), ("undecidable", ITEMS), ("no", ITEMS[:1])]):
        adjudicate(measured.project, "r1", measured.decide(items, label, f"{n}.csv"))
        again = measure(measured.project, "r1")
        assert again.already_done  # byte for byte the same measurement
    assert measured_report(measured.project.objects, again.event) == before
    assert evaluate(measured.project, "r1").report.slices == before.slices
    with measured.project.reading() as con:
        assert rows(con, "select count(*) from adjudication") == [(31,)]
        assert rows(con, "select count(*) from raw_label") == [(20,)]


def test_the_same_file_again_is_already_done(measured: Any) -> None:
    first = adjudicate(measured.project, "r1", measured.decide(ITEMS[:2]))
    again = adjudicate(measured.project, "r1", measured.decide(ITEMS[:2]))
    assert (first.already_done, again.already_done, again.n_decisions) == (False, True, 2)
    assert again.event == first.event


BAD = [
    ("not an item of the round", "r9,yes,dee,why\n", [("not-decidable", 2)]),
    ("not a category", "r1-uniform-1,maybe,dee,why\n", [("unknown-label", 2)]),
    ("nobody's label", "r1-uniform-1,,dee,why\n", [("unknown-label", 2)]),
    ("not an adjudicator", "r1-uniform-1,yes,zoe,why\n", [("unknown-adjudicator", 2)]),
    (
        "who labelled it blind",
        "r1-uniform-1,yes,ada,why\n",
        [("adjudicator-as-annotator", 2), ("unknown-adjudicator", 2)],
    ),
    (
        "without a reason",
        "r1-uniform-1,yes,dee,\nr1-uniform-2,yes,dee,  \n",
        [("blank-reason", 2), ("blank-reason", 3)],
    ),
    (
        "twice in one file",
        "r1-uniform-1,yes,dee,a\nr1-uniform-1,no,dee,b\n",
        [("duplicate-item", 2), ("duplicate-item", 3)],
    ),
    (
        "several at once",
        "r9,maybe,zoe,\n",
        [("blank-reason", 2), ("not-decidable", 2), ("unknown-adjudicator", 2), ("unknown-label", 2)],
    ),
]


@pytest.mark.parametrize(("body", "expected"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_a_decision_is_refused_with_every_reason_and_nothing_is_stored(
    measured: Any, body: str, expected: list[tuple[str, int]]
) -> None:
    path = measured.folder / "decisions.csv"
    path.write_text(HEADER + body)
    with pytest.raises(InputRefused) as refused:
        adjudicate(measured.project, "r1", path)
    assert sorted((p.code, p.line) for p in refused.value.problems) == sorted(expected)
    assert measured.types()[-1] == "round.measured"


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("item_id,label,adjudicator_id\n", "missing-column"),
        ("item_id,label,adjudicator_id,reason,mood\n", "unexpected-column"),
    ],
)
def test_a_file_of_decisions_has_its_four_columns_and_no_other(measured: Any, header: str, code: str) -> None:
    path = measured.folder / "decisions.csv"
    path.write_text(header + "x," * header.count(",") + "x\n")
    with pytest.raises(InputRefused) as refused:
        adjudicate(measured.project, "r1", path)
    assert [problem.code for problem in refused.value.problems] == [code]


def test_a_later_decision_supersedes_and_both_stay(measured: Any) -> None:
    for n, label in enumerate(("yes", "no")):
        adjudicate(measured.project, "r1", measured.decide(ITEMS[:1], label, f"{n}.csv"))
    with measured.project.reading() as con:
        found = rows(con, 'select "label", recorded_seq from adjudication order by recorded_seq')
    assert [label for label, _ in found] == ["yes", "no"]
    assert found[0][1] < found[1][1]


def test_an_undecidable_item_has_no_label(measured: Any) -> None:
    adjudicate(measured.project, "r1", measured.decide(ITEMS[:1], "undecidable"))
    with measured.project.reading() as con:
        assert rows(con, 'select "label", reason from adjudication') == [("", "read it twice")]


def test_decisions_in_two_rounds_stay_apart(make: Any, new_maker: Callable[..., Any]) -> None:
    make.register()
    for name in ("r1", "r2"):
        make.measured(LABELS, name)
    adjudicate(make.project, "r2", make.decide(["r2-uniform-4"]))
    state = make.project.state()
    assert [len(state.round(name).adjudications) for name in ("r1", "r2")] == [0, 1]
    path = make.decide(["r2-uniform-5"], name="wrong.csv")
    with pytest.raises(InputRefused):
        adjudicate(make.project, "r1", path)


def test_what_a_file_of_decisions_changes_is_said_and_kept(measured: Any) -> None:
    contested = ITEMS[3:6]
    first = adjudicate(measured.project, "r1", measured.decide([contested[0], ITEMS[0]], "yes", "1.csv"))
    assert (first.n_superseding, first.n_agreed, first.n_left) == (0, 1, 2)
    second = adjudicate(measured.project, "r1", measured.decide(contested[:2], "no", "2.csv"))
    assert (second.n_superseding, second.n_agreed, second.n_left) == (1, 0, 1)
    assert second.event.payload["supersedes"] == [[first.event.seq, 1]]


def test_after_the_last_decision_the_gate_says_release(make: Any) -> None:
    """The report, written before, still names the items to decide: it is not changed."""
    make.register()
    make.measured(PASSING)
    assert "decided by an adjudicator" in evaluate(make.project, "r1").next_step[0]
    contested = [row[0] for row in adjudication_queue(make.project, "r1").rows]
    adjudicate(make.project, "r1", make.decide(contested[:-1], "no", "1.csv"))
    assert evaluate(make.project, "r1").next_step[0] == "Have the contested item that is left decided, then release."
    adjudicate(make.project, "r1", make.decide(contested[-1:], "no", "2.csv"))
    assert evaluate(make.project, "r1").next_step == ("Release the labels.", "goldgate release promises VERSION")
