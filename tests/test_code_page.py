"""The page of error codes holds every code there is."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("code_page", Path(__file__).parent / "code_page.py")
assert SPEC is not None
assert SPEC.loader is not None
code_page = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(code_page)


def test_the_page_in_the_documentation_is_the_one_the_code_gives() -> None:
    page = (REPOSITORY / "schemas" / "README.md").read_text(encoding="utf-8")
    assert code_page.codes() in page, "run `make format`"


def test_there_are_at_least_60_codes_and_each_is_written_alike() -> None:
    codes = code_page.found()
    assert len(codes) >= 60
    assert [code for code in codes if not re.fullmatch(r"[a-z0-9]+( [a-z]+)*(-[a-z0-9]+)*(-missing)?", code)] == []


def test_nearly_every_code_says_something() -> None:
    silent = [code for code, (_, says) in code_page.found().items() if not says]
    assert len(silent) <= len(code_page.found()) // 5, silent
