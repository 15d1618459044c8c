"""What a signature remembers of the training rows: moments, quantiles, correlated features."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from backstay.signature._cohort import QUANTILES
from backstay.signature._document import SignatureError

Array = NDArray[np.float64]
CHUNK = 4096  # columns that are looked at together
# Correlations from this on make a stand-in; so many of them are kept for a feature.
STRONG, MOST_STAND_INS = 0.7, 3


class NumericColumns:
    """The columns of a table that hold numbers: their places, and the values of some of them.

    A table of hundreds of thousands of columns is never copied as a whole.
    """

    def __init__(self, X: Any) -> None:
        if hasattr(X, "columns"):
            X = X if isinstance(X, pd.DataFrame) else X.to_pandas()
            numeric = [getattr(kind, "kind", "O") in "iufb" for kind in X.dtypes]
            self.places = np.flatnonzero(numeric)
        else:
            X = X.tocsc() if sparse.issparse(X) else np.asarray(X)
            self.places = np.arange(X.shape[1] if X.dtype.kind in "iufb" or _numbers(X) else 0)
        self.X = X

    def values(self, places: NDArray[np.intp]) -> Array:
        """Return the values of the columns at some places of the table."""
        if isinstance(self.X, pd.DataFrame):
            return self.X.iloc[:, places].to_numpy(dtype=np.float64)
        table = self.X[:, places]
        table = table.toarray() if sparse.issparse(table) else table
        return np.asarray(table, dtype=np.float64)

    def chunks(self) -> Iterator[tuple[NDArray[np.intp], Array]]:
        """Yield places and values of all columns, some at a time."""
        for start in range(0, len(self.places), CHUNK):
            places = self.places[start : start + CHUNK]
            yield places, self.values(places)


def _numbers(X: Any) -> bool:
    """Return whether objects are numbers."""
    try:
        X.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return True


def chosen_columns(X: Any, chosen: NDArray[np.intp], name: Any) -> tuple[Array, NumericColumns]:
    """Return the values of the chosen columns, and all columns of numbers."""
    table = NumericColumns(X)
    if not np.isin(chosen, table.places).all():
        lacking = sorted(set(chosen.tolist()) - set(table.places.tolist()))
        raise SignatureError(f"feature {name(lacking[0])!r} does not hold numbers.")
    return table.values(chosen), table


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
    values: Array, chosen: NDArray[np.intp], table: NumericColumns, name: Any
) -> list[list[dict[str, Any]]]:
    """Return for every chosen feature its strongest correlated ones, and the line through both."""
    own_mean, own_length = _center_and_length(values)
    own = np.where(np.isnan(values), 0.0, values - own_mean) / own_length
    places = table.places
    mean, length = np.empty(len(places)), np.empty(len(places))
    correlation = np.empty((len(chosen), len(places)))
    start = 0
    for chunk, part in table.chunks():
        here = slice(start, start + len(chunk))
        mean[here], length[here] = _center_and_length(part)
        standard = np.where(np.isnan(part), 0.0, part - mean[here]) / length[here]
        correlation[:, here] = np.clip(own.T @ standard, -1, 1)
        start += len(chunk)
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
