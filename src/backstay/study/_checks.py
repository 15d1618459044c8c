"""Checks before a study runs: its arguments, its data, and whether the store is its own."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.pipeline import Pipeline, make_pipeline

from backstay._identity import difference, digest, versions
from backstay._validation import encode_labels
from backstay.results._metrics import METRICS
from backstay.results._store import Store, StoreError
from backstay.study._parallel import StudyError
from backstay.study._protocols import Split

__all__ = [
    "check_scores",
    "checked_data",
    "checked_truth",
    "digest_splits",
    "feature_names",
    "metric_names",
    "named",
    "report_failures",
    "resampling_name",
    "same_data",
    "same_study",
    "sample_names",
    "seed_of",
    "split_arrays",
    "steps_of",
    "subset_sizes",
]


def named(argument: str, given: Any, needs: str) -> dict[str, Any]:
    """Check a mapping of names to estimators."""
    if not isinstance(given, Mapping):
        raise ValueError(f"{argument} must map names to estimators, got {given!r}.")
    for name, value in given.items():
        if not isinstance(name, str):
            raise ValueError(f"{argument} has the key {name!r}; names must be strings.")
        if not hasattr(value, needs) or isinstance(value, type):
            raise ValueError(f"{argument}[{name!r}]={value!r} has no {needs}; give an estimator.")
    return dict(given)


def steps_of(preprocess: Any) -> Any:
    """Check the preprocessing and make a pipeline of a list."""
    if isinstance(preprocess, list | tuple):
        pairs = all(isinstance(step, tuple) for step in preprocess)
        return Pipeline(list(preprocess)) if pairs else make_pipeline(*preprocess)
    if preprocess is not None and not hasattr(preprocess, "fit_transform"):
        raise ValueError(f"preprocess={preprocess!r} must be a transformer or a list of them.")
    return preprocess


def metric_names(scoring: Any) -> list[str]:
    """Check the names of the metrics."""
    names = [scoring] if isinstance(scoring, str) else list(scoring)
    for name in names:
        if name not in METRICS:
            raise ValueError(f"scoring={name!r} is unknown; there are {', '.join(METRICS)}.")
    if not names:
        raise ValueError("scoring is empty; give at least one of " + ", ".join(METRICS) + ".")
    return names


def subset_sizes(sizes: Any, n_features: int) -> tuple[int, ...]:
    """Check the subset sizes; "log" is 1, 2, 5, 10, … below the number of features."""
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


def check_scores(classifiers: Mapping[str, Any]) -> None:
    """Refuse classifiers that cannot rank rows when that is asked for."""
    for name, classifier in classifiers.items():
        if not any(hasattr(classifier, m) for m in ("decision_function", "predict_proba")):
            raise ValueError(
                f"scoring='roc_auc' needs decision_function or predict_proba; "
                f"classifiers[{name!r}]={classifier!r} has neither."
            )


def checked_data(
    study: Any, X: Any, y: Any, groups: Any
) -> tuple[Any, NDArray[Any], NDArray[np.intp], NDArray[Any], NDArray[Any] | None]:
    """Check shapes and labels; rows and columns are left to preprocess and methods to check."""
    if sparse.issparse(X):
        X = X.tocsr()
    elif not hasattr(X, "columns"):
        X = np.asarray(X)
    if getattr(X, "ndim", 2) != 2:
        raise ValueError(f"X must be a table of rows × features, got shape {X.shape}.")
    y = np.asarray(y)
    if y.shape != (X.shape[0],):
        raise ValueError(f"y has shape {y.shape}; X has {X.shape[0]} rows.")
    classes, codes = encode_labels(study, y)
    if groups is not None:
        groups = np.asarray(groups)
        if groups.shape != y.shape:
            raise ValueError(f"groups has shape {groups.shape}; X has {X.shape[0]} rows.")
    return X, y, codes, classes, groups


def checked_truth(truth: Any, n_features: int) -> NDArray[np.float64]:
    """Check the true relevance of the features."""
    values = np.asarray(truth, dtype="<f8")
    if values.shape != (n_features,) or not np.isfinite(values).all():
        raise ValueError(
            f"truth must be one finite relevance per feature, shape ({n_features},); "
            f"got shape {values.shape}."
        )
    return values


def feature_names(X: Any) -> list[str] | None:
    """Return the names of the columns, if they have any."""
    return [str(name) for name in X.columns] if hasattr(X, "columns") else None


def sample_names(X: Any) -> list[str] | None:
    """Return the names of the rows, if a frame's index gives them any."""
    index = getattr(X, "index", None)
    if not isinstance(index, pd.Index) or isinstance(index, pd.RangeIndex):
        return None
    return [str(name) for name in index]


def resampling_name(resampling: Any) -> str:
    """Name a way to split, the same on every run (default reprs hold addresses)."""
    if not hasattr(resampling, "split"):
        return f"{type(resampling).__name__} of {len(list(resampling))} splits"
    shown = repr(resampling)
    return type(resampling).__name__ if " at 0x" in shown else shown


def digest_splits(splits: list[Split]) -> str:
    """Return a hash of every split and seed."""
    parts = [rows for split in splits for rows in (split.train, split.test, [split.seed])]
    return digest(np.concatenate([[len(part), *part] for part in parts]).astype("<i8"))


def split_arrays(
    splits: list[Split], codes: NDArray[np.intp], groups: NDArray[Any] | None
) -> dict[str, NDArray[Any]]:
    """Return what results need of the data: splits, class numbers and group numbers."""
    arrays = {
        "seeds": np.array([split.seed for split in splits], dtype="<i8"),
        "codes": codes.astype("<i4"),
        **{f"train {i}": split.train.astype("<i4") for i, split in enumerate(splits)},
        **{f"test {i}": split.test.astype("<i4") for i, split in enumerate(splits)},
    }
    if groups is not None:
        arrays["groups"] = np.unique(groups, return_inverse=True)[1].astype("<i4")
    return arrays


def seed_of(store: Store, random_state: int | None) -> int:
    """Return the seed of everything; drawn once for a store if the study has none."""
    if random_state is not None:
        return int(random_state)
    drawn = store.study().get("entropy")
    if drawn is None:
        drawn = int(np.random.SeedSequence().generate_state(1)[0])
        store.describe_study({"entropy": drawn})
    return int(drawn)


def same_study(store: Store, facts: dict[str, Any]) -> None:
    """Refuse a store of another study; note the versions in use."""
    known, now = store.study(), versions()
    if "facts" not in known:
        store.describe_study({"facts": facts, "versions": [now]})
        return
    found = difference(known["facts"], facts)
    if found:
        raise StoreError(
            f"{store.name} holds a study with other parameters: {found}. Use another file, or "
            "the parameters it was made with."
        )
    if now not in known["versions"]:
        changed = difference(known["versions"][-1], now)
        warnings.warn(
            f"{store.name} was made with other versions ({changed}); results may differ in "
            "their last digits.",
            UserWarning,
            stacklevel=5,
        )
        store.describe_study({"versions": [*known["versions"], now]})


def same_data(store: Store, name: str, known: dict[str, Any], facts: dict[str, Any]) -> None:
    """Refuse a store that holds other data under the same name."""
    found = difference(known, facts)
    if found:
        raise StoreError(
            f"{store.name} holds {name!r} with other data or splits: {found}. Use another file "
            "or another dataset= name, or the data it was made with."
        )


def report_failures(store: Store, name: str) -> None:
    """Say what failed; if everything did, there are no results to return."""
    tasks = store.tasks(name)
    failed = [task for task in tasks if task["error"]]
    if not failed:
        return
    first = failed[0]
    example = f"{first['method']!r} on resample {first['resample']}: {first['error']}"
    if len(failed) == len(tasks):
        raise StudyError(f"all {len(tasks)} tasks on {name!r} failed; {example}")
    warnings.warn(
        f"{len(failed)} of {len(tasks)} tasks on {name!r} failed, see results.errors(); {example}",
        UserWarning,
        stacklevel=5,
    )
