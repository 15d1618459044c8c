"""Feature weighting: from rows, labels and instance weights to a ranking of features."""

from backstay.feature_weighting._relief import DoubleReliefF, Relief, ReliefF
from backstay.feature_weighting._simba import Simba

__all__ = ["DoubleReliefF", "Relief", "ReliefF", "Simba"]
