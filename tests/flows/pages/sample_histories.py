"""Invented histories for the page tests; made of sample_parts.py."""

from __future__ import annotations

from typing import Any

from page_sample_parts import HASH, HOSTILE, HOSTILE_MARKDOWN, binary_estimates

from schemas.history import (
    Card,
    DeviationRecord,
    EventLine,
    HistoryRecord,
    NearMissRecord,
    ReleaseLine,
    RoundLine,
    SliceLine,
    ThresholdRecord,
    VersionRecord,
)
from schemas.report import Head


def slice_line(name: str, cells: tuple[int, int, int, int], rules: str, *, traffic: bool = False) -> SliceLine:
    a, b, c, d = cells
    return SliceLine(
        slice=name,
        speaks_of="traffic" if traffic else "hard cases",
        rate="drawn at random" if traffic else "1 in 4 of those an automatic check had flagged",
        paired=a + b + c + d,
        coverage="0.9765",
        joint=a,
        union=a + b + c,
        estimates=binary_estimates(*cells)[:6],
        rules=rules,  # type: ignore[arg-type]  # one of the four words of a status
    )


def round_line(number: int, version: str, verdict: str | None, uniform: tuple[int, int, int, int],
               flagged: tuple[int, int, int, int], **changes: Any) -> RoundLine:  # fmt: skip
    status = verdict or "not_gated"
    values: dict[str, Any] = {
        "round_id": f"round-{number:02d}",
        "kind": "measured",
        "state": "measured",
        "grade": "preregistered",
        "guideline_version": version,
        "opened_at": f"2026-{1 + number // 28:02d}-{1 + number % 28:02d}T08:00:00Z",
        "closed_at": f"2026-{2 + number // 28:02d}-{1 + number % 28:02d}T15:00:00Z",
        "attempt": 1,
        "attempts": 2,
        "verdict": verdict,
        "rules": 4,
        "failed": 2 if verdict == "fail" else 0,
        "not_evaluable": 0,
        "sentence": "",
        "report_version": 1,
        "slices": [slice_line("uniform", uniform, status, traffic=True), slice_line("flagged", flagged, "pass")],
    }
    return RoundLine(**{**values, **changes})


def version(name: str, rounds: list[RoundLine], **changes: Any) -> VersionRecord:
    psa = "positive_specific_agreement"
    values: dict[str, Any] = {
        "guideline_version": name,
        "guideline_digest": "1f" * 32,
        "published": "event 31, 2026-03-18",
        "what_changed": "Defines “claim”; eight counter-examples.",
        "registration": "235e2a91c2c8, preregistered, event 41",
        "thresholds": [
            ThresholdRecord(slice=s, statistic=psa, judged_on=on, comparison="at_least", asked=asked)
            for s in ("uniform", "flagged")
            for on, asked in (("lower", "0.40"), ("value", "0.65"))
        ],
        "rounds": rounds,
        "passed": sum(r.verdict == "pass" for r in rounds),
        "judged": sum(r.verdict in ("pass", "fail", "not_evaluable") for r in rounds),
        "attempts_used": 1,
        "attempts": 2,
        "cumulative": [slice_line("uniform", (40, 40, 44, 1900), "not_gated", traffic=True)],
    }
    return VersionRecord(**{**values, **changes})


def history() -> HistoryRecord:
    """Three guideline versions: retrospective and blocked, pilot and blocked, passed and an open round."""
    first = version("1.0", [
        round_line(1, "1.0", "not_gated", (6, 21, 14, 459), (20, 10, 12, 60), kind="retrospective",
                   grade="retrospective"),
        round_line(2, "1.0", "fail", (5, 24, 26, 945), (24, 25, 28, 43)),
    ], what_changed="First version.")  # fmt: skip
    second = version("2.0", [
        round_line(3, "2.0", "not_gated", (1, 3, 4, 192), (19, 9, 10, 22), kind="pilot", grade="pilot"),
        round_line(4, "2.0", "fail", (4, 18, 22, 956), (41, 19, 16, 44)),
    ], differences=["uniform: positive specific agreement 0.00 more [−0.19 to 0.19]; different answers were labelled."],
       not_measurable="not measurable as written: both attempts are used")  # fmt: skip
    third = version("3.0", [
        round_line(5, "3.0", "pass", (30, 9, 10, 951), (60, 9, 11, 40), releases=["release 1"]),
        round_line(6, "3.0", None, (0, 0, 0, 1), (0, 0, 0, 1), state="open", closed_at="", slices=[],
                   report_version=None, sentence="1 of 2 files in."),
    ])  # fmt: skip
    return HistoryRecord(
        study_id="unsupported-claim",
        question="Does this answer contain a claim that its sources do not support?",
        use="validate an automated judge",
        may_be_used=Card(word="Release 1", status="pass", text="1,871 labels, since 27 May 2026."),
        last_verdict=Card(word="Passed", status="pass", text="round-05: all four rules passed."),
        now=Card(word="Collecting", status="open", text="round-06 is sealed, 1 of 2 files in.",
                 command="goldgate ingest round-06 bo.csv"),
        versions=[first, second, third],
        near_misses=[NearMissRecord(round_id="round-04", slice="flagged",
                                    text="76 union positives, asked 100: 24 short.")],
        deviations=[DeviationRecord(round_id="round-04", event=60, text="Rule 8 was raised from 0.65 to 0.70.",
                                    as_registered="pass", as_amended="fail", counts="fail")],
        releases=[
            ReleaseLine(release="release 2", state="refused", digest="", at="2026-06-26T10:00:00Z", event=243,
                        rounds=["round-04"], labels=None, against_before="nothing was written"),
            ReleaseLine(release="release 1", state="in force", digest="24" * 32, at="2026-05-27T10:00:00Z", event=173,
                        rounds=["round-05"], labels=1871, unanimous=1780, adjudicated=91, left_out=9,
                        against_before="first"),
        ],
        ledger_head=Head(size=255, hash=HASH),
        events=[
            EventLine(seq=249, at="2026-06-29T10:00:00Z", type="round.opened", text="round-06 opened"),
            EventLine(seq=173, at="2026-05-27T10:00:00Z", type="release.promoted", text="release 1", head=HASH),
        ],
    )  # fmt: skip


def first_round_ever() -> HistoryRecord:
    nothing = Card(word="Nothing yet", status="none", text="No release was asked for.")
    opened = round_line(1, "1.0", None, (0, 0, 0, 1), (0, 0, 0, 1), state="open", closed_at="", slices=[],
                        report_version=None)  # fmt: skip
    return HistoryRecord(
        study_id="new", question="Is it?", use="train a filter", may_be_used=nothing, last_verdict=nothing,
        now=Card(word="Collecting", status="open", text="round-01 is open."),
        versions=[version("1.0", [opened], cumulative=[])], ledger_head=Head(size=5, hash=HASH),
    )  # fmt: skip


def long_history() -> HistoryRecord:
    """200 rounds: the picture shows the last 12, the table all."""
    rounds = [round_line(k, "1.0", "pass", (30, 9, 10, 951), (60, 9, 11, 40)) for k in range(1, 201)]
    return history().model_copy(update={"versions": [version("1.0", rounds)]})


def hostile_history() -> HistoryRecord:
    bad = round_line(1, HOSTILE, "fail", (4, 18, 22, 956), (41, 19, 16, 44), round_id=HOSTILE)
    made = history()
    return made.model_copy(
        update={
            "study_id": HOSTILE,
            "question": HOSTILE_MARKDOWN,
            "versions": [version(HOSTILE, [bad], what_changed=HOSTILE)],
            "now": Card(word=HOSTILE, status="open", text=HOSTILE, command=HOSTILE),
        }
    )


HISTORIES = {one.__name__: one for one in (history, first_round_ever, long_history, hostile_history)}
