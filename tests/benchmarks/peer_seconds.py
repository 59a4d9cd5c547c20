"""How long irrCAC and evalaudit take for nominal alpha, run by the interpreter of an environment of their own.

    PYTHON tests/benchmarks/peer_seconds.py CODES.npy

CODES.npy: int array, shape (items, annotators), below 0 no label. PYTHON has irrCAC or evalaudit; nothing of this
project is imported. Prints one JSON object per measurement; what is not installed is left out.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

import numpy as np

REPEATS = 3
RESAMPLES = 20


def seconds(work: Callable[[], Any], repeats: int = REPEATS) -> tuple[float, Any]:
    """Processor time of the fastest of a few runs, and what the work gave."""
    best, found = float("inf"), None
    for _ in range(repeats):
        start = time.process_time()
        found = work()
        best = min(best, time.process_time() - start)
    return best, found


def irrcac(codes: Any) -> Iterator[dict[str, Any]]:
    import pandas as pd
    from irrCAC.raw import CAC

    table = pd.DataFrame(np.where(codes < 0, np.nan, codes))
    took, found = seconds(lambda: CAC(table, digits=10).krippendorff())
    yield row("irrCAC", "alpha", took, found["est"]["coefficient_value"])


def evalaudit(codes: Any) -> Iterator[dict[str, Any]]:
    import pandas as pd
    from evalaudit import rater_agreement

    item, rater = np.nonzero(codes >= 0)
    table = pd.DataFrame({"item_id": item, "rater_id": rater, "rating": codes[item, rater]})
    took, found = seconds(lambda: rater_agreement(table, bootstrap_ci=False))
    yield row("evalaudit", "alpha", took, found.alpha)
    drawn, _ = seconds(lambda: rater_agreement(table, n_boot=RESAMPLES, seed=1), repeats=1)
    yield row("evalaudit", "resample", (drawn - took) / RESAMPLES, found.alpha)


def row(peer: str, what: str, took: float, value: float) -> dict[str, Any]:
    return {"peer": f"{peer} {version(peer)}", "what": what, "seconds": took, "value": float(value)}


def main() -> None:
    warnings.simplefilter("ignore")
    codes = np.load(sys.argv[1])
    for measure in (irrcac, evalaudit):
        try:
            for found in measure(codes):
                print(json.dumps(found), flush=True)
        except ImportError as missing:
            print(f"left out: {missing}", file=sys.stderr)


if __name__ == "__main__":
    main()
