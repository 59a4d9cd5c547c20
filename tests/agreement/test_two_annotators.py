"""The coefficients of two annotators: one convention for what only one of them labelled, and for clusters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from agreement.counts import count_vectors, patterns_from_wide
from agreement.estimates import estimate_many, estimate_pair
from agreement.two_annotators import estimate_two

DRAWN = {"seed": 1, "resamples": 200}
FULL = [["y", "y"]] * 3 + [["y", "n"]] * 2 + [["n", "n"]] * 9
GAPS = [*FULL, *([["y", None]] * 10)]


def patterns(rows, annotators=("ada", "bo")):
    return patterns_from_wide(rows, ["y", "n"], annotators=list(annotators))


def bounds(estimate):
    return estimate.exact, estimate.value, estimate.lower, estimate.upper


def test_without_gaps_it_is_what_the_pair_table_gives():
    found = estimate_two(patterns(FULL), **DRAWN)
    for name, estimate in estimate_pair([[3, 2], [0, 9]], **DRAWN).items():
        assert bounds(found[name]) == bounds(estimate), name


def test_a_third_annotator_without_a_label_changes_nothing():
    """Gwet 2014: category shares are of all rated items, so 69/85 with ten items that one person labelled."""
    third = patterns([[*row, None] for row in GAPS], ("ada", "bo", "cy"))
    many = estimate_many(*count_vectors(third), patterns=third, **DRAWN)
    two = estimate_two(patterns(GAPS), **DRAWN)
    for name in ("gwet_ac1", "brennan_prediger", "fleiss_kappa", "conger_kappa", "krippendorff_alpha"):
        assert two[name].exact == many[name].exact, name


def test_in_clusters_the_indices_keep_their_value_and_have_no_interval():
    plain = patterns(FULL)
    found = estimate_two(replace(plain, clusters=np.arange(len(plain.codes))), **DRAWN)
    for name in ("prevalence_index", "bias_index"):
        assert found[name].value == estimate_pair([[3, 2], [0, 9]], **DRAWN)[name].value
        assert (found[name].lower, found[name].interval) == (None, "none: items of one cluster are not independent")
