"""Groups of `agreement FILE --by`: no item is torn apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from flows.commands.look_table import print_look
from flows.look import look
from flows.looks import figures
from flows.looks.options import LookOptions

H = "item_id,annotator_id,label,lang\n"


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "RESAMPLES", 50)


def looked(folder: Path, rows: str) -> dict[str, Any]:
    path = folder / "labels.csv"
    path.write_text(H + rows)
    return look(path, LookOptions(by="lang"))


def paired(found: dict[str, Any]) -> dict[str, int]:
    return {group["name"]: group["counts"]["paired_items"] for group in found["groups"]}


def test_an_item_whose_rows_differ_is_in_no_group_and_is_counted(tmp_path: Path) -> None:
    found = looked(
        tmp_path, "1,ada,y,en\n1,bo,n,de\n2,ada,y,en\n2,bo,y,en\n3,ada,n,de\n3,bo,n,de\n4,ada,n,de\n4,bo,y,\n"
    )
    assert found["notes"] == ["2 items are in no group: their rows differ in lang"]
    assert paired(found) == {"all": 4, "de": 1, "en": 1}


def test_a_column_that_tells_annotators_apart_splits_them_and_is_said(tmp_path: Path) -> None:
    found = looked(tmp_path, "1,a,y,one\n1,b,n,one\n1,c,y,two\n1,d,y,two\n")
    assert found["notes"] == ["1 items are in several groups: lang tells annotators apart, so each group has its own"]
    assert paired(found) == {"all": 1, "one": 1, "two": 1}


def test_an_empty_cell_is_a_group_that_is_called_so(tmp_path: Path) -> None:
    found = looked(tmp_path, "1,a,y,\n1,b,n,\n2,a,y,en\n2,b,y,en\n")
    console = Console(record=True, width=120)
    print_look(found, console)
    assert "lang (empty): 1 items" in console.export_text()
