"""Filters that test every feature: p-values, q-values, and selection by false discovery rate."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from scipy.stats import false_discovery_control

from backstay._units import group_means, pair_sides
from backstay._validation import Interval, check_is_fitted, names_of_rows, param
from backstay.base import Array, FeatureRanker, Floats

SHRUNKEN = (
    "the distribution of the shrunken t is not known. Use moderation='moderated', or "
    "DecoyControl, which finds q-values for any ranker."
)


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

    ``_score`` leaves in ``_p`` a function that returns the p-values, which is called when they are
    asked for, or the sentence that says why there are none. A filter with "pairs" in ``designs``
    writes the hook ``_score_pairs(first, second)`` of both sides' means, pair × feature.
    """

    _: KW_ONLY
    alpha: float = param(0.05, Interval(Real, 0, 1, closed="both"))
    _p: Callable[[], Array] | str = field(init=False)

    # What ``fit`` takes beside rows; and what to use for the others.
    designs: ClassVar[tuple[str, ...]] = ("groups",)
    _score_pairs: ClassVar[Any]
    _other_design: ClassVar[str] = "for pairs there are TTest and Wilcoxon"

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        covariates: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        pairs: ArrayLike | None = None,
    ) -> Self:
        """Rank the features, and test each of them.

        Parameters
        ----------
        X, y, sample_weight, covariates
            As in :meth:`FeatureRanker.fit`.
        groups : array-like of shape (n_samples,), optional
            Names of what rows belong to, such as the patient of several visits. Rows of a group
            count as one, their mean. They have one class; of numbers the mean is taken, too.
        pairs : array-like of shape (n_samples,), optional
            Names of what rows of two classes belong to, such as the patient before and after
            treatment. Compared is within pairs, with the mean of several rows of a class; pairs
            that lack a class are left out.
        """
        self._design = {"groups": groups, "pairs": pairs}
        return super().fit(X, y, sample_weight, covariates)

    def _scored(self, X: Any, y: Any, weights: Array | None, Z: Array | None) -> Floats:
        given = {name: rows for name, rows in self._design.items() if rows is not None}
        del self._design
        if not given:
            return super()._scored(X, y, weights, Z)
        if weights is not None or len(given) > 1 or (Z is not None and "pairs" in given):
            raise ValueError(
                "fit takes one of sample_weight, groups and pairs: pairs stay together anyway, and "
                "the mean of a group has no weight. Leave covariates out beside pairs: what is the "
                "same in both rows of a pair makes no difference within it."
            )
        [(name, named)] = given.items()
        if name not in self.designs:
            raise ValueError(f"{type(self).__name__} takes no {name}; {self._other_design}.")
        rows = names_of_rows(name, named, len(y))
        if name == "groups":
            means = None if Z is None else group_means(Z, rows)
            return super()._scored(*self._means(X, y, rows), None, means)
        first, second = pair_sides(X, y == 1, rows)
        if len(self.classes_) != 2 or len(first) < 2:
            raise ValueError(
                "pairs need two classes, and 2 or more pairs that have both; there are "
                f"{len(self.classes_)} classes and {len(first)} such pairs. Leave classes out, or "
                "use groups."
            )
        return self._score_pairs(first, second)

    def _means(self, X: Any, y: Any, groups: NDArray[Any]) -> tuple[Array, NDArray[Any]]:
        """Return the mean of every group, and its outcome."""
        _, first, member = np.unique(groups, return_index=True, return_inverse=True)
        if self._has_numbers() and y.dtype.kind == "f":
            return group_means(X, groups), group_means(y[:, None], groups)[:, 0]
        mixed = np.flatnonzero(y != y[first][member])
        if len(mixed):
            raise ValueError(
                f"group {groups.tolist()[mixed[0]]!r} has rows of different outcomes, so it has no "
                f"mean; give them as pairs ({self._other_design}), or do without p-values."
            )
        return group_means(X, groups), y[first]

    def _adjusted_score(self, X: Any, y: Any, sample_weight: Array | None, Z: Array) -> Floats:
        scores = super()._adjusted_score(X, y, sample_weight, Z)
        self._p = f"{type(self).__name__} has no test with covariates; use TTest or SlopeTest."
        return scores

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
