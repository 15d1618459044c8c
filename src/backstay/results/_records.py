"""Reading one data set's part of a store, as the arrays that answers are made of."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cached_property, wraps
from itertools import count, takewhile
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from backstay._refusal import Refusal
from backstay._suspicion import Suspicion
from backstay._words import nearest
from backstay.results._facts import DatasetFacts, EffectUnits, Role
from backstay.stability import selection_frequency
from backstay.store import FIRST_PART, Store
from backstay.targets import Effects, Metric, Target, adjusted_effects, from_store

Ints = NDArray[Any]
Floats = NDArray[np.float64]
Value = TypeVar("Value")
Asked = ParamSpec("Asked")
# Largest signature whose features are described beyond their names.
LARGEST_SIZE = 100
# Facts of a data set that a store holds under the same name.
STORED_FACTS = (
    *("n_samples", "n_features", "feature_names", "sample_names", "sizes", "models"),
    *("scoring", "metric", "resampling", "five_by_two", "splits"),
)


def computed_once(
    answer: Callable[Concatenate[Records, Asked], Value],
) -> Callable[Concatenate[Records, Asked], Value]:
    """Keep the answers of a function of records, one for all who ask with the same arguments."""

    @wraps(answer)
    def asked(records: Records, *args: Asked.args, **kwargs: Asked.kwargs) -> Value:
        key = (answer, args, tuple(kwargs.items()))
        return records.once(key, lambda: answer(records, *args, **kwargs))

    return asked


@dataclass(frozen=True)
class Candidates:
    """Features of the signatures of all methods, and what may stand in for them: their values."""

    features: Ints  # their numbers; with the strongest partners of each where values are kept
    values: Floats | None  # feature × sample, of mean 0 and deviation 1; None if not kept
    pairs: tuple[Ints, Ints]  # two features of a signature that are strongly correlated
    correlations: Floats  # Pearson's r of each pair
    rows: Ints  # the samples that have values: all, or some of many


@dataclass(frozen=True)
class Part:
    """A run on one of the parts that rows were dealt into; `outputs` are of the other rows."""

    deal: int
    n_parts: int
    rows: Ints
    others: Ints
    order: NDArray[np.int32]
    outputs: Floats | None


class Records:
    """What a store says about a data set: facts, splits, and arrays of every method.

    Arrays over resamples come with the numbers of those on which the method did not fail.
    """

    def __init__(self, store: Store, dataset: str, stored: dict[str, Any]) -> None:
        self.store, self.dataset, self._stored = store, dataset, stored
        self.n_features: int = stored["n_features"]
        self.n_samples: int = stored["n_samples"]
        self.sizes: list[int] = stored["sizes"]
        self.models: list[str] = stored["models"]
        self.methods: list[str] = list(stored["methods"])
        self.max_features: int | None = None  # answers may have no more
        self._kept: dict[tuple[Any, ...], Any] = {}

    def at_most(self, max_features: int) -> Records:
        """Return records of the same runs whose answers have at most so many features."""
        if max_features < min(self.sizes):
            raise ValueError(
                f"max_features={max_features!r} is less than every number of features that was "
                f"studied; the least is {min(self.sizes)}."
            )
        limited = copy(self)
        limited.max_features, limited._kept = max_features, {}
        limited.__dict__.pop("facts", None)
        return limited

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
    def _computed(self) -> dict[str, NDArray[Any]]:
        return self.store.computed_arrays(self.dataset)

    def keep(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Write what was computed from all runs, and go on with it."""
        self.store.set_computed(self.dataset, arrays)
        self._computed = arrays

    def holds(self, name: str) -> bool:
        """Return whether an array of the data set is there."""
        return name in self._arrays

    def add(self, name: str, array: NDArray[Any]) -> None:
        """Write an array of the data set, and go on with it."""
        self.store.set_array(self.dataset, name, array)
        self._arrays[name] = array

    @staticmethod
    def decoy_key(method: str, draw: int) -> str:
        """Return the name of the array that holds a draw: scores of features and decoys."""
        return f"decoys {draw} of {method}"

    @property
    def is_described(self) -> bool:
        """Whether what is computed from all runs is there, and not of a shard's runs alone."""
        return "partner of" in self._computed and "candidate" in self._computed

    @cached_property
    def target(self) -> Target:
        """What the rows are to predict."""
        return from_store(self._stored["target"], self._arrays)

    def metric(self, name: str) -> Metric:
        """Return a metric of this kind of outcome."""
        return self.target.metrics[name]

    @cached_property
    def facts(self) -> DatasetFacts:
        """Everything there is to know about the data set beside its arrays."""
        stored, known = self._stored, self.store.study()
        null, null_runs = stored["null"]
        return DatasetFacts(
            **{field: stored[field] for field in STORED_FACTS},
            name=self.dataset,
            target=self.target,
            n_groups=self.n_units if stored["data"]["groups"] else None,
            methods={name: Role(**role) for name, role in stored["methods"].items()},
            n_resamples=self.n_resamples,
            null=null,
            null_runs=null_runs,
            part_runs=self._n_parts,
            n_tasks=len(self.methods) * (self.n_resamples + null * null_runs + self._n_parts),
            n_done=len(self.store.done(self.dataset)),
            fingerprints=stored["data"],
            provenance=dict(known.get(f"provenance of {self.dataset}") or {}),
            annotation=dict(known.get(f"annotation of {self.dataset}") or {}),
            keep_samples=stored.get("keep_samples", True),
            effect_units=self.effect_units,
            design=dict(stored.get("design") or {}),
            max_features=self.max_features,
        )

    @property
    def effect_units(self) -> EffectUnits:
        """What effects are over; unknown where a store has groups and does not say."""
        grouped = self._stored["data"]["groups"] is not None
        without = EffectUnits("unknown" if grouped else "rows", self.n_units)
        known = self.store.study().get(f"effects of {self.dataset}")
        return without if known is None else EffectUnits(**known)

    @property
    def suspicions(self) -> list[Suspicion]:
        """What the table, and the columns beside its features, make suspicious."""
        known = self.store.study()
        held = (known.get(f"suspicions {of} {self.dataset}") or [] for of in ("of", "beside"))
        return [Suspicion(**one) for part in held for one in part]

    @property
    def units(self) -> Ints:
        """Group number of every row; its own number where there are no groups."""
        return self._arrays.get("groups", np.arange(self.n_samples))

    @property
    def batch(self) -> Ints | None:
        """Number of every row's batch; None without batches."""
        return self._arrays.get("batch")

    @property
    def n_units(self) -> int:
        """Number of groups, or of rows where there are no groups: what is independent."""
        return int(self.units.max()) + 1

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

    @property
    def _n_parts(self) -> int:
        """Number of runs on parts of the rows that are planned."""
        return int(self._stored.get("planning", [0])[0])

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
        held, nobody = self._computed, np.empty(0, np.int32)
        features, partners = held.get("partner of", nobody), held.get("partner", nobody)
        return features, partners, held.get("partner correlation", np.empty(0))

    @property
    def modules(self) -> Ints | None:
        """Number of every feature's module; None if not known."""
        modules = self._arrays.get("module")
        return None if modules is None or not len(modules) else modules

    @cached_property
    def effects(self) -> Effects | None:
        """How every feature goes with the outcome; None before the study has described it."""
        effects = self.target.effects(self._arrays)
        if effects is None:
            return None
        effects = adjusted_effects(effects, self._arrays)
        tested = self.effect_units.kind in ("rows", "groups", "pairs")
        return effects if tested else effects.described_only()

    @property
    def candidates(self) -> Candidates | None:
        """What is kept of the features of every signature; None before the end of the study."""
        held = self._computed
        if "candidate" not in held:
            return None
        return Candidates(
            held["candidate"],
            held.get("candidate values"),
            (held["candidate pair"][0], held["candidate pair"][1]),
            held["candidate correlation"],
            held.get("candidate rows", np.arange(self.n_samples)),
        )

    def numbered(self, name: Callable[[int], str]) -> list[NDArray[Any]]:
        """Return the arrays of the data set that are so named, from number 0 to the first gap."""
        names = takewhile(self.holds, map(name, count()))
        return [self._arrays[one] for one in names]

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
        return _place("size", size, self.sizes)

    def check_model(self, model: str | None) -> int:
        """Refuse a model that was not studied; return its place, the first for None."""
        if not self.models:
            raise ValueError("the study had no models, so there are no accuracies.")
        return 0 if model is None else _place("model", model, self.models)

    def check_metric(self, metric: str | None) -> str:
        """Refuse a metric that cannot be computed; None is the one that decides."""
        if metric is None:
            return self.facts.metric
        metrics = self.target.metrics
        kept = {metrics[name].needs for name in self.facts.scoring} | {"predictions"}
        if "probabilities" in kept:
            kept.add("scores")
        allowed = [name for name, known in metrics.items() if known.needs in kept]
        if metric not in allowed:
            raise Refusal(
                f"metric={metric!r} is not available; {nearest(metric, allowed)}",
                parameter="metric",
            )
        return metric

    # Arrays of the methods.

    def _read(
        self, method: str, name: str, *, of: str = "splits"
    ) -> list[tuple[int, NDArray[Any]]]:
        """Return resamples and an array of each: of splits, of shuffled outcomes or of parts."""
        method = self.check_method(method)
        return list(self.store.task_arrays(self.dataset, method, name, of=of))

    @computed_once
    def orders(self, method: str) -> tuple[Ints, NDArray[np.int32]]:
        """Return resamples and, for each, the features from best to worst, down to a depth."""
        runs = self._read(method, "order")
        return _numbers(runs), _cut([order for _, order in runs], self.n_features)

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

    @computed_once
    def null_orders(self, method: str) -> list[NDArray[np.int32]]:
        """Return, for every permutation of the labels, the orders of its runs; two at least.

        Runs with shuffled outcomes are stored under negative numbers: −1 − (b·r + i) is run i of
        r on permutation b.
        """
        by_permutation: dict[int, list[NDArray[Any]]] = {}
        for i, order in self._read(method, "order", of="shuffled"):
            by_permutation.setdefault((-1 - i) // self.facts.null_runs, []).append(order)
        runs = (rows for _, rows in sorted(by_permutation.items()) if len(rows) > 1)
        return [_cut(rows, self.n_features) for rows in runs]

    @computed_once
    def parts(self, method: str, batches: bool = False) -> list[Part]:
        """Return the runs on parts of the rows, or on batches, whose number is ``n_parts``."""
        orders = dict(self._read(method, "order", of="parts"))
        outputs = dict(self._read(method, "outputs", of="parts"))
        found = []
        for number, order in sorted(orders.items(), reverse=True):
            place = FIRST_PART - number
            deal, n_parts = self._arrays["deals"][place].tolist()
            if (deal < 0) != batches:
                continue
            rows = self._arrays[f"part {place}"]
            others = np.setdiff1d(np.arange(self.n_samples), rows)
            found.append(Part(deal, n_parts, rows, others, order, outputs.get(number)))
        return found

    @computed_once
    def mean_ranks(self, method: str) -> Floats:
        """Return the mean rank of every feature over resamples, 1 is best."""
        return mean_ranks(self.orders(method)[1], self.n_features)

    @computed_once
    def frequencies(self, method: str, size: int) -> Floats:
        """Return the share of runs that put each feature among the best; zeros below two runs."""
        _, orders = self.orders(method)
        if len(orders) < 2:
            return np.zeros(self.n_features)
        return selection_frequency(orders[:, :size], self.n_features)

    def members(self, method: str, size: int) -> NDArray[np.intp]:
        """Return the most frequent features, at most `size`, by mean rank among equals."""
        frequency, ranks = self.frequencies(method, size), self.mean_ranks(method)
        order = np.lexsort((ranks, -frequency))[:size]
        return np.asarray(order[frequency[order] > 0])

    @property
    def described_sizes(self) -> list[int]:
        """Sizes whose features the study describes beyond their names: up to 100."""
        return [size for size in self.sizes if size <= LARGEST_SIZE]

    def ranked_counts(self, method: str) -> list[int]:
        """Return, for every resample, how many features were truly ranked."""
        return [int(n_ranked[0]) for _, n_ranked in self._read(method, "n_ranked")]

    def n_ranked(self, method: str) -> int:
        """Return how many features were ranked on every resample, neither dropped nor left out."""
        return min(self.ranked_counts(method), default=0)

    def weights(self, method: str) -> tuple[Ints, Floats]:
        """Return resamples and the weights of all features; behind a cut, the mean of theirs."""
        weights = dict(self._read(method, "weights"))
        orders = dict(self._read(method, "order"))
        others = dict(self._read(method, "other weights"))
        for run, best in self._read(method, "best weights"):
            n_others, total, *_ = others[run]
            weights[run] = np.full(self.n_features, total / n_others)
            weights[run][orders[run]] = best
        by_run = sorted(weights.items())
        return _numbers(by_run), np.array([row for _, row in by_run]).reshape(-1, self.n_features)

    def sample_weights(self, method: str) -> list[tuple[int, Floats]]:
        """Return, for resamples with instance weights, those of the training rows."""
        return self._read(method, "sample_weight")

    def outputs(self, method: str, of: str = "") -> list[tuple[int, Floats]]:
        """Return, by resample, outputs of the models: model × size × test row × column.

        " of features" without covariates, or " of covariates" without features, one size.
        """
        return self._read(method, f"outputs{of}")

    def tested(self, method: str, of: str = "") -> list[tuple[Ints, Floats]]:
        """Return the same with the rows that were tested instead of the resample's number."""
        return [(self.test(i), outputs) for i, outputs in self.outputs(method, of)]

    @computed_once
    def scores(self, method: str, metric: str, of: str = "") -> tuple[Ints, Floats]:
        """Return resamples and a metric: resample × model × size."""
        values = self.metric(metric).of_runs(self.target, self.tested(method, of))
        n_sizes = 1 if of == " of covariates" else len(self.sizes)
        shape = (len(values), len(self.models), n_sizes)
        return _numbers(self.outputs(method, of)), np.array(values).reshape(shape)


def _place(argument: str, value: Any, studied: list[Any]) -> int:
    if value not in studied:
        shown = ", ".join(map(str, studied))
        raise ValueError(f"{argument}={value!r} was not studied; there are {shown}.")
    return studied.index(value)


def _numbers(runs: list[tuple[int, NDArray[Any]]]) -> Ints:
    return np.array([number for number, _ in runs], dtype=np.intp)


def mean_ranks(orders: NDArray[np.int32], n_features: int) -> Floats:
    """Return the mean rank of every feature over orders; the mean of those behind a cut."""
    if not len(orders):
        return np.full(n_features, np.nan)
    depth = orders.shape[1]
    # Behind a cut, features share the mean of the ranks that are left.
    behind = (depth + 1 + n_features) / 2
    total = np.full(n_features, behind * len(orders))
    for order in orders:
        total[order] += np.arange(1, depth + 1) - behind
    return total / len(orders)


def _cut(rows: list[NDArray[Any]], n_features: int) -> NDArray[np.int32]:
    """Return rankings as rows, all as deep as the shortest."""
    if not rows:
        return np.empty((0, n_features), np.int32)
    depth = min(map(len, rows))
    return np.array([row[:depth] for row in rows])
