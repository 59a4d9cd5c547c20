"""The page of error codes, made from the code: every code a refusal can carry, where it is raised, and what it says.

cog writes it into schemas/README.md: `make format`. Read from the source, so no code can be forgotten.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
FOLDERS = ("agreement", "schemas", "flows")
CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
# What makes a problem: called with a code first, or after one argument that says where.
MAKERS = {"Problem", "problem", "_problem", "add", "add_unlisted", "_refusal", "_refused"}

# What is raised with a code of its own where its headline says all there is to say.
REFUSALS = {"ConfigError", "InputRefused", "GateFailed", "NotEvaluable", "IntegrityError", "Busy", "OutOfOrder"}


def codes() -> str:
    """The page: a row per code."""
    rows = sorted(found().items())
    lines = ["| code | from | says |", "|---|---|---|"]
    lines += [f"| `{code}` | {where} | {says} |" for code, (where, says) in rows]
    return "\n".join(lines)


def found() -> dict[str, tuple[str, str]]:
    """Code -> (module, what it says)."""
    from flows.storage.order import FACTS, STUDY_FACTS
    from schemas.reasons import REASONS

    known: dict[str, tuple[str, str]] = {}
    for folder in FOLDERS:
        for path in sorted((REPOSITORY / folder).rglob("*.py")):
            where = path.relative_to(REPOSITORY).with_suffix("").as_posix()
            for code, says in _codes_in(ast.parse(path.read_text(encoding="utf-8"))):
                if code not in known or not known[code][1]:
                    known[code] = (where, says)
    for facts, of in ((FACTS, "round"), (STUDY_FACTS, "study")):
        for fact, (missing, _, there, _) in facts.items():
            known[f"{fact}-missing"] = ("flows/storage/order", missing)
            if there:
                known[f"{of}-{fact}"] = ("flows/storage/order", there)
    for code, reason in REASONS.items():
        known[code] = (reason.check.replace("|", " "), f"{reason.meaning}. {reason.fix}")
    return {code: (where, says.replace("|", " ").replace("\n", " ")) for code, (where, says) in known.items()}


def _codes_in(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        function = call.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        for keyword in call.keywords:
            if name in REFUSALS and keyword.arg == "code" and isinstance(keyword.value, ast.Constant):
                yield str(keyword.value.value), _text(call.args[0])
        if name not in MAKERS:
            continue
        for at, argument in enumerate(call.args[:2]):
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                if CODE.fullmatch(argument.value):
                    following = call.args[at + 1] if len(call.args) > at + 1 else None
                    yield argument.value, _text(following)
                break


def _text(node: ast.expr | None) -> str:
    """A message's words, with … where a value stands."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
    return ""
