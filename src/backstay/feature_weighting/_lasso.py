"""The lasso and the elastic net as rankings: who enters first when the penalty falls."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from backstay._kernels._lasso import net_path, null_model, slopes
from backstay._validation import (
    PROPER_SHARE,
    SHARE,
    TOLERANCE,
    check_random_state,
    param,
    positive_int,
)
from backstay.base import Array, FeatureRanker
from backstay.feature_weighting._rows import counted, standard_numbers

# Beyond this share of the null model's loss nothing is left to explain: the classes are separated.
MOST_EXPLAINED = 0.999
# The least fall between the λ of a given grid; order within a step is told by parts of it.
LEAST_FALL = 1e-6


def standardised(X: NDArray[Any], omega: Array) -> Array:
    """Return a feature a row, with mean 0 and variance 1 under ω; constant ones are all 0."""
    X = np.asarray(X, dtype=np.float64)
    Z = np.ascontiguousarray((X - omega @ X).T)
    deviation = np.sqrt(Z**2 @ omega)
    varies = (X.min(axis=0) < X.max(axis=0)) & (deviation > 0.0)
    Z *= np.divide(1.0, deviation, out=np.zeros(len(Z)), where=varies)[:, None]
    return Z


def importances_by_entry(
    selected: NDArray[np.bool_], lambdas: Array, top: float, sizes: Array
) -> Array:
    """Return λ at entry over the largest; within a step, the larger coefficient is nearer to 1."""
    importances = np.zeros(selected.shape[1])
    if not len(selected):
        return importances
    first = np.where(selected.any(axis=0), selected.argmax(axis=0), -1)
    before = np.concatenate([[top], lambdas[:-1]])
    for step in np.unique(first[first >= 0]):
        entered = np.flatnonzero(first == step)
        distinct, rank = np.unique(sizes[entered], return_inverse=True)
        part = rank / len(distinct)
        importances[entered] = lambdas[step] + part * (before[step] - lambdas[step])
    return importances / top


@dataclass(eq=False, repr=False)
class ElasticNetRanker(FeatureRanker):
    """Order of entry on the path of a regression with an elastic net penalty.

    The regression is logistic for classes, and linear for numbers.
    The penalty λ falls from where no feature is in the model. Features rank by the λ at which they
    first have a coefficient, then by the size of their coefficients at the end of the path.
    Features that never enter are not ranked [Zou & Hastie 2005].

    Parameters
    ----------
    l1_ratio : float, default=0.5
        α in (0, 1]: 1 is the lasso. The lower, the more of correlated features enter together.
    n_lambdas : int, default=100
        Length of the grid of λ, equally spaced in its logarithm.
    lambda_min_ratio : float, default=0.01
        Where the grid ends, as a share of the λ at which the first feature enters.
    lambdas : array-like or None, default=None
        A grid of falling λ in place of the two parameters before.
    weakness : float, default=1.0
        Below 1, the randomised lasso: about half of the features, chosen at random, are
        penalised 1/weakness times as much [Meinshausen & Bühlmann 2010]. For many runs, in
        :class:`StabilitySelection`.
    tol : float, default=1e-6
        Largest violation of the optimality conditions, as a share of the largest gradient.
    n_features_to_select, random_state
        As in :class:`FeatureRanker`.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        λ at entry, over the λ at which the first feature enters; in a step, nearer to the λ before
        for larger coefficients.
    lambdas_ : ndarray of shape (n_steps,)
        The λ of the path, which ends early once it explains 99.9 % of the deviance.
    selection_path_ : ndarray of shape (n_steps, n_features)
        Which features have a coefficient at every λ.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Coefficients of the standardised features at the end of the path.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts there.

    Notes
    -----
    Features are standardised on the training rows and the intercept is free. With more than two
    classes the loss is multinomial, with a coefficient for every class, and a feature enters with
    its first. Numbers are standardised, too, and the loss is half their squared error.
    ``sample_weight`` weighs rows in the loss, the mean and the deviation; only proportions matter.
    A ``ConvergenceWarning`` says where a solution is not as exact as `tol`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import ElasticNetRanker
    >>> ElasticNetRanker().fit(*load_iris(return_X_y=True)).ranking_
    array([4, 3, 1, 2])
    """

    l1_ratio: float = param(0.5, SHARE)
    _: KW_ONLY
    n_lambdas: int = param(100, positive_int(minimum=2))
    lambda_min_ratio: float = param(0.01, PROPER_SHARE)
    lambdas: ArrayLike | None = param(None, "array-like")
    weakness: float = param(1.0, SHARE)
    tol: float = param(1e-6, TOLERANCE)
    random_state: Any = None

    _zero_is_unranked = True

    outcomes: ClassVar[tuple[str, ...]] = ("classes", "numbers")
    instead: ClassVar = {"survival": "CoxPath"}

    def _outcome(self, y: Any, sample_weight: Array | None) -> tuple[Any, Array, Array]:
        """Return the rows that count, a row of Y per class or one of numbers, and shares ω."""
        rows, own, omega = counted(self, y, sample_weight)
        if self._has_numbers():
            return rows, standard_numbers(own, omega)[None], omega / omega.sum()
        indicators = (own == np.arange(own.max() + 1)[:, None]).astype(np.float64)
        return rows, indicators[1:] if len(indicators) == 2 else indicators, omega / omega.sum()

    def _score(self, X: Any, y: Any, sample_weight: Array | None) -> Array:
        rows, Y, omega = self._outcome(y, sample_weight)
        gaussian = self._has_numbers()
        Z = self._weakened(standardised(X[rows], omega))
        top = float(slopes(Z, null_model(Y, omega, gaussian)[3]).max() / self.l1_ratio)
        lambdas = self._grid(top) if top > 0.0 else np.empty(0)  # nothing can enter
        options = (float(self.l1_ratio), self.tol, MOST_EXPLAINED, gaussian)
        path = net_path(Z, Y, omega, lambdas, *options)
        self.selection_path_, self.intercept_, self.coef_, unfinished = path
        self.lambdas_ = lambdas[: len(self.selection_path_)]
        self._warn_of(unfinished)
        # The multinomial loss leaves the mean over classes open.
        apart = self.coef_ - self.coef_.mean(axis=0) if len(Y) > 1 else self.coef_
        sizes = np.sqrt((apart**2).sum(axis=0))
        return importances_by_entry(self.selection_path_, self.lambdas_, top, sizes)

    def _weakened(self, Z: Array) -> Array:
        if self.weakness < 1.0:
            draws = check_random_state(self.random_state).uniform(size=len(Z))
            Z[draws < 0.5] *= self.weakness  # a smaller feature needs a larger coefficient
        return Z

    def _warn_of(self, unfinished: int) -> None:
        if unfinished:
            warnings.warn(
                f"at {unfinished} of {len(self.lambdas_)} penalties the solution is not as exact "
                f"as tol={self.tol:g}; raise tol or lambda_min_ratio.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _grid(self, top: float) -> Array:
        if self.lambdas is None:
            return top * np.geomspace(1.0, self.lambda_min_ratio, self.n_lambdas)
        given = np.asarray(self.lambdas, dtype=np.float64)
        falls = given.ndim == 1 and given.size and np.isfinite(given).all() and (given > 0).all()
        if not falls or (given[1:] > given[:-1] * (1 - LEAST_FALL)).any():
            raise ValueError(
                f"lambdas={self.lambdas!r} must be positive numbers, each less than the one before."
            )
        return given


@dataclass(eq=False, repr=False)
class LassoPath(ElasticNetRanker):
    """Order of entry on the path of a regression with the lasso's penalty [Tibshirani 1996].

    It is :class:`ElasticNetRanker` with ``l1_ratio=1``, which rarely ranks more features than there
    are rows.

    Parameters
    ----------
    n_lambdas, lambda_min_ratio, lambdas, weakness, tol, n_features_to_select, random_state
        As in :class:`ElasticNetRanker`.

    Examples
    --------
    >>> from backstay.datasets import make_han_yu
    >>> from backstay.feature_weighting import LassoPath
    >>> X, y, relevance = make_han_yu(n_samples=60, n_features=100, random_state=0)
    >>> ranker = LassoPath().fit(X, y)
    >>> ranker.n_ranked_, int(ranker.ranking_.argmin())
    (26, 1)
    """

    l1_ratio: float = field(default=1.0, init=False)
