"""Figures in which near misses count in part, for labels whose order was declared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from agreement.alpha import Metric, krippendorff_alpha
from agreement.estimate import Estimate
from agreement.exact import exactly
from agreement.linearised import too_many
from agreement.resample import bootstrap, interval
from agreement.specific import specific_agreement

WEIGHTS = ("linear", "quadratic", "ordinal", "radical", "ratio", "circular", "bipolar")
_IRRATIONAL = ("radical", "circular")
_METRICS: tuple[Metric, ...] = ("ordinal", "interval")


def numbers_of(categories: Sequence[str]) -> list[float] | None:
    """The categories as finite numbers; None if one is not."""
    try:
        numbers = [float(category) for category in categories]
    except ValueError:
        return None
    return numbers if all(map(math.isfinite, numbers)) else None


def weighted_estimates(
    vectors: Any,
    times: Any,
    categories: Sequence[str],
    *,
    weights: str,
    scale: str,
    values: list[float] | None,
    **drawn: Any,
) -> list[Estimate]:
    """Weighted specific agreement of each category, and alpha on the ordinal and the interval scale.

    scale: the one `krippendorff_alpha` is given on already, so not here again. values: what the categories stand for
    in the weights, their ranks if None. drawn: seed, resamples, level, method, withheld.

    Alpha on the interval scale takes the categories as the numbers they are, and is left out where they are none.
    """
    numbers = numbers_of(categories)

    def specific(v: Any, m: Any, code: int) -> Any:
        return specific_agreement(v, m, weights, values)[..., code]

    def alpha(v: Any, m: Any, metric: Metric) -> Any:
        return krippendorff_alpha(v, m, metric, numbers)

    few = not too_many(vectors)
    figures: list[tuple[str, str | None, Any, dict[str, Any]]] = [
        ("weighted_specific_agreement", category, specific, {"code": code}) for code, category in enumerate(categories)
    ]
    metrics = [metric for metric in _METRICS if metric != scale and (metric != "interval" or numbers is not None)]
    figures += [(f"krippendorff_alpha_{metric}", None, alpha, {"metric": metric}) for metric in metrics]

    def statistics(multiplicity: Any) -> Mapping[str, Any]:
        return {str(k): figure(vectors, multiplicity, **of) for k, (_, _, figure, of) in enumerate(figures)}

    resampled = bootstrap(statistics, times, resamples=drawn["resamples"] if few else 0, seed=drawn["seed"])
    counts = {"paired_items": int(times[vectors.sum(axis=1) >= 2].sum())}
    found = []
    for k, (name, category, figure, of) in enumerate(figures):
        value = float(figure(vectors, times, **of))
        if value != value:
            status = "undefined: never used on a paired item" if category else "undefined: one category or none paired"
            found.append(Estimate(name, None, category=category, status=status, n=counts))
            continue
        rational = few and (category is None or weights not in _IRRATIONAL)
        bounds = interval(resampled[str(k)], drawn["level"], drawn["method"])
        why = drawn["withheld"] or (None if few else "too many count vectors to draw")
        found.append(
            Estimate(
                statistic=name,
                value=value,
                exact=exactly(figure, vectors, times, **of) if rational else None,
                lower=None if why else bounds.lower,
                upper=None if why else bounds.upper,
                category=category,
                interval=f"none: {why}" if why else bounds.method,
                n=counts,
                undefined_replicates=bounds.undefined_replicates,
            )
        )
    return found
