"""The page of error codes holds every code there is."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("code_page", Path(__file__).parent / "code_page.py")
assert SPEC is not None
assert SPEC.loader is not None
code_page = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(code_page)
TREES = {
    path.relative_to(REPOSITORY): ast.parse(path.read_text(encoding="utf-8"))
    for folder in code_page.FOLDERS
    for path in sorted((REPOSITORY / folder).rglob("*.py"))
}


def test_the_page_in_the_documentation_is_the_one_the_code_gives() -> None:
    page = (REPOSITORY / "schemas" / "README.md").read_text(encoding="utf-8")
    assert code_page.codes() in page, "run `make format`"


def test_there_are_at_least_60_codes_and_each_is_written_alike() -> None:
    codes = code_page.found()
    assert len(codes) >= 60
    assert [code for code in codes if not re.fullmatch(r"[a-z0-9]+( [a-z]+)*(-[a-z0-9]+)*(-missing)?", code)] == []


def calls(names: set[str]) -> Iterator[tuple[str, ast.Call]]:
    """Every place where one of these is made, with the call."""
    for place, tree in TREES.items():
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") in names:
                yield f"{place}:{call.lineno}", call


def test_every_refusal_has_a_code_or_problems_that_have_one_and_a_next_step() -> None:
    """What a person reads names what it is called and what to do now, wherever it is raised."""
    found = list(calls(code_page.REFUSALS))
    assert len(found) > 100
    silent, told = [], set()
    for where, call in found:
        given = given_to(call, "headline", "problems", "next_step")
        if not given & {"problems", "code"} or not given & {"problems", "next_step"}:
            silent.append(where)
        if "next_step" in given:
            told |= {id(part) for part in ast.walk(call)}
    for where, call in calls({"Problem"}):
        if "fix" not in given_to(call, "code", "message", "fix") and id(call) not in told:
            silent.append(where)
    assert silent == []


def given_to(call: ast.Call, *names: str) -> set[str | None]:
    """Which arguments a call gives; names: of those that may stand without one."""
    return {keyword.arg for keyword in call.keywords} | set(names[: len(call.args)])


def test_nearly_every_code_says_something() -> None:
    silent = [code for code, (_, says) in code_page.found().items() if not says]
    assert len(silent) <= len(code_page.found()) // 5, silent
