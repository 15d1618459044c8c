"""``results.comparisons``: all methods against each other, on one data set and over many."""

from __future__ import annotations

import pandas as pd

from backstay.comparison import FriedmanNemenyi
from backstay.results._comparisons import (
    Comparison,
    compare_rivals,
    friedman_test,
    pareto_rows,
    summary_rows,
)
from backstay.results._facts import Configuration
from backstay.results._parts import Parts
from backstay.results._table import Table


class Comparisons(Parts):
    """All methods against each other; ``results.compare`` compares two.

    `size`, `model` and `metric` are as there: without a size, averages over the study's sizes.
    """

    def rivals(self, configuration: Configuration) -> list[Comparison]:
        """Compare a method with every other at the same size, model and metric, for one data set.

        Parameters
        ----------
        configuration : Configuration
            The method that the others with enough runs are compared with. It is the second of
            every pair, so that a difference above 0 speaks for the other.
        """
        self._one()
        return compare_rivals(self._parts, configuration)

    def summary(
        self,
        *,
        size: int | None = None,
        model: str | None = None,
        metric: str | None = None,
        alpha: float = 0.05,
    ) -> Table:
        """Count, for every two methods, on how many data sets the first is better or worse.

        Parameters
        ----------
        alpha : float, default=0.05
            Level of the test on each data set; "equal" is what it leaves open.
        """
        rows = summary_rows(self._parts, Configuration("", size, model, metric), alpha)
        note = (
            "data sets where first is better / equal / worse than second, differences first "
            f"minus second, α = {alpha:g}"
        )
        return Table("summary", note, pd.DataFrame(rows))

    def friedman(
        self,
        quantity: str = "accuracy",
        *,
        size: int | None = None,
        model: str | None = None,
        metric: str | None = None,
    ) -> FriedmanNemenyi:
        """Friedman's test over data sets, with Nemenyi's for every two methods.

        The statistic is corrected for ties, unlike Demšar's formula; see
        :func:`backstay.comparison.friedman_nemenyi`.

        Parameters
        ----------
        quantity : {"accuracy", "stability"}, default="accuracy"
            What to compare; "accuracy" is the score by `metric`.
        """
        return friedman_test(self._parts, quantity, Configuration("", size, model, metric))

    def pareto(
        self, *, size: int | None = None, model: str | None = None, metric: str | None = None
    ) -> Table:
        """Methods not dominated in (stability, accuracy)."""
        at = Configuration("", size, model, metric)
        return self._table(
            "stability and accuracy",
            "averages over sizes" if size is None else f"at size {size}",
            lambda part: pareto_rows(part, at),
        )
