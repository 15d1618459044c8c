"""The study: methods × resamples, without a leak, resumable and parallel.

`Study` runs methods on resamples of a data set, everything fitted on training rows only, and
returns :class:`backstay.results.Results`. Names are imported when they are first used: a worker
process, which only runs tasks, starts sooner.
"""

from importlib import import_module
from typing import TYPE_CHECKING

_HOMES = {
    "Confounding": "_confounding",
    "Dataset": "_data",
    "FiveByTwo": "_protocols",
    "LeaveBatchOut": "_protocols",
    "PlanAhead": "_plan_ahead",
    "PlantedTruth": "_planted_truth",
    "Population": "_plan_ahead",
    "RepeatedStratifiedKFold": "_protocols",
    "Study": "_study",
    "StudyError": "_parallel",
    "Subsampling": "_protocols",
    "confounding": "_confounding",
    "list_methods": "_methods",
    "make_methods": "_methods",
    "merge_stores": "_shards",
    "plan_ahead": "_plan_ahead",
    "planted_truth": "_planted_truth",
    "sources_of_instability": "_sources",
    "suspicions": "_suspicions",
}

__all__ = list(_HOMES)

if TYPE_CHECKING:  # what type checkers and editors read; a test compares it with the table
    from backstay.study._confounding import Confounding as Confounding
    from backstay.study._confounding import confounding as confounding
    from backstay.study._data import Dataset as Dataset
    from backstay.study._methods import list_methods as list_methods
    from backstay.study._methods import make_methods as make_methods
    from backstay.study._parallel import StudyError as StudyError
    from backstay.study._plan_ahead import PlanAhead as PlanAhead
    from backstay.study._plan_ahead import Population as Population
    from backstay.study._plan_ahead import plan_ahead as plan_ahead
    from backstay.study._planted_truth import PlantedTruth as PlantedTruth
    from backstay.study._planted_truth import planted_truth as planted_truth
    from backstay.study._protocols import FiveByTwo as FiveByTwo
    from backstay.study._protocols import LeaveBatchOut as LeaveBatchOut
    from backstay.study._protocols import RepeatedStratifiedKFold as RepeatedStratifiedKFold
    from backstay.study._protocols import Subsampling as Subsampling
    from backstay.study._shards import merge_stores as merge_stores
    from backstay.study._sources import sources_of_instability as sources_of_instability
    from backstay.study._study import Study as Study
    from backstay.study._suspicions import suspicions as suspicions
else:

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
