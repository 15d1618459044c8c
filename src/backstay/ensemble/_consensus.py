"""Features that repeated runs agree on: Wrapper-2 [Prat 2.3.3]."""

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score, r2_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils import get_tags

from backstay._validation import (
    Interval,
    StrOptions,
    check_random_state,
    resolve_n_features,
    take,
)
from backstay.base import Array, Indices, fit_weighted, outcomes_of
from backstay.ensemble._aggregate import break_ties
from backstay.ensemble._ensemble import Ensemble
from backstay.ensemble._resamples import hold_out


@dataclass(eq=False, repr=False)
class RepeatedSelector(Ensemble):
    """Repeat a selector on resamples and keep the features it selects most often (Wrapper-2).

    Parameters
    ----------
    estimator : selector or ranker
        Any selector with ``get_support``; or anything that exposes
        ``feature_importances_``, ``coef_`` or ``ranking_`` after fit, of which
        the `n_features_to_select` best count as selected, without those that a
        scikit-learn model gives the importance 0. Features that share a run's
        least importance are not selected either, even if it is a ranker; what a
        selector such as RFE keeps is selected. See :class:`BaggedRanker` for ties.
    n_resamples : int, default=20
        Runs of the selector; an even number for complementary pairs.
    keep : {"top_k", "grow"}, default="top_k"
        The `n_features_to_select` most frequent features; or features in order
        of frequency as long as each raises the accuracy of `classifier`, or its R² for
        numbers, on rows held out from the selectors.
    n_features_to_select : int, float or None, default=None
        k; the most that ``keep="grow"`` keeps. None keeps as many as a run selects on
        average, and sets no limit to growing.
    classifier : classifier or regressor, default=None
        Judge of ``keep="grow"``; None is 1-NN on features scaled to [0, 1], or, for numbers, ridge
        regression on standardised features.
    holdout : float, default=0.3
        Share of each class held out with ``keep="grow"``.
    resample, max_samples, n_jobs, random_state
        As in :class:`BaggedRanker`.

    Attributes
    ----------
    selection_frequency_ : ndarray of shape (n_features,)
        Share of the runs that selected each feature; also ``feature_importances_``.
    supports_ : ndarray of shape (n_resamples, n_features)
        What every run selected.
    estimators_samples_, rankings_
        As in :class:`BaggedRanker`; ``rankings_`` is None unless all runs rank.
    holdout_rows_ : ndarray
        Rows no run has seen; empty with ``keep="top_k"``.
    holdout_scores_ : ndarray
        Accuracy, or R², there with 1, 2, … features, up to the first that brought no gain.
    ranking_ : ndarray of shape (n_features,)
        By selection frequency; ties by the sum of the runs' ranks where they
        rank, then by column.

    Notes
    -----
    The runs get the ``sample_weight`` of the rows drawn. Held-out rows count
    by their weight, and the classifier gets weights if its fit takes them.

    References
    ----------
    Dunne, Cunningham & Azuaje (2002); [Prat 2.3.3].

    Examples
    --------
    >>> from backstay import ReliefF
    >>> from backstay.datasets import make_xor
    >>> from backstay.ensemble import RepeatedSelector
    >>> X, y, relevance = make_xor(n_samples=300, random_state=0)
    >>> selector = RepeatedSelector(ReliefF(n_features_to_select=4), random_state=0)
    >>> selector.fit(X, y).selection_frequency_[:4].round(2)
    array([1.  , 1.  , 1.  , 0.55])
    """

    _: KW_ONLY
    keep: str = "top_k"
    classifier: Any = None
    holdout: float = 0.3

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Ensemble._parameter_constraints,
        "keep": [StrOptions({"top_k", "grow"})],
        "holdout": [Interval(Real, 0, 1, closed="neither")],
    }

    @property
    def outcomes(self) -> tuple[str, ...]:  # type: ignore[override]
        """Kinds of outcome that the selector and the judge take."""
        if self.keep != "grow":
            return outcomes_of(self.estimator)
        if self.classifier is not None:
            return outcomes_of(self.estimator, self.classifier)
        return tuple(kind for kind in outcomes_of(self.estimator) if kind != "survival")

    def _score(self, X: Any, y: Any, sample_weight: Array | None) -> Array:
        rng = check_random_state(self.random_state)
        inside, self.holdout_rows_ = np.arange(len(y)), np.empty(0, np.intp)
        if self.keep == "grow":
            inside, self.holdout_rows_ = hold_out(
                y, getattr(self, "classes_", None), self.holdout, rng
            )
        members = self._fit_runs(
            X, y, sample_weight, rng, self.n_resamples, among=inside, ranked=False
        )
        k = resolve_n_features(self.n_features_to_select, self.n_features_in_)
        supports = [m.selected(k) if m.support is None else m.support for m in members]
        self.supports_ = np.array(supports)
        self.selection_frequency_ = self.supports_.mean(axis=0)
        scores: list[float] = []
        if self.keep == "grow":
            # Of the features selected at all, at most k, at least one.
            n_ever = max(int(self.supports_.any(axis=0).sum()), 1)
            limit = n_ever if self.n_features_to_select is None else min(n_ever, k)
            ranking = break_ties(self.selection_frequency_, self.rankings_)
            order = np.argsort(ranking)[:limit]
            while len(scores) < len(order) and (len(scores) < 2 or scores[-1] > scores[-2]):
                best = order[: len(scores) + 1]
                scores.append(self._accuracy(X, y, sample_weight, inside, best))
        self.holdout_scores_ = np.array(scores)
        return self.selection_frequency_

    def _accuracy(
        self, X: Any, y: Any, sample_weight: Array | None, train: Indices, columns: Indices
    ) -> float:
        """Return the judge's accuracy, or R² for numbers, on the rows that no run has seen."""
        classifier, test = self.classifier, self.holdout_rows_
        if classifier is None and self._has_numbers():
            classifier = make_pipeline(StandardScaler(), Ridge())
        elif classifier is None:
            classifier = make_pipeline(MinMaxScaler(), KNeighborsClassifier(n_neighbors=1))
        table, labels = take(X, columns, axis=1), self._decoded(y)
        of_train = of_test = None
        if sample_weight is not None:
            of_train, of_test = sample_weight[train], sample_weight[test]
        fitted = fit_weighted(clone(classifier), take(table, train), labels[train], of_train)
        predicted = fitted.predict(take(table, test))
        score = r2_score if self._has_numbers() else accuracy_score
        return float(score(labels[test], predicted, sample_weight=of_test))

    def _n_requested(self) -> int | float | str | None:
        return self.n_features_to_select

    def _n_kept(self, n_selected: int) -> int:
        if self.keep == "grow":
            scores = self.holdout_scores_
            return len(scores) - int(len(scores) > 1 and scores[-1] <= scores[-2])
        if self.n_features_to_select is None:
            return max(1, round(float(self.supports_.sum(axis=1).mean())))
        return n_selected

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.keep == "grow":  # the classifier sees the rows as well
            judge = None if self.classifier is None else get_tags(self.classifier).input_tags
            tags.input_tags.sparse &= judge is not None and judge.sparse
            tags.input_tags.allow_nan &= judge is not None and judge.allow_nan
        return tags
