"""Which methods have enough runs to be judged? Failed runs are not missing by chance.

A method that fails on most resamples is measured on the few where it did not, which may be the
easy ones. So it takes part in no comparison and no recommendation; its own figures stay, with
the number of runs that they rest on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from backstay.results._parts import Rows
from backstay.results._records import Records

# Share that a method must have finished, of the runs that the study has got to, to be compared or
# recommended.
MINIMUM_SHARE = 0.8


class TooFewRunsError(ValueError):
    """Too few runs finished for an answer; the message says how many."""


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


def run_counts(records: Records) -> dict[str, RunCount]:
    """Return, by method, how many runs it finished, of those that any method got to."""

    def count() -> dict[str, RunCount]:
        tried = dict.fromkeys(records.methods, 0)
        for method, resample in records.store.done(records.dataset):
            if resample >= 0 and method in tried:
                tried[method] += 1
        most = max(tried.values(), default=0)
        return {m: RunCount(len(records.orders(m)[0]), most) for m in records.methods}

    return records.once(("run counts",), count)


def is_judged(records: Records, method: str) -> bool:
    """Return whether a method has enough runs to be compared."""
    return run_counts(records)[records.check_method(method)].enough


def judged_methods(records: Records) -> list[str]:
    """Return the methods with enough runs to be compared; refuse where there is none."""
    counts = run_counts(records)
    found = [method for method, count in counts.items() if count.enough]
    if not found:
        raise TooFewRunsError(_why_none(records, counts))
    return found


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
        return (
            f"{done} of {planned} tasks on {records.dataset!r} are finished, and no method has "
            "the two runs that stability needs; let the study go on first."
            if all(count.finished < 2 for count in counts.values())
            else f"{done} of {planned} tasks on {records.dataset!r} are finished, and no method "
            f"has {MINIMUM_SHARE:.0%} of the runs so far; let the study go on first."
        )
    shown = ", ".join(f"{method} finished {count}" for method, count in counts.items())
    failed = [task for task in records.store.tasks(records.dataset) if task["error"]]
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
