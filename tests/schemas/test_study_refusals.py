"""A study file that cannot be used is refused with code, line and key path of everything wrong with it.

Each case is the good file below with one edit. The kinds of fault are those a careful reader of YAML and of
preregistrations would plant: what another YAML reader sees differently, what leaves a threshold undefined, what
cannot be measured.
"""

from __future__ import annotations

import pytest

from agreement.errors import ConfigError
from schemas.study import parse_study

GOOD = """\
study: rude
question: Is this answer rude?
unit: one answer
guideline: {version: "1.0", file: guideline.md}
scale: nominal
categories:
  - {value: polite, definition: Not rude.}
  - {value: rude, positive: true, definition: An insult.}
abstention_reasons: [unreadable]
roster:
  annotators: [{id: ada}, {id: bo}, {id: cy, reserve: true}]
  adjudicators: [{id: dee}]
passes: 2
slices:
  uniform: {rate: "0.10"}
  strata: [{name: flagged, rate: "0.50", where: {column: auto, in: ["1"]}}]
interval: {seed: 7}
gate:
  use: train a filter
  because: a filter below this is useless
  rules:
    - {slice: flagged, statistic: union_positives, at_least: "100"}
    - {slice: flagged, statistic: positive_specific_agreement, at_least: "0.65"}
    - {slice: flagged, statistic: krippendorff_alpha, judged_on: lower, at_least: "0"}
"""

# edit: (what stands in the good file, what stands there instead)
CASES = [
    # --- what two YAML readers would read differently
    ("duplicate key", ("passes: 2\n", "passes: 2\npasses: 3\n"), [("duplicate-key", 14, "passes")]),
    (
        "duplicate key deep inside",
        ('at_least: "100"}', 'at_least: "100", at_least: "1"}'),
        [("duplicate-key", 22, "gate.rules[0].at_least")],
    ),
    ("quoted duplicate key", ("passes: 2\n", 'passes: 2\n"passes": 2\n'), [("duplicate-key", 14, "passes")]),
    (
        "anchor and alias",
        ("[{id: ada}, {id: bo}", "[&a {id: ada}, *a"),
        [("alias", 11, "roster.annotators[1]"), ("anchor", 11, "roster.annotators[0]")],
    ),
    ("merge key", ("interval: {seed", "interval: {<<: {level: x}, seed"), [("merge-key", 17, "interval.<<")]),
    ("tag", ("seed: 7", "seed: !!int 7"), [("tag", 17, "interval.seed")]),
    ("own tag", ("unit: one", "unit: !python/object:os.system one"), [("tag", 3, "unit")]),
    ("two documents", ("gate:\n", "---\ngate:\n"), [("missing-key", 1, "gate"), ("two-documents", 18, None)]),
    ("a list as key", ("passes: 2", "passes: 2\n? [a, b]\n: 1"), [("key-not-text", 14, "?")]),
    ("tab", ("  use: train", "\tuse: train"), [("tab", 19, None)]),
    ("not YAML", ("unit: one answer", "unit: one: answer"), [("yaml-syntax", 3, None)]),
    ("bare carriage return", ("unit: one", "unit: x # \rpasses: one"), [("odd-line-end", 3, None)]),
    ("line separator", ("unit: one", "unit: x # \u2028passes: one"), [("odd-line-end", 3, None)]),
    ("control character", ("unit: one", "unit: o\x07ne"), [("odd-character", 3, None)]),
    ("text that runs backwards", ("unit: one", "unit: \u202eone"), [("odd-character", 3, None)]),
    # --- numbers
    ("threshold .nan", ('at_least: "0.65"', "at_least: .nan"), [("not-finite", 23, "gate.rules[1].at_least")]),
    ("seed .inf", ("seed: 7", "seed: -.INF"), [("not-finite", 17, "interval.seed")]),
    ("unquoted version", ('version: "1.0"', "version: 1.10"), [("unquoted", 4, "guideline.version")]),
    ("unquoted threshold", ('"0.65"', "0.65"), [("unquoted", 23, "gate.rules[1].at_least")]),
    ("unquoted rate", ('rate: "0.10"', "rate: 0.10"), [("unquoted", 15, "slices.uniform.rate")]),
    ("threshold of 1.5", ('"0.65"', '"1.5"'), [("rule-threshold", 23, "gate.rules[1].at_least")]),
    ("threshold in per cent", ('"0.65"', '"70%"'), [("rule-threshold", 23, "gate.rules[1].at_least")]),
    ("threshold with a comma", ('"0.65"', '"0,7"'), [("rule-threshold", 23, "gate.rules[1].at_least")]),
    ("negative threshold", ('"0.65"', '"-0.65"'), [("rule-threshold", 23, "gate.rules[1].at_least")]),
    ("threshold of five places", ('"0.65"', '"0.65001"'), [("rule-threshold", 23, "gate.rules[1].at_least")]),
    ("full-width digits", ('"0.65"', '"０.65"'), [("rule-threshold", 23, "gate.rules[1].at_least")]),
    ("threshold in words", ('"0.65"', '"high"'), [("rule-threshold", 23, "gate.rules[1].at_least")]),
    ("no threshold", (', at_least: "0.65"', ""), [("rule-threshold", 23, "gate.rules[1]")]),
    (
        "two thresholds",
        ('at_least: "0.65"', 'at_least: "0.65", at_most: "1"'),
        [("rule-threshold", 23, "gate.rules[1]")],
    ),
    ("rate of 0", ('rate: "0.10"', 'rate: "0"'), [("bad-share", 15, "slices.uniform.rate")]),
    ("rate above 1", ('rate: "0.10"', 'rate: "1.01"'), [("bad-share", 15, "slices.uniform.rate")]),
    ("level of 1", ("{seed: 7}", '{seed: 7, level: "1"}'), [("bad-level", 17, "interval.level")]),
    ("passes in words", ("passes: 2", "passes: two"), [("not-an-integer", 13, "passes")]),
    ("passes as a float", ("passes: 2", "passes: 2.0"), [("not-an-integer", 13, "passes")]),
    ("underscored number", ("seed: 7", "seed: 1_000"), [("not-an-integer", 17, "interval.seed")]),
    ("too few resamples", ("{seed: 7}", "{seed: 7, resamples: 10}"), [("out-of-range", 17, "interval.resamples")]),
    ("yes for true", ("positive: true", "positive: yes"), [("not-true-or-false", 8, "categories[1].positive")]),
    ("quoted true", ("positive: true", 'positive: "true"'), [("not-true-or-false", 8, "categories[1].positive")]),
    # --- keys and shapes
    ("unknown key", ("passes: 2", "passes: 2\ncolour: red"), [("unknown-key", 14, "colour")]),
    (
        "misspelt threshold",
        (
            '{slice: flagged, statistic: union_positives, at_least: "100"}',
            '{slice: flagged, statistic: x, atleast: "1"}',
        ),
        [("unknown-key", 22, "gate.rules[0].atleast")],
    ),
    ("missing key", ("unit: one answer\n", ""), [("missing-key", 1, "unit")]),
    ("nothing after the colon", ("unit: one answer", "unit:"), [("empty-value", 3, "unit")]),
    ("null", ("unit: one answer", "unit: ~"), [("empty-value", 3, "unit")]),
    ("blank text", ("unit: one answer", 'unit: "  "'), [("empty-value", 3, "unit")]),
    ("a word for a mapping", ('{version: "1.0", file: guideline.md}', '"1.0"'), [("wrong-shape", 4, "guideline")]),
    ("a word for a list", ("[unreadable]", "unreadable"), [("wrong-shape", 9, "abstention_reasons")]),
    ("a list for a word", ("unit: one answer", "unit: [one answer]"), [("wrong-shape", 3, "unit")]),
    ("unknown scale", ("scale: nominal", "scale: nominel"), [("not-one-of", 5, "scale")]),
    # --- names
    ("path as a name", ("study: rude", "study: ../../x"), [("bad-name", 1, "study")]),
    ("device name", ("study: rude", "study: con"), [("bad-name", 1, "study")]),
    ("device name in capitals", ("study: rude", "study: CON"), [("bad-name", 1, "study")]),
    ("device name with extension", ("study: rude", "study: nul.yaml"), [("bad-name", 1, "study")]),
    ("300 characters", ("study: rude", "study: " + "a" * 300), [("bad-name", 1, "study")]),
    ("trailing dot", ("study: rude", "study: rude."), [("bad-name", 1, "study")]),
    ("NFD name", ("study: rude", "study: caf" + "e\u0301"), [("bad-name", 1, "study")]),
    ("SQL in a name", ("study: rude", "study: 'x\"; drop table raw_label; --'"), [("bad-name", 1, "study")]),
    ("newline in a name", ("study: rude", 'study: "rude\\n"'), [("bad-name", 1, "study")]),
    ("absolute guideline", ("file: guideline.md", "file: /etc/passwd"), [("bad-path", 4, "guideline.file")]),
    ("guideline elsewhere", ("file: guideline.md", "file: ../g.md"), [("bad-path", 4, "guideline.file")]),
    ("guideline on Windows", ("file: guideline.md", "file: 'C:\\g.md'"), [("bad-path", 4, "guideline.file")]),
    ("version with a slash", ('version: "1.0"', 'version: "1/0"'), [("bad-version", 4, "guideline.version")]),
    ("e-mail as an id", ("{id: bo}", "{id: bo@x.org}"), [("bad-person-id", 11, "roster.annotators[1].id")]),
    (
        "reserved slice",
        ("strata: [", 'strata: [{name: rest, rate: "1", where: {column: a, equals: b}}, '),
        [("reserved-name", 16, "slices.strata[0].name")],
    ),
    # --- categories
    ("NFD category", ("value: polite", "value: poli\u0301te"), [("bad-category", 7, "categories[0].value")]),
    (
        "category with a space behind",
        ("value: polite", 'value: "polite "'),
        [("bad-category", 7, "categories[0].value")],
    ),
    ("category with two spaces", ("value: polite", 'value: "not  rude"'), [("bad-category", 7, "categories[0].value")]),
    ("no-break space", ("value: polite", "value: not\u00a0rude"), [("bad-category", 7, "categories[0].value")]),
    ("zero-width space", ("value: polite", "value: po\u200blite"), [("bad-category", 7, "categories[0].value")]),
    ("category with a newline", ("value: polite", 'value: "po\\nlite"'), [("bad-category", 7, "categories[0].value")]),
    ("category twice", ("value: polite", "value: rude"), [("duplicate-category", 8, "categories[1].value")]),
    ("category in capitals", ("value: polite", "value: Rude"), [("look-alike-category", 8, "categories[1].value")]),
    ("one category", ("  - {value: polite, definition: Not rude.}\n", ""), [("one-category", 6, "categories")]),
    ("all positive", ("{value: polite,", "{value: polite, positive: true,"), [("all-positive", 6, "categories")]),
    (
        "interval of words",
        ("scale: nominal", "scale: interval"),
        [
            ("category-not-a-number", 7, "categories[0].value"),
            ("category-not-a-number", 8, "categories[1].value"),
        ],
    ),
    (
        "weights on nominal",
        ("scale: nominal", "scale: nominal\nweights: linear"),
        [("weights-on-nominal", 6, "weights")],
    ),
    (
        "lopsided weights",
        ("scale: nominal", 'scale: ordinal\nweights: [["1", "0.5"], ["0.4", "1"]]'),
        [
            ("bad-weights", 6, "weights[0][1]"),
            ("bad-weights", 6, "weights[1][0]"),
        ],
    ),
    ("weights too small", ("scale: nominal", 'scale: ordinal\nweights: [["1"]]'), [("bad-weights", 6, "weights")]),
    ("reason twice", ("[unreadable]", "[unreadable, unreadable]"), [("duplicate-reason", 9, "abstention_reasons[1]")]),
    # --- people
    ("annotator twice", ("{id: bo}", "{id: ada}, {id: bo}"), [("duplicate-person", 11, "roster.annotators[1].id")]),
    (
        "annotator in capitals",
        ("{id: bo}", "{id: Ada}, {id: bo}"),
        [("look-alike-person", 11, "roster.annotators[1].id")],
    ),
    ("annotator decides", ("{id: dee}", "{id: bo}"), [("adjudicator-is-annotator", 12, "roster.adjudicators[0].id")]),
    ("one annotator", ("{id: ada}, {id: bo}, ", "{id: ada}, "), [("too-few-annotators", 11, "roster.annotators")]),
    ("one pass", ("passes: 2", "passes: 1"), [("one-pass", 13, "passes")]),
    (
        "a model as second pass",
        ("{id: bo}", "{id: bo, kind: model}"),
        [("too-few-annotators", 11, "roster.annotators")],
    ),
    # --- slices, release, stop
    (
        "stratum twice",
        ("strata: [", 'strata: [{name: flagged, rate: "1", where: {column: a, equals: b}}, '),
        [("duplicate-slice", 16, "slices.strata[1].name")],
    ),
    ("no condition", (', in: ["1"]', ""), [("bad-condition", 16, "slices.strata[0].where")]),
    ("two conditions", (', in: ["1"]', ', in: ["1"], below: "3"'), [("bad-condition", 16, "slices.strata[0].where")]),
    (
        "left out without limit",
        ("gate:\n", "release: {unresolved: out}\ngate:\n"),
        [("no-limit", 18, "release.unresolved")],
    ),
    (
        "unreachable stop",
        ("gate:\n", "stop: {union_positives: 9, at_most_items: 8}\ngate:\n"),
        [("bad-stop", 18, "stop.at_most_items")],
    ),
    # --- rules
    (
        "unknown slice",
        ("{slice: flagged, statistic: union", "{slice: flaged, statistic: union"),
        [("rule-slice", 22, "gate.rules[0].slice")],
    ),
    (
        "traffic not declared",
        ("{slice: flagged, statistic: union", "{slice: traffic, statistic: union"),
        [("rule-slice", 22, "gate.rules[0].slice")],
    ),
    (
        "unknown statistic",
        ("statistic: krippendorff_alpha", "statistic: krippendorf_alpha"),
        [
            ("rule-statistic", 24, "gate.rules[2].statistic"),
            ("rule-without-chance", 23, "gate.rules[1].statistic"),  # what the misspelt rule was there for
        ],
    ),
    (
        "unknown category",
        ('at_least: "100"', 'category: rood, at_least: "100"'),
        [("rule-category", 22, "gate.rules[0].category")],
    ),
    (
        "specific agreement and nothing positive",
        ("positive: true, ", ""),
        [
            ("rule-needs-positive", 22, "gate.rules[0].statistic"),
            ("rule-needs-positive", 23, "gate.rules[1].statistic"),
        ],
    ),
    (
        "specific agreement that may be chance",
        ('    - {slice: flagged, statistic: krippendorff_alpha, judged_on: lower, at_least: "0"}\n', ""),
        [("rule-without-chance", 23, "gate.rules[1].statistic")],
    ),
    (
        "AC1 without a reason",
        ("statistic: krippendorff_alpha", "statistic: gwet_ac1"),
        [
            ("rule-needs-because", 24, "gate.rules[2].statistic"),
            ("rule-without-chance", 23, "gate.rules[1].statistic"),  # AC1 is high on rare labels by itself
        ],
    ),
    ("no rules", ("  rules:\n" + GOOD.split("  rules:\n")[1], "  rules: []\n"), [("no-rules", 21, "gate.rules")]),
    ("no gate", (GOOD[GOOD.index("gate:") :], ""), [("missing-key", 1, "gate")]),
    # --- several at once
    (
        "several at once",
        (
            'passes: 2\nslices:\n  uniform: {rate: "0.10"}',
            "passes: one\npasses: 2\nslices:\n  uniform: {rate: 10%, x: 1}",
        ),
        [
            ("not-an-integer", 13, "passes"),
            ("duplicate-key", 14, "passes"),
            ("bad-share", 16, "slices.uniform.rate"),
            ("unquoted", 16, "slices.uniform.rate"),
            ("unknown-key", 16, "slices.uniform.x"),
        ],
    ),
]


def refusal(data: bytes) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        parse_study(data, "study.yaml")
    return caught.value


def edited(edit: tuple[str, str]) -> bytes:
    before, after = edit
    assert GOOD.count(before) == 1, before
    return GOOD.replace(before, after).encode()


def test_the_good_file_is_taken() -> None:
    assert parse_study(GOOD.encode(), "study.yaml").study == "rude"


@pytest.mark.parametrize(("edit", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_bad_file_is_refused_with_code_line_and_key_path(
    edit: tuple[str, str], expected: list[tuple[str, int, str | None]]
) -> None:
    problems = refusal(edited(edit)).problems
    assert {(p.code, p.line, p.column) for p in problems} >= set(expected), problems
    assert {p.line for p in problems} == {line for _, line, _ in expected}, problems
    assert all(p.file == "study.yaml" and p.message and p.fix for p in problems)


WHOLE_FILES = [
    ("nothing", b"", "empty-file", None),
    ("white space", b" \n\n  \n", "empty-file", None),
    ("comments only", b"# nothing yet\n", "empty-file", None),
    ("more than 64 KB", GOOD.encode() + b"#" * 64 * 1024, "too-large", None),
    ("UTF-16", GOOD.encode("utf-16"), "not-utf8", 1),
    ("UTF-16 without a mark", GOOD.encode("utf-16-le"), "not-utf8", 1),
    ("Latin-1", GOOD.replace("one answer", "réponse").encode("latin-1"), "not-utf8", 3),
    ("a NUL", GOOD.encode().replace(b"one answer", b"one\x00answer"), "not-utf8", 3),
    ("a list", b"- study: rude\n", "wrong-shape", 1),
    ("a word", b"rude\n", "wrong-shape", 1),
    ("64 thousand brackets", b"study: " + b"[" * 60_000, "too-deep", 1),
    ("an open quote", b'study: "rude\n', "yaml-syntax", 2),
]


@pytest.mark.parametrize(("data", "code", "line"), [c[1:] for c in WHOLE_FILES], ids=[c[0] for c in WHOLE_FILES])
def test_a_file_that_is_no_study_at_all_is_refused(data: bytes, code: str, line: int | None) -> None:
    assert (code, line) in [(p.code, p.line) for p in refusal(data).problems]


def test_the_mark_windows_editors_put_first_is_ignored() -> None:
    assert parse_study(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode(), "s").study == "rude"


@pytest.mark.parametrize(
    ("edit", "fix"),
    [
        (("passes: 2", "pases: 2"), "did you mean 'passes'?"),
        (("scale: nominal", "scale: Nominal"), "did you mean 'nominal'?"),
        (("judged_on: lower", "judged_at: lower"), "did you mean 'judged_on'?"),
    ],
)
def test_a_misspelt_word_is_answered_with_the_nearest_known_one(edit: tuple[str, str], fix: str) -> None:
    assert fix in [problem.fix for problem in refusal(edited(edit)).problems]


def test_values_are_shown_on_one_line_escaped_and_cut() -> None:
    hostile = 'study: "' + "\\e[31m\\u202e" + "x" * 300 + '"'
    value = refusal(edited(("study: rude", hostile))).problems[0].value
    assert value is not None
    assert value.startswith("\\x1b[31m\\u202e")
    assert len(value) <= 80


def test_the_headline_counts_and_says_that_nothing_was_done() -> None:
    error = refusal(edited(("passes: 2", "passes: 2\na: 1\nb: 2")))
    assert error.headline == "study.yaml: 2 problems, nothing registered"
    assert error.exit_code == 2
