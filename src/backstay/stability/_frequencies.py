"""How often each feature was selected, and what the runs agree on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.stability._runs import read_subsets


def selection_frequency(subsets: Any, n_features: int | None = None) -> NDArray[np.float64]:
    """Return the share of runs that selected each feature.

    Parameters
    ----------
    subsets, n_features
        As in `stability_score`.

    Returns
    -------
    ndarray of shape (n_features,)
        Between 0 and 1.

    Examples
    --------
    >>> selection_frequency([[0, 1], [0, 2], [0, 1], [0, 3]], 5)
    array([1.  , 0.5 , 0.25, 0.25, 0.  ])
    """
    runs = read_subsets(subsets, n_features)
    frequency = np.zeros(runs.n_features)
    frequency[runs.features] = runs.counts / runs.n_runs
    return frequency


def consensus(
    subsets: Any, n_features: int | None = None, threshold: float = 0.5
) -> NDArray[np.intp]:
    """Return the features selected in more than a share of the runs.

    Parameters
    ----------
    subsets, n_features
        As in `stability_score`.
    threshold : float, default=0.5
        A feature belongs to the consensus if its frequency is greater, as in [Han 7.4].

    Returns
    -------
    ndarray of int
        Feature indices, most frequent first, ties by index.

    Examples
    --------
    >>> consensus([[0, 1], [0, 2], [0, 1], [0, 3]], 5)
    array([0])
    >>> consensus([[0, 1], [0, 2], [0, 1], [0, 3]], 5, threshold=0.4)
    array([0, 1])
    """
    _check_threshold(threshold)
    frequency = selection_frequency(subsets, n_features)
    ranked = np.argsort(-frequency, kind="stable")
    return ranked[frequency[ranked] > threshold]


def frequency_intervals(
    subsets: Any, n_features: int | None = None, thresholds: Sequence[float] = (0.0, 0.5, 0.85)
) -> pd.DataFrame:
    """Count the features selected in more than given shares of the runs.

    The first row, above 0, counts the features selected at all; the defaults are the
    columns of [Han] Table 7.6.

    Parameters
    ----------
    subsets, n_features
        As in `stability_score`.
    thresholds : sequence of float, default=(0, 0.5, 0.85)
        Lower ends of the intervals ``(threshold, 1]``.

    Returns
    -------
    DataFrame
        One row per threshold: ``interval`` in percent, ``threshold``, ``n_features``.

    Examples
    --------
    >>> frequency_intervals([[0, 1], [0, 2], [0, 1], [0, 3]], 5)
        interval  threshold  n_features
    0   (0, 100]       0.00           4
    1  (50, 100]       0.50           1
    2  (85, 100]       0.85           1
    """
    for threshold in thresholds:
        _check_threshold(threshold)
    frequency = selection_frequency(subsets, n_features)
    rows = [
        (f"({100 * threshold:g}, 100]", float(threshold), int((frequency > threshold).sum()))
        for threshold in thresholds
    ]
    return pd.DataFrame(rows, columns=["interval", "threshold", "n_features"])


def _check_threshold(threshold: float) -> None:
    if not 0 <= threshold < 1:
        raise ValueError(f"threshold={threshold!r} must be at least 0 and below 1.")
