"""Two coefficients, two sets of annotators or two groups of a labels file against each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from agreement.comparison import Drawing, Figures, compare_annotators, compare_slices, compare_statistics
from agreement.errors import ConfigError, Problem
from agreement.estimate import Estimate
from agreement.patterns import Patterns
from flows.looks.rows import LongRows
from flows.storage.store import Connection

JOINED = "+"
Withheld = Callable[[Patterns], str | None]


def comparison(
    con: Connection, found: LongRows, whole: Patterns, asked: str, figures: Figures, drawing: Drawing, why: Withheld
) -> dict[str, Any]:
    """What `--compare A,B` asks for: which kind of thing A and B are, and the difference A less B with its interval.

    A and B: two statistics; or two values of the `by` column; or two sets of annotators, ids joined by +.
    why: the reason for which a side's intervals may not be shown, if any.
    Raises ConfigError that lists what could be compared.
    """
    sides = asked.split(",")
    names = list(figures(whole.codes.clip(min=-1), whole.multiplicity.astype(float)))
    if len(sides) != 2 or sides[0] == sides[1]:
        raise _refused("takes two different names", asked, found, names)
    if set(sides) <= set(names):
        one = compare_statistics(whole, sides[0], sides[1], figures, _held(drawing, why, [whole]))
        return _record("statistics", sides, [one])
    if set(sides) <= set(found.groups):
        return _groups(con, found, sides, figures, drawing, why)
    teams = [side.split(JOINED) for side in sides]
    if all(len(set(team)) == len(team) >= 2 and set(team) <= set(whole.annotators) for team in teams):
        held = _held(drawing, why, [_part(whole, team) for team in teams])
        return _record("annotators", sides, compare_annotators(whole, teams[0], teams[1], figures, held).values())
    raise _refused("names nothing that can be compared", asked, found, names)


def _groups(
    con: Connection, found: LongRows, sides: Sequence[str], figures: Figures, drawing: Drawing, why: Withheld
) -> dict[str, Any]:
    """Two groups: from the same draws where they have items in common, each on its own where they have none."""
    parts = [found.patterns(con, side) for side in sides]
    held = _held(drawing, why, parts)
    joint, sets, common = found.side_by_side(con, sides[0], sides[1])
    if common and min(len(people) for people in sets) >= 2:
        estimates = compare_annotators(joint, sets[0], sets[1], figures, held)
    else:
        estimates = compare_slices(parts[0], parts[1], figures, held)
    return _record("groups", sides, estimates.values()) | {"common_items": common}


def _part(whole: Patterns, annotators: Sequence[str]) -> Patterns:
    columns = [whole.annotators.index(who) for who in annotators]
    return replace(whole, annotators=tuple(annotators), codes=whole.codes[:, columns])


def _held(drawing: Drawing, why: Withheld, parts: Sequence[Patterns]) -> Drawing:
    return replace(drawing, withheld=next((reason for part in parts if (reason := why(part))), None))


def _record(kind: str, sides: Sequence[str], estimates: Any) -> dict[str, Any]:
    listed: list[Estimate] = list(estimates)
    return {"kind": kind, "first": sides[0], "second": sides[1], "estimates": listed}


def _refused(message: str, asked: str, found: LongRows, names: Sequence[str]) -> ConfigError:
    fix = "; or ".join(_ways(found, names)) + "."
    problem = Problem("cannot-compare", f"--compare {message}", fix, column="--compare", value=asked)
    return ConfigError("the options do not fit the file", [problem])


def _ways(found: LongRows, names: Sequence[str]) -> Iterator[str]:
    yield f"Give two statistics of: {', '.join(names)}"
    yield f"two values of --by: {', '.join(found.groups[:20])}" if found.groups else "two values of a --by column"
    yield f"two sets of annotators joined by {JOINED}, of: {', '.join(found.annotators[:20])}"
