"""What commands print: plain lines for people, JSON for programs."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from agreement.errors import GoldgateError, Problem
    from schemas.report import Report

LISTED = 50  # problems a terminal shows; --json has them all
OF_ONE_KIND = 10  # of them with one code


# What steers a terminal, or turns or hides what stands beside it; a line's end too, as each line here is one of ours.
_STEERING = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff]"
)


def plain(text: str) -> str:
    """Text that may hold what others wrote, as a terminal may be sent it; in JSON the same escapes mean the same."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def line(text: str = "") -> None:
    typer.echo(plain(text))


def warn(text: str) -> None:
    """Something to know, beside the result and not in it."""
    typer.echo(plain(text), err=True)


def as_json(value: Any) -> None:
    lines = json.dumps(value, indent=2, ensure_ascii=False, default=str).split("\n")  # ours: in a text they are escaped
    typer.echo("\n".join(map(plain, lines)))


def done(already: bool, text: str) -> None:
    """One line for a command that changed something, or found it done."""
    line(f"{'Already done: ' if already else ''}{text}")


def new_head(ledger: Path, size_before: int, *, beside: bool) -> None:
    """The ledger's head, as `verify --head` takes it, if the command added an event. beside: not among the result."""
    if not ledger.is_file() or ledger.stat().st_size <= size_before:
        return
    whole, _, _ = ledger.read_bytes().rpartition(b"\n")
    digest, _, body = whole.rpartition(b"\n")[2].partition(b" ")
    (warn if beside else line)(f"Ledger head to note down: {digest.decode()}@{json.loads(body)['seq']}")


def error(refusal: GoldgateError) -> None:
    """A refusal on standard error: headline, every problem with its place, what to do next. The same advice once."""
    warn(f"{refusal.headline} [{refusal.code}]" if refusal.code else refusal.headline)
    said: set[str] = set()
    listed = _first_of_each_kind(refusal.problems)[:LISTED]
    for problem in listed:
        new = problem if problem.fix not in said else replace(problem, fix="")
        warn(f"  {problem_line(new)}")
        said.add(problem.fix)
    of_kind = Counter(problem.code for problem in refusal.problems) | Counter(refusal.counts)
    hidden = of_kind - Counter(problem.code for problem in listed)
    if hidden:
        warn(f"  … and {', '.join(f'{n:,} more of {code}' for code, n in sorted(hidden.items()))}.")
    if hidden and len(of_kind) == 1 and listed[0].fix:
        warn(listed[0].fix)  # the advice is far above by now
    if refusal.next_step and refusal.next_step not in said:
        warn(refusal.next_step)


def _first_of_each_kind(problems: Iterable[Problem]) -> list[Problem]:
    """In their order, OF_ONE_KIND of each code at most."""
    seen: Counter[str] = Counter()
    first = []
    for problem in problems:
        seen[problem.code] += 1
        if seen[problem.code] <= OF_ONE_KIND:
            first.append(problem)
    return first


def problem_line(problem: Problem) -> str:
    """ "line 17, label: 'mabye' is not a category [unknown-label]. Use a registered category." """
    place = [problem.file or ""] if problem.file else []
    place += [f"line {problem.line}"] if problem.line is not None else []
    place += [problem.column] if problem.column else []
    value = f" ({problem.value!r})" if problem.value is not None and problem.value not in problem.message else ""
    fix = f" {problem.fix}" if problem.fix else ""
    start = f"{', '.join(place)}: " if place else ""
    return f"{start}{problem.message}{value} [{problem.code}].{fix}"


def verdict(report: Report, next_step: tuple[str, str]) -> None:
    """The verdict, the rules in the way, and the next step: a sentence and a command."""
    from flows.pages.words import lesser_grade

    found = report.verdict
    words = {"pass": "Passed", "fail": "Blocked", "not_evaluable": "Blocked", "not_gated": "Not gated"}
    lesser = lesser_grade(report)
    line(f"{words[found.status]}{lesser and f', {lesser}'}. {found.sentence}")
    for text in report.deviations:
        line(f"  Deviation: {text}")
    for number in found.weakest_first:
        rule = found.rules[number - 1]
        bound = "" if rule.judged_on == "value" else f" ({rule.judged_on} bound)"
        worst = ", worst case of missing labels" if rule.missing == "worst" else ""
        line(f"  {rule.slice}: {rule.headline}. {rule.reason}")
        asked = f"{rule.comparison.replace('_', ' ')} {rule.asked}"
        line(f"    asked {rule.statistic.replace('_', ' ')}{bound} {asked}{worst}; found {rule.found or 'undefined'}")
        for extra in (rule.change, rule.tipping):
            if extra:
                line(f"    {extra}")
    sentence, command = next_step
    line(sentence)
    if command:
        line(f"  {command}")


def table(header: tuple[str, ...], body: Iterable[tuple[str, ...]]) -> None:
    """A table as the terminal shows it best; plain text where there is no terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, pad_edge=False, header_style="bold")
    for name in header:
        drawn.add_column(name, overflow="fold")
    for row in body:
        drawn.add_row(*(Text(plain(cell)) for cell in row))  # as text: a label in brackets is no markup
    console = Console()
    if not console.is_terminal:
        console = Console(width=200)
    console.print(drawn)
