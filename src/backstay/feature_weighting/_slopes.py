"""Filters for outcomes that are numbers: a feature's slope, and the order of its values."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from backstay._partial import BLOCK_CELLS, ROUNDING, partial_slopes
from backstay._validation import StrOptions, param
from backstay.base import Array
from backstay.feature_weighting._moments import quotient, slope_sizes
from backstay.feature_weighting._rows import counted_numbers
from backstay.feature_weighting._significance import SHRUNKEN, SignificanceFilter, two_sided_t
from backstay.feature_weighting._wilcoxon import midranks


def fitted_slopes(X: NDArray[Any], y: Array, omega: Array) -> tuple[Array, Array]:
    """Regress every column on y: slopes, and squares left over (exactly 0 where a line fits)."""
    X = X.astype(np.float64)
    X -= X[0]  # a constant feature becomes exactly 0
    X -= omega @ X / omega.sum()
    y = y - omega @ y / omega.sum()
    weighted = omega * y
    slopes = weighted @ X / (weighted @ y)
    total = omega @ X**2
    X -= y[:, None] * slopes
    left = omega @ X**2
    exact = left <= ROUNDING**2 * total
    left[exact] = 0.0
    slopes[total == 0.0] = 0.0
    return slopes, left


@dataclass(eq=False, repr=False)
class SlopeTest(SignificanceFilter):
    """Size of the t statistic of a feature's slope on y, plain, shrunken or moderated.

    For an outcome that is a number. Every feature is regressed on y; its slope is divided by the
    slope's standard error. Plain, this ranks by |r|, the size of the correlation. With y = 0 and 1
    it is :class:`TTest` with one variance for both classes.

    Parameters
    ----------
    moderation : {"shrunken", "moderated"} or None, default=None
        With few rows the largest |t| belong to features whose variance was underestimated.
        "shrunken" adds the median standard error over the features to each one's own (SAM's
        statistic for a quantitative outcome) [Tusher, Tibshirani & Chu 2001]; "moderated" shrinks
        the residual variances towards a common value by empirical Bayes (limma's t) [Smyth 2004].
    n_features_to_select, alpha
        As in :class:`BetweenWithinRatio`.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        |t|; 0 for constant features, infinite for those that are a line in y.
    pvalues_, qvalues_ : ndarray of shape (n_features,)
        Two-sided p-value, and Benjamini and Hochberg's q-value. The shrunken t has neither, as its
        distribution is not known.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from backstay.feature_weighting import SlopeTest
    >>> SlopeTest().fit(*load_diabetes(return_X_y=True)).ranking_
    array([ 8, 10,  1,  3,  7,  9,  5,  4,  2,  6])
    """

    _: KW_ONLY
    moderation: str | None = param(None, StrOptions({"shrunken", "moderated"}))

    outcomes = ("numbers",)
    instead: ClassVar = {"classes": "TTest", "survival": "CoxScore"}
    _other_design: ClassVar = "pairs are of two classes. Use groups"
    tests_beside_covariates = True

    def _score(self, X: Any, y: Array, sample_weight: Array | None) -> Array:
        rows, y, omega = counted_numbers(y, sample_weight, type(self).__name__)
        step = max(1, BLOCK_CELLS // len(y))
        parts = []
        for start in range(0, X.shape[1], step):
            parts.append(fitted_slopes(X[rows, start : start + step], y, omega))
        slopes, left = (np.concatenate(part) for part in zip(*parts, strict=True))
        return self._tested(slopes, left, y, omega)

    def _tested(self, slopes: Array, left: Array, y: Array, omega: Array) -> Array:
        """Return |t|, and leave the p-values behind."""
        mass = omega.sum()
        squares = float(omega @ (y - omega @ y / mass) ** 2)
        return self._sized(slopes, left, squares, mass - 2.0)

    def _sized(self, slopes: Array, left: Array, squares: float, df: float) -> Array:
        t, df = slope_sizes(slopes, left, squares, df, self.moderation)
        known = partial(two_sided_t, t[None], np.full((1, len(t)), df))
        self._p = SHRUNKEN if self.moderation == "shrunken" else known
        return t

    def _adjusted_score(self, X: Any, y: Array, sample_weight: Array | None, Z: Array) -> Array:
        rows, y, omega = counted_numbers(y, sample_weight, type(self).__name__)
        return self._sized(*partial_slopes(X[rows], y, Z[rows], omega))


class Spearman(SignificanceFilter):
    """Size of Spearman's rank correlation with y, ties by midranks.

    For an outcome that is a number. It depends on the order of the values alone, so neither
    outliers nor monotone transformations of a feature or of y matter [Spearman 1904].

    Parameters
    ----------
    n_features_to_select, alpha
        As in :class:`BetweenWithinRatio`.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        |ρ|; 0 for constant features.
    pvalues_, qvalues_ : ndarray of shape (n_features,)
        Two-sided p-value (t distribution with N − 2 degrees of freedom), and Benjamini and
        Hochberg's q-value.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from backstay.feature_weighting import Spearman
    >>> Spearman().fit(*load_diabetes(return_X_y=True)).feature_importances_.round(2)
    array([0.2 , 0.04, 0.56, 0.42, 0.23, 0.2 , 0.41, 0.45, 0.59, 0.35])
    """

    outcomes = ("numbers",)
    instead: ClassVar = {"classes": "Wilcoxon", "survival": "CoxScore"}
    _other_design: ClassVar = "pairs are of two classes. Use groups"

    def _score(self, X: Any, y: Array, sample_weight: Array | None) -> Array:
        rows, y, omega = counted_numbers(y, sample_weight, type(self).__name__)
        of_y = midranks(y[:, None], omega)[:, 0]
        spread = omega @ of_y**2
        rho = np.zeros(X.shape[1])
        step = max(1, BLOCK_CELLS // len(y))
        for start in range(0, X.shape[1], step):
            ranks = midranks(X[rows, start : start + step], omega)
            squares = np.sqrt(omega @ ranks**2 * spread)
            rho[start : start + step] = quotient(np.abs((omega * of_y) @ ranks), squares)
        rho = np.minimum(rho, 1.0)
        df = omega.sum() - 2.0
        if df > 0.0:
            t = quotient(rho * np.sqrt(df), np.sqrt(1.0 - rho**2))
            self._p = partial(two_sided_t, t[None], np.full((1, len(t)), df))
        else:
            self._p = partial(np.ones, len(rho))
        return rho
