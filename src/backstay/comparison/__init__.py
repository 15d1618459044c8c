"""Tests between methods, from their scores alone: two methods, or many over many data sets."""

from backstay.comparison._many_datasets import FriedmanNemenyi, better_equal_worse, friedman_nemenyi
from backstay.comparison._two_methods import (
    RUN_TESTS,
    DifferenceTest,
    corrected_mean,
    corrected_resampled_t,
    five_by_two_f,
    five_by_two_t,
    rank_sum,
    signed_rank,
)

__all__ = [
    "RUN_TESTS",
    "DifferenceTest",
    "FriedmanNemenyi",
    "better_equal_worse",
    "corrected_mean",
    "corrected_resampled_t",
    "five_by_two_f",
    "five_by_two_t",
    "friedman_nemenyi",
    "rank_sum",
    "signed_rank",
]
