"""Models on a method's best features: trained on training rows, predicting test rows.

Models that the target knows a shortcut for, such as the default ones, are fitted directly on
features scaled once for all sizes; everything else goes through scikit-learn's fit and predict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler

from backstay._validation import has_fit_parameter, seeded
from backstay.base import distance_weights
from backstay.neighbors import DoublyWeightedKNeighborsClassifier
from backstay.store import TaskRecord
from backstay.study._progress import Stage
from backstay.study._ranking import Ranking
from backstay.study._rows import Sides, take_columns
from backstay.targets import Beside, Target

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Prediction:
    """What every task does with its ranking.

    ``keep`` says what is kept of a model's outputs: "predictions" alone, "scores" or
    "probabilities". Shortcuts are ways around some of the models that change nothing but
    the time it takes. If ``weighted``, models that take instance weights get the method's.
    """

    models: Mapping[str, Any]
    sizes: tuple[int, ...]
    target: Target
    keep: str = "predictions"
    shortcuts: Mapping[str, Callable[..., Array]] = field(default_factory=dict)
    weighted: bool = False


def predict(
    how: Prediction, sides: Sides, ranking: Ranking, seed: int, record: TaskRecord
) -> Array:
    """Train models on the best features, predict test rows: model × size × row × column."""
    n_columns = how.target.n_columns(how.keep)
    shape = (len(how.models), len(how.sizes), sides.test.n_rows, n_columns)
    outputs = np.empty(shape, dtype="<f8")
    cuts = _Cuts(how.sizes, sides, ranking.order, record)
    if how.weighted and ranking.sample_weight is not None:
        # Shortcuts know no instance weights.
        unweighted = [name for name in how.shortcuts if weight_parameter(how.models[name]) is None]
        how = replace(how, shortcuts={name: how.shortcuts[name] for name in unweighted})
    if sides.beside is not None and sides.beside.offset is None and how.target.shortcuts_scale:
        how = replace(how, shortcuts={})
    direct = _predict_directly(how, cuts, outputs)
    if len(direct) < len(how.models):
        _predict_generally(how, cuts, ranking, seed, outputs, skip=direct)
    if sides.beside is not None and sides.beside.offset is not None:
        return how.target.with_offset(outputs, sides.beside.offset)
    return outputs


def predict_beside(how: Prediction, beside: Beside, seed: int, record: TaskRecord) -> Array:
    """Train every model on covariates alone, predict test rows: model × 1 × row × column."""
    outputs = []
    for name, model in how.models.items():
        with Stage(record, f"model {name!r} on covariates"):
            # A column of zeros where covariates are constant, as within a batch that is one.
            n_none = 0 if beside.train.shape[1] or beside.offset is not None else 1
            none = (np.zeros((len(side), n_none)) for side in (beside.train, beside.test))
            train, test = beside.joined(model, *none)
            fitted = seeded(beside.alone or beside.last_step(model), seed)
            fitted.fit(train, beside.values)
            outputs.append(how.target.outputs(fitted, test, how.keep, beside.values))
    alone = np.array(outputs)[:, None]
    return alone if beside.offset is None else how.target.with_offset(alone, beside.offset)


class _Cuts:
    """The best columns of both sides, and of these the best at every size."""

    def __init__(
        self, sizes: tuple[int, ...], sides: Sides, order: NDArray[np.intp], record: TaskRecord
    ) -> None:
        self.sizes, self.sides, self.record = sizes, sides, record
        self.best = np.sort(order[: max(sizes)])
        self.places = [np.searchsorted(self.best, np.sort(order[:size])) for size in sizes]

    def tables(self, *, as_numbers: bool) -> list[Any]:
        """Return the best columns of the training rows and of the test rows."""
        with Stage(self.record, "model tables"):
            both = (self.sides.train, self.sides.test)
            return [side.columns(self.best, as_numbers=as_numbers) for side in both]

    def at_every_size(self, train: Any, test: Any) -> Iterator[tuple[int, Any, Any]]:
        """Yield the place of a size and both tables cut to its columns."""
        for j, places in enumerate(self.places):
            yield j, take_columns(train, places), take_columns(test, places)

    def stage(self, name: str, j: int) -> Stage:
        """Return the stage of one model at one size."""
        return Stage(self.record, f"model {name!r} at size {self.sizes[j]}")


# The direct way.


def _predict_directly(how: Prediction, cuts: _Cuts, outputs: Array) -> set[str]:
    """Predict with the models that have a shortcut; return their names."""
    if not how.shortcuts:
        return set()
    tables = cuts.tables(as_numbers=True)
    with Stage(cuts.record, "model scaling"):
        plain = all(isinstance(one, np.ndarray) and one.dtype == np.float64 for one in tables)
        if not plain or not all(np.isfinite(table).all() for table in tables):
            return set()
        beside = cuts.sides.beside
        coded = how.target.coded(cuts.sides.y_train if beside is None else beside.values)
        scaled = unit_range(*tables)
    for j, train, test in cuts.at_every_size(*scaled):
        for i, name in enumerate(how.models):
            if name in how.shortcuts:
                with cuts.stage(name, j):
                    both = train, test
                    if beside is not None:
                        both = beside.joined(how.models[name], train, test)
                    outputs[i, j] = how.shortcuts[name](both[0], coded, both[1])
    return set(how.shortcuts)


def unit_range(train: Array, test: Array) -> tuple[Array, Array]:
    """Scale features to [0, 1] on the training rows, as ``MinMaxScaler`` does."""
    scaler = MinMaxScaler().fit(train)
    # What transform does, without looking at the same rows again.
    return train * scaler.scale_ + scaler.min_, test * scaler.scale_ + scaler.min_


# The general way.


def _predict_generally(
    how: Prediction, cuts: _Cuts, ranking: Ranking, seed: int, outputs: Array, *, skip: set[str]
) -> None:
    """Predict with scikit-learn's fit and predict."""
    beside = cuts.sides.beside
    y_train = cuts.sides.y_train if beside is None else beside.values
    for j, train, test in cuts.at_every_size(*cuts.tables(as_numbers=False)):
        importances = ranking.importances[cuts.best[cuts.places[j]]]
        for i, (name, model) in enumerate(how.models.items()):
            if name in skip:
                continue
            with cuts.stage(name, j):
                if isinstance(model, DoublyWeightedKNeighborsClassifier):
                    # It gets the method's feature weights, unless it has its own.
                    own = model.feature_weights
                    given = distance_weights(importances) if own is None else own
                    model = clone(model).set_params(feature_weights=given)
                model = seeded(model, seed)
                both = train, test
                if beside is not None and beside.offset is None:
                    model, both = _with_columns(model, train, test, beside)
                weights = _row_weights(model, ranking.sample_weight, how.weighted)
                model.fit(both[0], y_train, **weights)
                outputs[i, j] = how.target.outputs(model, both[1], how.keep, y_train)


def _with_columns(
    model: Any, train: Any, test: Any, beside: Beside
) -> tuple[Any, tuple[Array, Array]]:
    """Return the last step of a model, and both tables as it sees them beside covariates."""
    if isinstance(model, Pipeline) and len(model.steps) > 1:
        before = model[:-1]
        train = before.fit_transform(train, beside.values)
        test = before.transform(test)
    train, test = (np.asarray(table, dtype=np.float64) for table in (train, test))
    return beside.last_step(model), beside.joined(model, train, test)


def _row_weights(model: Any, sample_weight: Array | None, weighted: bool) -> dict[str, Array]:
    """Return what a model's fit gets of the method's instance weights.

    The doubly weighted k-NN always takes them, as votes. Any other takes them if the study says
    so: of mean 1, whatever their sum in the method, so that the strength of its
    regularisation stays that of equal weights.
    """
    if sample_weight is None:
        return {}
    if isinstance(model, DoublyWeightedKNeighborsClassifier):
        return {"sample_weight": sample_weight}
    name = weight_parameter(model) if weighted else None
    return {} if name is None else {name: sample_weight / sample_weight.mean()}


def weight_parameter(model: Any) -> str | None:
    """Return the name under which a model's fit takes instance weights, None if it does not."""
    if not isinstance(model, Pipeline):
        return "sample_weight" if has_fit_parameter(model, "sample_weight") else None
    name, last = model.steps[-1]
    inside = weight_parameter(last)
    return None if inside is None else f"{name}__{inside}"
