"""The catalogue of faults (faults.md beside this file): each of the 91 has a test that shows what becomes of it."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent
ROW = re.compile(r"^\| (\d+) \| [^|]+ \| (.+) \|$", re.MULTILINE)


def table() -> dict[int, list[str]]:
    """Number -> tests as `path::name`."""
    text = (TESTS / "faults.md").read_text(encoding="utf-8")
    return {int(number): re.findall(r"`([^`]+)`", tests) for number, tests in ROW.findall(text)}


def is_there(test: str) -> bool:
    place, _, name = test.partition("::")
    folder, _, module = place.rpartition("/")
    path = TESTS / folder / f"test_{module}.py"
    return path.is_file() and f"\ndef test_{name}(" in path.read_text(encoding="utf-8")


def test_every_fault_has_tests_and_each_of_them_is_there() -> None:
    assert sorted(table()) == list(range(1, 92))
    assert [number for number, tests in table().items() if not tests] == []
    assert [(n, test) for n, tests in table().items() for test in tests if not is_there(test)] == []


def test_no_fault_of_the_shared_catalogue_is_left_out(shared: Path) -> None:
    catalogue = (shared / "faults.md").read_text(encoding="utf-8")
    assert sorted(table()) == sorted(int(n) for n in re.findall(r"^\| (\d+) \|", catalogue, re.MULTILINE))
