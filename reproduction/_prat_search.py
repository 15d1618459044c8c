"""What the thesis leaves open about its searches, and how each reading of it searches.

backstay judges all subsets on the same folds, lets the first of equally near rows decide in 1-NN,
and corrects the sign of eq. 7.10. The readings here differ in one or more of these points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numba import njit
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from backstay.wrappers import SequentialSelector
from reproduction._estimates import Floats
from reproduction._inside import Accumulated, FastInducer, equivalent

__all__ = [
    "FreshFolds",
    "NearestVote",
    "PrintedSign",
    "Reading",
    "ThesisSelector",
    "inducer_classifier",
]

Indices = NDArray[np.intp]
Folds = list[tuple[Indices, Indices]]
EQUAL = 1e-10  # squared distances that differ by less than this share are equal where rows vote


@dataclass(frozen=True)
class Reading:
    """What the thesis leaves open about its searches.

    Attributes
    ----------
    cv_draw : {"shared", "fresh"}
        Inner folds once per search, or anew for every subset.
    ties : {"first", "vote"}
        Which of equally near rows count in 1-NN: the first, or all, as in R's ``knn``.
    raw : bool
        Whether microarrays are raw intensities instead of their log2.
    """

    cv_draw: str = "shared"
    ties: str = "first"
    raw: bool = False


@dataclass(frozen=True)
class FreshFolds:
    """Stratified folds of its own for every subset, 5×2 unless told otherwise.

    They follow from the seed and the set of columns alone, so J stays a function of the subset:
    the path that led to it does not change it.
    """

    seed: int
    classes: Indices
    n_splits: int = 2
    n_repeats: int = 5

    def parts(self, columns: Indices) -> NDArray[np.int64]:
        """Return in which fold each row is tested, one line per repeat."""
        # Their number keeps {0} and ∅ apart: zeros at the end do not change a seed.
        entropy = np.concatenate([[self.seed, len(columns)], np.sort(columns)])
        rng = np.random.default_rng(entropy.astype(np.uint32))
        by_class = np.argsort(self.classes, kind="stable")
        n = len(by_class)
        # Rows stand by class, in random order within each; dealt out in turn, every fold gets its
        # share of every class.
        keys = self.classes[by_class] + rng.random((self.n_repeats, n))
        shuffled = by_class[np.argsort(keys, axis=1)]
        parts = np.empty((self.n_repeats, n), dtype=np.int64)
        np.put_along_axis(parts, shuffled, (np.arange(n) % self.n_splits)[None], axis=1)
        return parts

    def __call__(self, columns: Indices) -> Folds:
        """Return the folds on which the subset is judged."""
        return [
            (np.flatnonzero(part != fold), np.flatnonzero(part == fold))
            for part in self.parts(columns)
            for fold in range(self.n_splits)
        ]


@dataclass(frozen=True)
class SubsetInducer:
    """J of a built-in inducer, every subset from scratch, on folds of its own if so read."""

    name: str
    X: Floats
    codes: Indices
    scaling: str | None
    shared: Folds
    fresh: FreshFolds | None
    vote: bool

    def scores(self, subset: Indices, units: Sequence[Indices], adding: bool) -> Floats:
        """Accuracies per candidate and fold."""
        change = np.union1d if adding else np.setdiff1d
        return np.array([self.accuracies(change(subset, unit)) for unit in units])

    def accuracies(self, columns: Indices) -> Floats:
        """Accuracies of one subset, fold by fold."""
        columns = columns.astype(np.intp)
        folds = self.shared if self.fresh is None else self.fresh(columns)
        table = self.X[:, columns]
        if self.name == "1nn" and self.scaling is None:
            return _nearest_accuracies(table, self.codes, folds, self.vote)
        inducer = FastInducer(self.name, table, self.codes, folds, self.scaling)
        whole, nothing = np.arange(len(columns)), np.empty(0, dtype=np.intp)
        return inducer.scores(whole, [nothing], True)[0]


def _nearest_accuracies(table: Floats, codes: Indices, folds: Folds, vote: bool) -> Floats:
    """Accuracies of 1-NN, fold by fold. Distances between rows serve all folds."""
    distances = _squared_distances(np.ascontiguousarray(table.T))
    n_classes = int(codes.max()) + 1
    return np.array(
        [
            _n_right(distances, codes, n_classes, train, test, vote) / len(test)
            for train, test in folds
        ]
    )


@njit(cache=True, nogil=True)
def _squared_distances(columns: Floats) -> Floats:
    """Squared distances between rows, summed in column order."""
    n = columns.shape[1]
    distances = np.zeros((n, n))
    for i in range(1, n):
        for column in columns:
            for j in range(i):
                z = column[i] - column[j]
                distances[i, j] += z * z
        for j in range(i):
            distances[j, i] = distances[i, j]
    return distances


@njit(cache=True, nogil=True)
def _n_right(
    distances: Floats, codes: Indices, n_classes: int, train: Indices, test: Indices, vote: bool
) -> int:
    """Count the test rows that 1-NN gets right; with votes, of equal classes the lowest wins."""
    ballots = np.empty(n_classes, np.int64)
    right = 0
    for i in test:
        least, predicted = np.inf, 0
        for j in train:
            if distances[i, j] < least:
                least, predicted = distances[i, j], codes[j]
        if vote:
            ballots[:] = 0
            for j in train:
                if distances[i, j] <= least * (1.0 + EQUAL):
                    ballots[codes[j]] += 1
            predicted = int(np.argmax(ballots))
        if predicted == codes[i]:
            right += 1
    return right


class NearestVote(ClassifierMixin, BaseEstimator):
    """1-NN like R's ``class::knn``: all rows as near as the nearest vote.

    Of classes with equal votes the lowest wins. R draws among them; a drawn winner would make J a
    matter of luck.
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the rows."""
        self.rows_ = np.asarray(X, dtype=np.float64)
        self.classes_, self.labels_ = np.unique(y, return_inverse=True)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the most votes."""
        queries = np.asarray(X, dtype=np.float64)
        away = np.zeros((len(queries), len(self.rows_)))
        for query, row in zip(queries.T, self.rows_.T, strict=True):
            away += (query[:, None] - row) ** 2
        voters = away <= away.min(axis=1, keepdims=True) * (1.0 + EQUAL)
        votes = voters.astype(np.float64) @ (self.labels_[:, None] == np.arange(len(self.classes_)))
        return np.asarray(self.classes_[votes.argmax(axis=1)])


def inducer_classifier(name: str, scaling: str | None, ties: str = "first") -> Any:
    """Return the scikit-learn classifier that an inducer stands for."""
    return NearestVote() if (name, ties) == ("1nn", "vote") else equivalent(name, scaling)


class PrintedSign(Accumulated):
    """Eq. 7.10 as printed: a backward step, too, adds the relevance of what it removes."""

    def values(
        self,
        scores: Floats,
        remainders: Floats,
        current: tuple[float, float],
        moved: Indices,
        adding: bool,
    ) -> Floats:
        """Return λ/2·(1 + R) + (1−λ)·J, whatever the direction."""
        return super().values(scores, remainders, current, moved, True)


class ThesisSelector(SequentialSelector):
    """A sequential selector that searches as a reading of the thesis says.

    `reading` and `printed_sign` are set on the object: they are no parameters of a method.
    """

    reading = Reading()
    printed_sign = False

    def _criterion(self, sizes: Indices) -> Any:
        if self.printed_sign:
            return PrintedSign(sizes, **(self.criterion_params or {}))
        return super()._criterion(sizes)

    def _inducer(self, X: Any, y: NDArray[Any], codes: Indices, folds: Folds) -> Any:
        fresh = None
        vote = self.reading.ties == "vote" and self.estimator == "1nn"
        if self.reading.cv_draw == "fresh":
            seed = int(np.random.RandomState(self.random_state).randint(2**31 - 1))
            n_splits, n_repeats = (2, 5) if self.cv is None else (self.cv, 1)
            fresh = FreshFolds(seed, codes, n_splits, n_repeats)
        elif not vote:
            return super()._inducer(X, y, codes, folds)
        return SubsetInducer(self.estimator, X, codes, self.scaling, folds, fresh, vote)
