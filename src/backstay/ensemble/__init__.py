"""Many runs of one method: bagged rankings, repeated selection, error control."""

from backstay.ensemble._bagging import BaggedRanker
from backstay.ensemble._consensus import RepeatedSelector
from backstay.ensemble._decoy_control import DecoyControl
from backstay.ensemble._decoy_scores import DecoyScores, ExpectedFalse
from backstay.ensemble._stability_selection import StabilitySelection

__all__ = [
    "BaggedRanker",
    "DecoyControl",
    "DecoyScores",
    "ExpectedFalse",
    "RepeatedSelector",
    "StabilitySelection",
]
