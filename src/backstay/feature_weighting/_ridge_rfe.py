"""Recursive elimination by ridge regression, for an outcome that is a number."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lstsq

from backstay._kernels._svm import move_behind
from backstay._scaling import Scaling
from backstay._validation import POSITIVE, param
from backstay.base import Array, one_thread
from backstay.feature_weighting._elimination import EliminationRanker, run_rounds
from backstay.feature_weighting._rows import counted_numbers
from backstay.feature_weighting._svm_elimination import TRACE_FALL, add_row_products


def solved(gram: Array, alpha: float, right: Array) -> Array:
    """Solve (gram + α) v = right; of a matrix singular up to rounding, the smallest solution."""
    shifted = gram.copy()
    shifted.flat[:: len(gram) + 1] += alpha
    try:
        factor = cho_factor(shifted, check_finite=False)
        return np.asarray(cho_solve(factor, right, check_finite=False))
    except LinAlgError:
        return np.asarray(lstsq(shifted, right, check_finite=False)[0])


class RidgeMachine:
    """Ridge regression on the remaining features.

    While these are more than the rows it solves for duals, w = Zᵀ(ZZᵀ + α)⁻¹y, later for w itself.
    """

    n_steps = 1

    def __init__(self, rows: Array, y: Array, alpha: float) -> None:
        self.rows, self.y, self.alpha = rows, y, alpha
        self.remaining = rows.shape[1]
        self.features = np.arange(self.remaining)
        self.gram: Array | None = None
        self._multiply()

    def weights(self) -> Array:
        """Return |w_j| of the remaining features."""
        if self.gram is not None:
            return np.abs(solved(self.gram, self.alpha, self.y) @ self.rows[:, : self.remaining])
        now = self.place[self.features[: self.remaining]]
        return np.abs(solved(self.products[np.ix_(now, now)], self.alpha, self.right[now]))

    def drop(self, dropped: NDArray[np.bool_]) -> None:
        """Take the marked ones of the remaining features out."""
        before = self.remaining
        self.remaining -= np.count_nonzero(dropped)
        move_behind(self.rows, self.features, dropped, self.remaining)
        if self.gram is None:
            return
        if self.remaining >= len(self.rows) and before < 2 * self.remaining:
            add_row_products(self.rows, self.remaining, before, -1.0, self.gram)
            if np.trace(self.gram) * TRACE_FALL > self.trace:
                return
        self._multiply()

    def _multiply(self) -> None:
        """Multiply rows with rows, or features with features where these are fewer."""
        n, d = len(self.rows), self.remaining
        if d < n:
            some = self.rows[:, :d]
            self.place = np.empty(self.rows.shape[1], dtype=np.intp)
            self.place[self.features[:d]] = np.arange(d)
            self.products, self.right, self.gram = some.T @ some, self.y @ some, None
            return
        self.gram = np.zeros((n, n))
        add_row_products(self.rows, 0, d, 1.0, self.gram)
        self.trace = np.trace(self.gram)


@dataclass(eq=False, repr=False)
class RidgeRFE(EliminationRanker):
    """Recursive elimination by ridge regression: drop the smallest coefficients, fit again.

    For an outcome that is a number. A ridge regression is fitted on the remaining features, those
    with the smallest |w_j| are dropped, and so on down to one feature. The ranking is the reverse
    order of elimination; inside a round, by |w_j| [Guyon et al. 2002].

    Parameters
    ----------
    alpha : float, default=1.0
        Penalty on the squares of the coefficients, as in :class:`sklearn.linear_model.Ridge`. The
        larger it is, the more alike are the coefficients of correlated features, and the more
        stable is the ranking.
    scaling : {"minmax", "standard"} or None, default="standard"
        Scale features by the training rows' range or standard deviation first.
    step, rounding, record_path, n_features_to_select
        As in :class:`SVMRFE`, and so are the attributes.

    Notes
    -----
    ``sample_weight`` ω multiplies the squared error of a row. Its mass matters: weights that sum
    to 1 make the regression n times more regularised than weights of mean 1.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from backstay.feature_weighting import RidgeRFE
    >>> X, y = load_diabetes(return_X_y=True)
    >>> RidgeRFE(n_features_to_select=3).fit(X, y).get_support(indices=True)
    array([2, 4, 8])
    """

    alpha: float = param(1.0, POSITIVE)
    _: KW_ONLY
    scaling: str | None = param("standard", *Scaling.OPTIONS)

    outcomes = ("numbers",)
    instead: ClassVar = {"classes": "SVMRFE"}

    def _score(self, X: Any, y: Array, sample_weight: Array | None) -> Array:
        rows, y, _ = counted_numbers(y, sample_weight, type(self).__name__)
        omega = np.ones(len(y)) if sample_weight is None else sample_weight[rows]
        X = np.asarray(X[rows], dtype=np.float64)
        Z = Scaling(X, self.scaling)(X)
        centre = omega / omega.sum()
        root = np.sqrt(omega)
        Z = (Z - centre @ Z) * root[:, None]
        with one_thread():
            machine = RidgeMachine(Z, (y - centre @ y) * root, float(self.alpha))
            course = run_rounds(machine, self.step, self.rounding, self.record_path)
        return self._importances(course)
