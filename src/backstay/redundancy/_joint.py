"""Rows as a discrete joint distribution, and what the measures on it share."""

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._validation import check_columns, validate_sample_weight

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Subset = tuple[int, ...]

# Differences of sums of probabilities below this are rounding.
ROUNDING = 1e-12


def check_number(n_features: int, max_features: int) -> None:
    """Refuse to try all subsets of too many features."""
    if n_features > max_features:
        raise ValueError(
            f"{n_features} features have {2**n_features} subsets, which may all have to be tried; "
            f"that is done for up to max_features={max_features}. Preselect features, or raise it."
        )


def joint(X: Any, y: Any, sample_weight: Any) -> tuple[Codes, Array]:
    """Return the different rows, the class last, as codes, and the probability of each."""
    if hasattr(X, "columns"):
        check_columns(None, X, nominal=True)
        named = [(f"column {name!r} of X", np.asarray(X[name])) for name in X.columns]
    else:
        X = np.asarray(X)
        named = [(f"column {j} of X", column) for j, column in enumerate(X.T)]
    labels = np.asarray(y)
    if len(X.shape) != 2 or labels.shape != X.shape[:1] or 0 in X.shape:
        raise ValueError(
            f"X has shape {X.shape}, and y has shape {labels.shape}; both need the same rows, at "
            "least one, and X at least one feature."
        )
    table = np.column_stack([_codes(*column) for column in [*named, ("y", labels)]])
    weights = validate_sample_weight(sample_weight, table)
    weights = np.ones(len(table)) if weights is None else weights
    table, weights = table[weights > 0], weights[weights > 0]
    cells, rows_of = np.unique(table, axis=0, return_inverse=True)
    return cells, np.bincount(rows_of.ravel(), weights) / weights.sum()


def _codes(name: str, values: NDArray[Any]) -> Codes:
    """Numbers of a column's values; gaps and continuous values are refused."""
    codes, distinct = pd.factorize(values)
    if (codes < 0).any():
        row = int(np.argmin(codes))
        raise ValueError(f"{name} has no value in row {row}; drop such rows or name the gap.")
    fractions = values.dtype.kind == "f" and bool((np.floor(distinct) != distinct).any())
    if fractions and len(distinct) > max(10, len(values) / 2):
        raise ValueError(
            f"{name} holds {len(distinct)} different numbers in {len(values)} rows and looks "
            "continuous; discretise it first, with scikit-learn's KBinsDiscretizer, say."
        )
    return codes.astype(np.intp)


def refine(groups: Codes, values: Codes) -> Codes:
    """Split groups by a further feature; groups are numbered without gaps."""
    _, refined = np.unique(groups * (values.max() + 1) + values, return_inverse=True)
    return refined.astype(np.intp, copy=False)


def grouped(cells: Codes, features: Iterable[int]) -> Codes:
    """Return the groups of the rows that agree in some features."""
    return reduce(refine, (cells[:, j] for j in features), np.zeros(len(cells), np.intp))


def mass_table(groups: Codes, values: Codes, mass: Array) -> Array:
    """Return the probability of every group (row) with every value (column)."""
    table = np.zeros((int(groups.max()) + 1, int(values.max()) + 1))
    np.add.at(table, (groups, values), mass)
    return table


def groups_by_subset(columns: dict[int, Codes], n_rows: int) -> Iterator[tuple[Subset, Codes]]:
    """Yield every subset of the features with the rows' groups by its values, ∅ first.

    The groups of a subset are those of the subset without its last feature, refined.
    """
    features = list(columns)

    def extend(subset: Subset, groups: Codes, start: int) -> Iterator[tuple[Subset, Codes]]:
        yield subset, groups
        for i, j in enumerate(features[start:], start):
            yield from extend((*subset, j), refine(groups, columns[j]), i + 1)

    yield from extend((), np.zeros(n_rows, np.intp), 0)
