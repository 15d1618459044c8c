"""Tests between methods, from their scores alone: two methods, or many over many data sets."""

from backstay.comparison._compare_scores import DifferenceTest, compare_scores, corrected_mean
from backstay.comparison._many_datasets import FriedmanNemenyi, better_equal_worse, friedman_nemenyi

__all__ = [
    "DifferenceTest",
    "FriedmanNemenyi",
    "better_equal_worse",
    "compare_scores",
    "corrected_mean",
    "friedman_nemenyi",
]
