"""What a signature remembers of the training rows: moments, quantiles, correlated features."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from backstay._columns import STRONG, column_chunks, numeric_columns, standard_parts
from backstay.signature._cohort import QUANTILES
from backstay.signature._document import SignatureError
from backstay.signature._shift import kurtosis
from backstay.targets import Target

Array = NDArray[np.float64]
Columns = NDArray[np.intp]
Naming = Callable[[int], str]
# Stand-ins that are kept for a feature, the strongest correlated ones.
MOST_STAND_INS = 3


def _chunks(X: Any, only: Columns | None = None) -> Iterator[tuple[Columns, Array]]:
    """Yield numbers and values of columns that hold numbers, at least those of `only`."""
    if sparse.issparse(X):
        X, numeric = X.tocsc(), np.arange(X.shape[1])
    else:
        if isinstance(X, np.ndarray) and X.dtype == object:
            X = pd.DataFrame(X).infer_objects()
        numeric = numeric_columns(X)
    for columns, part in column_chunks(X, numeric, only):
        # Sums along a column do not depend on how many columns are looked at together.
        yield columns, np.asfortranarray(part)


def values_of(X: Any, chosen: Columns, name: Naming) -> Array:
    """Return the values of the chosen columns; refuse those that hold no numbers."""
    values: dict[int, Array] = {}
    for columns, part in _chunks(X, chosen):
        for place in np.flatnonzero(np.isin(columns, chosen)):
            values[int(columns[place])] = part[:, place]
    for column in chosen.tolist():
        if column not in values:
            raise SignatureError(f"feature {name(column)!r} does not hold numbers.")
        if np.isnan(values[column]).all():
            raise SignatureError(f"feature {name(column)!r} has no values.")
    return np.stack([values[column] for column in chosen.tolist()]).T


def feature_facts(column: Array, target: Target) -> dict[str, Any]:
    """Return moments and quantiles of one feature; gaps are left out."""
    known = ~np.isnan(column)
    x = column[known]
    return {
        "count": len(x),
        "mean": float(x.mean()),
        "sd": float(x.std(ddof=1)) if len(x) > 1 else 0.0,
        "kurtosis": max(kurtosis(target.take(known).residuals(x)), 1.0),
        "quantiles": np.quantile(x, QUANTILES).tolist(),
    }


def stand_ins(values: Array, chosen: Columns, X: Any, name: Naming) -> list[list[dict[str, Any]]]:
    """Return for every chosen feature its strongest correlated ones, and the line through both."""
    own, own_mean, own_length = standard_parts(values)
    parts = []
    for columns, part in _chunks(X):
        standard, mean, length = standard_parts(part)
        parts.append((columns, mean, length, np.clip(own.T @ standard, -1, 1)))
    whole = (np.concatenate(one, axis=-1) for one in zip(*parts, strict=True))
    columns, mean, length, correlation = whole
    by_feature = []
    for j, column in enumerate(chosen):
        r = np.where(columns == column, 0.0, correlation[j])
        strongest = np.argsort(-np.abs(r), kind="stable")[:MOST_STAND_INS]
        lines = []
        for other in strongest[np.abs(r[strongest]) >= STRONG]:
            slope = float(r[other] * own_length[j] / length[other])
            lines.append(
                {
                    "name": name(int(columns[other])),
                    "column": int(columns[other]),
                    "correlation": float(r[other]),
                    "slope": slope,
                    "intercept": float(own_mean[j] - slope * mean[other]),
                }
            )
        by_feature.append(lines)
    return by_feature
