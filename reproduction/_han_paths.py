"""SVM-RFE on the Han–Yu data, round by round: what figures 6.1 to 6.4 are made of [Han 6]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.svm import SVC

from backstay.base import InstanceWeighted
from backstay.datasets import make_han_yu
from backstay.feature_weighting import SVMRFE
from backstay.instance_weighting import MarginWeighting, UniformWeighting
from backstay.stability import bias_variance
from reproduction._estimates import Estimate, Floats
from reproduction._experiment import Arrays, RunSettings

__all__ = [
    "METHODS",
    "QUANTITIES",
    "EliminationPaths",
    "closest_round",
    "jackknife_estimate",
    "load_paths",
]

PLAIN, WEIGHTED, CONTROL, MEAN_ONE = "SVM-RFE", "IW SVM-RFE", "control", "IW SVM-RFE, mean 1"
# A tenth of the features a round, rounded up: 10 are left after 40 rounds, as in the figures.
RANKER = SVMRFE(tol=1e-3, rounding="up", record_path=True)
METHODS: dict[str, Any] = {
    PLAIN: RANKER,
    WEIGHTED: InstanceWeighted(RANKER, MarginWeighting(scale="sum")),
    CONTROL: InstanceWeighted(RANKER, UniformWeighting(scale="sum")),
    MEAN_ONE: InstanceWeighted(RANKER, MarginWeighting(scale="mean")),
}
QUANTITIES = ("variance", "bias²", "error")
N_RELEVANT, FEWEST = 50, 10
# The sample size whose accuracy is wanted along the whole path [Han 6.1].
PATH_SAMPLES = 100
TEST_ROWS = 5000


def _seed(*parts: int) -> int:
    return int(np.random.SeedSequence(parts).generate_state(1)[0])


@cache
def _test_rows(seed: int) -> tuple[Floats, NDArray[np.intp]]:
    X, y, _ = make_han_yu(TEST_ROWS, random_state=_seed(seed, 0))
    return X, y


def closest_round(sizes: NDArray[Any], wanted: int) -> int:
    """Return the round with the number of remaining features closest to one wanted."""
    return int(np.abs(np.asarray(sizes) - wanted).argmin())


def linear_machine(X: Floats, y: NDArray[Any], features: NDArray[Any]) -> tuple[Floats, float]:
    """Train an SVM on some features scaled to [0, 1]; return its weights for all, unscaled."""
    part = X[:, features]
    low, span = part.min(axis=0), np.ptp(part, axis=0)
    machine = SVC(kernel="linear").fit((part - low) / span, y)
    weights = np.zeros(X.shape[1])
    weights[features] = machine.coef_[0] / span
    return weights, float(machine.intercept_[0] - weights[features] @ low)


def _accuracies(
    X: Floats, y: NDArray[Any], subsets: list[NDArray[Any]], seed: int
) -> NDArray[np.float64]:
    machines = [linear_machine(X, y, subset) for subset in subsets]
    test, labels = _test_rows(seed)
    decisions = test @ np.array([weights for weights, _ in machines]).T
    decisions += np.array([intercept for _, intercept in machines])
    return np.asarray(((decisions > 0) == labels[:, None]).mean(axis=0))


def training_set(key: Mapping[str, Any], seed: int) -> Arrays:
    """Run every method on one training set; keep paths, rankings and accuracies."""
    n_samples, number = int(key["n_samples"]), int(key["number"])
    X, y, _ = make_han_yu(n_samples, random_state=_seed(seed, 1, n_samples, number))
    found: Arrays = {}
    for m, method in enumerate(METHODS.values()):
        fitted = method.fit(X, y)
        path = getattr(fitted, "estimator_", fitted).path_
        path = [one for one in path if len(one.features) >= FEWEST]
        sizes = np.array([len(one.features) for one in path])
        wanted = range(len(path))
        if n_samples != PATH_SAMPLES:
            wanted = range(closest_round(sizes, N_RELEVANT), closest_round(sizes, N_RELEVANT) + 1)
        found[f"sizes {m}"] = sizes
        found[f"features {m}"] = np.concatenate([one.features for one in path]).astype(np.int16)
        found[f"weights {m}"] = np.concatenate([one.weights for one in path])
        found[f"order {m}"] = np.argsort(fitted.ranking_).astype(np.int16)
        found[f"rounds {m}"] = np.array(wanted)
        found[f"accuracy {m}"] = _accuracies(X, y, [path[r].features for r in wanted], seed)
    return found


@dataclass(frozen=True)
class EliminationPaths:
    """What one method did on all training sets of a size.

    Attributes
    ----------
    sizes : ndarray of shape (n_rounds,)
        Features remaining in each round.
    orders : ndarray of shape (n_sets, n_features)
        Features from best to worst.
    rounds : ndarray
        The rounds with an accuracy.
    accuracy : ndarray of shape (n_sets, len(rounds))
        Of a linear SVM on the remaining features, on the test rows.
    """

    sizes: NDArray[Any]
    orders: NDArray[Any]
    rounds: NDArray[Any]
    accuracy: Floats
    kept: list[tuple[NDArray[Any], Floats]]

    @property
    def truth(self) -> Floats:
        """r*: equal for the relevant features, summing to 1."""
        truth = np.zeros(self.orders.shape[1])
        truth[:N_RELEVANT] = 1 / N_RELEVANT
        return truth

    def weights(self, number: int) -> Floats:
        """Return the normalised weights in a round, training sets × features."""
        start = int(self.sizes[:number].sum())
        part = slice(start, start + int(self.sizes[number]))
        table = np.zeros(self.orders.shape)
        for row, (features, weights) in zip(table, self.kept, strict=True):
            row[features[part]] = weights[part]
        return table

    def decomposition(self, number: int) -> tuple[dict[str, float], dict[str, Floats], float]:
        """Return variance, bias² and error in a round, each also without one set at a time.

        The last value is how far the error is from the sum of the other two, relative to it.
        """
        weights, truth = self.weights(number), self.truth
        whole = bias_variance(weights, truth)
        values = {
            "variance": whole.variance,
            "bias²": whole.bias,
            "error": whole.error,
        }
        deviation = weights - truth
        m = len(deviation)
        means = (deviation.sum(axis=0) - deviation) / (m - 1)
        squares = deviation**2
        errors = ((squares.sum(axis=0) - squares) / (m - 1)).mean(axis=1)
        bias = (means**2).mean(axis=1)
        without = {"variance": errors - bias, "bias²": bias, "error": errors}
        gap = abs(whole.error - whole.bias - whole.variance) / whole.error
        return values, without, float(gap)


def jackknife_estimate(value: float, without: Floats) -> Estimate:
    """Return a value and its 95 % interval from the values without one training set each."""
    m = len(without)
    error = np.sqrt((m - 1) / m * ((without - without.mean()) ** 2).sum())
    half = float(stats.norm.ppf(0.975) * error)
    return Estimate(value, value - half, value + half)


def load_paths(settings: RunSettings, n_samples: int, n_sets: int) -> dict[str, EliminationPaths]:
    """Run what is not kept yet and return every method's paths on training sets of a size."""
    how = {"n_samples": n_samples, "rounding": RANKER.rounding}
    keys = [{**how, "number": number} for number in range(n_sets)]
    units = settings.kept_all("han-yu-paths", keys, training_set)
    return {
        name: EliminationPaths(
            sizes=units[0][f"sizes {m}"],
            orders=np.array([unit[f"order {m}"] for unit in units]).astype(np.intp),
            rounds=units[0][f"rounds {m}"],
            accuracy=np.array([unit[f"accuracy {m}"] for unit in units]),
            kept=[(unit[f"features {m}"], unit[f"weights {m}"]) for unit in units],
        )
        for m, name in enumerate(METHODS)
    }
