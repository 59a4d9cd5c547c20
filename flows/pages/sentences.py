"""The sentences that both pages say about a report, made from its counts."""

from __future__ import annotations

from dataclasses import dataclass

from flows.pages import figures, numbers, views, words
from schemas.report import PartnerCheck, RegistrationRecord, Report, RuleRecord, SliceRecord, SubmissionRecord

_SCENARIO = {
    "extremes": "whatever the missing labels say",
    "scenarios": "worst: each says what fewest of the item’s labels say; best: what most say",
}
LIMITS = [
    ("Who is right.", "Labels that differ fit three worlds: somebody misses, somebody reads the definition otherwise, "
     "the boundary is open. Reading the contested items tells these apart; no coefficient does."),
    ("Whether the label means the right thing.", "Two people with the same wrong reading agree perfectly."),
    ("How they agree elsewhere.", "Hard cases say nothing about traffic, traffic says little about hard cases, and "
     "positive specific agreement is not comparable across sets of different positive share."),
    ("That nobody looked.", "Order is kept from event to event; what happened outside the tool is not seen."),
]  # fmt: skip


def slices_sentence(report: Report) -> str:
    traffic = [s.name for s in report.slices if s.speaks_of == "traffic"]
    hard = [s.name for s in report.slices if s.speaks_of != "traffic"]
    parts = [f"{' and '.join(traffic)} speaks of traffic"] if traffic else ["No slice here speaks of traffic"]
    if hard:
        verb = "speaks" if len(hard) == 1 else "speak"
        parts.append(f"{_listed(hard)} {verb} of hard cases")
    return "; ".join(parts) + ("." if len(report.slices) == 1 else ". No figure mixes them.")


def positive_sentence(report: Report) -> str:
    positive = [c.value for c in report.study.categories if c.positive]
    if not positive:
        return "No category is declared positive, so nothing here speaks of flags."
    names = " or ".join(f"“{value}”" for value in positive)
    return (
        f"To flag is to say {names}. Joint positives were flagged by all who labelled the item, "
        "union positives by at least one."
    )


def rules_sentence(report: Report) -> str:
    if report.verdict.status == "not_gated":
        return f"A {words.KIND[report.round.kind]} is never gated. Exit code {report.verdict.exit_code}."
    if not report.verdict.rules:
        return f"No rule was evaluated, and nothing evaluated is not a pass. Exit code {report.verdict.exit_code}."
    counts = {v: sum(r.verdict == v for r in report.verdict.rules) for v in words.RULE_VERDICT}
    parts = [f"{words.number_word(n)} {words.RULE_VERDICT[v]}" for v, n in counts.items() if n]
    total = words.plural(len(report.verdict.rules), "rule")
    line = ", ".join(parts)
    return f"{line[0].upper()}{line[1:]}. A release needs all {total} passed. Exit code {report.verdict.exit_code}."


def all_passed(report: Report) -> str:
    n = len(report.verdict.rules)
    return "The one rule passed" if n == 1 else f"All {words.number_word(n)} rules passed"


@dataclass(frozen=True)
class ScenarioRow:
    """What missing labels could do to one statistic of one slice, in words and digits."""

    slice: str
    speaks_of: str
    statistic: str
    worst: str
    best: str
    condition: str


def scenarios(report: Report) -> list[ScenarioRow]:
    return [
        ScenarioRow(
            slice=record.name,
            speaks_of=record.speaks_of,
            statistic=words.statistic(s.statistic, s.category),
            worst="undefined" if s.worst is None else numbers.shown(s.worst),
            best="undefined" if s.best is None else numbers.shown(s.best),
            condition=_SCENARIO[s.kind],
        )
        for record in report.slices
        for s in record.scenarios
    ]


def weights(report: Report) -> str:
    """How each cell was weighted, for the figures weighted to traffic."""
    each = ", ".join(f"{cell} {weight}" for cell, weight in report.traffic_weights.items())
    return (
        "Every item weighted by how many items of the pool it stands for, as registered; beside the figures of the "
        f"slices, never instead of them.{f' Weights: {each}.' if each else ''}"
    )


def partner(check: PartnerCheck | None) -> str:
    """Are labels whose partner is missing positive more often? One sentence; "" where nothing is known."""
    if check is None or not check.alone_labels:
        return ""
    p = (
        ""
        if check.p_value is None
        else f" Fisher’s exact test, one-sided: p = {numbers.shown(check.p_value, places=3)}."
    )
    return (
        f"Labels whose partner is missing or abstained: {numbers.count(check.alone_positive)} of "
        f"{numbers.count(check.alone_labels)} positive; paired labels: {numbers.count(check.paired_positive)} of "
        f"{numbers.count(check.paired_labels)}.{p}"
    )


def tipping(rule: RuleRecord) -> str:
    """At what the verdict would tip, and what a further attempt would need."""
    further = f"A further attempt: {rule.further_attempt}" if rule.further_attempt else ""
    return " ".join(part for part in (rule.tipping, further) if part)


def counts_of(rule: RuleRecord) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {numbers.count(n)}" for name, n in rule.counts.items())


def submission_lines(s: SubmissionRecord) -> list[str]:
    lines = list(s.notes)
    if s.revision_reason:
        lines.append(f"Revised because: {s.revision_reason}")
    lines += [f"Set aside, {kind}: {numbers.count(n)}" for kind, n in s.set_aside.items()]
    if s.late:
        lines.append("Late: kept, never in a gated figure.")
    return lines + [f"Cannot express: {line}" for line in s.loss]


def submissions_sentence(report: Report) -> str:
    parts = [words.plural(len(report.submissions), "file") + " came in."]
    if report.extra_labels:
        parts.append(f"{words.plural(report.extra_labels, 'extra label')}: kept, not in agreement.")
    if report.late_labels:
        parts.append(f"{words.plural(report.late_labels, 'late label')}: kept, never in a gated figure.")
    for rule, n in report.duplicates.items():
        parts.append(f"{words.plural(n, 'row')} dropped from counting as duplicates ({rule}).")
    return " ".join(parts)


def figure_caption(report: Report) -> str:
    level = numbers.level_percent(report.verdict.level)
    parts = [f"Line: {level} interval. Mark: the value."]
    if report.verdict.status == "not_gated":
        parts.append("Hollow marks: not gated.")
    else:
        parts.append(
            "Filled circle: the agreement rules of the slice passed; filled square: one failed; dashed: not evaluable; "
            "hollow: no rule."
        )
    if any(figures.zone(report, record) != (None, None) for record in report.slices):
        at = f" on {numbers.day(report.registration.at)}" if report.registration else ""
        event = f" (ledger event {report.registration.event})" if report.registration else ""
        parts.append(f"Lines and tints: thresholds as registered{at}{event}.")
    return " ".join(parts)


def protocol(report: Report) -> list[tuple[str, str, str]]:
    """Name, value and small print of each line of the protocol."""
    r, g, p, v = report.round, report.registration, report.protocol, report.verdict
    annotators = {a.annotator_id: a.kind for s in report.slices for a in s.annotators}
    return [
        _registration(g),
        ("Guideline", f"{r.guideline_version}, {r.guideline_digest[:12]}", f"digest {r.guideline_digest}"),
        ("Labels feed", report.study.use, f"because {report.study.because}" if report.study.because else ""),
        ("Attempt", f"{r.attempt} of {r.attempts}", f"replaces {r.attempt_of}" if r.attempt_of else ""),
        ("Opened", r.opened_at, r.labels_dated),
        ("Closed", r.closed_at, words.CLOSED_HOW[r.closed_how] + (f": {r.closed_reason}" if r.closed_reason else "")),
        ("Annotators", ", ".join(f"{a} ({kind})" for a, kind in annotators.items()) or "none",
         f"{words.plural(report.study.passes, 'independent label')} per item"),
        ("Unit and scale", f"{report.study.unit}; {report.study.scale}", ""),
        ("Intervals", numbers.level_percent(p.interval_level), _level_note(v.level, p.interval_level)),
        ("Resamples and seed", f"{numbers.count(p.resamples)}, seed {p.seed}", "the seed is part of the registration"),
        ("Duplicates", p.duplicate_rule, ""),
        ("Made with", ", ".join(f"{name} {version}" for name, version in p.versions.items()) or "not recorded", ""),
        ("This report", f"report {report.version} of {r.round_id}", "same state, same bytes"),
    ]  # fmt: skip


def _registration(registration: RegistrationRecord | None) -> tuple[str, str, str]:
    if registration is None:
        return "Registration", "none", "a pilot needs none"
    g = registration
    return "Registration", f"{g.digest[:12]}, {g.grade}", f"event {g.event}, {g.at}; digest {g.digest}"


def _level_note(level: str, registered: str) -> str:
    if level == registered:
        return "every bound at this level"
    return f"bounds of the gate at {numbers.level_percent(level)}, because of the registered attempts"


def row_note(record: SliceRecord) -> str:
    """What stands under a slice's name in the picture: counts before coefficients."""
    if record.positives is None:
        return words.plural(record.coverage.paired, "paired item")
    return views.counts_line(record.positives.joint, record.positives.union)


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
