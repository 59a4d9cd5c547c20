"""The report record: everything a page says, as data. `report.json` is this record; HTML and Markdown render it and
compute nothing.

FORMAT is raised with every change a reader of report.json could notice:
1  first format.
"""

from __future__ import annotations

import json
from typing import Literal

from pydantic import BaseModel, ConfigDict

FORMAT = 1

Status = Literal["pass", "fail", "not_evaluable", "not_gated"]


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class EstimateRecord(Record):
    """One statistic of one slice. Decimals are text: `value` floored to 4 places, bounds rounded outward."""

    statistic: str
    category: str | None = None
    value: str | None  # None: undefined, and `status` says why
    exact: str | None = None  # the same as a fraction, "12/47", where it is one
    lower: str | None = None
    upper: str | None = None
    status: str = "ok"  # or "undefined: <why>"
    interval: str  # how the bounds were made, or "none: <why>"
    n: dict[str, int] = {}
    undefined_replicates: int = 0


class MissingKinds(Record):
    """Assigned labels that are not there, by kind. Abstentions are answers and are counted apart."""

    never_shown: int = 0
    draft: int = 0
    skipped: int = 0
    submitted_empty: int = 0
    no_row: int = 0  # nothing came in for it


class Coverage(Record):
    """Of a slice, or of one annotator in it. `assigned` counts labels asked for; `items` counts items."""

    items: int
    assigned: int
    labelled: int
    abstained: int
    missing: int
    missing_kinds: MissingKinds
    abstain_reasons: dict[str, int] = {}
    other_version: int = 0
    paired: int  # items with at least two own labels of one version (an annotator's row: items shared with another)
    complete: int = 0  # items with every assigned label


class AnnotatorRecord(Record):
    annotator_id: str
    kind: Literal["human", "model"]
    coverage: Coverage
    labels: dict[str, int]  # per declared category, in declared order
    flagged: int | None = None  # labels that are positive; None without a positive category
    flag_rate: str | None = None  # decimal text, flagged / labelled
    revisions: int = 0
    extra: int = 0


class PairRecord(Record):
    """Two annotators on the items both labelled. `table[i][j]`: first said category i, second said j."""

    first: str
    second: str
    paired: int
    table: list[list[int]]
    estimates: list[EstimateRecord]
    never_flags_vs_first: str | None = None  # agreement an annotator who never flags would have with each
    never_flags_vs_second: str | None = None


class Positives(Record):
    """Counts on the positive class over paired items; None-valued record where no category is positive."""

    flagged_by: list[int]  # index k: items flagged by exactly k of their labels (two annotators: [neither, one, both])
    union: int
    joint: int  # flagged by all who labelled the item
    contested: int  # union - joint
    n_eff: str | None  # effective sample size of the interval, decimal text


class PartnerCheck(Record):
    """Are labels whose partner is missing or abstained positive more often than paired ones? (Fisher, one-sided)"""

    paired_positive: int
    paired_labels: int
    alone_positive: int
    alone_labels: int
    p_value: str | None


class Scenario(Record):
    """What missing labels could do to one statistic.

    kind: `extremes` are the lowest and highest value over every way to fill the gaps; `scenarios` are two named ways:
    worst, each gap says what fewest of the item's labels say; best, what most of them say.
    """

    statistic: str
    category: str | None = None
    worst: str | None
    best: str | None
    kind: Literal["extremes", "scenarios"] = "extremes"


class RuleTableRow(Record):
    """The figures under one duplicate rule, with abstentions as missing or as a category of their own."""

    duplicates: str
    abstentions: Literal["missing", "category"]
    registered: bool  # the row the report's figures are made by
    figures: dict[str, str | None]  # statistic -> decimal text; None: undefined


class SliceRecord(Record):
    name: str
    speaks_of: Literal["traffic", "hard cases"]  # the uniform slice of traffic, every other of hard cases
    sampling: str  # as registered, in words
    coverage: Coverage
    annotators: list[AnnotatorRecord]
    pairs: list[PairRecord]
    lowest_pair: str | None = None  # "ada and bo", for more than two annotators
    positives: Positives | None
    estimates: list[EstimateRecord]
    scenarios: list[Scenario] = []
    rule_table: list[RuleTableRow] = []
    partner: PartnerCheck | None = None
    unused_categories: list[str] = []
    warnings: list[str] = []
    can_tell: str  # one plain paragraph each
    cannot_tell: str


class RuleRecord(Record):
    """One registered rule and what was found. `asked` and `found` are decimal text, compared as such."""

    number: int  # 1, 2, … as registered
    slice: str
    statistic: str
    category: str | None = None
    judged_on: Literal["value", "lower", "upper"]
    missing: Literal["observed", "worst"]
    comparison: Literal["at_least", "at_most"]
    asked: str
    found: str | None  # None: undefined
    verdict: Literal["pass", "fail", "not_evaluable"]
    failed_as: Literal["shown_below", "shown_above", "not_shown"] | None = None
    headline: str  # "Agreement on flags is not shown"
    reason: str  # counts before coefficients: "4 of 44 flags shared. Positive specific agreement 0.17 [0.04 to 0.32]."
    change: str  # what would change it; "" where passed
    tipping: str  # at which number of missing labels the verdict would tip, in words
    further_attempt: str = ""  # what a further attempt would need
    counts: dict[str, int]
    exactly: bool = False  # passed or failed exactly at the threshold


class VerdictRecord(Record):
    status: Status
    exit_code: int
    sentence: str  # "These labels may not be used to validate an automated judge. In traffic, ada and bo flagged 44 …"
    next_step: str
    command: str  # what to type next, "" if nothing
    level: str  # of every bound: 1 - 0.05/k
    rules: list[RuleRecord]
    weakest_first: list[int]  # numbers of the rules that did not pass, in the order to show them


class DeviationVerdict(Record):
    """A change after results could be known, or a removal: both verdicts stand, and the worse one counts.

    governs: an amendment after results of another round of the version; it is what this round is judged by.
    """

    event: int
    text: str
    as_registered: Status  # without it
    as_amended: Status  # with it
    counts: Status
    governs: bool = False


class RegistrationRecord(Record):
    digest: str  # of the study file's bytes
    event: int
    at: str
    grade: str  # preregistered | registered before results | exploratory | retrospective | pilot
    history: list[str]  # every registration and amendment of this study, a line each


class SubmissionRecord(Record):
    event: int
    file_name: str
    digest: str
    rows: int
    new: int
    already_there: int
    revised: int
    revision_reason: str = ""
    set_aside: dict[str, int] = {}
    late: bool = False
    notes: list[str] = []
    loss: list[str] = []  # what this format or file cannot express


class RoundRecord(Record):
    round_id: str
    kind: Literal["pilot", "measured", "relabel", "retrospective"]
    guideline_version: str
    guideline_digest: str
    opened_at: str
    closed_at: str
    closed_how: Literal["complete", "incomplete", "cut-short", "registered-stop"]
    closed_reason: str = ""
    attempt: int
    attempts: int
    attempt_of: str | None = None
    labels_dated: str = ""  # first and last label time, or what is odd about them


class CategoryRecord(Record):
    value: str
    positive: bool = False
    definition: str = ""


class StudyRecord(Record):
    study_id: str
    question: str
    unit: str
    use: str
    because: str
    scale: str
    categories: list[CategoryRecord]
    passes: int
    duplicates: str


class Protocol(Record):
    interval_level: str
    resamples: int
    seed: int
    definitions: dict[str, str]  # statistic -> "positive_specific_agreement/1"
    versions: dict[str, str]  # goldgate, numpy, duckdb … of the measuring run
    duplicate_rule: str


class Head(Record):
    size: int
    hash: str


class Report(Record):
    format: int = FORMAT
    version: int  # 1, 2 … within the round; a new one exists exactly when the content differs
    changes: list[str]  # against the version before
    study: StudyRecord
    round: RoundRecord
    registration: RegistrationRecord | None  # None: a pilot needs none
    ledger_head: Head  # that of the round's own measure event
    verdict: VerdictRecord
    slices: list[SliceRecord]
    # Weighted to traffic, where the study registered it: beside the slices, never instead of them.
    traffic: list[EstimateRecord] = []
    traffic_weights: dict[str, str] = {}  # per cell: pool items / paired items, as a fraction
    traffic_warnings: list[str] = []
    submissions: list[SubmissionRecord]
    collection: list[str] = []  # what was vouched for, not checked, refused, handed on or reopened, a line each
    duplicates: dict[str, int] = {}  # rows dropped from counting, per rule
    extra_labels: int = 0
    late_labels: int = 0
    deviations: list[str] = []
    suspicions: list[str] = []  # signs that labels may not be independent: what we saw, not what was proved
    deviation_verdicts: list[DeviationVerdict] = []  # those of them that could have changed the verdict
    redacted: int = 0  # labels removed since on request; no figure holds them
    outside: list[str] = []  # outside checks, a line each: shown, never judged
    protocol: Protocol


def to_json(record: Record) -> bytes:
    """The record's bytes: indented, keys in declared order, UTF-8, one newline at the end."""
    return (json.dumps(record.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n").encode()
