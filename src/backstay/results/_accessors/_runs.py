"""``results.runs``: what single runs gave, and how they went."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from backstay.results._accuracy import run_score_rows, scored_metrics
from backstay.results._judged import MINIMUM_SHARE, count_rows, judged_methods
from backstay.results._parts import Parts
from backstay.results._samples import TrainingRows, training_rows
from backstay.results._table import Table
from backstay.results._tasks import error_rows, time_rows


class Runs(Parts):
    """What single runs gave, how long they took and which failed."""

    def orders(self, method: str) -> NDArray[np.int32]:
        """Return, for one data set, a row per run: its features by number, best first."""
        return self._one().orders(method)[1]

    def weights(self, method: str) -> NDArray[np.float64]:
        """Return, for one data set, a row per run: the weights of all features."""
        return self._one().weights(method)[1]

    def scores(self, metric: str | None = None) -> Table:
        """Every single score, one row per resample.

        Parameters
        ----------
        metric : str, default=None
            One metric; None for all the study's.
        """
        return self._table(
            "scores of runs",
            "one per resample",
            lambda part: run_score_rows(part, scored_metrics(part, metric)),
        )

    def times(self) -> Table:
        """Mean seconds per task: preprocessing, the method, all models, everything."""
        return self._table("fit times", "mean seconds per task", time_rows)

    def errors(self) -> Table:
        """Tasks that failed: where, at what and why."""
        return self._table("errors", "tasks that failed", error_rows, "method resample stage error")

    def counts(self) -> Table:
        """Count the runs that each method finished, of those that the study has got to.

        A method with fewer than 80 % of them is not ``judged``: it takes part in no
        comparison and is not recommended.
        """
        return self._table("runs", f"{MINIMUM_SHARE:.0%} are needed", count_rows)

    def judged(self) -> list[str]:
        """Return, for one data set, the methods with enough runs to be compared.

        Raises
        ------
        TooFewRunsError
            If no method has; the message says how many runs there are.
        """
        return judged_methods(self._one())

    def training_rows(self) -> TrainingRows:
        """Return how many rows runs train on, and how many of them two runs share."""
        return training_rows(self._one())
