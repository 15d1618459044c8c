"""Joint weighting: instances given features, features given instances, in turn [Prat 9.3]."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from backstay._metric import without_scaling
from backstay._validation import NOT_NEGATIVE, has_fit_parameter, param, positive_int
from backstay.base import (
    Array,
    Indices,
    InstanceWeighter,
    distance_weights,
    importances_of,
    outcomes_of,
)


@dataclass(eq=False, repr=False)
class JointWeighting(InstanceWeighter):
    """Alternate instance weights and feature weights until both settle.

    Each round computes ω from distances that use the current feature weights
    w, ‖z‖_w = √Σ w_j² z_j², then w from the estimator under ω.

    Parameters
    ----------
    estimator : FeatureRanker or scikit-learn estimator
        Gives w; its ``fit`` must take ``sample_weight``.
    weighting : InstanceWeighter
        Gives ω; its scaling and whitening are applied before the feature weights.
    max_iter : int, default=10
        Most rounds.
    tol : float, default=1e-3
        Stop once no ω (of mean 1) and no w (of maximum 1) changes by more.
    scale : {"mean", "sum"}, default="mean"
        Weights of mean 1, or summing to 1.

    Attributes
    ----------
    sample_weight_ : ndarray of shape (n_samples,)
        The weights ω of the last round.
    feature_weights_ : ndarray of shape (n_features,)
        The feature weights w of the last round, largest 1.
    n_iter_ : int
        Rounds done.
    converged_ : bool
        Whether both settled within `tol`; a stochastic estimator may never.

    Examples
    --------
    >>> from backstay import JointWeighting, LogisticWeighting, ReliefF
    >>> from backstay.datasets import make_xor
    >>> X, y, relevance = make_xor(n_samples=100, random_state=0)
    >>> joint = JointWeighting(ReliefF(), LogisticWeighting(n_neighbors=1)).fit(X, y)
    >>> joint.sample_weight_.shape, joint.feature_weights_.shape
    ((100,), (10,))
    """

    estimator: Any
    weighting: Any
    _: KW_ONLY
    max_iter: int = param(10, positive_int())
    tol: float = param(1e-3, NOT_NEGATIVE)

    @property
    def outcomes(self) -> tuple[str, ...]:  # type: ignore[override]
        """Kinds of outcome that both the estimator and the weighting take."""
        return outcomes_of(self.estimator, self.weighting)

    def _weigh(self, X: Any, y: Indices) -> Array:
        if not has_fit_parameter(self.estimator, "sample_weight"):
            raise ValueError(
                "JointWeighting needs an estimator whose fit takes sample_weight; "
                f"{type(self.estimator).__name__} does not."
            )
        weighting, scaled = without_scaling(self.weighting, X, y)
        w = np.ones(X.shape[1])
        omega = np.ones(len(y))
        self.converged_ = False
        self.n_iter_ = 0
        while self.n_iter_ < self.max_iter and not self.converged_:
            self.n_iter_ += 1
            new_omega = weighting.fit_weight(scaled * w, y)
            estimator = clone(self.estimator).fit(X, y, sample_weight=new_omega)
            new_w = distance_weights(importances_of(estimator))
            relative = new_omega / new_omega.mean()
            moved = max(np.abs(relative - omega).max(), np.abs(new_w - w).max())
            omega, w = relative, new_w
            self.converged_ = bool(moved <= self.tol)
        self.feature_weights_ = w
        return omega
