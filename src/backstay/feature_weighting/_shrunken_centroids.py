"""Nearest shrunken centroids, which rank features and classify by them [Tibshirani et al. 2002]."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.base import ClassifierMixin

from backstay._validation import NOT_NEGATIVE, check_is_fitted, param, validate_rows
from backstay.base import Array, FeatureRanker, Indices
from backstay.feature_weighting._effect import standardised_effects
from backstay.feature_weighting._moments import Moments, class_moments
from backstay.feature_weighting._rows import counted_rows


def _positive(deviation: Array, moments: Moments) -> Array:
    """Return the deviations by which distances are divided.

    Where a deviation and the median are 0, the smallest positive one stands in, or the largest
    distance of class means where there is none.
    """
    positive = deviation[deviation > 0.0]
    if len(positive) == len(deviation):
        return deviation
    apart = float(np.ptp(moments.means, axis=0).max())
    least = float(positive.min()) if len(positive) else apart or 1.0
    return np.where(deviation > 0.0, deviation, least)


@dataclass(eq=False, repr=False)
class NearestShrunkenCentroids(ClassifierMixin, FeatureRanker):
    """Nearest shrunken centroids (PAM): a ranking, and a classifier on what is left of it.

    d_ck is the distance of the mean of class c from the mean of all rows in feature k, over
    m_c (s_k + s₀): the deviation s_k within classes, its median s₀ over the features, and
    m_c = √(1/n_c − 1/n). The classifier moves every d_ck towards 0 by a threshold Δ. A feature
    whose d_ck are all 0 then has no part in it. The importance of a feature is the Δ at which it
    drops out: the largest |d_ck|.

    Parameters
    ----------
    threshold : float or None, default=None
        Δ of the classifier; None shrinks nothing. The ranking does not depend on it.
        :class:`sklearn.model_selection.GridSearchCV` finds the one with the fewest errors.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps; None keeps those that survive the threshold, or
        half of all without one.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Largest threshold that a feature survives; infinite where only the deviation is 0.
    effects_ : ndarray of shape (n_classes, n_features)
        d_ck, not shrunken. Classes without weight have 0.
    coef_ : ndarray of shape (n_classes, n_features)
        Of the linear decision; of two classes only (1, n_features), the second against the first.
    intercept_ : ndarray of shape (n_classes,) or (1,)
        Of the linear decision.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    Notes
    -----
    The paper prints m_c = √(1/n_c + 1/n). The standard deviation of the difference is with a minus,
    as the mean of all rows holds the class itself; so compute the authors' program pamr, their book
    and scikit-learn, and so does this. For two classes, the ranking is that of
    ``TTest(moderation="shrunken")``.

    Distances are divided by s_k + s₀, as published. scikit-learn's ``NearestCentroid`` divides
    them by s_k in ``predict_proba``, and by nothing in ``predict`` with equal priors. Classes are
    expected as often as in the training rows; ``sample_weight`` makes a row count for ω rows.

    Examples
    --------
    >>> from backstay.datasets import make_han_yu
    >>> from backstay.feature_weighting import NearestShrunkenCentroids
    >>> X, y, relevance = make_han_yu(n_samples=60, n_features=100, random_state=0)
    >>> pam = NearestShrunkenCentroids(threshold=1.5).fit(X[:40], y[:40])
    >>> pam.transform(X).shape, pam.score(X[40:], y[40:])
    ((60, 39), 0.8)
    """

    threshold: float | None = param(None, NOT_NEGATIVE)

    instead: ClassVar = {"numbers": "SlopeTest", "survival": "CoxScore"}

    def _score(self, X: Any, y: Indices, sample_weight: Array | None) -> Array:
        rows, codes, omega = counted_rows(y, sample_weight, self.classes_, type(self).__name__)
        present = np.unique(y[rows])
        X = X[rows].astype(np.float64)
        moments = class_moments(X, codes, omega)
        effects, deviation = standardised_effects(moments)
        self._deviation = _positive(deviation, moments)
        self._mean = moments.mean() + X[0]  # moments are about the first row
        self.effects_ = np.zeros((len(self.classes_), X.shape[1]))
        self.effects_[present] = effects
        self._contrasts = np.zeros_like(self.effects_)
        self._contrasts[present] = self._shrunken(effects, moments)
        mass = np.bincount(y[rows], omega, len(self.classes_)).astype(np.float64)
        with np.errstate(divide="ignore"):  # a class without rows is never predicted
            self._log_prior = np.log(mass / mass.sum())
        # The decision in the unit of the features.
        coef = self._contrasts / self._deviation
        intercept = self._log_prior - 0.5 * (self._contrasts**2).sum(axis=1) - coef @ self._mean
        if len(self.classes_) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = coef, intercept
        return np.asarray(np.abs(effects).max(axis=0))

    def _shrunken(self, effects: Array, moments: Moments) -> Array:
        """Return the shrunken class means less the mean, in deviations.

        An infinite effect, of a feature that is constant in every class, survives whole.
        """
        shrunken = np.sign(effects) * np.maximum(np.abs(effects) - (self.threshold or 0.0), 0.0)
        whole = (moments.means - moments.mean()) / self._deviation
        size = np.sqrt(1 / moments.mass - 1 / moments.mass.sum())
        return np.where(np.isfinite(shrunken), size[:, None] * shrunken, whole)

    def _n_kept(self, n_selected: int) -> int:
        if self.n_features_to_select is not None or self.threshold is None:
            return n_selected
        return int((self.feature_importances_ > self.threshold).sum())

    def _class_scores(self, X: Any) -> Array:
        """Return −δ_c/2 + ½ Σ rows², which orders the classes as −δ_c does.

        δ_c = Σ ((x_k − x̄'_ck)/(s_k + s₀))² − 2 log π_c [eq. 6].
        """
        check_is_fitted(self)
        rows = (validate_rows(self, X).astype(np.float64) - self._mean) / self._deviation
        squares = (self._contrasts**2).sum(axis=1)
        return np.asarray(rows @ self._contrasts.T - 0.5 * squares + self._log_prior)

    def decision_function(self, X: ArrayLike) -> Array:
        """Return −δ/2 by class, up to a constant; of two, the second's less the first's."""
        scores = self._class_scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the probabilities of the classes, as if features were independent and normal."""
        return np.asarray(softmax(self._class_scores(X), axis=1))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of the nearest shrunken centroid; the first of those that tie."""
        scores = self._class_scores(X)  # before anything of the fit is asked for
        return self.classes_[scores.argmax(axis=1)]
