"""Units of the search: what moves together, and what never moves."""

from collections.abc import Iterable
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
        if names is None:
            raise ValueError(
                f"{argument} names the feature {feature!r}, but X has no feature names; "
                "give column numbers or a frame."
            )
        columns = np.flatnonzero(names == feature)
        if not len(columns):
            raise ValueError(
                f"{argument} names the feature {feature!r}, which X does not have; "
                f"its features are {', '.join(map(str, names[:20]))}{'…' * (len(names) > 20)}."
            )
        return int(columns[0])
    if not isinstance(feature, Integral) or isinstance(feature, bool | np.bool_):
        raise ValueError(f"{argument} holds {feature!r}; it must hold column numbers or names.")
    if not 0 <= int(feature) < n_features:
        raise ValueError(
            f"{argument} holds the column {int(feature)}; columns are 0 to {n_features - 1}."
        )
    return int(feature)


def _as_list(value: Any, argument: str) -> list[Any]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError(f"{argument}={value!r} must be a list.")
    return list(value)


def make_units(
    feature_groups: Any, fixed_features: Any, n_features: int, names: NDArray[Any] | None
) -> tuple[list[Indices], NDArray[np.bool_]]:
    """Return the columns of every unit, by first column, and which units are fixed.

    Columns that no group mentions are units of their own.
    """
    groups = [] if feature_groups is None else _as_list(feature_groups, "feature_groups")
    owner = np.full(n_features, -1)
    for number, group in enumerate(groups):
        members = _as_list(group, f"feature_groups[{number}]")
        if not members:
            raise ValueError(f"feature_groups[{number}] is empty; a group needs a column.")
        for feature in members:
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
    listed = [] if fixed_features is None else _as_list(fixed_features, "fixed_features")
    kept = np.zeros(n_features, dtype=bool)
    kept[[_column(feature, "fixed_features", n_features, names) for feature in listed]] = True
    for columns in units:
        if kept[columns].any() != kept[columns].all():
            raise ValueError(
                f"fixed_features holds a part of the group {columns.tolist()} of feature_groups; "
                "fix the whole group or none of it."
            )
    return units, np.array([bool(kept[columns].all()) for columns in units])
