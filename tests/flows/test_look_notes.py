"""What `agreement FILE` says beside its figures: spellings kept apart, rows without an answer, a first line of data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agreement.errors import GoldgateError
from flows.commands import printing
from flows.look import look
from flows.looks import figures
from flows.looks.options import LookOptions

H = "item_id,annotator_id,label\n"


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "RESAMPLES", 50)


def looked(folder: Path, text: str, **options: Any) -> dict[str, Any]:
    path = folder / "labels.csv"
    path.write_text(text)
    return look(path, LookOptions(**options))


SPELLINGS = [
    ("case and a space", "X", "x", "X ", ["look-alike labels are kept apart: 'X' (1) and 'X ' (1) and 'x' (1)"]),
    ("numbers", "1", "1.0", "01", ["look-alike labels are kept apart: '01' (1) and '1' (1) and '1.0' (1)"]),
    ("dashes", "very-bad", "very bad", "ok", ["look-alike labels are kept apart: 'very bad' (1) and 'very-bad' (1)"]),
    (
        "accents",
        "cafe\u0301",
        "caf\u00e9",
        "ok",
        ["look-alike labels are kept apart: 'cafe\u0301' (1) and 'caf\u00e9' (1)"],
    ),
    ("different labels", "yes", "no", "1", []),
]


@pytest.mark.parametrize(("what", "one", "other", "third", "expected"), SPELLINGS, ids=[c[0] for c in SPELLINGS])
def test_look_alike_labels_are_named(
    tmp_path: Path, what: str, one: str, other: str, third: str, expected: list[str]
) -> None:
    found = looked(tmp_path, H + f"1,a,{one}\n1,b,{other}\n2,a,{third}\n")
    assert [note for note in found["notes"] if "look-alike" in note] == expected


def test_look_alike_annotators_are_named(tmp_path: Path) -> None:
    found = looked(tmp_path, H + "1,ada,yes\n1,Ada,yes\n2,bo,no\n2,ada,no\n")
    assert found["notes"] == ["look-alike annotators are kept apart: 'ada' (2) and 'Ada' (1)"]


STATUSES = [
    ("status", ("labelled", "skipped", "draft", "never_shown"), 1),
    ("Status", ("Submitted", "DRAFT", " discarded ", "cancelled"), 1),
    ("was_cancelled", ("false", "true", "True", "1"), 1),
    ("is_draft", ("no", "yes", "", "0"), 3),
    ("origin", ("own", "prediction", "copied", "gold"), 1),
    ("origin", ("Berlin", "Paris", "Rome", "Oslo"), 4),  # a column of somebody else's that has the name of ours
    ("status", ("open", "closed", "closed", "open"), 4),
    ("week", ("skipped", "draft", "1", "2"), 4),
]


@pytest.mark.parametrize(("column", "values", "n_labels"), STATUSES)
def test_rows_that_hold_no_answer_are_no_labels(
    tmp_path: Path, column: str, values: tuple[str, ...], n_labels: int
) -> None:
    rows = "".join(f"{n},a,yes,{value}\n" for n, value in enumerate(values)) + "0,b,yes,\n"
    found = looked(tmp_path, f"item_id,annotator_id,label,{column}\n" + rows)
    assert found["n_labels"] == n_labels + 1
    said = f"{4 - n_labels:,} rows hold no label of the annotator's own: {column} says so"
    assert (said in found["notes"]) == (n_labels < 4)


def test_other_statuses_are_counted_and_named(tmp_path: Path) -> None:
    rows = "1,a,yes,approved\n1,b,no,rejected\n2,a,yes,approved\n"
    found = looked(tmp_path, "item_id,annotator_id,label,status\n" + rows)
    assert found["n_labels"] == 3
    assert found["notes"] == ["rows of every other status count: 'approved' (2), 'rejected' (1)"]


def test_a_status_that_is_asked_about_is_a_column_like_any_other(tmp_path: Path) -> None:
    rows = "1,a,draft\n1,b,draft\n2,a,done\n"
    found = looked(tmp_path, "item_id,annotator_id,status\n" + rows, label="status")
    assert found["categories"] == ["done", "draft"]


FIRST_LINES = [
    ("a cell stands again", "w1,i1,yes\nw2,i1,yes\n", {}),
    ("columns by number", "w1,i1,yes\nw2,i2,no\n", {"item": "2", "annotator": "1", "label": "3"}),
    ("two cells alike", "i1,yes,yes\ni2,no,yes\n", {}),
    ("an empty cell", "i1,yes,\ni2,no,yes\n", {}),
]


@pytest.mark.parametrize(("what", "text", "options"), FIRST_LINES, ids=[c[0] for c in FIRST_LINES])
def test_a_file_without_a_header_is_told_of_no_header(
    tmp_path: Path, what: str, text: str, options: dict[str, str]
) -> None:
    with pytest.raises(GoldgateError) as refused:
        looked(tmp_path, text, **options)
    assert "--no-header" in refused.value.next_step


def test_a_file_with_a_header_is_not(tmp_path: Path) -> None:
    with pytest.raises(GoldgateError) as refused:
        looked(tmp_path, "question,person,answer\n1,a,yes\n")
    assert "--no-header" not in refused.value.next_step


@pytest.mark.parametrize("text", ["", H])
def test_looking_speaks_of_no_submission(tmp_path: Path, text: str) -> None:
    with pytest.raises(GoldgateError) as refused:
        looked(tmp_path, text)
    said = [refused.value.headline, refused.value.next_step, *(p.fix for p in refused.value.problems)]
    assert not any("--empty" in one or "stored" in one for one in said)


def test_the_same_advice_is_printed_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(GoldgateError) as refused:
        looked(tmp_path, H + "1,a,yes\n1,a,yes\n1,a,yes\n")
    printing.error(refused.value)
    said = capsys.readouterr().err
    assert said.count("[duplicate-row]") == 2
    assert said.count("--duplicates first, last or drop-conflicting") == 1


def test_a_spelling_of_missing_that_nobody_wrote_is_said(tmp_path: Path) -> None:
    """A misspelt one would leave labels in that were meant to be none."""
    text = H + "i1,a,x\ni1,b,y\ni2,a,x\ni2,b,n/a\n"
    found = looked(tmp_path, text, missing="n/a,N/A", categories="x,y")
    assert found["n_missing"] == 1
    assert found["notes"] == ["no cell holds 'N/A', which --missing names"]


ALIKE_ITEMS = [
    ("case", "A4", "a4", "look-alike items are kept apart: 'A4' (1) and 'a4' (1)"),
    ("a space", "A5", "A5 ", "look-alike items are kept apart: 'A5' (1) and 'A5 ' (1)"),
    ("zeros", "001", "1", "look-alike items are kept apart: '001' (1) and '1' (1)"),
    ("a fraction", "1", "1.0", "look-alike items are kept apart: '1' (1) and '1.0' (1)"),
    ("numbers beyond floating point", "1750000000000000001", "1750000000000000002", None),
]


@pytest.mark.parametrize(("what", "one", "other", "note"), ALIKE_ITEMS, ids=[c[0] for c in ALIKE_ITEMS])
def test_look_alike_items_are_named(tmp_path: Path, what: str, one: str, other: str, note: str | None) -> None:
    found = looked(tmp_path, H + f"{one},ada,yes\n{other},bo,yes\nx,ada,no\nx,bo,no\n")
    assert found["notes"] == ([note] if note else [])


def test_many_look_alike_items_are_three_examples_and_a_count(tmp_path: Path) -> None:
    found = looked(tmp_path, H + "".join(f"A{i},ada,yes\na{i},bo,no\n" for i in range(12)))
    assert found["notes"] == [
        "look-alike items are kept apart: 'A0' (1) and 'a0' (1); 'A1' (1) and 'a1' (1); 'A10' (1) and 'a10' (1);"
        " and 9 more",
        "only 0 of 24 items have labels of several annotators, and the figures rest on these:"
        " are the item ids written alike?",
    ]


@pytest.mark.parametrize("spelling", ["NA", "n/a", "nan", "NULL"])
def test_a_label_that_usually_means_none_is_named(tmp_path: Path, spelling: str) -> None:
    rows = H + f"1,a,yes\n1,b,{spelling}\n"
    note = f"'{spelling}' (1) is taken as a label: --missing {spelling} if it means none"
    assert looked(tmp_path, rows)["notes"] == [note]
    assert looked(tmp_path, rows, missing=spelling)["notes"] == []
    assert looked(tmp_path, rows, categories=f"yes,{spelling}")["notes"] == []
