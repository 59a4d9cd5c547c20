"""A report as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from flows.pages import figures, sentences, views, words
from flows.pages.charts import Point, Row, interval_chart
from flows.pages.environment import render
from flows.pages.paradox import paradox
from flows.pages.views import SliceView
from schemas.report import EstimateRecord, Report


def render_report_html(report: Report) -> bytes:
    """The report's page: verdict, reasons and next step first, then slices, coverage, rules and protocol.

    One file without script or request. The same report gives the same bytes.
    """
    slices = views.slice_views(report)
    return render(
        "report.html.j2",
        report=report,
        slices=slices,
        word=words.VERDICT[report.verdict.status],
        mark=_mark(report),
        gated=report.verdict.status != "not_gated",
        in_the_way=views.in_the_way(report),
        stand_in_the_way=views.stand_in_the_way(report),
        all_passed=sentences.all_passed(report),
        anchors={s.record.name: s.anchor for s in slices},
        speaks={s.record.name: s.record.speaks_of for s in slices},
        has_positive=any(c.positive for c in report.study.categories),
        categories=[c.value for c in report.study.categories],
        positive=[c.positive for c in report.study.categories],
        order=_positive_first(report),
        corrected_name=corrected_name(slices),
        figure=_figure(report, slices),
        figure_caption=sentences.figure_caption(report),
        traffic=[figures.figure(e) for e in report.traffic],
        paradox=paradox(report, slices),
        slices_sentence=sentences.slices_sentence(report),
        positive_sentence=sentences.positive_sentence(report),
        rules_sentence=sentences.rules_sentence(report),
        submissions_sentence=sentences.submissions_sentence(report),
        submission_lines=sentences.submission_lines,
        partner=sentences.partner,
        tipping=sentences.tipping,
        counts_of=sentences.counts_of,
        found=views.found,
        flag_rate=views.flag_rate,
        pair_figures=views.pair_figures,
        kinds_of=views.missing_kinds,
        missing_kinds=list(words.MISSING_KIND.values()),
        abstain_reasons=views.abstain_reasons(report),
        scenarios=sentences.scenarios(report),
        other_rules=views.other_rules(report),
        weights=sentences.weights(report),
        protocol=sentences.protocol(report),
        glossary=views.glossary(report),
        limits=sentences.LIMITS,
    )


def corrected_name(slices: Sequence[SliceView]) -> str:
    return next((s.corrected.name for s in slices if s.corrected), "Chance-corrected agreement")


def _mark(report: Report) -> str:
    return "retrospective" if report.round.kind == "retrospective" else report.verdict.status


def _positive_first(report: Report) -> list[int]:
    """The order in which a pair table shows the categories: positive ones first, else as declared."""
    categories = report.study.categories
    return sorted(range(len(categories)), key=lambda k: not categories[k].positive)


def _figure(report: Report, slices: Sequence[SliceView]) -> Markup | None:
    rows = [row for s in slices if (row := _row(report, s)) is not None]
    if not rows:
        return None
    charted = next(e for s in slices if (e := figures.charted(s.record)) is not None)
    name = words.statistic(charted.statistic, charted.category)
    other = corrected_name(slices) if any(row.other for row in rows) else None
    return interval_chart(
        rows,
        key="figure-1",
        title=f"{name} per slice, {report.round.round_id}",
        main_name=name,
        other_name=other,
    )


def _row(report: Report, s: SliceView) -> Row | None:
    main = s.main_estimate or s.corrected_estimate
    if main is None:
        return None
    below, above = figures.zone(report, s.record)
    other = s.corrected_estimate if s.main_estimate is not None else None
    return Row(
        label=s.record.name,
        grey=s.record.speaks_of,
        note=sentences.row_note(s.record),
        main=point(main, s.main or s.corrected),
        other=point(other, s.corrected) if other else None,
        mark=s.mark,
        below=None if below is None else float(below),
        above=None if above is None else float(above),
        hollow="diamond" if report.round.kind == "retrospective" else "circle",
    )


def point(estimate: EstimateRecord, figure: figures.Figure | None = None) -> Point:
    """An estimate as a point of a picture."""
    shown = figure or figures.figure(estimate)
    return Point(
        value=None if estimate.value is None else float(estimate.value),
        lower=None if estimate.lower is None else float(estimate.lower),
        upper=None if estimate.upper is None else float(estimate.upper),
        text=shown.status or shown.value,
        bounds=shown.bounds,
    )
