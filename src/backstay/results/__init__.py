"""What a finished study knows: one answer to each question about it.

`Results` is what users meet. The other names are what it hands back.
"""

from backstay._suspicion import Suspicion
from backstay.results._choice import Choice
from backstay.results._comparisons import Comparison
from backstay.results._designs import Added
from backstay.results._facts import Configuration, DatasetFacts, Estimate, Role, StudyFacts
from backstay.results._features import RelevantFound
from backstay.results._parts import Table
from backstay.results._plan import Plan, RowsNeeded
from backstay.results._recommendation import Finalist, Recommendation
from backstay.results._records import Records
from backstay.results._results import Results
from backstay.results._runs import TooFewRunsError
from backstay.results._samples import SampleWeights
from backstay.results._suspicions import suspicions_of_effects
from backstay.results._two_studies import StudiesCompared, compare_studies
from backstay.results._weights import WeightingVerdict

__all__ = [
    "Added",
    "Choice",
    "Comparison",
    "Configuration",
    "DatasetFacts",
    "Estimate",
    "Finalist",
    "Plan",
    "Recommendation",
    "Records",
    "RelevantFound",
    "Results",
    "Role",
    "RowsNeeded",
    "SampleWeights",
    "StudiesCompared",
    "StudyFacts",
    "Suspicion",
    "Table",
    "TooFewRunsError",
    "WeightingVerdict",
    "compare_studies",
    "suspicions_of_effects",
]
