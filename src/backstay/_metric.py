"""How far apart are two rows? Euclidean, Manhattan, or Mahalanobis [Prat 9.1].

Mahalanobis' distance is the Euclidean one between whitened rows. So a method whitens its rows
once and otherwise stays the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.covariance import ledoit_wolf_shrinkage

from backstay._scaling import Scaling
from backstay._validation import StrOptions
from backstay.base import Array, Floats, Indices, one_thread

DISTANCES = [StrOptions({"euclidean", "manhattan", "mahalanobis"})]


def rows_for_metric(X: Floats, y: Indices, metric: str) -> Any:
    """Rows whose plain distances are the metric's: whitened for Mahalanobis, else as given."""
    if metric != "mahalanobis":
        return X
    with one_thread():
        return whiten_by_classes(X, y)


def without_scaling(weighting: Any, X: Floats, y: Indices) -> tuple[Any, Any]:
    """Return a copy of a weighting that takes rows as they come, and those rows.

    Feature weights must come after scaling and whitening, which would undo them.
    """
    weighting = clone(weighting)
    parameters = weighting.get_params(deep=False)
    rows = Scaling(X, parameters.get("scaling"))(X)
    if "scaling" in parameters:
        weighting.set_params(scaling=None)
    if parameters.get("metric") == "mahalanobis":
        rows = rows_for_metric(rows, y, "mahalanobis")
        weighting.set_params(metric="euclidean")
    return weighting, rows


def whiten_by_classes(X: Floats, y: Indices) -> Array:
    """Multiply all rows by Σ^(−1/2), Σ the mean covariance within the classes [Prat 9.1]."""
    rows: Array = np.asarray(X, dtype=np.float64)
    deviations = rows.copy()
    for c in np.unique(y):
        deviations[y == c] -= rows[y == c].mean(axis=0)
    return whiten(rows, deviations)


def whiten(rows: Array, deviations: Array) -> Array:
    """Multiply rows by Σ^(−1/2), Σ = covariance of the deviations shrunk by Ledoit–Wolf.

    The symmetric root keeps every coordinate its feature [Prat 9.1]. Shrinkage lets it be applied
    through the rows' own singular vectors, never as a d×d matrix. Without spread rows stay.
    """
    shrinkage = ledoit_wolf_shrinkage(deviations, assume_centered=True)
    _, singular, directions = np.linalg.svd(deviations, full_matrices=False)
    variances = singular**2 / len(rows)
    mean_variance = variances.sum() / rows.shape[1]
    floor = shrinkage * mean_variance
    if floor <= 1e-12 * mean_variance or mean_variance == 0.0:
        if len(variances) < rows.shape[1] or variances.min(initial=0.0) <= 0.0:
            return rows  # no spread to whiten by
        outside = 0.0
    else:
        outside = 1.0 / np.sqrt(floor)
    inside = 1.0 / np.sqrt((1.0 - shrinkage) * variances + floor)
    return rows * outside + (rows @ directions.T * (inside - outside)) @ directions
