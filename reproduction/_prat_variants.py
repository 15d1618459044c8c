"""The thesis' combinations of instance and feature weighting [Prat 8.3, 8.5], and their controls.

A control draws or orders rows as the variant does and gives them the same mass,
but every row the same weight, so that what is left is the weighting itself.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from backstay.base import InstanceWeighted, distance_weights
from backstay.feature_weighting import (
    ForestImportance,
    InformationGain,
    OneR,
    Relief,
    Simba,
)
from backstay.instance_weighting import LogisticWeighting, MarginWeighting
from backstay.neighbors import DoublyWeightedKNeighborsClassifier
from reproduction._estimates import Floats
from reproduction._inside import logistic_weights, ranking_of

__all__ = ["Ranked", "Variant", "control_of", "instance_weights", "rank", "variants"]

# A draw of rows may hold a single class; this many are tried before giving up.
DRAWS = 50
ALPHA = 3.03
# k is not printed; one neighbour would make the instance weights' votes pointless.
N_NEIGHBORS = 5


@dataclass(frozen=True)
class Variant:
    """A ranker with an instance weighting.

    Attributes
    ----------
    method : str
        "Simba", "Relief", "RandomForests", "IG" or "1R".
    weighting : str
        "" for none, "MBIW", "LIW", or a control: "uniform, sum 1", "uniform as LIW",
        "uniform", "random order".
    strategy : str
        "normal", "sample" or "order"; with Δ the weights also scale Simba's steps.
    scaled : bool
        Features scaled to [0, 1] by the training rows; the thesis does not say so.
    """

    method: str
    weighting: str = ""
    strategy: str = "normal"
    scaled: bool = False

    @property
    def name(self) -> str:
        """What it is called in tables and files."""
        parts = [self.method]
        if self.weighting:
            parts += [self.weighting, self.strategy]
        return " ".join(parts) + (", scaled" if self.scaled else "")

    @property
    def plain(self) -> Variant:
        """The method without instance weights."""
        return Variant(self.method, scaled=self.scaled)


def control_of(variant: Variant) -> Variant:
    """Return the same variant with every row weighted alike, at the same mass.

    For an order by weight that is a random order.
    """
    simba, delta = variant.method == "Simba", variant.strategy.endswith("Δ")
    strategy = variant.strategy
    if not simba:
        alike = "random order" if strategy == "order" else "uniform"
    elif delta:
        alike = "uniform, sum 1" if variant.weighting == "MBIW" else "uniform as LIW"
        strategy = "sampleΔ" if strategy == "sampleΔ" else "normalΔ"
    elif strategy == "order":
        return variant.plain  # Simba's own order is random
    else:
        alike = "uniform"
    return Variant(variant.method, alike, strategy, variant.scaled)


def variants(*, scaled: bool = True, unprinted: bool = True) -> list[Variant]:
    """Return everything to run, plain methods and controls included, each once.

    Parameters
    ----------
    scaled : bool
        Whether Simba is run on scaled features, too.
    unprinted : bool
        Whether to run variants that the thesis describes and prints no tables of:
        Simba with weights that choose rows but do not scale steps, and other
        methods on rows ordered by weight.
    """
    order = ("order",) if unprinted else ()
    wanted = []
    for is_scaled in (False, True) if scaled else (False,):
        for strategy in ("normalΔ", "sampleΔ", "orderΔ"):
            wanted += [Variant("Simba", w, strategy, is_scaled) for w in ("MBIW", "LIW")]
    for method, strategies in {
        "Simba": ("sample", *order) if unprinted else (),
        "Relief": ("sample", *order),
        "RandomForests": ("sample", *order),
        "IG": ("sample",),
        "1R": ("sample",),
    }.items():
        wanted += [Variant(method, w, s) for s in strategies for w in ("MBIW", "LIW")]
    each = ((one.plain, one, control_of(one)) for one in wanted)
    return list(dict.fromkeys(one for group in each for one in group))


def instance_weights(X: Floats, y: NDArray[Any], scaled: bool, seed: int) -> dict[str, Floats]:
    """Return the weights of the training rows by name, with the mass they were published with.

    MBIW sums to 1 [Prat alg. 2.4], LIW lies in (0, 1) as it comes [Prat eq. 8.2].
    """
    scaling = "minmax" if scaled else None
    margin = MarginWeighting(scale="sum", scaling=scaling).fit_weight(X, y)
    margins = LogisticWeighting(scaling=scaling).fit(X, y).margins_
    logistic = logistic_weights(margins, ALPHA)
    n = len(y)
    return {
        "MBIW": margin,
        "LIW": logistic,
        "uniform, sum 1": np.full(n, 1 / n),
        "uniform as LIW": np.full(n, logistic.mean()),
        "uniform": np.ones(n),
        "random order": np.random.default_rng(seed).permutation(n) + 1.0,
    }


class KnownWeights(BaseEstimator):
    """Instance weights that are known already, so that variants share them.

    Parameters
    ----------
    weights : ndarray of shape (n_samples,)
        What ``fit_weight`` returns.
    """

    def __init__(self, weights: Any) -> None:
        self.weights = weights

    def fit_weight(self, X: Any, y: Any) -> Floats:
        """Return the known weights."""
        return np.asarray(self.weights, dtype=np.float64)


@dataclass(frozen=True)
class Ranked:
    """What a variant makes of training rows: weights, and features from best to worst."""

    importances: Floats
    order: NDArray[np.intp]
    votes: Floats | None

    def error(
        self, variant: Variant, X: Floats, y: NDArray[Any], X_test: Floats, y_test: NDArray[Any]
    ) -> float:
        """Return the test error of the doubly weighted k-NN [Prat alg. 8.2]."""
        classifier = DoublyWeightedKNeighborsClassifier(
            N_NEIGHBORS,
            feature_weights=distance_weights(self.importances),
            power=1,
            scaling="minmax" if variant.scaled else None,
        )
        classifier.fit(X, y, sample_weight=self.votes)
        return float(1 - classifier.score(X_test, y_test))


def rank(
    variant: Variant,
    X: Floats,
    y: NDArray[Any],
    weights: dict[str, Floats],
    seed: int,
    n_trees: int = 50,
) -> Ranked:
    """Fit a variant on training rows; equal importances are put in random order."""
    omega = weights[variant.weighting] if variant.weighting else None
    with warnings.catch_warnings():
        # Rows drawn with replacement may leave one of a class; its misses then count alone.
        warnings.filterwarnings("ignore", message=".*single member")
        fitted = _fit(variant, X, y, omega, seed, n_trees)
    ranking = ranking_of(fitted, X.shape[1], len(X), seed, indifferent=True)
    # An order by chance is no weight of a vote.
    votes = None if variant.weighting == "random order" else omega
    return Ranked(ranking.importances, ranking.order, votes)


def _fit(
    variant: Variant, X: Floats, y: NDArray[Any], omega: Floats | None, seed: int, n_trees: int
) -> Any:
    if variant.method == "Simba":
        scaling = "minmax" if variant.scaled else None
        strategy, delta = variant.strategy.rstrip("Δ"), variant.strategy.endswith("Δ")
        simba = Simba(strategy=strategy, delta=delta, scaling=scaling, random_state=seed)
        return simba.fit(X, y, sample_weight=omega)
    ranker = {
        "Relief": Relief(),
        "RandomForests": ForestImportance(n_trees, random_state=seed),
        "IG": InformationGain(),
        "1R": OneR(),
    }[variant.method]
    if omega is None:
        return ranker.fit(X, y)
    known = KnownWeights(omega)
    if variant.strategy == "order":
        return InstanceWeighted(ranker, known, strategy="order").fit(X, y)
    return _on_drawn_rows(ranker, known, X, y, seed)


def _on_drawn_rows(
    ranker: Any, known: KnownWeights, X: Floats, y: NDArray[Any], seed: int
) -> InstanceWeighted:
    for draw in range(DRAWS):
        weighted = InstanceWeighted(ranker, known, strategy="sample", random_state=seed + draw)
        try:
            return weighted.fit(X, y)
        except ValueError as error:
            if "one class only" not in str(error):
                raise
    raise ValueError(
        f"{DRAWS} draws of {len(y)} rows by their instance weights held one class only."
    )
