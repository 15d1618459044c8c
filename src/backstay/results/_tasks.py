"""How did the tasks go? Seconds spent, and what failed."""

from __future__ import annotations

import numpy as np

from backstay.results._parts import Row, Rows
from backstay.results._records import Records


def time_rows(records: Records) -> Rows:
    """Return the mean seconds per task of every method."""
    rows: Rows = []
    tasks = records.store.tasks(records.dataset)
    for method in records.methods:
        spent = [
            task["seconds"] for task in tasks if task["method"] == method and task["resample"] >= 0
        ]
        if not spent:
            continue
        row: Row = {"method": method}
        for kind in ("preprocess", "method", "model", "total"):
            row[f"{kind}_seconds"] = float(np.mean([times.get(kind, 0.0) for times in spent]))
        rows.append({**row, "n_tasks": len(spent)})
    return rows


def error_rows(records: Records) -> Rows:
    """Return the tasks that failed: where, at what and why."""
    names = ("method", "resample", "stage", "error")
    tasks = records.store.tasks(records.dataset)
    failed = [task for task in tasks if task["error"] and task["resample"] >= 0]
    return [{name: task[name] for name in names} for task in failed]
