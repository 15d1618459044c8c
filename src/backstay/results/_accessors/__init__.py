"""What :class:`backstay.results.Results` groups under a name, such as ``results.runs``.

An accessor asks; the file of the question, one folder up, answers.
"""

from backstay.results._accessors._comparisons import Comparisons
from backstay.results._accessors._predictions import Predictions
from backstay.results._accessors._runs import Runs
from backstay.results._accessors._samples import Samples
from backstay.results._accessors._selections import Selections
from backstay.results._accessors._weights import Weights

__all__ = ["Comparisons", "Predictions", "Runs", "Samples", "Selections", "Weights"]
