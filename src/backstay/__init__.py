"""Stable feature selection: rank features, and say how far the ranking can be trusted.

Names and sub-packages are imported when they are first used, so that ``import backstay`` by
itself costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

# What is imported from which sub-package.
_EXPORTS = {
    "base": "FeatureRanker InstanceWeighted InstanceWeighter",
    "ensemble": "BaggedRanker DecoyControl RepeatedSelector StabilitySelection",
    "feature_weighting": (
        "SVMRFE BetweenWithinRatio BorutaRanker CategoryImportance ChiSquared "
        "CoxPath CoxScore DistributionDifference DoubleReliefF EffectRanker ElasticNetRanker "
        "EntropicDistance FStatistic ForestImportance GainRatio GiniGain InformationGain "
        "InstanceReweighted LassoPath MDLDiscretizer MRMR MantarasDistance MyopicReliefF "
        "NearestShrunkenCentroids OnResiduals OneR PermutationImportance RReliefF Relief ReliefF "
        "RidgeRFE Simba SlopeTest Spearman SymmetricalUncertainty TTest ValueDifference Wilcoxon"
    ),
    "instance_weighting": "JointWeighting LogisticWeighting MarginWeighting UniformWeighting",
    "neighbors": "DoublyWeighted DoublyWeightedKNeighborsClassifier",
    "redundancy": "ModuleRanker",
    "results": "Results",
    "signature": "Signature",
    "study": "Study sources_of_instability",
    "wrappers": "SequentialSelector",
}
_HOMES = {name: package for package, names in _EXPORTS.items() for name in names.split()}
_PACKAGES = frozenset(_EXPORTS) | {
    "comparison", "datasets", "report", "stability", "store", "targets",
}  # fmt: skip

__all__ = [*sorted(_HOMES), "__version__"]

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
    from backstay import store as store
    from backstay import study as study
    from backstay import targets as targets
    from backstay import wrappers as wrappers
    from backstay.base import FeatureRanker as FeatureRanker
    from backstay.base import InstanceWeighted as InstanceWeighted
    from backstay.base import InstanceWeighter as InstanceWeighter
    from backstay.ensemble import BaggedRanker as BaggedRanker
    from backstay.ensemble import DecoyControl as DecoyControl
    from backstay.ensemble import RepeatedSelector as RepeatedSelector
    from backstay.ensemble import StabilitySelection as StabilitySelection
    from backstay.feature_weighting import *
    from backstay.instance_weighting import *
    from backstay.neighbors import *
    from backstay.redundancy import ModuleRanker as ModuleRanker
    from backstay.results import Results as Results
    from backstay.signature import Signature as Signature
    from backstay.study import Study as Study
    from backstay.study import sources_of_instability as sources_of_instability
    from backstay.wrappers import *
else:  # hidden from type checkers, which would take any name for one that exists

    def __getattr__(name: str) -> object:
        if name in _HOMES:
            value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        elif name in _PACKAGES:
            value = import_module(f"{__name__}.{name}")
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *_HOMES, *_PACKAGES})
