"""What is to be predicted. A target knows its kind of outcome, and nobody else does.

A :class:`Target` is made at the door by :func:`as_target` and travels where ``y`` would: it takes
rows, deals them out to splits, shuffles itself, names its metrics, models and effects, and says
which sections and words a report has. A new kind of outcome is a new file here.
"""

from backstay.targets._adjusted import adjusted_effects, adjusted_moments
from backstay.targets._door import as_target, find_metric, from_store
from backstay.targets._metric import Metric
from backstay.targets._number_signature import LEVEL as INTERVAL_LEVEL
from backstay.targets._survival_follow_up import survival
from backstay.targets._survival_models import CoxRidge
from backstay.targets._target import Alike, Association, Beside, Effects, Target, Words

__all__ = [
    "INTERVAL_LEVEL",
    "Alike",
    "Association",
    "Beside",
    "CoxRidge",
    "Effects",
    "Metric",
    "Target",
    "Words",
    "adjusted_effects",
    "adjusted_moments",
    "as_target",
    "find_metric",
    "from_store",
    "survival",
]
