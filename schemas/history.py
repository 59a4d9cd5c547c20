"""The history record: one study over all its rounds and guideline versions. Table, JSON and page render it alike.

FORMAT is raised with every change a reader of the JSON could notice:
1  first format.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from schemas.report import EstimateRecord, Head, Record, Status

FORMAT = 1

RoundState = Literal["open", "closed", "measured"]


class Card(Record):
    """One of the three answers at the top: what may be used, the last verdict, what is going on now."""

    word: str  # "Release 2", "Blocked", "Collecting", "Nothing yet"
    status: Status | Literal["open", "none"]  # which mark stands beside it
    text: str
    command: str = ""  # what to type next, "" if nothing


class ThresholdRecord(Record):
    """A registered threshold, for the lines of the picture. `asked` is decimal text."""

    slice: str
    statistic: str
    category: str | None = None
    judged_on: Literal["value", "lower", "upper"]
    comparison: Literal["at_least", "at_most"]
    asked: str


class SliceLine(Record):
    """One slice of one round, or of all rounds of a version together."""

    slice: str
    speaks_of: Literal["traffic", "hard cases"]
    rate: str  # how it was drawn, in words: "1 in 4 of those an automatic check had flagged"
    paired: int
    coverage: str | None  # decimal text
    joint: int | None  # None: no positive category
    union: int | None
    estimates: list[EstimateRecord]  # the triple first; the page shows what it knows and lists the rest
    rules: Status  # of the rules on this slice: pass only if all passed; not_gated without a rule


class RoundLine(Record):
    round_id: str
    kind: Literal["pilot", "measured", "relabel", "retrospective"]
    state: RoundState
    grade: str
    guideline_version: str
    opened_at: str
    closed_at: str  # "" while open
    attempt: int
    attempts: int
    attempt_of: str | None = None
    verdict: Status | None  # None: not judged yet
    rules: int
    failed: int
    not_evaluable: int
    sentence: str  # the verdict's first sentence, or what an open round waits for
    report_version: int | None
    releases: list[str] = Field(default_factory=list)  # releases that hold its labels
    slices: list[SliceLine]  # empty before it is measured


class VersionRecord(Record):
    """Everything under one guideline version, in the order of the ledger."""

    guideline_version: str
    guideline_digest: str
    published: str  # in words: "event 31, 2026-03-18"
    what_changed: str = ""
    registration: str  # digest and grade, in words; "" if none
    thresholds: list[ThresholdRecord]
    rounds: list[RoundLine]
    passed: int  # of the rounds that were judged
    judged: int
    attempts_used: int
    attempts: int
    cumulative: list[SliceLine]  # over all measured rounds of the version
    differences: list[str] = Field(default_factory=list)  # against the version before, in words: seen, not caused
    not_measurable: str = ""  # "not measurable as written: …", where the attempts are used up


class NearMissRecord(Record):
    round_id: str
    slice: str
    text: str


class DeviationRecord(Record):
    """A change after results were seen. Both verdicts stand; the worse counts, unless it governs the round."""

    round_id: str
    event: int
    text: str
    as_registered: Status
    as_amended: Status
    counts: Status
    governs: bool = False


class ReleaseLine(Record):
    release: str
    state: Literal["in force", "superseded", "withdrawn", "refused"]
    digest: str  # "" where refused
    at: str
    event: int
    rounds: list[str]
    labels: int | None  # None where nothing was written
    unanimous: int | None = None
    adjudicated: int | None = None
    relabelled: int | None = None
    left_out: int | None = None
    against_before: str = ""


class EventLine(Record):
    seq: int
    at: str
    type: str
    text: str
    head: str = ""  # the hash, where a head was given out


class HistoryRecord(Record):
    format: int = FORMAT
    study_id: str
    question: str
    use: str
    may_be_used: Card
    last_verdict: Card
    now: Card
    versions: list[VersionRecord]
    near_misses: list[NearMissRecord] = Field(default_factory=list)
    deviations: list[DeviationRecord] = Field(default_factory=list)
    releases: list[ReleaseLine] = Field(default_factory=list)
    ledger_head: Head
    events: list[EventLine] = Field(default_factory=list)  # newest first, those of this study that decide something
