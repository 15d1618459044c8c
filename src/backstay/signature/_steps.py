"""Preprocessing as constants: what fitted transformers do to each column by itself."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from backstay.signature._document import SignatureError

Array = NDArray[np.float64]
Step = dict[str, Any]
KNOWN = "SimpleImputer, StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler and selectors"


def parts_of(transformer: Any) -> list[Any]:
    """Return the steps of a pipeline one by one, or the transformer itself; nothing for None."""
    if transformer is None or isinstance(transformer, str):  # "passthrough"
        return []
    if isinstance(transformer, Pipeline):
        return [part for _, step in transformer.steps for part in parts_of(step)]
    return [transformer]


def steps_of(transformer: Any, n_before: int, columns: NDArray[np.intp]) -> list[Step]:
    """Return what a fitted transformer does to some of `n_before` columns, each by itself."""
    # Places of the columns in what the step at hand sees.
    places, n_seen = np.asarray(columns), n_before
    steps: list[Step] = []
    for part in parts_of(transformer):
        if hasattr(part, "get_support"):
            kept = part.get_support()
            if not kept[places].all():
                raise SignatureError(
                    f"{type(part).__name__} of preprocess drops a feature of the signature when "
                    "it is fitted to all rows; choose another size."
                )
            places, n_seen = np.cumsum(kept)[places] - 1, int(kept.sum())
            continue
        steps += _steps(part, places, n_seen)
    return steps


def _steps(part: Any, places: NDArray[np.intp], n_seen: int) -> list[Step]:
    """Return one fitted transformer's constants; exact types, as a subclass may do anything."""
    kind = type(part)
    if kind is SimpleImputer and not part.add_indicator:
        values = np.asarray(part.statistics_)
        empty = np.isnan(np.asarray(values, dtype=float)).any()
        if len(values) == n_seen and not part.keep_empty_features and empty:
            raise SignatureError("SimpleImputer drops columns without values; fill these first.")
        return [{"kind": "fill", "values": _floats(values[places])}]
    if kind is StandardScaler:
        mean = part.mean_ if part.with_mean else np.zeros(n_seen)
        scale = part.scale_ if part.with_std else np.ones(n_seen)
        return [_standardize(mean[places], scale[places])]
    if kind is RobustScaler:
        center = part.center_ if part.with_centering else np.zeros(n_seen)
        scale = part.scale_ if part.with_scaling else np.ones(n_seen)
        return [_standardize(center[places], scale[places])]
    if kind is MaxAbsScaler and not getattr(part, "clip", False):
        return [_standardize(np.zeros(len(places)), part.scale_[places])]
    if kind is MinMaxScaler:
        clip = list(map(float, part.feature_range)) if part.clip else None
        shift, scale = _floats(part.min_[places]), _floats(part.scale_[places])
        return [{"kind": "stretch", "scale": scale, "shift": shift, "clip": clip}]
    raise SignatureError(
        f"{kind.__name__} cannot be frozen: what it does to a column may depend on others. "
        f"Preprocessing is frozen for {KNOWN}."
    )


def _standardize(center: Array, scale: Array) -> Step:
    return {"kind": "standardize", "center": _floats(center), "scale": _floats(scale)}


def _floats(values: Any) -> list[float]:
    numbers: list[float] = np.asarray(values, dtype=np.float64).tolist()
    return numbers


def unit_step(before: Array, after: Array) -> list[Step]:
    """Return the step to a table multiplied by powers of two, which the largest values tell."""
    largest = [np.nanmax(np.abs(table), axis=0, initial=0) for table in (before, after)]
    factor = np.divide(largest[1], largest[0], out=np.ones(len(largest[0])), where=largest[0] > 0)
    if (factor == 1).all():
        return []
    shift = [0.0] * len(factor)
    return [{"kind": "stretch", "scale": _floats(factor), "shift": shift, "clip": None}]


def apply_steps(steps: list[Step], X: Array, Z: Array | None = None) -> Array:
    """Return columns after all steps, each in the arithmetic of its transformer.

    Z are covariates. "center" takes the rows' own means, "adjust" what covariates explain;
    "join" adds columns of covariates.
    """
    for step in steps:
        if step["kind"] == "center":
            X = X - X.mean(axis=0)
        elif step["kind"] in ("adjust", "join"):
            assert Z is not None
            part = (Z - np.asarray(step["mean"])) @ np.asarray(step["coef"])
            X = X - part if step["kind"] == "adjust" else np.hstack([X, part])
        elif step["kind"] == "fill":
            X = np.where(np.isnan(X), np.asarray(step["values"]), X)
        elif step["kind"] == "standardize":
            X = (X - np.asarray(step["center"])) / np.asarray(step["scale"])
        else:
            X = X * np.asarray(step["scale"]) + np.asarray(step["shift"])
            if step["clip"] is not None:
                X = np.clip(X, *step["clip"])
    return X
