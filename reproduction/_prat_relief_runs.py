"""Separability of ReliefF, dReliefF and pdReliefF on the thesis' problems [Prat 5.3.2]."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.datasets import (
    make_decision_list,
    make_majority,
    make_modulo,
    make_non_monotonic,
    make_random_rbf,
    separability,
)
from backstay.feature_weighting import DoubleReliefF, ReliefF
from reproduction._estimates import Floats
from reproduction._experiment import RunSettings

__all__ = ["ALGORITHMS", "BY_FEATURE", "CATEGORIC", "FEW", "GENERATORS", "MANY", "Curves"]


N_ROWS = 100
# Problems in the order of the thesis; the first three are numeric.
GENERATORS: dict[str, Callable[..., Any]] = {
    "RDG1 numeric": make_decision_list,
    "random RBF": make_random_rbf,
    "NonMonotonic": make_non_monotonic,
    "MajorityN": make_majority,
    "ModuloP": make_modulo,
    "RDG1 boolean": partial(make_decision_list, boolean=True),
}
# Another reading of its formula, for it does not behave as reported by the printed one.
BY_FEATURE = "NonMonotonic by feature"
GENERATORS[BY_FEATURE] = partial(make_non_monotonic, alternate="features")
CATEGORIC = ("MajorityN", "ModuloP", "RDG1 boolean")
ALGORITHMS = ("ReliefF", "dReliefF", "pdReliefF")
PLAIN, DOUBLE, PROGRESSIVE = range(3)
# Upper ends of the bins of the total number of features, 2 to 150.
BINS = np.arange(15, 151, 15)
FEW, MANY = 15, 75


def combinations_of(quick: bool) -> list[tuple[int, int]]:
    """Return (relevant, irrelevant): some of 1 ≤ relevant ≤ 50, 1 ≤ irrelevant ≤ 2·relevant."""
    relevant = (1, 3, 10, 25, 50) if quick else (1, 2, 3, 5, 8, 12, 16, 20, 25, 30, 35, 40, 45, 50)
    ratios = (0.5, 1, 2) if quick else (0, 0.5, 1, 1.5, 2)
    return sorted({(n, max(1, int(n * ratio))) for n in relevant for ratio in ratios})


def separabilities(key: Mapping[str, Any], seed: int) -> dict[str, NDArray[Any]]:
    """Return the three algorithms' separability for every combination of a problem's repeat."""
    combinations = combinations_of(key["quick"])
    number = list(GENERATORS).index(key["problem"])
    found = np.full((len(combinations), len(ALGORITHMS)), np.nan)
    for i, (relevant, irrelevant) in enumerate(combinations):
        if key["problem"].startswith("NonMonotonic") and relevant == 1:
            continue  # one class by its formula
        entropy = [seed, number, key["repeat"], relevant, irrelevant]
        found[i] = _three(key["problem"], relevant, irrelevant, np.random.SeedSequence(entropy))
    return {"separability": found}


def _three(problem: str, relevant: int, irrelevant: int, seeds: np.random.SeedSequence) -> Floats:
    d = relevant + irrelevant
    while True:  # a decision list may leave all rows in one class: draw another
        data_seed, order_seed = seeds.spawn(1)[0].generate_state(2)
        X, y, relevance = GENERATORS[problem](
            N_ROWS, n_features=d, n_relevant=relevant, random_state=data_seed
        )
        if len(np.unique(y)) > 1:
            break
    nominal = np.arange(d) if problem in CATEGORIC else None
    rankers = (
        ReliefF(categorical_features=nominal),
        DoubleReliefF(categorical_features=nominal, random_state=order_seed),
        DoubleReliefF(progressive=True, categorical_features=nominal, random_state=order_seed),
    )
    with warnings.catch_warnings():
        # NonMonotonic has as many classes as relevant features: some of one row among 100.
        warnings.filterwarnings("ignore", message="class .* has a single member")
        return np.array(
            [separability(r.fit(X, y).feature_importances_, relevance) for r in rankers]
        )


class Curves:
    """Separability by problem, repeat, bin of the number of features, and algorithm."""

    def __init__(self, settings: RunSettings) -> None:
        self.n_repeats = settings.count(20, 2)
        combinations = combinations_of(settings.quick)
        keys = [
            {"problem": problem, "repeat": repeat, "quick": settings.quick}
            for problem in GENERATORS
            for repeat in range(self.n_repeats)
        ]
        runs = settings.kept_all("prat-fig5.7-5.8", keys, separabilities)
        self.runs = np.array([run["separability"] for run in runs]).reshape(
            len(GENERATORS), self.n_repeats, len(combinations), len(ALGORITHMS)
        )
        self.totals = np.array([sum(pair) for pair in combinations])
        bins = np.searchsorted(BINS, self.totals)
        filled = np.unique(bins)
        self.ends = BINS[filled]
        self.binned = np.stack(
            [np.nanmean(self.runs[:, :, bins == b], axis=2) for b in filled], axis=2
        )
        self.repeats = (
            f"{self.n_repeats} data sets for each of {len(combinations)} combinations of relevant "
            f"and irrelevant features and each of {len(GENERATORS)} problems"
        )

    def of(self, problem: str, algorithm: int, which: str = "all") -> Floats:
        """Mean separability of every repeat, over bins of few, more, many or all features."""
        chosen = {
            "all": self.ends > 0,
            "few": self.ends <= FEW,
            "more": self.ends > FEW,
            "many": self.ends > MANY,
        }[which]
        return self.binned[list(GENERATORS).index(problem), :, chosen, algorithm].mean(axis=0)

    def gap(self, problem: str, a: int, b: int, which: str = "all") -> Floats:
        """Separability of one algorithm minus another's, per repeat."""
        return self.of(problem, a, which) - self.of(problem, b, which)

    def distance(self, problem: str, a: int, b: int, few: bool) -> Floats:
        """Mean |difference| on the same data, per repeat."""
        chosen = (self.totals <= FEW) if few else (self.totals > MANY)
        runs = self.runs[list(GENERATORS).index(problem)][:, chosen]
        return np.nanmean(np.abs(runs[:, :, a] - runs[:, :, b]), axis=1)
