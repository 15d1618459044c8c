"""What a model loses on rows it has not seen when a feature is shuffled [Breiman 2001]."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin, clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import SelectorMixin
from sklearn.inspection import permutation_importance
from sklearn.metrics import check_scoring
from sklearn.pipeline import Pipeline

from backstay._scaling import near_one
from backstay._validation import check_random_state, param, positive_int
from backstay.base import (
    Array,
    FeatureRanker,
    Indices,
    fit_weighted,
    importances_of,
    outcomes_of,
)
from backstay.feature_weighting._forest import ORDINARY
from backstay.feature_weighting._rows import inner_folds, number_folds, standard_numbers

LARGEST_SEED = 2**31 - 1


def out_of_bag_losses(forest: Any, X: Any, y: Any, omega: Array, n_repeats: int, rng: Any) -> Array:
    """Return the mean over the trees of what shuffling takes away.

    That is a share of right answers, or, for numbers, minus a mean squared error.

    Each tree is asked about the rows that its bootstrap left out, and only the features that it
    splits on are shuffled: others change nothing.
    """
    X = np.ascontiguousarray(X, dtype=np.float32)  # as trees read them
    lost = np.zeros(X.shape[1])
    for tree, bag in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        out = np.setdiff1d(np.arange(len(y)), bag)
        mass = omega[out].sum()
        if mass == 0.0:
            continue
        rows, labels, weights = X[out], y[out], omega[out] / mass

        def right(rows: Any, tree: Any = tree, labels: Any = labels, weights: Any = weights) -> Any:
            outputs = tree.tree_.predict(rows).reshape(len(rows), -1)
            if labels.dtype.kind == "f":
                return -weights @ (outputs[:, 0] - labels) ** 2
            return weights @ (outputs.argmax(axis=1) == labels)

        whole = right(rows)
        for feature in np.unique(tree.tree_.feature[tree.tree_.feature >= 0]):
            values = rows[:, feature].copy()
            for _ in range(n_repeats):
                rows[:, feature] = rng.permutation(values)
                lost[feature] += whole - right(rows)
            rows[:, feature] = values
    return lost / (n_repeats * len(forest.estimators_))


def used_features(model: Any, n_features: int) -> Indices:
    """Return the features that a fitted model may depend on: all, unless it says otherwise."""
    columns = np.arange(n_features)
    while isinstance(model, Pipeline):
        steps = [step for _, step in model.steps if step not in (None, "passthrough")]
        for step in steps[:-1]:
            if isinstance(step, SelectorMixin):
                columns = columns[step.get_support()]
            elif not isinstance(step, OneToOneFeatureMixin):
                return np.arange(n_features)
        model = steps[-1]
    if not (hasattr(model, "coef_") or hasattr(model, "feature_importances_")):
        return columns
    importances = importances_of(model)
    return columns[importances != 0.0] if importances.shape == columns.shape else columns


def minus_brier(
    model: Any, X: Any, y: NDArray[Any], sample_weight: NDArray[Any] | None = None
) -> float:
    """Return minus the Brier score: on few rows it notices more than accuracy does."""
    wrong = model.predict_proba(X) - (np.asarray(y)[:, None] == model.classes_)
    return -float(np.average((wrong**2).sum(axis=1), weights=sample_weight))


@dataclass(eq=False, repr=False)
class PermutationImportance(FeatureRanker):
    """Loss of a model, on rows it has not seen, when the values of a feature are shuffled.

    Without an estimator, the model is a random forest, and each tree is asked about the rows that
    its bootstrap left out, as published. Any other estimator is fitted on folds of
    the training rows, and asked about the rows left out, by scikit-learn's
    ``permutation_importance``.

    Parameters
    ----------
    estimator : classifier, regressor or None, default=None
        The model; None is the forest.
    scoring : str, callable or None, default=None
        What an estimator loses, as in scikit-learn; None is the Brier score where it has
        probabilities, the mean squared error of numbers, else its own score. Trees of the forest
        lose right answers, or gain squared error.
    n_estimators : int, default=500
        Trees of the forest.
    n_repeats : int, default=5
        How often a feature is shuffled, in each tree or fold.
    cv : int, splitter or iterable of splits, default=5
        Folds for an estimator. A number of stratified folds is less if a class has fewer rows.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps; None is half.
    n_jobs : int, default=None
        Threads that fit the forest; the result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the forest or the folds, and shuffles.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Mean loss; 0 where it is negative, and exactly 0 for features that no model uses.
    n_ranked_ : int
        Features whose shuffling costs anything. The others are not ranked.

    See Also
    --------
    ForestImportance : Decrease of impurity, on the rows that the trees saw.
    sklearn.inspection.permutation_importance : Does the work.

    Notes
    -----
    Features that a fitted model does not use are not shuffled: those whose ``coef_`` or
    ``feature_importances_`` is 0, also behind scalers and selectors in a pipeline. A model that
    does not say what it uses has each feature shuffled in turn, which takes long with thousands
    of features. Features that say the same rank low: without one of them, the model uses another.

    ``sample_weight`` weighs rows in the fit, where the estimator takes weights, and in the loss.

    References
    ----------
    Breiman (2001), Machine Learning 45: 5.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from backstay.feature_weighting import PermutationImportance
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000)
    >>> PermutationImportance(model, random_state=0).fit(X, y).ranking_[2:]
    array([1, 2])
    """

    estimator: Any = None
    _: KW_ONLY
    scoring: Any = param(None, str, callable)
    n_estimators: int = param(500, positive_int())
    n_repeats: int = param(5, positive_int())
    cv: Any = param(5, "cv_object")
    n_jobs: int | None = None
    random_state: Any = None

    _zero_is_unranked = True

    @property
    def outcomes(self) -> tuple[str, ...]:  # type: ignore[override]
        """Kinds of outcome that the model takes."""
        return ("classes", "numbers") if self.estimator is None else outcomes_of(self.estimator)

    def _score(self, X: Any, y: Any, sample_weight: Array | None) -> Array:
        rng = check_random_state(self.random_state)
        y = standard_numbers(y) if self._has_numbers() else y
        if self.estimator is None:
            losses = self._of_forest(X, y, sample_weight, rng)
        else:
            losses = self._of_folds(X, y, sample_weight, rng)
        return np.maximum(losses, 0.0)

    def _of_forest(self, X: Any, y: Any, sample_weight: Array | None, rng: Any) -> Array:
        X = near_one(X, ordinary=ORDINARY)
        omega = np.ones(len(y)) if sample_weight is None else sample_weight
        seed = rng.randint(LARGEST_SEED)
        kind: Any = RandomForestClassifier
        options: dict[str, Any] = {"n_jobs": self.n_jobs, "random_state": seed}
        if self._has_numbers():
            kind, options["max_features"] = RandomForestRegressor, "sqrt"
        forest = kind(self.n_estimators, **options)
        forest.fit(X, y, sample_weight=sample_weight)
        return out_of_bag_losses(forest, X, y, omega, self.n_repeats, rng)

    def _of_folds(self, X: Any, y: Any, sample_weight: Array | None, rng: Any) -> Array:
        seed = int(rng.randint(LARGEST_SEED))
        if self._has_numbers():
            folds = number_folds(self.cv, y, sample_weight, seed)
        else:
            folds = inner_folds(self.cv, y, sample_weight, self.classes_, seed)
        X = near_one(X, together=True)  # estimators of scikit-learn do not handle extreme units
        losses = np.zeros(X.shape[1])
        for train, test in folds:
            inside, outside = (
                None if sample_weight is None else sample_weight[rows] for rows in (train, test)
            )
            model = fit_weighted(clone(self.estimator), X[train], y[train], inside)
            used = used_features(model, X.shape[1])
            if not len(used):
                continue
            losses[used] += permutation_importance(
                model,
                X[test][:, used],
                y[test],
                scoring=self._scorer(model, X[test], used),
                n_repeats=self.n_repeats,
                n_jobs=1,  # the scorer has one table for all
                random_state=int(rng.randint(LARGEST_SEED)),
                sample_weight=outside,
            ).importances_mean
        return losses / len(folds)

    def _scorer(self, model: Any, table: Any, used: Indices) -> Callable[..., float]:
        """Return a score of the model on the used columns alone; the others are as they were."""
        if self.scoring is None and hasattr(model, "predict_proba"):
            inner: Any = minus_brier
        elif self.scoring is None and self._has_numbers():
            inner = check_scoring(model, "neg_mean_squared_error")
        else:
            inner = check_scoring(model, self.scoring)

        def score(model: Any, columns: Any, y: Any, **options: Any) -> float:
            table[:, used] = columns
            return float(inner(model, table, y, **options))

        return score
