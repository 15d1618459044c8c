"""Stability of predictions made by models trained on different resamples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.stability._measures import get_measure
from backstay.stability._pairwise import correlations, pairwise_result
from backstay.stability._stability_result import StabilityResult


def prediction_stability(
    predictions: Any,
    measure: str = "agreement",
    *,
    confidence: float = 0.95,
    method: str = "jackknife",
    n_bootstrap: int = 1000,
    random_state: int | np.random.Generator | None = None,
) -> StabilityResult:
    """Say how much the predictions of repeatedly trained classifiers agree.

    Parameters
    ----------
    predictions : array-like of shape (n_runs, n_samples)
        Class labels predicted for the same samples by each of at least two models.
    measure : {"agreement", "phi", "kappa"}, default="agreement"
        "agreement" is the share of equal predictions; "kappa" is Cohen's κ, agreement
        beyond what the models' class shares give by chance; "phi" is the φ coefficient,
        for two classes.
    confidence : float, default=0.95
        Coverage of the confidence interval.
    method : {"jackknife", "bootstrap"}, default="jackknife"
        Where the variance over runs comes from.
    n_bootstrap : int, default=1000
        Number of bootstrap resamples.
    random_state : int, Generator or None
        Seed of the bootstrap.

    Returns
    -------
    StabilityResult
        The mean over pairs of runs, with an interval (nan for two runs).

    Examples
    --------
    >>> labels = [["a", "b", "a", "b"], ["a", "b", "a", "a"], ["a", "b", "b", "b"]]
    >>> round(prediction_stability(labels).value, 4)
    0.6667
    >>> round(prediction_stability(labels, "kappa").value, 4)
    0.4
    """
    get_measure(measure, "predictions")
    codes, n_classes = _read_predictions(predictions)
    if measure == "phi":
        if n_classes > 2:
            raise ValueError(f"phi is for two classes, got {n_classes}; use 'kappa'")
        pairs = correlations(codes.astype(np.float64))
    else:
        pairs = _agreement(codes, n_classes)
    if measure == "kappa":
        chance = _chance(codes, n_classes)
        span = np.where(chance < 1, 1 - chance, np.nan)
        pairs = (pairs - chance) / span
    return pairwise_result(
        pairs,
        measure,
        codes.shape[1],
        items="predictions",
        why_undefined="models that always predict one class",
        confidence=confidence,
        method=method,
        n_bootstrap=n_bootstrap,
        random_state=random_state,
    )


def _read_predictions(predictions: Any) -> tuple[NDArray[np.intp], int]:
    """Return the predictions as class numbers."""
    if hasattr(predictions, "to_numpy"):
        predictions = predictions.to_numpy()
    rows = [np.asarray(row) for row in predictions]
    if len(rows) < 2:
        raise ValueError(f"stability needs at least 2 runs, got {len(rows)}")
    shapes = {row.shape for row in rows}
    if len(shapes) > 1 or rows[0].ndim != 1 or rows[0].size == 0:
        raise ValueError(f"predictions must be runs × samples, got rows of shape {sorted(shapes)}")
    labels = np.stack(rows)
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise ValueError("predictions must be class labels, got nan")
    classes, codes = np.unique(labels, return_inverse=True)
    return codes.reshape(labels.shape), classes.size


def _agreement(codes: NDArray[np.intp], n_classes: int) -> NDArray[np.float64]:
    """Return the share of equal predictions of every two runs."""
    m, n = codes.shape
    equal = np.zeros((m, m))
    for label in range(n_classes):
        mask = (codes == label).astype(np.float64)
        equal += mask @ mask.T
    return equal / n


def _chance(codes: NDArray[np.intp], n_classes: int) -> NDArray[np.float64]:
    """Return the agreement that the class shares of every two runs give by chance."""
    n = codes.shape[1]
    counts = np.stack([np.bincount(row, minlength=n_classes) for row in codes])
    # Products of counts, so that "always the same class" gives 1 exactly.
    return np.asarray((counts @ counts.T) / n**2)
