"""Stable feature selection: rank features, and say how far the ranking can be trusted.

Names and sub-packages are imported when they are first used, so that ``import backstay`` by
itself costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0.dev0"

# The sub-package each name is imported from.
_HOMES = {
    "SVMRFE": "feature_weighting",
    "BaggedRanker": "ensemble",
    "BetweenWithinRatio": "feature_weighting",
    "BoostingImportance": "feature_weighting",
    "BorutaRanker": "feature_weighting",
    "CategoryImportance": "feature_weighting",
    "ChiSquared": "feature_weighting",
    "DecoyControl": "ensemble",
    "DistributionDifference": "feature_weighting",
    "DoubleReliefF": "feature_weighting",
    "DoublyWeightedKNeighborsClassifier": "neighbors",
    "EffectRanker": "feature_weighting",
    "ElasticNetRanker": "feature_weighting",
    "EntropicDistance": "feature_weighting",
    "FStatistic": "feature_weighting",
    "FeatureRanker": "base",
    "ForestImportance": "feature_weighting",
    "GainRatio": "feature_weighting",
    "GiniGain": "feature_weighting",
    "InformationGain": "feature_weighting",
    "InstanceReweighted": "feature_weighting",
    "InstanceWeighted": "base",
    "InstanceWeighter": "base",
    "JointWeighting": "instance_weighting",
    "LassoPath": "feature_weighting",
    "LogisticWeighting": "instance_weighting",
    "MDLDiscretizer": "feature_weighting",
    "MRMR": "feature_weighting",
    "MantarasDistance": "feature_weighting",
    "MarginWeighting": "instance_weighting",
    "ModuleRanker": "redundancy",
    "MyopicReliefF": "feature_weighting",
    "NearestShrunkenCentroids": "feature_weighting",
    "OneR": "feature_weighting",
    "PermutationImportance": "feature_weighting",
    "Relief": "feature_weighting",
    "ReliefF": "feature_weighting",
    "RepeatedSelector": "ensemble",
    "Results": "results",
    "SequentialSelector": "wrappers",
    "Signature": "signature",
    "Simba": "feature_weighting",
    "StabilitySelection": "ensemble",
    "Study": "study",
    "SymmetricalUncertainty": "feature_weighting",
    "TTest": "feature_weighting",
    "UniformWeighting": "instance_weighting",
    "ValueDifference": "feature_weighting",
    "Wilcoxon": "feature_weighting",
    "write_report": "report",
}
_PACKAGES = frozenset(_HOMES.values()) | {"comparison", "datasets", "stability"}

__all__ = [*_HOMES, "__version__"]

if TYPE_CHECKING:  # what type checkers and editors read; a test compares it with the table
    from backstay import base as base
    from backstay import comparison as comparison
    from backstay import datasets as datasets
    from backstay import ensemble as ensemble
    from backstay import feature_weighting as feature_weighting
    from backstay import instance_weighting as instance_weighting
    from backstay import neighbors as neighbors
    from backstay import redundancy as redundancy
    from backstay import report as report
    from backstay import results as results
    from backstay import signature as signature
    from backstay import stability as stability
    from backstay import study as study
    from backstay import wrappers as wrappers
    from backstay.base import FeatureRanker as FeatureRanker
    from backstay.base import InstanceWeighted as InstanceWeighted
    from backstay.base import InstanceWeighter as InstanceWeighter
    from backstay.ensemble import BaggedRanker as BaggedRanker
    from backstay.ensemble import DecoyControl as DecoyControl
    from backstay.ensemble import RepeatedSelector as RepeatedSelector
    from backstay.ensemble import StabilitySelection as StabilitySelection
    from backstay.feature_weighting import MRMR as MRMR
    from backstay.feature_weighting import SVMRFE as SVMRFE
    from backstay.feature_weighting import BetweenWithinRatio as BetweenWithinRatio
    from backstay.feature_weighting import BoostingImportance as BoostingImportance
    from backstay.feature_weighting import BorutaRanker as BorutaRanker
    from backstay.feature_weighting import CategoryImportance as CategoryImportance
    from backstay.feature_weighting import ChiSquared as ChiSquared
    from backstay.feature_weighting import DistributionDifference as DistributionDifference
    from backstay.feature_weighting import DoubleReliefF as DoubleReliefF
    from backstay.feature_weighting import EffectRanker as EffectRanker
    from backstay.feature_weighting import ElasticNetRanker as ElasticNetRanker
    from backstay.feature_weighting import EntropicDistance as EntropicDistance
    from backstay.feature_weighting import ForestImportance as ForestImportance
    from backstay.feature_weighting import FStatistic as FStatistic
    from backstay.feature_weighting import GainRatio as GainRatio
    from backstay.feature_weighting import GiniGain as GiniGain
    from backstay.feature_weighting import InformationGain as InformationGain
    from backstay.feature_weighting import InstanceReweighted as InstanceReweighted
    from backstay.feature_weighting import LassoPath as LassoPath
    from backstay.feature_weighting import MantarasDistance as MantarasDistance
    from backstay.feature_weighting import MDLDiscretizer as MDLDiscretizer
    from backstay.feature_weighting import MyopicReliefF as MyopicReliefF
    from backstay.feature_weighting import NearestShrunkenCentroids as NearestShrunkenCentroids
    from backstay.feature_weighting import OneR as OneR
    from backstay.feature_weighting import PermutationImportance as PermutationImportance
    from backstay.feature_weighting import Relief as Relief
    from backstay.feature_weighting import ReliefF as ReliefF
    from backstay.feature_weighting import Simba as Simba
    from backstay.feature_weighting import SymmetricalUncertainty as SymmetricalUncertainty
    from backstay.feature_weighting import TTest as TTest
    from backstay.feature_weighting import ValueDifference as ValueDifference
    from backstay.feature_weighting import Wilcoxon as Wilcoxon
    from backstay.instance_weighting import JointWeighting as JointWeighting
    from backstay.instance_weighting import LogisticWeighting as LogisticWeighting
    from backstay.instance_weighting import MarginWeighting as MarginWeighting
    from backstay.instance_weighting import UniformWeighting as UniformWeighting
    from backstay.neighbors import (
        DoublyWeightedKNeighborsClassifier as DoublyWeightedKNeighborsClassifier,
    )
    from backstay.redundancy import ModuleRanker as ModuleRanker
    from backstay.report import write_report as write_report
    from backstay.results import Results as Results
    from backstay.signature import Signature as Signature
    from backstay.study import Study as Study
    from backstay.wrappers import SequentialSelector as SequentialSelector
else:  # hidden from type checkers, which would take any name for one that exists

    def __getattr__(name: str) -> object:
        if name in _HOMES:
            found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        elif name in _PACKAGES:
            found = import_module(f"{__name__}.{name}")
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *_HOMES, *_PACKAGES})
