"""Invented reports for the page tests, made of sample_parts.py."""

from __future__ import annotations

from fractions import Fraction

from page_sample_parts import (
    HOSTILE,
    HOSTILE_MARKDOWN,
    REVERSED,
    STUDY,
    binary_slice,
    coverage,
    estimate,
    report,
    round_record,
    rule,
)

from schemas.report import AnnotatorRecord, CategoryRecord, EstimateRecord, PairRecord, Report, SliceRecord

UNIFORM = "Drawn at random from all 51,200. The only slice that speaks of traffic."


def blocked() -> Report:
    """kappa_1000 as the uniform slice, a stratum short of positives, one that is between, one without flags."""
    uniform = binary_slice("uniform", (4, 18, 22, 956), traffic=True, items=1024, sampling=UNIFORM)
    slices = [
        uniform,
        binary_slice("flagged", (41, 19, 16, 44), items=124),
        binary_slice("complained", (38, 29, 33, 50), items=157),
        binary_slice("code", (0, 0, 0, 60), sampling="Drawn 1 in 10 from those that contain code."),
    ]
    psa = "positive_specific_agreement"
    rules = [
        rule(1, "uniform", "coverage", "0.95", "0.9765", "pass"),
        rule(2, "uniform", psa, "0.40", "0.0490", "fail", "lower", failed_as="shown_below"),
        rule(3, "flagged", "union_positives", "100", "76", "fail", headline="Too few positives to decide on",
             change="More labels. About 38 more items of this stratum: 1.9 person-hours."),
        rule(4, "flagged", psa, "0.40", "0.5860", "pass", "lower"),
        rule(5, "flagged", psa, "0.65", "0.7008", "pass"),
        rule(6, "complained", "union_positives", "100", "100", "pass", exactly=True),
        rule(7, "complained", psa, "0.40", "0.4300", "pass", "lower"),
        rule(8, "complained", psa, "0.65", "0.5507", "fail", failed_as="not_shown",
             headline="Some agreement, not enough"),
        rule(9, "code", psa, "0.40", None, "not_evaluable", "lower", headline="Nothing to measure",
             change="The sample. Draw where flags can be expected."),
    ]  # fmt: skip
    made = report(slices, rules, "fail")
    order = made.verdict.model_copy(update={"weakest_first": [2, 8, 3, 9]})
    return made.model_copy(update={"verdict": order, "deviations": ["event 60: annotator cy replaced by bo"]})


def passed() -> Report:
    """All rules passed, and the study registered figures weighted to traffic."""
    slices = [binary_slice("uniform", (30, 4, 5, 961), traffic=True, sampling=UNIFORM),
              binary_slice("flagged", (90, 10, 12, 88))]  # fmt: skip
    rules = [
        rule(1, "flagged", "positive_specific_agreement", "0.65", "0.8910", "pass"),
        rule(2, "flagged", "krippendorff_alpha", "0", "0.6401", "pass", "lower"),
    ]
    psa = "positive_specific_agreement"
    traffic = [EstimateRecord(statistic=psa, value="0.6201", lower="0.5012", upper="0.7313", interval="beta")]
    return report(slices, rules, "pass", traffic=traffic, traffic_weights={"flagged": "4", "rest": "51200/1000"},
                  traffic_warnings=["The cell rest holds over half of the variance."])  # fmt: skip


def one_rule_at_the_threshold() -> Report:
    """0.6581 against 0.66: two decimals would read "0.66 at least 0.66: failed"."""
    rules = [rule(1, "flagged", "positive_specific_agreement", "0.66", "0.6581", "fail", failed_as="not_shown")]
    return report([binary_slice("flagged", (51, 25, 28, 60))], rules, "fail")


def pilot() -> Report:
    made = report([binary_slice("uniform", (6, 21, 14, 459), traffic=True, sampling=UNIFORM)], [], "not_gated")
    return made.model_copy(update={"round": round_record(round_id="pilot-01", kind="pilot"), "registration": None})


def retrospective() -> Report:
    return pilot().model_copy(update={"round": round_record(round_id="old-01", kind="retrospective")})


def no_positive_at_all() -> Report:
    """Nobody flagged anything anywhere: every figure on flags is undefined."""
    rules = [rule(1, "uniform", "positive_specific_agreement", "0.40", None, "not_evaluable", "lower")]
    return report([binary_slice("uniform", (0, 0, 0, 200), traffic=True, sampling=UNIFORM)], rules, "not_evaluable")


def three_by_three() -> Report:
    """Three annotators, three categories, none of them positive."""
    who, categories = ("ada", "bo", "cy"), ("safe", "unsure", "unsafe")
    tables = [
        [[40, 5, 2], [6, 20, 4], [1, 3, 19]],
        [[38, 8, 1], [7, 18, 5], [2, 4, 17]],
        [[41, 4, 2], [5, 22, 3], [0, 4, 19]],
    ]
    pairs = [(who[0], who[1]), (who[0], who[2]), (who[1], who[2])]

    def raw(table: list[list[int]]) -> EstimateRecord:
        return estimate("percent_agreement", Fraction(sum(table[k][k] for k in range(3)), 100), 0.7, 0.88)

    each = [
        EstimateRecord(statistic="specific_agreement", category=c, value=v, lower="0.5101", upper="0.9012",
                       interval="beta")
        for c, v in zip(categories, ("0.8412", "0.7005", "0.7917"), strict=True)
    ]  # fmt: skip
    record = SliceRecord(
        name="uniform",
        speaks_of="traffic",
        sampling=UNIFORM,
        coverage=coverage(104, 100, 4, passes=3),
        annotators=[
            AnnotatorRecord(annotator_id=a, kind="model" if a == "cy" else "human",
                            coverage=coverage(104, 100, 1, passes=1),
                            labels=dict(zip(categories, (47, 30, 23), strict=True)))
            for a in who
        ],
        pairs=[
            PairRecord(first=a, second=b, paired=100, table=t,
                       estimates=[raw(t), estimate("cohen_kappa", Fraction(68, 100), 0.55, 0.79)])
            for (a, b), t in zip(pairs, tables, strict=True)
        ],
        lowest_pair="ada and cy",
        positives=None,
        estimates=[
            estimate("percent_agreement", Fraction(78, 100), 0.7, 0.85),
            estimate("krippendorff_alpha", Fraction(663, 1000), 0.55, 0.76),
            estimate("fleiss_kappa", Fraction(662, 1000), 0.55, 0.76),
            *each,
        ],
        unused_categories=[],
        can_tell="how often three people use the same of three labels.",
        cannot_tell="which of them is right.",
    )  # fmt: skip
    study = STUDY.model_copy(update={"categories": [CategoryRecord(value=c) for c in categories], "passes": 3})
    rules = [rule(1, "uniform", "krippendorff_alpha", "0.50", "0.5500", "pass", "lower")]
    return report([record], rules, "pass", study=study)


def twelve_slices() -> Report:
    """Twelve slices whose names are as long as a name may be."""
    names = ["uniform"] + [
        f"stratum-{k:02d}-with-a-name-that-is-as-long-as-names-may-become-here" for k in range(1, 12)
    ]
    slices = [
        binary_slice(name, (20 + k, 10, 12, 60), traffic=not k, sampling=UNIFORM if not k else "Drawn 1 in 5.")
        for k, name in enumerate(names)
    ]
    rules = [
        rule(k, name, "positive_specific_agreement", "0.40", "0.4800", "pass", "lower")
        for k, name in enumerate(names, 1)
    ]
    return report(slices, rules, "pass")


def hostile() -> Report:
    """Names, labels, reasons and notes that try to become markup."""
    record = binary_slice(
        HOSTILE, (4, 18, 22, 956), traffic=True, who=(HOSTILE, HOSTILE_MARKDOWN), categories=(REVERSED, HOSTILE)
    )
    record = record.model_copy(
        update={
            "warnings": [HOSTILE_MARKDOWN],
            "coverage": record.coverage.model_copy(update={"abstain_reasons": {HOSTILE: 3}}),
        }
    )
    study = STUDY.model_copy(
        update={
            "study_id": HOSTILE,
            "question": HOSTILE_MARKDOWN,
            "categories": [
                CategoryRecord(value=REVERSED),
                CategoryRecord(value=HOSTILE, positive=True, definition=HOSTILE),
            ],
        }
    )
    rules = [rule(1, HOSTILE, "positive_specific_agreement", "0.40", "0.0490", "fail", "lower", reason=HOSTILE,
                  change=HOSTILE_MARKDOWN, headline=HOSTILE_MARKDOWN)]  # fmt: skip
    made = report([record], rules, "fail", study=study, deviations=[HOSTILE], changes=[HOSTILE_MARKDOWN])
    return made.model_copy(update={"round": round_record(closed_how="cut-short", closed_reason=HOSTILE_MARKDOWN)})


REPORTS = {
    one.__name__: one
    for one in (
        blocked,
        passed,
        one_rule_at_the_threshold,
        pilot,
        retrospective,
        no_positive_at_all,
        three_by_three,
        twelve_slices,
        hostile,
    )
}
