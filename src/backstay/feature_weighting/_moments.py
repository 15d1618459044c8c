"""Filters that compare the classes' means with the spread inside them [Prat 3.1]."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, fdtrc, polygamma

from backstay._partial import BLOCK_CELLS, partial_slopes, partial_squares
from backstay._validation import StrOptions, param
from backstay.base import Array, Indices
from backstay.feature_weighting._rows import counted_rows
from backstay.feature_weighting._significance import SHRUNKEN, SignificanceFilter, two_sided_t


class Moments(NamedTuple):
    """Of groups of rows: mass (g,), means and sums of squares about them (g, d)."""

    mass: Array
    means: Array
    squares: Array

    def mean(self) -> Array:
        """Return the mean over all groups, exactly theirs where they have the same."""
        same = (self.means == self.means[0]).all(axis=0)
        return np.where(same, self.means[0], self.mass @ self.means / self.mass.sum())

    def between(self) -> Array:
        """Return the sum of squares of the groups' means about the mean."""
        return self.mass @ (self.means - self.mean()) ** 2

    def merged(self) -> Moments:
        """Return all groups taken as one."""
        squares = self.squares.sum(axis=0) + self.between()
        return Moments(self.mass.sum()[None], self.mean()[None], squares[None])


def class_moments(X: NDArray[Any], y: Indices, omega: Array) -> Moments:
    """Weighted moments of every class; exact for a feature that is constant in a class."""
    X = X.astype(np.float64)
    X -= X[0]  # a constant feature becomes exactly 0
    parts = []
    for c in range(int(y.max()) + 1):
        rows, w = X[y == c], omega[y == c]
        mass = w.sum()
        mean = w @ rows / mass
        squares = w @ (rows - mean) ** 2
        # Sums this small may be rounding of a constant feature: compare the values themselves.
        suspects = np.flatnonzero(squares <= 1e-20 * mass * mean**2)
        constant = suspects[(rows[:, suspects] == rows[0, suspects]).all(axis=0)]
        mean[constant], squares[constant] = rows[0, constant], 0.0
        parts.append((mass, mean, squares))
    return Moments(*(np.array(part) for part in zip(*parts, strict=True)))


def quotient(numerator: Array, denominator: Array) -> Array:
    """Divide; 0/0 (no difference) is 0, and x/0 (no spread) is infinite."""
    out = np.where(numerator > 0.0, np.inf, 0.0)
    return np.divide(numerator, denominator, out=out, where=denominator > 0.0)


def inverse_trigamma(x: float) -> float:
    """Solve ψ'(z) = x > 0 by Newton's method on 1/ψ', which is convex [Smyth 2004]."""
    z = 0.5 + 1.0 / x
    for _ in range(100):
        trigamma = polygamma(1, z)
        step = trigamma * (1.0 - trigamma / x) / polygamma(2, z)
        z += step
        if -step < 1e-10 * z:
            break
    return float(z)


def prior_variance(variances: Array, df: float) -> tuple[float, float]:
    """Prior variance s₀² and its degrees of freedom d₀ [Smyth 2004, 6.2]; 0 with fewer than two."""
    positive = variances[variances > 0.0]
    if len(positive) < 2 or df <= 0.0:
        return 0.0, 0.0
    e = np.log(positive) - digamma(df / 2) + np.log(df / 2)
    excess = float(e.var(ddof=1) - polygamma(1, df / 2))
    if excess <= 0.0:
        return float(np.exp(e.mean())), np.inf
    half = inverse_trigamma(excess)
    return float(np.exp(e.mean() + digamma(half) - np.log(half))), 2.0 * half


def moderated_variances(variances: Array, df: float) -> tuple[Array, float]:
    """Posterior variances [Smyth 2004] and their degrees of freedom, capped as in limma."""
    prior, prior_df = prior_variance(variances, df)
    together = df * len(variances)
    if np.isinf(prior_df):
        return np.full_like(variances, prior), together
    if prior_df + df <= 0.0:
        return variances, 0.0
    moderated = (prior_df * prior + df * variances) / (prior_df + df)
    return moderated, min(prior_df + df, together)


def slope_sizes(
    slopes: Array, left: Array, squares: float, df: float, moderation: str | None
) -> tuple[Array, float]:
    """Return |t| of slopes, given squares left and squares of y, and its degrees of freedom."""
    variances = left / df if df > 0.0 else np.zeros(len(left))
    if moderation == "moderated":
        variances, df = moderated_variances(variances, df)
    error = np.sqrt(variances / squares)
    if moderation == "shrunken":
        error = error + np.median(error)
    return quotient(np.abs(slopes), error), df


class _MomentFilter(SignificanceFilter):
    """What these filters share: the moments of the classes that have rows."""

    instead: ClassVar = {"numbers": "SlopeTest", "survival": "CoxScore"}
    tests_beside_covariates = takes_shared_rows = True

    def _moments(
        self, X: NDArray[Any], y: Indices, sample_weight: Array | None
    ) -> tuple[Moments, Any]:
        """Return the moments, and the labels of their classes."""
        rows, codes, omega = counted_rows(y, sample_weight, self.classes_, type(self).__name__)
        classes = self.classes_[np.unique(y[rows])]
        step = max(1, BLOCK_CELLS // len(codes))
        blocks = [slice(start, start + step) for start in range(0, X.shape[1], step)]
        if len(blocks) == 1:
            return class_moments(X[rows], codes, omega), classes
        parts = [class_moments(X[rows, block], codes, omega) for block in blocks]
        means = np.concatenate([part.means for part in parts], axis=1)
        squares = np.concatenate([part.squares for part in parts], axis=1)
        return Moments(parts[0].mass, means, squares), classes

    def _explained(
        self, X: Any, y: Indices, sample_weight: Array | None, Z: Array
    ) -> tuple[Array, Array, int, float]:
        """Return :func:`partial_squares` of the classes."""
        rows, codes, omega = counted_rows(y, sample_weight, self.classes_, type(self).__name__)
        D = np.equal.outer(codes, np.arange(1, codes.max() + 1)).astype(np.float64)
        return partial_squares(X[rows], D, Z[rows], omega)


class BetweenWithinRatio(_MomentFilter):
    """BW ratio: sum of squares between the classes over that within them.

    The ratio by which genes are commonly preselected. Constant features score 0; a
    feature that is constant inside every class but not over them scores infinity.

    Parameters
    ----------
    n_features_to_select : int, float, "fdr" or None, default=None
        How many features ``transform`` keeps; None is half. "fdr" keeps those with
        ``qvalues_`` of at most `alpha`, perhaps none.
    alpha : float, default=0.05
        The false discovery rate that "fdr" allows: the expected share of features
        unrelated to the class among those kept.

    Attributes
    ----------
    pvalues_, qvalues_ : ndarray of shape (n_features,)
        P-value of the F test, and Benjamini and Hochberg's q-value. ``sample_weight`` makes a row
        count for ω rows, also in the test.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import BetweenWithinRatio
    >>> BetweenWithinRatio().fit(*load_iris(return_X_y=True)).feature_importances_.round(2)
    array([ 1.62,  0.67, 16.06, 13.06])
    """

    def _score(self, X: Any, y: Indices, sample_weight: Array | None) -> Array:
        moments, classes = self._moments(X, y, sample_weight)
        ratio = quotient(moments.between(), moments.squares.sum(axis=0))
        df = max(moments.mass.sum() - len(classes), 0.0)
        between = len(classes) - 1
        self._p = partial(fdtrc, between, df, ratio * (df / between) if df else ratio)
        return ratio

    def _adjusted_score(self, X: Any, y: Indices, sample_weight: Array | None, Z: Array) -> Array:
        explained, left, k, df = self._explained(X, y, sample_weight, Z)
        ratio = quotient(explained, left)
        self._p = partial(fdtrc, k, df, ratio * (df / k))
        return ratio


class FStatistic(_MomentFilter):
    """F statistic of the analysis of variance, BW · (N − C)/(C − 1).

    Same ranking as :class:`BetweenWithinRatio`; on the scale of the test. N is
    the number of rows, or what ``sample_weight`` makes of it.

    Parameters
    ----------
    n_features_to_select, alpha
        As in :class:`BetweenWithinRatio`, and so are the attributes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import FStatistic
    >>> FStatistic().fit(*load_iris(return_X_y=True)).feature_importances_.round(1)
    array([ 119.3,   49.2, 1180.2,  960. ])
    """

    def _score(self, X: Any, y: Indices, sample_weight: Array | None) -> Array:
        moments, classes = self._moments(X, y, sample_weight)
        between, within = moments.between(), moments.squares.sum(axis=0)
        # With no more rows than classes `within` is 0 and the factor cancels.
        df = max(moments.mass.sum() - len(classes), 0.0)
        f = quotient(between * df / (len(classes) - 1) if df else between, within)
        self._p = partial(fdtrc, len(classes) - 1, df, f)
        return f

    def _adjusted_score(self, X: Any, y: Indices, sample_weight: Array | None, Z: Array) -> Array:
        explained, left, k, df = self._explained(X, y, sample_weight, Z)
        f = quotient(explained * (df / k), left)
        self._p = partial(fdtrc, k, df, f)
        return f


@dataclass(eq=False, repr=False)
class TTest(_MomentFilter):
    """Size of the two-sample t statistic, plain, shrunken or moderated.

    With more than two classes each is compared with all others together, and the
    largest |t| counts.

    Parameters
    ----------
    moderation : {"shrunken", "moderated"} or None, default=None
        With few rows the largest |t| belong to features whose variance was
        underestimated. "shrunken" adds the median standard error over the features to
        each one's own (the t of SAM [Tusher, Tibshirani & Chu 2001], with the constant of
        nearest shrunken centroids [Tibshirani et al. 2002]); "moderated" shrinks the pooled
        variances towards a common value by empirical Bayes (limma's t) [Smyth 2004].
    n_features_to_select, alpha
        As in :class:`BetweenWithinRatio`.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        |t|; 0 for constant features, infinite where only the variance is 0.
    pvalues_, qvalues_ : ndarray of shape (n_features,)
        Two-sided p-value, and Benjamini and Hochberg's q-value. With more than two
        classes the smallest p-value times the number of classes. The shrunken t has
        neither, as its distribution is not known.

    Notes
    -----
    ``sample_weight`` makes a row count for ω rows, also in the test. With `pairs` the t is that of
    the mean difference within pairs, with the one variance that differences have. Moderated, it is
    limma's t of the class beside blocks, for pairs of one row each.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from backstay.feature_weighting import TTest
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> TTest(moderation="moderated", n_features_to_select=3).fit(X, y).get_support(indices=True)
    array([ 7, 22, 27])
    """

    _: KW_ONLY
    moderation: str | None = param(None, StrOptions({"shrunken", "moderated"}))

    designs: ClassVar = ("groups", "pairs")

    def _score(self, X: Any, y: Indices, sample_weight: Array | None) -> Array:
        moments, classes = self._moments(X, y, sample_weight)
        # Two classes: the first against the rest is the only comparison.
        compared = range(1) if len(classes) == 2 else range(len(classes))
        tests = [self._against_rest(moments, c) for c in compared]
        return self._tested(*(np.array(part) for part in zip(*tests, strict=True)))

    def _score_pairs(self, first: Array, second: Array) -> Array:
        apart = second - first
        around = apart - apart[0]  # equal differences have exactly no variance
        mean = around.mean(axis=0)
        n, left = len(apart), ((around - mean) ** 2).sum(axis=0)
        t, df = slope_sizes(apart[0] + mean, left, n, n - 1.0, self.moderation)
        return self._tested(t[None], np.full((1, len(t)), df))

    def _tested(self, t: Array, df: Array) -> Array:
        """Return the largest |t| of a feature's tests, and leave the p-values behind."""
        self._p = SHRUNKEN if self.moderation == "shrunken" else partial(two_sided_t, t, df)
        return np.asarray(t.max(axis=0))

    def _adjusted_score(self, X: Any, y: Indices, sample_weight: Array | None, Z: Array) -> Array:
        rows, codes, omega = counted_rows(y, sample_weight, self.classes_, type(self).__name__)
        compared = [1] if codes.max() == 1 else range(int(codes.max()) + 1)
        tests = []
        for c in compared:
            fitted = partial_slopes(X[rows], (codes == c) * 1.0, Z[rows], omega)
            tests.append(slope_sizes(*fitted, self.moderation))
        t = np.array([size for size, _ in tests])
        return self._tested(t, np.array([np.full(t.shape[1], df) for _, df in tests]))

    def _against_rest(self, moments: Moments, c: int) -> tuple[Array, Array]:
        """Return |t| and its degrees of freedom (not those of the shrunken t, which has none)."""
        one = Moments(*(part[[c]] for part in moments))
        rest = Moments(*(np.delete(part, c, axis=0) for part in moments)).merged()
        mass = np.concatenate([one.mass, rest.mass])
        df = mass.sum() - 2.0
        squares = one.squares[0] + rest.squares[0]
        variances = squares / df if df > 0.0 else np.zeros(len(squares))
        if self.moderation == "moderated":
            variances, df = moderated_variances(variances, df)
        error = np.sqrt(variances * (1.0 / mass).sum())
        if self.moderation == "shrunken":
            error = error + np.median(error)
        t = quotient(np.abs(one.means[0] - rest.means[0]), error)
        return t, np.full(t.shape, df)
