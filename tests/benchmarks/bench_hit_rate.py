"""How often the intervals hold the truth, and how often the gate passes a study whose truth is its threshold.

    python tests/benchmarks/bench_hit_rate.py           small: 400 studies a cell
    python tests/benchmarks/bench_hit_rate.py --full    10,000 studies a cell; half an hour

Truth: exchangeable annotators, the flags on an item beta-binomial with mean `flag rate` and P(flag | another flag) =
`agreement`, so that positive specific agreement is known and kappa and alpha are the correlation. For positive specific
agreement each study has exactly so many union positives; for kappa and alpha it has as many items as give so many on
average. Prints Markdown; nothing is written. Seeds are fixed.
"""

import argparse
import math
from fractions import Fraction

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="10,000 studies a cell instead of 400")
    parser.add_argument("--seed", type=int, default=1)
    full = parser.parse_args().full
    seed = parser.parse_args().seed
    studies, resamples = (10_000, 1_000) if full else (400, 500)
    print(f"## Positive specific agreement: {studies:,} studies a cell\n")
    specific_table(studies, seed)
    print(f"\n## Kappa and alpha of two annotators, BCa of {resamples:,} draws: {studies:,} studies a cell\n")
    kappa_table(studies, resamples, seed)
    print("\n## The gate when the truth is the threshold (two annotators, exact)\n")
    gate_table()


def specific_table(studies: int, seed: int) -> None:
    """Per cell: how often the interval holds the truth, and how often its lower bound lies above it."""
    allowed = 0.025 + 3 * math.sqrt(0.025 * 0.975 / studies)
    print("Hit rate, and in brackets how often the lower bound lies above the truth, in %.\n")
    print("| annotators | flag rate | agreement |" + "".join(f" {u} |" for u in UNIONS))
    print("|---|---|---|" + "---|" * len(UNIONS))
    worst = 0.0
    for annotators in (2, 3, 5):
        for rate in FLAG_RATES:
            for truth in TRUTHS:
                cells = []
                for union in UNIONS:
                    hit, above = specific_cell(annotators, rate, truth, union, studies, seed)
                    worst = max(worst, above)
                    cells.append(f" {100 * hit:.1f} ({100 * above:.1f}) |")
                print(f"| {annotators} | {100 * rate:.0f} % | {truth:.2f} |" + "".join(cells))
    verdict = "within" if worst <= allowed else "NOT within"
    print(f"\nMost often above: {100 * worst:.2f} %, {verdict} 2.5 % + 3 standard errors = {100 * allowed:.2f} %.")


def specific_cell(
    annotators: int, rate: float, truth: float, union: int, studies: int, seed: int
) -> tuple[float, float]:
    shares = flags_on_flagged_items(truth, annotators, rate)
    rng = np.random.default_rng([seed, annotators, int(rate * 100), int(truth * 100), union])
    drawn = rng.multinomial(union, shares, size=studies)
    flags = np.arange(1, annotators + 1)
    y, z = specific_terms(flags, np.full(annotators, annotators))
    _, lower, upper = simulated_bounds(y, z, drawn, 0.05, "specific")
    return float(((lower <= truth) & (truth <= upper)).mean()), float((lower > truth).mean())


def kappa_table(studies: int, resamples: int, seed: int) -> None:
    print("Hit rate, in brackets how often the lower bound lies above the truth, and studies without interval, in %.\n")
    print("| statistic | flag rate | agreement |" + "".join(f" {u} |" for u in UNIONS))
    print("|---|---|---|" + "---|" * len(UNIONS))
    for rate in FLAG_RATES:
        for truth in TRUTHS:
            cells = [kappa_cell(rate, truth, union, studies, resamples, seed) for union in UNIONS]
            for name in ("cohen_kappa", "krippendorff_alpha"):
                line = "".join(f" {cell[name]} |" for cell in cells)
                print(f"| {name} | {100 * rate:.0f} % | {truth:.2f} |{line}", flush=True)


def kappa_cell(rate: float, truth: float, union: int, studies: int, resamples: int, seed: int) -> dict[str, str]:
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
    count = {name: np.zeros(3) for name in ("cohen_kappa", "krippendorff_alpha")}  # hit, above, without
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
    return {name: shown(tally, studies) for name, tally in count.items()}


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


def shown(tally: np.ndarray, studies: int) -> str:
    evaluated = max(studies - tally[2], 1)
    hit, above = 100 * tally[:2] / evaluated
    return f"{hit:.1f} ({above:.1f}) {100 * tally[2] / studies:.1f}"


def gate_table() -> None:
    """How often a study passes whose true agreement is exactly the threshold, by rule type and attempts."""
    threshold = Fraction(2, 5)
    lower = Rule("s", PSA, at_least="0.40", judged_on="lower")
    value = Rule("s", PSA, at_least="0.40")
    print("Chance in % that a programme of so many attempts passes, each bound at level 1 - 0.05 / attempts.\n")
    print("| rule | attempts |" + "".join(f" {u} |" for u in UNIONS))
    print("|---|---|" + "---|" * len(UNIONS))
    for name, rule in (("value >= 0.40", value), ("lower >= 0.40", lower)):
        for attempts in (1, 2, 4):
            alpha = Fraction(1, 20) / attempts
            once = [float(pass_probability([rule], union, threshold, alpha)) for union in UNIONS]
            line = "".join(f" {100 * (1 - (1 - chance) ** attempts):.1f} |" for chance in once)
            print(f"| {name} | {attempts} |{line}")


if __name__ == "__main__":
    main()
