"""ROC and precision–recall curves of scores, averaged over runs.

Scores of different runs are never compared: every run has a curve of its own, and the curves are
averaged at equal false positive rate, or at equal recall. So the area under the mean ROC curve is
the mean of the runs' AUC, and that under the other the mean of their average precision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]
Run = tuple[NDArray[np.bool_], NDArray[Any]]
CURVES = ("roc", "precision_recall")
# Curves change at so many places at most; finer ones are drawn on an even grid.
MOST_PLACES = 200
CONFIDENCE = 0.95
N_BOOTSTRAPS = 200


def mean_curve(kind: str, runs: Sequence[Run], test_share: float | None = None) -> pd.DataFrame:
    """Return the mean curve over runs with a band.

    Parameters
    ----------
    kind : {"roc", "precision_recall"}
        True positive rate by false positive rate, or precision by recall.
    runs : list of (positive, scores)
        Whether each test row is positive, and its score, run by run. Runs without a positive or
        without a negative row are left out.
    test_share : float, default=None
        n_test/n_train, for Nadeau and Bengio's correction of the band over several runs. A single
        run has a band over bootstraps of its rows, drawn within the classes.

    Returns
    -------
    DataFrame
        ``x``, ``y``, ``low`` and ``high`` along the curve, which is linear between the rows.

    Examples
    --------
    >>> import numpy as np
    >>> run = (np.array([False, False, True, True]), np.array([0.1, 0.4, 0.35, 0.8]))
    >>> mean_curve("roc", [run])[["x", "y"]].T
         0    1    2    3
    x  0.0  0.5  0.5  1.0
    y  0.5  0.5  1.0  1.0
    """
    if kind not in CURVES:
        raise ValueError(f"kind={kind!r} must be 'roc' or 'precision_recall'.")
    runs = [run for run in runs if 0 < run[0].sum() < len(run[0])]
    if not runs:
        return pd.DataFrame(columns=["x", "y", "low", "high"], dtype=float)
    edges = _edges(kind, runs)
    curves = np.array([_values(kind, run, edges) for run in runs])
    y = curves.mean(axis=0)
    if len(runs) > 1:
        error = np.sqrt((1 / len(runs) + (test_share or 0.0)) * curves.var(axis=0, ddof=1))
        half = stats.t.ppf(0.5 + CONFIDENCE / 2, len(runs) - 1) * error
        low, high = np.clip(y - half, 0, 1), np.clip(y + half, 0, 1)
    else:
        drawn = [_values(kind, run, edges) for run in _bootstraps(runs[0])]
        low, high = np.quantile(drawn, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    return pd.DataFrame({"x": np.repeat(edges, 2)[1:-1], "y": y, "low": low, "high": high})


def _edges(kind: str, runs: Sequence[Run]) -> Floats:
    """Return the places where some run's curve may change its course."""
    counts = {int(len(p) - p.sum()) if kind == "roc" else int(p.sum()) for p, _ in runs}
    if sum(counts) > MOST_PLACES:
        return np.linspace(0, 1, MOST_PLACES + 1)
    return np.unique(np.round(np.concatenate([np.arange(n + 1) / n for n in counts]), 12))


def _values(kind: str, run: Run, edges: Floats) -> Floats:
    """Return a curve just right and just left of the ends of every interval."""
    curve = _roc(run) if kind == "roc" else _precision(run)
    width = np.diff(edges)
    near, far = curve(edges[:-1] + width / 4), curve(edges[:-1] + 3 * width / 4)
    slope = (far - near) / 2
    return np.clip(np.stack([near - slope, far + slope], axis=1).ravel(), 0, 1)


def roc_points(run: Run) -> tuple[Floats, Floats]:
    """Return false and true positive rates at every score, from (0, 0) on."""
    positive, scores = run
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(order) - 1)
    hits = np.append(0, np.cumsum(positive[order])[last]) / positive.sum()
    alarms = np.append(0, np.cumsum(~positive[order])[last]) / (~positive).sum()
    return alarms, hits


def _roc(run: Run) -> Callable[[Floats], Floats]:
    alarms, hits = roc_points(run)
    return lambda x: np.interp(x, alarms, hits)


def _precision(run: Run) -> Callable[[Floats], Floats]:
    """Precision among the rows that score as high as the last positive row needed."""
    positive, scores = run
    above = stats.rankdata(-scores, method="max")[positive]
    hits = stats.rankdata(-scores[positive], method="max")
    steps = (hits / above)[np.argsort(-scores[positive], kind="stable")]
    return lambda x: steps[np.minimum((x * len(steps)).astype(int), len(steps) - 1)]


def _bootstraps(run: Run) -> list[Run]:
    positive, scores = run
    rng = np.random.default_rng(0)
    ours, others = np.flatnonzero(positive), np.flatnonzero(~positive)
    drawn = []
    for _ in range(N_BOOTSTRAPS):
        rows = np.concatenate([rng.choice(ours, len(ours)), rng.choice(others, len(others))])
        drawn.append((positive[rows], scores[rows]))
    return drawn
