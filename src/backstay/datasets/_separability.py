"""How far a weighting sets relevant features apart from irrelevant ones [Prat 5.3.3]."""

import numpy as np
from numpy.typing import ArrayLike


def separability(weights: ArrayLike, relevance: ArrayLike) -> float:
    """Largest weight of a relevant feature minus the largest of an irrelevant one.

    s = max_{a∈R} w(a) − max_{a∈I} w(a) [Prat eq. 5.23]. Positive when the best
    feature of a ranking is relevant; it says nothing of the other relevant ones.

    Parameters
    ----------
    weights : array-like of shape (n_features,)
        Weights of a method, higher is better.
    relevance : array-like of shape (n_features,)
        True relevance; relevant is what is above 0.

    Returns
    -------
    float
        In the unit of the weights: comparable between methods on one scale only.

    Examples
    --------
    >>> from backstay.datasets import separability
    >>> separability([0.5, 0.125, 0.25], relevance=[0.5, 0.5, 0.0])
    0.25
    """
    w = np.asarray(weights, dtype=np.float64)
    r = np.asarray(relevance, dtype=np.float64)
    if w.ndim != 1 or w.shape != r.shape:
        raise ValueError(
            f"weights of shape {w.shape} and relevance of shape {r.shape} must be vectors "
            "of the same length."
        )
    if not (np.isfinite(w).all() and np.isfinite(r).all()):
        raise ValueError("weights and relevance must be finite numbers.")
    relevant = r > 0
    if relevant.all() or not relevant.any():
        raise ValueError(
            f"relevance marks {int(relevant.sum())} of {len(r)} features as relevant; "
            "at least one must be relevant and one irrelevant."
        )
    return float(w[relevant].max() - w[~relevant].max())
