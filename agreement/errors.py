"""Everything goldgate refuses, as one small family of errors.

A person's mistake is raised as one of these and shown as one message with an exit code; anything else is a bug
and keeps its traceback. `flows/cli.py` alone catches them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: what, where, and what to do about it.

    code: stable kebab-case name, the same in the ledger, the documentation and the tests.
    message: what is wrong, one clause, without the place.
    fix: what the person does next.
    file, line, column, value: the place. `line` counts physical lines from 1; `column` is a column's name or a
        key path; `value` is what stood there.
    """

    code: str
    message: str
    fix: str = ""
    file: str | None = None
    line: int | None = None
    column: str | None = None
    value: str | None = None


def _in_words(problem: Problem) -> str:
    found = "" if problem.value is None else f" ({problem.value})"
    return f"{problem.message}{found}"


class GoldgateError(Exception):
    """A refusal: a headline, all problems found, and the next step.

    code: the stable name of what the headline says, where no problem beside it carries one.
    """

    exit_code: ClassVar[int] = 1

    def __init__(
        self,
        headline: str,
        problems: Sequence[Problem] = (),
        next_step: str = "",
        counts: Mapping[str, int] | None = None,
        *,
        code: str = "",
    ) -> None:
        super().__init__(headline)
        self.headline = headline
        self.code = code
        self.problems = tuple(problems)
        self.next_step = next_step
        self.counts = dict(counts or {})  # rows per reason code, where more rows failed than are listed


class ConfigError(GoldgateError):
    """Arguments, settings or a study file that cannot be used. As text it names every problem, for a notebook."""

    exit_code = 2

    def __str__(self) -> str:
        return "; ".join([self.headline, *map(_in_words, self.problems)])


class InputRefused(GoldgateError):
    """A file of labels, items or decisions that may not come in. Nothing of it was stored."""

    exit_code = 3


class GateFailed(GoldgateError):
    """At least one registered rule is not met."""

    exit_code = 4


class NotEvaluable(GoldgateError):
    """At least one registered rule has no value; counts as not passed."""

    exit_code = 5


class IntegrityError(GoldgateError):
    """Ledger, objects, database or a published file is not what it was."""

    exit_code = 6


class Busy(GoldgateError):
    """Another process holds the project."""

    exit_code = 7


class OutOfOrder(GoldgateError):
    """A step is missing or comes too late."""

    exit_code = 8
