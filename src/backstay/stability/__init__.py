"""The stability of repeated selections, with confidence intervals.

Works on the output of repeated runs of any library. `list_measures` is the table of all measures,
`Standings` says what an independent sample would choose again, and `PairMatrix` is for a figure of
your own about every two runs.
"""

from backstay.stability._bias_variance import BiasVariance, bias_variance, subset_bias_variance
from backstay.stability._compare import StabilityComparison, compare_stability
from backstay.stability._curves import stability_curve
from backstay.stability._frequencies import consensus, selection_frequency
from backstay.stability._intervals import PairMatrix
from backstay.stability._measures import list_measures
from backstay.stability._predictions import prediction_stability
from backstay.stability._rankings import ranking_stability
from backstay.stability._replication import Standings
from backstay.stability._score import stability_score
from backstay.stability._similarity import correlated_features
from backstay.stability._stability_result import StabilityResult, UndefinedStabilityWarning
from backstay.stability._weights import weight_stability

__all__ = [
    "BiasVariance",
    "PairMatrix",
    "StabilityComparison",
    "StabilityResult",
    "Standings",
    "UndefinedStabilityWarning",
    "bias_variance",
    "compare_stability",
    "consensus",
    "correlated_features",
    "list_measures",
    "prediction_stability",
    "ranking_stability",
    "selection_frequency",
    "stability_curve",
    "stability_score",
    "subset_bias_variance",
    "weight_stability",
]
