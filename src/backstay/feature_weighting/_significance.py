"""Filters that test every feature: p-values, q-values, and selection by false discovery rate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from numbers import Real

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.stats import false_discovery_control

from backstay._validation import Interval, check_is_fitted, param
from backstay.base import Array, FeatureRanker


def smallest_p(p: Array) -> Array:
    """Return a feature's smallest p-value (tests × features) times the tests (Bonferroni)."""
    return np.asarray(np.minimum(p.min(axis=0) * len(p), 1.0))


def two_sided_t(t: Array, df: Array) -> Array:
    """P of |t| (tests × features), the smallest of a feature's tests."""
    return smallest_p(2 * special.stdtr(df, -t))


def upper_chi2(chi2: Array, df: Array) -> Array:
    """P of χ² or a larger one; 1 without degrees of freedom."""
    return np.where(df > 0, special.chdtrc(np.maximum(df, 1), chi2), 1.0)


@dataclass(eq=False, repr=False)
class SignificanceFilter(FeatureRanker):
    """Base of the filters that know a p-value for every feature.

    ``_score`` leaves in ``_p`` a function without arguments that returns the p-values, or the
    sentence that says why these parameters have none. p-values are computed when asked for: a
    study fits a filter thousands of times and looks at its ranking alone.
    """

    _: KW_ONLY
    alpha: float = param(0.05, Interval(Real, 0, 1, closed="both"))
    _p: Callable[[], Array] | str = field(init=False)

    def _n_requested(self) -> int | float | str | None:
        return None if self._by_rate() else self.n_features_to_select

    def _by_rate(self) -> bool:
        return isinstance(self.n_features_to_select, str)

    def _n_kept(self, n_selected: int) -> int:
        if not self._by_rate():
            return n_selected
        if isinstance(self._p, str):
            raise ValueError(f"n_features_to_select='fdr' needs p-values, but {self._p}")
        return int((self.qvalues_ <= self.alpha).sum())

    def _get_support_mask(self) -> NDArray[np.bool_]:
        if not self._by_rate():
            return super()._get_support_mask()
        check_is_fitted(self)
        # Not the head of the ranking: where degrees of freedom differ, so does the order of p.
        return np.asarray(self.qvalues_ <= self.alpha)

    @property
    def pvalues_(self) -> Array:
        """The p-value of every feature; 1 where the test is not defined."""
        check_is_fitted(self)
        if isinstance(self._p, str):
            raise AttributeError(f"There are no p-values: {self._p}")
        p = self._p()
        return np.where(np.isnan(p), 1.0, p)

    @property
    def qvalues_(self) -> Array:
        """Benjamini and Hochberg's q-value of every feature."""
        return np.asarray(false_discovery_control(self.pvalues_))
