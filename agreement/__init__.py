"""Agreement between annotators: counts in, values out.

`pair_counts` has shape (..., C, C): items the first annotator put in category c (row) and the second in d (column).
`count_vectors` has shape (U, C), `multiplicity` (..., U): how many annotators gave each category, and how many items
have each such vector. Undefined is nan here, and a status with its reason in an `Estimate`.
"""

from agreement.alpha import krippendorff_alpha, krippendorff_alpha_within
from agreement.alpha_values import krippendorff_alpha_values
from agreement.alternative_annotator import AltAnnotator, AltTest, alt_test
from agreement.beta_interval import BetaInterval, ratio_interval, specific_interval
from agreement.brennan_prediger import brennan_prediger
from agreement.comparison import Drawing, all_figures, compare_annotators, compare_slices, compare_statistics
from agreement.conger import conger_kappa, light_kappa, pair_tables
from agreement.counts import (
    all_pairs,
    count_vectors,
    merge_vectors,
    pair_counts,
    patterns_from_codes,
    patterns_from_long,
    patterns_from_wide,
    vectors_of_pairs,
)
from agreement.estimate import Estimate
from agreement.estimates import estimate_many, estimate_pair
from agreement.exact import as_exact, exactly
from agreement.flag_statistics import estimate_flag_statistics
from agreement.flags import Flags, flags_of, two_annotator_flags
from agreement.fleiss import fleiss_category_kappa, fleiss_kappa
from agreement.gate import Rule, RuleResult, SliceEvidence, Verdict, bound_alpha, check_rules, judge
from agreement.gwet import gwet_ac1, gwet_ac2
from agreement.indices import bias_index, collapsed_pairs, leave_one_annotator_out, prevalence_index
from agreement.kappa import (
    category_kappa,
    category_pi,
    cohen_kappa,
    expected_agreement,
    max_kappa,
    scott_pi,
    share_of_max,
    weighted_kappa,
)
from agreement.missing import extremes, percent_agreement_extremes, worst_lower
from agreement.operating_curve import operating_curves, pass_probability
from agreement.partner import partner_test
from agreement.patterns import Patterns
from agreement.percent import item_agreement, pair_agreement, percent_agreement, percent_agreement_pooled_pairs
from agreement.planning import plan_positives
from agreement.resample import (
    Interval,
    Resampled,
    bootstrap,
    difference,
    interval,
    jackknife_bca,
    jackknife_standard_error,
    percentile,
)
from agreement.sample_size import (
    detectable_difference,
    items_for_cohen_kappa,
    items_for_intraclass_kappa,
    items_for_kappa_at_marginals,
)
from agreement.specific import (
    chance_positive_specific_agreement,
    contested_share,
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
from agreement.standard_error import (
    alpha_standard_error,
    cohen_kappa_standard_error,
    conger_standard_error,
    fleiss_null_standard_error,
    gwet_standard_error,
    linearised_standard_error,
    pair_standard_error,
    t_interval,
)
from agreement.symmetry import bowker, mcnemar, stuart_maxwell
from agreement.traffic import traffic_figure
from agreement.weights import agreement_weights

__all__ = [
    "AltAnnotator",
    "AltTest",
    "BetaInterval",
    "Drawing",
    "Estimate",
    "Flags",
    "Interval",
    "Patterns",
    "Resampled",
    "Rule",
    "RuleResult",
    "SliceEvidence",
    "Verdict",
    "agreement_weights",
    "all_figures",
    "all_pairs",
    "alpha_standard_error",
    "alt_test",
    "as_exact",
    "bias_index",
    "bootstrap",
    "bound_alpha",
    "bowker",
    "brennan_prediger",
    "category_kappa",
    "category_pi",
    "chance_positive_specific_agreement",
    "check_rules",
    "cohen_kappa",
    "cohen_kappa_standard_error",
    "collapsed_pairs",
    "compare_annotators",
    "compare_slices",
    "compare_statistics",
    "conger_kappa",
    "conger_standard_error",
    "contested_share",
    "count_vectors",
    "detectable_difference",
    "difference",
    "estimate_flag_statistics",
    "estimate_many",
    "estimate_pair",
    "exactly",
    "expected_agreement",
    "extremes",
    "flags_of",
    "fleiss_category_kappa",
    "fleiss_kappa",
    "fleiss_null_standard_error",
    "gwet_ac1",
    "gwet_ac2",
    "gwet_standard_error",
    "interval",
    "item_agreement",
    "items_for_cohen_kappa",
    "items_for_intraclass_kappa",
    "items_for_kappa_at_marginals",
    "jaccard",
    "jackknife_bca",
    "jackknife_standard_error",
    "joint_positive_rate",
    "joint_positives",
    "judge",
    "krippendorff_alpha",
    "krippendorff_alpha_values",
    "krippendorff_alpha_within",
    "leave_one_annotator_out",
    "light_kappa",
    "linearised_standard_error",
    "lowest_pair",
    "max_kappa",
    "mcnemar",
    "merge_vectors",
    "negative_specific_agreement",
    "never_flags_agreement",
    "operating_curves",
    "pair_agreement",
    "pair_agreements",
    "pair_counts",
    "pair_standard_error",
    "pair_tables",
    "paired_items",
    "partner_test",
    "pass_probability",
    "patterns_from_codes",
    "patterns_from_long",
    "patterns_from_wide",
    "percent_agreement",
    "percent_agreement_extremes",
    "percent_agreement_pooled_pairs",
    "percentile",
    "plan_positives",
    "positive_share",
    "positive_specific_agreement",
    "prevalence_index",
    "ratio_interval",
    "scott_pi",
    "share_of_max",
    "specific_agreement",
    "specific_interval",
    "stuart_maxwell",
    "t_interval",
    "traffic_figure",
    "two_annotator_flags",
    "union_positive_rate",
    "union_positives",
    "vectors_of_pairs",
    "weighted_kappa",
    "worst_lower",
]
