"""SVM-RFE: recursive elimination by the weights of a linear SVM [HY V; Han 5.2]."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from backstay._scaling import Scaling
from backstay._validation import POSITIVE, TOLERANCE, StrOptions, param, positive_int
from backstay.base import Array, Indices
from backstay.feature_weighting._elimination import EliminationRanker
from backstay.feature_weighting._rows import present_rows
from backstay.feature_weighting._svm_elimination import MAX_ITER, eliminate

SINGLE_CELLS = 2**24  # a wide table of single precision with more of them stays so


def row_costs(C: float | str, omega: Array) -> Array:
    """Return what a violated margin costs in every row, given its instance weight."""
    if C != "1/n":
        return float(C) * omega
    shares = omega / omega.max()  # sums of weights near 1e308 would overflow
    return np.asarray(shares / shares.sum())


@dataclass(eq=False, repr=False)
class SVMRFE(EliminationRanker):
    """SVM-RFE: drop the features with the smallest SVM weights, retrain, repeat.

    A linear soft-margin SVM is trained on the remaining features, those with the
    smallest |w_j| are dropped, and so on down to one feature. The ranking is the
    reverse order of elimination; inside a round, by |w_j|.

    Parameters
    ----------
    C : float or "1/n", default=1.0
        Cost of margin violations. "1/n" shares a cost of 1 among the rows; many features then
        keep similar weights, and rankings are far more stable than with C = 1.
    step : float or int, default=0.1
        A float drops this fraction of the *remaining* features each round, at least one (of the
        original number in scikit-learn's ``RFE``); an int drops this many.
    rounding : {"down", "up"}, default="down"
        How the number of features that a float `step` drops becomes whole. "up" gives the
        numbers of rounds in [HY].
    n_features_to_select
        As in :class:`FeatureRanker`; the ranking does not depend on it.
    scaling : {"minmax", "standard"} or None, default="minmax"
        Scale features by the training rows' range or standard deviation first.
    tol : float or "auto", default="auto"
        The SVM's stopping tolerance, 1e-15 or more, as in :class:`sklearn.svm.SVC`. "auto" is
        1e-8. ``tol=1e-3`` takes libsvm's own steps, if there are no more than 16,000 rows or
        fewer of them than features.
    max_iter : int, default=1_000_000
        Most steps of a machine. Reaching it is said in a ``ConvergenceWarning``.
    record_path : bool, default=False
        Keep every round's features and weights in ``path_``.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Share of the features that a feature outlasts, itself included.
    n_iter_ : int
        Most steps that a machine took.
    path_ : list of EliminationRound
        With ``record_path=True``: for each round the surviving ``features`` and
        their normalised ``weights`` r_j = |w_j| / Σ|w|.

    Notes
    -----
    ``sample_weight`` ω makes row i cost C·ω_i [Han eq. 5.2]. Its mass matters: weights that sum to
    1 make the SVM n times more regularised than weights of mean 1. Compare with
    ``UniformWeighting`` of the same mass. With ``C="1/n"`` row i costs ω_i/Σω. With several
    classes the criterion is Σ w_j² over the one-vs-one machines.

    With ``tol=1e-3``, the default of ``SVC``, selections agree with a loop over
    ``SVC(kernel="linear")``. Where libsvm stops then decides which of many features with nearly
    the same weight are dropped: with fewer rows than features the best ten at 1e-8 are those of
    the exact solution, at 1e-3 about half of them are.

    Examples
    --------
    >>> from backstay.datasets import make_han_yu
    >>> from backstay.feature_weighting import SVMRFE
    >>> X, y, relevance = make_han_yu(n_features=200, n_relevant=20, random_state=0)
    >>> ranker = SVMRFE(C=0.01, n_features_to_select=20, record_path=True).fit(X, y)
    >>> [len(r.features) for r in ranker.path_[:4]]
    [200, 180, 162, 146]
    """

    C: float | str = param(1.0, POSITIVE, StrOptions({"1/n"}))
    _: KW_ONLY
    tol: float | str = param("auto", TOLERANCE, StrOptions({"auto"}))
    max_iter: int = param(MAX_ITER, positive_int())

    takes_shared_rows = True
    instead: ClassVar = {"numbers": "RidgeRFE", "survival": "OnResiduals(RidgeRFE())"}

    def _score(self, X: Any, y: Indices, sample_weight: Array | None) -> Array:
        wide = X.shape[0] < X.shape[1] and X.size > SINGLE_CELLS
        if X.dtype != np.float32 or not wide:
            X = np.asarray(X, dtype=np.float64)
        costs = row_costs(self.C, np.ones(len(y)) if sample_weight is None else sample_weight)
        if sample_weight is not None:
            rows, y = present_rows(y, sample_weight, self.classes_, type(self).__name__)
            X, costs = X[rows], costs[rows]
        scaling = Scaling(X, self.scaling)
        own = ("step", "rounding", "tol", "max_iter", "record_path")
        options = {name: getattr(self, name) for name in own}
        course = eliminate(X, y, costs, scaling=scaling, **options)
        self.n_iter_ = course.n_steps
        return self._importances(course)
