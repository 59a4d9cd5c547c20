"""What missing labels could do, against brute force over every fill."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.counts import count_vectors
from agreement.exact import exactly
from agreement.flag_statistics import FLAG_STATISTICS, exact_value, interval
from agreement.flags import Flags, flags_of
from agreement.gate import compare, judge
from agreement.missing import abstention_as_category, extremes, fill, percent_agreement_extremes, worst_lower
from agreement.patterns import ABSTAINED, MISSING, NOT_ASSIGNED, OTHER_VERSION, Patterns
from agreement.percent import percent_agreement
from agreement.readings import SliceEvidence, read
from agreement.rules import Rule

ALPHA = Fraction(1, 20)
PSA = FLAG_STATISTICS["positive_specific_agreement"]
WORST_STATISTICS = ("positive_specific_agreement", "negative_specific_agreement", "jaccard", "contested_share")
GAPS = (MISSING, ABSTAINED, OTHER_VERSION)


def patterns_of(codes, clusters=None):
    codes = np.array(codes, dtype=np.int64)
    return Patterns(
        annotators=tuple(f"a{i}" for i in range(codes.shape[1])),
        categories=("flag", "no"),
        codes=codes,
        multiplicity=np.ones(len(codes), dtype=np.int64),
        clusters=None if clusters is None else np.array(clusters, dtype=np.int64),
    )


def every_fill(patterns):
    """Each way to put a category in every gap."""
    places = np.argwhere(patterns.codes < NOT_ASSIGNED)
    for choice in product(range(len(patterns.categories)), repeat=len(places)):
        codes = patterns.codes.copy()
        for (row, column), category in zip(places, choice, strict=True):
            codes[row, column] = category
        yield Patterns(
            patterns.annotators, patterns.categories, codes, patterns.multiplicity, patterns.clusters, patterns.cells
        )


def answers(n_annotators):
    code = st.sampled_from([0, 0, 1, 1, MISSING, ABSTAINED])
    return st.lists(st.lists(code, min_size=n_annotators, max_size=n_annotators), min_size=1, max_size=5)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 4).flatmap(answers))
def test_the_extremes_of_specific_agreement_are_those_of_the_best_and_worst_fill(codes):
    patterns = patterns_of(codes)
    if (patterns.codes < NOT_ASSIGNED).sum() > 8:
        return
    for name in WORST_STATISTICS:
        mask = [False, True] if name == "negative_specific_agreement" else [True, False]
        values = [exact_value(FLAG_STATISTICS[name], flags_of(filled, mask)) for filled in every_fill(patterns)]
        defined = [value for value in values if value is not None]
        found = extremes(FLAG_STATISTICS[name], flags_of(patterns, mask))
        assert (found.lowest, found.highest) == ((min(defined), max(defined)) if defined else (None, None))


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 4).flatmap(answers))
def test_the_extremes_of_raw_agreement_are_those_of_the_best_and_worst_fill(codes):
    patterns = patterns_of(codes)
    if (patterns.codes < NOT_ASSIGNED).sum() > 8:
        return
    values = [exactly(percent_agreement, *count_vectors(filled)) for filled in every_fill(patterns)]
    found = percent_agreement_extremes(patterns)
    assert (found.lowest, found.highest) == (min(values), max(values))


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 4).flatmap(answers), st.booleans())
def test_no_fill_has_a_lower_bound_under_the_worst_one(codes, clustered):
    clusters = [i // 2 for i in range(len(codes))] if clustered else None
    patterns = patterns_of(codes, clusters)
    if (patterns.codes < NOT_ASSIGNED).sum() > 6:
        return
    worst = worst_lower(PSA, flags_of(patterns, [True, False]), ALPHA)
    bounds = [interval(PSA, flags_of(filled, [True, False]), ALPHA).lower for filled in every_fill(patterns)]
    defined = [bound for bound in bounds if bound is not None]
    if worst is not None and defined:
        assert worst[0] <= min(defined) + 1e-9


@settings(max_examples=40, deadline=None)
@given(answers(2))
def test_for_two_annotators_the_worst_lower_bound_is_that_of_the_worst_fill(codes):
    patterns = patterns_of(codes)
    if (patterns.codes < NOT_ASSIGNED).sum() > 8:
        return
    worst = worst_lower(PSA, flags_of(patterns, [True, False]), ALPHA)
    bounds = [interval(PSA, flags_of(filled, [True, False]), ALPHA).lower_text for filled in every_fill(patterns)]
    defined = [bound for bound in bounds if bound is not None]
    assert (worst and worst[1]) == (min(defined) if defined else None)


THRESHOLDS = ("0.05", "0.20", "0.50")


def worst_rules(t):
    for name in ("positive_specific_agreement", "negative_specific_agreement", "jaccard"):
        yield Rule("s", name, at_least=t, missing="worst")
        yield Rule("s", name, at_least=t, missing="worst", judged_on="lower")
    yield Rule("s", "specific_agreement", at_least=t, category="no", missing="worst")
    yield Rule("s", "contested_share", at_most=t, missing="worst")
    yield Rule("s", "contested_share", at_most=t, missing="worst", judged_on="upper")


@st.composite
def rounds_and_a_label(draw):
    n_annotators = draw(st.integers(2, 4))
    code = st.sampled_from([0, 0, 0, 1, 1, MISSING, ABSTAINED, NOT_ASSIGNED])
    row = st.lists(code, min_size=n_annotators, max_size=n_annotators)
    codes = draw(st.lists(row, min_size=2, max_size=25))
    labelled = [(i, j) for i, r in enumerate(codes) for j, c in enumerate(r) if c >= 0]
    place = draw(st.sampled_from(labelled)) if labelled else None
    return codes, place, draw(st.sampled_from(GAPS)), draw(st.booleans())


@settings(max_examples=150, deadline=None)
@given(rounds_and_a_label())
def test_replacing_a_label_by_a_gap_never_turns_a_not_pass_of_a_worst_rule_into_a_pass(case):
    codes, place, gap, clustered = case
    if place is None:
        return
    clusters = [i // 3 for i in range(len(codes))] if clustered else None
    with_gap = [list(row) for row in codes]
    with_gap[place[0]][place[1]] = gap
    # What is found does not depend on the threshold, so it is found once for all three.
    before, after = (
        [read(rule, SliceEvidence(patterns_of(c, clusters), ("flag",)), ALPHA).found for rule in worst_rules("0")]
        for c in (codes, with_gap)
    )
    for threshold in THRESHOLDS:
        for rule, found, then in zip(worst_rules(threshold), before, after, strict=True):
            assert compare(rule, found) == "pass" or compare(rule, then) != "pass", rule


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 5), st.data())
def test_a_large_round_with_gaps_has_a_worst_bound_that_only_falls(n_annotators, data):
    # Large rounds reach the sharper of the two bounds; a float comparison, so to one part in a million million.
    size = n_annotators + 1
    times = np.array(data.draw(st.lists(st.integers(1, 200), min_size=size, max_size=size)))
    flags = Flags(np.arange(size), np.full(size, n_annotators), np.zeros(size, dtype=int), times)
    bounds = [worst_lower(PSA, flags, ALPHA)]
    for _ in range(6):
        kind = data.draw(st.integers(0, len(flags.multiplicity) - 1))
        flags = one_label_gone(flags, kind, data.draw(st.booleans()))
        bounds.append(worst_lower(PSA, flags, ALPHA))
    lowers = [bound[0] for bound in bounds]
    assert all(after <= before + 1e-12 for before, after in pairwise(lowers))


def one_label_gone(flags, kind, take_flag):
    """One item of a kind with a label (a flag, if it has one and that is wanted) turned into a gap."""
    r, m, g = (int(a[kind]) for a in (flags.n_positive, flags.n_labels, flags.n_gaps))
    if m == 0 or flags.multiplicity[kind] == 0:
        return flags
    gone = 1 if r and (take_flag or r == m) else 0
    times = flags.multiplicity.copy()
    times[kind] -= 1
    return Flags(
        np.append(flags.n_positive, r - gone),
        np.append(flags.n_labels, m - 1),
        np.append(flags.n_gaps, g + 1),
        np.append(times, 1),
    )


def test_deleting_a_slices_data_never_turns_a_not_pass_into_a_pass():
    codes = [[0, 0]] * 3 + [[0, 1]] * 9
    rules = [Rule("s", "positive_specific_agreement", at_least="0.8")]
    shown = judge(rules, {"s": SliceEvidence(patterns_of(codes), ("flag",))})
    absent = judge(rules, {})
    emptied = judge(rules, {"s": SliceEvidence(patterns_of([[MISSING, MISSING]] * 12), ("flag",))})
    assert (shown.status, absent.status, emptied.status) == ("fail", "not_evaluable", "not_evaluable")


@pytest.mark.parametrize(
    ("scenario", "expected"),
    [
        # The partner of a flag agrees or does not; an item nobody answered takes the commonest category, or splits.
        ("partners_agree", [[0, 0], [1, 1], [1, 1], [1, 1]]),
        ("partners_disagree", [[0, 1], [1, 0], [0, 1], [1, 1]]),
    ],
)
def test_the_two_named_scenarios_fill_every_gap(scenario, expected):
    patterns = patterns_of([[0, MISSING], [1, ABSTAINED], [MISSING, MISSING], [1, 1]])
    assert fill(patterns, scenario).codes.tolist() == expected


def test_an_abstention_may_be_counted_as_a_category_of_its_own():
    patterns = abstention_as_category(patterns_of([[0, ABSTAINED], [1, MISSING]]), ABSTAINED, "cannot judge")
    assert patterns.codes.tolist() == [[0, 2], [1, MISSING]]
    assert patterns.categories == ("flag", "no", "cannot judge")
