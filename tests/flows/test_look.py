"""`agreement FILE` on anybody's file: the figures others have printed, and what it asks when a file is unclear."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from agreement.errors import ConfigError, InputRefused
from flows.look import look
from flows.looks import figures
from flows.looks.options import LookOptions

SHARED = Path(__file__).parents[2].parent / "shared"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the real data sets are not beside this checkout")


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values do not depend on the number of draws; 200 keep the tests quick."""
    monkeypatch.setattr(figures, "RESAMPLES", 200)


def estimate(record: dict[str, Any], statistic: str, category: str | None = None, group: str = "all") -> dict[str, Any]:
    found = next(g for g in record["groups"] if g["name"] == group)
    return next(e for e in found["estimates"] if (e["statistic"], e["category"]) == (statistic, category))


def value(record: dict[str, Any], statistic: str, category: str | None = None, group: str = "all") -> float:
    return float(estimate(record, statistic, category, group)["value"])


NIBBLER = LookOptions(
    item="item_id",
    annotator="rater_id",
    label="image_safety",
    missing="unsure_image_safe,image_unsure_safe",
    duplicates="first",
    by="round",
    positive="image_unsafe",
)


@needs_shared
def test_adversarial_nibbler() -> None:
    """Figures of issue 2: both spellings of unsure missing, the first of an annotator's rows counts."""
    found = look(SHARED / "data/adversarial-nibbler/annotations.csv", NIBBLER)
    assert round(value(found, "percent_agreement_pooled_pairs"), 4) == 0.9015
    assert round(value(found, "krippendorff_alpha"), 4) == 0.7085
    assert round(value(found, "specific_agreement", "image_unsafe"), 4) == 0.9372
    assert round(value(found, "specific_agreement", "image_safe"), 4) == 0.7718
    by_round = [round(value(found, "krippendorff_alpha", group=g), 3) for g in ("1", "3", "4")]
    assert by_round == [0.703, 0.409, 0.749]
    assert found["n_duplicates"] == 17


@needs_shared
def test_convabuse_severity() -> None:
    """Issue 2 gives alpha 0.4374; it is that of each annotator's first row ("last" gives 0.4376)."""
    options = LookOptions(item="item_id", annotator="annotator_id", label="severity", duplicates="first")
    found = look(SHARED / "data/convabuse/annotations.csv", options)
    assert round(value(found, "krippendorff_alpha"), 4) == 0.4374
    assert found["categories"] == ["-3", "-2", "-1", "0", "1"]


@needs_shared
def test_xsum_factuality() -> None:
    """Issue 2: CRLF, apostrophes after a backslash, an item named by two columns, NULL for missing."""
    path = SHARED / "data/xsum-hallucination/factuality_annotations_xsum_summaries.csv"
    options = LookOptions(item="bbcid,system", annotator="worker_id", label="is_factual", missing="NULL")
    found = look(path, options)
    assert round(value(found, "krippendorff_alpha"), 4) == 0.7736
    assert found["groups"][0]["counts"]["items"] == 1869


@needs_shared
def test_xsum_spans_are_read_though_cells_hold_backslashes() -> None:
    path = SHARED / "data/xsum-hallucination/hallucination_annotations_xsum_summaries.csv"
    options = LookOptions(item="bbcid,system", annotator="worker_id", label="hallucination_type", duplicates="first")
    assert look(path, options)["n_rows"] == 11185


@needs_shared
def test_barzan_without_a_header() -> None:
    """Issue 5: worker, item, label, no header."""
    options = LookOptions(item="2", annotator="1", label="3", header=False)
    found = look(SHARED / "formats/csv_long/barzan_labels.tsv", options)
    assert round(value(found, "krippendorff_alpha"), 6) == 0.405937
    assert round(value(found, "percent_agreement"), 6) == 0.759800
    assert round(value(found, "gwet_ac1"), 5) == 0.59681


# Ten items, two annotators: 2 flagged by both, 2 and 1 by one. By hand: PSA 4/7, p_o .70, p_e .54, kappa 8/23.
LONG = "item_id,annotator_id,label\n" + "".join(
    f"i{i:02},{who},{label}\n"
    for i in range(10)
    for who, label in [("a", "yes" if i < 4 else "no"), ("b", "yes" if i in (0, 1, 4) else "no")]
)
WIDE = "item,a,b\n" + "".join(
    f"i{i:02},{'yes' if i < 4 else 'no'},{'yes' if i in (0, 1, 4) else 'no'}\n" for i in range(10)
)


def _jsonl() -> bytes:
    head, *lines = LONG.strip().split("\n")
    return "\n".join(json.dumps(dict(zip(head.split(","), line.split(","), strict=True))) for line in lines).encode()


def _parquet() -> bytes:
    head, *lines = LONG.strip().split("\n")
    columns = zip(*(line.split(",") for line in lines), strict=True)
    buffer = io.BytesIO()
    pq.write_table(pa.table({n: pa.array(c) for n, c in zip(head.split(","), columns, strict=True)}), buffer)
    return buffer.getvalue()


def _workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for line in LONG.strip().split("\n"):
        sheet.append(line.split(","))
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


KINDS = [
    ("long.csv", LONG.encode(), LookOptions(positive="yes")),
    ("long.tsv", LONG.replace(",", "\t").encode(), LookOptions(positive="yes")),
    ("long.jsonl", _jsonl(), LookOptions(positive="yes")),
    ("long.parquet", _parquet(), LookOptions(positive="yes")),
    ("long.xlsx", _workbook(), LookOptions(positive="yes")),
    ("wide.csv", WIDE.encode(), LookOptions(item="item", wide="a,b", positive="yes")),
    ("wide without items.csv", WIDE.encode(), LookOptions(wide="a,b", positive="yes")),
]


@pytest.mark.parametrize(("name", "data", "options"), KINDS, ids=[case[0] for case in KINDS])
def test_long_and_wide_files_of_every_kind_give_the_same_figures(
    tmp_path: Path, name: str, data: bytes, options: LookOptions
) -> None:
    (tmp_path / name).write_bytes(data)
    found = look(tmp_path / name, options)
    assert estimate(found, "positive_specific_agreement")["exact"] == "4/7"
    assert estimate(found, "cohen_kappa")["exact"] == "8/23"
    assert found["groups"][0]["pair"] == {"annotators": ["a", "b"], "table": [[5, 1], [2, 2]]}
    assert found["groups"][0]["counts"]["union_positives"] == 5
    assert json.loads(json.dumps(found)) == found


def csv_file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "labels.csv"
    path.write_text(text)
    return path


HEAD = "item_id,annotator_id,label\n"
THRICE = HEAD + "x,a,yes\nx,a,no\ny,a,yes\ny,a,yes\nx,b,no\ny,b,yes\nz,a,no\nz,b,no\n"


def test_repeated_labels_are_refused_with_the_ways_out(tmp_path: Path) -> None:
    with pytest.raises(InputRefused) as refused:
        look(csv_file(tmp_path, THRICE), LookOptions())
    assert [(p.code, p.line) for p in refused.value.problems] == [("conflicting-duplicate", 3), ("duplicate-row", 5)]
    assert "--duplicates first, last or drop-conflicting" in refused.value.problems[0].fix


# Rule -> labels that count, and the table of a (rows) and b (columns) in the order no, yes.
RULES = [
    ("first", 6, [[1, 0], [1, 1]]),
    ("last", 6, [[2, 0], [0, 1]]),
    ("drop-conflicting", 5, [[1, 0], [0, 1]]),
]


@pytest.mark.parametrize(("rule", "n_labels", "table"), RULES)
def test_a_duplicate_rule_says_which_row_counts(
    tmp_path: Path, rule: str, n_labels: int, table: list[list[int]]
) -> None:
    found = look(csv_file(tmp_path, THRICE), LookOptions(duplicates=rule))
    assert found["n_labels"] == n_labels
    assert found["groups"][0]["pair"]["table"] == table


def test_missing_labels_are_counted_not_compared(tmp_path: Path) -> None:
    text = HEAD + "x,a,yes\nx,b,NA\ny,a,yes\ny,b,\nz,a,no\nz,b,no\n"
    found = look(csv_file(tmp_path, text), LookOptions(missing="NA"))
    assert (found["n_labels"], found["n_missing"]) == (4, 2)
    assert found["categories"] == ["no", "yes"]
    assert found["notes"] == ["1 empty cells taken as no label"]
    assert found["groups"][0]["counts"]["paired_items"] == 1


def test_undeclared_labels_are_refused_where_categories_are_declared(tmp_path: Path) -> None:
    with pytest.raises(InputRefused) as refused:
        look(csv_file(tmp_path, HEAD + "x,a,yes\nx,b,maybe\n"), LookOptions(categories="no,yes"))
    assert [(p.code, p.line, p.value) for p in refused.value.problems] == [("unknown-label", 3, "maybe")]


def test_declared_categories_keep_their_order_and_stay_when_unused(tmp_path: Path) -> None:
    found = look(csv_file(tmp_path, HEAD + "x,a,yes\nx,b,no\n"), LookOptions(categories="yes,unsure,no"))
    assert found["categories"] == ["yes", "unsure", "no"]
    assert found["groups"][0]["labels"] == {"yes": 1, "unsure": 0, "no": 1}


def test_an_undefined_figure_is_a_status_not_a_number(tmp_path: Path) -> None:
    found = look(csv_file(tmp_path, HEAD + "x,a,yes\nx,b,yes\n"), LookOptions())
    kappa = estimate(found, "cohen_kappa")
    assert kappa["value"] is None
    assert kappa["status"].startswith("undefined:")


def test_percentile_intervals_are_named_as_such(tmp_path: Path) -> None:
    found = look(csv_file(tmp_path, LONG), LookOptions(positive="yes", interval="percentile"))
    for statistic in ("positive_specific_agreement", "percent_agreement"):
        assert estimate(found, statistic)["interval"] == "percentile"


UNCLEAR = [
    ("no such column", LookOptions(item="itme_id"), "no-such-column"),
    ("a name that is nearly right", LookOptions(item="Item_ID"), "no-such-column"),
    ("wide and long", LookOptions(wide="a,b", label="label"), "wide-and-long"),
    ("a rule nobody knows", LookOptions(duplicates="best"), "unknown-option"),
    ("a scale nobody knows", LookOptions(scale="likert"), "unknown-option"),
    ("a positive label that does not occur", LookOptions(positive="Yes"), "unknown-category"),
]


@pytest.mark.parametrize(("options", "code"), [c[1:] for c in UNCLEAR], ids=[c[0] for c in UNCLEAR])
def test_options_that_do_not_fit_are_explained(tmp_path: Path, options: LookOptions, code: str) -> None:
    with pytest.raises(ConfigError) as refused:
        look(csv_file(tmp_path, LONG), options)
    assert [p.code for p in refused.value.problems] == [code]
    assert refused.value.problems[0].fix


def test_columns_must_be_named_where_they_do_not_have_our_names(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        look(csv_file(tmp_path, "task,who,verdict\nx,a,yes\n"), LookOptions())
    assert [p.code for p in refused.value.problems] == ["column-not-named"] * 3
    assert "task, who, verdict" in refused.value.problems[0].fix


def test_labels_without_an_order_are_not_measured_on_an_ordinal_scale(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        look(csv_file(tmp_path, LONG), LookOptions(scale="ordinal"))
    found = look(csv_file(tmp_path, LONG), LookOptions(scale="ordinal", categories="no,yes"))
    assert value(found, "krippendorff_alpha") == pytest.approx(1 - 19 * 6 / (2 * 7 * 13))


def test_the_record_is_printed_with_every_figure_and_no_markup_of_the_file(tmp_path: Path) -> None:
    from rich.console import Console

    from flows.commands.look_table import print_look

    found = look(csv_file(tmp_path, LONG.replace("yes", "[red]yes")), LookOptions())
    out = io.StringIO()
    print_look(found, Console(file=out, width=120))
    printed = out.getvalue()
    assert "specific agreement of '[red]yes'" in printed
    assert "0.5714" in printed
    assert "10 items, 2 annotators, 10 paired items" in printed


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        ("item_id,annotator_id,label\n", {}, "no-labels"),
        ("item_id,annotator_id,label\n1,a,\n1,b,\n", {}, "no-labels"),
        ("item_id,annotator_id,label\n1,a,x\n1,b,x\n", {"categories": "x,x,y"}, "named-twice"),
        ("item_id,a,b\n1,x,y\n", {"wide": "a,a"}, "named-twice"),
    ],
)
def test_a_file_without_labels_and_a_name_given_twice_are_refused(tmp_path, text, options, code):
    path = tmp_path / "labels.csv"
    path.write_text(text)
    with pytest.raises((ConfigError, InputRefused)) as refused:
        look(path, LookOptions(**options))
    assert code in {problem.code for problem in refused.value.problems} | {"no-rows" if code == "no-labels" else ""}
