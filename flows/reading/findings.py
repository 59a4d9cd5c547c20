"""What is wrong with a file, or with the files of one export: collected, counted, then refused all at once."""

from __future__ import annotations

from collections import Counter

from agreement.errors import InputRefused, Problem
from schemas.names import shown
from schemas.reasons import REASONS, problem

LISTED = 1000  # problems named one by one; beyond, only counts per code


class Findings:
    """The problems found, capped in the list and complete in the counts.

    file: where they are unless one says otherwise; None where each does.
    """

    def __init__(self, file: str | None = None) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.counts: Counter[str] = Counter()

    def add(
        self,
        code: str,
        message: str,
        *,
        line: int | None = None,
        column: str | None = None,
        value: str | None = None,
        fix: str | None = None,
        file: str | None = None,
    ) -> None:
        """Note one. The value is shown escaped and cut."""
        self.counts[code] += 1
        if len(self.problems) < LISTED:
            value = None if value is None else shown(value)
            place = file or self.file
            self.problems.append(problem(code, message, fix=fix, file=place, line=line, column=column, value=value))

    def add_unlisted(self, code: str, n: int) -> None:
        """Count `n` more of a code without naming them."""
        if n > 0:
            self.counts[code] += n

    def take(self, refusal: InputRefused) -> None:
        """Take over what another reading found."""
        self.problems += refusal.problems[: LISTED - len(self.problems)]
        self.counts.update(refusal.counts)

    def __bool__(self) -> bool:
        return bool(self.counts)

    def in_order(self) -> list[Problem]:
        return sorted(self.problems, key=lambda p: (p.line or 0, p.column or "", p.code))

    def refusal(self, of_rows: int | None = None) -> InputRefused:
        """The error to raise. of_rows: how many rows the file has, where that is known."""
        lines = {p.line for p in self.problems}
        total = sum(self.counts.values())
        if of_rows is not None and total <= LISTED and None not in lines:
            what = f"{len(lines)} of {of_rows} rows refused"
        else:
            what = "1 problem" if total == 1 else f"{total:,} problems"
        next_step = "Correct the file and run the command again."
        if len(self.counts) == 1 and total == 1:
            next_step = self.problems[0].fix if self.problems else REASONS[next(iter(self.counts))].fix
        file = self.file or (self.problems[0].file if self.problems else None) or "the files"
        counts = dict(sorted(self.counts.items()))
        return InputRefused(f"{file}: {what}, nothing stored", self.in_order(), next_step, counts)

    def raise_if_any(self, of_rows: int | None = None) -> None:
        if self:
            raise self.refusal(of_rows)


def refuse(
    code: str,
    message: str,
    *,
    file: str | None = None,
    line: int | None = None,
    column: str | None = None,
    value: str | None = None,
    fix: str | None = None,
) -> InputRefused:
    """One problem that stops the reading at once, as an error to raise."""
    found = Findings(file)
    found.add(code, message, line=line, column=column, value=value, fix=fix)
    return InputRefused(
        f"{file or 'the files'}: {message}; nothing stored", found.problems, found.problems[0].fix, {code: 1}
    )


def column_place(name: str, position: int) -> str:
    """A column as messages name it: its name and where it stands, counted from 1."""
    return f"{shown(name)} (column {position + 1})"
