"""The model of times until an event, and what is kept of what a model says of a row.

Outputs have four columns (`COLUMNS`):

0. risk: the linear predictor, 0 for the mean training row; higher means an earlier event;
1. survival: the chance to have no event up to the horizon;
2. training survival: the same of all training rows together, by Kaplan and Meier;
3. group: 0, 1 or 2, the third of the *training* rows' risks that the row falls into.

Of a model that is no :class:`CoxRidge`, only the risk is known: its survival is that of the
training rows, and its group is nan.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from backstay._kernels._cox import baseline_hazard, cox_ridge
from backstay._kernels._survival import kaplan_meier
from backstay._validation import (
    POSITIVE,
    Parameters,
    as_survival,
    check_is_fitted,
    check_outcome,
    fit_context,
    param,
    validate_rows,
    validate_X_y,
)
from backstay.targets._number_models import after_scaling, by_training_rows
from backstay.targets._target import Floats, Shortcut

COLUMNS = ("risk", "survival", "training_survival", "group")
# Risks of training rows are cut into thirds.
CUTS = (1 / 3, 2 / 3)


@dataclass(eq=False, repr=False)
class CoxRidge(Parameters, BaseEstimator):
    """Cox regression with a ridge penalty.

    It minimises −log PL + penalty · Σ β²/2, with Breslow's likelihood where times are tied. On
    features of deviation 1 the penalty is a prior: log hazard ratios per standard deviation are
    around 0 with variance 1/penalty. With as large a penalty as there are features, the risks of
    independent features together have variance 1, however many there are. A penalty of 1 lets them
    grow with the number of features, and was measured to rank rows worse (docs/which-method.md).

    Parameters
    ----------
    penalty : float, default=None
        Above 0; None is the number of features.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Log hazard ratios.
    offset_ : float
        What the mean training row has as risk before it is subtracted.
    times_, hazard_ : ndarray
        Times of the training rows' events, and the cumulative hazard of a row of risk 0 there.
    cuts_ : ndarray of shape (2,)
        Thirds of the training rows' risks.

    Examples
    --------
    >>> import numpy as np
    >>> from backstay.targets import CoxRidge, survival
    >>> X = np.array([[2.0], [1.0], [0.5], [-1.0], [-2.0]])
    >>> model = CoxRidge().fit(X, survival([1, 2, 4, 5, 9], [1, 1, 1, 0, 1]))
    >>> model.predict(X).round(2)
    array([ 2.18,  1.03,  0.46, -1.26, -2.41])
    >>> model.predict_survival(X, 3).round(2)
    array([0.08, 0.45, 0.64, 0.92, 0.97])
    """

    # Hazards beyond e to this power make no difference.
    largest_risk: ClassVar[float] = 50.0

    penalty: float | None = param(None, POSITIVE, None)

    outcomes = ("survival",)

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit the model to times until an event, as :func:`survival` makes them."""
        X, known = validate_X_y(self, X, y)
        return self._fitted(np.asarray(X, dtype=np.float64), self._encoded(known))

    def _encoded(self, y: NDArray[Any]) -> NDArray[Any]:
        check_outcome(self, y)
        return as_survival(self, y)

    def _fitted(self, X: Floats, y: NDArray[Any]) -> Self:
        """Fit to arrays that are in order."""
        time, event, one = y["time"], y["event"], np.ones(len(y))
        penalty = float(X.shape[1]) if self.penalty is None else self.penalty
        self.coef_ = cox_ridge(X, time, event, one, penalty, np.ones(X.shape[1]))
        self.offset_ = float(X.mean(axis=0) @ self.coef_)
        risk = self._risk(X)
        self.times_, self.hazard_ = baseline_hazard(time, event, risk, one)
        self.cuts_ = np.quantile(risk, CUTS)
        return self

    def _risk(self, X: Floats) -> Floats:
        return np.clip(X @ self.coef_ - self.offset_, -self.largest_risk, self.largest_risk)

    def predict(self, X: Any) -> Floats:
        """Return the risk of rows: the log of the hazard ratio to the mean training row."""
        check_is_fitted(self)
        return self._risk(validate_rows(self, X))

    def predict_survival(self, X: Any, time: float) -> Floats:
        """Return the chance of rows to have no event up to a time."""
        return self._survival(self.predict(X), time)

    def _survival(self, risk: Floats, time: float) -> Floats:
        passed = np.searchsorted(self.times_, time, side="right")
        return np.exp(-np.exp(risk) * (self.hazard_[passed - 1] if passed else 0.0))


def survival_outputs(model: Any, X: Any, learned: NDArray[Any], horizon: float) -> Floats:
    """Return what a fitted model says of rows: row × column."""
    risk = np.asarray(model.predict(X), dtype=np.float64).ravel()
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    return _outputs(last if isinstance(last, CoxRidge) else None, risk, learned, horizon)


def _outputs(cox: CoxRidge | None, risk: Floats, learned: NDArray[Any], horizon: float) -> Floats:
    """Return the columns of outputs from risks, the model and its training rows."""
    usual = np.full(len(risk), survival_at(learned, horizon))
    if cox is None:
        return np.column_stack([risk, usual, usual, np.full(len(risk), np.nan)])
    group = np.searchsorted(cox.cuts_, risk)
    return np.column_stack([risk, cox._survival(risk, horizon), usual, group])


def survival_at(y: NDArray[Any], at: float) -> float:
    """Return Kaplan and Meier's share of rows without an event up to a time."""
    times, share, _, _ = kaplan_meier(y["time"], y["event"])
    passed = np.searchsorted(times, at, side="right")
    return float(share[passed - 1]) if passed else 1.0


def shortcut_of(model: Any, horizon: float) -> Shortcut | None:
    """Return the direct way to the outputs of a pipeline like the default one."""
    last = after_scaling(model)
    return partial(_direct, last.penalty, horizon) if type(last) is CoxRidge else None


def _direct(
    penalty: float | None, horizon: float, train: Floats, y: NDArray[Any], test: Floats
) -> Floats:
    """Standardize both sides by the training rows, fit, and return the outputs."""
    train, test = by_training_rows(train, test)
    cox = CoxRidge(penalty)._fitted(train, y)
    return _outputs(cox, cox._risk(test), y, horizon)
