"""Which method, at which size? One answer, and an accuracy that pays for having chosen.

The best of many accuracies is too good to be true. So the whole choice is
repeated inside a bootstrap over the pooled out-of-sample predictions and judged
on the rows left out of it (bias-corrected cross-validation, Tsamardinos,
Greasidou & Borboudakis 2018).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.results._accuracy import accuracy_rows
from backstay.results._facts import Configuration
from backstay.results._metrics import POOLED_METRICS, chance_level
from backstay.results._parts import Parts
from backstay.results._records import Records
from backstay.results._signature import THRESHOLDS, signature_rows
from backstay.results._stability import curve_rows, mean_stability
from backstay.results._weighting import weighting_verdict

Floats = NDArray[np.float64]
# One-sided 95 %: what a configuration must exceed chance by, in standard errors.
ABOVE_CHANCE = 1.645


@dataclass(frozen=True, repr=False)
class Recommendation:
    """What to use, and why.

    Attributes
    ----------
    method, classifier, size : str, str, int or None
        None if no method does better than chance.
    signature : list of str
        Names of the features in the consensus over runs, most frequent first.
    features : list of int
        The same as column numbers.
    accuracy : float
        Bias-corrected estimate for the whole procedure, choice included.
    low, high : float
        Its 95 % interval: the wider of the bootstrap's percentiles and Wilson's.
    apparent : float
        Pooled accuracy of the chosen configuration, before correction.
    chance : float
        What guessing reaches.
    stability : float
        Kuncheva's index at the size chosen.
    sentence : str
        The choice in words.
    """

    method: str | None
    classifier: str | None
    size: int | None
    signature: list[str]
    features: list[int]
    accuracy: float
    low: float
    high: float
    apparent: float
    chance: float
    stability: float
    sentence: str

    def __repr__(self) -> str:
        return f"Recommendation: {self.sentence}"

    def frame(self) -> pd.DataFrame:
        """Return the recommendation as a frame of one row."""
        names = (
            "method", "classifier", "size", "stability", "accuracy", "low", "high", "apparent",
            "chance",
        )  # fmt: skip
        row = {name: getattr(self, name) for name in names}
        return pd.DataFrame([{**row, "signature": ", ".join(self.signature)}])


@dataclass(frozen=True)
class Choice:
    """What to look at: the recommended configuration, or what stands in for it.

    Attributes
    ----------
    kind : {"recommended", "nothing", "unjudged"}
        Whether it is recommended, shown although nothing is, or shown because no
        accuracy was measured.
    configuration : Configuration
        Method and size, with the classifier and the metric where there are any.
    recommendation : Recommendation or None
        None where no accuracy was measured.
    stability, low, high : float
        Nogueira's measure of the method at that size, with its 95 % interval.
    n_runs : int
        Runs of the method that did not fail.
    """

    kind: str
    configuration: Configuration
    recommendation: Recommendation | None
    stability: float
    low: float
    high: float
    n_runs: int

    @property
    def method(self) -> str:
        """Name of the method."""
        return self.configuration.method

    @property
    def size(self) -> int:
        """Number of features."""
        assert self.configuration.size is not None
        return self.configuration.size

    @property
    def classifier(self) -> str | None:
        """Name of the classifier."""
        return self.configuration.classifier

    @property
    def metric(self) -> str | None:
        """Name of the metric."""
        return self.configuration.metric


class RecommendationAnswers(Parts):
    """One method, one size and one signature, or none."""

    def recommend(
        self,
        *,
        metric: str | None = None,
        threshold: float = THRESHOLDS[0],
        n_bootstrap: int = 1000,
        random_state: int | None = 0,
    ) -> Recommendation:
        """Recommend one method, one size and one signature, or none, for one data set.

        The smallest size within one standard error of the best accuracy and the
        most stable method there. The accuracy quoted pays for having chosen:
        the choice is repeated in a bootstrap over the pooled out-of-sample
        predictions and judged on the rows left out. Nothing is recommended
        unless that is above chance.

        Parameters
        ----------
        metric : {"accuracy", "balanced_accuracy"}, default=None
            What is good; None is the study's deciding metric.
        threshold : float, default=0.5
            A feature is in the signature if more than this share of runs chose it.
        n_bootstrap : int, default=1000
            Bootstrap samples, of rows or of whole groups.
        random_state : int or None, default=0
            Seed of the bootstrap.
        """
        return recommended(self._one(), metric, threshold, n_bootstrap, random_state)

    def choice(self) -> Choice:
        """Return what to look at, for one data set: the recommendation, or what stands in.

        Where nothing is recommended, the most accurate configuration; where no
        accuracy was measured, the stablest method at its stablest size.
        """
        return choice_of(self._one())


def choice_of(records: Records) -> Choice:
    """Return the configuration that a data set's report is about."""
    if not records.classifiers:
        return _looked_at("unjudged", records, _stablest(records), None)
    found = recommended(records)
    metric = records.facts.metric
    if found.method is not None:
        chosen = Configuration(found.method, found.size, found.classifier, metric)
        return _looked_at("recommended", records, chosen, found)
    rows = accuracy_rows(records, [metric])
    best = max(rows, key=lambda row: np.nan_to_num(row["value"], nan=-np.inf))
    chosen = Configuration(best["method"], best["size"], best["classifier"], metric)
    return _looked_at("nothing", records, chosen, found)


def _stablest(records: Records) -> Configuration:
    """Return the method that is stablest on average over sizes, at its stablest size."""
    means: dict[str, float] = {}
    best_size: dict[str, int] = {}
    for method in records.methods:
        rows = curve_rows(records, method) if len(records.orders(method)[0]) > 1 else []
        known = [row for row in rows if math.isfinite(row["value"])]
        if known:
            means[method] = float(np.mean([row["value"] for row in known]))
            best_size[method] = int(max(known, key=lambda row: row["value"])["size"])
    if not means:
        return Configuration(records.methods[0], records.sizes[0])
    method = max(means, key=lambda name: means[name])
    return Configuration(method, best_size[method])


def _looked_at(
    kind: str, records: Records, configuration: Configuration, found: Recommendation | None
) -> Choice:
    method, size = configuration.method, configuration.size
    assert size is not None
    n_runs = len(records.orders(method)[0])
    value = low = high = math.nan
    if n_runs > 1:
        (row,) = curve_rows(records, method, sizes=[size])
        value, low, high = row["value"], row["low"], row["high"]
    return Choice(kind, configuration, found, value, low, high, n_runs)


def recommended(
    records: Records,
    metric: str | None = None,
    threshold: float = THRESHOLDS[0],
    n_bootstrap: int = 1000,
    random_state: int | None = 0,
) -> Recommendation:
    """Return the recommendation, computed once for all who ask with the same seed."""
    metric = records.facts.metric if metric is None else metric

    def compute() -> Recommendation:
        return _recommend(records, metric, threshold, n_bootstrap, random_state)

    if random_state is None:
        return compute()
    return records.once(("recommendation", metric, threshold, n_bootstrap, random_state), compute)


@dataclass(frozen=True)
class _Pool:
    """Out-of-sample correctness of every configuration, row by row.

    right : share of a row's tests that were right, row × (method × classifier × size);
    tested : whether the row was tested at all; kind : class of each row, all 0 for plain accuracy.
    """

    right: Floats
    tested: Floats
    kind: NDArray[Any]
    shape: tuple[int, int, int]

    @cached_property
    def _by_class(self) -> list[tuple[NDArray[Any], Floats, Floats, Floats]]:
        """Rows of every class; whether they were tested, and sums of right and its square."""
        found = []
        for c in np.unique(self.kind):
            rows = self.kind == c
            right, tested = self.right[rows], self.tested[rows]
            found.append((rows, tested, right * tested, right**2 * tested))
        return found

    def estimates(self, copies: Floats) -> tuple[Floats, Floats]:
        """Return accuracy and standard error of every configuration, rows counted by copies."""
        means, variances = [], []
        for rows, tested, right, squared in self._by_class:
            counts = copies[rows]
            size = counts @ tested
            size = np.where(size > 0, size, np.nan)
            mean = counts @ right / size
            square = counts @ squared / size
            means.append(mean)
            variances.append(np.maximum(square - mean**2, 0) / size)
        errors = np.sqrt(np.sum(variances, axis=0)) / len(means)
        return np.mean(means, axis=0), errors


def _recommend(
    records: Records, metric: str, threshold: float, n_bootstrap: int, random_state: Any
) -> Recommendation:
    """Choose the smallest size near the best accuracy and the most stable method there."""
    if metric not in POOLED_METRICS:
        raise ValueError(
            f"metric={metric!r} must be 'accuracy' or 'balanced_accuracy': the choice is "
            "repeated on single predictions, which these average."
        )
    if n_bootstrap < 10:
        raise ValueError(f"n_bootstrap={n_bootstrap!r} must be at least 10.")
    records.check_classifier(None)
    pool = _pool(records, metric)
    stability = np.array(
        [[mean_stability(records, m, size) for size in records.sizes] for m in records.methods]
    )
    chance = chance_level(metric, records.codes)
    everyone = np.ones(records.n_samples)
    accuracy, error = pool.estimates(everyone)
    chosen = choose(accuracy, error, stability, chance, pool.shape)
    drawn = _bootstrap(records, pool, stability, chance, n_bootstrap, random_state)
    corrected = float(np.mean(drawn))
    low, high = _interval(drawn, corrected, _effective_rows(records, metric))
    base = {"accuracy": corrected, "low": low, "high": high, "chance": chance}
    if chosen is None or low <= chance:
        return _none_found(records, metric, accuracy, base)
    return _found(records, metric, threshold, chosen, accuracy, error, stability, base)


def _effective_rows(records: Records, metric: str) -> float:
    """Return how many independent rows an accuracy rests on; a group counts as one."""
    share = (int(records.units.max()) + 1) / records.n_samples
    if metric == "accuracy":
        return share * records.n_samples
    counts = np.bincount(records.codes)
    return float(share * len(counts) ** 2 / (1 / counts).sum())


def _interval(drawn: Floats, value: float, n: float) -> tuple[float, float]:
    """Return the wider of the bootstrap's percentiles and Wilson's interval.

    A bootstrap of predictions that are nearly all right has no spread to show;
    Wilson's interval knows that so many rows can hide a few errors.
    """
    z = 1.96
    middle = (value + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(value * (1 - value) / n + z**2 / (4 * n**2))
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(min(low, middle - half)), float(max(high, middle + half))


def _pool(records: Records, metric: str) -> _Pool:
    shape = (len(records.methods), len(records.classifiers), len(records.sizes))
    right = np.zeros((records.n_samples, *shape))
    times = np.zeros((records.n_samples, shape[0]))
    for m, method in enumerate(records.methods):
        for resample, predicted in records.predicted(method):
            test = records.test(resample)
            hit = predicted == records.codes[test]
            right[test, m] += np.moveaxis(hit, -1, 0)
            times[test, m] += 1
    tested = np.broadcast_to((times > 0)[:, :, None, None], right.shape)
    right /= np.maximum(times, 1)[:, :, None, None]
    flat = records.n_samples, -1
    kind = np.zeros(records.n_samples, dtype=int) if metric == "accuracy" else records.codes
    return _Pool(right.reshape(flat), tested.reshape(flat).astype(float), kind, shape)


def choose(
    accuracy: Floats, error: Floats, stability: Floats, chance: float, shape: tuple[int, int, int]
) -> tuple[int, int, int] | None:
    """Return the places of method, classifier and size, or None if nothing beats chance.

    The smallest size at which some method is within one standard error of the
    best accuracy; of the methods there, the most stable; of its classifiers,
    the most accurate.
    """
    value = accuracy.reshape(shape)
    good = value - ABOVE_CHANCE * error.reshape(shape) > chance
    if not good.any():
        return None
    value = np.where(good, value, -np.inf)
    best = np.unravel_index(int(np.argmax(value)), shape)
    enough = value >= value[best] - error.reshape(shape)[best]
    size = int(np.argmax(enough.any(axis=(0, 1))))
    there = enough[:, :, size].any(axis=1)
    # An undefined stability never wins over a defined one.
    steady = np.where(there, np.nan_to_num(stability[:, size], nan=-2.0), -np.inf)
    method = int(np.argmax(steady))
    classifier = int(np.argmax(value[method, :, size]))
    return method, classifier, size


def _bootstrap(
    records: Records,
    pool: _Pool,
    stability: Floats,
    chance: float,
    n_bootstrap: int,
    random_state: Any,
) -> Floats:
    """Repeat the choice on drawn rows, whole groups at a time, and judge it on the others."""
    rng = np.random.default_rng(random_state)
    units = records.units
    n_units = int(units.max()) + 1
    found: list[float] = []
    for _ in range(n_bootstrap):
        copies = np.bincount(rng.integers(n_units, size=n_units), minlength=n_units)[units]
        inside = pool.estimates(copies.astype(float))
        outside, _ = pool.estimates((copies == 0).astype(float))
        if not np.isfinite(inside[0]).any():
            continue
        choice = choose(*inside, stability, chance, pool.shape)
        flat = (
            int(np.nanargmax(inside[0]))
            if choice is None
            else int(np.ravel_multi_index(choice, pool.shape))
        )
        if np.isfinite(outside[flat]):
            found.append(float(outside[flat]))
    if not found:
        raise ValueError("too few rows were tested for a bootstrap over them.")
    return np.array(found)


def _none_found(
    records: Records, metric: str, accuracy: Floats, base: dict[str, float]
) -> Recommendation:
    name = metric.replace("_", " ")
    sentence = (
        f"No method is recommended: the best {name} over {accuracy.size} configurations, "
        f"{np.nanmax(accuracy):.3f}, is {base['accuracy']:.3f} "
        f"(95 % [{base['low']:.3f}, {base['high']:.3f}]) once the choice is accounted for, "
        f"which is not above chance, {base['chance']:.3f}. A selection that is stable all the "
        "same is stable noise."
    )
    return Recommendation(
        method=None,
        classifier=None,
        size=None,
        signature=[],
        features=[],
        apparent=float(np.nanmax(accuracy)),
        stability=math.nan,
        sentence=sentence,
        **base,
    )


def _found(
    records: Records,
    metric: str,
    threshold: float,
    chosen: tuple[int, int, int],
    accuracy: Floats,
    error: Floats,
    stability: Floats,
    base: dict[str, float],
) -> Recommendation:
    m, c, s = chosen
    shape = (len(records.methods), len(records.classifiers), len(records.sizes))
    flat = int(np.ravel_multi_index(chosen, shape))
    method, classifier, size = records.methods[m], records.classifiers[c], records.sizes[s]
    steady = float(stability[m, s])
    best = int(np.nanargmax(accuracy))
    rows = signature_rows(records, method, size, threshold)
    name = metric.replace("_", " ")
    sentence = (
        f"{method} with {size} feature{'s' if size > 1 else ''} and {classifier}: the smallest "
        f"size whose pooled {name}, {accuracy[flat]:.3f}, is within one standard error "
        f"({error[best]:.3f}) of the best, {accuracy[best]:.3f}, and the most stable method "
        f"there (Kuncheva {steady:.2f}). Having chosen among {accuracy.size} configurations, "
        f"expect {base['accuracy']:.3f} (95 % [{base['low']:.3f}, {base['high']:.3f}]; "
        f"chance {base['chance']:.3f}). "
        f"{len(rows)} features were selected in more than {threshold:.0%} of the runs."
    )
    sentence += _against_control(records, method, size)
    return Recommendation(
        method=method,
        classifier=classifier,
        size=size,
        signature=[row["name"] for row in rows],
        features=[row["feature"] for row in rows],
        apparent=float(accuracy[flat]),
        stability=steady,
        sentence=sentence,
        **base,
    )


def _against_control(records: Records, method: str, size: int) -> str:
    """Say whether the weighting itself did anything, for a weighted method."""
    verdict = weighting_verdict(records, method, size)
    if verdict is None:
        return ""
    gain = verdict.over_control
    words = {
        "shown": "so the weighting itself helps",
        "here": "but not on average over all sizes, so it may be luck",
    }
    return (
        f" Its stability exceeds that of its uniform control by {gain.difference:.2f} "
        f"(95 % [{gain.low:.2f}, {gain.high:.2f}]), "
        f"{words.get(verdict.kind, 'so the weighting itself cannot be credited with it')}."
    )
