"""Rules on weighted kappa, AC2 and Conger's kappa, from a labels file to the verdict."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from agreement.errors import ConfigError
from flows.gate import evaluate
from flows.measure import measure
from flows.open import open_round

# Cohen 1960, p. 45: rows are what ada said, columns what bo said.
TABLE = {("no", "no"): 88, ("no", "maybe"): 14, ("no", "yes"): 18, ("maybe", "no"): 10, ("maybe", "maybe"): 40}
TABLE |= {("maybe", "yes"): 10, ("yes", "no"): 2, ("yes", "maybe"): 6, ("yes", "yes"): 12}
ORDERED = """categories:
  - {value: "no", definition: It does not.}
  - {value: "maybe", definition: It might.}
  - {value: "yes", positive: true, definition: It does.}
"""
ENOUGH = '{slice: uniform, statistic: union_positives, at_least: "1"}'


def in_order(weights: str) -> Callable[[str], str]:
    """The study with three ordered categories and these weights; none if empty."""

    def changed(text: str) -> str:
        start, end = text.index("categories:"), text.index("abstention_reasons:")
        text = text[:start] + ORDERED + text[end:]
        return text.replace("scale: nominal", f"scale: ordinal\nweights: {weights}" if weights else "scale: ordinal")

    return changed


def judged(make: Any, rules: tuple[str, ...], weights: str) -> Any:
    make.register(make.study(rules=(ENOUGH, *rules), text=in_order(weights)))
    make.open({"uniform": {"++": 200}})
    lines = ["item_id,item_version,annotator_id,status,label,abstain_reason"]
    said = [pair for pair, times in TABLE.items() for _ in range(times)]
    for n, pair in enumerate(said, 1):
        lines += [
            f"r1-uniform-{n},v1,{who},labelled,{label}," for who, label in zip(make.annotators, pair, strict=True)
        ]
    (make.folders["r1"] / "labels.csv").write_text("\n".join(lines) + "\n")
    make.ingest()
    make.close()
    measure(make.project, "r1")
    return evaluate(make.project, "r1").report


CASES = [
    # statistic, weights, value: Cohen 1968 / Gwet 2014 by published.json's case cohen1960_table2, as fractions
    ("weighted_kappa", "linear", "9/19", "0.4736", ""),
    ("weighted_kappa", "quadratic", "5/11", "0.4545", ""),
    ("weighted_kappa", '[["1", "0.5", "0"], ["0.5", "1", "0.5"], ["0", "0.5", "1"]]', "9/19", "0.4736", ""),
    ("gwet_ac2", "linear", "25/41", "0.6097", ", because: comparison with an older study"),
    ("conger_kappa", "", "29/59", "0.4915", ""),
]


@pytest.mark.parametrize(("statistic", "weights", "exact", "floored", "because"), CASES)
def test_a_rule_is_judged_on_the_exact_figure(
    make: Any, statistic: str, weights: str, exact: str, floored: str, because: str
) -> None:
    above = f"{float(floored) + 0.0001:.4f}"
    rules = (
        f'{{slice: uniform, statistic: {statistic}, at_least: "{floored}"{because}}}',
        f'{{slice: uniform, statistic: {statistic}, at_least: "{above}"{because}}}',
        f'{{slice: uniform, statistic: {statistic}, judged_on: lower, at_least: "0.20"{because}}}',
    )
    report = judged(make, rules, weights)
    found = report.verdict.rules[1:]
    assert [rule.verdict for rule in found] == ["pass", "fail", "pass"]
    assert {rule.found for rule in found[:2]} == {floored}
    by_name = {e.statistic: e for e in report.slices[0].estimates}
    assert by_name[statistic].exact == exact
    assert by_name[statistic].interval == "bca"


def replaced(changed: dict[str, str], text: str) -> str:
    for old, new in changed.items():
        text = text.replace(old, new)
    return text


def test_items_of_one_cluster_are_drawn_together_for_the_slice_and_for_the_pair(make: Any) -> None:
    """Authority: a cluster of three copies of an item is worth about one item, so intervals are wider."""
    rules = (ENOUGH, '{slice: uniform, statistic: cohen_kappa, judged_on: lower, at_least: "0"}')
    labels, reports = {"uniform": {"++": 30, "+-": 12, "-+": 9, "--": 39}}, []
    for name, column in (("r1", "author"), ("r2", "copy")):
        study = f"by-{column}"
        changed = {"duplicates:": f"cluster: {column}\nduplicates:", "Does": f"By {column}, does"}
        make.register(make.study(study=study, rules=rules, text=partial(replaced, changed)))
        folder = make.round(labels, name, study=study)
        lines = (folder / "frame.csv").read_text().splitlines()
        rows = [f"{line},{n // 3},{n}" for n, line in enumerate(lines[1:])]
        (folder / "frame.csv").write_text("\n".join([f"{lines[0]},author,copy", *rows]) + "\n")
        open_round(make.project, folder)
        make.ingest(name)
        make.close(name)
        measure(make.project, name)
        reports.append(evaluate(make.project, name).report)
    for report in reports:
        of_slice, of_pair = ({e.statistic: e for e in part.estimates} for part in _slice_and_pair(report))
        for name in ("cohen_kappa", "krippendorff_alpha", "positive_specific_agreement", "percent_agreement"):
            assert of_slice[name] == of_pair[name], name
        assert of_pair["bias_index"].interval == "none: items of one cluster are not independent"
        assert report.verdict.rules[1].verdict == "pass"
    grouped, apart = (float(r.verdict.rules[1].found) for r in reports)
    assert grouped < apart


def _slice_and_pair(report: Any) -> tuple[Any, Any]:
    return report.slices[0], report.slices[0].pairs[0]


def test_without_weights_a_weighted_figure_is_refused_at_registration(make: Any) -> None:
    rules = (ENOUGH, '{slice: uniform, statistic: weighted_kappa, at_least: "0.40"}')
    for text in (in_order(""), str):
        with pytest.raises(ConfigError) as refused:
            make.register(make.study(rules=rules, text=text))
        assert [problem.code for problem in refused.value.problems] == ["rule-needs-weights"]
        assert "weights: linear" in refused.value.problems[0].fix


def test_the_report_shows_the_weighted_figures_in_words(make: Any) -> None:
    judged(make, ('{slice: uniform, statistic: weighted_kappa, judged_on: lower, at_least: "0"}',), "linear")
    written = make.report()
    page = (make.project.root / written.folder / "report.md").read_text()
    assert "Weighted kappa" in page
    assert "Gwet’s AC2" in page
