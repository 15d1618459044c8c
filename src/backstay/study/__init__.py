"""The study: methods × resamples, honest, resumable and parallel.

`Study` runs methods on resamples of data, everything fitted on training rows only, and
gives `Results`: stability and accuracy with intervals, signatures, comparisons, a
recommendation. The tests it uses are here on their own, too.
"""

from backstay.study._across import FriedmanNemenyi, better_equal_worse, friedman_nemenyi
from backstay.study._compare import (
    TestResult,
    corrected_resampled_t,
    five_by_two_f,
    five_by_two_t,
    rank_sum,
    signed_rank,
)
from backstay.study._overview import Comparison
from backstay.study._panel import list_methods, make_methods
from backstay.study._parallel import StudyError
from backstay.study._protocols import FiveByTwo, RepeatedKFold, Subsampling
from backstay.study._recommend import Recommendation
from backstay.study._results import Results
from backstay.study._store import StoreError
from backstay.study._study import Study, run_many
from backstay.study._table import Table

__all__ = [
    "Comparison",
    "FiveByTwo",
    "FriedmanNemenyi",
    "Recommendation",
    "RepeatedKFold",
    "Results",
    "StoreError",
    "Study",
    "StudyError",
    "Subsampling",
    "Table",
    "TestResult",
    "better_equal_worse",
    "corrected_resampled_t",
    "five_by_two_f",
    "five_by_two_t",
    "friedman_nemenyi",
    "list_methods",
    "make_methods",
    "rank_sum",
    "run_many",
    "signed_rank",
]
