"""The checks on a set of labels, each on the smallest set that shows it, and on one that only looks like it."""

import pytest

from flows.formats import traps
from flows.formats.reading import Rows
from flows.formats.refusals import FIXES


def rows_of(labels, origin="own"):
    """labels: {annotator: {item: label}}"""
    rows = Rows()
    for person, answers in labels.items():
        for item, label in answers.items():
            rows.add(item, "", person, "labelled", label, "", origin, "f")
    return rows


def codes(problems):
    return [problem.code for problem in problems]


def numbered(labels):
    return {f"q{n}": label for n, label in enumerate(labels)}


def test_one_item_id_for_all_answers_of_a_person():
    rows = Rows()
    for _ in range(2):
        rows.add("q", "", "ada", "labelled", "a", "", "own", "f")
    assert codes(traps.constant_item_id(rows)) == ["constant-item-id"]
    assert not codes(traps.constant_item_id(rows_of({"ada": {"q": "a"}, "bo": {"q": "a"}})))  # one item, two people


@pytest.mark.parametrize(("labels", "words"), [(["a", "a"], "alike"), (["a", "b"], "with different answers")])
def test_the_same_person_twice_on_an_item(labels, words):
    rows = Rows()
    for label in labels:
        rows.add("q", "", "ada", "labelled", label, "", "own", "f")
    (problem,) = traps.same_person_twice(rows)
    assert words in problem.message


def test_one_author_though_two_passes_were_promised():
    alone = rows_of({"ada": {"q1": "a", "q2": "b"}})
    assert codes(traps.one_author(alone, 2)) == ["one-author"]
    assert not codes(traps.one_author(alone, 1))
    assert not codes(traps.one_author(rows_of({"ada": {"q1": "a"}, "bo": {"q1": "a"}}), 2))


def test_identical_labels_need_something_telling():
    """All-negative files are alike honestly; five equal flags among them are not."""
    honest = numbered(["no"] * 50 + ["yes"] * 4)
    assert not codes(traps.identical_labels(rows_of({"ada": honest, "bo": honest})))
    copied = numbered(["no"] * 50 + ["yes"] * 5)
    assert codes(traps.identical_labels(rows_of({"ada": copied, "bo": copied}))) == ["identical-labels"]
    differs = copied | {"q0": "yes"}
    assert not codes(traps.identical_labels(rows_of({"ada": copied, "bo": differs})))


def test_a_pair_far_more_alike_than_all_others():
    """300 items; ada and bo differ on 3, every other pair on about half: kappa .98 beside about 0."""
    ada = numbered("ab" * 150)
    bo = ada | {f"q{n}": "a" for n in (1, 3, 5)}
    others = {who: numbered(("aabb" * 75)[shift:] + "a" * shift) for who, shift in (("cy", 0), ("di", 1))}
    (problem,) = traps.implausibly_alike(rows_of({"ada": ada, "bo": bo, **others}))
    assert problem.value == "ada, bo"
    few = {person: dict(list(labels.items())[:100]) for person, labels in {"ada": ada, "bo": bo, **others}.items()}
    assert not codes(traps.implausibly_alike(rows_of(few)))  # 100 items are not hundreds


def test_the_same_free_choices_that_nobody_else_makes():
    odd = numbered([f"word {n}" for n in range(5)])
    other = numbered(["plain"] * 5)
    assert codes(traps.same_free_choices(rows_of({"ada": odd, "bo": odd, "cy": other}))) == ["same-free-choices"]
    assert not codes(traps.same_free_choices(rows_of({"ada": odd, "bo": odd, "cy": odd})))  # everybody says so


def test_a_reviewer_among_the_annotators():
    rows = rows_of({"ada": {"q": "a"}, "dee": {"q": "a"}})
    assert codes(traps.reviewer_as_annotator(rows, ["dee"])) == ["reviewer-as-annotator"]


def test_control_rows_among_the_labels():
    assert codes(traps.gold_among_labels(rows_of({"ada": {"q": "a"}}, origin="gold"))) == ["gold-rows"]
    assert not codes(traps.gold_among_labels(rows_of({"ada": {"q": "a"}})))


NEAR = [
    ("Toxic ", "toxic", "nearly 'toxic'"),
    ("stiletto", "stilettos", "nearly 'stilettos'"),
    ("cafe\u0301", "caf\u00e9", "nearly 'caf\u00e9'"),  # NFD and NFC
    ("spam", "toxic", "not in the study"),
]


@pytest.mark.parametrize(("found", "declared", "words"), NEAR)
def test_a_category_the_study_does_not_have(found, declared, words):
    (problem,) = traps.undeclared_categories(rows_of({"ada": {"q": found}}), [declared])
    assert problem.code == "undeclared-category"
    assert words in problem.message


def test_an_abstention_that_changed_its_spelling():
    """Two rounds of a published image study say 'unsure' and 'Unsure / cannot tell'."""
    before, now = {"safe", "unsafe", "unsure"}, {"safe", "unsafe", "Unsure / cannot tell"}
    (problem,) = traps.abstention_spelling(before, now, {"safe", "unsafe"})
    assert "'unsure'" in problem.message
    assert not codes(traps.abstention_spelling(before, before, {"safe", "unsafe"}))


def test_copied_answers_count_for_nothing():
    rows = rows_of({"ada": {"q": "a"}, "bo": {"q": "a"}}, origin="copied")
    assert traps.labels_by_annotator(rows) == {}


def test_every_trap_that_refuses_says_what_to_do():
    assert all(code in FIXES for code in traps.REFUSED)
