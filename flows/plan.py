"""Planning a round: what an interval's width or a threshold costs in union positives, items and hours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agreement.errors import ConfigError, Problem
from agreement.planning import PositivesPlan, plan_positives


@dataclass(frozen=True)
class Plan:
    """What was asked, and what it takes."""

    agreement: float
    half_width: float | None
    at_least: float | None
    annotators: int
    seconds_per_label: float
    found: PositivesPlan

    def as_json(self) -> dict[str, Any]:
        record = asdict(self)
        record["found"]["level"] = float(self.found.level)
        return record


def plan(
    agreement: float,
    *,
    half_width: float | None,
    at_least: float | None,
    densities: Sequence[str],
    annotators: int,
    seconds_per_label: float,
    attempts: int,
    known: str,
) -> Plan:
    """densities: "name=0.082" each. known: "41=0.14", union positives and half-width of an earlier round.

    ConfigError, naming every argument that cannot be used.
    """
    problems: list[Problem] = []
    if (half_width is None) == (at_least is None):
        problems.append(Problem("bad-argument", "give one of --half-width and --at-least", column="--half-width"))
    for name, value in (("--agreement", agreement), ("--half-width", half_width), ("--at-least", at_least)):
        if value is not None and not 0 < value < 1:
            problems.append(Problem("bad-argument", "must lie between 0 and 1", column=name, value=str(value)))
    if seconds_per_label <= 0:
        problems.append(Problem("bad-argument", "must be positive", column="--seconds", value=str(seconds_per_label)))
    named = dict(_pairs(densities, "--density", problems))
    for name, density in named.items():
        if density > 1:
            problems.append(Problem("bad-argument", "more than one per item", column="--density", value=name))
    earlier = [(float(n), width) for n, width in _pairs([known] if known else [], "--known", problems)]
    if problems:
        raise ConfigError("plan: the arguments cannot be used", problems)
    found = plan_positives(
        agreement,
        half_width=half_width,
        at_least=at_least,
        densities=named,
        annotators=annotators,
        seconds_per_label=seconds_per_label,
        attempts=attempts,
        known=(int(earlier[0][0]), earlier[0][1]) if earlier else None,
    )
    return Plan(agreement, half_width, at_least, annotators, seconds_per_label, found)


def plan_lines(plan: Plan) -> list[str]:
    """The plan in words."""
    found = plan.found
    aim = f"±{plan.half_width:g}" if plan.half_width is not None else f"a lower bound of {plan.at_least:g}"
    if found.union_positives is None:
        return [f"No number of union positives gives {aim} at a positive specific agreement of {plan.agreement:g}."]
    lines = [
        f"{aim} at a positive specific agreement of {plan.agreement:g}, level {float(found.level):.4g}: "
        f"{found.union_positives:,} union positives"
    ]
    if found.union_positives_beta not in (None, found.union_positives):
        lines.append(f"  {found.union_positives_beta:,} to be sure of it by the interval the gate uses")
    if found.square_root_rule is not None:
        lines.append(
            f"  the rule of thumb would say {found.square_root_rule:,}, which assumes the earlier interval's width"
        )
    for name, budget in found.budgets.items():
        lines.append(
            f"  {name}, {budget.density:g} union positives an item: about {budget.items:,} items, "
            f"{budget.labels:,} labels, {budget.person_hours:,.0f} person-hours"
        )
    return lines


def _pairs(texts: Sequence[str], option: str, problems: list[Problem]) -> list[tuple[str, float]]:
    found = []
    for text in texts:
        name, _, number = text.rpartition("=")
        try:
            value = float(number)
            if not name or not 0 < value < float("inf") or (option == "--known" and float(name) < 1):
                raise ValueError
            found.append((name, value))
        except ValueError:
            problems.append(Problem("bad-argument", "write it as NAME=NUMBER", column=option, value=text[:80]))
    return found
