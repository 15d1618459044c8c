"""The study: methods × resamples, without a leak, resumable and parallel.

`Study` runs methods on resamples of a data set, everything fitted on training rows only, and
returns :class:`backstay.results.Results`. Names are imported when they are first used: a worker
process, which only runs tasks, starts sooner.
"""

from importlib import import_module
from typing import TYPE_CHECKING

_EXPORTS = {
    "_confounding": "Confounding confounding",
    "_data": "Dataset",
    "_methods": "list_methods make_methods",
    "_parallel": "StudyError",
    "_plan_ahead": "PlanAhead Population plan_ahead",
    "_planted_truth": "PlantedTruth planted_truth",
    "_protocols": "FiveByTwo LeaveBatchOut RepeatedStratifiedKFold Subsampling",
    "_shards": "merge_stores",
    "_sources": "sources_of_instability",
    "_study": "Study",
    "_suspicions": "suspicions",
}
_HOMES = {name: module for module, names in _EXPORTS.items() for name in names.split()}

__all__ = sorted(_HOMES)

if TYPE_CHECKING:  # what type checkers and editors read
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
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)

    def __dir__() -> list[str]:
        return __all__
