"""Nearest shrunken centroids, which rank features and classify by them [Tibshirani et al. 2002]."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.base import ClassifierMixin

from backstay._scaling import column_ends, divided, table_exponent
from backstay._validation import (
    NOT_NEGATIVE,
    StrOptions,
    check_is_fitted,
    param,
    validate_rows,
)
from backstay.base import Array, FeatureRanker, Indices
from backstay.feature_weighting._effect import standardised_effects
from backstay.feature_weighting._moments import Moments, class_moments
from backstay.feature_weighting._rows import Fold, counted_rows, inner_folds

N_THRESHOLDS = 30  # that cross-validation tries, as pamr does


class Centroids(NamedTuple):
    """What is known of the classes before anything is shrunken."""

    effects: Array  # d_ck, (C, d); infinite where a feature is constant in every class
    size: Array  # m_c, (C,)
    deviation: Array  # s_k + s₀, (d,), positive
    differences: Array  # class means less the mean, (C, d)
    mean: Array  # (d,)

    def contrasts(self, threshold: float) -> Array:
        """Return the shrunken class means less the mean, in deviations.

        An infinite effect survives every threshold whole.
        """
        shrunken = np.sign(self.effects) * np.maximum(np.abs(self.effects) - threshold, 0.0)
        whole = self.differences / self.deviation
        return np.where(np.isfinite(shrunken), self.size[:, None] * shrunken, whole)


def centroids_of(X: Array, y: Indices, omega: Array) -> Centroids:
    """Measure the classes 0..C-1, all of which have rows."""
    moments = class_moments(X, y, omega, 0)
    effects, deviation = standardised_effects(moments)
    return Centroids(
        effects,
        np.sqrt(1 / moments.mass - 1 / moments.mass.sum()),
        _positive(deviation, moments),
        moments.means - moments.mean(),
        moments.mean() + X[0],  # moments are about the first row
    )


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


def discriminant_scores(rows: Array, contrasts: Array, log_prior: Array) -> Array:
    """Return −δ_c/2 + ½ Σ rows², which orders the classes as −δ_c does.

    δ_c = Σ ((x_k − x̄'_ck)/(s_k + s₀))² − 2 log π_c [eq. 6]. `rows` are less the mean, in
    deviations; their own squares are the same for every class.
    """
    return np.asarray(rows @ contrasts.T - 0.5 * (contrasts**2).sum(axis=1) + log_prior)


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
    threshold : float, "cv" or None, default=None
        Δ of the classifier. "cv" takes the Δ with the fewest errors in cross-validation, the
        largest of those that tie, out of 30 between 0 and the largest importance. None shrinks
        nothing. The ranking does not depend on it.
    priors : {"empirical", "uniform"} or array-like of shape (n_classes,), default="empirical"
        How frequent the classes are expected to be: as in the training rows, equally, or as given.
    cv : int, splitter or iterable of splits, default=10
        Folds of ``threshold="cv"``. A number of stratified folds is less if a class has fewer rows.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps; None keeps those that survive the threshold, or
        half of all without one.
    random_state : int, RandomState instance or None, default=None
        Draws the folds.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Largest threshold that a feature survives; infinite where only the deviation is 0.
    effects_ : ndarray of shape (n_classes, n_features)
        d_ck, not shrunken. Classes without weight have 0.
    threshold_ : float
        Δ in use.
    thresholds_, cv_errors_ : ndarray of shape (30,)
        With "cv": the thresholds tried and their shares of errors.
    coef_ : ndarray of shape (n_classes, n_features)
        Of the linear decision; of two classes only (1, n_features), the second against the first.
    intercept_ : ndarray of shape (n_classes,) or (1,)
        Of the linear decision.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    See Also
    --------
    EffectRanker : The same ranking, with other powers of the deviation.
    sklearn.neighbors.NearestCentroid : The same effects and centroids, but other distances.

    Notes
    -----
    The paper prints m_c = √(1/n_c + 1/n). The standard deviation of the difference is with a minus,
    as the mean of all rows holds the class itself; so compute the authors' program pamr, their book
    and scikit-learn, and so does this. For two classes, the ranking is that of
    ``TTest(moderation="shrunken")``.

    Distances are divided by s_k + s₀, as published. scikit-learn's ``NearestCentroid`` divides
    them by s_k in ``predict_proba``, and by nothing in ``predict`` with equal priors.

    ``sample_weight`` makes a row count for ω rows.

    References
    ----------
    Tibshirani, Hastie, Narasimhan and Chu (2002), PNAS 99: 6567. The same (2003), Statistical
    Science 18: 104. Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning,
    section 18.2.

    Examples
    --------
    >>> from backstay.datasets import make_han_yu
    >>> from backstay.feature_weighting import NearestShrunkenCentroids
    >>> X, y, relevance = make_han_yu(n_samples=60, n_features=100, random_state=0)
    >>> pam = NearestShrunkenCentroids(threshold=1.5).fit(X[:40], y[:40])
    >>> pam.transform(X).shape, pam.score(X[40:], y[40:])
    ((60, 39), 0.8)
    """

    threshold: float | str | None = param(None, StrOptions({"cv"}), NOT_NEGATIVE)
    _: KW_ONLY
    priors: Any = param("empirical", StrOptions({"empirical", "uniform"}), "array-like")
    cv: Any = param(10, "cv_object")
    random_state: Any = None

    instead: ClassVar = {"numbers": "SlopeTest", "survival": "CoxScore"}

    def _score(self, X: Any, y: Indices, sample_weight: Array | None) -> Array:
        rows, codes, omega = counted_rows(y, sample_weight, self.classes_, type(self).__name__)
        present = np.unique(y[rows])
        mass = np.bincount(y[rows], omega, len(self.classes_)).astype(np.float64)
        log_prior = self._log_prior(mass)
        self._exponent = table_exponent(*column_ends(X))
        X = divided(X[rows].astype(np.float64), self._exponent)
        centroids = centroids_of(X, codes, omega)
        importances = np.asarray(np.abs(centroids.effects).max(axis=0))
        if self.threshold == "cv":
            folds = inner_folds(self.cv, y, sample_weight, self.classes_, self.random_state)
            places = np.cumsum(np.ones(len(y)) if sample_weight is None else sample_weight > 0) - 1
            folds = [(places[a].astype(np.intp), places[b].astype(np.intp)) for a, b in folds]
            self.threshold_ = self._by_folds(
                X, codes, omega, folds, log_prior[present], importances
            )
        else:
            self.threshold_ = float(self.threshold or 0.0)
        self.effects_ = np.zeros((len(self.classes_), X.shape[1]))
        self.effects_[present] = centroids.effects
        self._contrasts = np.zeros_like(self.effects_)
        self._contrasts[present] = centroids.contrasts(self.threshold_)
        self._mean, self._deviation = centroids.mean, centroids.deviation
        self._log_prior_ = log_prior
        self._n_surviving = int((importances > self.threshold_).sum())
        # The decision in the unit of the features.
        coef = self._contrasts / self._deviation
        intercept = log_prior - 0.5 * (self._contrasts**2).sum(axis=1) - coef @ self._mean
        coef = divided(coef, self._exponent)
        if len(self.classes_) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = coef, intercept
        return importances

    def _log_prior(self, mass: Array) -> Array:
        """Return the logarithms of the priors; a class without rows is never predicted."""
        if isinstance(self.priors, str):
            prior = mass if self.priors == "empirical" else np.ones(len(mass))
        else:
            prior = np.asarray(self.priors, dtype=np.float64)
            if prior.shape != mass.shape or not (prior >= 0).all() or not 0 < prior.sum() < np.inf:
                raise ValueError(
                    f"priors={self.priors!r} must be {len(mass)} numbers, one per class, of 0 or "
                    "more and not all 0."
                )
        prior = np.where(mass > 0.0, prior, 0.0)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(prior / prior.sum()))

    def _by_folds(
        self,
        X: Array,
        y: Indices,
        omega: Array,
        folds: list[Fold],
        log_prior: Array,
        importances: Array,
    ) -> float:
        """Return the largest of the thresholds with the fewest errors on rows left out."""
        largest = np.max(importances, initial=0.0, where=np.isfinite(importances))
        self.thresholds_ = np.linspace(0.0, largest, N_THRESHOLDS)
        errors = np.zeros(N_THRESHOLDS)
        for train, test in folds:
            fold = centroids_of(X[train], y[train], omega[train])
            rows = (X[test] - fold.mean) / fold.deviation
            for i, threshold in enumerate(self.thresholds_):
                scores = discriminant_scores(rows, fold.contrasts(threshold), log_prior)
                errors[i] += omega[test] @ (scores.argmax(axis=1) != y[test])
        self.cv_errors_ = errors / omega.sum()
        # Sums of weights in another order differ in their last digits.
        best = np.flatnonzero(errors <= errors.min() + 1e-9 * omega.sum())
        return float(self.thresholds_[best[-1]])

    def _n_kept(self, n_selected: int) -> int:
        given = self.n_features_to_select is not None or self.threshold is None
        return n_selected if given else self._n_surviving

    def _class_scores(self, X: Any) -> Array:
        check_is_fitted(self)
        rows = divided(validate_rows(self, X).astype(np.float64), self._exponent)
        rows = (rows - self._mean) / self._deviation
        return discriminant_scores(rows, self._contrasts, self._log_prior_)

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
