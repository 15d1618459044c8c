"""Checks before a study runs: of its arguments, and of missing cells that methods cannot take."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import get_tags

from backstay._columns import missing_cells
from backstay._validation import check_outcome
from backstay._words import nearest
from backstay.results import Role
from backstay.study._data import CheckedData
from backstay.targets import Target


@dataclass(frozen=True)
class CheckedStudy:
    """A study whose arguments are in order; ``description`` makes it the same on any data."""

    methods: dict[str, Any]
    roles: dict[str, Role]
    models: dict[str, Any]
    scoring: list[str]
    metric: str
    null: int
    planning: int
    preprocess: Any
    resampling: Any
    description: dict[str, Any]
    weight_models: bool = False
    keep_samples: bool = True


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
    "predictions": ("predict",),
    "scores": ("decision_function", "predict_proba"),
    "probabilities": ("predict_proba",),
}


def metric_names(
    metric: Any, scoring: Any, models: Mapping[str, Any], target: Target
) -> tuple[str, list[str]]:
    """Return the metric that decides and all metrics, it first; models must allow them."""
    metrics, there = target.metrics, ", ".join(target.metrics)
    given = target.beside if scoring is None else scoring
    beside = [given] if isinstance(given, str) else list(given)
    if metric is None and not beside:
        raise ValueError(f"scoring is empty; give at least one of {there}.")
    if metric is not None:
        decides = metric
    elif scoring is not None:
        decides = beside[0]
    else:
        decides = target.default_metric(models)
    names = [decides, *beside]
    for name in names:
        argument = f"{'scoring' if metric is None or name != metric else 'metric'}={name!r}"
        if not isinstance(name, str) or name not in metrics:
            raise ValueError(f"{argument} is unknown; {nearest(name, metrics)}")
        needs = metrics[name].needs
        for title, model in models.items():
            if not any(hasattr(model, attribute) for attribute in NEEDED[needs]):
                raise ValueError(
                    f"{argument} needs {' or '.join(NEEDED[needs])}; models[{title!r}] has none, "
                    "so leave it out or take another metric."
                )
    return decides, list(dict.fromkeys(names))


def check_outcomes(methods: Mapping[str, Any], target: Target) -> None:
    """Refuse methods that do not take this kind of outcome, before anything runs."""
    for method in methods.values():
        if target.kind not in getattr(method, "outcomes", (target.kind,)):
            check_outcome(method, target.values_for(method, target.values))


def check_missing_cells(
    methods: Mapping[str, Any], models: Mapping[str, Any], preprocess: Any, data: CheckedData
) -> None:
    """Refuse missing cells that some method or model cannot take; preprocessing may."""
    if preprocess is not None:
        return
    n_cells, n_columns = missing_cells(data.X)
    if not n_cells:
        return
    if data.design.adjusts:
        raise ValueError(
            f"X of {data.name!r} has {n_cells} missing cells, which cannot be adjusted for "
            "covariates or centred; fill them in with preprocess, such as SimpleImputer()."
        )
    refused = []
    for kind, estimators in (("methods", methods), ("models", models)):
        names = [name for name, one in estimators.items() if not takes_missing(one, data.target)]
        if names:
            refused.append(f"{kind} {', '.join(names)}")
    if refused:
        raise ValueError(
            f"X of {data.name!r} has {n_cells} missing cells in {n_columns} columns, which the "
            f"{' and the '.join(refused)} cannot take; fill them in with preprocess, such as "
            "SimpleImputer(), or leave these out."
        )


def takes_missing(estimator: Any, target: Target) -> bool:
    """Whether an estimator says that it takes missing cells, or proves to on a small table.

    Pipelines and searches do not say what their parts take. One that fits the small table neither
    with a missing cell nor without has proved nothing, and may try.
    """
    if hasattr(estimator, "__sklearn_tags__") and get_tags(estimator).input_tags.allow_nan:
        return True
    X = np.random.default_rng(0).random((len(target.example), 6))
    holed = X.copy()
    holed[5, 0] = np.nan
    return _fits(estimator, holed, target.example) or not _fits(estimator, X, target.example)


def _fits(estimator: Any, X: NDArray[np.float64], y: NDArray[Any]) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            clone(estimator).fit(X, y)
        except Exception:  # whatever the reason, it does not fit
            return False
    return True
