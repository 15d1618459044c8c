"""Simba and its instance-weighted variants [Prat 2.4.2, 8.3, 9.1, 9.3-9.5; PB 3]."""

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from backstay._kernels._distances import pad
from backstay._kernels._simba import adaptive_ascent, stochastic_ascent
from backstay._metric import whiten
from backstay._scaling import Scaling
from backstay._validation import (
    NOT_NEGATIVE,
    POSITIVE,
    StrOptions,
    check_random_state,
    param,
    positive_int,
)
from backstay.base import Array, FeatureRanker, Indices, warn_single_members
from backstay.feature_weighting._double_relief import progress
from backstay.feature_weighting._simba_ascent import NEWTON_FEATURES, ascend


def whiten_class(rows: Any) -> Array:
    """Multiply a class's rows by the inverse root of their own covariance [Prat 9.1]."""
    rows = np.asarray(rows, dtype=np.float64)
    return whiten(rows, rows - rows.mean(axis=0)) if len(rows) > 1 else rows


def relative_squares(w: Array) -> Array:
    """w²/max w², or zeros."""
    squared = w**2
    top = squared.max()
    return squared / top if top > 0 else squared


def drawing_chances(omega: Array) -> Array | None:
    """Probabilities ∝ ω; None for equal weights, so that they draw as no weights do."""
    return None if (omega == omega[0]).all() else omega / omega.sum()


@dataclass(eq=False, repr=False)
class Simba(FeatureRanker):
    """Simba: ascend the sum of hypothesis margins in the space of feature weights.

    Visits instances; at each, steps along the gradient of its margin under
    ‖z‖_w = √Σ w_j² z_j². The nearest hit and miss are sought under the current
    w, so that features share the credit for what they say jointly.

    Parameters
    ----------
    strategy : {"normal", "sample", "order", "tournament"}, default="normal"
        Visiting order: a random permutation; n draws with probability ∝ ω;
        decreasing ω; or the best ω of √n uniform draws, n times.
    delta : bool, default=False
        Multiply each step by the instance's ω. The mass of ω then acts as the
        step size: weights summing to 1, as published, take steps n times smaller.
    utility : {"linear", "sigmoid"}, default="linear"
        How a margin counts.
    beta : float, default=1.0
        Steepness of the sigmoid.
    n_epochs : int, default=1
        Passes over the rows.
    solver : {"stochastic", "batch", "newton"}, default="stochastic"
        One step per visit, as published; or ascent on the whole sum
        e(w) = Σ u(θ) under max w² = 1 until it stops rising [Prat 9.4]: along its gradient, or by
        Newton's step with the absolute curvatures, for up to 2000 features.
    learning_rate : float or "adaptive", default=1.0
        Length λ of the stochastic solver's steps, as a multiple of the gradient; 1 as published.
        "adaptive" halves it until the margin of the visited row rises, and doubles it after that.
    progressive : bool, default=False
        Let the weights enter the norm little by little, as in pdReliefF [Prat 9.5].
    whiten : bool, default=False
        Whiten each class by its covariance first [Prat 9.1].
    max_iter, tol : int, default=100, and float, default=1e-6
        Most steps of the batch and Newton solvers, which stop when e(w) rises by less.
    scaling : {"minmax", "standard"} or None, default="minmax"
        Scale features by the training rows' range or standard deviation first.
    n_features_to_select, random_state
        As in :class:`FeatureRanker`.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        w²/max w².
    n_iter_ : int
        Visits, or steps of the batch or Newton solver.

    Examples
    --------
    >>> from backstay import Simba
    >>> from backstay.datasets import make_xor
    >>> X, y, relevance = make_xor(n_samples=300, random_state=0)
    >>> Simba(n_features_to_select=3, random_state=0).fit(X, y).get_support(indices=True)
    array([0, 1, 2])
    """

    _: KW_ONLY
    strategy: str = param("normal", StrOptions({"normal", "sample", "order", "tournament"}))
    delta: bool = param(False, "boolean")
    utility: str = param("linear", StrOptions({"linear", "sigmoid"}))
    beta: float = param(1.0, POSITIVE)
    n_epochs: int = param(1, positive_int())
    solver: str = param("stochastic", StrOptions({"stochastic", "batch", "newton"}))
    learning_rate: float | str = param(1.0, StrOptions({"adaptive"}), POSITIVE)
    progressive: bool = param(False, "boolean")
    whiten: bool = param(False, "boolean")
    max_iter: int = param(100, positive_int())
    tol: float = param(1e-6, NOT_NEGATIVE)
    scaling: str | None = param("minmax", *Scaling.OPTIONS)
    random_state: Any = None

    instead: ClassVar = {"numbers": "RReliefF", "survival": "OnResiduals(RReliefF())"}

    def _score(self, X: Any, y: Indices, sample_weight: Array | None) -> Array:
        self._check_combination(sample_weight, X.shape[1])
        warn_single_members(self.classes_, y)
        d = X.shape[1]
        X = self._padded_rows(X, y)
        omega = np.ones(len(y)) if sample_weight is None else sample_weight
        steps = omega if self.delta else np.ones(len(y))
        if self.solver == "stochastic":
            visits = self._visits(omega)
            w = np.ones(d)
            self._climb(X, y, visits, steps, self._blends(len(visits)), w, 1.0)
            self.n_iter_ = len(visits)
        else:
            beta, newton = self._steepness(), self.solver == "newton"
            w, self.n_iter_ = ascend(X, y, steps, beta, d, self.max_iter, self.tol, newton)
        return relative_squares(w)

    def _steepness(self) -> float:
        """Return the sigmoid's beta; 0 stands for the linear utility."""
        return self.beta if self.utility == "sigmoid" else 0.0

    def _climb(
        self,
        X: Any,
        y: Indices,
        visits: Indices,
        steps: Array,
        blends: Array,
        w: Array,
        rate: float,
    ) -> float:
        """Step at every visit, changing w; return the rate that an adaptive one ends with."""
        beta = self._steepness()
        if self.learning_rate == "adaptive":
            return float(adaptive_ascent(X, y, visits, steps, beta, w, rate))
        stochastic_ascent(X, y, visits, float(self.learning_rate) * steps, blends, beta, w)
        return rate

    def _padded_rows(self, X: Any, y: Indices) -> Any:
        """Rows scaled, whitened class by class if wanted, and padded for the kernels."""
        X = Scaling(X, self.scaling)(X)
        if self.whiten:
            whitened = np.empty(X.shape)
            for c in range(len(self.classes_)):
                whitened[y == c] = whiten_class(X[y == c])
            X = whitened
        return pad(X)

    def _blends(self, n_visits: int) -> Array:
        """How far the weights enter the norm at every visit; −1 is wholly."""
        elapsed = np.arange(n_visits) / n_visits
        return progress(elapsed) if self.progressive else np.full(n_visits, -1.0)

    def _check_combination(self, sample_weight: Array | None, n_features: int) -> None:
        visited = self.strategy != "normal" or self.progressive or self.learning_rate != 1.0
        if self.solver != "stochastic" and visited:
            raise ValueError(
                f"solver={self.solver!r} visits no instances one by one, so "
                f"strategy={self.strategy!r}, progressive={self.progressive!r} and "
                f"learning_rate={self.learning_rate!r} have no meaning; "
                "use strategy='normal', progressive=False and learning_rate=1.0."
            )
        if self.solver == "newton" and n_features > NEWTON_FEATURES:
            raise ValueError(
                f"solver='newton' needs the curvature between all {n_features} features; it is "
                f"done for up to {NEWTON_FEATURES}. Use solver='batch'."
            )
        if self.learning_rate == "adaptive" and self.progressive:
            raise ValueError(
                "learning_rate='adaptive' compares margins under the weights themselves; "
                "use progressive=False with it."
            )
        ignored = self.strategy == "normal" and not self.delta
        if ignored and sample_weight is not None and (sample_weight != sample_weight[0]).any():
            warnings.warn(
                "sample_weight has no effect on Simba with strategy='normal' and delta=False; "
                "choose another strategy or delta=True.",
                UserWarning,
                stacklevel=5,
            )

    def _visits(self, omega: Array) -> Indices:
        rng = check_random_state(self.random_state)
        n = len(omega)
        epochs = []
        for _ in range(self.n_epochs):
            if self.strategy == "normal":
                visits = rng.permutation(n)
            elif self.strategy == "order":
                visits = np.argsort(-omega, kind="stable")
            elif self.strategy == "sample":
                visits = rng.choice(n, size=n, p=drawing_chances(omega))
            else:
                draws = rng.randint(n, size=(n, max(1, int(np.sqrt(n)))))
                visits = draws[np.arange(n), np.argmax(omega[draws], axis=1)]
            epochs.append(visits)
        return np.concatenate(epochs).astype(np.intp)
