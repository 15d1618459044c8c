"""Models on a method's best features: trained on training rows, predicting test rows.

On a few dozen rows a scikit-learn pipeline spends a millisecond or two on validation, cloning
and configuration, many times what libsvm or a nearest neighbour needs; a study fits one for
every model, size, method and resample. A linear SVM and 1-NN, each behind a
``MinMaxScaler`` with its usual settings, are therefore fitted directly: same scale, same libsvm,
same predictions. Everything else goes the general way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from backstay._libsvm import matches_svc, train_linear
from backstay._scaling import column_exponents, divided
from backstay._validation import has_fit_parameter
from backstay.base import distance_weights
from backstay.neighbors import DoublyWeightedKNeighborsClassifier
from backstay.results import TaskRecord
from backstay.study._progress import Stage
from backstay.study._protocols import seeded
from backstay.study._ranking import Ranking
from backstay.study._rows import Sides, take_columns

Array = NDArray[np.float64]
Labels = NDArray[Any]
Arrays = dict[str, NDArray[Any]]
# Scaled training rows, their class numbers 0, 1, …, and scaled test rows, to class numbers and
# scores: a column per class, or one of the second of two.
Shortcut = Callable[[Array, NDArray[np.intp], Array], tuple[NDArray[np.intp], Array]]


@dataclass(frozen=True)
class Classification:
    """What every task does with its ranking.

    ``keep`` says what is kept beside the predicted classes: "labels" for nothing, "scores" or
    "probabilities". Shortcuts are ways around some of the models that change nothing but
    the time it takes. If ``weighted``, models that take instance weights get the method's.
    """

    models: Mapping[str, Any]
    sizes: tuple[int, ...]
    classes: Labels
    keep: str = "labels"
    shortcuts: Mapping[str, Shortcut] = field(default_factory=dict)
    weighted: bool = False


def classify(
    how: Classification, sides: Sides, ranking: Ranking, seed: int, record: TaskRecord
) -> Arrays:
    """Train every model on the best features at every size, and predict the test rows.

    Returns "predicted", class numbers by model, size and test row, and "scores" if kept.
    """
    n_scores = 1 if len(how.classes) == 2 else len(how.classes)
    shape = (len(how.models), len(how.sizes), sides.test.n_rows)
    found: Arrays = {"predicted": np.empty(shape, dtype="<i2")}
    if how.keep != "labels":
        found["scores"] = np.empty((*shape, n_scores), dtype="<f8")
    cuts = _Cuts(how.sizes, sides, ranking.order, record)
    if how.weighted and ranking.sample_weight is not None:
        how = replace(how, shortcuts=_unweighted(how))
    direct = _predict_directly(how, cuts, found)
    if len(direct) < len(how.models):
        _predict_generally(how, cuts, ranking, seed, found, skip=direct)
    return found


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
        for j, size in enumerate(self.sizes):
            with Stage(self.record, f"model tables at size {size}"):
                cut = take_columns(train, self.places[j]), take_columns(test, self.places[j])
            yield j, *cut

    def stage(self, name: str, j: int) -> Stage:
        """Return the stage of one model at one size."""
        return Stage(self.record, f"model {name!r} at size {self.sizes[j]}")


# The direct way.


def _predict_directly(how: Classification, cuts: _Cuts, found: Arrays) -> set[str]:
    """Predict with the models that have a shortcut; return their names."""
    if not how.shortcuts:
        return set()
    tables = cuts.tables(as_numbers=True)
    with Stage(cuts.record, "model scaling"):
        if not all(_finite_floats(table) for table in tables):
            return set()
        present, codes = np.unique(cuts.sides.y_train, return_inverse=True)
        numbers = np.searchsorted(how.classes, present)
        scaled = unit_range(*tables)
    for j, train, test in cuts.at_every_size(*scaled):
        for i, name in enumerate(how.models):
            if name in how.shortcuts:
                with cuts.stage(name, j):
                    labels, scores = how.shortcuts[name](train, codes, test)
                    found["predicted"][i, j] = numbers[labels]
                    if "scores" in found:
                        found["scores"][i, j] = _on_all_classes(scores, numbers, len(how.classes))
    return set(how.shortcuts)


def _finite_floats(table: Any) -> bool:
    plain = isinstance(table, np.ndarray) and table.dtype == np.float64
    return plain and bool(np.isfinite(table).all())


def unit_range(train: Array, test: Array) -> tuple[Array, Array]:
    """Scale features to [0, 1] on the training rows, as ``MinMaxScaler`` does.

    But for features below 1e-14 beside larger ones, which it would call constant.
    """
    exponents = column_exponents(train.min(axis=0), train.max(axis=0))
    if exponents is not None:
        train, test = divided(train, exponents), divided(test, exponents)
    scaler = MinMaxScaler().fit(train)
    # What transform does, without looking at the same rows again.
    return train * scaler.scale_ + scaler.min_, test * scaler.scale_ + scaler.min_


def shortcuts_of(models: Mapping[str, Any]) -> dict[str, Shortcut]:
    """Return the direct ways to predictions, of the models that have one, by name."""
    found = ((name, _shortcut_of(model)) for name, model in models.items())
    return {name: shortcut for name, shortcut in found if shortcut is not None}


def _shortcut_of(model: Any) -> Shortcut | None:
    if type(model) is not Pipeline or model.memory is not None:
        return None
    steps = [step for _, step in model.steps]
    if len(steps) != 2 or not _equal(steps[0], MinMaxScaler()):
        return None
    if _equal(steps[1], KNeighborsClassifier(n_neighbors=1)):
        return _nearest
    for weight in (None, "balanced"):
        svm = SVC(kernel="linear", C=getattr(steps[1], "C", 1.0), class_weight=weight)
        if _equal(steps[1], svm) and matches_svc():
            return partial(_linear, C=float(svm.C), balanced=weight == "balanced")
    return None


def _equal(step: Any, wanted: Any) -> bool:
    return type(step) is type(wanted) and step.get_params() == wanted.get_params()


def _nearest(
    train: Array, classes: NDArray[np.intp], test: Array
) -> tuple[NDArray[np.intp], Array]:
    """Class of the nearest row; of rows equally near, the first. It has all the votes."""
    nearest = classes[cdist(test, train, "sqeuclidean").argmin(axis=1)]
    return nearest, np.eye(int(classes.max()) + 1)[nearest]


def _linear(
    train: Array, classes: NDArray[np.intp], test: Array, C: float, balanced: bool
) -> tuple[NDArray[np.intp], Array]:
    return train_linear(train, classes, C, balanced=balanced).predict(test)


# The general way.


def _predict_generally(
    how: Classification, cuts: _Cuts, ranking: Ranking, seed: int, found: Arrays, *, skip: set[str]
) -> None:
    """Predict with scikit-learn's fit and predict, also scores if there is a place for them."""
    for j, train, test in cuts.at_every_size(*cuts.tables(as_numbers=False)):
        importances = ranking.importances[cuts.best[cuts.places[j]]]
        for i, (name, model) in enumerate(how.models.items()):
            if name in skip:
                continue
            with cuts.stage(name, j):
                model = seeded(_weighted(model, importances), seed)
                weights = _row_weights(model, ranking.sample_weight, how.weighted)
                model.fit(train, cuts.sides.y_train, **weights)
                found["predicted"][i, j] = np.searchsorted(how.classes, model.predict(test))
                if "scores" in found:
                    found["scores"][i, j] = _scores(model, test, how)


def _weighted(model: Any, importances: Array) -> Any:
    """Give the doubly weighted k-NN the method's feature weights, unless it has its own."""
    doubly = isinstance(model, DoublyWeightedKNeighborsClassifier)
    if not doubly or model.feature_weights is not None:
        return model
    return clone(model).set_params(feature_weights=distance_weights(importances))


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


def _unweighted(how: Classification) -> dict[str, Shortcut]:
    """Return the shortcuts of the models that take no instance weights."""
    return {
        name: shortcut
        for name, shortcut in how.shortcuts.items()
        if weight_parameter(how.models[name]) is None
    }


def _scores(model: Any, X: Any, how: Classification) -> Array:
    """Return how much the model leans towards the second class, or to each of more than two."""
    score = getattr(model, "decision_function", None)
    if score is None or how.keep == "probabilities":
        score = model.predict_proba
    values = np.asarray(score(X), dtype=np.float64)
    if values.ndim == 1:
        values = values[:, None]
    n_present = len(model.classes_)
    if values.shape[1] != n_present and not values.shape[1] == n_present - 1 == 1:
        raise ValueError(
            f"decision_function gives {values.shape[1]} columns for {n_present} classes; "
            "ranking the rows needs one per class."
        )
    numbers = np.searchsorted(how.classes, model.classes_)
    absent = 0.0 if how.keep == "probabilities" else -np.inf
    return _on_all_classes(values, numbers, len(how.classes), absent)


def _on_all_classes(
    scores: Array, numbers: NDArray[np.intp], n_classes: int, absent: float = -np.inf
) -> Array:
    """Return the scores of the second class, or with a column per class of the data.

    They come as one column of the second of two classes, or as one per class in the training
    rows; other classes get the score `absent`.
    """
    if n_classes == 2:
        return scores[:, -1:]
    if scores.shape[1] == 1:
        scores = np.hstack([-scores, scores])
    found = np.full((len(scores), n_classes), absent)
    found[:, numbers] = scores
    return found
