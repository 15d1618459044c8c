"""What a finished study knows: its store, and one answer to each question about it.

`Results` is what users meet. The other names are what it hands back, and what a study needs to
write a store.
"""

from backstay.results._choice import Choice, choice_of
from backstay.results._comparisons import Comparison
from backstay.results._decoys import decoy_key
from backstay.results._effects import moment_arrays
from backstay.results._facts import Configuration, DatasetFacts, Role, StudyFacts
from backstay.results._features import RelevantFound
from backstay.results._judged import MINIMUM_SHARE, TooFewRunsError
from backstay.results._merge import merge_stores
from backstay.results._metrics import METRICS, score
from backstay.results._modules import module_array
from backstay.results._partners import partner_arrays
from backstay.results._recommendation import Estimate, Finalist, Recommendation
from backstay.results._records import Records
from backstay.results._replication import Level, Replication, replication
from backstay.results._results import Results
from backstay.results._roc import curve_area, mean_curve
from backstay.results._samples import SampleWeights
from backstay.results._signature_values import SHOWN_FEATURES, SHOWN_SAMPLES, candidate_arrays
from backstay.results._soundness import StoreCheck, check_store
from backstay.results._store import PARTNERS, SHARD, Store, TaskRecord
from backstay.results._store_file import StoreError
from backstay.results._sure_interval import least_interval, rows_worth
from backstay.results._table import Table
from backstay.results._weighting import WeightingVerdict
from backstay.results._wilson import wilson

__all__ = [
    "METRICS",
    "MINIMUM_SHARE",
    "PARTNERS",
    "SHARD",
    "SHOWN_FEATURES",
    "SHOWN_SAMPLES",
    "Choice",
    "Comparison",
    "Configuration",
    "DatasetFacts",
    "Estimate",
    "Finalist",
    "Level",
    "Recommendation",
    "Records",
    "RelevantFound",
    "Replication",
    "Results",
    "Role",
    "SampleWeights",
    "Store",
    "StoreCheck",
    "StoreError",
    "StudyFacts",
    "Table",
    "TaskRecord",
    "TooFewRunsError",
    "WeightingVerdict",
    "candidate_arrays",
    "check_store",
    "choice_of",
    "curve_area",
    "decoy_key",
    "least_interval",
    "mean_curve",
    "merge_stores",
    "module_array",
    "moment_arrays",
    "partner_arrays",
    "replication",
    "rows_worth",
    "score",
    "wilson",
]
