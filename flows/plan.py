"""Planning a round: what an interval's width or a threshold costs in union positives, items and hours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from agreement.errors import ConfigError, Problem
from agreement.planning import PositivesPlan, plan_positives
from flows.report import measured_report
from flows.storage.project import Project
from schemas.report import SliceRecord


@dataclass(frozen=True)
class Wish:
    """What the round is to reach, and what a label costs. Exactly one of half_width and at_least is set."""

    half_width: float | None
    at_least: float | None
    annotators: int = 2
    seconds_per_label: float = 90
    attempts: int = 1

    @property
    def in_words(self) -> str:
        return f"±{self.half_width:g}" if self.half_width is not None else f"a lower bound of {self.at_least:g}"


@dataclass(frozen=True)
class Plan:
    """What it takes at one expected agreement. source: where that comes from, "" if it was given."""

    wish: Wish
    agreement: float
    found: PositivesPlan
    source: str = ""

    def as_json(self) -> dict[str, Any]:
        record = asdict(self)
        record["found"]["level"] = float(self.found.level)
        return record


def plans(
    project: Project,
    wish: Wish,
    agreement: float | None,
    from_round: str | None,
    densities: Sequence[str],
    known: str,
) -> list[Plan]:
    """One plan for an expected agreement, or one per slice of a measured round with that slice's own density.

    densities: "name=0.082" each. known: "41=0.14", union positives and half-width of an earlier round, for the rule of
    thumb. ConfigError, naming every argument that cannot be used.
    """
    problems = list(_wrong(wish, agreement, from_round))
    named = dict(_pairs(densities, "--density", problems))
    earlier = [(int(float(n)), width) for n, width in _pairs([known] if known else [], "--known", problems)]
    problems += [
        Problem(
            "bad-argument",
            "more than one union positive per item",
            "Give union positives divided by items: at most 1.",
            column="--density",
            value=name,
        )
        for name, density in named.items()
        if density > 1
    ]
    if problems:
        raise ConfigError("plan: the arguments cannot be used", problems)
    if from_round is not None:
        return _from_round(project, wish, from_round)
    return [_plan(wish, float(agreement or 0), named, earlier[0] if earlier else None)]


def plan_lines(plan: Plan) -> list[str]:
    """The plan in words."""
    found, aim = plan.found, plan.wish.in_words
    at = f"at a positive specific agreement of {plan.agreement:.4g}"
    start = f"{plan.source}: " if plan.source else ""
    if found.union_positives is None:
        why = ": a lower bound stays below what it is a bound of" if (plan.wish.at_least or 0) >= plan.agreement else ""
        return [f"{start}no number of union positives gives {aim} {at}{why}."]
    lines = [f"{start}{aim} {at}, level {float(found.level):.4g}: {found.union_positives:,} union positives"]
    if found.union_positives_beta not in (None, found.union_positives):
        lines.append(f"  {found.union_positives_beta:,} to be sure of it by the interval the gate uses")
    if found.square_root_rule is not None:
        lines.append(f"  the rule of thumb would say {found.square_root_rule:,}: it keeps the earlier interval's shape")
    for name, budget in found.budgets.items():
        lines.append(
            f"  {name}, {budget.density:.3g} union positives an item: about {budget.items:,} items, "
            f"{budget.labels:,} labels, {budget.person_hours:,.0f} person-hours"
        )
    return lines


def _plan(wish: Wish, agreement: float, densities: dict[str, float], known: tuple[int, float] | None) -> Plan:
    found = plan_positives(
        agreement,
        half_width=wish.half_width,
        at_least=wish.at_least,
        densities=densities,
        annotators=wish.annotators,
        seconds_per_label=wish.seconds_per_label,
        attempts=wish.attempts,
        known=known,
    )
    return Plan(wish, agreement, found)


def _from_round(project: Project, wish: Wish, round_id: str) -> list[Plan]:
    round_state = project.state().round(round_id)
    if not round_state.measured:
        raise ConfigError(
            f"plan: {round_id} has not been measured",
            next_step=f"`goldgate measure {round_id}` first.",
            code="measured-missing",
        )
    report = measured_report(project.objects, round_state.measured[-1])
    found = []
    for part in report.slices:
        agreement, density = _seen(part)
        if agreement is not None and density is not None:
            known = _known(part)
            one = _plan(wish, agreement, {part.name: density}, known)
            found.append(Plan(one.wish, one.agreement, one.found, f"{round_id}, {part.name}"))
    if not found:
        raise ConfigError(
            f"plan: no slice of {round_id} has an agreement on flags to plan from",
            code="nothing-to-plan-from",
            next_step="Say what to expect with --agreement and --density.",
        )
    return found


def _seen(part: SliceRecord) -> tuple[float | None, float | None]:
    """Agreement on flags and union positives per paired item of a slice."""
    psa = next((e for e in part.estimates if e.statistic == "positive_specific_agreement"), None)
    if psa is None or psa.exact is None or part.positives is None or not part.coverage.paired:
        return None, None
    value = float(Fraction(psa.exact))
    usable = 0 < value < 1 and part.positives.union > 0
    return (value, part.positives.union / part.coverage.paired) if usable else (None, None)


def _known(part: SliceRecord) -> tuple[int, float] | None:
    psa = next(e for e in part.estimates if e.statistic == "positive_specific_agreement")
    if psa.lower is None or psa.upper is None or part.positives is None:
        return None
    return part.positives.union, float(Fraction(psa.upper) - Fraction(psa.lower)) / 2


def _wrong(wish: Wish, agreement: float | None, from_round: str | None) -> list[Problem]:
    problems = []
    if (wish.half_width is None) == (wish.at_least is None):
        problems.append(
            Problem(
                "bad-argument",
                "give one of --half-width and --at-least",
                "Give exactly one of the two.",
                column="--half-width",
            )
        )
    if (agreement is None) == (from_round is None):
        problems.append(
            Problem(
                "bad-argument",
                "give one of --agreement and --from",
                "Give exactly one of the two.",
                column="--agreement",
            )
        )
    shares = (("--agreement", agreement), ("--half-width", wish.half_width), ("--at-least", wish.at_least))
    for name, value in shares:
        if value is not None and not 0 < value < 1:
            problems.append(
                Problem(
                    "bad-argument",
                    "must lie between 0 and 1",
                    "Give a number such as 0.6.",
                    column=name,
                    value=str(value),
                )
            )
    if not 0 < wish.seconds_per_label < float("inf"):
        value_text = str(wish.seconds_per_label)
        problems.append(
            Problem(
                "bad-argument",
                "must be a positive number",
                "Give a number above 0.",
                column="--seconds",
                value=value_text,
            )
        )
    return problems


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
            problems.append(
                Problem(
                    "bad-argument",
                    "write it as NAME=NUMBER",
                    "For example: --density uniform=0.08.",
                    column=option,
                    value=text[:80],
                )
            )
    return found
