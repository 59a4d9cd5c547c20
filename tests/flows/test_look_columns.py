"""Which columns `agreement FILE` takes by itself, and which it does not take twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from agreement.errors import ConfigError, InputRefused
from flows.look import look
from flows.looks import figures
from flows.looks.options import LookOptions


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "RESAMPLES", 50)


def labels(folder: Path, text: str) -> Path:
    path = folder / "labels.csv"
    path.write_text(text)
    return path


def test_columns_of_the_plain_names_are_taken_unasked(tmp_path: Path) -> None:
    found = look(labels(tmp_path, "item,annotator,label\n1,a,x\n1,b,x\n2,a,y\n2,b,x\n"), LookOptions())
    assert found["groups"][0]["counts"]["paired_items"] == 2


def test_our_own_names_go_before_the_plain_ones(tmp_path: Path) -> None:
    text = "item,item_id,annotator,label\none,1,a,x\ntwo,1,b,x\n"
    assert look(labels(tmp_path, text), LookOptions())["groups"][0]["counts"]["items"] == 1


TWICE = [
    ("the item among the annotators", LookOptions(wide="item,ada", item="item")),
    ("groups by annotator", LookOptions(item="item", annotator="ada", label="bo", by="ada")),
    ("groups by label", LookOptions(item="item", annotator="ada", label="bo", by="bo")),
    ("groups by one annotator's labels", LookOptions(wide="ada,bo", by="bo")),
    ("annotator and label in one", LookOptions(item="item", annotator="ada", label="ada")),
]


@pytest.mark.parametrize(("what", "options"), TWICE, ids=[case[0] for case in TWICE])
def test_one_column_is_not_two_things(tmp_path: Path, what: str, options: LookOptions) -> None:
    with pytest.raises(ConfigError) as refused:
        look(labels(tmp_path, "item,ada,bo\n1,x,x\n2,x,y\n"), options)
    assert [problem.code for problem in refused.value.problems] == ["named-twice"]


def test_groups_may_be_made_by_a_part_of_the_item(tmp_path: Path) -> None:
    text = "item,round,annotator,label\n1,1,a,x\n1,1,b,x\n1,2,a,y\n1,2,b,x\n"
    found = look(labels(tmp_path, text), LookOptions(item="item,round", by="round"))
    assert [(group["name"], group["counts"]["paired_items"]) for group in found["groups"]] == [
        ("all", 2),
        ("1", 1),
        ("2", 1),
    ]


def test_records_of_a_one_line_list_are_named_by_their_place(tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    record = '{"item":7,"annotator":"a","label":"x"}'
    path.write_text(f"[{record},{record.replace('x', 'y')}]")
    with pytest.raises(InputRefused) as refused:
        look(path, LookOptions())
    [problem] = refused.value.problems
    assert (problem.line, problem.column) == (None, "item of [1]")
    assert problem.message == "a said 'x' in [0], 'y' here"
