"""The page of error codes holds every code there is."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


def refusals() -> Iterator[tuple[str, ast.Call]]:
    """Every place where one is made, with the call."""
    for folder in code_page.FOLDERS:
        for path in sorted((REPOSITORY / folder).rglob("*.py")):
            for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(call, ast.Call) and getattr(call.func, "id", "") in code_page.REFUSALS:
                    yield f"{path.relative_to(REPOSITORY)}:{call.lineno}", call


def test_every_refusal_has_a_code_or_problems_that_have_one_and_a_next_step() -> None:
    """What a person reads names what it is called and what to do now, wherever it is raised."""
    found = list(refusals())
    assert len(found) > 100
    silent = []
    for where, call in found:
        given = {keyword.arg for keyword in call.keywords} | set(ARGUMENTS[: len(call.args)])
        without_fix = [one for one in ast.walk(call) if is_problem(one) and not has_fix(one)]
        if not given & {"problems", "code"} or ("next_step" not in given and (without_fix or "problems" not in given)):
            silent.append(where)
    assert silent == []


ARGUMENTS = ("headline", "problems", "next_step", "counts")


def is_problem(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Problem"


def has_fix(call: Any) -> bool:
    return len(call.args) > 2 or "fix" in {keyword.arg for keyword in call.keywords}


def test_nearly_every_code_says_something() -> None:
    silent = [code for code, (_, says) in code_page.found().items() if not says]
    assert len(silent) <= len(code_page.found()) // 5, silent
