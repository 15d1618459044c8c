"""``results.runs``: what single runs gave, how they went, and which methods can be judged.

Failed runs are not missing by chance. A method that fails on most resamples is measured on the few
where it did not, which may be the easy ones. So it takes part in no comparison and no
recommendation; its own figures stay, with the number of runs that they rest on.
"""

import math
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from backstay.results._accuracy import run_score_rows
from backstay.results._parts import Parts, Rows, Table
from backstay.results._records import Records, computed_once

# Share that a method must have finished, of the runs that the study has got to, to be compared or
# recommended.
MINIMUM_SHARE = 0.8


class TooFewRunsError(ValueError):
    """Too few runs finished: a method needs the share ``minimum_share`` of them to be compared."""

    minimum_share: ClassVar[float] = MINIMUM_SHARE


@dataclass(frozen=True)
class TrainingRows:
    """The rows that runs train on."""

    share: float  # of all rows, the mean share of a run; a row drawn twice counts once
    shared: float  # of those, the mean share that another run trains on, too; nan for one run


@dataclass(frozen=True)
class RunCount:
    """How many runs a method finished, of as many as the study has got to."""

    finished: int
    of: int

    @property
    def enough(self) -> bool:
        """Whether the method can be compared: by the share of its runs, and two at least."""
        return self.finished >= max(2, math.ceil(MINIMUM_SHARE * self.of - 1e-9))

    def __str__(self) -> str:
        if self.finished == self.of:
            return f"{self.of} run{'' if self.of == 1 else 's'}"
        return f"{self.finished} of {self.of} runs"


@computed_once
def run_counts(records: Records) -> dict[str, RunCount]:
    """Return, by method, how many runs it finished, of those that any method got to."""
    done = [(method, run) for method, run in records.store.done(records.dataset) if run >= 0]
    tried = Counter(method for method, _ in done if method in records.methods)
    most = max(tried.values(), default=0)
    return {method: RunCount(len(records.orders(method)[0]), most) for method in records.methods}


def is_judged(records: Records, method: str) -> bool:
    """Return whether a method has enough runs to be compared."""
    return run_counts(records)[records.check_method(method)].enough


def judged_methods(records: Records) -> list[str]:
    """Return the methods with enough runs to be compared; refuse where there is none."""
    counts = run_counts(records)
    judged = [method for method, count in counts.items() if count.enough]
    if not judged:
        raise TooFewRunsError(_why_none(records, counts))
    return judged


def check_judged(records: Records, *methods: str) -> None:
    """Refuse methods with too few runs to be compared."""
    for method in methods:
        count = run_counts(records)[records.check_method(method)]
        if not count.enough:
            raise TooFewRunsError(
                f"{method!r} finished {count} on {records.dataset!r}; to be compared, a method "
                f"needs {MINIMUM_SHARE:.0%} of them, and two at least."
            )


def left_out(records: Records) -> dict[str, RunCount]:
    """Return the methods that are not judged, with their runs."""
    return {m: count for m, count in run_counts(records).items() if not count.enough}


def _why_none(records: Records, counts: dict[str, RunCount]) -> str:
    done, planned = records.facts.n_done, records.facts.n_tasks
    if done < planned:
        begun = any(count.finished > 1 for count in counts.values())
        share = f"{MINIMUM_SHARE:.0%} of the runs so far"
        lacking = share if begun else "the two runs that stability needs"
        return (
            f"{done} of {planned} tasks on {records.dataset!r} are finished, and no method has "
            f"{lacking}; let the study go on first."
        )
    shown = ", ".join(f"{method} finished {count}" for method, count in counts.items())
    failed = error_rows(records)
    reason = f" The first failure was {failed[0]['error']}" if failed else ""
    return (
        f"no method finished {MINIMUM_SHARE:.0%} of its runs on {records.dataset!r}, and two at "
        f"least, so none can be judged: {shown}.{reason}"
    )


def count_rows(records: Records) -> Rows:
    """Return how many runs every method finished, and whether they are enough."""
    return [
        {"method": method, "n_runs": count.finished, "of": count.of, "judged": count.enough}
        for method, count in run_counts(records).items()
    ]


def time_rows(records: Records) -> Rows:
    """Return the mean seconds per task of every method."""
    tasks = [task for task in records.store.tasks(records.dataset) if task["resample"] >= 0]
    kinds = ("preprocess", "method", "model", "total")
    rows: Rows = []
    for method in records.methods:
        spent = [task["seconds"] for task in tasks if task["method"] == method]
        if spent:
            mean = {k: float(np.mean([times.get(k, 0.0) for times in spent])) for k in kinds}
            seconds = {f"{kind}_seconds": value for kind, value in mean.items()}
            rows.append({"method": method, **seconds, "n_tasks": len(spent)})
    return rows


def error_rows(records: Records) -> Rows:
    """Return the tasks that failed: where, at what and why."""
    names = ("method", "resample", "stage", "error")
    tasks = records.store.tasks(records.dataset)
    failed = [task for task in tasks if task["error"] and task["resample"] >= 0]
    return [{name: task[name] for name in names} for task in failed]


@computed_once
def training_rows(records: Records) -> TrainingRows:
    """Return how many rows runs train on, and how many of them two runs share."""
    n_runs = records.n_resamples
    trained = np.zeros((n_runs, records.n_samples))
    for resample in range(n_runs):
        trained[resample, records.train(resample)] = 1  # a row drawn twice is one row
    sizes = trained.sum(axis=1)
    common = (trained @ trained.T) / sizes[:, None]
    apart = ~np.eye(n_runs, dtype=bool)
    shared = float(common[apart].mean()) if n_runs > 1 else math.nan
    return TrainingRows(float(sizes.mean()) / records.n_samples, shared)


class Runs(Parts):
    """What single runs gave, how long they took and which failed."""

    def orders(self, method: str) -> NDArray[np.int32]:
        """Return, for one data set, a row per run: its features by number, best first."""
        return self._one().orders(method)[1]

    def weights(self, method: str) -> NDArray[np.float64]:
        """Return, for one data set, a row per run: the weights of all features."""
        return self._one().weights(method)[1]

    def scores(self, metric: str | None = None) -> Table:
        """Every single score, one row per resample: by one metric, or by all if None."""
        return self._table("scores of runs", "one per resample", run_score_rows, metric)

    def times(self) -> Table:
        """Mean seconds per task: preprocessing, the method, all models, everything."""
        return self._table("fit times", "mean seconds per task", time_rows)

    def errors(self) -> Table:
        """Tasks that failed: where, at what and why."""
        columns = "method resample stage error"
        return self._table("errors", "tasks that failed", error_rows, columns=columns)

    def counts(self) -> Table:
        """Count the runs that each method finished; below 80 % of them it is not ``judged``."""
        return self._table("runs", f"{MINIMUM_SHARE:.0%} are needed", count_rows)

    def judged(self) -> list[str]:
        """Return, for one data set, the methods with enough runs; a TooFewRunsError if none has."""
        return judged_methods(self._one())

    def training_rows(self) -> TrainingRows:
        """Return how many rows runs train on, and how many of them two runs share."""
        return training_rows(self._one())
