"""A report as Markdown: the same record, the same figures and sentences as the page, for reviews and artifacts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flows.pages import figures, numbers, sentences, views, words
from flows.pages.figures import Figure
from flows.pages.paradox import paradox
from flows.pages.text import code, markdown
from flows.pages.views import SliceView
from schemas.report import PairRecord, Report

_MARK = {"pass": "●", "fail": "■", "not_evaluable": "◌", "not_gated": "○"}  # shapes, as on the page


def render_report_markdown(report: Report) -> bytes:
    """The report as GitHub Markdown, in the order of the page. Text from outside is escaped."""
    slices = views.slice_views(report)
    parts = [
        _verdict(report),
        _in_the_way(report),
        _agreement(report, slices),
        *(_slice(report, s) for s in slices),
        _paradox(report, slices),
        _coverage(report, slices),
        _rules(report),
        _submissions(report),
        _protocol(report),
        _limits(),
    ]
    return ("\n\n".join("\n".join(lines) for lines in parts if lines) + "\n").encode("utf-8")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """A table whose cells are already Markdown; the columns in `right` are numbers."""
    rule = ["---:" if k in right else "---" for k in range(len(head))]
    return ["| " + " | ".join(cells) + " |" for cells in [list(head), rule, *rows]]


def bullets(lines: Iterable[str]) -> list[str]:
    return [f"- {markdown(line)}" for line in lines]


def _verdict(report: Report) -> list[str]:
    r, v = report.round, report.verdict
    attempt = f", attempt {r.attempt} of {r.attempts}" if r.kind == "measured" else ""
    grade = f" · {report.registration.grade}" if report.registration else ""
    where = (
        f"{report.study.study_id} · {r.round_id} · guideline {r.guideline_version} · {words.KIND[r.kind]}{attempt}"
        f" · closed {numbers.day(r.closed_at)}{grade} · report {report.version}"
    )
    lesser = words.lesser_grade(report)
    return [
        f"# {_MARK[v.status]} {words.VERDICT[v.status]}{lesser and f', {lesser}'}",
        "",
        markdown(v.sentence),
        "",
        f"**Next step:** {markdown(v.next_step)} {code(v.command)}".rstrip(),
        "",
        markdown(where),
        "",
        f"*{markdown(report.study.question)}*",
    ]


def _in_the_way(report: Report) -> list[str]:
    if report.verdict.status == "not_gated" or not report.verdict.rules:
        return []
    blocking = views.in_the_way(report)
    if not blocking:
        return [f"## {sentences.all_passed(report)}"]
    lines = [f"## {views.stand_in_the_way(report)}"]
    for rule in blocking:
        lines += [
            "",
            f"### {_MARK[rule.verdict]} {markdown(rule.slice)}: {markdown(rule.headline)}",
            "",
            f"Rule {rule.number} {words.RULE_VERDICT[rule.verdict]}. {markdown(rule.reason)} "
            f"Asked: {markdown(words.asked(rule))}. Found: {markdown(views.found(rule))}.",
            "",
            f"What would change it: {markdown(rule.change)}",
        ]
    return lines


def _agreement(report: Report, slices: Sequence[SliceView]) -> list[str]:
    corrected = next((s.corrected.name for s in slices if s.corrected), "Chance-corrected agreement")
    head = ["Slice", "Paired items", "Positive share", "Raw agreement", corrected, "Positive specific agreement"]
    rows = []
    for s in slices:
        share = s.share.sentence if s.share else "from uniform only" if s.record.positives else "no positive category"
        positives = s.record.positives
        rows.append(
            [
                f"{markdown(s.record.name)} ({s.record.speaks_of})",
                numbers.count(s.record.coverage.paired),
                markdown(share),
                *(markdown(f.sentence) if f else "not measured" for f in (s.raw, s.corrected, s.main)),
                f"{numbers.count(positives.joint)} of {numbers.count(positives.union)}" if positives else "",
                f"{_MARK[s.rules_mark]} {s.rules_line}",
            ]
        )
    lines = ["## Agreement by slice", "", markdown(sentences.slices_sentence(report)), ""]
    lines += table([*head, "Joint of union positives", "Rules"], rows, right=(1, 2, 3, 4, 5, 6))
    if report.traffic:
        lines += ["", "### Weighted to traffic", "", markdown(sentences.weights(report)), ""]
        lines += [*_figures(figures.figure(e) for e in report.traffic), "", *bullets(report.traffic_warnings)]
    return lines


def _figures(figures: Iterable[Figure]) -> list[str]:
    rows = [
        [
            markdown(f.name),
            markdown(f.status or f.exact_value),
            f.exact_bounds,
            markdown("; ".join(part for part in (f.method, f.counts, f.fraction and f"exactly {f.fraction}") if part)),
        ]
        for f in figures
    ]
    return table(["Statistic", "Value", "Interval", "Interval by, on which counts"], rows, right=(1, 2))


def _slice(report: Report, s: SliceView) -> list[str]:
    record = s.record
    lines = [
        f"## {markdown(record.name)} ({record.speaks_of})",
        "",
        f"{numbers.count(record.coverage.paired)} paired items out of {numbers.count(record.coverage.items)}. "
        f"Sampling: {markdown(record.sampling)}",
        "",
        f"{_MARK[s.rules_mark]} {s.rules_line}",
        "",
        f"**Can tell:** {markdown(record.can_tell)}",
        "",
        f"**Cannot tell:** {markdown(record.cannot_tell)}",
    ]
    small = list(record.warnings)
    if s.flagged_by:
        small.append("Flagged by " + ", ".join(f"{of}: {numbers.count(n)}" for of, n in s.flagged_by) + ".")
    if record.positives and record.positives.n_eff is not None:
        small.append(f"n_eff {numbers.effective(record.positives.n_eff)}.")
    if record.lowest_pair:
        small.append(f"Lowest pair: {record.lowest_pair}.")
    if record.unused_categories:
        small.append(f"Never used: {', '.join(record.unused_categories)}.")
    if sentences.partner(record.partner):
        small.append(sentences.partner(record.partner))
    small += [f"Somebody who never flags would agree with {who} on {numbers.percent(v)}." for who, v in s.never_flags]
    if small:
        lines += ["", *bullets(small)]
    for pair in record.pairs:
        lines += ["", *_pair(report, pair)]
    lines += ["", *_annotators(report, s)]
    if len(record.pairs) > 1:
        lines += ["", *_pairs(s)]
    return [*lines, "", "As stored and compared:", "", *_figures(s.figures)]


def _pair(report: Report, pair: PairRecord) -> list[str]:
    categories = [c.value for c in report.study.categories]
    first, second = markdown(pair.first), markdown(pair.second)
    rows = [
        [f"{first}: {markdown(value)}", *map(numbers.count, row), numbers.count(sum(row))]
        for value, row in zip(categories, pair.table, strict=True)
    ]
    columns = [sum(row[k] for row in pair.table) for k in range(len(categories))]
    rows.append(["total", *map(numbers.count, columns), numbers.count(pair.paired)])
    head = ["Items", *(f"{second}: {markdown(value)}" for value in categories), "total"]
    return table(head, rows, right=range(1, len(head)))


def _annotators(report: Report, s: SliceView) -> list[str]:
    categories = [c.value for c in report.study.categories]
    rows = [
        [
            markdown(a.annotator_id) + (" (model)" if a.kind == "model" else ""),
            "" if a.flagged is None else numbers.count(a.flagged),
            views.flag_rate(a),
            *(numbers.count(a.labels.get(value, 0)) for value in categories),
            numbers.count(a.revisions),
            numbers.count(a.extra),
        ]
        for a in s.record.annotators
    ]
    head = ["Annotator", "Flagged", "Flag rate", *map(markdown, categories), "Revised", "Extra"]
    return table(head, rows, right=range(1, len(head)))


def _pairs(s: SliceView) -> list[str]:
    statistics = list(s.pair_statistics)
    rows = []
    for pair in s.record.pairs:
        cells = [
            ""
            if f is None
            else markdown(f.status) or f.exact_value + (f" [{f.exact_bounds}]" if f.exact_bounds else "")
            for f in views.pair_figures(pair, statistics)
        ]
        rows.append([markdown(f"{pair.first}, {pair.second}"), numbers.count(pair.paired), *cells])
    head = ["Pair", "Paired", *(markdown(words.statistic(*key)) for key in statistics)]
    return table(head, rows, right=range(1, len(head)))


def _paradox(report: Report, slices: Sequence[SliceView]) -> list[str]:
    panel = paradox(report, slices, drawn=False)
    if panel is None:
        return []
    rows = [[markdown(f.name), markdown(f.sentence), markdown(f.answers)] for f in panel.figures]
    rows += [
        [
            markdown(f"Somebody who never flags, against {who}"),
            numbers.shown(value, places=3),
            "Raw agreement without looking.",
        ]
        for who, value in panel.never_flags
    ]
    head = ["Statistic", "Value", "What it answers"]
    return [f"## {panel.title}", "", markdown(panel.text), "", *table(head, rows, right=(1,))]


def _coverage(report: Report, slices: Sequence[SliceView]) -> list[str]:
    head = ["Slice", "Annotator", "Assigned", "Labelled", "Abstained", *words.MISSING_KIND.values()]
    rows = [
        [
            markdown(s.record.name),
            markdown(who),
            *map(numbers.count, (c.assigned, c.labelled, c.abstained)),
            *(numbers.count(n) for _, n in views.missing_kinds(c.missing_kinds)),
            *map(numbers.count, (c.other_version, c.paired, c.complete)),
        ]
        for s in slices
        for who, c in s.coverage_rows
    ]
    head += ["Other version", "Paired", "Complete"]
    lines = ["## Coverage", "", "Labelled, abstained and missing are three different things.", ""]
    lines += table(head, rows, right=range(2, len(head)))
    reasons = [
        f"{s.record.name}, abstained because {reason}: {numbers.count(n)}"
        for s in slices
        for reason, n in s.record.coverage.abstain_reasons.items()
    ]
    if reasons:
        lines += ["", *bullets(reasons)]
    if what_if := sentences.scenarios(report):
        rows = [[markdown(row.slice), markdown(row.statistic), row.worst, row.best, row.condition] for row in what_if]
        head = ["Slice", "Statistic", "Worst", "Best", "If"]
        lines += ["", "What the missing labels could do:", "", *table(head, rows, right=(2, 3))]
    if other := views.other_rules(report):
        lines += ["", "The figures under other rules of counting:", "", *_other_rules(other)]
    return lines


def _other_rules(other: views.OtherRules) -> list[str]:
    rows = [
        [markdown(row.slice), markdown(row.duplicates), row.abstentions, *map(markdown, row.figures)]
        for row in other.rows
    ]
    head = ["Slice", "Duplicates", "Abstentions", *map(markdown, other.names)]
    return table(head, rows, right=range(3, len(head)))


def _rules(report: Report) -> list[str]:
    gated = report.verdict.status != "not_gated"
    rows = []
    for rule in report.verdict.rules:
        verdict = words.RULE_VERDICT[rule.verdict] + (", exactly" if rule.exactly else "")
        if rule.failed_as:
            verdict += f" ({words.FAILED_AS[rule.failed_as]})"
        rows.append(
            [
                str(rule.number),
                markdown(rule.slice),
                markdown(words.statistic(rule.statistic, rule.category)),
                markdown(words.asked(rule)),
                markdown(views.found(rule)),
                markdown(sentences.counts_of(rule)),
                f"{_MARK[rule.verdict]} {verdict}" if gated else f"{_MARK['not_gated']} not gated",
                markdown(sentences.tipping(rule)),
            ]
        )
    lines = ["## Rules", "", markdown(sentences.rules_sentence(report))]
    if rows:
        head = ["Rule", "Slice", "Statistic", "Asked", "Found", "On", "Verdict", "What would tip it"]
        lines += ["", *table(head, rows, right=(0, 4))]
    return lines


def _submissions(report: Report) -> list[str]:
    lines = ["## Submissions", "", markdown(sentences.submissions_sentence(report))]
    rows = [
        [
            str(s.event),
            markdown(s.file_name),
            code(s.digest[:12]),
            *map(numbers.count, (s.rows, s.new, s.already_there, s.revised)),
            markdown(" ".join(sentences.submission_lines(s))),
        ]
        for s in report.submissions
    ]
    if rows:
        head = ["Event", "File", "Digest", "Rows", "New", "Already there", "Revised", "Notes"]
        lines += ["", *table(head, rows, right=(0, 3, 4, 5, 6))]
    if report.collection:
        lines += ["", "### While labels came in", "", *bullets(report.collection)]
    lines += ["", "### What we saw of independence", "", *(bullets(report.suspicions) or [words.NOTHING_SUSPICIOUS])]
    lines += ["", "### Outside checks", "", *(bullets(report.outside) or ["No check from outside was recorded."])]
    if report.redacted:
        lines += ["", f"{numbers.count(report.redacted)} labels were removed on request; no figure here holds them."]
    lines += ["", "### Deviations", "", *(bullets(report.deviations) or ["None."])]
    changes = bullets(report.changes) or ["None: this is the first report of the round."]
    return [*lines, "", "### Changes since the report before", "", *changes]


def _protocol(report: Report) -> list[str]:
    head = report.ledger_head
    lines = [
        "## Protocol",
        "",
        f"Ledger head to note down: {code(f'{head.hash}@{head.size}')}",
        "",
        *table(
            ["What", "Value", "Note"],
            [[markdown(cell) for cell in row] for row in sentences.protocol(report)],
        ),
        "",
        "Definitions: " + (", ".join(map(code, report.protocol.definitions.values())) or "none"),
    ]
    if report.registration:
        lines += ["", "### Registration history", "", *bullets(report.registration.history)]
    categories = [
        f"{c.value}{' (positive)' if c.positive else ''}{': ' + c.definition if c.definition else ''}"
        for c in report.study.categories
    ]
    return [*lines, "", "### Categories", "", *bullets(categories)]


def _limits() -> list[str]:
    lines = [f"- **{markdown(head)}** {markdown(text)}" for head, text in sentences.LIMITS]
    return ["## What these numbers cannot tell", "", *lines]
