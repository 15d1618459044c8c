"""Stable feature selection: rank features, and say how far the ranking can be trusted."""

from backstay.base import FeatureRanker, InstanceWeighted, InstanceWeighter
from backstay.feature_weighting import DoubleReliefF, Relief, ReliefF, Simba
from backstay.instance_weighting import (
    JointWeighting,
    LogisticWeighting,
    MarginWeighting,
    UniformWeighting,
)
from backstay.neighbors import DoublyWeightedKNeighborsClassifier

__version__ = "0.1.0.dev0"

__all__ = [
    "DoubleReliefF",
    "DoublyWeightedKNeighborsClassifier",
    "FeatureRanker",
    "InstanceWeighted",
    "InstanceWeighter",
    "JointWeighting",
    "LogisticWeighting",
    "MarginWeighting",
    "Relief",
    "ReliefF",
    "Simba",
    "UniformWeighting",
    "__version__",
]
