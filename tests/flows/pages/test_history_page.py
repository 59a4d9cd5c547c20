"""What a study's history says: three answers at the top, then every round under its guideline version."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from types import ModuleType

import pytest

from flows.pages.history_page import render_history_html
from schemas.history import HistoryRecord
from schemas.report import to_json

NAMES = ["history", "first_round_ever", "long_history", "hostile_history"]


def text_of(source: str) -> str:
    body = re.sub(r"<style>.*?</style>", "", source, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", body).replace("&#39;", "'").split())


def test_what_may_be_used_the_last_verdict_and_now_come_first(history_html: dict[str, str]) -> None:
    text = text_of(history_html["history"])
    parts = ["May be used", "Release 1", "Last verdict", "Passed", "Now", "Collecting"]
    parts += ["goldgate ingest round-06 bo.csv", "All rounds"]
    places = []
    for part in parts:
        places.append(text.index(part, places[-1] if places else 0))
    assert places == sorted(places)


def test_the_head_to_note_down_is_written_as_verify_takes_it(
    histories: ModuleType, history_html: dict[str, str]
) -> None:
    head = histories.history().ledger_head
    assert f">{head.hash}@{head.size}<" in history_html["history"]


def test_every_round_has_kind_grade_version_verdict_and_attempt(
    histories: ModuleType, history_html: dict[str, str]
) -> None:
    text = text_of(history_html["history"])
    for version in histories.history().versions:
        assert f"Guideline {version.guideline_version}" in text
        assert f"{version.passed} of {version.judged} judged rounds passed" in text
        for one in version.rounds:
            assert one.round_id in text
            assert one.grade in text
    assert "attempt 1 of 2" in text
    assert "1 of 2 files in." in text  # an open round shows nothing that compares annotators


def test_figures_have_intervals_counts_and_the_cumulative_line(history_html: dict[str, str]) -> None:
    """kappa_1000 under guideline 2.0: 4 of 44, positive specific agreement 1/6, kappa 857/5857."""
    text = text_of(history_html["history"])
    assert "4 of 44" in text
    assert "0.17 0.05 to 0.36" in text
    assert "All rounds of guideline 2.0" in text
    assert "40 of 124" in text


def test_near_misses_deviations_releases_and_heads_are_there(
    histories: ModuleType, history_html: dict[str, str]
) -> None:
    text = text_of(history_html["history"])
    for part in (
        "76 union positives, asked 100: 24 short.",
        "Rule 8 was raised from 0.65 to 0.70.",
        "nothing was written",
        "in force",
        "not measurable as written: both attempts are used",
        "3290562dfaad",
    ):
        assert part in text


def test_a_first_round_has_no_figure_and_says_so(history_html: dict[str, str]) -> None:
    text = text_of(history_html["first_round_ever"])
    assert "No round has been measured yet." in text
    assert "Nothing yet" in text
    assert 'class="c wide"' not in history_html["first_round_ever"]


def test_a_long_history_draws_the_last_twelve_and_lists_all(history_html: dict[str, str]) -> None:
    source = history_html["long_history"]
    assert "The last 12 of 200 rounds; the table has all." in text_of(source)
    wide = re.search(r'<svg class="c wide".*?</svg>', source, flags=re.DOTALL)
    assert wide
    assert ">round-188<" not in wide[0]
    assert "round-189" in wide[0]
    assert all(f"round-{k:02d}" in source for k in range(1, 201))


@pytest.mark.parametrize("name", NAMES)
def test_no_forbidden_word_no_nan_and_no_markup_from_outside(history_html: dict[str, str], name: str) -> None:
    text = text_of(history_html[name])
    assert not re.findall(
        r"\b(nan|none|slight|fair|substantial|significant|good agreement)\b(?!\.)", text, re.IGNORECASE
    )
    assert "<script" not in history_html[name].lower()


class Ids(HTMLParser):
    def __init__(self, source: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if found.get("id"):
            self.ids.append(str(found["id"]))
        if tag in ("a", "use"):
            self.links.append(str(found["href"]).removeprefix("#"))


@pytest.mark.parametrize("name", NAMES)
def test_ids_are_unique_and_links_lead_somewhere(history_html: dict[str, str], name: str) -> None:
    page = Ids(history_html[name])
    assert len(page.ids) == len(set(page.ids))
    assert set(page.links) <= set(page.ids)


def test_the_same_record_gives_the_same_bytes_also_through_json(
    histories: ModuleType, history_html: dict[str, str]
) -> None:
    again = HistoryRecord.model_validate_json(to_json(histories.history()))
    assert render_history_html(again).decode() == history_html["history"]
