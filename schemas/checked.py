"""From the bytes of a study or round file to a frozen object, or to one refusal that lists everything."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from agreement.errors import ConfigError, Problem
from schemas.forms import Part
from schemas.strict_yaml import line_of, read_yaml
from schemas.typed_walk import known_keys, read_parts

Model = TypeVar("Model", bound=Part)
Parts = dict[str, Any]  # the intact top-level values of a file, by field name


def read_checked(
    model: type[Model], data: bytes, file: str, check: Callable[[Parts], Iterable[Problem]], refused: str
) -> Model:
    """The object these bytes declare.

    file: the name shown in problems. check: the rules between keys; it gets the parts that are intact and gives
    problems with a key path. refused: what did not happen, for the headline. Raises ConfigError.
    """
    node, problems = read_yaml(data, file)
    parts: Parts = {}
    if node is not None:
        parts = read_parts(model, node, problems)
        problems += [replace(p, line=line_of(node, p.column or "")) for p in check(parts)]
    if problems:
        raise _refusal(problems, file, refused)
    return model(**{key: parts[name] for key, (name, _) in known_keys(model).items()})


def _refusal(problems: list[Problem], file: str, refused: str) -> ConfigError:
    placed = sorted((replace(p, file=file) for p in problems), key=lambda p: (p.line or 0, p.column or "", p.code))
    count = f"{len(placed)} problem{'s' if len(placed) > 1 else ''}"
    return ConfigError(f"{file}: {count}, {refused}", placed, "Correct the file and run the command again.")
