"""The same labels again, under another name or with lower thresholds, are no new evidence."""

from __future__ import annotations

from typing import Any

import pytest

from agreement.errors import OutOfOrder
from flows.gate import evaluate
from flows.register import grade
from flows.seen_before import seen_before
from flows.storage.project import Project

pytestmark = pytest.mark.usefixtures("plain_pages")

LABELS = {"uniform": {"++": 8, "+-": 6, "-+": 6, "--": 60}}
EASIER = (
    '{slice: uniform, statistic: union_positives, at_least: "1"}',
    '{slice: uniform, statistic: positive_specific_agreement, at_least: "0.10"}',
    '{slice: uniform, statistic: krippendorff_alpha, at_least: "0"}',
)


def grade_of(project: Project, round_id: str) -> str:
    state = project.state()
    return grade(state, state.round(round_id))


def test_a_study_registered_after_these_labels_were_measured_for_another_is_never_gated(make: Any) -> None:
    make.register()
    make.measured(LABELS)
    make.register(make.study(study="promises-again", rules=EASIER))
    make.measured(LABELS, "r2", study="promises-again", items="r1")
    assert grade_of(make.project, "r2") == "exploratory"
    with pytest.raises(OutOfOrder, match="These very labels came in for promises/r1, which was measured before"):
        evaluate(make.project, "r2")


def test_two_studies_registered_before_may_share_their_labels(make: Any) -> None:
    make.register()
    make.register(make.study(study="promises-again", rules=EASIER))
    make.measured(LABELS)
    make.measured(LABELS, "r2", study="promises-again", items="r1")
    assert grade_of(make.project, "r2") == "preregistered"


def test_another_rare_question_about_the_same_items_is_another_question(make: Any) -> None:
    """Nearly all answers are alike, as nearly all are `no`; the positive ones are not."""
    make.register()
    make.measured({"uniform": {"++": 5, "--": 75}})
    make.register(make.study(study="rude"))
    make.open({"uniform": {"--": 75, "++": 5}}, "r2", study="rude", items="r1")
    make.ingest("r2")
    with make.project.changing() as change:
        assert seen_before(change, change.state.round("r2")) == []
