"""Checks before a study runs: its arguments, its data, and whether a store holds this study."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.pipeline import Pipeline, make_pipeline

from backstay._identity import difference, digest, fingerprint, versions
from backstay._validation import encode_labels
from backstay.results import METRICS, Role, Store, StoreError
from backstay.study._protocols import FiveByTwo, Split

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
    classifiers: dict[str, Any]
    scoring: list[str]
    metric: str
    null: int
    preprocess: Any
    resampling: Any
    description: dict[str, Any]


@dataclass(frozen=True)
class CheckedData:
    """A data set whose parts fit together.

    ``codes`` are the rows' class numbers, places in ``classes``; ``sizes`` are the study's subset
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


# What a classifier must have for a metric.
NEEDED = {
    "labels": ("predict",),
    "scores": ("decision_function", "predict_proba"),
    "probabilities": ("predict_proba",),
}


def metric_names(
    metric: Any, scoring: Any, classifiers: Mapping[str, Any]
) -> tuple[str, list[str]]:
    """Return the metric that decides and all metrics, it first; classifiers must allow them.

    The default is the area under the ROC curve where every classifier ranks rows, else
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
        ranked = all(_allows(classifier, "scores") for classifier in classifiers.values())
        decides = "roc_auc" if ranked else "balanced_accuracy"
    names = [decides, *beside]
    for name in names:
        argument = f"{'scoring' if metric is None or name != metric else 'metric'}={name!r}"
        if not isinstance(name, str) or name not in METRICS:
            raise ValueError(f"{argument} is unknown; there are {', '.join(METRICS)}.")
        needs = METRICS[name].needs
        lacking = [title for title, one in classifiers.items() if not _allows(one, needs)]
        if lacking:
            raise ValueError(
                f"{argument} needs {' or '.join(NEEDED[needs])}; classifiers[{lacking[0]!r}] has "
                "none, so leave it out or take another metric."
            )
    return decides, list(dict.fromkeys(names))


def _allows(classifier: Any, needs: str) -> bool:
    return any(hasattr(classifier, name) for name in NEEDED[needs])


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
) -> CheckedData:
    """Return a data set whose rows, labels, groups, truth and the study's sizes fit together."""
    X, y = _table(X), np.asarray(y)
    if y.shape != (X.shape[0],):
        raise ValueError(f"y has shape {y.shape}; X has {X.shape[0]} rows.")
    check_nothing_missing("y", y)
    classes, codes = encode_labels(study, y)
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
        sizes=_subset_sizes(study.sizes, X.shape[1]),
    )


def check_nothing_missing(argument: str, values: NDArray[Any]) -> None:
    """Refuse labels or groups that are None or nan."""
    missing = np.flatnonzero(pd.isna(values))
    if len(missing):
        raise ValueError(
            f"{argument} is None or nan in {len(missing)} of {len(values)} rows, first in row "
            f"{missing[0]}; leave these rows out or fill them in."
        )


def _table(X: Any) -> Any:
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


# What the store must hold.

OLD_DEFAULTS = (
    " It is of an earlier version, whose defaults were metric='accuracy' and an SVC without "
    "class_weight."
)


def check_same_study(store: Store, description: dict[str, Any]) -> None:
    """Refuse a store of another study; note the versions in use."""
    known, now = store.study(), versions()
    if "facts" not in known:
        store.describe_study({"facts": description, "versions": [now]})
        return
    found = difference(_completed(known["facts"], 0), description)
    if found:
        raise StoreError(
            f"{store.name} holds a study with other parameters: {found}. Use another file, or "
            "the parameters it was made with."
            + ("" if "metric" in known["facts"] else OLD_DEFAULTS)
        )
    if now not in known["versions"]:
        changed = difference(known["versions"][-1], now)
        warnings.warn(
            f"{store.name} was made with other versions ({changed}); results may differ in "
            "their last digits.",
            UserWarning,
            stacklevel=4,  # the caller of Study.run
        )
        store.describe_study({"versions": [*known["versions"], now]})


def _completed(stored: dict[str, Any], none_shuffled: Any) -> dict[str, Any]:
    """Add what older stores do not say: the first metric decided, no labels were shuffled."""
    return {**stored, "metric": stored["scoring"][0], "null": none_shuffled, **stored}


def seed_of_study(store: Store, random_state: int | None) -> int:
    """Return the seed of everything; drawn once for a store if the study has none."""
    if random_state is not None:
        return int(random_state)
    drawn = store.study().get("entropy")
    if drawn is None:
        drawn = int(np.random.SeedSequence().generate_state(1)[0])
        store.describe_study({"entropy": drawn})
    return int(drawn)


def enter_data(
    store: Store, study: CheckedStudy, data: CheckedData, splits: list[Split], n_shuffled: int
) -> dict[str, Any]:
    """Write a data set's facts and splits, unless the store has others; return the facts.

    ``n_shuffled`` is the number of runs with shuffled labels.
    """
    # Fewer than usual on a permutation where the protocol has fewer splits.
    null = [study.null, n_shuffled // max(study.null, 1)]
    facts = {**_facts(study, data, splits), "null": null}
    known = store.datasets()
    if data.name not in known:
        store.add_dataset(data.name, facts, _arrays(data, splits))
    elif found := difference(_completed(known[data.name], [0, 0]), facts):
        raise StoreError(
            f"{store.name} holds {data.name!r} with other data or splits: {found}. Use another "
            "file or another dataset= name, or the data it was made with."
        )
    if data.truth is not None:
        store.set_array(data.name, "truth", data.truth)
    if data.provenance is not None:
        store.describe_study({f"provenance of {data.name}": data.provenance})
    return facts


def _facts(study: CheckedStudy, data: CheckedData, splits: list[Split]) -> dict[str, Any]:
    n_samples, n_features = data.X.shape
    return {
        "data": {
            "X": fingerprint(data.X),
            "y": digest(data.y),
            "groups": None if data.groups is None else digest(data.groups),
        },
        "resampling": _resampling_name(study.resampling),
        "splits": _digest(splits),
        "five_by_two": isinstance(study.resampling, FiveByTwo),
        "n_samples": int(n_samples),
        "n_features": int(n_features),
        "feature_names": list(map(str, data.X.columns)) if hasattr(data.X, "columns") else None,
        "sample_names": _sample_names(data.X),
        "classes": data.classes.tolist(),
        "sizes": list(data.sizes),
        "methods": {name: vars(study.roles[name]) for name in study.methods},
        "classifiers": list(study.classifiers),
        "scoring": study.scoring,
        "metric": study.metric,
    }


def _arrays(data: CheckedData, splits: list[Split]) -> dict[str, NDArray[Any]]:
    """Return what results need of the data: splits, class numbers and group numbers."""
    arrays = {
        "seeds": np.array([split.seed for split in splits], dtype="<i8"),
        "codes": data.codes.astype("<i4"),
        **{f"train {i}": split.train.astype("<i4") for i, split in enumerate(splits)},
        **{f"test {i}": split.test.astype("<i4") for i, split in enumerate(splits)},
    }
    if data.groups is not None:
        arrays["groups"] = np.unique(data.groups, return_inverse=True)[1].astype("<i4")
    return arrays


def _resampling_name(resampling: Any) -> str:
    """Name a way to split, the same on every run (default reprs hold addresses)."""
    if not hasattr(resampling, "split"):
        return f"{type(resampling).__name__} of {len(list(resampling))} splits"
    shown = repr(resampling)
    return type(resampling).__name__ if " at 0x" in shown else shown


def _digest(splits: list[Split]) -> str:
    parts = [rows for split in splits for rows in (split.train, split.test, [split.seed])]
    return digest(np.concatenate([[len(part), *part] for part in parts]).astype("<i8"))


def _sample_names(X: Any) -> list[str] | None:
    """Return the names of the rows, if a frame's index gives them any."""
    index = getattr(X, "index", None)
    if not isinstance(index, pd.Index) or isinstance(index, pd.RangeIndex):
        return None
    return [str(name) for name in index]
