"""Pairs too much alike: planted copies are named, honest agreement is not."""

from __future__ import annotations

import numpy as np

from agreement.alike import identical, implausibly_alike

HONEST = np.array([[160, 20], [20, 40]])  # kappa 0.556, as (0.833 - 0.625) / (1 - 0.625)


def test_a_pair_far_above_all_others_is_named_with_the_next_highest_kappa():
    copied = np.array([[180, 0], [0, 60]])  # perfect agreement: kappa 1
    (found,) = implausibly_alike({("a", "b"): HONEST, ("a", "c"): HONEST, ("b", "c"): copied})
    assert found.pair == ("b", "c")
    assert (found.kappa, found.n_items) == (1.0, 240)
    assert round(found.next_highest, 3) == 0.556


def test_pairs_like_each_other_and_few_items_and_two_pairs_alone_are_not_named():
    perfect = np.array([[180, 0], [0, 60]])
    assert not list(implausibly_alike({("a", "b"): HONEST, ("a", "c"): HONEST, ("b", "c"): HONEST}))
    assert not list(implausibly_alike({("a", "b"): perfect, ("a", "c"): perfect, ("b", "c"): perfect}))
    assert not list(implausibly_alike({("a", "b"): HONEST // 10, ("a", "c"): HONEST // 10, ("b", "c"): perfect // 10}))
    assert not list(implausibly_alike({("a", "b"): HONEST, ("b", "c"): perfect}))


def test_identical_labels_need_some_that_are_not_the_commonest():
    tables = {
        ("a", "b"): np.array([[300, 0], [0, 5]]),  # five telling labels
        ("a", "c"): np.array([[300, 0], [0, 4]]),  # four: people who flag rarely are alike honestly
        ("b", "c"): np.array([[299, 1], [0, 5]]),  # one difference
    }
    assert list(identical(tables)) == [(("a", "b"), 305, 5)]
