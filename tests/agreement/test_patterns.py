"""The records of counts refuse what cannot be counted, and so do the functions with an edge of their own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import agreement
from agreement import Flags, Patterns

BROKEN = [
    (Patterns, {"codes": np.array([[0, 5]])}),
    (Patterns, {"codes": np.array([[0, -9]])}),
    (Patterns, {"codes": np.array([0, 1])}),
    (Patterns, {"codes": np.array([[0.0, 0.5]])}),
    (Patterns, {"multiplicity": np.array([-1])}),
    (Patterns, {"multiplicity": np.array([1, 2])}),
    (Patterns, {"annotators": ("a", "a")}),
    (Patterns, {"categories": ("flag", "flag")}),
    (Flags, {"n_positive": np.array([3])}),
    (Flags, {"n_labels": np.array([-2])}),
    (Flags, {"n_gaps": np.array([0.5])}),
    (Flags, {"multiplicity": np.array([1, 2])}),
]
WHOLE: dict[Any, dict[str, Any]] = {
    Patterns: {
        "annotators": ("a", "b"),
        "categories": ("flag", "no"),
        "codes": np.array([[0, 1]]),
        "multiplicity": np.array([1]),
    },
    Flags: {name: np.array([2]) for name in ("n_positive", "n_labels", "n_gaps", "multiplicity")},
}


@pytest.mark.parametrize(("record", "wrong"), BROKEN)
def test_records_of_counts_refuse_what_cannot_be_counted(record: Any, wrong: dict[str, Any]) -> None:
    assert record(**WHOLE[record]) is not None
    with pytest.raises(ValueError, match=r"^(codes|multiplicity|annotators|categories|n_positive|n_labels|n_gaps) "):
        record(**WHOLE[record] | wrong)


def test_light_kappa_of_one_annotator_has_no_pair_and_no_value() -> None:
    assert math.isnan(agreement.light_kappa([[0], [1], [1]]))
    assert np.isnan(agreement.light_kappa([[0], [1]], [[1, 2], [3, 4]])).tolist() == [True, True]


def test_exactly_refuses_what_is_no_number() -> None:
    with pytest.raises(ValueError, match=r"^counts "):
        agreement.exactly(agreement.cohen_kappa, [[1, math.nan], [0, 2]])
