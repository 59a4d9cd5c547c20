"""How often the intervals hold the truth, and how often the gate passes a study whose truth is its threshold.

    python tests/benchmarks/bench_hit_rate.py           10,000 studies a cell, kappa and alpha by 1,000 draws; minutes
    python tests/benchmarks/bench_hit_rate.py --full    10,000 draws, as a round has them; a quarter of an hour

Truth: exchangeable annotators, the flags on an item beta-binomial with mean `flag rate` and P(flag | another flag) =
`agreement`, so that positive specific agreement is known and kappa and alpha are the correlation. For positive specific
agreement each study has exactly so many union positives; for kappa and alpha it has as many items as give so many on
average. Prints Markdown; `write_tables.py` puts it where it is read. Seeds are fixed.
"""

import argparse
import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Literal

import numpy as np
from scipy.stats import betabinom

from agreement.beta_interval import specific_terms
from agreement.exact import ratio
from agreement.operating_curve import flags_on_flagged_items, pass_probability, simulated_bounds
from agreement.resample import bootstrap, interval
from agreement.rules import Rule

FLAG_RATES = (0.02, 0.08, 0.30)
TRUTHS = (0.30, 0.55, 0.75)
UNIONS = (20, 41, 100, 250)
PSA = "positive_specific_agreement"
KAPPA_AND_ALPHA = ("cohen_kappa", "krippendorff_alpha")
Cell = dict[str, tuple[float, float, float]]  # per statistic: hit, lower bound above, no interval


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="10,000 draws instead of 1,000 for kappa and alpha")
    parser.add_argument("--studies", type=int, default=10_000, help="studies a cell")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    specific_table(asked.studies, asked.seed)
    print()
    kappa_table(asked.studies, 10_000 if asked.full else 1_000, asked.seed)
    print()
    gate_table(asked.studies, asked.seed)


def allowed(studies: int) -> float:
    """The promised 2.5 % and three standard errors of the simulation."""
    return 0.025 + 3 * math.sqrt(0.025 * 0.975 / studies)


def worst_of(what: str, worst: float, studies: int) -> str:
    verdict = "within" if worst <= allowed(studies) else "NOT within"
    limit = f"2.5 % + 3 standard errors = {100 * allowed(studies):.2f} %"
    return f"{what}: {100 * worst:.2f} %, {verdict} {limit}."


def head(first: str) -> str:
    return f"| {first} | flag rate | agreement |" + "".join(f" {u} |" for u in UNIONS) + "\n|" + "---|" * 7


def specific_table(studies: int, seed: int) -> None:
    print(f"### Positive specific agreement, {studies:,} studies a cell\n")
    print(
        "By union positives: the hit rate of the 95 % interval, and in brackets how often its lower bound lay above the"
    )
    print("truth and its upper bound below, in %. 2.5 is promised for each; the gate judges on the lower bound.\n")
    print(head("annotators"))
    above, below = [], {2: 0.0, 3: 0.0, 5: 0.0}
    for annotators in (2, 3, 5):
        for rate in FLAG_RATES:
            for truth in TRUTHS:
                cells = [specific_cell(annotators, rate, truth, union, studies, seed) for union in UNIONS]
                above += [a for a, _ in cells]
                below[annotators] = max(below[annotators], *(b for _, b in cells))
                line = "".join(f" {100 * (1 - a - b):.1f} ({100 * a:.1f}, {100 * b:.1f}) |" for a, b in cells)
                print(f"| {annotators} | {100 * rate:.0f} % | {truth:.2f} |{line}", flush=True)
    print("\n" + worst_of("Lower bound most often above in any cell", max(above), studies))
    print(worst_of("Upper bound most often below, three or five annotators", max(below[3], below[5]), studies))
    print(
        f"With two annotators: {100 * below[2]:.2f} %. That is Clopper and Pearson's bound, which misses at most 2.5 %;"
    )
    print("what is over is the simulation's own error.")


def specific_cell(
    annotators: int, rate: float, truth: float, union: int, studies: int, seed: int
) -> tuple[float, float]:
    shares = flags_on_flagged_items(truth, annotators, rate)
    rng = np.random.default_rng([seed, annotators, int(rate * 100), int(truth * 100), union])
    drawn = rng.multinomial(union, shares, size=studies)
    flags = np.arange(1, annotators + 1)
    y, z = specific_terms(flags, np.full(annotators, annotators))
    _, lower, upper = simulated_bounds(y, z, drawn, 0.05, "specific")
    return float((lower > truth).mean()), float((upper < truth).mean())


def kappa_table(studies: int, resamples: int, seed: int) -> None:
    lines = (
        (rate, truth, [kappa_cell(rate, truth, union, studies, resamples, seed) for union in UNIONS])
        for rate in FLAG_RATES
        for truth in TRUTHS
    )
    print_kappa(lines, studies, resamples)


def print_kappa(lines: Iterable[tuple[float, float, list[Cell]]], studies: int, resamples: int) -> None:
    print(f"### Kappa and alpha of two annotators, BCa of {resamples:,} draws, {studies:,} studies a cell\n")
    print(
        "As many items as give so many union positives on average. Hit rate; in brackets how often the lower bound lay"
    )
    print(
        "above the truth; then the share of studies without an interval (under ten union positives), left out, in %.\n"
    )
    print(head("statistic"))
    worst = 0.0
    for rate, truth, line in lines:
        for name in KAPPA_AND_ALPHA:
            shares = [cell[name] for cell in line]
            worst = max(worst, *(above for _, above, _ in shares))
            text = "".join(f" {100 * hit:.1f} ({100 * above:.1f}) {100 * none:.1f} |" for hit, above, none in shares)
            print(f"| {name} | {100 * rate:.0f} % | {truth:.2f} |{text}", flush=True)
    print("\n" + worst_of("Lower bound most often above in any cell", worst, studies))


def kappa_cell(rate: float, truth: float, union: int, studies: int, resamples: int, seed: int) -> Cell:
    correlation = (truth - rate) / (1 - rate)  # kappa, pi and, for many items, alpha
    bound = max(correlation, 1e-9)  # a beta-binomial of correlation zero is a limit
    spread = (1 - bound) / bound
    none, one, two = betabinom.pmf([0, 1, 2], 2, rate * spread, (1 - rate) * spread)
    n_items = round(union / (one + two))
    rng = np.random.default_rng([seed, 2, int(rate * 100), int(truth * 100), union])
    tables = rng.multinomial(n_items, [two, one / 2, one / 2, none], size=studies)
    # The two annotators may change places and an interval follows from the table alone, so each table is drawn once.
    tables[:, 1:3] = np.sort(tables[:, 1:3], axis=1)
    distinct, times = np.unique(tables, axis=0, return_counts=True)
    count = {name: np.zeros(3) for name in KAPPA_AND_ALPHA}  # hit, above, without
    for place, (table, so_often) in enumerate(zip(distinct, times.tolist(), strict=True)):
        # As for a round: no interval on fewer than ten union positives.
        found = bootstrap(both_figures, table, resamples=resamples, seed=place) if table[:3].sum() >= 10 else None
        for name, tally in count.items():
            bounds = None if found is None else interval(found[name], 0.95)
            if bounds is None or bounds.lower is None or bounds.upper is None:
                tally[2] += so_often
            else:
                tally[:2] += so_often * np.array(
                    [bounds.lower <= correlation <= bounds.upper, bounds.lower > correlation]
                )
    return {name: shares_of(tally, studies) for name, tally in count.items()}


def both_figures(times: np.ndarray) -> dict[str, np.ndarray]:
    """Kappa and alpha from (..., 4): both, first only, second only, neither.

    Written out for this one table, as there are 360 million of them; the general functions are much slower.
    """
    both, first, second, neither = np.moveaxis(np.asarray(times, dtype=float), -1, 0)
    n = both + first + second + neither
    observed = (both + neither) / n
    chance = ((both + first) * (both + second) + (second + neither) * (first + neither)) / n**2
    flagged = (2 * both + first + second) / (2 * n)
    expected = 2 * flagged * (1 - flagged) * 2 * n / (2 * n - 1)
    return {
        "cohen_kappa": ratio(observed - chance, 1 - chance),
        "krippendorff_alpha": 1 - ratio(1 - observed, expected),
    }


def shares_of(tally: np.ndarray, studies: int) -> tuple[float, float, float]:
    hit, above, without = tally.tolist()
    evaluated = max(studies - without, 1)
    return hit / evaluated, above / evaluated, without / studies


def gate_table(studies: int, seed: int) -> None:
    """How often a study passes whose true agreement is exactly the threshold, by rule type and attempts."""
    print("### The gate when the truth is the threshold 0.40\n")
    print("Chance in %, by union positives, that a programme of so many attempts passes; each bound is taken at level")
    print(f"1 - 0.05 / attempts. Two annotators: exact. Three and five: {studies:,} studies, 8 % flags.\n")
    print("| rule | annotators | attempts |" + "".join(f" {u} |" for u in UNIONS) + "\n|" + "---|" * 7)
    for judged_on in ("value", "lower"):
        for annotators in (2, 3, 5):
            for attempts in (1, 2, 4):
                once = [passes_once(judged_on, annotators, union, attempts, studies, seed) for union in UNIONS]
                line = "".join(f" {100 * (1 - (1 - chance) ** attempts):.1f} |" for chance in once)
                print(f"| {judged_on} ≥ 0.40 | {annotators} | {attempts} |{line}")


def passes_once(
    judged_on: Literal["value", "lower"], annotators: int, union: int, attempts: int, studies: int, seed: int
) -> float:
    alpha = Fraction(1, 20) / attempts
    if annotators == 2:
        rule = Rule("s", PSA, at_least="0.40", judged_on=judged_on)
        return float(pass_probability([rule], union, Fraction(2, 5), alpha))
    rng = np.random.default_rng([seed, annotators, union])
    drawn = rng.multinomial(union, flags_on_flagged_items(0.40, annotators, 0.08), size=studies)
    flags = np.arange(1, annotators + 1)
    y, z = specific_terms(flags, np.full(annotators, annotators))
    value, lower, _ = simulated_bounds(y, z, drawn, float(alpha), "specific")
    return float(((value if judged_on == "value" else lower) >= 0.40 - 1e-12).mean())


if __name__ == "__main__":
    main()
