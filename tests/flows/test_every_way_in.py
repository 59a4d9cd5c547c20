"""No way to change a project passes by the order table or the commit (audit.md, B and D 9).

Read from the source: whatever is added later stands in these tables or fails here.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from flows import cli
from flows.storage.order import EVENT_STUDY_VERBS, EVENT_VERBS, EVENTS_ANYWHERE, ORDER, STUDY_ORDER

FLOWS = Path(cli.__file__).parent
REQUIRES = {"require", "require_study", "check_promoted"}
# Commands that change nothing but a cache, note a look, or call others.
READING = {
    "agreement",
    "plan",
    "curve",
    "status",
    "history",
    "export",
    "verify",
    "rebuild",
    "demo",
    "run",
    "serve",
    "diff",
}
# Commands whose order check has another name, and the events that need none (order.EVENTS_ANYWHERE).
VERB_OF = {"release": "release", "redact": None, "open": "open", "register": "register"}


@cache
def functions() -> list[tuple[str, ast.FunctionDef]]:
    return [
        (path.stem, node)
        for path in sorted(FLOWS.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
    ]


def calls(node: ast.AST, names: set[str]) -> list[ast.Call]:
    found = [call for call in ast.walk(node) if isinstance(call, ast.Call)]
    return [call for call in found if _name(call.func) in names]


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


COMMITS = [
    (module, function.name, call.args[0].value)
    for module, function in functions()
    for call in calls(function, {"commit", "append"})
    if call.args
    and isinstance(call.args[0], ast.Constant)
    and isinstance(call.args[0].value, str)
    and len(call.args) == 2
]


@pytest.mark.parametrize(("module", "function", "type"), COMMITS, ids=lambda value: str(value))
def test_every_event_that_is_written_has_its_place_in_the_order(module: str, function: str, type: str) -> None:
    assert type in {*EVENT_VERBS, *EVENT_STUDY_VERBS, *EVENTS_ANYWHERE}


@pytest.mark.parametrize(
    ("module", "function", "type"),
    [commit for commit in COMMITS if commit[2] not in EVENTS_ANYWHERE],
    ids=lambda value: str(value),
)
def test_every_function_that_writes_such_an_event_asks_the_order_for_its_verb_first(
    module: str, function: str, type: str
) -> None:
    """Itself, or a function of its module by which alone it is reached, or those that call it from elsewhere."""
    verb = {**EVENT_VERBS, **EVENT_STUDY_VERBS}[type]
    assert _asks(module, function, verb), f"{module}.{function} writes {type} and nobody asks for {verb!r}"


def _asks(module: str, function: str, verb: str, seen: frozenset[str] = frozenset()) -> bool:
    """Whether a function asks, or calls one of its module that does, or everyone who calls it asks."""
    here = {node.name: node for name, node in functions() if name == module}
    if any(_asks_itself(here[name], verb) for name in _called_within(here, function)):
        return True
    seen |= {function}
    callers = [
        (name, node.name)
        for name, node in functions()
        if (name == module or not function.startswith("_")) and node.name not in seen and calls(node, {function})
    ]
    return bool(callers) and all(_asks(*caller, verb, seen) for caller in callers)


def _asks_itself(function: ast.FunctionDef, verb: str) -> bool:
    first = [call.args[0] for call in calls(function, REQUIRES) if call.args]
    return any(isinstance(argument, ast.Constant) and argument.value == verb for argument in first)


def _called_within(here: dict[str, ast.FunctionDef], function: str) -> set[str]:
    """The function and all of its module that it leads to."""
    found, new = set(), {function}
    while new:
        found |= new
        calling = [call for name in new for call in ast.walk(here[name]) if isinstance(call, ast.Call)]
        new = ({_name(call.func) for call in calling} & here.keys()) - found
    return found


def test_nothing_but_the_project_writes_the_ledger_or_the_tables() -> None:
    writers = {
        module for module, function in functions() if calls(function, {"append"}) and "ledger" in _owners(function)
    }
    assert writers == {"project"}
    inserting = {module for module, function in functions() if "insert into raw_label" in ast.unparse(function)}
    assert inserting == {"replay"}


def _owners(function: ast.FunctionDef) -> set[str]:
    return {
        call.func.value.id
        for call in calls(function, {"append"})
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
    }


def test_every_command_is_a_verb_of_the_order_or_only_reads() -> None:
    commands = {command.__name__ for panel in cli.PANELS.values() for command in panel}
    verbs = {*ORDER, *STUDY_ORDER, *VERB_OF}
    assert commands - verbs - READING == set(), (
        "a new command: give it a verb in flows/storage/order.py, or list it as reading"
    )
    assert READING - commands == set()


def test_every_command_that_changes_something_reaches_the_commit(make: object) -> None:
    """Its module, or one it calls by name, commits: no command changes a project by another way."""
    committing = {function for _, function, _ in COMMITS}
    for panel in cli.PANELS.values():
        for command in panel:
            if command.__name__ not in READING:
                assert committing & _reached(command.__name__), command.__name__


def _reached(command: str, depth: int = 4) -> set[str]:
    by_name: dict[str, list[ast.FunctionDef]] = {}
    for _, function in functions():
        by_name.setdefault(function.name, []).append(function)
    seen, now = set(), {command}
    for _ in range(depth):
        now = {
            alias.get(_name(call.func), _name(call.func))
            for name in now
            for function in by_name.get(name, [])
            for alias in [_aliases(function)]
            for call in ast.walk(function)
            if isinstance(call, ast.Call)
        } - seen
        seen |= now
    return seen


def _aliases(function: ast.FunctionDef) -> dict[str, str]:
    return {
        name.asname or name.name: name.name
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
