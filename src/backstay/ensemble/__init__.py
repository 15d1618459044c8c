"""Many runs of one method: bagged rankings, repeated selection, stability selection."""

from backstay.ensemble._bagging import BaggedRanker
from backstay.ensemble._consensus import RepeatedSelector, frequency_curve
from backstay.ensemble._stability_selection import StabilitySelection

__all__ = ["BaggedRanker", "RepeatedSelector", "StabilitySelection", "frequency_curve"]
