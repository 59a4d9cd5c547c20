"""`agreement FILE --weights` and `--compare`: near misses that count in part, and differences with their intervals."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from typer.testing import CliRunner

from agreement import cohen_kappa, krippendorff_alpha, specific_agreement, vectors_of_pairs
from agreement.errors import ConfigError
from flows.look import look
from flows.looks import figures
from flows.looks.options import LookOptions

# Cohen 1960, p. 45: 200 items, rows are what ada said, columns what bo said; cy always sides with bo.
TABLE = np.array([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
ORDER = "low,middle,high"


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values do not depend on the number of draws; 300 keep the tests quick."""
    monkeypatch.setattr(figures, "RESAMPLES", 300)


def labels(tmp_path: Path, people: str = "ada bo") -> Path:
    names, lines, item = ORDER.split(","), ["item_id,annotator_id,label,kind"], 0
    for row, first in enumerate(names):
        for column, second in enumerate(names):
            for _ in range(TABLE[row, column]):
                item += 1
                said = {"ada": first, "bo": second, "cy": second}
                lines += [f"{item},{who},{said[who]},{'odd' if item % 2 else 'even'}" for who in people.split()]
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def estimates(record: dict[str, Any]) -> dict[Any, Any]:
    return {(e["statistic"], e["category"]): e for e in record["estimates"]}


# Authority: published.json, case cohen1960_table2.
WEIGHTED = [
    ("linear", {"weighted_kappa": 0.47368421052631576, "gwet_ac2": 0.6097560975609756}),
    ("quadratic", {"weighted_kappa": 0.45454545454545453, "gwet_ac2": 0.6385542168674698}),
]


@pytest.mark.parametrize(("weights", "expected"), WEIGHTED)
def test_weights_add_the_figures_in_which_near_misses_count(
    tmp_path: Path, weights: str, expected: dict[str, float]
) -> None:
    found = look(labels(tmp_path), LookOptions(weights=weights, categories=ORDER))
    by_name = estimates(found["groups"][0])
    for name, value in expected.items():
        assert by_name[name, None]["value"] == pytest.approx(value, abs=1e-12)
        assert by_name[name, None]["interval"] == "bca"
    vectors, times = vectors_of_pairs(TABLE)
    alpha = by_name["krippendorff_alpha_ordinal", None]
    assert alpha["value"] == pytest.approx(krippendorff_alpha(vectors, times, "ordinal"), abs=1e-12)
    assert alpha["lower"] < alpha["value"] < alpha["upper"]
    assert ("krippendorff_alpha_interval", None) not in by_name  # low, middle and high have no distances
    for category, value in zip(ORDER.split(","), specific_agreement(vectors, times, weights), strict=True):
        assert by_name["weighted_specific_agreement", category]["value"] == pytest.approx(value, abs=1e-12)
    assert found["weights"] == weights


NUMBERS = "0,1,4,10"
PAIRS = [("0", "0"), ("1", "1"), ("4", "10"), ("10", "4"), ("0", "1"), ("10", "10"), ("4", "1"), ("1", "10")]


@pytest.mark.parametrize("scale", ["nominal", "interval"])
def test_alpha_on_the_interval_scale_takes_the_categories_as_numbers_and_stands_once(
    tmp_path: Path, scale: str
) -> None:
    """Authority: the krippendorff package on the numbers themselves."""
    path = tmp_path / "labels.csv"
    rows = [f"{item},{who},{said}" for item, pair in enumerate(PAIRS) for who, said in zip("ab", pair, strict=True)]
    path.write_text("\n".join(["item_id,annotator_id,label", *rows]) + "\n")
    found = look(path, LookOptions(weights="linear", categories=NUMBERS, scale=scale))["groups"][0]
    names = [e["statistic"] for e in found["estimates"] if e["category"] is None]
    assert len(names) == len(set(names))
    shown = "krippendorff_alpha" if scale == "interval" else "krippendorff_alpha_interval"
    assert ("krippendorff_alpha_interval" in names) == (scale == "nominal")
    package = krippendorff.alpha(np.array(PAIRS, dtype=float).T, level_of_measurement="interval")
    assert estimates(found)[shown, None]["value"] == pytest.approx(package, abs=1e-12)


# What only two annotators have needs no third; the intervals come from the same draws too.
TWO_WITH_GAPS = [("y", "y")] * 2 + [("y", "n")] + [("n", "n")] * 7 + [("y", "")] * 10


def test_an_annotator_without_labels_changes_no_figure(tmp_path: Path) -> None:
    """Authority for AC1: irrCAC 0.8118 (Gwet 2014: category shares of all rated items)."""
    path = tmp_path / "wide.csv"
    lines = [f"{item},{a},{b}," for item, (a, b) in enumerate(TWO_WITH_GAPS)]
    path.write_text("\n".join(["item_id,ada,bo,cy", *lines]) + "\n")
    options: dict[str, Any] = {"item": "item_id", "weights": "linear", "categories": "n,y", "positive": "y"}
    two, three = (
        estimates(look(path, LookOptions(wide=who, **options))["groups"][0]) for who in ("ada,bo", "ada,bo,cy")
    )
    assert two["gwet_ac1", None]["value"] == pytest.approx(0.8118, abs=5e-5)
    assert two["gwet_ac1", None]["exact"] == two["gwet_ac2", None]["exact"]
    assert set(three) <= set(two)
    for key, estimate in three.items():
        assert two[key] == estimate, key


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"weights": "linear"}, "weights-without-order"),
        ({"weights": "square", "categories": ORDER}, "unknown-option"),
        ({"compare": "cohen_kappa"}, "cannot-compare"),
        ({"compare": "cohen_kappa,cohen_kappa"}, "cannot-compare"),
        ({"compare": "cohen_kappa,weighted_kappa"}, "cannot-compare"),  # there are no weights
        ({"compare": "odd,even"}, "cannot-compare"),  # no --by
        ({"compare": "ada+bo,ada+dee"}, "cannot-compare"),
        ({"compare": "ada,bo"}, "cannot-compare"),  # nobody to agree with
    ],
)
def test_what_cannot_be_asked_is_explained(tmp_path: Path, options: dict[str, str], code: str) -> None:
    with pytest.raises(ConfigError) as refused:
        look(labels(tmp_path), LookOptions(**options))
    assert [p.code for p in refused.value.problems] == [code]
    assert refused.value.problems[0].fix


def test_two_coefficients_are_compared_on_the_same_items(tmp_path: Path) -> None:
    options = LookOptions(compare="weighted_kappa,cohen_kappa", weights="linear", categories=ORDER)
    found = look(labels(tmp_path), options)["difference"]
    (one,) = found["estimates"]
    assert (found["kind"], one["statistic"]) == ("statistics", "weighted_kappa - cohen_kappa")
    assert one["value"] == pytest.approx(9 / 19 - 29 / 59, abs=1e-12)
    assert one["lower"] < one["value"] < one["upper"]


def test_two_sets_of_annotators_are_compared_on_the_same_items(tmp_path: Path) -> None:
    found = look(labels(tmp_path, "ada bo cy"), LookOptions(compare="bo+cy,ada+bo"))["difference"]
    kappa = estimates(found)["cohen_kappa", None]
    assert found["kind"] == "annotators"
    assert kappa["value"] == pytest.approx(1 - cohen_kappa(TABLE), abs=1e-12)
    assert kappa["n"] == {"paired_items_first": 200, "paired_items_second": 200}
    assert kappa["lower"] > 0


def test_two_groups_without_a_common_item_vary_on_their_own(tmp_path: Path) -> None:
    record = look(labels(tmp_path), LookOptions(by="kind", compare="odd,even"))
    values = {g["name"]: estimates(g)["cohen_kappa", None]["value"] for g in record["groups"]}
    found = record["difference"]
    kappa = estimates(found)["cohen_kappa", None]
    assert (found["kind"], found["common_items"]) == ("groups", 0)
    assert kappa["value"] == pytest.approx(values["odd"] - values["even"], abs=1e-12)
    assert kappa["lower"] < kappa["value"] < kappa["upper"]


def test_two_groups_of_the_same_items_are_paired(tmp_path: Path) -> None:
    """Two rounds on the same items by different people: what the items do to both is not counted twice."""
    rows = ["item_id,annotator_id,label,round"]
    rng = np.random.default_rng(1)
    for item in range(120):
        truth = rng.random() < 0.4
        for who, of in (("a", "one"), ("b", "one"), ("c", "two"), ("d", "two")):
            rows.append(f"{item},{who},{'yes' if truth ^ (rng.random() < 0.1) else 'no'},{of}")
    path = tmp_path / "rounds.csv"
    path.write_text("\n".join(rows) + "\n")
    record = look(path, LookOptions(by="round", compare="one,two", positive="yes"))
    values = {g["name"]: estimates(g)["positive_specific_agreement", None]["value"] for g in record["groups"]}
    psa = estimates(record["difference"])["positive_specific_agreement", None]
    assert record["difference"]["common_items"] == 120
    assert psa["value"] == pytest.approx(values["one"] - values["two"], abs=1e-12)
    assert psa["interval"] == "bca"


def test_fewer_than_ten_union_positives_have_no_interval_of_a_difference(tmp_path: Path) -> None:
    rows = [f"{k},{who},{'yes' if k < 4 else 'no'}" for k in range(40) for who in "ab"]
    path = tmp_path / "few.csv"
    path.write_text("\n".join(["item_id,annotator_id,label", *rows]) + "\n")
    found = look(path, LookOptions(compare="gwet_ac1,fleiss_kappa", positive="yes"))["difference"]["estimates"]
    assert [e["interval"] for e in found] == ["none: fewer than 10 union positives"]


def test_the_command_prints_the_difference_and_says_how_it_was_drawn(tmp_path: Path) -> None:
    from rich.console import Console

    from flows.cli import app
    from flows.commands.look_table import print_look

    path = labels(tmp_path)
    asked = ["--weights", "linear", "--categories", ORDER, "--compare", "odd,even", "--by", "kind", "--json"]
    result = CliRunner().invoke(app, ["--root", str(tmp_path / "none"), "agreement", str(path), *asked])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["difference"]["first"] == "odd"
    out = io.StringIO()
    print_look(found, Console(file=out, width=140))
    assert "Difference: kind odd less kind even, each drawn on its own: no item in common" in out.getvalue()
    assert "weighted specific agreement of 'low'" in out.getvalue()
