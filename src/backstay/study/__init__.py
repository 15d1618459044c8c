"""The study: methods × resamples, without a leak, resumable and parallel.

`Study` runs methods on resamples of a data set, everything fitted on training rows only, and
returns :class:`backstay.results.Results`.
"""

from backstay.study._confounding import Confounding, confounding
from backstay.study._data import Dataset
from backstay.study._methods import list_methods, make_methods
from backstay.study._parallel import StudyError
from backstay.study._plan_ahead import PlanAhead, Population, plan_ahead
from backstay.study._planted_truth import PlantedTruth, planted_truth
from backstay.study._protocols import FiveByTwo, LeaveBatchOut, RepeatedStratifiedKFold, Subsampling
from backstay.study._shards import merge_stores
from backstay.study._sources import sources_of_instability
from backstay.study._study import Study
from backstay.study._suspicions import suspicions

__all__ = [
    "Confounding",
    "Dataset",
    "FiveByTwo",
    "LeaveBatchOut",
    "PlanAhead",
    "PlantedTruth",
    "Population",
    "RepeatedStratifiedKFold",
    "Study",
    "StudyError",
    "Subsampling",
    "confounding",
    "list_methods",
    "make_methods",
    "merge_stores",
    "plan_ahead",
    "planted_truth",
    "sources_of_instability",
    "suspicions",
]
