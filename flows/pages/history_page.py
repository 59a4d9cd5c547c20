"""A study's history as one self-contained HTML page."""

from __future__ import annotations

from flows.pages import history_charts, history_view, words
from flows.pages.environment import render
from schemas.history import HistoryRecord


def render_history_html(history: HistoryRecord) -> bytes:
    """The page of one study: what may be used, the last verdict, what is going on; then every round, by version.

    One file without script or request. The same record gives the same bytes.
    """
    rounds = [one for version in history.versions for one in version.rounds]
    return render(
        "history.html.j2",
        history=history,
        eyebrow=_eyebrow(history),
        cards=[
            ("May be used", history.may_be_used),
            ("Last verdict", history.last_verdict),
            ("Now", history.now),
        ],
        figure=history_charts.history_chart(history),
        figure_caption=history_charts.caption(history),
        traffic_sentence=history_view.traffic_sentence(history),
        line=history_view.line,
        mark=history_view.mark,
        verdict_word=history_view.verdict_word,
        rules_text=history_view.rules_text,
        corrected_name=_corrected_name(history),
        has_positive=any(record.union is not None for one in rounds for record in one.slices),
        release_marks={"in force": "pass", "refused": "fail", "superseded": "not_gated", "withdrawn": "not_gated"},
        status_words={key: word.lower() for key, word in words.VERDICT.items()},
    )


def _eyebrow(history: HistoryRecord) -> str:
    n_rounds = sum(len(version.rounds) for version in history.versions)
    return (
        f"{history.study_id} · {words.plural(n_rounds, 'round')} · "
        f"{words.plural(len(history.versions), 'guideline version')} · for: {history.use}"
    )


def _corrected_name(history: HistoryRecord) -> str:
    for version in history.versions:
        for one in version.rounds:
            for record in one.slices:
                if found := history_view.line(record).corrected:
                    return found.name
    return "Chance-corrected agreement"
