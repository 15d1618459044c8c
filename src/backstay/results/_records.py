"""Reading one data set's part of a store, as the arrays that results are made of."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.results._metrics import METRICS, score
from backstay.results._store import Store

__all__ = ["Records"]

Ints = NDArray[Any]


class Records:
    """What a store says about a data set: facts, splits, and arrays of every method.

    Arrays over resamples hold the resamples on which the method did not fail;
    ``resamples(method)`` says which.
    """

    def __init__(self, store: Store, dataset: str, facts: dict[str, Any]) -> None:
        self.store, self.dataset, self.facts = store, dataset, facts
        self.n_features: int = facts["n_features"]
        self.n_samples: int = facts["n_samples"]
        self.sizes: list[int] = facts["sizes"]
        self.classifiers: list[str] = facts["classifiers"]
        self.scoring: list[str] = facts["scoring"]
        self.classes: list[Any] = facts["classes"]
        self.methods: list[str] = list(facts["methods"])
        self._cache: dict[tuple[str, ...], Any] = {}

    @cached_property
    def _arrays(self) -> dict[str, NDArray[Any]]:
        return self.store.dataset_arrays(self.dataset)

    @property
    def codes(self) -> Ints:
        """Class number of every row."""
        return self._arrays["codes"]

    @property
    def units(self) -> Ints:
        """Group number of every row; its own number where there are no groups."""
        return self._arrays.get("groups", np.arange(self.n_samples))

    @property
    def truth(self) -> NDArray[Any] | None:
        """True relevance, if known."""
        return self._arrays.get("truth")

    @property
    def n_resamples(self) -> int:
        """Number of resamples planned."""
        return len(self._arrays["seeds"])

    def train(self, resample: int) -> Ints:
        """Training rows of a resample."""
        return self._arrays[f"train {resample}"]

    def test(self, resample: int) -> Ints:
        """Test rows of a resample."""
        return self._arrays[f"test {resample}"]

    @cached_property
    def test_share(self) -> float:
        """n_test/n_train, averaged over resamples."""
        pairs = ((len(self.test(i)), len(self.train(i))) for i in range(self.n_resamples))
        return float(np.mean([test / train for test, train in pairs]))

    def feature_name(self, feature: int) -> str:
        """Name of a column."""
        names = self.facts["feature_names"]
        return f"x{feature}" if names is None else str(names[feature])

    def sample_name(self, row: int) -> str:
        """Name of a row."""
        names = self.facts.get("sample_names")
        return f"row {row}" if names is None else str(names[row])

    @property
    def partners(self) -> tuple[Ints, Ints, NDArray[np.float64]]:
        """Features, their correlated partners and the correlations; empty before the end."""
        empty = np.empty(0, np.int32)
        held = self._arrays
        return (
            held.get("partner of", empty),
            held.get("partner", empty),
            held.get("partner correlation", np.empty(0)),
        )

    @property
    def provenance(self) -> dict[str, Any]:
        """Where the data came from, as the one who ran the study said."""
        return dict(self.store.study().get(f"provenance of {self.dataset}", {}))

    def role(self, method: str) -> dict[str, Any]:
        """Names of a method's control and plain form, and whether the study added it."""
        return dict(self.facts["methods"][method])

    def check_method(self, method: str) -> str:
        """Refuse a method that is not there."""
        if method not in self.methods:
            raise ValueError(
                f"method={method!r} is not in the study; there are {', '.join(self.methods)}."
            )
        return method

    def check_size(self, size: int) -> int:
        """Refuse a size that was not studied; return its place."""
        if size not in self.sizes:
            shown = ", ".join(map(str, self.sizes))
            raise ValueError(f"size={size!r} was not studied; there are {shown}.")
        return self.sizes.index(size)

    def check_classifier(self, classifier: str | None) -> int:
        """Refuse a classifier that was not studied; return its place, the first for None."""
        if not self.classifiers:
            raise ValueError("the study had no classifiers, so there are no accuracies.")
        if classifier is None:
            return 0
        if classifier not in self.classifiers:
            raise ValueError(
                f"classifier={classifier!r} was not studied; there are "
                f"{', '.join(self.classifiers)}."
            )
        return self.classifiers.index(classifier)

    def check_metric(self, metric: str | None) -> str:
        """Refuse a metric that cannot be computed; the study's first for None."""
        if metric is None:
            return self.scoring[0]
        allowed = [m for m in METRICS if m != "roc_auc" or "roc_auc" in self.scoring]
        if metric not in allowed:
            raise ValueError(f"metric={metric!r} is not available; there are {', '.join(allowed)}.")
        return metric

    def _read(self, method: str, name: str) -> tuple[Ints, list[NDArray[Any]]]:
        pairs = list(self.store.task_arrays(self.dataset, method, name))
        return np.array([i for i, _ in pairs], dtype=np.intp), [array for _, array in pairs]

    def orders(self, method: str) -> tuple[Ints, NDArray[np.int32]]:
        """Return resamples and, for each, the features from best to worst."""
        key = ("orders", self.check_method(method))
        if key not in self._cache:
            resamples, rows = self._read(method, "order")
            order = np.array(rows) if rows else np.empty((0, self.n_features), np.int32)
            self._cache[key] = resamples, order
        return self._cache[key]

    def mean_ranks(self, method: str) -> NDArray[np.float64]:
        """Return the mean rank of every feature over resamples, 1 is best."""
        _, orders = self.orders(method)
        if not len(orders):
            return np.full(self.n_features, np.nan)
        ranks = np.empty(orders.shape, dtype=np.int32)
        places = np.arange(1, self.n_features + 1, dtype=np.int32)
        np.put_along_axis(ranks, orders.astype(np.intp), places[None], axis=1)
        mean: NDArray[np.float64] = ranks.mean(axis=0)
        return mean

    def n_ranked(self, method: str) -> int:
        """Return how many features were ranked on every resample, not dropped before."""
        _, counts = self._read(self.check_method(method), "n_ranked")
        return min((int(count[0]) for count in counts), default=0)

    def weights(self, method: str) -> tuple[Ints, NDArray[np.float64]]:
        """Return resamples and, for each, the weights of all features."""
        resamples, rows = self._read(self.check_method(method), "weights")
        return resamples, np.array(rows) if rows else np.empty((0, self.n_features))

    def sample_weights(self, method: str) -> list[tuple[int, NDArray[np.float64]]]:
        """Return, for resamples with instance weights, those of the training rows."""
        resamples, rows = self._read(self.check_method(method), "sample_weight")
        return list(zip(resamples.tolist(), rows, strict=True))

    def predicted(self, method: str) -> list[tuple[int, NDArray[np.int16]]]:
        """Return, by resample, class numbers predicted: classifier × size × test row."""
        resamples, rows = self._read(self.check_method(method), "predicted")
        return list(zip(resamples.tolist(), rows, strict=True))

    def scores(self, method: str, metric: str) -> tuple[Ints, NDArray[np.float64]]:
        """Return resamples and a metric: resample × classifier × size."""
        key = ("scores", method, metric)
        if key not in self._cache:
            predicted = self.predicted(method)
            leanings: dict[int, NDArray[Any]] = {}
            if metric == "roc_auc":
                leanings = dict(self.store.task_arrays(self.dataset, method, "scores"))
            values = [
                score(metric, self.codes[self.test(i)], labels, leanings.get(i), len(self.classes))
                for i, labels in predicted
            ]
            shape = (len(values), len(self.classifiers), len(self.sizes))
            resamples = np.array([i for i, _ in predicted], dtype=np.intp)
            self._cache[key] = resamples, np.array(values).reshape(shape)
        return self._cache[key]
