"""Minimum redundancy, maximum relevance [Ding & Peng 2005; Peng, Long & Ding 2005]."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay._validation import StrOptions, param, positive_int
from backstay.base import Array, FeatureRanker, Indices, best_first
from backstay.feature_weighting._moments import class_moments, quotient
from backstay.feature_weighting._rows import counted

# A redundancy of 0 would make any quotient infinite.
LEAST_REDUNDANCY = 1e-12


def three_states(X: NDArray[Any], omega: Array) -> Array:
    """Return an indicator per state and cell: counts of pairs of states are matrix products."""
    total = omega.sum()
    mean = omega @ X / total
    half = np.sqrt(omega @ (X - mean) ** 2 / total) / 2
    low, high = (X - mean < -half).astype(np.float64), (X - mean > half).astype(np.float64)
    return np.stack([low, 1 - low - high, high])


class MutualInformation:
    """Relevance and redundancy in nats, features cut into three states."""

    def __init__(self, X: NDArray[Any], y: Any, omega: Array) -> None:
        self._states = three_states(X, omega)
        self._omega, self._total = omega, omega.sum()
        if y.dtype.kind == "f":  # numbers are cut as features are
            outcome = three_states(y[:, None], omega)[:, :, 0]
        else:
            outcome = np.equal.outer(np.arange(y.max() + 1), y).astype(np.float64)
        self.relevance = self._with(outcome)

    def redundancy(self, feature: int) -> Array:
        """Return the mutual information of a feature with every feature."""
        return self._with(self._states[:, :, feature])

    def _with(self, states: Array) -> Array:
        """Return the mutual information of a variable, given by indicators, with every feature."""
        joint = np.einsum("an,bnd->abd", states * self._omega, self._states) / self._total
        apart = joint.sum(axis=0)[None] * joint.sum(axis=1)[:, None]
        ratio = np.divide(joint, apart, out=np.ones(joint.shape), where=joint > 0)
        return np.asarray((joint * np.log(ratio)).sum(axis=(0, 1)))


def unit_columns(X: NDArray[Any], omega: Array) -> Array:
    """Centre columns and divide them by their length: products are then correlations."""
    constant = (X[0] == X).all(axis=0)
    centred = (X - omega @ X / omega.sum()) * np.sqrt(omega)[:, None]
    length = np.sqrt((centred**2).sum(axis=0))
    return np.divide(centred, length, out=np.zeros(centred.shape), where=(length > 0) & ~constant)


class Correlation:
    """Relevance as the F statistic, or |r| of numbers, redundancy as the absolute correlation."""

    def __init__(self, X: NDArray[Any], y: Any, omega: Array) -> None:
        self._unit = unit_columns(X, omega)
        if y.dtype.kind == "f":
            self.relevance = np.abs(unit_columns(y[:, None], omega)[:, 0] @ self._unit)
            return
        moments = class_moments(X, y, omega)
        n_classes = len(moments.mass)
        within = moments.squares.sum(axis=0)
        df = max(omega.sum() - n_classes, 0.0)
        between = moments.between()
        self.relevance = quotient(between * df / (n_classes - 1) if df else between, within)

    def redundancy(self, feature: int) -> Array:
        """Return the absolute correlation of a feature with every feature."""
        return np.asarray(np.abs(self._unit[:, feature] @ self._unit))


MEASURES: dict[str, type[MutualInformation] | type[Correlation]] = {
    "mutual_information": MutualInformation,
    "f_ratio": Correlation,
}


def minimum_redundancy(
    measure: MutualInformation | Correlation, n_searched: int, form: str
) -> Indices:
    """Return features in the order of the greedy search: relevant, unlike those before them."""
    relevance = measure.relevance
    total = np.zeros(len(relevance))
    order = [int(np.argmax(relevance))]
    while len(order) < n_searched:
        total += measure.redundancy(order[-1])
        mean = total / len(order)
        if form == "difference":
            value = relevance - mean
        else:
            value = relevance / np.maximum(mean, LEAST_REDUNDANCY)
        value[order] = -np.inf
        order.append(int(np.argmax(value)))
    return np.array(order, dtype=np.intp)


@dataclass(eq=False, repr=False)
class MRMR(FeatureRanker):
    """Minimum redundancy, maximum relevance: relevant features, unlike those before them.

    A greedy search. The most relevant feature comes first; then, again and again, the one whose
    relevance exceeds by most its mean redundancy with the features chosen so far [Ding & Peng 2005;
    Peng, Long & Ding 2005].

    Parameters
    ----------
    measure : {"mutual_information", "f_ratio"}, default="mutual_information"
        Mutual information with the class and between features, cut into three states at half a
        deviation below and above the mean, as numbers are; or the F statistic, or absolute
        correlation of numbers, and the absolute correlation between features.
    form : {"difference", "quotient"}, default="quotient"
        Relevance minus redundancy (MID, FCD), or over it (MIQ, FCQ).
    n_searched : int, default=200
        How many features the search orders, at n·d operations each. All others follow by
        relevance alone.
    n_features_to_select
        As in :class:`FeatureRanker`.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Places from the end: d for the first feature, 1 for the last.
    n_searched_ : int
        How many features the search ordered.
    relevance_ : ndarray of shape (n_features,)
        Relevance of every feature alone, rows counted ω times.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import MRMR
    >>> MRMR(measure="f_ratio").fit(*load_iris(return_X_y=True)).ranking_
    array([3, 4, 1, 2])
    """

    measure: str = param("mutual_information", StrOptions(set(MEASURES)))
    _: KW_ONLY
    form: str = param("quotient", StrOptions({"difference", "quotient"}))
    n_searched: int = param(200, positive_int())

    outcomes = ("classes", "numbers")

    def _score(self, X: Any, y: Any, sample_weight: Array | None) -> Array:
        rows, y, omega = counted(self, y, sample_weight)
        measure = MEASURES[self.measure](X[rows].astype(np.float64), y, omega)
        self.relevance_ = measure.relevance
        n_features = len(measure.relevance)
        self.n_searched_ = min(self.n_searched, n_features)
        first = minimum_redundancy(measure, self.n_searched_, self.form)
        rest = best_first(measure.relevance)
        order = np.concatenate([first, rest[~np.isin(rest, first)]])
        importances = np.empty(n_features)
        importances[order] = np.arange(n_features, 0, -1)
        return importances
