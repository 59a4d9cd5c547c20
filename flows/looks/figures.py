"""Every figure of one group of labels, as a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from agreement.alpha import Metric
from agreement.comparison import Drawing, all_figures
from agreement.counts import count_vectors, pair_counts
from agreement.estimate import Estimate
from agreement.estimates import estimate_many
from agreement.flag_statistics import estimate_flag_statistics
from agreement.flags import flags_of
from agreement.patterns import MISSING, Patterns
from agreement.resample import bootstrap, interval
from agreement.specific import collapse, specific_agreement
from agreement.two_annotators import estimate_two
from flows.looks.comparison import comparison
from flows.looks.rows import LongRows
from flows.looks.weighted import numbers_of, weighted_estimates
from flows.storage.store import Connection

LEVEL, RESAMPLES, SEED = 0.95, 10_000, 1
FEWEST_POSITIVES = 10


def figures(
    patterns: Patterns, positive: Sequence[str], *, scale: str, method: str, weights: str | None = None
) -> dict[str, Any]:
    """Counts and estimates. positive: the categories looked for, if any. scale: of Krippendorff's alpha.
    method: "bca", or "percentile" for every interval. weights: adds the figures in which near misses count in part."""
    vectors, times = count_vectors(patterns)
    mask = _mask(patterns.categories, positive)
    estimates = _coefficients(patterns, vectors, times, mask, scale, method, weights)
    specific = estimate_flag_statistics(patterns, mask)
    if method == "percentile":
        specific = _percentile(specific, vectors, times, mask, patterns.categories)
    record: dict[str, Any] = {
        "counts": _counts(patterns, vectors, times),
        "labels": _label_counts(patterns, vectors, times),
        "estimates": [_as_record(e) for e in (*estimates, *specific)],
    }
    if mask is not None:
        flags = flags_of(patterns, mask)
        record["counts"] |= {"union_positives": flags.union_positives, "joint_positives": flags.joint_positives}
    if len(patterns.annotators) == 2:
        table = pair_counts(patterns, 0, 1)
        record["pair"] = {"annotators": list(patterns.annotators), "table": table.tolist()}
    return record


def compared(
    con: Connection,
    found: LongRows,
    whole: Patterns,
    asked: str,
    positive: Sequence[str],
    *,
    scale: str,
    method: str,
    weights: str | None,
) -> dict[str, Any]:
    """The difference `--compare` asks for, as a record. Otherwise as `figures`."""
    mask = _mask(whole.categories, positive)
    values = _values(whole.categories, scale)
    of = all_figures(len(whole.categories), positive=mask, weights=weights, metric=cast(Metric, scale), values=values)
    drawing = Drawing(SEED, RESAMPLES, LEVEL, method)
    record = comparison(con, found, whole, asked, of, drawing, lambda part: _withheld(part, mask, method))
    return {**record, "estimates": [_as_record(e) for e in record["estimates"]]}


def _mask(categories: Sequence[str], positive: Sequence[str]) -> Any:
    return np.array([c in positive for c in categories]) if positive else None


def _coefficients(
    patterns: Patterns, vectors: Any, times: Any, mask: Any, scale: str, method: str, weights: str | None
) -> list[Estimate]:
    values = _values(patterns.categories, scale)
    drawn: dict[str, Any] = {"seed": SEED, "resamples": RESAMPLES, "level": LEVEL, "method": method}
    drawn["withheld"] = _withheld(patterns, mask, method)
    settings = drawn | {"metric": cast(Metric, scale), "values": values, "weights": weights}
    if len(patterns.annotators) == 2:
        found = estimate_two(patterns, positive=mask, **settings)
    else:
        found = estimate_many(vectors, times, patterns=patterns, **settings)
    if weights is None:
        return list(found.values())
    return [
        *found.values(),
        *weighted_estimates(vectors, times, patterns.categories, weights=weights, scale=scale, values=values, **drawn),
    ]


def _withheld(patterns: Patterns, mask: Any, method: str) -> str | None:
    """Why no BCa interval may be shown. Percentile ones, for comparison, are always shown."""
    if method == "percentile" or mask is None or flags_of(patterns, mask).union_positives >= FEWEST_POSITIVES:
        return None
    return f"fewer than {FEWEST_POSITIVES} union positives"


def _values(categories: Sequence[str], scale: str) -> list[float] | None:
    """What the categories stand for. Ranks, if they are not numbers."""
    return numbers_of(categories) if scale in ("interval", "ratio") else None


def _percentile(
    estimates: Sequence[Estimate], vectors: Any, times: Any, mask: Any, categories: Sequence[str]
) -> list[Estimate]:
    """Specific agreement with percentile intervals in place of the beta ones; the others keep theirs."""

    def statistics(drawn: Any) -> Mapping[str, Any]:
        values = specific_agreement(vectors, drawn)
        by_name = {f"specific_agreement {c}": values[..., k] for k, c in enumerate(categories)}
        if mask is not None:
            both = specific_agreement(collapse(vectors, mask), drawn)
            by_name |= {"positive_specific_agreement": both[..., 0], "negative_specific_agreement": both[..., 1]}
        return by_name

    resampled = bootstrap(statistics, times, resamples=RESAMPLES, seed=SEED)
    found = []
    for e in estimates:
        name = f"{e.statistic} {e.category}" if e.category is not None else e.statistic
        if name in resampled and e.value is not None:
            bounds = interval(resampled[name], LEVEL, "percentile")
            e = replace(e, lower=bounds.lower, upper=bounds.upper, interval=bounds.method)
        found.append(e)
    return found


def _counts(patterns: Patterns, vectors: Any, times: Any) -> dict[str, int]:
    labels = vectors.sum(axis=1) if len(vectors) else np.zeros(0, dtype=np.int64)
    per_item = {f"items_with_{m}_labels": int(times[labels == m].sum()) for m in np.unique(labels)}
    return {
        "items": int(patterns.multiplicity.sum()),
        "annotators": len(patterns.annotators),
        "labels": int(times @ labels),
        "missing": int(((patterns.codes == MISSING).sum(axis=1) * patterns.multiplicity).sum()),
        "paired_items": int(times[labels >= 2].sum()),
        **per_item,
    }


def _label_counts(patterns: Patterns, vectors: Any, times: Any) -> dict[str, int]:
    totals = times @ vectors if len(vectors) else np.zeros(len(patterns.categories), dtype=np.int64)
    return {c: int(n) for c, n in zip(patterns.categories, totals, strict=True)}


def _as_record(e: Estimate) -> dict[str, Any]:
    return {
        "statistic": e.statistic,
        "category": e.category,
        "value": e.value,
        "exact": None if e.exact is None else str(e.exact),
        "lower": e.lower,
        "upper": e.upper,
        "status": e.status,
        "interval": e.interval,
        "n": dict(e.n),
        "n_eff": e.n_eff,
        "undefined_replicates": e.undefined_replicates,
    }
