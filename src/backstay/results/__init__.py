"""What a finished study knows: its store, and one answer to each question about it."""

from backstay.results._metrics import METRICS, chance_level
from backstay.results._overview import Comparison
from backstay.results._partners import partner_arrays
from backstay.results._recommendation import Recommendation
from backstay.results._records import Records
from backstay.results._results import Results
from backstay.results._store import Store, StoreError, TaskRecord
from backstay.results._table import Table

__all__ = [
    "METRICS",
    "Comparison",
    "Recommendation",
    "Records",
    "Results",
    "Store",
    "StoreError",
    "Table",
    "TaskRecord",
    "chance_level",
    "partner_arrays",
]
