"""Feature weighting: from rows, labels and instance weights to a ranking of features."""

from backstay.feature_weighting._boruta import BorutaRanker
from backstay.feature_weighting._cox import CoxPath, CoxScore, OnResiduals
from backstay.feature_weighting._discretize import MDLDiscretizer
from backstay.feature_weighting._double_relief import DoubleReliefF
from backstay.feature_weighting._effect import EffectRanker
from backstay.feature_weighting._forest import ForestImportance
from backstay.feature_weighting._lasso import ElasticNetRanker, LassoPath
from backstay.feature_weighting._moments import BetweenWithinRatio, FStatistic, TTest
from backstay.feature_weighting._mrmr import MRMR
from backstay.feature_weighting._permutation import PermutationImportance
from backstay.feature_weighting._relief import Relief, ReliefF
from backstay.feature_weighting._reweighted import InstanceReweighted
from backstay.feature_weighting._ridge_rfe import RidgeRFE
from backstay.feature_weighting._rrelieff import RReliefF
from backstay.feature_weighting._shrunken_centroids import NearestShrunkenCentroids
from backstay.feature_weighting._simba import Simba
from backstay.feature_weighting._slopes import SlopeTest, Spearman
from backstay.feature_weighting._svm import SVMRFE
from backstay.feature_weighting._univariate import (
    CategoryImportance,
    ChiSquared,
    DistributionDifference,
    EntropicDistance,
    GainRatio,
    GiniGain,
    InformationGain,
    MantarasDistance,
    MyopicReliefF,
    OneR,
    SymmetricalUncertainty,
    ValueDifference,
)
from backstay.feature_weighting._wilcoxon import Wilcoxon

__all__ = [
    "MRMR",
    "SVMRFE",
    "BetweenWithinRatio",
    "BorutaRanker",
    "CategoryImportance",
    "ChiSquared",
    "CoxPath",
    "CoxScore",
    "DistributionDifference",
    "DoubleReliefF",
    "EffectRanker",
    "ElasticNetRanker",
    "EntropicDistance",
    "FStatistic",
    "ForestImportance",
    "GainRatio",
    "GiniGain",
    "InformationGain",
    "InstanceReweighted",
    "LassoPath",
    "MDLDiscretizer",
    "MantarasDistance",
    "MyopicReliefF",
    "NearestShrunkenCentroids",
    "OnResiduals",
    "OneR",
    "PermutationImportance",
    "RReliefF",
    "Relief",
    "ReliefF",
    "RidgeRFE",
    "Simba",
    "SlopeTest",
    "Spearman",
    "SymmetricalUncertainty",
    "TTest",
    "ValueDifference",
    "Wilcoxon",
]
