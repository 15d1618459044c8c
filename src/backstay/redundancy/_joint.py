"""Rows as a discrete joint distribution, and choices that the measures share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._validation import check_columns, validate_sample_weight

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Refuse a value that is none of the choices."""
    if value not in choices:
        raise ValueError(f"{name}={value!r} must be one of {', '.join(map(repr, choices))}.")


def is_exact(method: str, n_free: int, max_exact: int) -> bool:
    """Whether to try all subsets of so many features."""
    return method == "exact" or (method == "auto" and n_free <= max_exact)


def joint(X: Any, y: Any, sample_weight: Any) -> tuple[Codes, Array]:
    """Return the different rows, the class last, as codes, and the probability of each."""
    if hasattr(X, "columns"):
        check_columns(None, X, nominal=True)
        named = [(f"column {name!r} of X", np.asarray(X[name])) for name in X.columns]
    else:
        X = np.asarray(X)
        if X.ndim != 2:
            raise ValueError(f"X has {X.ndim} dimension(s); a table of rows and features has 2.")
        named = [(f"column {j} of X", X[:, j]) for j in range(X.shape[1])]
    labels = np.asarray(y)
    if labels.ndim != 1 or not named or any(len(column) != len(labels) for _, column in named):
        rows = len(named[0][1]) if named else 0
        raise ValueError(
            f"X with {rows} rows and {len(named)} features and y of shape {labels.shape} "
            "must have as many rows, and X at least one feature."
        )
    if not len(labels):
        raise ValueError("X has no rows; at least one is needed.")
    table = np.column_stack([_codes(*column) for column in [*named, ("y", labels)]])
    weights = validate_sample_weight(sample_weight, table)
    weights = np.ones(len(table)) if weights is None else weights
    table, weights = table[weights > 0], weights[weights > 0]
    cells, rows_of = np.unique(table, axis=0, return_inverse=True)
    return cells, np.bincount(rows_of.ravel(), weights) / weights.sum()


def _codes(name: str, values: NDArray[Any]) -> Codes:
    """Numbers of a column's values; gaps and continuous values are refused."""
    codes, found = pd.factorize(values)
    if (codes < 0).any():
        row = int(np.argmin(codes))
        raise ValueError(f"{name} has no value in row {row}; drop such rows or name the gap.")
    fractions = values.dtype.kind == "f" and bool((np.floor(found) != found).any())
    if fractions and len(found) > max(10, len(values) / 2):
        raise ValueError(
            f"{name} holds {len(found)} different numbers in {len(values)} rows and looks "
            "continuous; discretise it first, with scikit-learn's KBinsDiscretizer, say."
        )
    return codes.astype(np.intp)


def refine(groups: Codes, values: Codes) -> Codes:
    """Split groups by a further feature; groups are numbered without gaps."""
    _, refined = np.unique(groups * (values.max() + 1) + values, return_inverse=True)
    return refined.astype(np.intp, copy=False)
