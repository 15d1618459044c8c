"""Modules of correlated features, ranked as if each were one feature, then their members."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from backstay._validation import Interval, has_fit_parameter, validate_X_y
from backstay.base import (
    Array,
    FeatureRanker,
    Indices,
    MetaRanker,
    fit_weighted,
    importances_of,
    n_ranked_of,
    ranking_from_importances,
)
from backstay.redundancy._modules import CUT, members_of, modules_of, unit_columns


def module_columns(
    X: Array, modules: list[Indices], unit: Array, omega: Array
) -> tuple[Array, Array]:
    """Return one column per module, as ModuleRanker says, and every feature's |r| with it."""
    columns = np.empty((len(X), len(modules)))
    closeness = np.ones(X.shape[1])
    for k, members in enumerate(modules):
        if len(members) == 1:
            columns[:, k] = X[:, members[0]]
            continue
        own = unit[members]
        r = own @ own.T
        centre = int(np.argmax(np.abs(r).sum(axis=1)))
        signs = np.where(r[centre] < 0, -1.0, 1.0)
        middle = signs @ own
        closeness[members] = np.abs(own @ middle) / np.sqrt(middle @ middle)
        values = X[:, members]
        mean = omega @ values / omega.sum()
        deviation = np.sqrt(omega @ (values - mean) ** 2 / omega.sum())
        scale = np.exp(np.log(deviation).mean())
        columns[:, k] = mean[centre] + (values - mean) / deviation @ signs / len(members) * scale
    return columns, closeness


@dataclass(eq=False, repr=False)
class ModuleRanker(MetaRanker):
    """Rank modules of correlated features, each as if it were one feature, then their members.

    Parameters
    ----------
    estimator : FeatureRanker or scikit-learn estimator
        Ranks the modules. Anything that exposes ``feature_importances_``, ``coef_`` or
        ``ranking_`` after fit.
    cut : float, default=0.3
        Modules are those of :func:`correlation_modules` on the training rows: average linkage on
        1 − |r| up to this distance. 0.3 is where reports call two features correlated,
        |r| ≥ 0.7.
    n_features_to_select : int, float or None, default=None
        None takes the estimator's own setting, or half where it has none. Counts features.

    Attributes
    ----------
    modules_ : list of ndarray
        Members of every module, the best module first, in each the most central feature first.
    module_importances_ : ndarray of shape (n_modules,)
        What `estimator` gave the modules, in the same order.
    labels_ : ndarray of shape (n_features,)
        Number of every feature's module, 0 for the best.
    closeness_ : ndarray of shape (n_features,)
        |r| of every feature with its module's column; 1 for a feature that is alone.
    n_ranked_ : int
        Features of the modules that `estimator` ranks.
    estimator_ : estimator
        Fitted on one column per module.
    ranking_ : ndarray of shape (n_features,)
        By module, then by closeness; ``feature_importances_`` are those of the modules.

    Notes
    -----
    `estimator` sees one column per module: the mean of the members, each of mean 0 and deviation 1
    and turned to rise with the most central one, times the geometric mean of their deviations.
    A module is thus judged once, with less noise than its members, and copies of a feature take no
    weight from each other. Features that are alone stay as they are. Modules are formed without
    the class, on rows counted by ``sample_weight``.

    References
    ----------
    Park, Hastie & Tibshirani (2007) average within clusters of genes.

    Examples
    --------
    >>> from backstay import TTest
    >>> from backstay.datasets import make_han_yu
    >>> from backstay.redundancy import ModuleRanker
    >>> X, y, relevance = make_han_yu(n_features=100, n_relevant=20, random_state=0)
    >>> ranker = ModuleRanker(TTest(moderation="shrunken"), n_features_to_select=20).fit(X, y)
    >>> ranker.get_support(indices=True)
    array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16,
           17, 18, 19])
    >>> len(ranker.modules_), ranker.module_importances_[:3].round(1)
    (11, array([4. , 4. , 0.9]))
    """

    _: KW_ONLY
    cut: float = CUT

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MetaRanker._parameter_constraints,
        "cut": [Interval(Real, 0, 1, closed="neither")],
    }

    def _validate_input(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        return validate_X_y(self, X, y)  # correlations are of numbers without gaps

    def _score(self, X: Any, y: Indices, sample_weight: Array | None) -> Array:
        if sample_weight is not None and not has_fit_parameter(self.estimator, "sample_weight"):
            raise ValueError(
                "sample_weight needs an estimator whose fit takes it; "
                f"{type(self.estimator).__name__} does not."
            )
        X = np.asarray(X, dtype=np.float64)
        omega = np.ones(len(X)) if sample_weight is None else sample_weight
        unit = unit_columns(X, omega)
        labels = modules_of(unit, self.cut)
        modules = list(members_of(labels))
        columns, self.closeness_ = module_columns(X, modules, unit, omega)
        self.estimator_ = clone(self.estimator)
        own = getattr(self.estimator, "n_features_to_select", None)
        if isinstance(own, Integral) and int(own) > len(modules):
            self.estimator_.set_params(n_features_to_select=len(modules))
        fit_weighted(self.estimator_, columns, y, sample_weight)
        importances = importances_of(self.estimator_)
        # A ranker's own ranking may say more than its importances.
        ranks = isinstance(self.estimator_, FeatureRanker)
        ranking = self.estimator_.ranking_ if ranks else ranking_from_importances(importances)
        best_first = np.argsort(ranking, kind="stable")
        self.module_importances_ = importances[best_first]
        self.labels_ = np.argsort(best_first)[labels]
        self.modules_ = [
            modules[k][np.argsort(-self.closeness_[modules[k]], kind="stable")] for k in best_first
        ]
        return self.module_importances_[self.labels_]

    def _rank(self, importances: Array) -> Indices:
        return np.argsort(np.concatenate(self.modules_)) + 1

    def _n_ranked(self) -> int:
        ranked = n_ranked_of(self.estimator_, self.module_importances_)
        return sum(map(len, self.modules_[:ranked]))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = tags.input_tags.categorical = False
        return tags
