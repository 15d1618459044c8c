"""What is to be predicted. A target knows its kind of outcome, and nobody else does.

A :class:`Target` is made at the door by :func:`as_target` and travels where ``y`` would: it takes
rows, deals them out to splits, shuffles itself, names its metrics, models and effects, and says
which sections and words a report has. A new kind of outcome is a new file here.
"""

from backstay.targets._door import as_target, find_metric, from_store
from backstay.targets._metric import Metric
from backstay.targets._number_intervals import LEVEL as INTERVAL_LEVEL
from backstay.targets._target import Effects, Target

__all__ = [
    "INTERVAL_LEVEL",
    "Effects",
    "Metric",
    "Target",
    "as_target",
    "find_metric",
    "from_store",
]
