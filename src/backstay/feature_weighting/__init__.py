"""Feature weighting: from rows, labels and instance weights to a ranking of features."""

from backstay.feature_weighting._discretize import MDLDiscretizer
from backstay.feature_weighting._relief import DoubleReliefF, Relief, ReliefF
from backstay.feature_weighting._simba import Simba
from backstay.feature_weighting._svm import SVMRFE

__all__ = ["SVMRFE", "DoubleReliefF", "MDLDiscretizer", "Relief", "ReliefF", "Simba"]
