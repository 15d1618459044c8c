"""Which samples? The weights that instance weighting gives them, and who is outlying."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from backstay.results._parts import Rows
from backstay.results._records import Records


@dataclass(frozen=True)
class SampleWeights:
    """What one weighting gives the samples.

    Attributes
    ----------
    methods : list of str
        The methods that use it: those that weigh rows alike share an entry.
    rows : DataFrame
        As in :meth:`Samples.weights`.
    fence : dict of class to float
        Tukey's lower fence within each class: the lower quartile less one and a half times the
        distance between the quartiles. Over all rows a rare class would be outlying as a whole.
    """

    methods: list[str]
    rows: pd.DataFrame
    fence: dict[Any, float]

    @property
    def outlying(self) -> pd.DataFrame:
        """The rows below the fence of their class, lowest weight first."""
        below = self.rows[self.rows["weight"] < self.rows["class"].map(self.fence)]
        return below.sort_values("weight", kind="stable").reset_index(drop=True)


@dataclass(frozen=True)
class TrainingRows:
    """The rows that runs train on.

    Attributes
    ----------
    share : float
        Of all rows, the mean share that a run trains on; a row drawn twice counts once.
    shared : float
        Of those, the mean share that another run trains on, too; nan for one run.
    """

    share: float
    shared: float


def weightings(records: Records, weights: pd.DataFrame) -> list[SampleWeights]:
    """Return every weighting that tells samples apart; methods that weigh alike share one."""
    controls = {role.control for role in records.facts.methods.values()}
    apart: list[SampleWeights] = []
    for method, rows in weights.groupby("method", sort=False):
        if method in controls or np.ptp(rows["weight"]) < 1e-12:
            continue
        for known in apart:
            if len(known.rows) == len(rows) and np.allclose(
                known.rows["weight"], rows["weight"], rtol=1e-6
            ):
                known.methods.append(str(method))
                break
        else:
            classes = rows.groupby("class", sort=False)["weight"]
            fence = {kind: _fence(weights) for kind, weights in classes}
            apart.append(SampleWeights([str(method)], rows, fence))
    return apart


def _fence(weights: pd.Series[float]) -> float:
    lower, upper = np.quantile(weights, [0.25, 0.75])
    return float(lower - 1.5 * (upper - lower))


def training_rows(records: Records) -> TrainingRows:
    """Return how many rows runs train on, and how many of them two runs share."""
    return records.once(("training rows",), lambda: _training_rows(records))


def _training_rows(records: Records) -> TrainingRows:
    n_runs = records.n_resamples
    trained = np.zeros((n_runs, records.n_samples))
    for resample in range(n_runs):
        trained[resample, records.train(resample)] = 1  # a row drawn twice is one row
    sizes = trained.sum(axis=1)
    common = (trained @ trained.T) / sizes[:, None]
    apart = ~np.eye(n_runs, dtype=bool)
    shared = float(common[apart].mean()) if n_runs > 1 else math.nan
    return TrainingRows(float(sizes.mean()) / records.n_samples, shared)


def weight_rows(records: Records) -> Rows:
    """Return the instance weights, averaged per row over the runs that trained on it."""
    return records.once(("instance weights",), lambda: _computed_rows(records))


def _computed_rows(records: Records) -> Rows:
    rows: Rows = []
    labels = records.target.row_labels()
    for method in records.methods:
        pairs = records.sample_weights(method)
        if not pairs:
            continue
        total, squares, times = (np.zeros(records.n_samples) for _ in range(3))
        for resample, omega in pairs:
            train = records.train(resample)
            relative = omega / omega.mean()
            total[train] += relative
            squares[train] += relative**2
            times[train] += 1
        seen = np.flatnonzero(times)
        mean = total[seen] / times[seen]
        spread = np.sqrt(np.maximum(squares[seen] / times[seen] - mean**2, 0))
        for row, average, deviation in zip(seen, mean, spread, strict=True):
            rows.append(
                {
                    "method": method,
                    "row": int(row),
                    "name": records.sample_name(int(row)),
                    records.target.row_column: labels[row],
                    "weight": float(average),
                    "std": float(deviation),
                    "n_runs": int(times[row]),
                }
            )
    return rows
