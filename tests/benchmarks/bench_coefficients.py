"""How long the coefficients take, as ratios measured side by side in one run. Printed as a Markdown table; no test.

irrCAC and evalaudit cannot be installed beside this project's scipy, so krippendorff is the only peer measured here.
"""

from __future__ import annotations

import resource
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import krippendorff
import numpy as np

from agreement import (
    count_vectors,
    estimate_many,
    krippendorff_alpha,
    krippendorff_alpha_values,
    patterns_from_codes,
    patterns_from_wide,
)

REPEATS = 3


def seconds(work: Callable[[], Any]) -> float:
    """Processor time of the fastest of a few runs, which other work on the machine does not change."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def label_codes(n_items: int, n_annotators: int, n_categories: int, missing: float, seed: int) -> Any:
    """Codes of annotators who know the true category seven times in ten; -1 where there is no label."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_categories, size=(n_items, 1))
    guess = rng.integers(0, n_categories, size=(n_items, n_annotators))
    codes = np.where(rng.random((n_items, n_annotators)) < 0.7, truth, guess)
    codes[rng.random((n_items, n_annotators)) < missing] = -1
    return codes


def nominal_alpha(n_items: int) -> list[str]:
    codes = label_codes(n_items, 3, 2, 0.2, seed=1)
    values = np.where(codes < 0, np.nan, codes).T
    ours = seconds(lambda: krippendorff_alpha(*count_vectors(patterns_from_codes(codes, "abc", "ny"))))
    theirs = seconds(lambda: krippendorff.alpha(values, level_of_measurement="nominal"))
    what = f"nominal alpha, {n_items:,} items, 3 annotators, 2 categories, 20 % missing"
    return [row(what, "krippendorff", ours, theirs, "at most 0.5")]


def interval_alpha() -> list[str]:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(50_000, 1)) + rng.normal(size=(50_000, 2))
    took = seconds(lambda: krippendorff_alpha_values(values, "interval"))
    tracemalloc.start()
    krippendorff_alpha_values(values, "interval")
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return [f"| interval alpha, 100,000 distinct values | - | {took:.3f} s | {peak:.0f} MB | under 1 s and 200 MB |"]


def intervals(n_items: int) -> list[str]:
    codes = label_codes(n_items, 3, 3, 0.1, seed=3)
    labels = np.array(["no", "maybe", "yes", ""])[codes]
    categories = ["no", "maybe", "yes"]
    patterns = patterns_from_codes(codes, "abc", categories)
    vectors, times = count_vectors(patterns)
    small = codes.astype(np.int8)
    from_text = seconds(lambda: count_vectors(patterns_from_wide(labels, categories, missing=[""])))
    from_codes = seconds(lambda: count_vectors(patterns_from_codes(small, "abc", categories)))
    without = seconds(lambda: estimate_many(vectors, times, seed=1))
    with_conger = seconds(lambda: estimate_many(vectors, times, seed=1, patterns=patterns))
    what = f"10,000 resamples, {n_items:,} items, 3 annotators, 3 categories"
    return [
        row(f"{what}, six coefficients", "encoding labels", without, from_text, "at most 2"),
        row(f"{what}, six coefficients", "counting codes", without, from_codes, "at most 2"),
        row(f"{what}, and Conger's", "encoding labels", with_conger, from_text, "at most 2"),
        row(f"{what}, and Conger's", "counting codes", with_conger, from_codes, "at most 2"),
    ]


def small_rounds() -> list[str]:
    rows = []
    for n_annotators, n_categories in ((2, 2), (3, 3), (5, 5)):
        codes = label_codes(500, n_annotators, n_categories, 0.1, seed=4)
        patterns = patterns_from_codes(
            codes, [str(k) for k in range(n_annotators)], [str(k) for k in range(n_categories)]
        )
        vectors, times = count_vectors(patterns)
        took = seconds(lambda v=vectors, t=times, p=patterns: estimate_many(v, t, seed=1, patterns=p))
        what = f"500 items, {n_annotators} annotators, {n_categories} categories, all coefficients"
        rows.append(f"| {what} | - | {took:.3f} s | - | under 0.3 s |")
    return rows


def row(what: str, beside: str, ours: float, theirs: float, goal: str) -> str:
    return f"| {what} | {beside}: {theirs:.3f} s | {ours:.3f} s | {ours / theirs:.2f} | {goal} |"


def main() -> None:
    n_items = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print("| what | beside | took | ratio | goal |\n|---|---|---|---|---|")
    for table in (nominal_alpha(n_items), interval_alpha(), intervals(n_items), small_rounds()):
        print("\n".join(table))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"\nHighest memory of the whole run, with the peer and its data: {peak:.0f} MB.")


if __name__ == "__main__":
    main()
