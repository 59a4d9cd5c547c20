"""What never turns not-pass into pass: a slice that is gone, a label that is gone. From stored rows to the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.gate import Verdict, judge
from flows.counts import count_round
from flows.record.evidence import evidence_of
from flows.record.settings import settings_of
from flows.storage import store
from flows.storage.ledger import Event
from flows.storage.state import RoundState
from schemas.study import Study, parse_study

RULES = [
    rule.replace("SLICE", name)
    for name in ("uniform", "hard")
    for rule in (
        '{slice: SLICE, statistic: union_positives, at_least: "2"}',
        '{slice: SLICE, statistic: positive_specific_agreement, at_least: "0.50"}',
        '{slice: SLICE, statistic: positive_specific_agreement, missing: worst, at_least: "0.40"}',
        '{slice: SLICE, statistic: positive_specific_agreement, missing: worst, judged_on: lower, at_least: "0.20"}',
        '{slice: SLICE, statistic: krippendorff_alpha, at_least: "-0.50"}',
        '{slice: SLICE, statistic: contested_share, missing: worst, at_most: "0.75"}',
        '{slice: SLICE, statistic: coverage, at_least: "0.50"}',
    )
]
STATUS = {"+": ("labelled", "yes", ""), "-": ("labelled", "no", ""), "a": ("abstained", "", "unreadable")}
STATUS |= {"d": ("draft", "", ""), "s": ("skipped", "", "")}
GAPS = ".ads"

Answers = Mapping[str, list[str]]  # slice -> one pattern an item
patterns = st.lists(
    st.sampled_from(["++", "++", "++", "--", "--", "+-", "-+", "+.", "-a", "d+"]), min_size=2, max_size=14
)
few = settings(max_examples=10, deadline=None, derandomize=True)


@pytest.fixture(scope="module")
def verdict_on(
    tmp_path_factory: pytest.TempPathFactory, maker_in: Callable[..., Any]
) -> Iterator[Callable[..., Verdict]]:
    """The verdict on a round of two slices, counted by the real queries in a database in memory."""
    make = maker_in(tmp_path_factory.mktemp("study"))
    file = make.study(slices=["uniform", "hard"], rules=RULES)
    study = parse_study(file.read_bytes(), file.name)
    payload = {"study_id": "promises", "round_id": "r1", "kind": "measured", "guideline_version": "1.0"}
    opened = RoundState(Event(1, "", "", "2026-04-01T12:00:00Z", "a", "t", "round.opened", payload))
    with store.memory_store(make.folder) as con:
        store.create_tables(con)

        def verdict(answers: Answers) -> Verdict:
            with rolled_back(con):
                fill(con, answers)
                return judged(con, study, opened)

        yield verdict


@contextmanager
def rolled_back(con: store.Connection) -> Iterator[None]:
    """Whatever is done inside is undone: the tables are insert-only."""
    con.execute("begin")
    try:
        yield
    finally:
        con.execute("rollback")


def fill(con: store.Connection, answers: Answers) -> None:
    for name, rows in answers.items():
        for n, pattern in enumerate(rows):
            item = f"{name}-{n}"
            con.execute("insert into frame_item values ('promises', 'r1', ?, 'v1', ?, ?, '', '')", [item, name, name])
            for who, sign in zip(("ada", "bo"), pattern, strict=True):
                con.execute("insert into assignment values ('promises', 'r1', ?, ?, 1)", [item, who])
                if sign != ".":
                    con.execute(
                        """insert into raw_label values
                             ('promises', 'r1', 2, ?, 'v1', ?, ?, ?, ?, '1.0', '', 'own', '', 1, false)""",
                        [item, who, *STATUS[sign]],
                    )


def judged(con: store.Connection, study: Study, round_state: RoundState) -> Verdict:
    how = settings_of(study)
    counts = count_round(con, study, round_state)
    evidence = {part.name: evidence_of(study, part, how) for part in counts.slices}
    return judge(study.gate.rules, evidence, study.interval.level, study.gate.attempts)


def test_there_is_a_pass_to_lose(verdict_on: Callable[..., Verdict]) -> None:
    """Or the properties below would say nothing."""
    good = ["++"] * 8 + ["--"] * 8
    assert verdict_on({"uniform": good, "hard": good}).status == "pass"


@few
@given(uniform=patterns, hard=patterns, gone=st.sampled_from(["uniform", "hard"]), frame_too=st.booleans())
def test_deleting_a_rule_s_slice_never_gives_a_pass(
    verdict_on: Callable[..., Verdict], uniform: list[str], hard: list[str], gone: str, frame_too: bool
) -> None:
    """Neither where its labels are deleted, nor where its items never existed."""
    answers = {"uniform": uniform, "hard": hard}
    without = {
        name: ([] if frame_too else [".."] * len(rows)) if name == gone else rows for name, rows in answers.items()
    }
    assert verdict_on(without).status != "pass"


@few
@given(uniform=patterns, hard=patterns, data=st.data())
def test_replacing_a_label_by_a_gap_never_mends_a_rule_on_the_worst_case(
    verdict_on: Callable[..., Verdict], uniform: list[str], hard: list[str], data: st.DataObject
) -> None:
    answers = {"uniform": uniform, "hard": hard}
    name = data.draw(st.sampled_from(["uniform", "hard"]))
    at = data.draw(st.integers(0, len(answers[name]) - 1))
    who = data.draw(st.integers(0, 1))
    gap = data.draw(st.sampled_from(GAPS))
    pattern = answers[name][at]
    holed = {**answers, name: [*answers[name][:at], pattern[:who] + gap + pattern[who + 1 :], *answers[name][at + 1 :]]}
    before, after = verdict_on(answers), verdict_on(holed)
    for was, now in zip(before.results, after.results, strict=True):
        if was.rule.missing == "worst" and was.verdict != "pass":
            assert now.verdict != "pass", (was.rule, was.found, now.found)
