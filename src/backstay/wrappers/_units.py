"""Units of the search: what moves together, and what never moves."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.base import Indices

NOTHING: Indices = np.empty(0, dtype=np.intp)


def columns_of(units: list[Indices], members: NDArray[np.bool_]) -> Indices:
    """Columns of the units that are members, in ascending order."""
    return np.sort(np.concatenate([NOTHING, *(units[u] for u in np.flatnonzero(members))]))


def _column(feature: Any, argument: str, n_features: int, names: NDArray[Any] | None) -> int:
    """Column number of a feature given by number or by name."""
    if isinstance(feature, str):
        columns = np.flatnonzero(np.asarray([] if names is None else names) == feature)
        if not len(columns):
            known = "no feature names" if names is None else ", ".join(map(str, names[:20]))
            raise ValueError(f"{argument} names the feature {feature!r}, but X has {known}.")
        return int(columns[0])
    whole = isinstance(feature, Integral) and not isinstance(feature, bool | np.bool_)
    if not whole or not 0 <= feature < n_features:
        raise ValueError(
            f"{argument} holds {feature!r}; columns are 0 to {n_features - 1}, or have names."
        )
    return int(feature)


def make_units(
    feature_groups: Any, fixed_features: Any, n_features: int, names: NDArray[Any] | None
) -> tuple[list[Indices], NDArray[np.bool_]]:
    """Return the columns of every unit, by first column, and which units are fixed.

    Columns that no group mentions are units of their own.
    """
    groups = [] if feature_groups is None else list(feature_groups)
    owner = np.full(n_features, -1)
    for number, group in enumerate(groups):
        if not len(group):
            raise ValueError(f"feature_groups[{number}] is empty; a group needs a column.")
        for feature in group:
            column = _column(feature, f"feature_groups[{number}]", n_features, names)
            if owner[column] >= 0:
                raise ValueError(
                    f"feature_groups[{number}] holds {feature!r}, which is listed already; "
                    "a feature belongs to one group, once."
                )
            owner[column] = number
    alone = owner < 0
    owner[alone] = len(groups) + np.arange(alone.sum())
    units = [np.flatnonzero(owner == number) for number in range(int(owner.max()) + 1)]
    units.sort(key=lambda columns: int(columns[0]))
    listed = [] if fixed_features is None else fixed_features
    kept = np.zeros(n_features, dtype=bool)
    kept[[_column(feature, "fixed_features", n_features, names) for feature in listed]] = True
    for columns in units:
        if kept[columns].any() != kept[columns].all():
            raise ValueError(
                f"fixed_features holds a part of the group {columns.tolist()} of feature_groups; "
                "fix the whole group or none of it."
            )
    return units, np.array([bool(kept[columns].all()) for columns in units])
