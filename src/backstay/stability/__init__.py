"""The stability of repeated selections, with confidence intervals.

Works on the output of repeated runs of any library: `stability_score` and
`stability_curve` on subsets, `ranking_stability`, `weight_stability` and
`prediction_stability` on what their names say, `compare_stability` for two procedures.
`concept_agreement` trains the models itself; `bias_variance` and `subset_bias_variance` need the
truth; `stability_performance` weighs stability against a score.
`list_measures` is the table of all measures. `jackknife`, `jackknife_of_pairs`,
`mean_of_pairs`, `normal_interval` and `two_sided_p` serve other figures over runs.
"""

from backstay.stability._compare import StabilityComparison, compare_stability
from backstay.stability._concept_agreement import concept_agreement
from backstay.stability._curves import stability_curve
from backstay.stability._frequencies import consensus, frequency_intervals, selection_frequency
from backstay.stability._intervals import (
    jackknife,
    jackknife_of_pairs,
    mean_of_pairs,
    normal_interval,
    two_sided_p,
)
from backstay.stability._measures import list_measures
from backstay.stability._predictions import prediction_stability
from backstay.stability._rankings import ranking_stability
from backstay.stability._score import stability_score
from backstay.stability._similarity import (
    CorrelatedFeatures,
    FeatureSimilarity,
    correlated_features,
)
from backstay.stability._stability_result import StabilityResult, UndefinedStabilityWarning
from backstay.stability._subset_error import SubsetBiasVariance, subset_bias_variance
from backstay.stability._tradeoff import stability_performance
from backstay.stability._weights import (
    BiasVariance,
    WeightStability,
    bias_variance,
    weight_stability,
)

__all__ = [
    "BiasVariance",
    "CorrelatedFeatures",
    "FeatureSimilarity",
    "StabilityComparison",
    "StabilityResult",
    "SubsetBiasVariance",
    "UndefinedStabilityWarning",
    "WeightStability",
    "bias_variance",
    "compare_stability",
    "concept_agreement",
    "consensus",
    "correlated_features",
    "frequency_intervals",
    "jackknife",
    "jackknife_of_pairs",
    "list_measures",
    "mean_of_pairs",
    "normal_interval",
    "prediction_stability",
    "ranking_stability",
    "selection_frequency",
    "stability_curve",
    "stability_performance",
    "stability_score",
    "subset_bias_variance",
    "two_sided_p",
    "weight_stability",
]
