"""What a report says in HTML and Markdown: the record's words and digits, nothing else."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType

import pytest

from flows.pages.report_markdown import render_report_markdown
from flows.pages.report_page import render_report_html
from schemas.report import EstimateRecord, Report, to_json

ROOT = Path(__file__).parents[3]
NAMES = [
    "blocked",
    "passed",
    "one_rule_at_the_threshold",
    "pilot",
    "retrospective",
    "no_positive_at_all",
    "three_by_three",
    "twelve_slices",
    "hostile",
]
# Words that pass a judgement no rule has passed (mock-ups, "Wording"; design.md rule 7).
FORBIDDEN = r"\b(slight|fair|moderate|substantial|almost perfect|significant|significance|good agreement|prevalence)\b"


APART = ("td", "th", "dt", "dd", "p", "li", "br", "small", "span", "b", "text", "desc")


class Page(HTMLParser):
    """The text a reader sees, the tags, and their attributes."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.text = ""
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.headings: list[str] = []
        self._skip = 0
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._skip += tag in ("style", "title")
        if tag in ("h1", "h2"):
            self.headings.append("")
        self.text += (
            " " if tag in ("td", "th", "dt", "dd", "p", "li", "br", "small", "span", "b", "text", "desc") else ""
        )

    def handle_endtag(self, tag: str) -> None:
        self._skip -= tag in ("style", "title")

    def handle_data(self, data: str) -> None:
        if not self._skip:
            self.text += data
            if self.headings:
                self.headings[-1] += data


def words(source: str) -> str:
    return " ".join(Page(source).text.split())


def estimates(report: Report) -> Iterator[tuple[str, EstimateRecord]]:
    for record in report.slices:
        for e in record.estimates:
            yield record.speaks_of, e
        for pair in record.pairs:
            for e in pair.estimates:
                yield record.speaks_of, e
    for e in report.traffic:
        yield "traffic", e


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("blocked", "Blocked"),
        ("passed", "Passed"),
        ("pilot", "Not gated"),
        ("retrospective", "Not gated"),
        ("no_positive_at_all", "Not evaluable"),
    ],
)
def test_the_first_heading_is_the_verdict(html: dict[str, str], markdown: dict[str, str], name: str, word: str) -> None:
    page = Page(html[name])
    first = next(i for i, (tag, _) in enumerate(page.tags) if tag == "h1")
    assert all(tag not in ("h2", "h3", "table") for tag, _ in page.tags[:first])
    assert page.headings[0].startswith(word)
    assert re.match(rf"# . {word}\n", markdown[name])


def test_verdict_then_sentence_then_next_step_then_reasons_weakest_first(
    samples: ModuleType, html: dict[str, str], markdown: dict[str, str]
) -> None:
    report = samples.blocked()
    for text in (words(html["blocked"]), markdown["blocked"]):
        places = [
            text.index(part)
            for part in (
                report.verdict.sentence,
                report.verdict.next_step,
                report.verdict.command,
                "Four of nine rules stand in the way",
                "Agreement on flags is not shown",  # rule 2
                "Some agreement, not enough",  # rule 8
                "Too few positives to decide on",  # rule 3
                "Nothing to measure",  # rule 9
                "Agreement by slice",
            )
        ]
        assert places == sorted(places)


def test_the_whole_registration_history_stands_at_the_end_of_the_protocol(
    samples: ModuleType, html: dict[str, str], markdown: dict[str, str]
) -> None:
    history = samples.blocked().registration.history
    assert len(history) > 1
    for text in (words(html["blocked"]), markdown["blocked"]):
        places = [text.rindex(part) for part in ("Protocol", "Registration history", *history, "Categories")]
        assert places == sorted(places)


def test_a_grade_that_may_pass_and_is_not_the_best_is_said_on_the_first_line(samples: ModuleType) -> None:
    report = samples.passed()
    lesser = report.registration.model_copy(update={"grade": "registered before results"})
    page = render_report_markdown(report.model_copy(update={"registration": lesser})).decode()
    assert page.splitlines()[0] == "# ● Passed, registered before results"
    assert (
        "· registered before results</p>"
        in render_report_html(report.model_copy(update={"registration": lesser})).decode().split("<h1", 1)[0]
    )


@pytest.mark.parametrize("name", ["passed", "three_by_three", "twelve_slices"])
def test_a_passed_round_names_no_rule_in_the_way(html: dict[str, str], markdown: dict[str, str], name: str) -> None:
    assert "in the way" not in html[name]
    assert "in the way" not in markdown[name]
    assert "What would change it" not in html[name]


@pytest.mark.parametrize("name", ["pilot", "retrospective"])
def test_a_round_that_is_not_gated_has_hollow_marks_only(html: dict[str, str], name: str) -> None:
    used = {attrs["href"] for tag, attrs in Page(html[name]).tags if tag == "use"}
    assert used <= {"#i-not_gated", "#i-retrospective"}
    assert "not gated" in words(html[name])


@pytest.mark.parametrize("name", NAMES)
def test_every_estimate_is_on_both_pages_with_the_digits_of_the_json(
    samples: ModuleType, html: dict[str, str], markdown: dict[str, str], name: str
) -> None:
    report = samples.REPORTS[name]()
    as_json = json.loads(to_json(report))
    page = words(html[name])
    assert as_json["slices"][0]["estimates"][0]["value"] == report.slices[0].estimates[0].value
    for speaks_of, e in estimates(report):
        if speaks_of != "traffic" and e.statistic == "positive_share":
            continue  # never from a stratum: "from uniform only"
        parts = [e.status] if e.value is None else [v.replace("-", "−") for v in (e.value, e.lower, e.upper) if v]
        for part in parts:
            assert part in page, (e.statistic, part)
            assert part in markdown[name], (e.statistic, part)


def test_positive_share_of_hard_cases_is_never_printed(html: dict[str, str], markdown: dict[str, str]) -> None:
    for text in (words(html["passed"]), markdown["passed"]):
        assert "from uniform only" in text
        assert "0.5050" not in text  # (2·90 + 10 + 12) / 400, the share of the stratum
        assert "50.5 %" not in text


@pytest.mark.parametrize("name", NAMES)
def test_undefined_is_words_and_never_a_number(html: dict[str, str], markdown: dict[str, str], name: str) -> None:
    for text in (words(html[name]), markdown[name]):
        assert not re.search(r"\bNaN\b|\bnan\b|\bNone\b(?! ?[.:])|\bn/a\b|\binf\b", text)


def test_a_study_without_any_flag_says_undefined_and_why(html: dict[str, str], markdown: dict[str, str]) -> None:
    for text in (words(html["no_positive_at_all"]), markdown["no_positive_at_all"]):
        assert "undefined: no flags" in text
        assert "undefined: one category only" in text
        assert "Found: undefined" in text


@pytest.mark.parametrize("name", NAMES)
def test_no_word_judges_where_no_rule_does(html: dict[str, str], markdown: dict[str, str], name: str) -> None:
    for text in (words(html[name]), markdown[name]):
        text = text.replace("Prevalence index", "")  # Byrt's index has that name
        assert not re.findall(FORBIDDEN, text, flags=re.IGNORECASE)


def test_shown_digits_never_contradict_a_verdict(html: dict[str, str], markdown: dict[str, str]) -> None:
    """0.6581 against 0.66: "0.66, asked 0.66, failed" would be a lie."""
    for text in (words(html["one_rule_at_the_threshold"]), markdown["one_rule_at_the_threshold"]):
        assert "Asked: value at least 0.66. Found: 0.658." in text


def test_figures_weighted_to_traffic_stand_beside_the_slices_and_name_their_weights(
    html: dict[str, str], markdown: dict[str, str]
) -> None:
    for text in (words(html["passed"]), markdown["passed"]):
        assert "Weighted to traffic" in text
        assert "Weights: flagged 4, rest 51200/1000." in text
        assert "The cell rest holds over half of the variance." in text
        assert "0.5012 to 0.7313" in text
    assert "Weighted to traffic" not in html["blocked"]


def test_what_missing_labels_and_other_rules_of_counting_would_change_is_shown(
    html: dict[str, str], markdown: dict[str, str]
) -> None:
    for text in (words(html["blocked"]), markdown["blocked"]):
        assert "What the missing labels could do" in text
        assert "whatever the missing labels say" in text
        assert "0.10" in text
        assert "refuse (as registered)" in text
        assert "as a category" in text
        assert "Fisher’s exact test, one-sided: p = 0.163." in text


def test_a_rule_met_exactly_says_so(html: dict[str, str], markdown: dict[str, str]) -> None:
    assert "passed, exactly" in words(html["blocked"])
    assert "passed, exactly" in markdown["blocked"]


def test_the_paradox_panel_names_the_assumption_of_ac1(html: dict[str, str], markdown: dict[str, str]) -> None:
    """kappa_1000: 96.0 %, kappa 0.146, AC1 0.958, never-flags 97.8 and 97.4 % (the table's own arithmetic)."""
    for text in (words(html["blocked"]), markdown["blocked"]):
        assert "96.0 % looks fine. Here is why it is not" in text
        for figure in ("0.146", "0.958", "0.953", "0.915", "0.160", "97.8 %", "97.4 %"):
            assert figure in text
        assert "Assumes that agreement on a rare label is hardly ever luck" in text


def test_no_panel_where_the_label_is_not_binary(html: dict[str, str]) -> None:
    assert "looks fine" not in html["three_by_three"]
    assert 'id="paradox"' not in html["three_by_three"]


def test_several_annotators_get_a_table_per_pair_and_the_lowest_pair(
    html: dict[str, str], markdown: dict[str, str]
) -> None:
    for text in (words(html["three_by_three"]), markdown["three_by_three"]):
        assert "Lowest pair: ada and cy." in text
        assert text.count("Krippendorff’s alpha") >= 2
    assert html["three_by_three"].count('class="sq"') == 3


@pytest.mark.parametrize("name", NAMES)
def test_figures_name_their_slice_and_what_it_speaks_of(samples: ModuleType, html: dict[str, str], name: str) -> None:
    for tag, attrs in Page(html[name]).tags:
        if tag == "svg" and attrs.get("role") == "img":
            label, description = str(attrs["aria-labelledby"]).split()
            assert f'id="{label}"' in html[name]
            assert f'id="{description}"' in html[name]
    text = words(html[name])
    for record in samples.REPORTS[name]().slices:
        if name != "hostile":  # its names are not shown as they are
            assert f"{record.name} ({record.speaks_of})" in text


def test_text_from_outside_is_never_markup(html: dict[str, str], markdown: dict[str, str]) -> None:
    tags = Page(html["hostile"]).tags
    assert not [tag for tag, _ in tags if tag in ("script", "img", "iframe", "object")]
    assert not [name for _, attrs in tags for name in attrs if name.startswith("on")]
    assert "<script" not in html["hostile"].lower()
    assert "\u202e" not in html["hostile"] + markdown["hostile"]
    without_code = re.sub(r"`[^`]*`", "", markdown["hostile"].replace("\\`", ""))
    assert "<" not in without_code
    assert not re.search(r"(?<!\\)\]\(", without_code)
    assert "@everyone" not in without_code


def test_every_row_of_a_markdown_table_has_the_cells_of_its_head(markdown: dict[str, str]) -> None:
    for text in markdown.values():
        for block in re.findall(r"(?:^\|.*\n?)+", text, flags=re.MULTILINE):
            widths = {len(re.findall(r"(?<!\\)\|", row)) for row in block.strip().splitlines()}
            assert len(widths) == 1, block[:200]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_asks_for_nothing_and_runs_nothing(html: dict[str, str], name: str) -> None:
    page = Page(html[name])
    policy = [a["content"] for t, a in page.tags if t == "meta" and a.get("http-equiv") == "Content-Security-Policy"]
    assert policy
    assert str(policy[0]).startswith("default-src 'none'; img-src data:; style-src 'unsafe-inline'")
    assert "script" not in {tag for tag, _ in page.tags}
    addresses = [a[k] or "" for _, a in page.tags for k in ("href", "src", "xlink:href") if k in a]
    assert all(address.startswith(("#", "data:,")) for address in addresses)
    assert "url(" not in html[name]
    assert "@import" not in html[name]


@pytest.mark.parametrize("name", NAMES)
def test_ids_are_unique_and_links_inside_the_page_lead_somewhere(html: dict[str, str], name: str) -> None:
    tags = Page(html[name]).tags
    ids = [a["id"] for _, a in tags if "id" in a]
    assert len(ids) == len(set(ids))
    links = [str(a["href"])[1:] for _, a in tags if str(a.get("href", "")).startswith("#")]
    assert set(links) <= set(ids)


def test_pages_of_ordinary_rounds_stay_small(html: dict[str, str]) -> None:
    assert max(len(html[name].encode()) for name in NAMES if name != "twelve_slices") < 100_000


def test_the_head_to_note_down_is_written_as_verify_takes_it(
    samples: ModuleType, html: dict[str, str], markdown: dict[str, str]
) -> None:
    from flows.audit.verify import _parse_head

    for page in (html["passed"], markdown["passed"]):
        (written,) = re.findall(r"[0-9a-f]{64}@[0-9]+", page)
        head = samples.passed().ledger_head
        assert (str(_parse_head(written)), written) == (f"{head.hash}@{head.size}",) * 2


@pytest.mark.parametrize("name", ["blocked", "three_by_three", "hostile"])
def test_the_same_record_gives_the_same_bytes(samples: ModuleType, html: dict[str, str], name: str) -> None:
    report = samples.REPORTS[name]()
    assert render_report_html(report).decode() == html[name]
    assert render_report_markdown(report) == render_report_markdown(report)


def test_bytes_do_not_depend_on_the_hash_seed(samples: ModuleType, histories: ModuleType, tmp_path: Path) -> None:
    report, history = samples.blocked(), histories.history()
    (tmp_path / "report.json").write_bytes(to_json(report))
    (tmp_path / "history.json").write_bytes(to_json(history))
    program = (
        "import hashlib, pathlib, sys\n"
        "from flows.pages.history_page import render_history_html\n"
        "from flows.pages.report_markdown import render_report_markdown\n"
        "from flows.pages.report_page import render_report_html\n"
        "from schemas.history import HistoryRecord\n"
        "from schemas.report import Report\n"
        "here = pathlib.Path(sys.argv[1])\n"
        "r = Report.model_validate_json((here / 'report.json').read_bytes())\n"
        "h = HistoryRecord.model_validate_json((here / 'history.json').read_bytes())\n"
        "made = render_report_html(r) + render_report_markdown(r) + render_history_html(h)\n"
        "print(hashlib.sha256(made).hexdigest())\n"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program, str(tmp_path)],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT), "PATH": "", "LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_altair_is_loaded_only_when_a_page_is_drawn() -> None:
    program = (
        "import sys, flows.pages.report_page, flows.pages.report_markdown, flows.pages.history_page\n"
        "print([m for m in ('altair', 'vl_convert', 'polars', 'prefect', 'duckdb') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
