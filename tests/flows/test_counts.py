"""What counts: each assigned label is one thing, and what stands apart is counted apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agreement.errors import InputRefused
from agreement.patterns import ABSTAINED, MISSING, NOT_ASSIGNED, OTHER_VERSION
from flows.counts import RoundCounts, count_round
from flows.register import registered_study

SIGNS = {"+": 0, "-": 1, "a": ABSTAINED, "_": NOT_ASSIGNED, "v": OTHER_VERSION, **dict.fromkeys(".dnse", MISSING)}
HEADER = "item_id,annotator_id,label\n"


def counted(make: Any, name: str = "r1") -> RoundCounts:
    state = make.project.state()
    round_state = state.round(name)
    with make.project.reading() as con:
        return count_round(con, registered_study(make.project.objects, state, round_state), round_state)


def filled(make: Any, labels: Any, **study: Any) -> RoundCounts:
    make.register(make.study(**study))
    make.open(labels)
    make.ingest(set_aside=["other-version"])
    return counted(make)


def as_signs(counts: RoundCounts, slice_name: str = "uniform") -> dict[tuple[int, ...], int]:
    (part,) = [part for part in counts.slices if part.name == slice_name]
    patterns = part.patterns
    return {tuple(c): int(n) for c, n in zip(patterns.codes.tolist(), patterns.multiplicity, strict=True)}


def test_every_pattern_of_answers_is_counted_as_what_it_is(new_maker: Callable[..., Any]) -> None:
    make = new_maker(annotators="ada bo cy")
    patterns = {"+++": 2, "+-_": 3, "a-+": 1, "_++": 1, "v+-": 1, ".d+": 2, "nse": 1, "aaa": 1}
    expected: dict[tuple[int, ...], int] = {}
    for pattern, n in patterns.items():
        codes = tuple(SIGNS[sign] for sign in pattern)
        expected[codes] = expected.get(codes, 0) + n
    assert as_signs(filled(make, {"uniform": patterns})) == expected


def test_each_annotator_has_every_assigned_label_under_one_heading(make: Any) -> None:
    labels = {"uniform": {"++": 1, "-+": 1, "a+": 1, "v+": 1, ".+": 1, "d+": 1, "n+": 1, "s+": 1, "e+": 1}}
    ada, bo = filled(make, labels).slices[0].annotators
    assert ada.assigned == bo.assigned == 9
    assert ada.labels == {"yes": 1, "no": 1}
    assert ada.abstain_reasons == {"unreadable": 1}
    assert ada.statuses == {"never_shown": 1, "draft": 1, "skipped": 1, "submitted_empty": 1, "no_row": 1}
    assert ada.other_version == 1
    assert (bo.labels, sum(bo.statuses.values())) == ({"yes": 9, "no": 0}, 0)


def test_slices_are_counted_apart_in_the_order_of_the_study(make: Any) -> None:
    labels = {"hard": {"+-": 4}, "uniform": {"--": 3}, "old": {"++": 1}}
    counts = filled(make, labels, slices=["uniform", "old", "hard"])
    assert [part.name for part in counts.slices] == ["uniform", "old", "hard"]
    assert as_signs(counts, "hard") == {(0, 1): 4}
    assert as_signs(counts, "uniform") == {(1, 1): 3}


def test_counts_do_not_depend_on_the_order_of_files_or_rows(make: Any, new_maker: Callable[..., Any]) -> None:
    labels = {"uniform": {"++": 2, "+-": 3, "a-": 1, "--": 4}}
    first = filled(make, labels)
    other = new_maker()
    other.register()
    folder = other.round(labels)
    from flows.open import open_round

    open_round(other.project, folder)
    head, *lines = (folder / "labels.csv").read_text().splitlines()
    for n, part in enumerate((lines[::-2], lines[-2::-2])):
        other.bring("\n".join([head, *part]) + "\n", name=f"part-{n}.csv")
    assert as_signs(counted(other)) == as_signs(first)


def test_a_label_on_nothing_assigned_is_extra_and_in_no_figure(new_maker: Callable[..., Any]) -> None:
    make = new_maker(annotators="ada bo cy")
    before = filled(make, {"uniform": {"++_": 2, "+-_": 2, "_--": 2}})
    make.bring(HEADER + "r1-uniform-3,cy,yes\nr1-uniform-4,cy,yes\nr1-uniform-5,ada,no\n")
    after = counted(make)
    assert (before.extra, after.extra) == ({}, {"ada": 1, "cy": 2})
    assert as_signs(after) == as_signs(before)


def test_the_last_revision_counts_and_all_are_kept(make: Any) -> None:
    before = filled(make, {"uniform": {"++": 1, "--": 1}})
    make.bring(HEADER + "r1-uniform-1,ada,no\n", name="a.csv", revision="slipped a line")
    make.bring(HEADER + "r1-uniform-1,ada,yes\nr1-uniform-2,ada,yes\n", name="b.csv", revision="slipped back")
    after = counted(make)
    assert as_signs(before) == {(0, 0): 1, (1, 1): 1}
    assert as_signs(after) == {(0, 0): 1, (0, 1): 1}
    assert (before.revisions, after.revisions) == ({}, {"ada": 3})


# ada says yes, no about item 1 (in this order), and no, no about item 2.
TWICE = HEADER + "r1-uniform-1,ada,yes\nr1-uniform-1,ada,no\nr1-uniform-2,ada,no\nr1-uniform-2,ada,no\n"
RULES = [
    ("first", {(0, 0): 1, (1, 0): 1}),
    ("last", {(1, 0): 2}),
    ("drop-conflicting", {(MISSING, 0): 1, (1, 0): 1}),
]


@pytest.mark.parametrize(("rule", "expected"), RULES)
def test_the_registered_rule_says_which_of_two_rows_counts(
    make: Any, rule: str, expected: dict[tuple[int, int], int]
) -> None:
    filled(make, {"uniform": {".+": 2}}, duplicates=rule)
    make.bring(TWICE)
    counts = counted(make)
    assert as_signs(counts) == expected
    assert counts.duplicates == 2


def test_without_such_a_rule_a_repeated_row_is_refused(make: Any) -> None:
    filled(make, {"uniform": {".+": 2}})
    with pytest.raises(InputRefused) as refused:
        make.bring(TWICE)
    codes = [problem.code for problem in refused.value.problems]
    assert codes == ["one-author", "conflicting-duplicate", "duplicate-row"]


def test_rows_set_aside_are_counted_by_reason(make: Any) -> None:
    counts = filled(make, {"uniform": {"v+": 2, "++": 1}})
    assert counts.set_aside == {"other-version": 2}
    assert as_signs(counts) == {(OTHER_VERSION, 0): 2, (0, 0): 1}


def test_clusters_come_from_the_registered_column(make: Any) -> None:
    make.register(make.study(text=lambda text: text.replace("duplicates:", "cluster: author\nduplicates:")))
    folder = make.round({"uniform": {"++": 2, "--": 2}})
    lines = (folder / "frame.csv").read_text().splitlines()
    named = [f"{lines[0]},author", *(f"{line},{who}" for line, who in zip(lines[1:], "xyxx", strict=True))]
    (folder / "frame.csv").write_text("\n".join(named) + "\n")
    from flows.open import open_round

    open_round(make.project, folder)
    make.ingest()
    patterns = counted(make).slices[0].patterns
    assert patterns.clusters is not None
    found = sorted(
        zip(
            patterns.clusters.tolist(), map(tuple, patterns.codes.tolist()), patterns.multiplicity.tolist(), strict=True
        )
    )
    assert found == [(0, (0, 0), 1), (0, (1, 1), 2), (1, (0, 0), 1)]
