"""Specific agreement and its kin."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.exact import exactly
from agreement.flag_statistics import FLAG_STATISTICS, estimate_flag_statistics, exact_value
from agreement.flags import flags_of, two_annotator_flags
from agreement.partner import partner_test
from agreement.patterns import ABSTAINED, MISSING, NOT_ASSIGNED, Patterns
from agreement.specific import (
    chance_positive_specific_agreement,
    contested_share,
    flagged_by,
    jaccard,
    joint_positive_rate,
    joint_positives,
    lowest_pair,
    negative_specific_agreement,
    never_flags_agreement,
    pair_agreements,
    paired_items,
    positive_share,
    positive_specific_agreement,
    specific_agreement,
    union_positive_rate,
    union_positives,
)

tables = st.lists(st.integers(0, 60), min_size=4, max_size=4)
vectors = st.integers(2, 4).flatmap(
    lambda c: st.lists(st.lists(st.integers(0, 4), min_size=c, max_size=c), min_size=1, max_size=8)
)


@settings(max_examples=60, deadline=None)
@given(tables)
def test_positive_specific_agreement_of_two_is_f1_of_one_against_the_other(cells):
    a, b, c, d = cells
    found = specific_agreement(np.array([[2, 0], [1, 1], [0, 2]]), np.array([a, b + c, d]))
    if a + b + c:
        precision_recall = [a / (a + b) if a + b else 0, a / (a + c) if a + c else 0]
        f1 = 2 * a / (2 * a + b + c)
        assert found[0] == pytest.approx(f1)
        if min(precision_recall) > 0:
            assert found[0] == pytest.approx(2 / sum(1 / x for x in precision_recall))
    else:
        assert math.isnan(found[0])


@settings(max_examples=60, deadline=None)
@given(vectors)
def test_it_is_the_share_of_ordered_pairs_of_labels_that_agree_given_the_first(rows):
    counts = np.array(rows)
    found = specific_agreement(counts)
    for k in range(counts.shape[1]):
        same = others = 0
        for row in rows:
            labels = [c for c, n in enumerate(row) for _ in range(n)]
            for i, first in enumerate(labels):
                for j, second in enumerate(labels):
                    if i != j and first == k:
                        others += 1
                        same += second == k
        assert found[k] == pytest.approx(same / others) if others else math.isnan(found[k])


@settings(max_examples=40, deadline=None)
@given(vectors, st.randoms(use_true_random=False))
def test_order_of_items_names_of_categories_and_merged_rows_change_nothing(rows, random):
    counts = np.array(rows)
    found = specific_agreement(counts)
    shuffled = list(rows)
    random.shuffle(shuffled)
    np.testing.assert_allclose(specific_agreement(np.array(shuffled)), found, rtol=1e-12)
    np.testing.assert_allclose(specific_agreement(counts[:, ::-1])[::-1], found, rtol=1e-12)
    merged, times = np.unique(counts, axis=0, return_counts=True)
    np.testing.assert_allclose(specific_agreement(merged, times), found, rtol=1e-12)
    identity = np.eye(counts.shape[1])
    np.testing.assert_allclose(specific_agreement(counts, weights=identity), found, rtol=1e-12)


def test_a_ragged_table_gives_the_printed_fractions():
    # Three annotators, ten items, one of them labelled once; Uebersax 1982: category 0 8/11, category 1 5/8.
    ratings = [[1, 1, 0], [1, 0, None], [0, 0, 0], [None, 1, 1], [0, None, None]]
    ratings += [[1, 1, 1], [0, 0, 1], [0, None, 0], [0, 0, 0], [1, None, 0]]
    counts = [[row.count(0), row.count(1)] for row in ratings]
    assert exactly(lambda v: specific_agreement(v)[0], counts) == Fraction(8, 11)
    assert exactly(lambda v: specific_agreement(v)[1], counts) == Fraction(5, 8)


def test_results_keep_the_leading_axes_of_the_multiplicity():
    counts, times = np.array([[2, 0], [1, 1], [0, 2]]), np.array([[6, 35, 459], [0, 0, 10]])
    assert specific_agreement(counts, times).shape == (2, 2)
    found = positive_specific_agreement(counts, [True, False], times)
    assert found[0] == pytest.approx(12 / 47)
    assert math.isnan(found[1])


def test_several_positive_categories_are_taken_as_one():
    # "mild" and "severe" both count as positive: (mild, severe) is a joint positive.
    counts = np.array([[1, 1, 0], [1, 0, 1], [0, 0, 2]])
    assert positive_specific_agreement(counts, [True, True, False]) == pytest.approx(2 / 3)
    assert negative_specific_agreement(counts, [True, True, False]) == pytest.approx(2 / 3)
    assert specific_agreement(counts)[0] == 0


BY_COUNTS = [
    (jaccard, "jaccard"),
    (contested_share, "contested_share"),
    (union_positive_rate, "union_positive_rate"),
    (joint_positive_rate, "joint_positive_rate"),
    (positive_share, "positive_share"),
    (positive_specific_agreement, "positive_specific_agreement"),
]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from([0, 1, MISSING, NOT_ASSIGNED]), min_size=4, max_size=4), min_size=1, max_size=9)
)
def test_what_the_gate_computes_from_flags_is_what_the_array_functions_give(codes):
    codes = np.array(codes)
    patterns = Patterns(("a", "b", "c", "d"), ("flag", "no"), codes, np.ones(len(codes), dtype=np.int64))
    counts = np.stack([(codes == c).sum(axis=1) for c in (0, 1)], axis=1)
    flags = flags_of(patterns, [True, False])
    for function, name in BY_COUNTS:
        expected = exactly(function, counts, positive=[True, False])
        assert exact_value(FLAG_STATISTICS[name], flags) == expected
    assert flags.union_positives == union_positives(counts, [True, False])
    assert flags.joint_positives == joint_positives(counts, [True, False])
    assert flags.paired_items == paired_items(counts)
    estimates = estimate_flag_statistics(patterns, [True, False])
    by_name = {(e.statistic, e.category): e for e in estimates}
    assert by_name["specific_agreement", "flag"].exact == by_name["positive_specific_agreement", None].exact
    assert all(e.status == "ok" or e.value is None for e in estimates)


def test_items_are_counted_by_how_many_flagged_them():
    table = flagged_by(two_annotator_flags(6, 21, 14, 459))
    assert table[2].tolist() == [459, 35, 6]


def test_the_lowest_pair_is_named():
    codes = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, MISSING], [1, 1, 1]])
    patterns = Patterns(("ida", "bo", "kim"), ("flag", "no"), codes, np.array([4, 3, 2, 5, 80]))
    pairs = {(pair.first, pair.second): pair for pair in pair_agreements(patterns, [True, False])}
    # ida and bo: 7 joint of 9; ida and kim: 4 of 9; bo and kim: 4 of 7.
    assert pairs["ida", "bo"].value == Fraction(14, 16)
    assert pairs["ida", "kim"].paired_items == 89
    assert lowest_pair(patterns, [True, False]) == pairs["ida", "kim"]
    assert pairs["ida", "kim"].value == Fraction(8, 13)


def test_no_pair_is_lowest_where_nobody_flagged_anything():
    patterns = Patterns(("ida", "bo"), ("flag", "no"), np.array([[1, 1]]), np.array([10]))
    assert lowest_pair(patterns, [True, False]) is None


def test_labels_without_their_partner_are_compared_with_the_others():
    # Together: 10 items, 2 of 20 labels positive; alone: 6 labels, 4 positive.
    codes = np.array([[0, 0], [1, 1], [0, MISSING], [1, ABSTAINED], [0, NOT_ASSIGNED]])
    patterns = Patterns(("ida", "bo"), ("flag", "no"), codes, np.array([1, 9, 4, 2, 5]))
    found = partner_test(patterns, [True, False])
    assert (found.alone_positive, found.alone_labels) == (4, 6)
    assert (found.together_positive, found.together_labels) == (2, 20)
    # scipy.stats.fisher_exact([[4, 2], [2, 18]], alternative="greater"): by hand (C(6,4)C(20,2) + C(6,5)C(20,1) + 1)
    # / C(26,6) = (2850 + 120 + 1) / 230230.
    assert found.p_value == pytest.approx(2971 / 230230)


def test_where_nobody_is_alone_there_is_no_test():
    patterns = Patterns(("ida", "bo"), ("flag", "no"), np.array([[0, 0], [1, 1]]), np.array([1, 9]))
    assert partner_test(patterns, [True, False]).p_value is None


def test_a_pair_that_shares_no_item_is_not_listed():
    codes = np.array([[0, 0, MISSING], [MISSING, 1, 1]])
    patterns = Patterns(("ida", "bo", "kim"), ("flag", "no"), codes, np.array([4, 3]))
    assert [(p.first, p.second) for p in pair_agreements(patterns, [True, False])] == [("ida", "bo"), ("bo", "kim")]


def test_what_flag_rates_alone_give_two_annotators():
    # 27 and 20 flags in 500: 2 q1 q2 / (q1 + q2) = 54/1175, and whoever never flags agrees on 473 and 480.
    table = [[6, 21], [14, 459]]
    assert exactly(lambda t: chance_positive_specific_agreement(t, [True, False]), table) == Fraction(54, 1175)
    np.testing.assert_allclose(never_flags_agreement(table, [True, False]), [473 / 500, 480 / 500], rtol=1e-15)


TWO = [[2, 0], [1, 1], [0, 2]]
TIMES = [6, 35, 459]
FIGURES = [(jaccard, Fraction(6, 41)), (union_positive_rate, Fraction(41, 500)), (positive_share, Fraction(47, 1000))]


@pytest.mark.parametrize(("figure", "value"), FIGURES)
def test_fractions_come_of_fractions_and_floats_of_numbers(figure, value):
    # 6 joint of 41 union positives in 500 items; 12 + 35 of 1,000 labels are flags.
    assert exactly(lambda times: figure(TWO, [True, False], times), TIMES) == value
    assert exactly(lambda vectors: figure(vectors, [True, False], TIMES), TWO) == value
    assert figure(TWO, [True, False], TIMES).dtype == figure(TWO, [True, False]).dtype == np.float64


def test_weights_give_near_misses_their_part():
    # Labels 0 and 1 of three on one item, 1 and 1 on another; linear weights make 0 and 1 half alike (Cohen 1968):
    # category 0: 1/2 of 1; category 1: (1/2 + 2 * 1) of 3.
    vectors = [[1, 1, 0], [0, 2, 0]]
    for k, value in ((0, Fraction(1, 2)), (1, Fraction(5, 6))):
        assert exactly(lambda v, k=k: specific_agreement(v, weights="linear")[k], vectors) == value
    found = specific_agreement(vectors, weights="linear")
    assert found.dtype == np.float64
    np.testing.assert_allclose(found[:2], [1 / 2, 5 / 6], rtol=1e-15)
