"""May a model stand in for the annotators? The alternative annotator test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.exact import Array
from agreement.inputs import codes_of, multiplicity_of, refuse, share_of
from agreement.weights import category_values

Ints = NDArray[np.int64]
Scoring = Literal["accuracy", "neg_rmse"] | ArrayLike


@dataclass(frozen=True)
class AltAnnotator:
    """One annotator left out, and who is closer to the others: the annotator or the model.

    column: which annotator. n_items: items compared. model_advantage, human_advantage: share of them on which the model
        (the annotator) is at least as close; ties count for both.
    p_value: one-sided t-test that human_advantage - model_advantage lies below epsilon; 0 or 1 where all items give
        the same difference; nan where that is epsilon itself or there is a single item.
    beaten: whether the model wins against this annotator, after control of the false discovery rate.
    """

    column: int
    n_items: int
    model_advantage: float
    human_advantage: float
    p_value: float
    beaten: bool


@dataclass(frozen=True)
class AltTest:
    """winning_rate: share of the tested annotators the model wins against. advantage_probability: mean of their
        model_advantage. Both nan where nobody has enough items, and `status` says so.
    annotators: those tested. skipped: columns with too few items; they still count among the others.
    """

    winning_rate: float
    advantage_probability: float
    annotators: tuple[AltAnnotator, ...]
    skipped: tuple[int, ...]
    status: str = "ok"

    @property
    def passes(self) -> bool:
        """Whether the model wins against at least half of the annotators, the authors' criterion."""
        return self.winning_rate >= 0.5


def alt_test(
    codes: ArrayLike,
    model: ArrayLike,
    multiplicity: ArrayLike | None = None,
    n_categories: int | None = None,
    *,
    epsilon: float,
    scoring: Scoring = "accuracy",
    values: list[float] | None = None,
    q: float = 0.05,
    fewest_annotators: int = 2,
    fewest_items: int = 30,
) -> AltTest:
    """The alternative annotator test (Calderon, Reichart and Dror 2025, ACL).

    codes: shape (U, M). What each of M annotators said, 0..C-1; below 0 is no label. model: shape (U,), the same of the
        model. multiplicity: shape (U,), items of each row. n_categories: C; one more than the highest code if left out.
    epsilon: how much closer an annotator may be because a person costs more: 0.1 for a crowd, 0.2 for experts.
    scoring: how close an answer is to the others' answers. "accuracy": share of equal ones. "neg_rmse": less the root
        mean square distance of `values` (ranks 1..C if left out). Or a matrix of similarities, shape (C, C): the mean.
    q: the false discovery rate. fewest_annotators: an item needs so many, and a model's answer, to count.
    fewest_items: an annotator with fewer such items is not tested, but stays among the others.

    For each annotator j left out, d_i = [annotator at least as close] - [model at least as close] on item i; H0 is
    mean d >= epsilon. The p values go through Benjamini and Yekutieli's step-up procedure (2001, Ann Stat 29:1165).
    Winning rate: rejected / tested. Advantage probability: mean over j of the share of items with the model at least
    as close. Closeness is compared in exact numbers, so a tie is a tie.

    Undefined (nan, with a status) if no annotator has enough items.
    """
    width = _width(model)
    matrix, c = codes_of(codes, n_categories, at_least=width)
    answers, _ = codes_of(np.reshape(model, (-1, 1)), c, name="model")
    if len(answers) != len(matrix):
        refuse("model", f"has {len(answers)} entries for {len(matrix)} items")
    times = multiplicity_of(multiplicity, len(matrix)).astype(np.int64)
    epsilon, q = share_of("epsilon", epsilon), share_of("q", q)
    if fewest_annotators < 2:
        refuse("fewest_annotators", f"is {fewest_annotators}; whoever is left out needs another to be compared with")
    similarity = _similarity(scoring, c, values)
    counts = (matrix >= 0).sum(axis=1) >= fewest_annotators
    counts &= answers[:, 0] >= 0
    each = [_left_out(j, matrix[counts], answers[counts, 0], times[counts], similarity) for j in range(matrix.shape[1])]
    tested = [(j, seen) for j, seen in enumerate(each) if sum(seen) >= max(fewest_items, 1)]
    skipped = tuple(j for j, seen in enumerate(each) if sum(seen) < max(fewest_items, 1))
    if not tested:
        return AltTest(math.nan, math.nan, (), skipped, f"undefined: no annotator has {fewest_items} items to compare")
    p_values = [_p_value(*seen, epsilon) for _, seen in tested]
    beaten = benjamini_yekutieli(p_values, q)
    found = tuple(_annotator(j, seen, p, b) for (j, seen), p, b in zip(tested, p_values, beaten, strict=True))
    mean = math.fsum(a.model_advantage for a in found) / len(found)
    return AltTest(sum(beaten) / len(found), mean, found, skipped)


def benjamini_yekutieli(p_values: list[float], q: float) -> list[bool]:
    """Which hypotheses are rejected at false discovery rate q, whatever their dependence. nan is never rejected."""
    m = len(p_values)
    harmonic = sum(1 / rank for rank in range(1, m + 1))
    order = sorted(range(m), key=lambda k: (math.isnan(p_values[k]), p_values[k]))
    last = max((r for r, k in enumerate(order, 1) if p_values[k] <= r / m * (q / harmonic)), default=0)
    rejected = set(order[:last])
    return [k in rejected for k in range(m)]


Seen = tuple[int, int, int]  # items on which only the model is closer, both are alike, only the annotator is


def _left_out(column: int, codes: Ints, model: Ints, times: Ints, similarity: Array) -> Seen:
    has = codes[:, column] >= 0
    own, model, times = codes[has, column], model[has], times[has]
    others = np.delete(codes[has], column, axis=1)
    given = (others[:, :, None] == np.arange(len(similarity))).sum(axis=1).astype(object)
    scores = given @ similarity.T  # of each answer one could give, the sum of its similarities to the others' answers
    rows = np.arange(len(own))
    gap = scores[rows, own] - scores[rows, model] if len(own) else np.zeros(0)
    return int(times[gap < 0].sum()), int(times[gap == 0].sum()), int(times[gap > 0].sum())


def _p_value(model_only: int, alike: int, human_only: int, epsilon: float) -> float:
    from scipy.special import stdtr  # scipy costs a second to import and reading commands do without

    n = model_only + alike + human_only
    if n < 2:
        return math.nan
    total = human_only - model_only
    spread = n * (human_only + model_only) - total**2  # n (n - 1) times the sample variance, in integers
    gap = total / n - epsilon
    if spread == 0:
        return math.nan if gap == 0 else float(gap > 0)
    return float(stdtr(n - 1, gap / math.sqrt(spread / (n - 1)) * n))


def _annotator(column: int, seen: Seen, p_value: float, beaten: bool) -> AltAnnotator:
    model_only, alike, human_only = seen
    n = sum(seen)
    return AltAnnotator(column, n, (model_only + alike) / n, (human_only + alike) / n, p_value, beaten)


def _similarity(scoring: Scoring, n_categories: int, values: list[float] | None) -> Array:
    """Similarities of the categories as exact numbers, shape (C, C), object."""
    cells = range(n_categories)
    rows: Any
    if not isinstance(scoring, str):
        given = np.asarray(scoring)
        if given.shape != (n_categories, n_categories):
            refuse("scoring", f"has shape {given.shape}; the categories need {(n_categories, n_categories)}")
        rows = [category_values(row.tolist(), n_categories) for row in given]
    elif scoring == "accuracy":
        rows = [[int(i == j) for j in cells] for i in cells]
    elif scoring == "neg_rmse":
        v = category_values(values, n_categories)
        rows = [[-((v[i] - v[j]) ** 2) for j in cells] for i in cells]
    else:
        refuse("scoring", f"is {scoring!r}; use accuracy, neg_rmse or a matrix of similarities")
    return np.array(rows, dtype=object).reshape(n_categories, n_categories)


def _width(model: ArrayLike) -> int:
    array = np.asarray(model)
    return int(array.max(initial=-1)) + 1 if array.dtype.kind in "iu" else 0
