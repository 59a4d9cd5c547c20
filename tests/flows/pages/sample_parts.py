"""What invented reports and histories of the page tests are made of.

The arithmetic is true: figures follow from the counts.

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
