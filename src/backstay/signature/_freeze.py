"""From a finished study to a frozen signature.

The features are those that the chosen method's runs selected most often: on fresh rows they
predict better than those it selects when fitted once to all rows (``docs/validation.md``).
Preprocessing and model are fitted to all rows, as a task fits them to its training rows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from backstay._identity import digest, fingerprint, versions
from backstay._validation import plain_labels
from backstay.base import one_thread
from backstay.neighbors import DoublyWeightedKNeighborsClassifier
from backstay.results import Configuration, Results
from backstay.signature._calibration import calibrated
from backstay.signature._document import SignatureError, sealed
from backstay.signature._expected import configuration_of, expected_scores
from backstay.signature._models import KINDS, holds_rows, model_content
from backstay.signature._rebuild import rebuilt
from backstay.signature._signature import Signature
from backstay.signature._skops import skops_content, types_in
from backstay.signature._steps import apply_steps, parts_of, steps_of
from backstay.signature._training import (
    chosen_columns,
    feature_facts,
    pooled_covariance,
    stand_ins,
)

Array = NDArray[np.float64]


def freeze(
    results: Results,
    X: Any,
    y: ArrayLike,
    choice: str | tuple[str, int, str] = "trusted",
    *,
    model: Any = None,
    preprocess: Any = None,
    include_rows: bool = False,
) -> Signature:
    """Freeze the signature of a study, to be applied and tested elsewhere.

    The features are the most frequent ones of the chosen method at the chosen size. Preprocessing
    and model are those of the study, fitted to all rows.

    Parameters
    ----------
    results : Results
        Of one data set.
    X, y : table and labels
        The data that the study was run on; others are refused.
    choice : {"trusted", "short", "accurate"} or (method, size, model), default="trusted"
        One of the three answers of ``results.recommend()``, or a configuration of the study.
    model, preprocess : estimator, optional
        The study's own, where they cannot be made again from the store, as with models of
        other packages.
    include_rows : bool, default=False
        Whether the file may hold rows of the data, which a k-NN needs to predict.

    Returns
    -------
    Signature
        With ``predict``, ``validate`` and ``save``.

    Raises
    ------
    SignatureError
        If the data are others, nothing is recommended, or a part cannot be frozen.

    See Also
    --------
    backstay.results.Results.freeze : The same as a method.
    """
    data = results.data
    X = X if hasattr(X, "columns") or hasattr(X, "tocsr") else np.asarray(X)
    codes, seen = _same_data(results, X, np.asarray(plain_labels(y)))
    chosen = configuration_of(results, choice)
    assert chosen.model is not None
    assert chosen.size is not None
    facts = results.facts
    if facts.weight_models:
        raise SignatureError(
            "the models of the study took instance weights that a method learned on every "
            "split anew; freeze a study with weight_models=False."
        )
    steps = rebuilt(facts.preprocess, preprocess, "preprocess")
    model = rebuilt(facts.models[chosen.model], model, "model")
    selected = results.signature(chosen.method, chosen.size).frame()
    if not len(selected):
        raise SignatureError(f"{chosen.method} has fewer than the two runs that a signature needs.")
    columns = np.sort(selected["feature"].to_numpy(dtype=np.intp))

    def name(column: int) -> str:
        return f"x{column}" if data.feature_names is None else data.feature_names[column]

    values, table = chosen_columns(X, columns, name)
    with one_thread():
        content = _fitted(X, seen, values, columns, steps, model, facts.seed or 0, include_rows)
    n_classes = len(data.target.names)
    frequency = dict(zip(selected["feature"], selected["frequency"], strict=True))
    others = stand_ins(values, columns, table, name)
    features = [
        {
            "name": name(int(column)),
            "column": int(column),
            "frequency": float(frequency[column]),
            **feature_facts(values[:, j], codes, n_classes),
            "stand_ins": others[j],
        }
        for j, column in enumerate(columns)
    ]
    calibration, said = _calibration(results, chosen, content["model"], n_classes)
    kind = KINDS.get(content["model"]["kind"])
    document = {
        "choice": {
            "rule": choice if isinstance(choice, str) else "given",
            "method": chosen.method,
            "size": chosen.size,
            "model": chosen.model,
            "metric": data.metric,
        },
        "classes": data.target.names,
        "features": features,
        "covariance": pooled_covariance(values, codes, n_classes).tolist(),
        **content,
        "calibration": calibration,
        "probabilities": said,
        "threshold": kind(content["model"], n_classes).threshold if kind else None,
        "expected": expected_scores(results, choice, chosen),
        "stability": _stability(results, chosen),
        "training": {
            "dataset": data.name,
            "n_samples": data.n_samples,
            "n_features": data.n_features,
            "class_sizes": [n for _, n in data.target.summary()],
            "resampling": data.resampling,
            "n_resamples": data.n_resamples,
            "log2": _number(data.provenance.get("log2")),
            "fingerprints": {key: str(data.fingerprints[key]) for key in ("X", "y")},
        },
        "versions": versions(),
    }
    trusted = types_in(content["model"]) if kind is None else []
    return Signature(sealed(document), trusted)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _same_data(results: Results, X: Any, y: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Refuse other data; return the rows' class numbers and the labels that methods saw.

    These are the numbers themselves where the study was told which class is the positive one.
    """
    data = results.data
    place = {label: c for c, label in enumerate(data.target.names)}
    codes = np.array([place.get(label, -1) for label in y.tolist()], dtype=np.intp)
    seen = {digest(labels): labels for labels in (codes, y)}.get(str(data.fingerprints["y"]))
    same = {"X": fingerprint(X) == data.fingerprints["X"], "y": seen is not None}
    for argument, known in same.items():
        if not known:
            raise SignatureError(
                f"{argument} is not what the study was run on (its fingerprint differs); give the "
                "same table, read in the same way."
            )
    assert seen is not None
    return codes, seen


def _fitted(
    X: Any,
    y: NDArray[Any],
    values: Array,
    columns: NDArray[np.intp],
    steps: Any,
    model: Any,
    seed: int,
    include_rows: bool,
) -> dict[str, Any]:
    """Return preprocessing and model as constants, fitted to all rows."""
    constants = []
    if steps is not None:
        fitted = _seeded(steps, seed).fit(X, y)
        constants = steps_of(fitted, X.shape[1], columns)
    train = apply_steps(constants, values)
    _check_weights(model)
    fitted = _seeded(model, seed).fit(train, y)
    parts = parts_of(fitted)
    n_classes = len(fitted.classes_)
    content = model_content(parts[-1], n_classes, include_rows=include_rows)
    if content is None and holds_rows(parts[-1]):
        raise SignatureError(
            f"{type(parts[-1]).__name__} predicts from the rows of the data themselves, so its "
            "file would hold values of samples; allow that with include_rows, or choose another "
            "model.",
            parameter="include_rows",
        )
    if content is not None and not isinstance(fitted, Pipeline):
        return {"steps": constants, "model": content}
    if content is not None:
        try:
            own = steps_of(fitted[:-1], len(columns), np.arange(len(columns)))
            return {"steps": constants + own, "model": content}
        except SignatureError:
            pass  # a scaler that constants do not describe goes with its model
    return {"steps": constants, "model": skops_content(fitted)}


def _check_weights(model: Any) -> None:
    for part in parts_of(model):
        doubly = isinstance(part, DoublyWeightedKNeighborsClassifier)
        if doubly and part.feature_weights is None:
            raise SignatureError(
                "DoublyWeightedKNeighborsClassifier takes its weights from the method on every "
                "split anew; freeze another model."
            )


def _seeded(estimator: Any, seed: int) -> Any:
    """Return a copy whose unset random states hold the study's seed."""
    copied = clone(estimator)
    unset = [
        path
        for path, value in copied.get_params(deep=True).items()
        if (path == "random_state" or path.endswith("__random_state")) and value is None
    ]
    return copied.set_params(**dict.fromkeys(unset, seed)) if unset else copied


def _calibration(
    results: Results, chosen: Configuration, model: dict[str, Any], n_classes: int
) -> tuple[dict[str, Any] | None, str]:
    """Return a calibration, where the model has no probabilities of its own, and a word."""
    if model["kind"] == "skops":
        return None, "those of the model, if it has any"
    if model["kind"] == "neighbors":
        return None, "shares of the neighbours, not calibrated"
    if model["kind"] in ("centroids", "gaussian") or model.get("link", "none") != "none":
        return None, "those of the model, not calibrated"
    if n_classes > 2:
        return None, "none: the model has none, and calibration is for two classes"
    assert chosen.size is not None
    scores = results.predictions.rows(chosen.method, chosen.size, chosen.model).frame()
    if "score" not in scores:
        return None, "none: the model has none, and the study kept no scores"
    second = scores["class"].to_numpy() == 1
    return calibrated(scores["row"].to_numpy(), scores["score"].to_numpy(), second)


def _stability(results: Results, chosen: Configuration) -> dict[str, float | None]:
    """Return Nogueira's measure with its interval, and its level with shuffled labels."""
    assert chosen.size is not None
    frame = results.stability(sizes=[chosen.size]).frame()
    row = frame[frame["method"] == chosen.method].iloc[0]
    found: dict[str, float | None] = {}
    for key in ("value", "low", "high"):
        found[key] = float(row[key]) if math.isfinite(row[key]) else None
    null = results.null().frame()
    here = null[(null["method"] == chosen.method) & (null["size"] == chosen.size)]
    level = float(here["null"].iloc[0]) if len(here) else math.nan
    return {**found, "null": level if math.isfinite(level) else None}
