"""Which rules may be registered."""

import pytest

from agreement.rules import STATISTICS, Rule, check_rules
from agreement.self_check import GOLDEN, definition_versions, self_check

PSA = "positive_specific_agreement"
CHANCE = Rule("flagged", "krippendorff_alpha", at_least="0", judged_on="lower")
ENOUGH = Rule("flagged", "union_positives", at_least="100")
TEMPLATE = [
    ENOUGH,
    Rule("flagged", PSA, at_least="0.65"),
    Rule("flagged", PSA, at_least="0.40", judged_on="lower", missing="worst"),
    CHANCE,
    Rule("flagged", "coverage", at_least="0.95"),
    Rule("flagged", "flagged_coverage", at_least="0.90"),
]


def codes(rules, **options):
    study = {
        "categories": ["yes", "no"],
        "positive": ["yes"],
        "n_annotators": 2,
        "slices": ["uniform", "flagged"],
    } | options
    return [(problem.code, problem.column) for problem in check_rules(rules, **study)]


def test_the_template_for_a_rare_label_is_accepted():
    assert codes(TEMPLATE) == []
    assert codes(TEMPLATE, n_annotators=3) == []


REFUSED = [
    # What stands alone beside a rule that would be fine; the code; the key it points at.
    ([], "no-rules", "gate.rules"),
    ([Rule("flagged", PSA, at_least="0.65"), ENOUGH], "rule-without-chance", "gate.rules[0].statistic"),
    ([Rule("flagged", "percent_agreement", at_least="0.9")], "rule-without-bound", "gate.rules[0].statistic"),
    ([Rule("flagged", "cohen_kappa", at_least="0.6")], "rule-without-bound", "gate.rules[0].statistic"),
    ([Rule("nowhere", "coverage", at_least="0.9")], "rule-slice", "gate.rules[0].slice"),
    ([Rule("traffic", "positive_share", at_least="0.1")], "rule-slice", "gate.rules[0].slice"),
    ([Rule("flagged", "kappa", at_least="0.9")], "rule-statistic", "gate.rules[0].statistic"),
    ([Rule("flagged", "coverage", at_least="1.5")], "rule-threshold", "gate.rules[0].at_least"),
    ([Rule("flagged", "coverage", at_least="-0.1")], "rule-threshold", "gate.rules[0].at_least"),
    ([Rule("flagged", "coverage", at_least="-0")], "rule-threshold", "gate.rules[0].at_least"),
    ([Rule("flagged", "coverage", at_least=".nan")], "rule-threshold", "gate.rules[0].at_least"),
    ([Rule("flagged", "coverage", at_least=".inf")], "rule-threshold", "gate.rules[0].at_least"),
    ([Rule("flagged", "coverage", at_least="70%")], "rule-threshold", "gate.rules[0].at_least"),
    ([Rule("flagged", "coverage", at_least="0,7")], "rule-threshold", "gate.rules[0].at_least"),
    ([Rule("flagged", "coverage", at_least="0.95000")], "rule-threshold", "gate.rules[0].at_least"),
    ([Rule("flagged", "coverage", at_least=0.95)], "rule-threshold", "gate.rules[0].at_least"),
    ([Rule("flagged", "coverage")], "rule-threshold", "gate.rules[0]"),
    ([Rule("flagged", "coverage", at_least="0.9", at_most="0.95")], "rule-threshold", "gate.rules[0]"),
    ([Rule("flagged", "union_positives", at_least="100.5")], "rule-threshold", "gate.rules[0].at_least"),
    ([Rule("flagged", "union_positives", at_least="-1")], "rule-threshold", "gate.rules[0].at_least"),
    (
        [Rule("flagged", "cohen_kappa", at_least="-1.1", judged_on="lower")],
        "rule-threshold",
        "gate.rules[0].at_least",
    ),
    ([Rule("flagged", "coverage", at_least="0.9", judged_on="lower")], "rule-judged-on", "gate.rules[0].judged_on"),
    ([CHANCE, Rule("flagged", PSA, at_least="0.4", judged_on="upper")], "rule-judged-on", "gate.rules[1].judged_on"),
    ([Rule("flagged", "coverage", at_least="0.9", missing="worst")], "rule-missing", "gate.rules[0].missing"),
    (
        [Rule("flagged", "krippendorff_alpha", at_least="0", judged_on="lower", missing="worst")],
        "rule-missing",
        "gate.rules[0].missing",
    ),
    (
        [Rule("flagged", "percent_agreement", at_least="0.9", judged_on="lower", missing="worst")],
        "rule-missing",
        "gate.rules[0].missing",
    ),
    ([CHANCE, ENOUGH, Rule("flagged", "gwet_ac1", at_least="0.8")], "rule-needs-because", "gate.rules[2].statistic"),
    (
        [CHANCE, ENOUGH, Rule("flagged", "specific_agreement", at_least="0.5", category="maybe")],
        "rule-category",
        "gate.rules[2].category",
    ),
    ([Rule("flagged", "coverage", at_least="0.9", category="yes")], "rule-category", "gate.rules[0].category"),
    ([CHANCE, CHANCE], "rule-twice", "gate.rules[1]"),
]


@pytest.mark.parametrize(("rules", "code", "column"), REFUSED)
def test_a_rule_that_cannot_be_judged_is_refused_with_its_place(rules, code, column):
    assert codes(rules) == [(code, column)]


ACCEPTED = [
    # The ends of each range: a count from 0, a rate from 0 to 1, a coefficient from -1.
    [CHANCE, Rule("flagged", "union_positives", at_least="0")],
    [CHANCE, Rule("flagged", "coverage", at_least="0"), Rule("flagged", "missing_rate", at_most="1")],
    [Rule("flagged", "cohen_kappa", at_least="-1", judged_on="lower")],
    [Rule("flagged", "cohen_kappa", at_least="-0.5", judged_on="lower")],
    # A ceiling beside its upper bound, alone and in the worst case.
    [
        Rule("flagged", "contested_share", at_most="0.5"),
        Rule("flagged", "contested_share", at_most="0.6", judged_on="upper"),
    ],
    [Rule("flagged", "contested_share", at_most="0.5", judged_on="upper", missing="worst")],
    [Rule("flagged", "jaccard", at_least="0.5", judged_on="lower", missing="worst")],
    [Rule("flagged", "percent_agreement", at_least="0.9", missing="worst"), ENOUGH],
]


@pytest.mark.parametrize("rules", ACCEPTED)
def test_a_rule_that_can_be_judged_is_accepted(rules):
    assert codes(rules) == []


NOT_ENOUGH = [
    # A ceiling on a value is no bound; a bound is none where it cannot be had; another slice's company is no company.
    (
        [Rule("flagged", "contested_share", at_most="0.5"), Rule("flagged", "missing_rate", at_most="0.1")],
        ["rule-without-bound"],
    ),
    ([Rule("flagged", "jaccard", at_most="0.5", judged_on="upper", missing="worst")], ["rule-missing"]),
    ([Rule("uniform", "cohen_kappa", at_least="0.5"), CHANCE], ["rule-without-bound"]),
    ([Rule("uniform", PSA, at_least="0.5", judged_on="lower"), CHANCE], ["rule-without-chance"]),
]


@pytest.mark.parametrize(("rules", "expected"), NOT_ENOUGH)
def test_company_counts_only_where_it_shows_something(rules, expected):
    assert [code for code, _ in codes(rules)] == expected


def test_rules_without_one_on_agreement_are_refused_as_a_whole():
    rules = [ENOUGH, Rule("flagged", "coverage", at_least="0.9")]
    assert codes(rules) == [("no-agreement-rule", "gate.rules")]


def test_a_statistic_nobody_knows_is_no_company():
    rules = [Rule("flagged", "kappa", at_least="0.4"), Rule("flagged", PSA, at_least="0.4", judged_on="lower")]
    assert codes(rules) == [
        ("rule-statistic", "gate.rules[0].statistic"),
        ("rule-without-chance", "gate.rules[1].statistic"),
    ]


def test_only_the_weighted_slice_says_that_a_study_must_declare_it():
    study = {"categories": ["yes"], "positive": ["yes"], "n_annotators": 2, "slices": ["flagged"]}
    declare = " The weighted slice `traffic` must be declared by the study."
    for name, more in [("traffic", declare), ("nowhere", "")]:
        problem, *_ = check_rules([Rule(name, "coverage", at_least="0.9")], **study)
        assert problem.fix == f"Name one of: flagged.{more}"


def test_a_rule_on_positives_needs_a_study_that_declares_one():
    refused = codes(TEMPLATE, positive=[])
    assert {code for code, _ in refused} == {"rule-needs-positive"}
    assert len(refused) == 4


def test_kappa_of_two_is_refused_for_three_annotators():
    rule = Rule("flagged", "cohen_kappa", at_least="0.4", judged_on="lower")
    assert codes([rule], n_annotators=3) == [("rule-annotators", "gate.rules[0].statistic")]


def test_ac1_with_a_reason_is_accepted_but_is_no_chance_corrected_rule_beside_agreement():
    ac1 = Rule("flagged", "gwet_ac1", at_least="0.8", judged_on="lower", because="comparison with an older study")
    assert codes([ac1]) == []
    alone = codes([ac1, Rule("flagged", PSA, at_least="0.4", judged_on="lower")])
    assert alone == [("rule-without-chance", "gate.rules[1].statistic")]


def test_traffic_may_be_named_only_if_declared_and_only_for_what_can_be_weighted():
    rules = [CHANCE, Rule("traffic", PSA, at_least="0.5", judged_on="lower")]
    assert codes(rules) == [("rule-slice", "gate.rules[1].slice")]
    assert codes(rules, traffic=True) == []
    kappa = Rule("traffic", "cohen_kappa", at_least="0.5", judged_on="lower")
    assert codes([kappa], traffic=True) == [("rule-traffic", "gate.rules[0].statistic")]


@pytest.mark.parametrize("statistic", ["weighted_kappa", "gwet_ac2"])
def test_a_weighted_figure_needs_a_study_that_declares_weights(statistic):
    rule = Rule("flagged", statistic, at_least="0.4", judged_on="lower", because="near misses count in part")
    assert codes([rule]) == [("rule-needs-weights", "gate.rules[0].statistic")]
    assert codes([rule], weights=True) == []


def test_ac2_needs_a_reason_and_weighted_kappa_two_annotators_but_conger_takes_any_number():
    ac2 = Rule("flagged", "gwet_ac2", at_least="0.8", judged_on="lower")
    assert codes([ac2], weights=True) == [("rule-needs-because", "gate.rules[0].statistic")]
    kappa = Rule("flagged", "weighted_kappa", at_least="0.4", judged_on="lower")
    assert codes([kappa], weights=True, n_annotators=3) == [("rule-annotators", "gate.rules[0].statistic")]
    conger = Rule("flagged", "conger_kappa", at_least="0.4", judged_on="lower")
    assert codes([conger], n_annotators=3) == codes([conger]) == []


def test_all_problems_come_at_once():
    rules = [Rule("nowhere", "kappa", at_least="1.5"), Rule("flagged", "coverage", at_least="70%")]
    assert [code for code, _ in codes(rules)] == ["rule-slice", "rule-statistic", "rule-threshold"]


def test_every_definition_has_a_golden_value_and_reproduces_it():
    assert set(definition_versions().values()) == set(GOLDEN)
    assert self_check() == []


def test_the_self_check_notices_a_changed_definition(monkeypatch):
    monkeypatch.setitem(GOLDEN, STATISTICS["jaccard"].version, "6/40")
    assert self_check() == ["jaccard/1"]
