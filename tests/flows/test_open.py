"""Opening a round: frame and assignments are checked whole, then frozen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agreement.errors import ConfigError, InputRefused, OutOfOrder
from flows.frame import is_probability
from flows.gate import evaluate
from flows.measure import measure
from flows.open import open_round
from flows.storage.store import rows

LABELS = {"uniform": {"++": 2, "+-": 1, "--": 3}}
EMPTY = {"uniform": {"--": 6}}


def codes(refused: pytest.ExceptionInfo[Any]) -> list[tuple[str, int | None, str | None, str | None]]:
    return [(p.code, p.line, p.column, p.value) for p in refused.value.problems]


def test_opening_freezes_items_slices_and_assignments(make: Any) -> None:
    make.register()
    payload = make.open(LABELS).event.payload
    assert (payload["n_items"], payload["slices"], payload["registration"]) == (6, [["uniform", 6]], 2)
    with make.project.reading() as con:
        first = rows(
            con, "select item_id, item_version, cell, slice, inclusion_probability from frame_item order by all"
        )
        asked = rows(con, "select annotator_id, count(*) from assignment group by all order by all")
    assert first[0] == ("r1-uniform-1", "v1", "rest", "uniform", "0.10")
    assert asked == [("ada", 6), ("bo", 6)]


def test_the_same_again_is_already_done_and_another_frame_is_refused(make: Any) -> None:
    make.register()
    folder = make.round(LABELS)
    first = open_round(make.project, folder)
    again = open_round(make.project, folder)
    assert (again.already_done, again.event) == (True, first.event)
    frame = (folder / "frame.csv").read_text()
    (folder / "frame.csv").write_text(frame.replace(",v1,", ",v2,", 1))
    with pytest.raises(OutOfOrder, match="with other frame"):
        open_round(make.project, folder)
    assert make.types().count("round.opened") == 1


FRAME = "item_id,item_version,slice,inclusion_probability\n"
BAD_FRAMES = [
    (
        "item twice",
        FRAME + "a,v1,uniform,\nb,v1,uniform,\na,v1,uniform,\n",
        [("duplicate-item", 2), ("duplicate-item", 4)],
    ),
    ("unknown slice", FRAME + "a,v1,uniform,\nb,v1,hard,\n", [("unknown-slice", 3)]),
    ("empty id", FRAME + "a,v1,uniform,\n,v1,uniform,\n", [("id-characters", 3)]),
    ("no version", FRAME + "a,,uniform,\n", [("id-characters", 2)]),
    ("trailing space", FRAME + '"a ",v1,uniform,\n', [("id-characters", 2)]),
    ("zero-width space", FRAME + "a\u200b,v1,uniform,\n", [("id-characters", 2)]),
    ("not NFC", FRAME + "e\u0301,v1,uniform,\n", [("id-characters", 2)]),
    ("a formula", FRAME + "=1+1,v1,uniform,\n", [("id-characters", 2)]),
    ("probability 0", FRAME + "a,v1,uniform,0\n", [("bad-probability", 2)]),
    ("probability 1.5", FRAME + "a,v1,uniform,1.5\n", [("bad-probability", 2)]),
    (
        "all at once",
        FRAME + "a,v1,hard,2\n,v1,uniform,\n",
        [("bad-probability", 2), ("unknown-slice", 2), ("id-characters", 3)],
    ),
    ("no slice column", "item_id,item_version\na,v1\n", []),  # one slice registered: nothing to say
    ("no item column", "item,item_version,slice\na,v1,uniform\n", [("missing-column", 1)]),
    ("no version column", "item_id,slice\na,uniform\n", [("missing-column", 1)]),
    ("accents and scripts", FRAME + "é,v1,uniform,\n東京-1,v1,uniform,1/3\n", []),
]


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in BAD_FRAMES], ids=[case[0] for case in BAD_FRAMES])
def test_a_frame_is_refused_whole_with_every_place(make: Any, text: str, expected: list[tuple[str, int]]) -> None:
    make.register()
    folder = make.round(LABELS)
    (folder / "frame.csv").write_text(text)
    (folder / "round.yaml").write_text(
        (folder / "round.yaml").read_text().replace("assignments: assignments.csv\n", "")
    )
    if not expected:
        assert open_round(make.project, folder).event.type == "round.opened"
        return
    with pytest.raises(InputRefused) as refused:
        open_round(make.project, folder)
    assert [(code, line) for code, line, _, _ in codes(refused)] == expected
    assert make.types() == ["project.created", "study.registered"]


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        *((t, True) for t in ["", "1", "1.0", "0.5", ".25", "1/3", "10/10"]),
        *((t, False) for t in ["0", "0.0", "1.01", "3/2", "1/0", "0/3", "-0.5", "1e-1", "nan", "half", "٠.٥"]),
    ],
)
def test_a_probability_lies_above_0_and_up_to_1(text: str, fits: bool) -> None:
    assert is_probability(text) is fits


ASSIGNED = "item_id,annotator_id\n"
BOTH = "".join(f"r1-uniform-{n},{who}\n" for n in range(1, 7) for who in ("ada", "bo"))
BAD_ASSIGNMENTS = [
    ("one annotator", ASSIGNED + BOTH.replace("r1-uniform-3,bo\n", ""), [("one-annotator", None, "r1-uniform-3")]),
    (
        "nobody",
        ASSIGNED + BOTH.replace("r1-uniform-6,ada\nr1-uniform-6,bo\n", ""),
        [("one-annotator", None, "r1-uniform-6")],
    ),
    ("an unknown item", ASSIGNED + BOTH + "r9,ada\n", [("unknown-item", 14, "r9")]),
    ("a stranger", ASSIGNED + BOTH + "r1-uniform-1,zoe\n", [("unknown-annotator", 14, "zoe")]),
    ("a reserve", ASSIGNED + BOTH + "r1-uniform-1,cy\n", [("unknown-annotator", 14, "cy")]),
    ("the adjudicator", ASSIGNED + BOTH + "r1-uniform-1,dee\n", [("unknown-annotator", 14, "dee")]),
    (
        "asked twice",
        ASSIGNED + BOTH + "r1-uniform-1,ada\n",
        [("duplicate-assignment", 2, "r1-uniform-1"), ("duplicate-assignment", 14, "r1-uniform-1")],
    ),
    ("no annotator column", "item_id,who\nr1-uniform-1,ada\n", [("missing-column", 1, None)]),
]


@pytest.mark.parametrize(("text", "expected"), [c[1:] for c in BAD_ASSIGNMENTS], ids=[c[0] for c in BAD_ASSIGNMENTS])
def test_assignments_are_refused_whole_with_every_place(
    new_maker: Callable[..., Any], text: str, expected: list[tuple[str, int | None, str | None]]
) -> None:
    make = new_maker(reserves="cy")
    make.register()
    folder = make.round(LABELS)
    (folder / "assignments.csv").write_text(text)
    with pytest.raises(InputRefused) as refused:
        open_round(make.project, folder)
    assert [(code, line, value) for code, line, _, value in codes(refused)] == expected
    assert make.types() == ["project.created", "study.registered"]


def test_a_registered_slice_without_items_is_refused_in_a_measured_round(make: Any) -> None:
    make.register(make.study(slices=["uniform", "hard"]))
    with pytest.raises(InputRefused) as refused:
        make.open(LABELS)
    assert codes(refused) == [("empty-slice", None, "slice", "hard")]
    assert make.open(LABELS, "r2", kind="retrospective").event.type == "round.opened"


def test_items_of_a_pilot_are_not_blind_any_more(make: Any) -> None:
    make.register()
    make.open({"uniform": {"++": 3}}, "p1", kind="pilot")
    with pytest.raises(InputRefused) as refused:
        make.open(LABELS, items="p1")
    assert codes(refused) == [("item-shown-before", None, "item_id", f"p1-uniform-{n}") for n in (1, 2, 3)]
    assert not make.open(LABELS, "r2").already_done


def test_nor_are_items_an_adjudicator_has_decided(make: Any) -> None:
    from flows.adjudicate import adjudicate

    make.register()
    make.measured(LABELS)
    adjudicate(make.project, "r1", make.decide(["r1-uniform-3"]))
    with pytest.raises(InputRefused) as refused:
        make.open(LABELS, "r2", items="r1")
    assert ("item-shown-before", None, "item_id", "r1-uniform-3") in codes(refused)
    assert {problem.message for problem in refused.value.problems} == {
        "decided by an adjudicator",
        "labelled in r1, which was measured",
    }


def test_a_measured_round_needs_a_registration_and_a_pilot_may_name_a_draft(make: Any) -> None:
    study_file = make.study()
    with pytest.raises(OutOfOrder, match="is not registered"):
        make.open(LABELS)
    opened = make.open(LABELS, "p1", kind="pilot", more=f"study_file: ../{study_file.name}")
    assert (opened.event.payload["registration"], make.types()) == (None, ["project.created", "round.opened"])


def test_a_pilot_stays_under_the_draft_it_was_held_on(make: Any) -> None:
    """Another study file registered later under the same version does not govern it."""
    draft = make.study()
    make.open(LABELS, "p1", kind="pilot", more=f"study_file: ../{draft.name}")
    make.ingest("p1")
    make.close("p1")
    make.register(make.study(text=lambda text: text.replace('"yes"', '"beyond"').replace('"no"', '"within"')))
    assert measure(make.project, "p1").event.type == "round.measured"


def test_a_draft_of_another_study_is_refused(make: Any) -> None:
    draft = make.study(study="tone")
    with pytest.raises(ConfigError, match="is of study tone"):
        make.open(LABELS, "p1", kind="pilot", more=f"study_file: ../{draft.name}")


def test_pilot_and_retrospective_rounds_are_measured_and_never_gated(make: Any) -> None:
    make.register()
    for name, kind in (("p1", "pilot"), ("old", "retrospective")):
        make.measured(LABELS, name, kind=kind)
        with pytest.raises(OutOfOrder, match="never gated"):
            evaluate(make.project, name)


# Attempts (audit.md, C8).


def replaces(name: str) -> dict[str, str]:
    return {"more": f"attempt_of: {name}"}


def test_attempts_beyond_those_registered_are_refused(make: Any) -> None:
    make.register(make.study(attempts=2))
    make.gated(EMPTY, "r1")
    make.gated(EMPTY, "r2", **replaces("r1"))
    with pytest.raises(OutOfOrder, match="attempt 3, but 2 registered: not measurable as written"):
        make.open(EMPTY, "r3", **replaces("r2"))


def test_a_round_is_replaced_once(make: Any) -> None:
    """Else every further attempt could call itself the second."""
    make.register(make.study(attempts=2))
    make.gated(EMPTY, "r1")
    make.gated(EMPTY, "r2", **replaces("r1"))
    with pytest.raises(OutOfOrder, match="r1 has been replaced by r2 already"):
        make.open(EMPTY, "r3", **replaces("r1"))


@pytest.mark.parametrize("before", ["pass", "never gated"])
def test_only_what_was_gated_and_did_not_pass_can_be_replaced(make: Any, before: str) -> None:
    make.register(make.study(attempts=2))
    if before == "pass":
        assert make.gated({"uniform": {"++": 20, "--": 20}}).report.verdict.status == "pass"
    else:
        make.measured(EMPTY)
    with pytest.raises(OutOfOrder, match="gated and did not pass"):
        make.open(EMPTY, "r2", **replaces("r1"))


# Round files.


def test_a_folder_without_a_round_file_is_told_so(make: Any, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"round\.yaml: the round file cannot be read"):
        open_round(make.project, tmp_path)


def test_a_folder_that_serves_several_studies_needs_one_named(make: Any) -> None:
    for study in ("promises", "tone"):
        make.register(make.study(study=study))
    folder = make.round(LABELS)
    text = (folder / "round.yaml").read_text()
    (folder / "round.yaml").write_text(text.replace("study: promises", "study: [{study: promises}, {study: tone}]"))
    with pytest.raises(ConfigError, match="serves promises, tone"):
        open_round(make.project, folder)
    assert open_round(make.project, folder, "tone").event.payload["study_id"] == "tone"


CONDITIONS = [
    ('equals: "hard"', {"hard": True, "soft": False, "": False}),
    ('in: ["hard", "odd"]', {"odd": True, "soft": False}),
    ('at_least: "0.5"', {"0.5": True, "0.50": True, "0.4999999999": False, "7": True, "many": False}),
    ('below: "0.5"', {"0.5": False, "-1": True, ".25": True, "": False}),
]


@pytest.mark.parametrize(("condition", "values"), CONDITIONS)
def test_an_item_of_a_stratum_meets_the_registered_condition(
    make: Any, condition: str, values: dict[str, bool]
) -> None:
    """The uniform slice is drawn from everything, so its items may meet it or not."""
    study = make.study(slices=("uniform", "hard"), text=lambda text: text.replace('equals: "hard"', condition))
    make.register(study)
    folder = make.round({"uniform": {"++": 1}, "hard": {"++": len(values)}})
    marks = ["mark", "hard", *values]
    lines = (folder / "frame.csv").read_text().splitlines()
    (folder / "frame.csv").write_text("\n".join(f"{line},{mark}" for line, mark in zip(lines, marks, strict=True)))
    with pytest.raises(InputRefused) as refused:
        open_round(make.project, folder)
    places = [(p.code, p.line, p.column) for p in refused.value.problems]
    outside = [line for line, met in enumerate(values.values(), start=3) if not met]
    assert places == [("outside-slice", line, "mark") for line in outside]


def test_a_condition_on_a_column_the_frame_does_not_have_is_said_to_be_unchecked(make: Any) -> None:
    make.register(make.study(slices=("uniform", "hard")))
    opened = make.open({"uniform": {"++": 2}, "hard": {"++": 2}})
    assert opened.event.payload["unchecked_slices"] == ["hard"]
