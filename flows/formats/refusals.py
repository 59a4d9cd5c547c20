"""Why an export is refused: the codes only formats have, and a list that collects problems until the file is read.

Codes that any labels file can earn (several-labels, not-utf8, duplicate-key ...) are those of schemas/reasons.py.
"""

from __future__ import annotations

from collections import Counter

from agreement.errors import InputRefused, Problem
from schemas.names import shown
from schemas.reasons import REASONS

LISTED = 1_000  # problems kept with their place; beyond that they are only counted

FIXES = {
    "unknown-format": "Name it with --format, or describe its columns in a map (configs/formats/README.md).",
    "ambiguous-format": "Name one of them with --format.",
    "mixed-formats": "Bring the files of each format in on their own.",
    "no-stable-item-id": "Name the key that holds your own id (--item KEY), or 'content-hash' to pair by content.",
    "missing-item-id": "Give every item the key, or name another one.",
    "constant-item-id": "Name the key that tells the items apart.",
    "several-questions": "Choose one with --question.",
    "unknown-question": "Choose one that is in the file with --question.",
    "no-answers": "Check that this is the export you meant, and that it includes annotations.",
    "no-annotator": "Export it with annotators; or, if one person made the whole file, name that person.",
    "merged-annotators": "Export one file a member (doccano: without 'collaborative annotation').",
    "consolidated-label": "Give the workers' own answers (worker-response JSON) beside the manifest.",
    "span-format": "goldgate compares one answer an item; spans need another measure. Make a yes/no study per item.",
    "adjudication-file": "These are decisions, not blind labels: give them to `goldgate adjudicate`.",
    "mixed-view-ids": "Export one interface at a time: the same answer means different things in each.",
    "ambiguous-answer": "Export again with the change history; which answer was the last cannot be told from this.",
    "reviewer-as-annotator": "Leave out the reviewer's own labels of items they reviewed, or choose another annotator.",
    "several-projects": "Export one project at a time.",
    "uneven-lists": "Export it again; answers, people and statuses no longer belong together.",
    "transposed-matrix": "Turn the table: one row an item, one column an annotator.",
    "control-overwrites-data": "Export as Label Studio JSON: here the answer has overwritten the item's own data.",
    "no-class-names": "Give dataset_info.json beside the data: class numbers mean nothing without their names.",
    "class-out-of-range": "The class list belongs to another version of the data set; export both together.",
    "one-author": "Check who is signed in while labelling: independent passes need different people.",
    "conflicting-options": "Keep one option marked, or make one yes/no study per option.",
    "unknown-column": "Correct the map: it names a column the file does not have.",
    "unsafe-archive": "Unpack the archive and give the files inside.",
    "two-paths": "Rename one of the files.",
    "unknown-zone": "Add the zone's abbreviation and offset to the map's `zones:`.",
    "bad-text": "Export it again; a half character stands where text should be.",
    "same-person-twice": "Find out which answer counts; a study may register a rule for such rows.",
    "identical-labels": "Ask both how they worked: one file may be a copy of the other.",
    "implausibly-alike": "Ask both how they worked: they may have talked, or one may have copied.",
    "same-free-choices": "Ask both how they worked: free choices are rarely equal by chance.",
    "gold-rows": "Leave them out, or bring them in set aside.",
    "undeclared-category": "Map the spelling under `labels:`, or label again with the study's categories.",
    "abstention-spelling": "Map the new spelling to the declared reason, so that both rounds mean one thing.",
    "undeclared-value": "Say in the map what this value means.",
}


def fix_of(code: str) -> str:
    """What to do about a problem of this code. KeyError for a code nobody declared."""
    return FIXES[code] if code in FIXES else REASONS[code].fix


class Refusals:
    """Problems found while reading; raised together at the end, so that one run shows them all."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.counts: Counter[str] = Counter()

    def note(
        self,
        code: str,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: str | None = None,
        value: str | None = None,
        fix: str | None = None,
    ) -> None:
        self.counts[code] += 1
        if len(self.problems) < LISTED:
            value = None if value is None else shown(value)
            self.problems.append(Problem(code, message, fix or fix_of(code), file, line, column, value))

    def raise_if_any(self) -> None:
        if self.problems:
            n, file = sum(self.counts.values()), self.problems[0].file or "the files"
            what = self.problems[0].message if n == 1 else f"{n} problems"
            raise InputRefused(f"{file}: {what}; nothing stored", self.problems, self.problems[0].fix, self.counts)


def refuse(code: str, message: str, *, file: str | None = None, **place: int | str | None) -> InputRefused:
    """One problem that stops the reading at once, as an error to raise."""
    refusals = Refusals()
    refusals.note(code, message, file=file, **place)  # type: ignore[arg-type]  # place: line, column, value, fix
    return InputRefused(f"{file or 'the files'}: {message}; nothing stored", refusals.problems, fix_of(code), {code: 1})
