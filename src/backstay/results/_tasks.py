"""How did the tasks go? Seconds spent, and what failed."""

from __future__ import annotations

import numpy as np

from backstay.results._parts import Parts, Row, Rows
from backstay.results._records import Records
from backstay.results._table import Table


class TaskAnswers(Parts):
    """Times and failures of tasks."""

    def fit_times(self) -> Table:
        """Mean seconds per task: preprocessing, the method, all models, everything."""
        return self._table("fit times", "mean seconds per task", _time_rows)

    def errors(self) -> Table:
        """Tasks that failed: where, at what and why."""
        return self._table(
            "errors", "tasks that failed", _error_rows, "method resample stage error"
        )


def _time_rows(records: Records) -> Rows:
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


def _error_rows(records: Records) -> Rows:
    names = ("method", "resample", "stage", "error")
    tasks = records.store.tasks(records.dataset)
    failed = [task for task in tasks if task["error"] and task["resample"] >= 0]
    return [{name: task[name] for name in names} for task in failed]
