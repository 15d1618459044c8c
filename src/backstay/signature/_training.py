"""What a signature remembers of the training rows: moments, quantiles, correlated features."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from backstay.signature._cohort import QUANTILES
from backstay.signature._document import SignatureError

Array = NDArray[np.float64]
# Correlations from this on make a stand-in; so many of them are kept for a feature.
STRONG, MOST_STAND_INS = 0.7, 3


def numeric_columns(X: Any) -> tuple[NDArray[np.intp], Array]:
    """Return the places of the columns that are numbers, and their values."""
    if sparse.issparse(X):
        return np.arange(X.shape[1]), np.asarray(X.toarray(), dtype=np.float64)
    if not hasattr(X, "columns"):
        X = np.asarray(X)
        try:
            return np.arange(X.shape[1]), X.astype(np.float64)
        except (TypeError, ValueError):
            return np.empty(0, np.intp), np.empty((len(X), 0))
    if not isinstance(X, pd.DataFrame):
        X = X.to_pandas()
    places = [j for j, kind in enumerate(X.dtypes) if getattr(kind, "kind", "O") in "iufb"]
    return np.array(places, dtype=np.intp), X.iloc[:, places].to_numpy(dtype=np.float64)


def chosen_columns(X: Any, chosen: NDArray[np.intp], name: Any) -> tuple[Array, Array, Any]:
    """Return the chosen columns, all numeric ones, and the places of these."""
    places, table = numeric_columns(X)
    if not np.isin(chosen, places).all():
        lacking = sorted(set(chosen.tolist()) - set(places.tolist()))
        raise SignatureError(f"feature {name(lacking[0])!r} does not hold numbers.")
    return table[:, np.searchsorted(places, chosen)], table, places


def feature_facts(values: Array, codes: NDArray[np.intp], n_classes: int) -> dict[str, Any]:
    """Return moments and quantiles of one feature, overall and by class; gaps are left out."""
    known = ~np.isnan(values)
    x, c = values[known], codes[known]
    if not len(x):
        raise SignatureError("a feature of the signature has no values.")
    counts = np.bincount(c, minlength=n_classes)
    mean = float(x.mean())
    means = [float(x[c == k].mean()) if counts[k] else mean for k in range(n_classes)]
    sds = [float(x[c == k].std(ddof=1)) if counts[k] > 1 else 0.0 for k in range(n_classes)]
    residual = x - np.asarray(means)[c]
    variance = float((residual**2).mean())
    # A constant has no shape; 3 is that of a normal distribution.
    kurtosis = float((residual**4).mean() / variance**2) if variance > 1e-300 else 3.0
    return {
        "mean": mean,
        "sd": float(x.std(ddof=1)) if len(x) > 1 else 0.0,
        "kurtosis": max(kurtosis, 1.0),
        "quantiles": np.quantile(x, QUANTILES).tolist(),
        "class_means": means,
        "class_sds": sds,
        "class_counts": counts.tolist(),
    }


def pooled_covariance(values: Array, codes: NDArray[np.intp], n_classes: int) -> Array:
    """Return the covariance within classes; gaps count as their class's mean."""
    residual = np.zeros_like(values)
    for c in range(n_classes):
        rows = values[codes == c]
        if np.isfinite(rows).any():
            with np.errstate(invalid="ignore"):
                residual[codes == c] = np.nan_to_num(rows - np.nanmean(rows, axis=0))
    return residual.T @ residual / max(len(values) - n_classes, 1)


def stand_ins(
    values: Array, chosen: NDArray[np.intp], table: Array, places: NDArray[np.intp], name: Any
) -> list[list[dict[str, Any]]]:
    """Return for every chosen feature its strongest correlated ones, and the line through both."""
    mean, length = _center_and_length(table)
    standard = np.where(np.isnan(table), 0.0, table - mean) / length
    own_mean, own_length = _center_and_length(values)
    own = np.where(np.isnan(values), 0.0, values - own_mean) / own_length
    correlation = np.clip(own.T @ standard, -1, 1)
    found = []
    for j, column in enumerate(chosen):
        r = np.where(places == column, 0.0, correlation[j])
        strongest = np.argsort(-np.abs(r), kind="stable")[:MOST_STAND_INS]
        lines = []
        for other in strongest[np.abs(r[strongest]) >= STRONG]:
            slope = float(r[other] * own_length[j] / length[other])
            lines.append(
                {
                    "name": name(int(places[other])),
                    "column": int(places[other]),
                    "correlation": float(r[other]),
                    "slope": slope,
                    "intercept": float(own_mean[j] - slope * mean[other]),
                }
            )
        found.append(lines)
    return found


def _center_and_length(table: Array) -> tuple[Array, Array]:
    """Return means and lengths of centred columns; 1 for a constant, which correlates with none."""
    known = ~np.isnan(table)
    mean = np.where(known, table, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    length = np.sqrt((np.where(known, table - mean, 0) ** 2).sum(axis=0))
    constant = length <= 1e-10 * np.sqrt(len(table)) * np.maximum(np.abs(mean), 1e-300)
    return mean, np.where(constant, 1.0, length)
