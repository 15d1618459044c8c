"""From a finished study to a frozen signature.

The features are those that the chosen method's runs selected most often: on fresh rows they
predict better than those it selects when fitted once to all rows (``docs/validation.md``).
Preprocessing and model are fitted to all rows, as a task fits them to its training rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline

from backstay._files import plain
from backstay._identity import digest, fingerprint, versions
from backstay._scaling import table_near_one
from backstay._validation import plain_labels, seeded
from backstay.base import one_thread
from backstay.neighbors import DoublyWeighted, DoublyWeightedKNeighborsClassifier
from backstay.results import Configuration, DatasetFacts, Results
from backstay.signature._beside import adjusting_steps, fitted_beside, same_design
from backstay.signature._document import sealed
from backstay.signature._error import SignatureError
from backstay.signature._expected import configuration_of, expected_scores
from backstay.signature._models import frozen_models
from backstay.signature._rebuild import rebuilt
from backstay.signature._signature import Signature
from backstay.signature._skops import skops_content, types_in
from backstay.signature._steps import apply_steps, parts_of, steps_of, unit_step
from backstay.signature._training import feature_facts, stand_ins, values_of
from backstay.targets import Target


def freeze(
    results: Results,
    X: Any,
    y: ArrayLike,
    choice: str | tuple[str, int, str] = "trusted",
    *,
    models: Mapping[str, Any] | None = None,
    preprocess: Any = None,
    include_rows: bool = False,
    covariates: Any = None,
    batch: ArrayLike | None = None,
) -> Signature:
    """Freeze the signature of a study, to be applied and tested elsewhere.

    The features are the most frequent ones of the chosen method at the chosen size. Preprocessing
    and model are those of the study, fitted to all rows.

    Parameters
    ----------
    results : Results
        Of one data set.
    X, y : table and outcomes
        The data that the study was run on; others are refused.
    choice : {"trusted", "short", "accurate"} or (method, size, model), default="trusted"
        One of the three answers of ``results.recommend()``, or a configuration of the study.
    models : dict of str to estimator, optional
        Models of the study by name, where they cannot be made again from what the store says
        about them, as with models of other packages. ``results.freeze`` gives them itself if the
        study was run in this process.
    preprocess : estimator, optional
        Preprocessing of the study, likewise.
    include_rows : bool, default=False
        Whether the file may hold rows of the data, which a k-NN needs to predict.
    covariates, batch : DataFrame, array-like, optional
        Those of the study, if it had any.

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
    data, facts = results.data, results.facts
    X = X if hasattr(X, "columns") or hasattr(X, "tocsr") else np.asarray(X)
    target = _same_data(data, X, np.asarray(plain_labels(y)))
    chosen = configuration_of(results, choice)
    assert chosen.model is not None
    assert chosen.size is not None
    if facts.weight_models:
        raise SignatureError(
            "the models of the study took instance weights that a method learned anew on every "
            "split; freeze a study with weight_models=False."
        )
    steps = rebuilt(facts.preprocess, preprocess, "preprocess")
    model = rebuilt(facts.models[chosen.model], (models or {}).get(chosen.model), "model")
    selected = results.signature(chosen.method, chosen.size).frame()
    if not len(selected):
        raise SignatureError(f"{chosen.method} has fewer than the two runs that a signature needs.")
    columns = np.sort(selected["feature"].to_numpy(dtype=np.intp))
    design = same_design(data, covariates, batch)

    def name(column: int) -> str:
        return f"x{column}" if data.feature_names is None else data.feature_names[column]

    values = values_of(X, columns, name)
    with one_thread():
        # Tasks see tables of very small or very large numbers in an ordinary unit.
        table = table_near_one(X)
        unit = [] if table is X else unit_step(values, values_of(table, columns, name))
        before = _preprocessed(table, target, steps, columns, facts.seed or 0)
        train = apply_steps([*unit, *before], values)
        adjusting, train = adjusting_steps(train, design)
        if design.covariates is not None:
            how, Z = (facts.seed or 0, include_rows), design.covariates.Z
            own, content = fitted_beside(train, target, model, Z, how)
        else:
            own, content = _fitted(train, target, model, facts.seed or 0, include_rows)
    trusted = types_in(content) if content["kind"] == "skops" else []
    frequency = dict(zip(selected["feature"], selected["frequency"], strict=True))
    others = stand_ins(values, columns, X, name)
    document = {
        "choice": {
            "rule": choice if isinstance(choice, str) else "given",
            "method": chosen.method,
            "size": chosen.size,
            "model": chosen.model,
            "metric": data.metric,
        },
        "target": {**data.target.to_json(), "moments": target.frozen_moments(values)},
        "features": [
            {
                "name": name(int(column)),
                "column": int(column),
                "frequency": float(frequency[column]),
                **feature_facts(values[:, j], target),
                "stand_ins": others[j],
            }
            for j, column in enumerate(columns)
        ],
        **({"covariates": design.covariates.levels} if design.covariates is not None else {}),
        "steps": [*unit, *before, *adjusting, *own],
        "model": content,
        **_deciding(results, chosen, content),
        "expected": expected_scores(results, choice, chosen),
        "stability": _stability(results, chosen),
        "training": {
            "dataset": data.name,
            "n_samples": data.n_samples,
            "n_features": data.n_features,
            "rows": [n for _, n in data.target.summary()],
            "resampling": data.resampling,
            "n_resamples": data.n_resamples,
            "log2": (log2 := _number(data.provenance.get("log2"))),
            "values": _values_said(log2, data.logged),
            "fingerprints": {key: str(data.fingerprints[key]) for key in ("X", "y")},
        },
        "versions": versions(),
    }
    return Signature(sealed(document), trusted)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _values_said(log2: float | None, logged: bool) -> str:
    """Return what a cohort's values must be."""
    if log2 is not None:
        return f"log2 of values, those below {log2:g} raised to it first"
    return "log2 of values" if logged else "as in the training table"


def _same_data(data: DatasetFacts, X: Any, y: NDArray[Any]) -> Target:
    """Refuse other data; return the outcomes as the study was given them."""
    if fingerprint(X) == data.fingerprints["X"]:
        for target in data.target.readings(y):
            if digest(target.values) == data.fingerprints["y"]:
                return target
        argument = "y"
    else:
        argument = "X"
    raise SignatureError(
        f"{argument} is not what the study was run on (its fingerprint differs); give the same "
        "table, read in the same way."
    )


def _preprocessed(
    table: Any, target: Target, steps: Any, columns: NDArray[np.intp], seed: int
) -> list[dict[str, Any]]:
    """Return what preprocessing, fitted to all rows and all columns, does to some columns."""
    if steps is None:
        return []
    return steps_of(seeded(steps, seed).fit(table, target.values), table.shape[1], columns)


def _fitted(
    train: NDArray[np.float64], target: Target, model: Any, seed: int, include_rows: bool
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the model, fitted to all rows, as steps of preprocessing and what decides."""
    _check_weights(model)
    fitted = seeded(model, seed).fit(train, target.values)
    if isinstance(fitted, DoublyWeighted):
        fitted = fitted.model_  # weights are numbers by now
    content = frozen_models(target).content(parts_of(fitted)[-1], include_rows)
    if content is not None and not isinstance(fitted, Pipeline):
        return [], content
    if content is not None:
        n_columns = train.shape[1]
        try:
            return steps_of(fitted[:-1], n_columns, np.arange(n_columns)), content
        except SignatureError:
            pass  # a scaler that constants do not describe goes with its model
    return [], skops_content(fitted)


def _check_weights(model: Any) -> None:
    for part in parts_of(model):
        doubly = isinstance(part, DoublyWeightedKNeighborsClassifier)
        if doubly and part.feature_weights is None:
            raise SignatureError(
                "DoublyWeightedKNeighborsClassifier takes its weights from the method, anew on "
                "every split; freeze another model."
            )


def _deciding(results: Results, chosen: Configuration, content: dict[str, Any]) -> dict[str, Any]:
    """Return the threshold, the calibration, and where probabilities come from."""
    target, threshold, said = results.data.target, None, ""
    if content["kind"] != "skops":
        frozen = frozen_models(target).model(content, ())
        threshold, said = frozen.threshold, frozen.probabilities or ""
    elif target.estimator_type == "classifier":
        said = "those of the model, if it has any"
    calibration = None
    if not said:
        assert chosen.size is not None
        tested = results.predictions.rows(chosen.method, chosen.size, chosen.model)
        calibration, said = target.calibrated(tested.frame())
    return {"calibration": calibration, "probabilities": said, "threshold": threshold}


def _stability(results: Results, chosen: Configuration) -> dict[str, float | None]:
    """Return Nogueira's measure with its interval, and its level with shuffled outcomes."""
    assert chosen.size is not None
    frame = results.stability(sizes=[chosen.size]).frame()
    row = frame[frame["method"] == chosen.method].iloc[0]
    null = results.null().frame()
    here = null[(null["method"] == chosen.method) & (null["size"] == chosen.size)]
    level = here["null"].iloc[0] if len(here) else math.nan
    figures = {key: row[key] for key in ("value", "low", "high")}
    stability: dict[str, float | None] = plain({**figures, "null": level})
    return stability
