"""One task: one method on one resample, from training rows to predictions of test rows.

Nothing here sees test rows before the classifiers predict them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from backstay._validation import take
from backstay.base import (
    FeatureRanker,
    distance_weights,
    importances_of,
    one_thread,
    ranking_from_importances,
)
from backstay.neighbors import DoublyWeightedKNeighborsClassifier
from backstay.results import TaskRecord
from backstay.study._classify import Shortcut, reads_numbers, unit_range
from backstay.study._protocols import Split

__all__ = ["Plan", "run_task"]

Labels = NDArray[Any]


@dataclass(frozen=True)
class Plan:
    """What all tasks on a data set share; the same object for every worker.

    ``numbers`` is X without its names, and ``shortcuts`` are ways around classifiers, where
    that changes nothing but the time it takes.
    """

    X: Any
    y: Labels
    classes: Labels
    preprocess: Any
    classifiers: Mapping[str, Any]
    sizes: tuple[int, ...]
    keep_scores: bool
    numbers: NDArray[np.float64] | None = None
    shortcuts: Mapping[str, Shortcut] = field(default_factory=dict)


def seeded(estimator: Any, seed: int) -> Any:
    """Return a copy whose unset random states hold the seed; set ones are the user's wish."""
    copy = clone(estimator)
    unset = {
        path: seed
        for path, value in copy.get_params(deep=True).items()
        if (path == "random_state" or path.endswith("__random_state")) and value is None
    }
    return copy.set_params(**unset) if unset else copy


def run_task(plan: Plan, name: str, method: Any, resample: int, split: Split) -> TaskRecord:
    """Fit a method on the training rows and classifiers on its best features; never raises."""
    outcome = TaskRecord(name, resample)
    start = time.perf_counter()
    try:
        with one_thread():
            _run(plan, method, split, outcome)
    except Exception as error:
        outcome.arrays = {}
        outcome.error = f"{type(error).__name__}: {error}"
    outcome.seconds["total"] = time.perf_counter() - start
    return outcome


class _stage:  # a function with yield would take longer than some stages do
    """Note what is being done and add up how long it takes."""

    def __init__(self, outcome: TaskRecord, name: str) -> None:
        self.outcome, self.name = outcome, name

    def __enter__(self) -> None:
        self.outcome.stage = self.name
        self.start = time.perf_counter()

    def __exit__(self, *error: object) -> None:
        spent = time.perf_counter() - self.start
        kind = self.name.split(maxsplit=1)[0]
        self.outcome.seconds[kind] = self.outcome.seconds.get(kind, 0.0) + spent


def _run(plan: Plan, method: Any, split: Split, outcome: TaskRecord) -> None:
    y_train = plan.y[split.train]
    n_features = plan.X.shape[1]
    columns = np.arange(n_features)
    prepared = None
    if plan.preprocess is not None:
        with _stage(outcome, "preprocess"):
            steps = seeded(plan.preprocess, split.seed)
            X_train = steps.fit_transform(take(plan.X, split.train), y_train)
            columns = traced_columns(steps, n_features, X_train.shape[1])
            X_test = steps.transform(take(plan.X, split.test)) if plan.classifiers else None
            prepared = X_train, X_test
    with _stage(outcome, "method"):
        if prepared is None:
            named = plan.numbers is None or not reads_numbers(method)
            X_train = take(plan.X if named else plan.numbers, split.train)
        fitted = seeded(method, split.seed).fit(X_train, y_train)
        importances = importances_of(fitted)
        order = best_first(fitted, importances, len(columns), split.seed)
    omega = getattr(fitted, "sample_weight_", None)
    if max(plan.sizes) > len(order):
        raise ValueError(
            f"size {max(plan.sizes)} is more than the {len(order)} features that preprocess left."
        )
    outcome.arrays["order"], outcome.arrays["weights"] = _on_all_columns(
        order, importances, columns, n_features
    )
    outcome.arrays["n_ranked"] = np.array([len(order)], dtype="<i4")
    if omega is not None and np.shape(omega) == y_train.shape:
        outcome.arrays["sample_weight"] = np.asarray(omega, dtype="<f8")
    if plan.classifiers:
        weights = importances, outcome.arrays.get("sample_weight")
        _classify(plan, prepared, y_train, order, weights, split, outcome)


def best_first(
    fitted: Any, importances: NDArray[np.float64], n_features: int, seed: int
) -> NDArray[np.intp]:
    """Return the features from best to worst, equal importances in random order.

    Rankers break ties by column, which is right for a single ranking; over
    resamples it would make every feature of importance 0 "agree", and a method
    that finds nothing look stable. A ranker whose ranking says more than its
    importances keeps its order.
    """
    name = type(fitted).__name__
    if importances.shape != (n_features,):
        raise ValueError(f"{name} gives {importances.size} importances for {n_features} features.")
    if np.isnan(importances).any():
        feature = int(np.flatnonzero(np.isnan(importances))[0])
        raise ValueError(f"{name} gives feature {feature} the importance nan.")
    by_column = ranking_from_importances(importances)
    if isinstance(fitted, FeatureRanker) and not np.array_equal(fitted.ranking_, by_column):
        return np.argsort(fitted.ranking_, kind="stable")
    chance = np.random.default_rng(seed).permutation(n_features)
    return chance[np.argsort(-importances[chance], kind="stable")]


def traced_columns(steps: Any, n_before: int, n_after: int) -> NDArray[np.intp]:
    """Say which of the data's columns the preprocessed columns are.

    Raises
    ------
    ValueError
        If a step builds new columns, which could not be named in the results.
    """
    columns = np.arange(n_before)
    stages = [step for _, step in steps.steps] if isinstance(steps, Pipeline) else [steps]
    for step in stages:
        if hasattr(step, "get_support"):
            columns = columns[step.get_support()]
    if len(columns) != n_after:
        raise ValueError(
            f"preprocess turns {n_before} columns into {n_after} that are not columns of the "
            "data; it may change values or select columns, not make new ones."
        )
    return columns


def _on_all_columns(
    order: NDArray[np.intp],
    importances: NDArray[np.float64],
    columns: NDArray[np.intp],
    n_features: int,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Put order and weights in terms of the data's columns; dropped ones come last, with 0."""
    if len(columns) == n_features:
        return order.astype("<i4"), importances.astype("<f8")
    dropped = np.setdiff1d(np.arange(n_features), columns, assume_unique=True)
    weights = np.zeros(n_features, dtype="<f8")
    weights[columns] = importances
    return np.concatenate([columns[order], dropped]).astype("<i4"), weights


def _classify(
    plan: Plan,
    prepared: tuple[Any, Any] | None,
    y_train: Labels,
    order: NDArray[np.intp],
    weights: tuple[NDArray[np.float64], NDArray[Any] | None],
    split: Split,
    outcome: TaskRecord,
) -> None:
    """Train every classifier on the best features at every size; predict the test rows."""
    shape = (len(plan.classifiers), len(plan.sizes), len(split.test))
    n_columns = 1 if len(plan.classes) == 2 else len(plan.classes)
    predicted = np.empty(shape, dtype="<i2")
    scores = np.empty((*shape, n_columns), dtype="<f8") if plan.keep_scores else None
    with _stage(outcome, "classifier tables"):
        best = np.sort(order[: max(plan.sizes)])
        places = [np.searchsorted(best, np.sort(order[:size])) for size in plan.sizes]
        X = plan.X if plan.numbers is None or not plan.shortcuts else plan.numbers
        tables = _tables(X, prepared, split, best)
    direct = _direct(plan, tables, y_train, places, outcome, predicted)
    others = {name: c for name, c in plan.classifiers.items() if name not in direct}
    numbers = {name: i for i, name in enumerate(plan.classifiers)}
    if others and X is not plan.X:
        with _stage(outcome, "classifier tables"):
            tables = _tables(plan.X, prepared, split, best)
    for j, size in enumerate(plan.sizes if others else ()):
        with _stage(outcome, f"classifier tables at size {size}"):
            train, test = (_columns(table, places[j]) for table in tables)
        for name, classifier in others.items():
            i = numbers[name]
            with _stage(outcome, f"classifier {name!r} at size {size}"):
                importances, omega = weights
                model = _weighted(classifier, importances[best[places[j]]])
                model = seeded(model, split.seed)
                doubly = isinstance(model, DoublyWeightedKNeighborsClassifier)
                fit_weights = {"sample_weight": omega} if doubly and omega is not None else {}
                model.fit(train, y_train, **fit_weights)
                labels = model.predict(test)
                predicted[i, j] = np.searchsorted(plan.classes, labels)
                if scores is not None:
                    scores[i, j] = _scores(model, test, plan.classes)
    outcome.arrays["predicted"] = predicted
    if scores is not None:
        outcome.arrays["scores"] = scores


def _direct(
    plan: Plan,
    tables: tuple[Any, Any],
    y_train: Labels,
    places: list[NDArray[np.intp]],
    outcome: TaskRecord,
    predicted: NDArray[Any],
) -> set[str]:
    """Predict with the classifiers that have a shortcut; return their names."""
    if not plan.shortcuts:
        return set()
    with _stage(outcome, "classifier scaling"):
        for table in tables:
            plain = isinstance(table, np.ndarray) and table.dtype == np.float64
            if not plain or not np.isfinite(table).all():
                return set()
        present, codes = np.unique(y_train, return_inverse=True)
        numbers = np.searchsorted(plan.classes, present)
        train, test = unit_range(*tables)
    for j, size in enumerate(plan.sizes):
        with _stage(outcome, f"classifier tables at size {size}"):
            rows, new = _columns(train, places[j]), _columns(test, places[j])
        for i, name in enumerate(plan.classifiers):
            if name in plan.shortcuts:
                with _stage(outcome, f"classifier {name!r} at size {size}"):
                    predicted[i, j] = numbers[plan.shortcuts[name](rows, codes, new)]
    return set(plan.shortcuts)


def _tables(
    X: Any, prepared: tuple[Any, Any] | None, split: Split, columns: NDArray[np.intp]
) -> tuple[Any, Any]:
    """Return some columns of the training and of the test rows."""
    if prepared is not None:
        return _columns(prepared[0], columns), _columns(prepared[1], columns)
    if isinstance(X, np.ndarray):
        return X[np.ix_(split.train, columns)], X[np.ix_(split.test, columns)]
    chosen = _columns(X, columns)
    return take(chosen, split.train), take(chosen, split.test)


def _columns(table: Any, chosen: NDArray[np.intp]) -> Any:
    if isinstance(table, np.ndarray):
        return np.take(table, chosen, axis=1)
    return take(table, chosen, axis=1)


def _weighted(classifier: Any, importances: NDArray[np.float64]) -> Any:
    """Give the doubly weighted k-NN the method's feature weights, unless it has its own."""
    doubly = isinstance(classifier, DoublyWeightedKNeighborsClassifier)
    if not doubly or classifier.feature_weights is not None:
        return classifier
    return clone(classifier).set_params(feature_weights=distance_weights(importances))


def _scores(model: Any, X: Any, classes: Labels) -> NDArray[np.float64]:
    """Return how much the model leans towards the second class, or to each of more than two."""
    if hasattr(model, "decision_function"):
        values = np.asarray(model.decision_function(X), dtype=np.float64)
    else:
        values = np.asarray(model.predict_proba(X), dtype=np.float64)
    if values.ndim == 2 and len(classes) == 2:
        values = values[:, 1]
    if values.ndim == 1:  # two classes, or two of more among the training rows
        values = np.column_stack([-values, values])
    if len(classes) == 2:
        return values[:, 1:]
    if values.shape[1] != len(model.classes_):
        raise ValueError(
            f"decision_function gives {values.shape[1]} columns for {len(model.classes_)} "
            "classes; roc_auc needs one per class."
        )
    everyone = np.full((values.shape[0], len(classes)), -np.inf)
    everyone[:, np.searchsorted(classes, model.classes_)] = values
    return everyone
