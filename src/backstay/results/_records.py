"""Reading one data set's part of a store, as the arrays that answers are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from backstay.results._facts import DatasetFacts, Role
from backstay.results._metrics import METRICS, score
from backstay.results._store import Store

Ints = NDArray[Any]
Floats = NDArray[np.float64]
Value = TypeVar("Value")


@dataclass(frozen=True)
class Candidates:
    """Features of the signatures of all methods, and what may stand in for them: their values.

    Attributes
    ----------
    features : array of shape (n_candidates,)
        Their numbers; with the strongest partners of each where values are kept.
    values : array of shape (n_candidates, n_samples) or None
        Values of mean 0 and standard deviation 1; nan for gaps. None where samples are many.
    pairs : two arrays of shape (n_pairs,)
        Numbers of two features of a signature that are strongly correlated.
    correlations : array of shape (n_pairs,)
        Pearson's r of each pair.
    """

    features: Ints
    values: Floats | None
    pairs: tuple[Ints, Ints]
    correlations: Floats


class Records:
    """What a store says about a data set: facts, splits, and arrays of every method.

    Arrays over resamples hold the resamples on which the method did not fail;
    each comes with the numbers of those resamples.

    Parameters
    ----------
    store : Store
        The store, open.
    dataset : str
        Name of the data set.
    stored : dict
        What the store says about it.
    """

    def __init__(self, store: Store, dataset: str, stored: dict[str, Any]) -> None:
        self.store, self.dataset, self._stored = store, dataset, stored
        self.n_features: int = stored["n_features"]
        self.n_samples: int = stored["n_samples"]
        self.sizes: list[int] = stored["sizes"]
        self.models: list[str] = stored["models"]
        self.classes: list[Any] = stored["classes"]
        self.methods: list[str] = list(stored["methods"])
        self._kept: dict[tuple[Any, ...], Any] = {}

    def once(self, key: tuple[Any, ...], compute: Callable[[], Value]) -> Value:
        """Return what was computed under this key before, or compute and keep it."""
        if key not in self._kept:
            self._kept[key] = compute()
        value: Value = self._kept[key]
        return value

    # The data set.

    @cached_property
    def _arrays(self) -> dict[str, NDArray[Any]]:
        return self.store.dataset_arrays(self.dataset)

    @cached_property
    def facts(self) -> DatasetFacts:
        """Everything there is to know about the data set beside its arrays."""
        stored = self._stored
        has_groups = bool(stored["data"]["groups"])
        known = self.store.study()
        null, null_runs = stored.get("null", [0, 0])
        return DatasetFacts(
            name=self.dataset,
            n_samples=self.n_samples,
            n_features=self.n_features,
            classes=self.classes,
            class_sizes=np.bincount(self.codes, minlength=len(self.classes)).tolist(),
            n_groups=int(self.units.max()) + 1 if has_groups else None,
            sizes=self.sizes,
            methods={name: Role(**role) for name, role in stored["methods"].items()},
            models=self.models,
            scoring=stored["scoring"],
            metric=stored.get("metric", stored["scoring"][0]),
            resampling=stored["resampling"],
            n_resamples=self.n_resamples,
            five_by_two=stored["five_by_two"],
            feature_names=stored["feature_names"],
            sample_names=stored.get("sample_names"),
            null=null,
            null_runs=null_runs,
            n_tasks=len(self.methods) * (self.n_resamples + null * null_runs),
            n_done=len(self.store.done(self.dataset)),
            fingerprints=stored["data"],
            splits=stored["splits"],
            provenance=dict(known.get(f"provenance of {self.dataset}") or {}),
            annotation=dict(known.get(f"annotation of {self.dataset}") or {}),
        )

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
        names = self.facts.feature_names
        return f"x{feature}" if names is None else str(names[feature])

    def sample_name(self, row: int) -> str:
        """Name of a row."""
        names = self.facts.sample_names
        return f"row {row}" if names is None else str(names[row])

    @property
    def partners(self) -> tuple[Ints, Ints, Floats]:
        """Features, their correlated partners and the correlations; empty before the end."""
        empty = np.empty(0, np.int32)
        held = self._arrays
        return (
            held.get("partner of", empty),
            held.get("partner", empty),
            held.get("partner correlation", np.empty(0)),
        )

    @property
    def modules(self) -> Ints | None:
        """Number of every feature's module; None if not known."""
        found = self._arrays.get("module")
        return None if found is None or not len(found) else found

    @property
    def moments(self) -> tuple[Floats, Floats, Floats] | None:
        """Number, mean and standard deviation: class × feature; None in an older store."""
        held = self._arrays
        if "class mean" not in held:
            return None
        return held["class count"], held["class mean"], held["class deviation"]

    @property
    def candidates(self) -> Candidates | None:
        """What is kept of the features of every signature; None before the end of the study."""
        held = self._arrays
        if "candidate" not in held:
            return None
        return Candidates(
            held["candidate"],
            held.get("candidate values"),
            (held["candidate pair"][0], held["candidate pair"][1]),
            held["candidate correlation"],
        )

    def numbered(self, name: Callable[[int], str]) -> list[NDArray[Any]]:
        """Return the arrays of the data set that are so named, from number 0 to the first gap."""
        held = self._arrays
        found: list[NDArray[Any]] = []
        while name(len(found)) in held:
            found.append(held[name(len(found))])
        return found

    def role(self, method: str) -> Role:
        """Return a method's control and plain form, and whether the study added it."""
        return self.facts.methods[method]

    # What a caller may name.

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

    def check_model(self, model: str | None) -> int:
        """Refuse a model that was not studied; return its place, the first for None."""
        if not self.models:
            raise ValueError("the study had no models, so there are no accuracies.")
        if model is None:
            return 0
        if model not in self.models:
            raise ValueError(
                f"model={model!r} was not studied; there are {', '.join(self.models)}."
            )
        return self.models.index(model)

    def check_metric(self, metric: str | None) -> str:
        """Refuse a metric that cannot be computed; None is the one that decides."""
        if metric is None:
            return self.facts.metric
        scoring = self.facts.scoring
        kept = {METRICS[name].needs for name in scoring} | {"labels"}
        if "probabilities" in kept:
            kept.add("scores")
        allowed = [name for name, known in METRICS.items() if known.needs in kept]
        if metric not in allowed:
            raise ValueError(f"metric={metric!r} is not available; there are {', '.join(allowed)}.")
        return metric

    # Arrays of the methods.

    def _read(self, method: str, name: str) -> tuple[Ints, list[NDArray[Any]]]:
        method = self.check_method(method)
        pairs = list(self.store.task_arrays(self.dataset, method, name))
        return np.array([i for i, _ in pairs], dtype=np.intp), [array for _, array in pairs]

    def orders(self, method: str) -> tuple[Ints, NDArray[np.int32]]:
        """Return resamples and, for each, the features from best to worst.

        Rankings of a wide table were kept down to a depth; then the rows end there.
        """

        def read() -> tuple[Ints, NDArray[np.int32]]:
            resamples, rows = self._read(method, "order")
            return resamples, _cut(rows, self.n_features)

        return self.once(("orders", method), read)

    def depth(self, method: str) -> int:
        """Return down to which place the rankings were kept: all features, or the best of many."""
        return int(self.orders(method)[1].shape[1])

    def check_depth(self, method: str, size: int) -> None:
        """Refuse a size beyond the places that were kept, and say why."""
        if size > (depth := self.depth(method)):
            raise ValueError(
                f"size {size} is out of reach: rankings of so many features "
                f"({self.n_features}) were kept down to place {depth}."
            )

    def null_orders(self, method: str) -> list[NDArray[np.int32]]:
        """Return, for every permutation of the labels, the orders of its runs; two at least.

        Runs with shuffled labels are stored under negative numbers: −1 − (b·r + i) is run i of
        r on permutation b.
        """

        def read() -> list[NDArray[np.int32]]:
            by_permutation: dict[int, list[NDArray[Any]]] = {}
            method_ = self.check_method(method)
            for i, order in self.store.task_arrays(self.dataset, method_, "order", null=True):
                by_permutation.setdefault((-1 - i) // self.facts.null_runs, []).append(order)
            runs = (rows for _, rows in sorted(by_permutation.items()) if len(rows) > 1)
            return [_cut(rows, self.n_features) for rows in runs]

        return self.once(("null orders", method), read)

    def mean_ranks(self, method: str) -> Floats:
        """Return the mean rank of every feature over resamples, 1 is best.

        Where rankings were cut, a feature behind the cut has the mean of the ranks behind it.
        """
        return self.once(("mean ranks", method), lambda: self._mean_ranks(method))

    def _mean_ranks(self, method: str) -> Floats:
        _, orders = self.orders(method)
        if not len(orders):
            return np.full(self.n_features, np.nan)
        depth = orders.shape[1]
        places = np.arange(1, depth + 1, dtype=np.int32)
        if depth == self.n_features:
            ranks = np.empty(orders.shape, dtype=np.int32)
            np.put_along_axis(ranks, orders.astype(np.intp), places[None], axis=1)
            mean: Floats = ranks.mean(axis=0)
            return mean
        behind = (depth + 1 + self.n_features) / 2
        total = np.full(self.n_features, behind * len(orders))
        for order in orders:
            total[order] += places - behind
        return total / len(orders)

    def ranked_counts(self, method: str) -> list[int]:
        """Return, for every resample, how many features were truly ranked."""
        return [int(count[0]) for count in self._read(method, "n_ranked")[1]]

    def n_ranked(self, method: str) -> int:
        """Return how many features were ranked on every resample, neither dropped nor left out."""
        return min(self.ranked_counts(method), default=0)

    def weights(self, method: str) -> tuple[Ints, Floats]:
        """Return resamples and, for each, the weights of all features.

        Where rankings were cut, the features behind the cut have the mean of their weights.
        """
        resamples, rows = self._read(method, "weights")
        wide, best = self._read(method, "best weights")
        if not len(wide):
            return resamples, np.array(rows) if rows else np.empty((0, self.n_features))
        orders = dict(zip(*self._read(method, "order"), strict=True))
        others = dict(zip(*self._read(method, "other weights"), strict=True))
        found = dict(zip(resamples, rows, strict=True))
        for run, values in zip(wide, best, strict=True):
            count, total, *_ = others[run]
            found[run] = np.full(self.n_features, total / count)
            found[run][orders[run]] = values
        return np.array(sorted(found)), np.array([found[run] for run in sorted(found)])

    def sample_weights(self, method: str) -> list[tuple[int, Floats]]:
        """Return, for resamples with instance weights, those of the training rows."""
        resamples, rows = self._read(method, "sample_weight")
        return list(zip(resamples.tolist(), rows, strict=True))

    def predicted(self, method: str) -> list[tuple[int, NDArray[np.int16]]]:
        """Return, by resample, class numbers predicted: model × size × test row."""
        resamples, rows = self._read(method, "predicted")
        return list(zip(resamples.tolist(), rows, strict=True))

    def scores(self, method: str, metric: str) -> tuple[Ints, Floats]:
        """Return resamples and a metric: resample × model × size."""
        return self.once(("scores", method, metric), lambda: self._scored(method, metric))

    def leanings(self, method: str) -> list[tuple[int, NDArray[np.float64]]]:
        """Return, by resample, scores of classes: model × size × test row × column."""
        resamples, rows = self._read(method, "scores")
        return list(zip(resamples.tolist(), rows, strict=True))

    def _scored(self, method: str, metric: str) -> tuple[Ints, Floats]:
        predicted = self.predicted(method)
        leanings = {} if METRICS[metric].needs == "labels" else dict(self.leanings(method))
        values = [
            score(metric, self.codes[self.test(i)], labels, leanings.get(i), len(self.classes))
            for i, labels in predicted
        ]
        shape = (len(values), len(self.models), len(self.sizes))
        resamples = np.array([i for i, _ in predicted], dtype=np.intp)
        return resamples, np.array(values).reshape(shape)


def _cut(rows: list[NDArray[Any]], n_features: int) -> NDArray[np.int32]:
    """Return rankings as rows, all as deep as the shortest: an older store kept them whole."""
    if not rows:
        return np.empty((0, n_features), np.int32)
    depth = min(map(len, rows))
    return np.array([row[:depth] for row in rows])
