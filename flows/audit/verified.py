"""What `verify` has to say: one status, the levels that hold, counts, and a paragraph for people. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from agreement.errors import IntegrityError, Problem
from flows.storage.ledger import Head

KINDS = ("objects", "report files", "releases", "tables", "verdicts")
AGAIN = {"measurings": "measurings", "remade reports": "reports", "remade releases": "releases"}  # with `full`


@dataclass
class Tally:
    """declared: what the ledger names, kind by kind. checked: what of it was looked at and is as named."""

    declared: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    checked: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))

    def count(self, kind: str, n: int, wrong: int = 0) -> None:
        self.declared[kind] = self.declared.get(kind, 0) + n
        self.checked[kind] = self.checked.get(kind, 0) + n - wrong


@dataclass(frozen=True)
class Verified:
    """The result: one status, what is wrong, what was checked of what is declared, and which levels hold.

    notes: what to know, and nothing is wrong with it.
    """

    status: str  # OK | UNANCHORED | INCOMPLETE | FAIL, and with what was removed: OK, REDACTED (k) | …
    levels: tuple[str, ...]
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    declared: dict[str, int]
    checked: dict[str, int]
    head: str
    paragraph: str

    @property
    def exit_code(self) -> int:
        return IntegrityError.exit_code if self.status in ("FAIL", "INCOMPLETE") else 0

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def concluded(
    problems: Sequence[Problem],
    tally: Tally,
    head: Head,
    kept: Sequence[Head] = (),
    *,
    notes: Sequence[str] = (),
    remade: bool = False,
    judged: bool = True,
) -> Verified:
    """What follows from what was found. remade: everything was measured, reported and released again. judged: every
    verdict rests on counts that were found again.
    """
    codes = {problem.code for problem in problems}
    if codes - INCOMPLETE_CODES:
        status = "FAIL"
    elif codes:
        status = "INCOMPLETE"
    else:
        status = "OK" if kept else "UNANCHORED"
        removed = tally.checked.get("redacted")
        status += f", REDACTED ({removed})" if removed else ""
    levels = _levels(codes, bool(kept), remade, judged)
    paragraph = _paragraph(status, tally, kept, codes)
    return Verified(status, levels, tuple(problems), tuple(notes), tally.declared, tally.checked, str(head), paragraph)


INCOMPLETE_CODES = {"object-missing", "not-made-again"}
ANCHOR_CODES = {"ledger-cut", "ledger-rewritten"}
ORDER_CODES = {"order-broken", "registration-differs", "verdict-differs", "deviation-unlisted", "release-rules-differ"}
AGAIN_CODES = {"measuring-differs", "report-differs", "release-differs", "not-made-again"}


def _levels(codes: set[str], anchored: bool, remade: bool, judged: bool) -> tuple[str, ...]:
    """The levels that hold, given what is wrong."""
    if codes & {"ledger-broken", "ledger-missing"}:
        return ()
    levels = ["V0"]
    if anchored and not codes & ANCHOR_CODES:
        levels.append("V1")
    if not codes - ANCHOR_CODES - ORDER_CODES - AGAIN_CODES:
        levels.append("V2")
        if judged and not codes & ORDER_CODES:
            levels += ["V3", "V4"] if remade and not codes & AGAIN_CODES else ["V3"]
    return tuple(levels)


def _paragraph(status: str, tally: Tally, kept: Sequence[Head], codes: set[str]) -> str:
    parts = []
    if codes == {"not-made-again"}:
        parts.append("Not everything could be made again: the list says what and why. Nothing else was found wrong.")
        parts += [*_made_again(tally), _anchored(kept)]
    elif codes:
        parts.append("Something is not what it was: the list says what. Nothing was changed by looking.")
        parts += _found(tally)
    else:
        agree = [_n(tally.checked.get(what, 0), what) for what in ("events", "objects", "report files", "releases")]
        parts.append(
            f"{', '.join(agree[:-1])} and {agree[-1]} agree with each other, and every step stands in its order."
        )
        if tally.checked.get("redacted"):
            gone = _n(tally.checked["redacted"], "objects")
            parts.append(f"Removed on request, so that nobody can check what it held: {gone}.")
        parts += _made_again(tally)
        parts.append(_anchored(kept))
    parts.append(
        "Bytes as received are compared by their digests only, and so are report pages without --full; that rows were "
        "read from them rightly is not shown."
    )
    parts.append(
        "It cannot show real times, who acted, that nobody looked outside this tool, that labels are right or were "
        "given blind, that no other ledger exists, or that nothing was left out that never came in; nor anything "
        "against somebody who rewrote everything and every head that was kept."
    )
    return " ".join(parts)


def _made_again(tally: Tally) -> list[str]:
    """What was compared with more than digests."""
    counted = [
        f"{_n(tally.checked[kind], of)} {how}"
        for kind, of, how in (
            ("counts", "measurings", "counted again"),
            ("release labels", "releases", "compared label by label"),
        )
        if tally.checked.get(kind)
    ]
    again = [_n(tally.checked[kind], what) for kind, what in AGAIN.items() if tally.checked.get(kind)]
    parts = [f"From the stored rows: {' and '.join(counted)}."] if counted else []
    if again:
        listed = f"{', '.join(again[:-1])} and {again[-1]}" if again[1:] else again[0]
        parts.append(f"Made again, with the same bytes: {listed}.")
    return parts


def _found(tally: Tally) -> list[str]:
    """Of what is declared, how much is there as named."""
    counts = [
        f"{tally.checked[kind]} of {_n(tally.declared[kind], kind)}"
        for kind in ("objects", "report files", "releases")
        if tally.declared[kind]
    ]
    return [f"As the ledger names them: {', '.join(counts)}."] if counts else []


def _n(n: int, what: str) -> str:
    """`1 release`, `2 releases`."""
    return f"{n} {what.removesuffix('s') if n == 1 else what}"


def _anchored(kept: Sequence[Head]) -> str:
    if kept:
        longest = max(head.size for head in kept)
        return f"Events 1 to {longest} are those you kept: nothing of them has changed since."
    return (
        "No head kept outside was given, so this shows agreement within this folder and not that its tail was not "
        "cut or all of it rewritten: note the head below elsewhere, and check later with --head."
    )
