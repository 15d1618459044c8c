"""study.db: what a study writes task by task, and reads back. It knows no question about it."""

from backstay.store._check import StoreCheck, check_store
from backstay.store._file import StoreError
from backstay.store._store import Store, TaskRecord

__all__ = ["Store", "StoreCheck", "StoreError", "TaskRecord", "check_store"]
