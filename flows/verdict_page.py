"""The verdict as a short Markdown page: what Prefect shows beside a run. Computes nothing."""

from __future__ import annotations

from flows.pages.text import markdown
from schemas.report import Report, RuleRecord

_SAYS = {"pass": "passed", "fail": "failed", "not_evaluable": "not evaluable", "not_gated": "not gated"}


def verdict_page(report: Report) -> str:
    """Heading, sentence, one row per rule, and what to do next."""
    verdict = report.verdict
    where = f"reports/{report.study.study_id}/{report.round.round_id}/v{report.version}/report.html"
    lines = [
        f"# {markdown(report.study.study_id)}, {markdown(report.round.round_id)}: {_SAYS[verdict.status]}",
        "",
        markdown(verdict.sentence),
        "",
        "| | slice | statistic | asked | found | verdict |",
        "|---|---|---|---|---|---|",
        *(_row(rule) for rule in verdict.rules),
        "",
        *([markdown(verdict.next_step), ""] if verdict.next_step else []),
        f"The whole report is `{where}` in the project folder. Guideline {markdown(report.round.guideline_version)}, "
        f"ledger head `{report.ledger_head.hash}@{report.ledger_head.size}`.",
    ]
    return "\n".join(lines) + "\n"


def _row(rule: RuleRecord) -> str:
    statistic = " ".join(word for word in (rule.statistic.replace("_", " "), rule.category) if word)
    judged = "" if rule.judged_on == "value" else f", {rule.judged_on} bound"
    asked = f"{'≥' if rule.comparison == 'at_least' else '≤'} {rule.asked}{judged}"
    found = rule.found if rule.found is not None else "undefined"
    cells = (str(rule.number), rule.slice, statistic, asked, found, _SAYS[rule.verdict])
    return "| " + " | ".join(markdown(cell) for cell in cells) + " |"
