"""From a finished study to a frozen signature.

The features are those that the chosen method's runs selected most often: on fresh rows they
predict better than those it selects when fitted once to all rows (``docs/validation.md``).
Preprocessing and model are fitted to all rows, as a task fits them to its training rows.
"""

import math
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from backstay._files import plain
from backstay._identity import describe, difference, digest, fingerprint, versions
from backstay._scaling import table_near_one
from backstay._validation import plain_labels, seeded
from backstay.base import one_thread
from backstay.neighbors import DoublyWeighted, DoublyWeightedKNeighborsClassifier
from backstay.results import Configuration, DatasetFacts, Results
from backstay.signature._beside import adjusting_steps, fitted_beside, same_design
from backstay.signature._document import SignatureError, sealed
from backstay.signature._expected import configuration_of, expected_scores
from backstay.signature._model import skops_content, types_in
from backstay.signature._models import frozen_content, frozen_model
from backstay.signature._signature import Signature
from backstay.signature._steps import Step, apply_steps, parts_of, steps_of, unit_step
from backstay.signature._training import feature_facts, stand_ins, values_of
from backstay.targets import Target

# Parameters that are lists of named steps; all other sequences are tuples in scikit-learn.
LISTS = {"steps", "transformers", "estimators", "transformer_list"}
PACKAGES = ("sklearn", "backstay")


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
    steps = _rebuilt(facts.preprocess, preprocess, "preprocess")
    model = _rebuilt(facts.models[chosen.model], (models or {}).get(chosen.model), "model")
    selected = results.signature(chosen.method, chosen.size).frame()
    if not len(selected):
        raise SignatureError(f"{chosen.method} has fewer than the two runs that a signature needs.")
    columns = np.sort(selected["feature"].to_numpy(dtype=np.intp))
    design = same_design(data, covariates, batch)

    def name(column: int) -> str:
        return f"x{column}" if data.feature_names is None else data.feature_names[column]

    values = values_of(X, columns, name)
    with one_thread():
        # Tasks see tables of very small numbers in an ordinary unit.
        table = table_near_one(X)
        unit = [] if table is X else unit_step(values, values_of(table, columns, name))
        before: list[Step] = []
        if steps is not None:
            fitted = seeded(steps, facts.seed or 0).fit(table, target.values)
            before = steps_of(fitted, table.shape[1], columns)
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
    floor, log2 = data.provenance.get("log2"), None
    values_said = "log2 of values" if data.logged else "as in the training table"
    if isinstance(floor, int | float):
        log2 = float(floor)
        values_said = f"log2 of values, those below {log2:g} raised to it first"
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
            "log2": log2,
            "values": values_said,
            **{key: data.provenance[key] for key in ("odd_texts",) if key in data.provenance},
            "fingerprints": {key: str(data.fingerprints[key]) for key in ("X", "y")},
        },
        "versions": versions(),
    }
    return Signature(sealed(document), trusted)


def _rebuilt(described: Any, given: Any, argument: str) -> Any:
    """Return the estimator that a store describes: the one given if it is that one, or a new one.

    A store may come from anyone. So nothing is imported but estimators of scikit-learn and
    backstay, and what cannot be rebuilt from plain values must be given.
    """
    if given is not None:
        differs = difference(described, describe(given, argument))
        if differs:
            raise SignatureError(f"{argument} is not the one of the study: {differs}.")
        return given
    if described is None:
        return None
    reason = ""
    try:
        made = _value(described, argument)
        if difference(described, describe(made, argument)) is None:
            return made
    except (SignatureError, ImportError, AttributeError, TypeError, ValueError) as error:
        reason = f" ({error})"
    raise SignatureError(
        f"the store describes {argument}, but it cannot be made again from that{reason}; give it "
        "to freeze."
    )


def _value(described: Any, name: str) -> Any:
    if isinstance(described, list):
        values = [_value(item, "") for item in described]
        return values if name in LISTS else tuple(values)
    if not isinstance(described, dict):
        return described
    if set(described) == {"float"}:
        return float(described["float"])
    if set(described) == {"class", "parameters"}:
        kind = _estimator_class(described["class"])
        return kind(**{key: _value(item, key) for key, item in described["parameters"].items()})
    raise SignatureError(f"{name} is {described!r}")


def _estimator_class(path: str) -> type[BaseEstimator]:
    module, _, name = str(path).rpartition(".")
    if module.split(".")[0] not in PACKAGES:
        raise SignatureError(f"{path} belongs to another package")
    kind = getattr(import_module(module), name)
    ours = isinstance(kind, type) and issubclass(kind, BaseEstimator)
    if not ours or kind.__module__.split(".")[0] not in PACKAGES:
        raise SignatureError(f"{path} is not an estimator")
    return kind


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


def _fitted(
    train: NDArray[np.float64], target: Target, model: Any, seed: int, include_rows: bool
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the model, fitted to all rows, as steps of preprocessing and what decides."""
    for part in parts_of(model):
        doubly = isinstance(part, DoublyWeightedKNeighborsClassifier)
        if doubly and part.feature_weights is None:
            raise SignatureError(
                "DoublyWeightedKNeighborsClassifier takes its weights from the method, anew on "
                "every split; freeze another model."
            )
    fitted = seeded(model, seed).fit(train, target.values)
    if isinstance(fitted, DoublyWeighted):
        fitted = fitted.model_  # weights are numbers by now
    content = frozen_content(parts_of(fitted)[-1], target, include_rows)
    if content is not None and not isinstance(fitted, Pipeline):
        return [], content
    if content is not None:
        n_columns = train.shape[1]
        try:
            return steps_of(fitted[:-1], n_columns, np.arange(n_columns)), content
        except SignatureError:
            pass  # a scaler that constants do not describe goes with its model
    return [], skops_content(fitted)


def _deciding(results: Results, chosen: Configuration, content: dict[str, Any]) -> dict[str, Any]:
    """Return the threshold, the calibration, and where probabilities come from."""
    target, threshold, said = results.data.target, None, ""
    if content["kind"] != "skops":
        frozen = frozen_model(content, target)
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
