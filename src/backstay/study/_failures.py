"""Tasks that failed: said at the end of a run, and an error if all of them did."""

from __future__ import annotations

import warnings

from backstay.store import Store
from backstay.study._parallel import StudyError


def report_failures(store: Store, dataset: str) -> None:
    """Warn of tasks that failed; if all did, raise, as there are no results to return."""
    every = store.tasks(dataset)
    tasks = [task for task in every if task["resample"] >= 0]
    failed = [task for task in tasks if task["error"]]
    shuffled = [task for task in every if task["resample"] < 0]
    if failed:
        first = failed[0]
        example = f"{first['method']!r} on resample {first['resample']}: {first['error']}"
        if len(failed) == len(tasks):
            raise StudyError(f"all {len(tasks)} tasks on {dataset!r} failed; {example}")
        _warn(
            f"{len(failed)} of {len(tasks)} tasks on {dataset!r} failed, "
            f"see results.runs.errors(); {example}"
        )
    if failed := [task for task in shuffled if task["error"]]:
        _warn(
            f"{len(failed)} of {len(shuffled)} runs with shuffled labels on {dataset!r} failed; "
            f"{failed[0]['method']!r}: {failed[0]['error']}"
        )


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=6)  # the caller of Study.run
