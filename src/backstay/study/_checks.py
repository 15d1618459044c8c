"""Checks before a study runs: its arguments and its data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.pipeline import Pipeline, make_pipeline

from backstay._scaling import table_near_one
from backstay._validation import check_whole_numbers, encode_labels, plain_labels
from backstay.results import METRICS, Role

# Quoted beside the metric that decides.
BESIDE = ("balanced_accuracy", "accuracy")


@dataclass(frozen=True)
class CheckedStudy:
    """A study whose arguments are in order.

    The methods that it adds are among its methods; ``description`` is what makes it the same
    study on any data, as JSON.
    """

    methods: dict[str, Any]
    roles: dict[str, Role]
    models: dict[str, Any]
    scoring: list[str]
    metric: str
    null: int
    preprocess: Any
    resampling: Any
    description: dict[str, Any]
    weight_models: bool = False


@dataclass(frozen=True)
class CheckedData:
    """A data set whose parts fit together.

    ``codes`` are the rows' class numbers, places in ``classes``. ``y`` is what methods see: labels,
    or these numbers where the positive class was named. ``sizes`` are the study's subset
    sizes on so many features. Cells are left to preprocessing and methods to check.
    """

    name: str
    X: Any
    y: NDArray[Any]
    classes: NDArray[Any]
    codes: NDArray[np.intp]
    groups: NDArray[Any] | None
    truth: NDArray[np.float64] | None
    provenance: dict[str, Any] | None
    annotation: dict[str, list[str | None]] | None
    sizes: tuple[int, ...]


def estimators_by_name(argument: str, given: Any, needed: str) -> dict[str, Any]:
    """Return a mapping of names to estimators that have the method `needed`."""
    if not isinstance(given, Mapping):
        raise ValueError(f"{argument} must map names to estimators, got {given!r}.")
    for name, value in given.items():
        if not isinstance(name, str):
            raise ValueError(f"{argument} has the key {name!r}; names must be strings.")
        if not hasattr(value, needed) or isinstance(value, type):
            raise ValueError(f"{argument}[{name!r}]={value!r} has no {needed}; give an estimator.")
    return dict(given)


def preprocessing(given: Any) -> Any:
    """Return the transformer to fit first, a pipeline of a list of steps, or None."""
    if isinstance(given, list | tuple):
        pairs = all(isinstance(step, tuple) for step in given)
        return Pipeline(list(given)) if pairs else make_pipeline(*given)
    if given is not None and not hasattr(given, "fit_transform"):
        raise ValueError(f"preprocess={given!r} must be a transformer or a list of them.")
    return given


# What a model must have for a metric.
NEEDED = {
    "labels": ("predict",),
    "scores": ("decision_function", "predict_proba"),
    "probabilities": ("predict_proba",),
}


def metric_names(metric: Any, scoring: Any, models: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Return the metric that decides and all metrics, it first; models must allow them.

    The default is the area under the ROC curve where every model ranks rows, else
    balanced accuracy.
    """
    beside = [scoring] if isinstance(scoring, str) else list(BESIDE if scoring is None else scoring)
    if metric is None and not beside:
        raise ValueError(f"scoring is empty; give at least one of {', '.join(METRICS)}.")
    if metric is not None:
        decides = metric
    elif scoring is not None:
        decides = beside[0]
    else:
        ranked = all(_allows(model, "scores") for model in models.values())
        decides = "roc_auc" if ranked else "balanced_accuracy"
    names = [decides, *beside]
    for name in names:
        argument = f"{'scoring' if metric is None or name != metric else 'metric'}={name!r}"
        if not isinstance(name, str) or name not in METRICS:
            raise ValueError(f"{argument} is unknown; there are {', '.join(METRICS)}.")
        needs = METRICS[name].needs
        lacking = [title for title, one in models.items() if not _allows(one, needs)]
        if lacking:
            raise ValueError(
                f"{argument} needs {' or '.join(NEEDED[needs])}; models[{lacking[0]!r}] has "
                "none, so leave it out or take another metric."
            )
    return decides, list(dict.fromkeys(names))


def _allows(model: Any, needs: str) -> bool:
    return any(hasattr(model, name) for name in NEEDED[needs])


def n_permutations(null: Any) -> int:
    """Return the number of permutations of the labels to run."""
    if isinstance(null, bool) or not isinstance(null, Integral) or null < 0:
        raise ValueError(f"null={null!r} must be an integer, the number of permutations, or 0.")
    return int(null)


def check_random_state_is_plain(state: Any) -> None:
    """Refuse a random state that a later run could not start from again."""
    if state is not None and (not isinstance(state, Integral) or state < 0):
        raise ValueError(
            f"random_state={state!r} must be a non-negative integer or None: a study draws "
            "every seed up front, so that it can be resumed."
        )


def checked_data(
    study: Any,
    name: str,
    X: Any,
    y: Any,
    groups: Any = None,
    truth: Any = None,
    provenance: Mapping[str, Any] | None = None,
    annotation: Any = None,
    positive: Any = None,
) -> CheckedData:
    """Return a data set whose rows, labels, groups, truth and the study's sizes fit together."""
    X, y = table_near_one(_table(X)), np.asarray(plain_labels(y))
    if y.shape != (X.shape[0],):
        raise ValueError(f"y has shape {y.shape}; X has {X.shape[0]} rows.")
    check_nothing_missing("y", y)
    classes, codes = encode_labels(study, y)
    if positive is not None:
        classes, codes = _positive_second(classes, codes, positive)
        y = codes
    groups = None if groups is None else np.asarray(groups)
    if groups is not None:
        if groups.shape != y.shape:
            raise ValueError(f"groups has shape {groups.shape}; X has {X.shape[0]} rows.")
        check_nothing_missing("groups", groups)
    return CheckedData(
        name=name,
        X=X,
        y=y,
        classes=classes,
        codes=codes,
        groups=groups,
        truth=None if truth is None else _relevances(truth, X.shape[1]),
        provenance=None if provenance is None else dict(provenance),
        annotation=None if annotation is None else _annotation(annotation, X.shape[1]),
        sizes=_subset_sizes(study.sizes, X.shape[1]),
    )


def _positive_second(
    classes: NDArray[Any], codes: NDArray[np.intp], positive: Any
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Put the positive one of two classes second, where metrics look for it."""
    if len(classes) != 2 or positive not in classes.tolist():
        raise ValueError(
            f"positive={positive!r} must be one of two classes; y has {classes.tolist()}."
        )
    return (classes, codes) if classes[1] == positive else (classes[::-1], 1 - codes)


def _annotation(given: Any, n_features: int) -> dict[str, list[str | None]]:
    """Return what is said of the features, by column, as text."""
    table = pd.DataFrame(given)
    if len(table) != n_features:
        raise ValueError(f"annotation has {len(table)} rows; X has {n_features} features.")
    return {
        str(name): [None if pd.isna(value) else str(value) for value in table[name]]
        for name in table.columns
    }


def check_nothing_missing(argument: str, values: NDArray[Any]) -> None:
    """Refuse labels or groups that are None or nan."""
    missing = np.flatnonzero(pd.isna(values))
    if len(missing):
        raise ValueError(
            f"{argument} is None or nan in {len(missing)} of {len(values)} rows, first in row "
            f"{missing[0]}; leave these rows out or fill them in."
        )


def _table(X: Any) -> Any:
    check_whole_numbers(X)
    if sparse.issparse(X):
        X = X.tocsr()
    elif not hasattr(X, "columns"):
        X = np.asarray(X)
    if getattr(X, "ndim", 2) != 2:
        raise ValueError(f"X must be a table of rows × features, got shape {X.shape}.")
    return X


def _relevances(truth: Any, n_features: int) -> NDArray[np.float64]:
    values = np.asarray(truth, dtype="<f8")
    if values.shape != (n_features,) or not np.isfinite(values).all():
        raise ValueError(
            f"truth must be one finite relevance per feature, shape ({n_features},); "
            f"got shape {values.shape}."
        )
    return values


def _subset_sizes(sizes: Any, n_features: int) -> tuple[int, ...]:
    """Return the sizes in order; "log" is 1, 2, 5, 10, … below the number of features."""
    if isinstance(sizes, str):
        if sizes != "log":
            raise ValueError(f"sizes={sizes!r} must be 'log' or a list of integers.")
        steps = (digit * 10**power for power in range(9) for digit in (1, 2, 5))
        return tuple(size for size in steps if size < n_features) or (1,)
    sizes = list(sizes)
    for size in sizes:
        whole = isinstance(size, Integral) and not isinstance(size, bool)
        if not whole or not 1 <= size <= n_features:
            raise ValueError(
                f"sizes holds {size!r}; sizes are integers from 1 to the number of features, "
                f"{n_features}."
            )
    if not sizes:
        raise ValueError("sizes is empty; give at least one, or 'log'.")
    return tuple(sorted({int(size) for size in sizes}))
