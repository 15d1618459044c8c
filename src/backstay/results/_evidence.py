"""The tables of a study's results, over all its data sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd
from numpy.typing import ArrayLike

from backstay.results import _tables as tables
from backstay.results._contrasts import gain_rows
from backstay.results._partners import STRONG
from backstay.results._records import Records
from backstay.results._table import Table

__all__ = ["Evidence"]

CORRECTED = "Nadeau–Bengio corrected t interval over resamples"


class Evidence:
    """What was measured; :class:`Results` adds what follows from it."""

    _parts: dict[str, Records]

    def _table(
        self,
        title: str,
        note: str,
        rows: Callable[[Records], list[Any]],
        columns: str = "",
    ) -> Table:
        """Gather rows over data sets; `columns` are those of a table that may well be empty."""
        found = [{"dataset": n, **row} for n, part in self._parts.items() for row in rows(part)]
        empty = None if found or not columns else ["dataset", *columns.split()]
        return Table(title, note, pd.DataFrame(found, columns=empty))

    def stability(
        self,
        measure: str = "nogueira",
        sizes: Iterable[int] | str | None = None,
        *,
        confidence: float = 0.95,
        **options: Any,
    ) -> Table:
        """Stability of every method by subset size, with intervals.

        Parameters
        ----------
        measure : str, default="nogueira"
            Any measure of :func:`backstay.stability.list_measures` on subsets,
            rankings or weights; the latter two have one value, at all features.
        sizes : iterable of int, "all" or None
            None is the study's sizes, "all" every size that was ranked.
        confidence : float, default=0.95
            Coverage of the intervals at each single size.
        **options
            As in :func:`backstay.stability.stability_curve`.
        """
        note = f"{measure}, {confidence:.0%} intervals over resamples"
        asked = list(sizes) if sizes is not None and not isinstance(sizes, str) else sizes
        return self._table(
            "stability",
            note,
            lambda part: tables.stability_rows(part, measure, asked, confidence, options),
        )

    def accuracy(self, metric: str | None = None, *, confidence: float = 0.95) -> Table:
        """Mean score of every method by classifier and size.

        The intervals are Nadeau & Bengio's: resamples share rows, and the plain
        standard error over them would be far too small.

        Parameters
        ----------
        metric : str, default=None
            One metric; None for all the study's.
        confidence : float, default=0.95
            Coverage of the intervals.
        """
        return self._table(
            "accuracy",
            f"{confidence:.0%} {CORRECTED}",
            lambda part: tables.accuracy_rows(part, self._metrics(part, metric), confidence),
        )

    def scores(self, metric: str | None = None) -> Table:
        """Every single score, one row per resample."""
        return self._table(
            "scores",
            "one per resample",
            lambda part: tables.score_rows(part, self._metrics(part, metric)),
        )

    def _metrics(self, part: Records, metric: str | None) -> list[str]:
        return part.scoring if metric is None else [part.check_metric(metric)]

    def selection_frequency(self, size: int) -> Table:
        """Share of the resamples that put a feature among the best `size`."""
        rows = tables.frequency_rows
        return self._table(
            "selection frequency", f"best {size}", lambda part: rows(part, _within(part, size))
        )

    def signature(self, method: str, size: int, *, threshold: float = 0.5) -> Table:
        """Consensus signature: features among the best in more than a share of the runs.

        Parameters
        ----------
        method : str
            Name of a method.
        size : int
            Number of features selected in each run.
        threshold : float, default=0.5
            The share of runs, as in [Han 7.4].
        """
        return self._table(
            f"signature of {method}",
            f"among the best {size} in more than {threshold:.0%} of runs",
            lambda part: tables.signature_rows(part, method, _within(part, size), threshold),
            "method size feature name frequency",
        )

    def weight_variance(self, *, normalize: bool = True, confidence: float = 0.95) -> Table:
        """Variance of the feature weights over resamples, and their correlation.

        Parameters
        ----------
        normalize : bool, default=True
            Compare |w|/Σ|w| [HY], which puts methods on one scale.
        confidence : float, default=0.95
            Coverage of the jackknife intervals.
        """
        return self._table(
            "weight variance",
            "jackknife intervals over resamples",
            lambda part: tables.weight_rows(part, normalize, confidence),
        )

    def bias_variance(self, truth: ArrayLike | None = None, *, normalize: bool = True) -> Table:
        """Error of the feature weights against the truth: bias² + variance.

        Parameters
        ----------
        truth : array-like of shape (n_features,), optional
            True relevance; what ``run(…, truth=)`` was given if None.
        normalize : bool, default=True
            Compare |w|/Σ|w| [HY].
        """
        return self._table(
            "bias and variance of weights",
            "averages over features",
            lambda part: tables.bias_variance_rows(part, truth, normalize),
        )

    def prediction_stability(self, *, confidence: float = 0.95) -> Table:
        """Agreement, and Cohen's κ, of models trained on different resamples.

        Models are compared on the rows that both were tested on, never on
        training rows; all pairs are pooled. With two classes, pooled κ is φ.

        Parameters
        ----------
        confidence : float, default=0.95
            Coverage of the jackknife intervals.
        """
        return self._table(
            "prediction stability",
            "pairs of models on common test rows, jackknife intervals",
            lambda part: tables.prediction_rows(part, confidence),
        )

    def instance_weights(self) -> Table:
        """Instance weights averaged per row over the resamples that trained on it.

        Relative to a mean of 1. Rows far below 1 are the ones a weighting takes
        for outlying.
        """
        return self._table(
            "instance weights",
            "mean 1 in each resample",
            tables.instance_rows,
            "method row name class weight std n_runs",
        )

    def partners(self) -> Table:
        """Features strongly correlated with those that runs select most: possible stand-ins.

        Pearson's r over all rows, the five strongest partners with |r| ≥ 0.7 of up
        to 300 features. A signature is one of several equivalent ones where partners
        are many.
        """
        return self._table(
            "correlated partners",
            f"|r| ≥ {STRONG:g}, all rows",
            tables.partner_rows,
            "feature name partner partner_name correlation",
        )

    def fit_times(self) -> Table:
        """Mean seconds per task: preprocessing, the method, all classifiers, everything."""
        return self._table("fit times", "mean seconds per task", tables.time_rows)

    def similarity(self, size: int) -> Table:
        """Overlap of every two methods' best features on the same resamples, beyond chance."""
        rows = tables.similarity_rows
        return self._table(
            "similarity between methods",
            f"best {size}, mean over resamples",
            lambda part: rows(part, _within(part, size)),
        )

    def errors(self) -> Table:
        """Tasks that failed: where, at what and why."""
        return self._table(
            "errors", "tasks that failed", tables.error_rows, "method resample stage error"
        )

    def gains(self, metric: str | None = None, *, confidence: float = 0.95) -> Table:
        """Gains of instance-weighted methods over their uniform control and over plain.

        What a method gains over plain but not over its control is the work of
        the weights' mass, not of the weights (spec 13.1).

        Parameters
        ----------
        metric : str, default=None
            For accuracy; the study's first if None.
        confidence : float, default=0.95
            Coverage of the intervals.
        """
        return self._table(
            "gains of instance weighting",
            "paired by resample; stability is Kuncheva's index",
            lambda part: gain_rows(part, metric, confidence),
            "method over reference size quantity classifier gain low high p_value test",
        )


def _within(part: Records, size: int) -> int:
    if not 1 <= size <= part.n_features:
        raise ValueError(f"size={size!r} must lie between 1 and {part.n_features} features.")
    return size
