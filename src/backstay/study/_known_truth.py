"""Methods on rows whose truth is known: run, and compared with it.

What :func:`backstay.study.plan_ahead` and :func:`backstay.study.planted_truth` share.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay._scaling import table_near_one
from backstay.store import TaskRecord
from backstay.study._checks import estimators_by_name
from backstay.study._methods import make_methods
from backstay.study._parallel import StudyError, finished_tasks
from backstay.study._protocols import Split
from backstay.study._task import SharedInputs

Ints = NDArray[np.intp]
# Methods that take seconds on thousands of features, of three kinds.
FAST = ("t", "relieff", "svm-rfe")
# Of repeated data sets or plants, the middle four fifths are shown.
RANGE = (0.1, 0.9)


def methods_of(given: Iterable[str] | Mapping[str, Any] | None, n_features: int) -> dict[str, Any]:
    """Return methods by name, from short names or as a study takes them."""
    if isinstance(given, Mapping):
        return estimators_by_name("methods", given, "fit")
    return make_methods(FAST if given is None else given, n_features=n_features)


def list_sizes(
    given: Iterable[int] | None, otherwise: Iterable[int], n_features: int
) -> tuple[int, ...]:
    """Return lengths of a list in order: as given, or of the others those that leave something."""
    if given is None:
        given = [size for size in otherwise if size < n_features] or [1]
    sizes = tuple(sorted({int(size) for size in given}))
    if not sizes or not 1 <= sizes[0] <= sizes[-1] < n_features:
        raise ValueError(f"sizes={sizes} must be at least 1 and less than {n_features}.")
    return sizes


def ran(
    inputs: SharedInputs, methods: dict[str, Any], splits: Sequence[Split], n_jobs: int | None
) -> dict[str, list[TaskRecord]]:
    """Run every method on every split as a study does; an error if one cannot."""
    inputs = replace(inputs, X=table_near_one(inputs.X))
    tasks = [(name, i) for i in range(len(splits)) for name in methods]
    records: dict[tuple[str, int], TaskRecord] = {}
    for record in finished_tasks(inputs, methods, dict(enumerate(splits)), tasks, n_jobs):
        if record.error:
            raise StudyError(f"{record.method!r} cannot be run here: {record.error}")
        records[record.method, record.resample] = record
    return {name: [records[name, i] for i in range(len(splits))] for name in methods}


def found_and_false(selected: Ints, alike: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the share of the true features that a list holds, and its share of false ones.

    `alike` says for every true feature which features count as finding it: true × feature.
    """
    hits = alike[:, selected]
    return float(hits.any(axis=1).mean()), float(1 - hits.any(axis=0).mean())


def summarised(runs: pd.DataFrame, by: list[str], measures: Sequence[str]) -> pd.DataFrame:
    """Return the mean of every measure, and the range of its middle, for every configuration."""
    groups = runs.groupby(by, sort=False)
    columns = {}
    for name in measures:
        columns[name] = groups[name].mean()
        for end, q in zip(("low", "high"), RANGE, strict=True):
            columns[f"{name}_{end}"] = groups[name].quantile(q)
    return pd.DataFrame(columns).reset_index()
