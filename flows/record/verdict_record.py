"""The gate's verdict as the report says it: one word, one sentence, the rules, and the next step."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from agreement.gate import RuleResult, Verdict
from flows.record.plain_words import names
from flows.record.rule_words import change, headline, reason, tipping
from schemas.report import RuleRecord, SliceRecord, VerdictRecord
from schemas.study import Study

# What is measured and shown, but can never pass, answers with this code: not evaluable.
NOT_GATED_EXIT = 5


def verdict_record(study: Study, round_id: str, verdict: Verdict, slices: Sequence[SliceRecord]) -> VerdictRecord:
    """The verdict on a gated round."""
    rules = [rule_record(study, n, result, slices) for n, result in enumerate(verdict.results, start=1)]
    step, command = _next_step(study, round_id, verdict, slices)
    return VerdictRecord(
        status=verdict.status,
        exit_code=verdict.exit_code,
        sentence=f"{_may(study, verdict)} {_seen(verdict, slices)}".strip(),
        next_step=step,
        command=command,
        level=level_text(verdict.alpha),
        rules=rules,
        weakest_first=[rule.number for rule in sorted(rules, key=_weakness) if rule.verdict != "pass"],
    )


def not_gated(study: Study, why: str, alpha: Fraction) -> VerdictRecord:
    """A round that is measured and shown, and never judged."""
    return VerdictRecord(
        status="not_gated",
        exit_code=NOT_GATED_EXIT,
        sentence=f"{why} These labels may not be used to {study.gate.use}.",
        next_step="Use the figures to plan a measured round, and register it before it opens.",
        command=f"goldgate history {study.study}",
        level=level_text(alpha),
        rules=[],
        weakest_first=[],
    )


def rule_record(study: Study, number: int, result: RuleResult, slices: Sequence[SliceRecord]) -> RuleRecord:
    rule = result.rule
    annotators = next((len(s.annotators) for s in slices if s.name == rule.slice), 0)
    return RuleRecord(
        number=number,
        slice=rule.slice,
        statistic=rule.statistic,
        category=rule.category,
        judged_on=rule.judged_on,
        missing=rule.missing,
        comparison="at_least" if rule.at_least is not None else "at_most",
        asked=str(rule.threshold_text),
        found=result.found,
        verdict=result.verdict,
        failed_as=result.failed_as,
        headline=headline(result),
        reason=reason(result, annotators),
        change=change(result, study.seconds_per_label, study.passes),
        tipping=tipping(result),
        further_attempt=_further(study, result),
        counts=dict(result.counts),
        exactly=result.found is not None and Fraction(result.found) == rule.threshold,
    )


def level_text(alpha: Fraction) -> str:
    return f"{float(1 - alpha):.6g}"


def _weakness(rule: RuleRecord) -> tuple[int, int]:
    """Shown to lie below, then failed otherwise, then not evaluable; each as registered."""
    order = {"shown_below": 0, "shown_above": 0, "not_shown": 1, None: 1}[rule.failed_as]
    return (2 if rule.verdict == "not_evaluable" else order), rule.number


def _further(study: Study, result: RuleResult) -> str:
    if result.further is None or study.gate.attempts == 1:
        return ""
    return (
        f"{result.further.sentence} (bounds at level {level_text(1 - _level(study))}, {study.gate.attempts} attempts)"
    )


def _level(study: Study) -> Fraction:
    return 1 - (1 - Fraction(study.interval.level)) / study.gate.attempts


def _may(study: Study, verdict: Verdict) -> str:
    may = "may be used" if verdict.status == "pass" else "may not be used"
    return f"These labels {may} to {study.gate.use}."


def _seen(verdict: Verdict, slices: Sequence[SliceRecord]) -> str:
    """Who flagged how many, in the slice that stands in the way, or on a pass in the first that was judged."""
    by_name = {s.name: s for s in slices}
    judged = [r for r in verdict.results if r.rule.slice in by_name]
    in_the_way = [r for r in judged if r.verdict != "pass"]
    chosen = next((by_name[r.rule.slice] for r in (*in_the_way, *judged)), slices[0] if slices else None)
    if chosen is None or chosen.positives is None:
        return ""
    people = names([a.annotator_id for a in chosen.annotators])
    where = "In traffic" if chosen.speaks_of == "traffic" else f"On the hard cases of {chosen.name}"
    joint, union = chosen.positives.joint, chosen.positives.union
    if not union:
        return f"{where}, {people} flagged nothing."
    items = "item" if union == 1 else "items"
    times = "once" if joint == 1 else f"{joint:,} times"
    shared = "both picked the same one" if len(chosen.annotators) == 2 else "all who labelled an item flagged it"
    return f"{where}, {people} flagged {union:,} {items} between them and {shared} {times}."


def _next_step(study: Study, round_id: str, verdict: Verdict, slices: Sequence[SliceRecord]) -> tuple[str, str]:
    contested = sum(s.positives.contested for s in slices if s.positives is not None)
    if verdict.status == "pass":
        if contested and study.release.contested == "adjudicated":
            return (
                f"Have the {_items(contested)} decided by an adjudicator, then release.",
                f"goldgate export queue {round_id} FILE.csv",
            )
        return "Release the labels.", f"goldgate release {study.study} VERSION"
    failed = [r for r in verdict.results if r.verdict != "pass"]
    if failed and all(r.further is not None and r.further.more_items is not None for r in failed):
        return (
            "More labels can settle this: open a further attempt with enough items.",
            "goldgate open ROUND_FOLDER",
        )
    if not contested:
        return (
            "No item is contested, so no disagreement is to be read: the report says of each rule what it lacked.",
            f"goldgate report {round_id}",
        )
    return (
        f"Read the {_items(contested)}, then revise the guideline. Register its next version before the next round "
        "opens.",
        f"goldgate export disagreements {round_id} FILE.csv",
    )


def _items(contested: int) -> str:
    return f"{contested:,} contested item{'' if contested == 1 else 's'}"
