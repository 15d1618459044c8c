"""What a finished study knows: one answer to each question about it.

`Results` is what users meet. The other names are what it hands back.
"""

from backstay.results._choice import Choice
from backstay.results._comparisons import Comparison
from backstay.results._facts import Configuration, DatasetFacts, Role, StudyFacts
from backstay.results._features import RelevantFound
from backstay.results._parts import Table
from backstay.results._recommendation import Estimate, Finalist, Recommendation
from backstay.results._records import Records
from backstay.results._replication import Replication, replication
from backstay.results._results import Results
from backstay.results._runs import TooFewRunsError
from backstay.results._samples import SampleWeights
from backstay.results._weighting import WeightingVerdict

__all__ = [
    "Choice",
    "Comparison",
    "Configuration",
    "DatasetFacts",
    "Estimate",
    "Finalist",
    "Recommendation",
    "Records",
    "RelevantFound",
    "Replication",
    "Results",
    "Role",
    "SampleWeights",
    "StudyFacts",
    "Table",
    "TooFewRunsError",
    "WeightingVerdict",
    "replication",
]
