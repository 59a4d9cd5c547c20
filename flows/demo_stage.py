"""Where the demo plays, and how it shows what a command did."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from agreement.errors import InputRefused
from flows.commands.printing import problem_line
from flows.pages.numbers import shown
from flows.storage.project import Project
from schemas.report import Report, RuleRecord, SliceRecord

Say = Callable[[str], None]


@dataclass(frozen=True)
class Stage:
    """Where the demo plays. folder: the scratch folder, where commands are typed. started: the present."""

    folder: Path
    started: datetime
    say: Say

    def project(self, days_ago: int = 0) -> Project:
        """The project as it would have been held some days ago; today, by the machine's clock."""
        if days_ago == 0:
            return Project(self.folder / "data")
        return Project(self.folder / "data", clock=lambda: self.started - timedelta(days=days_ago))

    def title(self, text: str) -> None:
        self.say("")
        self.say(f"== {text}")

    def command(self, text: str) -> None:
        self.say("")
        self.say(f"  $ goldgate {text}")

    def result(self, *lines: str) -> None:
        for line in lines:
            indent = " " * (4 + len(line) - len(line.lstrip()))
            for part in textwrap.wrap(line.strip(), 110, initial_indent=indent, subsequent_indent=indent + "  "):
                self.say(part)


def show_refusal(stage: Stage, refused: InputRefused) -> None:
    stage.result(refused.headline)
    for problem in refused.problems:
        stage.result(f"  {problem_line(problem)}")
    stage.result(refused.next_step, "(exit code 3: nothing of the file was stored)")


def show_slices(stage: Stage, report: Report) -> None:
    stage.result(f"{'':<12}{'raw':>6}{'AC1':>6}{'flagged by any, by all':>25}{'positive specific agreement':>30}")
    for one_slice in report.slices:
        stage.result(_slice_line(one_slice))


def _slice_line(one_slice: SliceRecord) -> str:
    raw, ac1, psa = (
        _estimate(one_slice, name) for name in ("percent_agreement", "gwet_ac1", "positive_specific_agreement")
    )
    counts = one_slice.positives
    flagged = f"{counts.union}, {counts.joint}" if counts else ""
    return f"{one_slice.name:<12}{raw:>6}{ac1:>6}{flagged:>25}{psa:>30}"


def _estimate(one_slice: SliceRecord, statistic: str) -> str:
    found = next((e for e in one_slice.estimates if e.statistic == statistic), None)
    return shown(found.value) if found is not None and found.value is not None else "undefined"


def show_verdict(stage: Stage, report: Report) -> None:
    verdict = report.verdict
    stage.result(verdict.sentence)
    for number in verdict.weakest_first:
        stage.result(f"  {_rule_line(verdict.rules[number - 1])}")
    stage.result(verdict.next_step, f"(exit code {verdict.exit_code})")


def _rule_line(rule: RuleRecord) -> str:
    bound = "" if rule.judged_on == "value" else f", {rule.judged_on} bound"
    worst = ", missing labels at their worst" if rule.missing == "worst" else ""
    asked = f"{rule.comparison.replace('_', ' ')} {rule.asked}"
    found = rule.found or "undefined"
    return f"{rule.slice}: {rule.statistic.replace('_', ' ')}{bound}{worst}: asked {asked}, found {found}"


def look_at(stage: Stage, *paths: str) -> None:
    for path in paths:
        stage.result(f"Look at {path}")
