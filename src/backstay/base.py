"""The two base classes, instance weighter and feature ranker, and their combination."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from functools import cache
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_regressor
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import get_tags
from threadpoolctl import ThreadpoolController

from backstay._design import Regression
from backstay._notebook import as_html
from backstay._scaling import table_near_one
from backstay._validation import (
    SHARE,
    Parameters,
    StrOptions,
    as_numbers,
    as_survival,
    check_is_fitted,
    check_outcome,
    check_random_state,
    encode_labels,
    fit_context,
    has_fit_parameter,
    is_nominal,
    param,
    positive_int,
    resolve_n_features,
    take,
    validate_for_parts,
    validate_sample_weight,
    validate_width,
    validate_X_y,
)

__all__ = ["FeatureRanker", "InstanceWeighted", "InstanceWeighter"]

Floats = NDArray[np.floating[Any]]
Array = NDArray[np.float64]
Indices = NDArray[np.intp]  # numbers of rows, columns or classes
Fold = tuple[Indices, Indices]  # rows to train on, rows to test on


@cache
def _thread_pools() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold thread pools (BLAS, OpenMP) of the whole process to one thread.

    Sums in BLAS depend on its number of threads, and on a busy machine threads that wait for each
    other make a product of a few hundred rows many times slower.
    """
    with _thread_pools().limit(limits=1):
        yield


def warn_single_members(
    classes: NDArray[Any],
    codes: Indices,
    consequence: str = "it has no hits, only its misses count",
) -> None:
    """Warn of classes with a single row, and say what follows."""
    lonely = classes[np.bincount(codes) == 1]
    if len(lonely):
        names = ", ".join(repr(c) for c in lonely.tolist())
        warnings.warn(
            f"class {names} has a single member: {consequence}.", UserWarning, stacklevel=5
        )


class OutcomeMixin(Parameters):
    """For estimators that learn from rows and their outcome ``y``."""

    # Kinds of outcome that a method takes, as ``outcome_kind`` names them; fit refuses the others.
    outcomes: ClassVar[tuple[str, ...]] = ("classes",)
    # For kinds that it refuses, the name of a method that takes them; the message says it.
    instead: ClassVar[dict[str, str]] = {}

    def _validate_input(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        return validate_X_y(self, X, y)

    def _encoded(self, y: NDArray[Any]) -> NDArray[Any]:
        """Return what a hook gets as y: class numbers 0..C-1, numbers, or events and times."""
        kind = check_outcome(self, y)
        if kind == "classes":
            self.classes_, y = encode_labels(self, y)
        elif hasattr(self, "classes_"):  # of an earlier fit
            del self.classes_
        if kind == "survival":
            return as_survival(self, y)
        return as_numbers(self, y) if kind == "numbers" else y

    def _decoded(self, y: NDArray[Any]) -> NDArray[Any]:
        """Return what a part of this estimator learns: labels again, or another outcome."""
        return y if self._has_numbers() else self.classes_[y]

    def _has_numbers(self) -> bool:
        """Whether the outcome of this fit is numbers, for hooks that take these and classes."""
        return not hasattr(self, "classes_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.required = True
        return tags


def outcomes_of(*estimators: Any) -> tuple[str, ...]:
    """Return the kinds of outcome that all estimators take; of others, classes or a regressor's."""
    taken = [
        getattr(estimator, "outcomes", ("numbers",) if is_regressor(estimator) else ("classes",))
        for estimator in estimators
    ]
    return tuple(kind for kind in taken[0] if all(kind in kinds for kinds in taken))


@dataclass(eq=False, repr=False)
class InstanceWeighter(OutcomeMixin, BaseEstimator, ABC):
    """Base of instance weighters; a new one writes the hook ``_weigh(X, y)``.

    ``_weigh`` gets validated rows and class numbers 0..C-1 and returns raw,
    non-negative weights; the base scales them by ``scale``. A weighter of another kind of outcome
    sets the class attribute ``outcomes``; its hook gets numbers divided by a power of two.
    """

    _: KW_ONLY
    scale: str = param("mean", StrOptions({"mean", "sum"}))

    # Nested estimators (the two of JointWeighting, say) come from the caller and check their own.
    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Compute ``sample_weight_``, the weight of every training row, from rows and labels."""
        X, y = self._validate_input(X, y)
        self.sample_weight_ = self._scaled(self._weigh(X, self._encoded(y)))
        return self

    def fit_weight(self, X: ArrayLike, y: ArrayLike) -> Array:
        """Return ``fit(X, y).sample_weight_``."""
        return self.fit(X, y).sample_weight_

    def _scaled(self, raw: Floats) -> Array:
        raw = np.asarray(raw, dtype=np.float64)
        if not np.isfinite(raw).all():
            row = int(np.flatnonzero(~np.isfinite(raw))[0])
            raise ValueError(
                f"{type(self).__name__} gives row {row} the weight {raw[row]}, because some "
                "features are too large or too small to compute with. Scale or drop them."
            )
        return raw / raw.sum() if self.scale == "sum" else raw / raw.mean()

    @abstractmethod
    def _weigh(self, X: Any, y: Any) -> Floats: ...


@dataclass(eq=False, repr=False)
class FeatureRanker(OutcomeMixin, SelectorMixin, BaseEstimator):
    """Base of feature rankers; a new one writes the hook ``_score(X, y, sample_weight)``.

    ``_score`` gets validated rows, class numbers 0..C-1 and weights (or None)
    and returns one importance per feature, higher is better. Every ranker is a
    scikit-learn selector that keeps the ``n_features_to_select`` best. A ranker of another kind of
    outcome sets the class attribute ``outcomes``. Its hook gets numbers divided by a power of two,
    so that all lie between -1/2 and 1/2; a ranker of both kinds has ``classes_`` only for classes.

    A method that leaves features out by giving them the importance 0 (the lasso, trees) sets the
    class attribute ``_zero_is_unranked = True``, and its importances are 0 or more. Features that
    it left out are not ranked: they come last, in arbitrary order, and are never kept.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps, or which share of them; None is half.
    n_jobs : int, default=None
        Threads, in rankers that use several; the result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of rankers that draw.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Importances, higher is better.
    ranking_ : ndarray of shape (n_features,)
        1 is best; a permutation.
    n_ranked_ : int
        How many features are truly ranked: all of them, but for methods that leave features out.

    Warns
    -----
    UserWarning
        If ``n_features_to_select`` asks for more features than are ranked. Only these are kept.
    """

    _: KW_ONLY
    n_features_to_select: int | float | str | None = param(
        None,
        positive_int(),
        SHARE,
        StrOptions({"fdr"}),  # for the filters that test; the others refuse it by name
    )

    # Whether `fit` takes ``SharedRows``, of which it copies as little as it can.
    takes_shared_rows: ClassVar[bool] = False

    # Whether a method tests y beside covariates; others see what these leave of the features.
    tests_beside_covariates: ClassVar[bool] = False

    # Whether importance 0 says that the method did not use a feature.
    _zero_is_unranked: ClassVar[bool] = False

    # For the rankers that have these parameters; the others are not concerned.
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
    }

    # Nested estimators and discretizers come from the caller and check their own parameters.
    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        covariates: ArrayLike | None = None,
    ) -> Self:
        """Rank the features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Class labels, or numbers or times until an event if the method takes these. The
            latter are a structured array of a truth value (did the event happen?) and a number.
        sample_weight : array-like of shape (n_samples,), optional
            Instance weights.
        covariates : array-like of shape (n_samples, n_covariates), optional
            Numbers, such as age, that features are adjusted for. Filters with a test take the
            statistic of y beside them; others see what a regression on them leaves of X.
        """
        Z = None if covariates is None else _checked_covariates(covariates, len(np.asarray(y)))
        if Z is not None and not self.tests_beside_covariates:
            X = _left_by(Z, X, sample_weight)
        X, y = self._validate_input(X, y)
        y = self._encoded(y)
        weights = validate_sample_weight(sample_weight, y)
        n_selected = resolve_n_features(self._n_requested(), self.n_features_in_)
        importances = self._scored(X, y, weights, Z)
        self.feature_importances_ = self._checked(np.asarray(importances, dtype=np.float64))
        self.ranking_ = self._rank(self.feature_importances_)
        self.n_ranked_ = self._n_ranked()
        wanted = self._n_kept(n_selected)
        self.n_features_ = min(wanted, self.n_ranked_)
        if wanted > self.n_ranked_ and self._n_requested() is not None:
            warnings.warn(
                f"n_features_to_select={self._n_requested()!r} asks for {wanted} features, but "
                f"{type(self).__name__} ranks {self.n_ranked_}; only these are kept.",
                UserWarning,
                stacklevel=3,
            )
        return self

    def _scored(self, X: Any, y: Any, weights: Array | None, Z: Array | None) -> Floats:
        """Return importances of checked input; filters with tests may put other rows in place."""
        if Z is None:
            return self._score(X, y, weights)
        return self._adjusted_score(X, y, weights, Z)

    @abstractmethod
    def _score(self, X: Any, y: Any, sample_weight: Array | None) -> Floats: ...

    def _adjusted_score(self, X: Any, y: Any, sample_weight: Array | None, Z: Array) -> Floats:
        """Return importances beyond covariates; here X is what they leave of the features."""
        return self._score(X, y, sample_weight)

    def _checked(self, importances: Array) -> Array:
        """Refuse an importance that is not a number, instead of silently ranking it last."""
        if np.isnan(importances).any():
            feature = int(np.flatnonzero(np.isnan(importances))[0])
            name = getattr(self, "feature_names_in_", range(self.n_features_in_))[feature]
            raise ValueError(
                f"{type(self).__name__} gives feature {name} the importance nan, because its "
                "values, or the weights of the rows, are too large or too small to compute with. "
                "Scale or drop the feature."
            )
        return importances

    def _rank(self, importances: Array) -> Indices:
        return ranking_from_importances(importances)

    def _n_ranked(self) -> int:
        if self._zero_is_unranked:
            return int(np.count_nonzero(self.feature_importances_))
        return self.n_features_in_

    def _n_requested(self) -> int | float | str | None:
        return self.n_features_to_select

    def _n_kept(self, n_selected: int) -> int:
        return n_selected

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.ranking_ <= self.n_features_

    def _repr_html_inner(self) -> str:
        """Return scikit-learn's box and, once fitted, the best features, for a notebook."""
        return str(super()._repr_html_inner()) + self._best_features()

    def _best_features(self) -> str:
        if not hasattr(self, "ranking_"):
            return ""
        best = np.argsort(self.ranking_)[:10]
        names = getattr(self, "feature_names_in_", np.arange(self.n_features_in_))[best]
        shown = {"best": names, "importance": self.feature_importances_[best]}
        return as_html(f"{self.n_features_} features are selected.", pd.DataFrame(shown))

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        shown: dict[str, str] = super()._repr_mimebundle_(**options)
        if "text/html" in shown:
            shown["text/html"] += self._best_features()
        return shown


def _checked_covariates(covariates: Any, n_rows: int) -> Array:
    """Return covariates as a table of finite numbers."""
    Z = np.asarray(covariates, dtype=np.float64)
    if Z.ndim != 2 or len(Z) != n_rows or not np.isfinite(Z).all():
        raise ValueError(
            f"covariates must be a table of finite numbers with {n_rows} rows, got shape {Z.shape}."
        )
    return Z


def _left_by(Z: Array, X: Any, sample_weight: Any) -> Any:
    """Return what covariates leave of the features, under the same names."""
    values = np.asarray(X.toarray() if sparse.issparse(X) else X)
    if values.dtype.kind not in "iufb" or not np.isfinite(values).all():
        raise ValueError("covariates adjust features that are numbers, without gaps or categories.")
    omega = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    left = values - Regression.fit(Z, values, omega).explained(Z)
    return type(X)(left, columns=X.columns) if hasattr(X, "iloc") else left


class NominalFramesMixin(SelectorMixin):
    """For selectors that take nominal columns, whose types an array could not hold."""

    def transform(self, X: Any) -> Any:
        """Reduce X to the selected features; a frame with nominal columns stays a frame."""
        if hasattr(X, "columns") and any(is_nominal(dtype) for dtype in X.dtypes):
            check_is_fitted(self)
            validate_width(self, X)
            return self._transform(X)
        return super().transform(X)


def ranking_from_importances(importances: Floats) -> Indices:
    """Rank 1 for the largest; ties by column order; always a permutation."""
    order = best_first(importances)
    ranking = np.empty(len(order), dtype=np.intp)
    ranking[order] = np.arange(1, len(order) + 1)
    return ranking


def best_first(importances: Floats) -> Indices:
    """Return the columns from the most to the least important, ties by column order."""
    order = np.argsort(-importances)
    values = importances[order]
    # A stable sort takes six times as long, and only ties need it.
    return np.argsort(-importances, kind="stable") if (values[1:] == values[:-1]).any() else order


def distance_weights(importances: Floats) -> Array:
    """Weights for use inside a distance: max(w, 0)/max(w), or all 1 where none is positive."""
    top = importances.max(initial=0.0)
    if np.isinf(top):  # a perfect separator outweighs everything else
        return np.isinf(importances).astype(np.float64)
    # Hits and misses that cancel leave rounding errors. Beside a much larger negative weight, a
    # positive one may be such an error, and is then no weight.
    lowest = importances.min(initial=0.0, where=np.isfinite(importances))
    rounding = 16.0 * np.finfo(np.float64).eps * -lowest
    return np.maximum(importances, 0.0) / top if top > rounding else np.ones(len(importances))


def dealt_folds(y: Array, n_folds: int, rng: Any) -> list[Fold]:
    """Sort rows by y and deal them out, so that every fold spans the whole range."""
    order = np.argsort(y, kind="stable")
    n_rounds = -(-len(y) // n_folds)
    places = np.concatenate([rng.permutation(n_folds) for _ in range(n_rounds)])[: len(y)]
    number = np.empty(len(y), dtype=np.intp)
    number[order] = places
    return [(np.flatnonzero(number != f), np.flatnonzero(number == f)) for f in range(n_folds)]


def fit_weighted(
    estimator: Any, X: Any, y: NDArray[Any], sample_weight: Array | None, **beside: Any
) -> Any:
    """Fit an estimator, with the weights where there are any and its fit takes them."""
    if sample_weight is not None and has_fit_parameter(estimator, "sample_weight"):
        return estimator.fit(X, y, sample_weight=sample_weight, **beside)
    return estimator.fit(X, y, **beside)


def importances_of(estimator: Any) -> Array:
    """Read one importance per feature off a fitted estimator.

    ``feature_importances_`` as it is; ``coef_`` as the Euclidean norm over its
    rows (the sum of squares over one-vs-one machines, as in SVM-RFE);
    ``ranking_`` reversed, so that higher is better.
    """
    if hasattr(estimator, "feature_importances_"):
        return np.asarray(estimator.feature_importances_, dtype=np.float64)
    if hasattr(estimator, "coef_"):
        coef = estimator.coef_
        coef = np.atleast_2d(coef.toarray() if sparse.issparse(coef) else coef).astype(np.float64)
        return np.sqrt((coef**2).sum(axis=0))
    if hasattr(estimator, "ranking_"):
        ranking = np.asarray(estimator.ranking_, dtype=np.float64)
        return ranking.max() + 1 - ranking
    raise ValueError(
        f"{type(estimator).__name__} exposes none of feature_importances_, coef_ and ranking_ "
        "after fit, so its features cannot be ranked."
    )


def n_ranked_of(estimator: Any, importances: Array) -> int:
    """Read off a fitted estimator how many features it truly ranks.

    Other models than rankers leave features out by giving them exactly 0.
    """
    if isinstance(estimator, FeatureRanker):  # one that overrides fit may not say it
        return getattr(estimator, "n_ranked_", len(importances))
    if hasattr(estimator, "ranking_") or (importances < 0.0).any():
        return len(importances)
    return int(np.count_nonzero(importances))


@dataclass(eq=False, repr=False)
class MetaRanker(MetaEstimatorMixin, FeatureRanker):
    """Base of rankers around an ``estimator``: they take its input and its number of features."""

    estimator: Any

    def _parts(self) -> tuple[Any, ...]:
        """Return the estimators that see the rows: it takes what all of them take."""
        return (self.estimator,)

    @property
    def outcomes(self) -> tuple[str, ...]:  # type: ignore[override]
        """Kinds of outcome that all parts take."""
        return outcomes_of(*self._parts())

    def _validate_input(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        return validate_for_parts(self, X, y)

    def _scored(self, X: Any, y: Any, weights: Array | None, Z: Array | None) -> Floats:
        # The estimator may be one of scikit-learn, which does not handle tiny units.
        return super()._scored(table_near_one(X), y, weights, Z)

    def _n_requested(self) -> int | float | str | None:
        if self.n_features_to_select is not None:
            return self.n_features_to_select
        own = getattr(self.estimator, "n_features_to_select", None)
        return None if own == "auto" else own  # an option of scikit-learn's selectors

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        taken = [get_tags(part).input_tags for part in self._parts()]
        for kind in ("sparse", "allow_nan", "categorical"):
            setattr(tags.input_tags, kind, all(getattr(part, kind) for part in taken))
        return tags


@dataclass(eq=False, repr=False)
class InstanceWeighted(MetaRanker):
    """Any ranker with any instance weighting [Prat alg. 8.3].

    Parameters
    ----------
    estimator : FeatureRanker or scikit-learn estimator
        Anything that exposes ``feature_importances_``, ``coef_`` or
        ``ranking_`` after fit.
    weighting : InstanceWeighter
        Gives the instance weights ω from the training rows.
    strategy : {"native", "sample", "order"}, default="native"
        How ω reaches the estimator: as its ``sample_weight``; by drawing n rows with probability
        ∝ ω; or by the order of rows, decreasing in ω, for methods that iterate over rows.
    n_features_to_select : int, float or None, default=None
        None takes the estimator's own setting, or half where it has none.
    random_state
        As in :class:`FeatureRanker`.

    Attributes
    ----------
    sample_weight_ : ndarray of shape (n_samples,)
        The instance weights ω used.
    estimator_, weighting_ : estimator, InstanceWeighter
        As fitted.

    Notes
    -----
    A ``sample_weight`` given to ``fit`` multiplies ω. A table whose values are all tiny
    reaches the estimator divided by a power of two; the coefficients are then in that unit.

    Examples
    --------
    >>> from backstay import InstanceWeighted, MarginWeighting, ReliefF
    >>> from backstay.datasets import make_han_yu
    >>> X, y, relevance = make_han_yu(n_samples=60, n_features=100, random_state=0)
    >>> ranker = InstanceWeighted(ReliefF(n_features_to_select=10), MarginWeighting())
    >>> ranker.fit_transform(X, y).shape
    (60, 10)
    """

    weighting: Any
    _: KW_ONLY
    strategy: str = param("native", StrOptions({"native", "sample", "order"}))
    random_state: Any = None

    def _parts(self) -> tuple[Any, ...]:
        return self.estimator, self.weighting

    def _score(self, X: Any, y: Any, sample_weight: Array | None) -> Floats:
        self.weighting_ = clone(self.weighting)
        weights = self.weighting_.fit_weight(X, y)
        if sample_weight is not None:
            weights = weights * sample_weight
            if not weights.any():
                raise ValueError(
                    "sample_weight times the instance weights is zero for every row; "
                    "at least one product must be positive."
                )
        self.sample_weight_ = weights
        self.estimator_ = clone(self.estimator)
        if self.strategy == "native":
            if not has_fit_parameter(self.estimator_, "sample_weight"):
                raise ValueError(
                    f"strategy='native' needs an estimator whose fit takes sample_weight; "
                    f"{type(self.estimator).__name__} does not. "
                    "Use strategy='sample' or strategy='order'."
                )
            self.estimator_.fit(X, y, sample_weight=weights)
        else:
            rows = self._rows(weights, y)
            self.estimator_.fit(take(X, rows), y[rows])
        return importances_of(self.estimator_)

    def _n_ranked(self) -> int:
        return n_ranked_of(self.estimator_, self.feature_importances_)

    def _rows(self, weights: Array, y: Indices) -> Indices:
        if self.strategy == "order":
            return np.argsort(-weights, kind="stable")
        rng = check_random_state(self.random_state)
        rows = rng.choice(len(weights), size=len(weights), p=weights / weights.sum())
        if len(np.unique(y[rows])) < 2:
            same = "with the same y only"
            if not self._has_numbers():
                same = f"of one class only, {self.classes_.tolist()[y[rows[0]]]!r}"
            raise ValueError(
                f"strategy='sample' drew rows {same}: the other rows are too few or their weights "
                "too small. Use strategy='native' or another random_state."
            )
        return rows
