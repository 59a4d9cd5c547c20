"""Places in files whose records have no line of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from agreement.errors import InputRefused, Problem


def at_places(refusal: InputRefused, paths: Sequence[str]) -> InputRefused:
    """The same refusal with the path of a record where it has the record's number as a line; as it is without paths."""
    if not any(paths):
        return refusal

    def placed(problem: Problem) -> Problem:
        if problem.line is None or not 0 < problem.line <= len(paths):
            return problem
        where = f"{problem.column} of {paths[problem.line - 1]}" if problem.column else paths[problem.line - 1]
        message = re.sub(r"on line (\d+)", lambda n: f"in {paths[int(n[1]) - 1]}", problem.message)
        return replace(problem, line=None, column=where, message=message)

    problems = [placed(problem) for problem in refusal.problems]
    return InputRefused(refusal.headline, problems, refusal.next_step, refusal.counts)
