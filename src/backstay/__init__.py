"""Stable feature selection: rank features, and say how far the ranking can be trusted."""

from backstay.base import (
    FeatureRanker,
    InstanceWeighted,
    InstanceWeighter,
)
from backstay.ensemble import (
    BaggedRanker,
    RepeatedSelector,
    StabilitySelection,
)
from backstay.feature_weighting import (
    SVMRFE,
    BetweenWithinRatio,
    CategoryImportance,
    ChiSquared,
    DistributionDifference,
    DoubleReliefF,
    EntropicDistance,
    ForestImportance,
    FStatistic,
    GainRatio,
    GiniGain,
    InformationGain,
    MantarasDistance,
    MDLDiscretizer,
    OneR,
    Relief,
    ReliefF,
    Simba,
    SymmetricalUncertainty,
    TTest,
    ValueDifference,
)
from backstay.instance_weighting import (
    JointWeighting,
    LogisticWeighting,
    MarginWeighting,
    UniformWeighting,
)
from backstay.neighbors import (
    DoublyWeightedKNeighborsClassifier,
)
from backstay.report import write_report
from backstay.results import Results
from backstay.study import Study
from backstay.wrappers import (
    SequentialSelector,
)

__version__ = "0.1.0.dev0"

__all__ = [
    "SVMRFE",
    "BaggedRanker",
    "BetweenWithinRatio",
    "CategoryImportance",
    "ChiSquared",
    "DistributionDifference",
    "DoubleReliefF",
    "DoublyWeightedKNeighborsClassifier",
    "EntropicDistance",
    "FStatistic",
    "FeatureRanker",
    "ForestImportance",
    "GainRatio",
    "GiniGain",
    "InformationGain",
    "InstanceWeighted",
    "InstanceWeighter",
    "JointWeighting",
    "LogisticWeighting",
    "MDLDiscretizer",
    "MantarasDistance",
    "MarginWeighting",
    "OneR",
    "Relief",
    "ReliefF",
    "RepeatedSelector",
    "Results",
    "SequentialSelector",
    "Simba",
    "StabilitySelection",
    "Study",
    "SymmetricalUncertainty",
    "TTest",
    "UniformWeighting",
    "ValueDifference",
    "__version__",
    "write_report",
]
