"""How often each feature was selected, and what the runs agree on."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.stability._runs import read_subsets


def selection_frequency(subsets: Any, n_features: int | None = None) -> NDArray[np.float64]:
    """Return the share of runs that selected each feature, as `stability_score` takes them.

    Examples
    --------
    >>> selection_frequency([[0, 1], [0, 2], [0, 1], [0, 3]], 5)
    array([1.  , 0.5 , 0.25, 0.25, 0.  ])
    """
    return read_subsets(subsets, n_features).frequency


def consensus(
    subsets: Any, n_features: int | None = None, threshold: float = 0.5
) -> NDArray[np.intp]:
    """Return the features that more than a given share of the runs selected.

    Parameters
    ----------
    subsets, n_features
        As in `stability_score`.
    threshold : float, default=0.5
        A feature belongs to the consensus if its frequency is greater, as in [Han 7.4].

    Returns
    -------
    ndarray of int
        Most frequent first, ties by index.

    Examples
    --------
    >>> consensus([[0, 1], [0, 2], [0, 1], [0, 3]], 5, threshold=0.4)
    array([0, 1])
    """
    if not 0 <= threshold < 1:
        raise ValueError(f"threshold={threshold!r} must be at least 0 and below 1.")
    frequency = selection_frequency(subsets, n_features)
    ranked = np.argsort(-frequency, kind="stable")
    return ranked[frequency[ranked] > threshold]
