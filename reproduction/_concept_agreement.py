"""Agreement of two models on artificial rows [Turney 1995; Han 2.2.1]."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backstay.stability import StabilityResult


def concept_agreement(
    classifier: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_repeats: int = 10,
    n_rows: int = 1000,
    draw: Callable[[np.random.Generator, int], Any] | None = None,
    confidence: float = 0.95,
    random_state: int | np.random.Generator | None = None,
) -> StabilityResult:
    """Measure how often models trained on two halves of the data agree on artificial rows.

    The rows are halved, class by class, and a model is trained on each half. Both predict
    artificial rows; their agreement is the share of equal predictions, averaged over repetitions
    (Turney 1995). Artificial rows test agreement on all possible input; test rows, as in
    :func:`prediction_stability`, only where data happen to lie.

    Parameters
    ----------
    classifier : object with ``fit(X, y)`` and ``predict(X)``
        Copied for each half; a pipeline with a selector in it measures both together.
    X : array-like of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Class labels; every class needs two rows.
    n_repeats : int, default=10
        Number of halvings, at least 2.
    n_rows : int, default=1000
        Number of artificial rows for each halving.
    draw : callable, default=None
        ``draw(rng, n_rows)`` returns rows from P(X), if that is known. None draws every
        feature separately from its observed values.
    confidence : float, default=0.95
        Nominal coverage of the interval.
    random_state : int, Generator or None, default=None
        Seed of the halves and of the rows.

    Returns
    -------
    StabilityResult
        The mean agreement, with an interval over halvings of these rows.

    See Also
    --------
    prediction_stability : Agreement on given predictions.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> result = concept_agreement(KNeighborsClassifier(5), X, y, random_state=0)
    >>> 0.85 < result.value < 1.0
    True
    """
    if n_repeats < 2:
        raise ValueError(f"n_repeats={n_repeats!r} must be at least 2.")
    if n_rows < 1:
        raise ValueError(f"n_rows={n_rows!r} must be a positive integer.")
    rows, labels = np.asarray(X), np.asarray(y)
    if rows.ndim != 2 or labels.shape != (len(rows),):
        raise ValueError(
            f"X must be rows × features and y one label per row; got shapes {rows.shape} and "
            f"{labels.shape}."
        )
    names, counts = np.unique(labels, return_counts=True)
    if counts.min(initial=2) < 2:
        lonely = names[np.argmin(counts)].item()
        raise ValueError(f"class {lonely!r} has one row; every class needs two, one per half.")
    rng = np.random.default_rng(random_state)
    agreements = np.empty(n_repeats)
    for repeat in range(n_repeats):
        first = halves(labels, rng)
        drawn = artificial_rows(rows, n_rows, rng) if draw is None else draw(rng, n_rows)
        one, other = (
            np.asarray(deepcopy(classifier).fit(rows[side], labels[side]).predict(drawn))
            for side in (first, ~first)
        )
        agreements[repeat] = (one == other).mean()
    variance = float(agreements.var(ddof=1) / n_repeats)  # the jackknife's, of a mean
    return StabilityResult(
        float(agreements.mean()),
        variance,
        "agreement",
        n_repeats,
        n_rows,
        confidence,
        "jackknife",
        "predictions",
    )


def halves(labels: NDArray[Any], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Mark a random half of every class; an odd row goes to either half at random."""
    first = np.zeros(len(labels), dtype=np.bool_)
    for name in np.unique(labels):
        members = rng.permutation(np.flatnonzero(labels == name))
        odd = len(members) % 2 * int(rng.integers(2))
        first[members[: len(members) // 2 + odd]] = True
    return first


def artificial_rows(X: NDArray[Any], n_rows: int, rng: np.random.Generator) -> NDArray[Any]:
    """Draw every column separately, with replacement, from its observed values."""
    chosen = rng.integers(len(X), size=(n_rows, X.shape[1]))
    return X[chosen, np.arange(X.shape[1])]
