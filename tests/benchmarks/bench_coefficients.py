"""How long the coefficients take, as ratios measured side by side in one run. Printed as Markdown tables; no test.

    python tests/benchmarks/bench_coefficients.py [--items N] [--peers PYTHON]

PYTHON: the interpreter of an environment that has irrCAC and evalaudit, which ask for other versions of numpy and scipy
than this project: `python -m venv peers && peers/bin/pip install irrCAC evalaudit`. Without it they are not measured.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
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
from agreement.resample import draws

REPEATS = 5
CATEGORIES = ["no", "maybe", "yes"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--peers", metavar="PYTHON")
    asked = parser.parse_args()
    print("Processor seconds of the fastest of a few runs.\n")
    ten_thousand = intervals(asked.items)
    print()
    alpha_beside_peers(asked.items, asked.peers, ten_thousand)
    print()
    others()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"\nHighest memory of this whole run, with krippendorff and all data: {peak:.0f} MB (goal: under 500 MB).")


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


def intervals(n_items: int) -> float:
    """10,000 resamples beside the ways to get from labels to count vectors. Gives their seconds, Conger's included."""
    codes = label_codes(n_items, 3, 3, 0.1, seed=3)
    texts, small = np.array([*CATEGORIES, ""])[codes], codes.astype(np.int8)
    patterns = patterns_from_codes(codes, "abc", CATEGORIES)
    vectors, times = count_vectors(patterns)
    encodings = {
        "labels as text": seconds(lambda: count_vectors(patterns_from_wide(texts, CATEGORIES, missing=[""]))),
        "one row an item, `numpy.unique` of them": seconds(lambda: distinct_vectors(codes)),
        "codes of eight bytes": seconds(lambda: count_vectors(patterns_from_codes(codes, "abc", CATEGORIES))),
        "codes of one byte": seconds(lambda: count_vectors(patterns_from_codes(small, "abc", CATEGORIES))),
    }
    six, seven = (seconds(lambda p=p: estimate_many(vectors, times, seed=1, patterns=p)) for p in (None, patterns))
    drawn = [seconds(lambda t=t: list(draws(t, 10_000, 1))) for t in (times, patterns.multiplicity)]
    print(f"10,000 resamples with BCa intervals, {n_items:,} items, 3 annotators, 3 categories, 10 % missing:")
    print(
        f"six coefficients {six:.3f} s, of which drawing {drawn[0]:.3f} s ({len(vectors)} count vectors); with Conger's"
    )
    print(
        f"{seven:.3f} s, of which drawing {drawn[1]:.3f} s ({len(patterns.codes)} patterns). Goal: at most 2 times the"
    )
    print("encoding of the items to count vectors, which can be read in several ways:\n")
    print("| encoding to count vectors, from | took | six coefficients | and Conger's | drawing alone |")
    print("|---|---|---|---|---|")
    for name, took in encodings.items():
        print(f"| {name} | {took:.3f} s | {six / took:.2f} | {seven / took:.2f} | {drawn[1] / took:.2f} |")
    missed = [name for name, took in encodings.items() if seven > 2 * took]
    print(
        f"\nAll seven miss the goal beside: {', '.join(missed) or 'none'}. The last column is what no statistic could"
    )
    print(
        f"go under: {len(patterns.codes)} cells of numpy's exact multinomial; Conger's kappa must know who said what."
    )
    return seven


def distinct_vectors(codes: Any) -> Any:
    """The plain way: a count vector per item, and the distinct ones."""
    each = np.stack([(codes == k).sum(axis=1) for k in range(3)], axis=1)
    return np.unique(each, axis=0, return_counts=True)


def alpha_beside_peers(n_items: int, python: str | None, ten_thousand: float) -> None:
    codes = label_codes(n_items, 3, 2, 0.2, seed=1)
    values = np.where(codes < 0, np.nan, codes).T
    alpha = krippendorff_alpha(*count_vectors(patterns_from_codes(codes, "abc", "ny")))
    ours = seconds(lambda: krippendorff_alpha(*count_vectors(patterns_from_codes(codes, "abc", "ny"))))
    theirs = seconds(lambda: krippendorff.alpha(values, level_of_measurement="nominal"))
    peers = peer_seconds(python, codes) if python else []
    print(f"Nominal alpha from codes, {n_items:,} items, 3 annotators, 2 categories, 20 % missing: {ours:.4f} s.\n")
    print("| peer | took | goldgate beside it | goal |\n|---|---|---|---|")
    print(f"| krippendorff {version('krippendorff')} | {theirs:.3f} s | {ours / theirs:.3f} | at most 0.5 |")
    for found in peers:
        assert math.isclose(found["value"], alpha, abs_tol=1e-9), found
        if found["what"] == "alpha":
            print(f"| {found['peer']} | {found['seconds']:.3f} s | {ours / found['seconds']:.3f} | at most 0.1 |")
    for found in (f for f in peers if f["what"] == "resample"):
        times = 10_000 * found["seconds"] / ten_thousand
        print(
            f"\n{found['peer']} takes {found['seconds']:.3f} s for one resample of alpha of these items; 10,000 of them"
        )
        print(f"would take {times:,.0f} times as long as goldgate's of seven coefficients on as many items (goal: over")
        print("100 times). irrCAC and krippendorff do not resample.")
    if not peers:
        print("\nirrCAC and evalaudit were not measured: `--peers PYTHON` names an environment that has them.")


def peer_seconds(python: str, codes: Any) -> list[dict[str, Any]]:
    """What `peer_seconds.py` measures under another interpreter, on the same codes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "codes.npy"
        np.save(file, codes)
        script = Path(__file__).with_name("peer_seconds.py")
        out = subprocess.run([python, str(script), str(file)], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def others() -> None:
    print("| what | took | goal |\n|---|---|---|")
    rng = np.random.default_rng(2)
    values = rng.normal(size=(50_000, 1)) + rng.normal(size=(50_000, 2))
    took = seconds(lambda: krippendorff_alpha_values(values, "interval"))
    tracemalloc.start()
    krippendorff_alpha_values(values, "interval")
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    print(f"| interval alpha, 100,000 distinct values | {took:.3f} s, {peak:.0f} MB | under 1 s and 200 MB |")
    for n_annotators, n_categories in ((2, 2), (3, 3), (5, 5)):
        codes = label_codes(500, n_annotators, n_categories, 0.1, seed=4)
        names = [str(k) for k in range(5)]
        patterns = patterns_from_codes(codes, names[:n_annotators], names[:n_categories])
        vectors, times = count_vectors(patterns)
        took = seconds(lambda v=vectors, t=times, p=patterns: estimate_many(v, t, seed=1, patterns=p))
        what = f"500 items, {n_annotators} annotators, {n_categories} categories, all coefficients, 10,000 resamples"
        print(f"| {what} | {took:.3f} s | under 0.3 s |")


if __name__ == "__main__":
    main()
