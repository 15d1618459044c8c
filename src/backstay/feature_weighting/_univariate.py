"""Filters that judge one feature at a time by how its values go with the class [Prat 2.2]."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from backstay._kernels._discretize import contingency
from backstay._validation import StrOptions, is_nominal, param, take, validate_names
from backstay.base import Array, FeatureRanker, Indices, NominalFramesMixin
from backstay.feature_weighting import _contingency as measures
from backstay.feature_weighting._discretize import bins, cut_points
from backstay.feature_weighting._relief_table import read_columns
from backstay.feature_weighting._rows import counted_rows
from backstay.feature_weighting._significance import SignificanceFilter, upper_chi2

# Tables of counts are made for as many features at a time as fit into this.
TABLE_BYTES = 32_000_000


def value_numbers(X: NDArray[Any]) -> Indices:
    """Give the distinct values of every column numbers from 0, in ascending order."""
    order = np.argsort(X, axis=0, kind="stable")
    ascending = np.take_along_axis(X, order, axis=0)
    numbers = np.zeros(X.shape, dtype=np.intp)
    np.cumsum(ascending[1:] != ascending[:-1], axis=0, out=numbers[1:])
    codes = np.empty_like(numbers)
    np.put_along_axis(codes, order, numbers, axis=0)
    return codes


def encoded_columns(X: Any) -> tuple[Array, NDArray[np.bool_]]:
    """Return a frame as numbers, categories numbered by name, and which columns hold these."""
    columns = read_columns(X, "from_dtype")
    table, nominal = np.empty(X.shape), np.zeros(X.shape[1], dtype=bool)
    table[:, columns.numeric_index] = columns.numeric
    nominal[columns.nominal_index] = True
    for j in columns.nominal_index:
        codes, names = pd.factorize(np.asarray(take(X, int(j), axis=1), dtype=object))
        places = np.argsort(np.argsort(names.astype(str), kind="stable"))
        table[:, j] = np.append(places, np.nan)[codes]  # −1, a missing value, is the last
    gaps = np.flatnonzero(np.isnan(table).any(axis=0))
    if len(gaps):
        raise ValueError(
            f"X has missing values in column {list(X.columns)[gaps[0]]}; fill them or drop the "
            "column. ReliefF takes gaps as they are."
        )
    return table, nominal


@dataclass(eq=False, repr=False)
class ValueFilter(NominalFramesMixin, FeatureRanker):
    """Base of filters by how often values go with classes; a new one sets ``_measure``."""

    _: KW_ONLY
    discretizer: Any = "mdl"

    instead: ClassVar = {"numbers": "Spearman", "survival": "CoxScore"}
    _measure: ClassVar[Any]

    def _validate_input(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        if not (hasattr(X, "columns") and any(is_nominal(dtype) for dtype in X.dtypes)):
            X, y = super()._validate_input(X, y)
            self._nominal = np.zeros(X.shape[1], dtype=bool)
            return X, y
        y = validate_names(self, X, y)
        table, self._nominal = encoded_columns(X)
        return table, y

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags

    def _score(self, X: Any, y: Indices, sample_weight: Array | None) -> Array:
        rows, _, omega = counted_rows(y, sample_weight, self.classes_, type(self).__name__)
        X, y = X[rows], y[rows]
        codes = np.empty(X.shape, dtype=np.intp)
        for names, part in ((True, self._nominal), (False, ~self._nominal)):
            if part.any():
                block = X[:, part]
                codes[:, part] = value_numbers(block) if names else self._codes(block, y, omega)
        n_values = codes.max(axis=0) + 1
        scores = np.empty(X.shape[1])
        for v in np.unique(n_values):
            table = (int(v), len(self.classes_))
            size = max(1, TABLE_BYTES // (8 * table[0] * table[1]))
            features = np.flatnonzero(n_values == v)
            for start in range(0, len(features), size):
                block = features[start : start + size]
                counts = np.empty((len(block), *table))
                contingency(codes[:, block], y, omega, counts)
                scores[block] = self._judge(counts, block)
        return scores

    def _judge(self, counts: Array, features: Indices) -> Array:
        return np.asarray(type(self)._measure(counts))

    def _codes(self, X: NDArray[Any], y: Indices, omega: Array) -> Indices:
        discretizer = self.discretizer
        if discretizer is None:
            return value_numbers(X)
        if isinstance(discretizer, str) and discretizer == "mdl":
            return bins(X, cut_points(X, y, omega))
        if isinstance(discretizer, str) or not hasattr(discretizer, "fit_transform"):
            raise ValueError(
                f"discretizer={discretizer!r} must be 'mdl', None for features whose values are "
                "categories already, or a transformer such as KBinsDiscretizer(encode='ordinal')."
            )
        self.discretizer_ = clone(discretizer)
        values = self.discretizer_.fit_transform(X, y)
        if sparse.issparse(values) or np.shape(values) != X.shape:
            raise ValueError(
                f"discretizer={discretizer!r} returned {type(values).__name__} of shape "
                f"{np.shape(values)} for {X.shape[1]} features; it must return an array with one "
                "column per feature, e.g. KBinsDiscretizer(encode='ordinal')."
            )
        return value_numbers(np.asarray(values))


class InformationGain(ValueFilter):
    """Information gain: how many bits a feature tells about the class, MI(C, X).

    As in all these filters, ``sample_weight`` makes a row count for ω rows.

    Parameters
    ----------
    discretizer : "mdl", transformer or None, default="mdl"
        How continuous features become values: cut by minimum description length (see
        :class:`MDLDiscretizer`); by a scikit-learn transformer with one output column per
        feature, fitted without weights; or not at all, for numbers that are names of categories.
        A frame's columns of categories, text or truth values are never cut.
    n_features_to_select
        As in :class:`FeatureRanker`.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        MI(C, X) in bits, between 0 and H(C).
    discretizer_ : transformer
        The fitted transformer, if one was given.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import InformationGain
    >>> InformationGain().fit(*load_iris(return_X_y=True)).feature_importances_.round(3)
    array([0.652, 0.386, 1.357, 1.378])
    """

    _measure = staticmethod(measures.information_gain)


class GainRatio(ValueFilter):
    """Gain ratio: information gain per bit of the feature, MI(C, X) / H(X).

    Corrects information gain's bias towards features of many values. A constant
    feature, 0/0, scores 0.

    Parameters
    ----------
    discretizer, n_features_to_select
        As in :class:`InformationGain`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import GainRatio
    >>> GainRatio().fit(*load_iris(return_X_y=True)).ranking_
    array([3, 4, 2, 1])
    """

    _measure = staticmethod(measures.gain_ratio)


class SymmetricalUncertainty(ValueFilter):
    """Symmetrical uncertainty: 2 MI(C, X) / (H(C) + H(X)), in [0, 1].

    Parameters
    ----------
    discretizer, n_features_to_select
        As in :class:`InformationGain`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import SymmetricalUncertainty
    >>> SymmetricalUncertainty().fit(*load_iris(return_X_y=True)).ranking_
    array([3, 4, 2, 1])
    """

    _measure = staticmethod(measures.symmetrical_uncertainty)


class MantarasDistance(ValueFilter):
    """De Mántaras' distance between feature and class, as closeness 1 − D_M.

    D_M = (H(X|C) + H(C|X)) / H(C, X) is small for good features; the
    importance 1 − D_M = MI(C, X) / H(C, X) is in [0, 1].

    Parameters
    ----------
    discretizer, n_features_to_select
        As in :class:`InformationGain`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import MantarasDistance
    >>> MantarasDistance().fit(*load_iris(return_X_y=True)).ranking_
    array([3, 4, 2, 1])
    """

    _measure = staticmethod(measures.mantaras_closeness)


class EntropicDistance(ValueFilter):
    """Entropic distance between feature and class, negated: MI(C, X) − H(C, X).

    D_H = H(C, X) − MI(C, X) is small for good features, so the importance is
    −D_H, at most 0. It counts every bit of the feature that does not tell the
    class against it: a constant feature scores −H(C), a noisy one less.

    Parameters
    ----------
    discretizer, n_features_to_select
        As in :class:`InformationGain`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import EntropicDistance
    >>> EntropicDistance().fit(*load_iris(return_X_y=True)).ranking_
    array([3, 4, 2, 1])
    """

    _measure = staticmethod(measures.entropic_closeness)


class GiniGain(ValueFilter):
    """Gini gain: Σ_x P(x) Σ_c P(c|x)² − Σ_c P(c)², the fall of Gini impurity.

    It favours features of many values, and falls with the number of classes. ReliefF over all
    neighbours does neither: its limit is :class:`MyopicReliefF`, not the Gini gain.

    Parameters
    ----------
    discretizer, n_features_to_select
        As in :class:`InformationGain`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import GiniGain
    >>> GiniGain().fit(*load_iris(return_X_y=True)).ranking_
    array([3, 4, 2, 1])
    """

    _measure = staticmethod(measures.gini_gain)


class MyopicReliefF(ValueFilter):
    """Myopic ReliefF: P(equal value | same class) − P(equal value | other class).

    The limit of :class:`ReliefF` for many neighbours. Without neighbourhoods it looks at one
    feature at a time and needs tables of counts only: it is as fast as the other filters, and as
    blind to interactions.

    Parameters
    ----------
    discretizer, n_features_to_select
        As in :class:`InformationGain`.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Importance, at most 1; 0 for a constant feature and for one independent of the class.

    Notes
    -----
    The importance is P_eqval · GG'(X) / (P_samecl (1 − P_samecl)) [Prat eq. 2.23-2.25] with
    P_eqval = Σ_x P(x)² over the feature's values. The thesis prints Σ_c P(c)² over the
    classes there, which contradicts its own derivation.

    ReliefF never draws a row as its own neighbour; here pairs are drawn with replacement. The two
    differ by about 1/(rows of a class), and more where classes are of unequal size.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import MyopicReliefF
    >>> MyopicReliefF().fit(*load_iris(return_X_y=True)).feature_importances_.round(3)
    array([0.429, 0.219, 0.871, 0.888])
    """

    _measure = staticmethod(measures.myopic_relief)


class DistributionDifference(ValueFilter):
    """Distance between joint and product distribution: Σ |P(c, x) − P(x) P(c)|.

    Parameters
    ----------
    discretizer, n_features_to_select
        As in :class:`InformationGain`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import DistributionDifference
    >>> DistributionDifference().fit(*load_iris(return_X_y=True)).ranking_
    array([3, 4, 2, 1])
    """

    _measure = staticmethod(measures.distribution_difference)


@dataclass(eq=False, repr=False)
class ChiSquared(SignificanceFilter, ValueFilter):
    """χ² of the table of values by classes, Σ (N − E)²/E.

    Cells with E = 0 (values or classes that do not occur) do not count. χ² grows
    with the number of rows, hence with the mass of ``sample_weight``; the ranking
    does not depend on it.

    Parameters
    ----------
    discretizer
        As in :class:`InformationGain`.
    n_features_to_select, alpha
        As in :class:`BetweenWithinRatio`; "fdr" is refused with "mdl".

    Attributes
    ----------
    pvalues_, qvalues_ : ndarray of shape (n_features,)
        P-value of the χ² test, and Benjamini and Hochberg's q-value. There are none
        with "mdl": it puts its cuts where the classes differ, which the test
        would take for evidence. A transformer must not look at the classes, either.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import ChiSquared
    >>> ChiSquared().fit(*load_iris(return_X_y=True)).ranking_
    array([3, 4, 2, 1])
    """

    designs: ClassVar = ()
    _other_design: ClassVar = "categories have neither means nor differences; Wilcoxon takes both"
    _measure = staticmethod(measures.chi_squared)

    def _score(self, X: Any, y: Indices, sample_weight: Array | None) -> Array:
        self._df = np.zeros(X.shape[1])
        chi2 = super()._score(X, y, sample_weight)
        if isinstance(self.discretizer, str):
            self._p = (
                "discretizer='mdl' puts its cuts where the classes differ. Use None for features "
                "whose values are categories already, or cuts that do not depend on the class, "
                "such as KBinsDiscretizer(encode='ordinal')."
            )
        else:
            self._p = partial(upper_chi2, chi2, self._df)
        return chi2

    def _judge(self, counts: Array, features: Indices) -> Array:
        n_classes = (counts.sum(axis=1) > 0).sum(axis=1)
        self._df[features] = (counts.shape[1] - 1) * (n_classes - 1)
        return super()._judge(counts, features)


class OneR(ValueFilter):
    """1R: training accuracy of the rule that maps each value to its most frequent class.

    Holte's 1R cuts continuous features by a rule of its own; here they are discretised
    like those of every other filter, which needs no least number of rows per
    interval. A constant feature scores the majority class's share.

    Parameters
    ----------
    discretizer, n_features_to_select
        As in :class:`InformationGain`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import OneR
    >>> OneR().fit(*load_iris(return_X_y=True)).feature_importances_.round(3)
    array([0.727, 0.593, 0.953, 0.96 ])
    """

    _measure = staticmethod(measures.one_rule)


class ValueDifference(ValueFilter):
    """Weights of the value difference metric, averaged over a feature's values.

    The metric weighs each value by √Σ_c (P(x|c)/P(x))²; a feature's importance
    is their mean under P(x). It is √C for a feature independent of C classes.

    Parameters
    ----------
    discretizer, n_features_to_select
        As in :class:`InformationGain`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import ValueDifference
    >>> ValueDifference().fit(*load_iris(return_X_y=True)).ranking_
    array([3, 4, 2, 1])
    """

    _measure = staticmethod(measures.value_difference)


@dataclass(eq=False, repr=False)
class CategoryImportance(ValueFilter):
    """Per-category and cross-category feature importance (PCF and CCF).

    Both look at the classes of the rows that have a binary feature's positive
    (higher) value x: PCF weighs a feature for each class by P(c|x), and CCF by
    Σ_c P(c|x)² for all of them. Features of more than two values are groups of
    indicators, one per value, and count as their best one.

    Parameters
    ----------
    kind : {"ccf", "pcf"}, default="ccf"
        Cross-category, or per-category importance. With the latter a feature's importance
        is its largest weight over the classes, which favours features that go with the
        most frequent class.
    discretizer, n_features_to_select
        As in :class:`InformationGain`.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Importance, in (0, 1].
    class_importances_ : ndarray of shape (n_features, n_classes)
        PCF's weights P(c|x), of a group the largest.

    Examples
    --------
    >>> import numpy as np
    >>> from backstay.feature_weighting import CategoryImportance
    >>> X = np.array([[1, 1], [1, 0], [1, 1], [0, 0]])
    >>> ranker = CategoryImportance(discretizer=None).fit(X, [1, 1, 0, 0])
    >>> ranker.feature_importances_.round(3)
    array([0.556, 0.5  ])
    """

    _: KW_ONLY
    kind: str = param("ccf", StrOptions({"ccf", "pcf"}))

    def _score(self, X: Any, y: Indices, sample_weight: Array | None) -> Array:
        self.class_importances_ = np.empty((X.shape[1], len(self.classes_)))
        return super()._score(X, y, sample_weight)

    def _judge(self, counts: Array, features: Indices) -> Array:
        per_class = measures.per_category(counts)
        self.class_importances_[features] = per_class
        if self.kind == "pcf":
            return per_class.max(axis=1)
        return measures.cross_category(counts)
