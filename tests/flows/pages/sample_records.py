"""Invented reports and histories for the page tests. The arithmetic is true: figures follow from the counts.

`kappa_1000` (4, 18, 22, 956) is the published-style table of 1,000 items whose kappa is 857/5857.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

from scipy.stats import beta

from schemas.report import (
    AnnotatorRecord,
    CategoryRecord,
    Coverage,
    EstimateRecord,
    Head,
    MissingKinds,
    PairRecord,
    PartnerCheck,
    Positives,
    Protocol,
    RegistrationRecord,
    Report,
    RoundRecord,
    RuleRecord,
    RuleTableRow,
    Scenario,
    SliceRecord,
    StudyRecord,
    SubmissionRecord,
    VerdictRecord,
)

HOSTILE = '<script>alert("x")</script>'
HOSTILE_MARKDOWN = "[click](http://evil.example) | **bold** `code` <img src=x onerror=alert(1)> @everyone"
REVERSED = "safe\u202eelbon"


def floor4(value: Fraction | float) -> str:
    return f"{Decimal(math.floor(Fraction(value) * 10000)).scaleb(-4):.4f}"


def ceil4(value: Fraction | float) -> str:
    return f"{Decimal(math.ceil(Fraction(value) * 10000)).scaleb(-4):.4f}"


def estimate(statistic: str, value: Fraction | None, lower: float | None = None, upper: float | None = None,
             why: str = "no flags", interval: str = "bca", **n: int) -> EstimateRecord:  # fmt: skip
    return EstimateRecord(
        statistic=statistic,
        value=None if value is None else floor4(value),
        exact=None if value is None else str(value),
        lower=None if lower is None or value is None else floor4(lower),
        upper=None if upper is None or value is None else ceil4(upper),
        status="ok" if value is not None else f"undefined: {why}",
        interval=interval if lower is not None and value is not None else "none: undefined",
        n=n,
    )


def specific_bounds(joint: int, union: int) -> tuple[float, float]:
    """Clopper-Pearson on joint / union, carried over by 2p / (1 + p)."""
    p_low = 0.0 if joint == 0 else float(beta.ppf(0.025, joint, union - joint + 1))
    p_high = 1.0 if joint == union else float(beta.ppf(0.975, joint + 1, union - joint))
    return 2 * p_low / (1 + p_low), 2 * p_high / (1 + p_high)


def ratio(top: int | Fraction, bottom: int | Fraction) -> Fraction | None:
    return Fraction(top, bottom) if bottom else None


def binary_estimates(a: int, b: int, c: int, d: int) -> list[EstimateRecord]:
    """Everything a 2×2 table gives: a both, b first only, c second only, d neither."""
    n = a + b + c + d
    observed = Fraction(a + d, n)
    expected = Fraction((a + b) * (a + c) + (c + d) * (b + d), n * n)
    most = Fraction(min(a + b, a + c) + min(c + d, b + d), n)
    kappa, highest = ratio(observed - expected, 1 - expected), ratio(most - expected, 1 - expected)
    union = a + b + c
    psa, nsa = ratio(2 * a, 2 * a + b + c), ratio(2 * d, 2 * d + b + c)
    low, high = specific_bounds(a, union) if union else (0.0, 1.0)
    q = Fraction(2 * a + b + c, 2 * n)
    one = "one category only"
    half = 0.14

    def around(value: Fraction | None) -> tuple[float | None, float | None]:
        return (None, None) if value is None else (float(value) - half, min(1.0, float(value) + half))

    alpha = None if q in (0, 1) else 1 - (1 - observed) / (2 * q * (1 - q)) * Fraction(2 * n - 1, 2 * n)
    chance = ratio(2 * (a + b) * (a + c), n * (2 * a + b + c))
    return [
        estimate("positive_share", q, float(q) * 0.7, float(q) * 1.3 + 0.001, items=n),
        estimate("percent_agreement", observed, float(observed) - 0.01, min(1.0, float(observed) + 0.01), items=n),
        estimate("cohen_kappa", kappa, *around(kappa), why=one, items=n),
        estimate("positive_specific_agreement", psa, low, high, interval="beta", joint=a, union=union),
        estimate("krippendorff_alpha", alpha, *around(alpha), why=one, items=n),
        estimate("negative_specific_agreement", nsa, 0.97, 0.99, interval="beta"),
        estimate("cohen_kappa_expected_agreement", expected),
        estimate("max_agreement", most),
        estimate("cohen_kappa_max", highest, why=one),
        estimate("share_of_max", ratio(kappa, highest) if kappa is not None and highest else None, why=one),
        estimate("gwet_ac1", ratio(observed - 2 * q * (1 - q), 1 - 2 * q * (1 - q))),
        estimate("chance_positive_specific_agreement", chance),
        estimate("prevalence_index", Fraction(abs(a - d), n)),
        estimate("bias_index", Fraction(abs(b - c), n)),
        estimate("jaccard", ratio(a, union), why="no flags"),
    ]


def coverage(items: int, paired: int, abstained: int, passes: int = 2) -> Coverage:
    missing = items - paired - abstained if items - paired > abstained else 0
    return Coverage(
        items=items,
        assigned=items * passes,
        labelled=items * passes - abstained - missing,
        abstained=abstained,
        missing=missing,
        missing_kinds=MissingKinds(skipped=missing),
        abstain_reasons={"source-missing": abstained} if abstained else {},
        paired=paired,
        complete=paired,
    )


def binary_slice(name: str, cells: tuple[int, int, int, int], *, traffic: bool = False, items: int | None = None,
                 who: tuple[str, str] = ("ida", "bo"), categories: tuple[str, str] = ("supported", "unsupported"),
                 sampling: str = "Drawn 1 in 4 from those an automatic check had flagged.") -> SliceRecord:  # fmt: skip
    """Two annotators, categories (negative, positive)."""
    a, b, c, d = cells
    n = a + b + c + d
    items = items or n
    flags = {who[0]: a + b, who[1]: a + c}
    return SliceRecord(
        name=name,
        speaks_of="traffic" if traffic else "hard cases",
        sampling=sampling,
        coverage=coverage(items, n, items - n),
        annotators=[
            AnnotatorRecord(
                annotator_id=one,
                kind="human",
                coverage=coverage(items, n, 0, passes=1),
                labels={categories[0]: n - flags[one], categories[1]: flags[one]},
                flagged=flags[one],
                flag_rate=floor4(Fraction(flags[one], n)),
            )
            for one in who
        ],
        pairs=[
            PairRecord(
                first=who[0],
                second=who[1],
                paired=n,
                table=[[d, c], [b, a]],
                estimates=binary_estimates(*cells),
                never_flags_vs_first=floor4(Fraction(n - a - b, n)),
                never_flags_vs_second=floor4(Fraction(n - a - c, n)),
            )
        ],
        positives=Positives(
            flagged_by=[d, b + c, a], union=a + b + c, joint=a, contested=b + c, n_eff=str(a + b + c) if n > d else None
        ),
        estimates=binary_estimates(*cells)[:6],
        scenarios=[
            Scenario(statistic="positive_specific_agreement", worst="0.1021", best="0.5799"),
            Scenario(statistic="krippendorff_alpha", worst=None, best="0.5712", kind="scenarios"),
        ]
        if traffic
        else [],
        rule_table=[
            RuleTableRow(duplicates="refuse", abstentions="missing", registered=True, figures={"jaccard": "0.0909"}),
            RuleTableRow(duplicates="refuse", abstentions="category", registered=False, figures={"jaccard": None}),
        ]
        if traffic
        else [],
        partner=PartnerCheck(
            paired_positive=flags[who[0]], paired_labels=n, alone_positive=1, alone_labels=7, p_value="0.1632"
        )
        if traffic
        else None,
        can_tell=f"when one of the two flags an item of {name}, how often the other flags it too.",
        cannot_tell="which of the two is right, or how they would agree elsewhere.",
    )


def rule(number: int, slice_name: str, statistic: str, asked: str, found: str | None, verdict: str,
         judged_on: str = "value", **more: Any) -> RuleRecord:  # fmt: skip
    texts: dict[str, Any] = {
        "headline": "Agreement on flags is not shown" if verdict != "pass" else "Passed",
        "reason": "4 of 44 flags shared. Positive specific agreement 0.17 [0.05 to 0.36].",
        "change": "" if verdict == "pass" else "The definition. More labels cannot fix this: the value is below 0.40.",
        "tipping": "The verdict would tip if 20 of the 48 missing labels were flags.",
        "counts": {"joint": 4, "union": 44},
    }
    return RuleRecord(
        number=number,
        slice=slice_name,
        statistic=statistic,
        asked=asked,
        found=found,
        verdict=verdict,  # type: ignore[arg-type]  # the tests pass only the three words
        judged_on=judged_on,  # type: ignore[arg-type]  # likewise
        missing="observed",
        comparison="at_least",
        **{**texts, **more},
    )


STUDY = StudyRecord(
    study_id="unsupported-claim",
    question="Does this answer contain a claim that its sources do not support?",
    unit="one answer with the sources it cites",
    use="validate an automated judge",
    because="judges that differ by ten points must be told apart",
    scale="nominal",
    categories=[
        CategoryRecord(value="supported", definition="every claim is in a cited source"),
        CategoryRecord(value="unsupported", positive=True, definition="at least one claim is in no cited source"),
    ],
    passes=2,
    duplicates="refuse",
)
HASH = "3290562dfaad76a2214fc7a32b538f989b3f1429886e05c29ac8b8a78f06b85b"


def round_record(**changes: Any) -> RoundRecord:
    values: dict[str, Any] = {
        "round_id": "round-04",
        "kind": "measured",
        "guideline_version": "2.0",
        "guideline_digest": "1f" * 32,
        "opened_at": "2026-03-30T08:00:00Z",
        "closed_at": "2026-04-17T15:30:00Z",
        "closed_how": "complete",
        "attempt": 1,
        "attempts": 2,
        "labels_dated": "first label 2026-03-30, last 2026-04-17",
    }
    return RoundRecord(**{**values, **changes})


def report(slices: list[SliceRecord], rules: list[RuleRecord], status: str, **changes: Any) -> Report:
    words = {
        "fail": ("These labels may not be used to validate an automated judge. In traffic, ida and bo flagged 44 "
                 "answers between them and picked the same one 4 times.", 4),
        "pass": ("These labels may be used to validate an automated judge. All registered rules passed.", 0),
        "not_evaluable": ("These labels may not be used to validate an automated judge. No rule could be judged.", 5),
        "not_gated": ("A pilot shows how people label; it is never judged and its labels are never released.", 0),
    }  # fmt: skip
    sentence, exit_code = words[status]
    values: dict[str, Any] = {
        "version": 1,
        "changes": [],
        "study": STUDY,
        "round": round_record(),
        "registration": RegistrationRecord(
            digest="23" * 32,
            event=41,
            at="2026-03-26T09:00:00Z",
            grade="preregistered",
            history=["event 12: registration 1, guideline 1.0", "event 41: registration 2, guideline 2.0"],
        ),
        "ledger_head": Head(size=73, hash=HASH),
        "verdict": VerdictRecord(
            status=status,  # type: ignore[arg-type]  # one of the four words above
            exit_code=exit_code,
            sentence=sentence,
            next_step="Read the contested answers, then revise the guideline. Register it before the next round.",
            command="goldgate diagnose round-04",
            level="0.975",
            rules=rules,
            weakest_first=[r.number for r in rules if r.verdict != "pass"],
        ),
        "slices": slices,
        "submissions": [
            SubmissionRecord(
                event=52, file_name="ida.csv", digest="ab" * 32, rows=1024, new=1024, already_there=0, revised=0,
                notes=["a byte order mark was read past"], loss=["drafts are not in this export"],
            )
        ],
        "protocol": Protocol(
            interval_level="0.95", resamples=10000, seed=20260401,
            definitions={"positive_specific_agreement": "positive_specific_agreement/1"},
            versions={"goldgate": "0.1.0", "numpy": "2.4.6"}, duplicate_rule="refuse",
        ),
    }  # fmt: skip
    return Report(**{**values, **changes})


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
