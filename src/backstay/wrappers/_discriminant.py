"""LDA for sequential search, from the within-class covariance.

With P the inverse within-class covariance of a subset and V the test rows and
class means, centred, the discriminants are entries of VᵀPV. Adding features
changes VᵀPV by the residuals of V after regression on the subset, removing
features by rows of PV: a term of rank one per feature either way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from backstay._kernels._inducers import discriminant_correct
from backstay.base import Array, Indices
from backstay.wrappers._fast import Counts, FastFold, flattened
from backstay.wrappers._inducers import candidate_columns
from backstay.wrappers._units import NOTHING

# scikit-learn's LDA drops directions in which the within-class correlation has an eigenvalue below
# 1e-8 (tol=1e-4 on singular values). If the variance inflation factors of a subset sum to less
# than this, every eigenvalue is above 1e-6: no direction is dropped, and enough digits are left.
MAX_INFLATION = 1e6
# Discriminants closer than this, relative to their size, are left to scikit-learn to tell apart.
CLOSE = 1e-7
# It also drops directions between the class means below 1e-4 of the largest: squared, with a
# margin. Shares below ABSENT are rounding: there is no such direction.
DROPPED, ABSENT = 4e-8, 1e-13


@dataclass(frozen=True)
class Whitened:
    """A subset in coordinates where its within-class covariance is the identity."""

    columns: Indices
    root: Array  # L⁻¹ of the correlation matrix LLᵀ
    inflation: float  # sum of variance inflation factors
    vectors: Array  # test rows and class means, one coordinate per row


class Discriminant(FastFold):
    """Linear discriminant analysis.

    Where incremental discriminants could differ from scikit-learn's (nearly
    collinear features, discriminants too close to call), and for groups of
    features, scikit-learn predicts.
    """

    def prepare(self, train_rows: Array, test_rows: Array, name: str) -> None:
        """Centre the rows and find the features that vary within classes."""
        self.train_rows, self.test_rows = train_rows, test_rows
        counts = np.bincount(self.classes, minlength=self.n_classes)
        means = np.zeros((self.n_classes, train_rows.shape[1]))
        np.add.at(means, self.classes, train_rows)  # as scikit-learn sums: rounding decides
        means /= counts[:, None]  # below what is constant
        within = train_rows - means[self.classes]
        self.log_priors = np.log(counts / len(train_rows))
        self.root_counts = np.sqrt(counts)
        spread = np.abs(within).max(axis=0)
        # No spread within classes: scikit-learn ignores the feature. A spread of the size of
        # rounding errors is left to scikit-learn.
        self.constant = spread == 0
        self.fragile = ~self.constant & (spread <= 1e-12 * np.abs(train_rows).max(axis=0))
        scale = np.sqrt((within**2).sum(axis=0))
        scale[scale == 0.0] = 1.0
        self.within = within / scale  # withinᵀ·within is the correlation matrix
        scale /= np.sqrt(len(train_rows))
        centre = (counts / len(train_rows)) @ means
        self.vectors = (np.vstack([test_rows, means]) - centre).T / scale[:, None]

    def correct(self, subset: Indices, units: Sequence[Indices], adding: bool) -> Counts:
        """Count from the discriminants of `subset`, updated per candidate."""
        counts = np.zeros(len(units), dtype=np.int64)
        whitened = None if self.fragile[subset].any() else self._whiten(subset)
        if whitened is None:
            unsure = np.ones(len(units), dtype=bool)
        else:
            live = [unit[~self.constant[unit]] for unit in units]
            unsure = np.array([len(unit) > 1 or self.fragile[unit].any() for unit in live])
            live = [NOTHING if out else unit for unit, out in zip(live, unsure, strict=True)]
            columns, offsets = flattened(live)
            if adding:
                rows, collinear = self._added(whitened, columns)
                unsure[np.diff(offsets) == 1] = collinear
            else:
                rows = self._removed(whitened, columns)
            self._count(whitened, rows, offsets, 1.0 if adding else -1.0, counts, unsure)
        for u in np.flatnonzero(unsure):
            counts[u] = self._count_with_sklearn(candidate_columns(subset, units[int(u)], adding))
        return counts

    def _whiten(self, subset: Indices) -> Whitened | None:
        columns = subset[~self.constant[subset]]
        within = self.within[:, columns]
        root = np.empty((0, 0))
        if len(columns):
            try:
                lower = cholesky(within.T @ within, lower=True, check_finite=False)
            except LinAlgError:
                return None
            root = solve_triangular(lower, np.eye(len(columns)), lower=True, check_finite=False)
        inflation = float((root**2).sum())
        if inflation > MAX_INFLATION:
            return None
        return Whitened(columns, root, inflation, root @ self.vectors[columns])

    def _added(self, base: Whitened, columns: NDArray[np.int64]) -> tuple[Array, NDArray[np.bool_]]:
        """Whitened coordinates that each feature adds, and which are nearly collinear."""
        slopes = base.root @ (self.within[:, base.columns].T @ self.within[:, columns])
        carried = base.root.T @ slopes
        unexplained = np.maximum(1.0 - (slopes**2).sum(axis=0), 1e-300)
        inflation = base.inflation + ((carried**2).sum(axis=0) + 1.0) / unexplained
        collinear = inflation > MAX_INFLATION
        rows = self.vectors[columns] - slopes.T @ base.vectors
        rows /= np.where(collinear, np.inf, np.sqrt(unexplained))[:, None]
        return rows, collinear

    def _removed(self, base: Whitened, columns: NDArray[np.int64]) -> Array:
        """Whitened coordinates that each feature takes away."""
        solved = base.root.T @ base.vectors
        at = np.searchsorted(base.columns, columns)
        return np.asarray(solved[at] / np.sqrt((base.root**2).sum(axis=0)[at])[:, None])

    def _count(
        self,
        base: Whitened,
        rows: Array,
        offsets: NDArray[np.int64],
        sign: float,
        counts: Counts,
        unsure: NDArray[np.bool_],
    ) -> None:
        n_test = len(self.test_classes)
        test, means = base.vectors[:, :n_test], base.vectors[:, n_test:]
        scores = test.T @ means - 0.5 * (means**2).sum(axis=0) + self.log_priors
        changes, centres = (np.ascontiguousarray(p) for p in np.hsplit(rows, [n_test]))
        unsure |= self._drops_direction(means.T @ means, centres, offsets, sign)
        discriminant_correct(
            scores, changes, centres, offsets, sign, self.test_classes, CLOSE, counts, unsure
        )

    def _drops_direction(
        self, forms: Array, centres: Array, offsets: NDArray[np.int64], sign: float
    ) -> NDArray[np.bool_]:
        """Say for which candidates scikit-learn may drop a direction between class means."""
        if self.n_classes == 2:  # there is only one direction
            return np.zeros(len(offsets) - 1, dtype=bool)
        changed = np.empty((len(offsets) - 1, *forms.shape))
        for u, (begin, end) in enumerate(pairwise(offsets)):
            changed[u] = forms + sign * (centres[begin:end].T @ centres[begin:end])
        changed *= self.root_counts[:, None] * self.root_counts
        spectrum = np.linalg.eigvalsh(changed)
        shares = spectrum[:, :-1] / np.maximum(spectrum[:, -1:], 1e-300)
        return np.asarray(((shares > ABSENT) & (shares < DROPPED)).any(axis=1))

    def _count_with_sklearn(self, columns: Indices) -> int:
        """Count with scikit-learn; by the priors alone where no feature varies within classes."""
        if self.constant[columns].all():
            return int((self.test_classes == np.argmax(self.log_priors)).sum())
        with np.errstate(invalid="ignore"):  # it divides 0 by 0 when all class means agree
            fitted = LinearDiscriminantAnalysis().fit(self.train_rows[:, columns], self.classes)
        return int((fitted.predict(self.test_rows[:, columns]) == self.test_classes).sum())
