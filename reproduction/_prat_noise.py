"""Noise and copies of a feature in Relief, and the progressive distance [Prat 5.2, 5.3]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from backstay.feature_weighting import ReliefF
from reproduction._estimates import Floats, claimed, compared, mean_estimate
from reproduction._experiment import Arrays, Experiment, ExperimentResult, RunSettings

__all__ = ["EXPERIMENTS"]

N_ROWS = 200
VALUES, NOISE = (2, 3, 5), (0.1, 0.2)
ALIKE = 0.1
A, S = 2.0, 0.0633657  # of eq. 5.15 and 5.16


def change_probabilities(n_values: int, noise: float) -> tuple[float, float]:
    """Return D and E of eq. 5.11: different values become equal, equal ones become different.

    Examples
    --------
    >>> from reproduction._prat_noise import change_probabilities
    >>> change_probabilities(2, 0.1)
    (0.18, 0.18)
    """
    once, twice, others = 2 * noise * (1 - noise), noise**2, n_values - 1
    different = once / others + twice * (n_values - 2) / others**2
    equal = once + twice * (n_values - 2) / others
    return round(different, 12), round(equal, 12)


def _nominal(n_values: int, seed: int) -> tuple[Any, Any, np.random.Generator]:
    """Return a feature that often tells the class, four that do not, and the class."""
    rng = np.random.default_rng(seed)
    y = np.arange(N_ROWS) % 2
    X = rng.integers(0, n_values, (N_ROWS, 5))
    told = rng.random(N_ROWS) < 0.7
    X[told, 0] = y[told]
    return X, y, rng


def _nearest(X: Any, y: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return the nearest hit and miss of every row; equally near ones are drawn."""
    away = (X[:, None, :] != X[None]).sum(axis=2) + rng.random((len(y), len(y))) / 2
    np.fill_diagonal(away, np.inf)
    same = y[:, None] == y
    return (
        np.where(same, away, np.inf).argmin(axis=1),
        np.where(same, np.inf, away).argmin(axis=1),
    )


def _weight(column: Any, hit: Any, miss: Any) -> float:
    """Relief's weight of a column, given the neighbours."""
    return float(np.mean(column != column[miss]) - np.mean(column != column[hit]))


def _noisy_set(key: Mapping[str, Any], seed: int) -> Arrays:
    found = {}
    for n_values in VALUES:
        X, y, rng = _nominal(n_values, 1000 * seed + int(key["set"]))
        hit, miss = _nearest(X, y, rng)
        found[f"{n_values}"] = np.array(_weight(X[:, 0], hit, miss))
        for noise in NOISE:
            changed = rng.random(N_ROWS) < noise
            shift = rng.integers(1, n_values, N_ROWS)
            column = np.where(changed, (X[:, 0] + shift) % n_values, X[:, 0])
            found[f"{n_values} {noise}"] = np.array(_weight(column, hit, miss))
    return found


def _noise(settings: RunSettings) -> ExperimentResult:
    n = settings.count(200, 20)
    units = settings.kept_all("prat-fig5.1", [{"set": i} for i in range(n)], _noisy_set)
    weights = {name: np.array([float(unit[name]) for unit in units]) for name in units[0]}
    rows: list[dict[str, Any]] = []
    ratios = {}
    for n_values in VALUES:
        clean = weights[f"{n_values}"]
        for noise in NOISE:
            noisy = weights[f"{n_values} {noise}"]
            # Of means, since a single weight may be near 0; interval by linearisation.
            ratio = noisy.mean() / clean.mean()
            about = mean_estimate((noisy - ratio * clean) / clean.mean())
            found = (ratio, ratio + about.low, ratio + about.high)
            ratios[n_values, noise] = ratio
            left = 1 - sum(change_probabilities(n_values, noise))
            where = {"values": n_values, "noise": noise}
            what = f"weight with noise / without; 1 − D − E = {left:.3f}"
            if n_values == 2:
                four = claimed("noise does not affect the weight", found[2] > 0.99, *found)
            else:
                four = claimed("noise moves the weight towards 0", found[2] < 1, *found)
            rows.append({**where, "quantity": what, **four})
    finding = (
        "Weights shrink by the factor 1 − D − E, D and E being the probabilities of eq. 5.9: "
        + ", ".join(
            f"{ratio:.2f} for {v} values and noise {p} ({1 - sum(change_probabilities(v, p)):.2f})"
            for (v, p), ratio in ratios.items()
        )
        + ". That binary features do not suffer from noise, as the text concludes from eq. 5.12, "
        "is a slip of sign: pairs that become different do not offset pairs that become equal."
    )
    return ExperimentResult(pd.DataFrame(rows), finding, f"{n} data sets", _draw_noise)


def _draw_noise(figure: Any) -> None:
    axes = figure.subplots()
    noise = np.linspace(0, 0.5, 51)
    for n_values in VALUES:
        left = [1 - sum(change_probabilities(n_values, p)) for p in noise]
        axes.plot(noise, left, label=f"{n_values} values")
    axes.set(xlabel="probability that a value is changed", ylabel="weight / weight without noise")
    axes.legend(fontsize=7)


def _copied_set(key: Mapping[str, Any], seed: int) -> Arrays:
    rng = np.random.default_rng([seed, int(key["set"])])
    X = rng.integers(0, 2, (N_ROWS, 6)).astype(float)
    y = (X[:, 0] * X[:, 1]).astype(int)
    relief = ReliefF(1, categorical_features=list(range(6)))
    alone = relief.fit(X, y).feature_importances_
    twice = np.column_stack([X, X[:, 0]])
    relief = ReliefF(1, categorical_features=list(range(7)))
    copied = relief.fit(twice, y).feature_importances_
    parity = X[:, :3].sum(axis=1).astype(int) % 2
    odd = ReliefF(1, categorical_features=[0, 1, 2]).fit(X[:, :3], parity).feature_importances_
    return {
        "apart": np.array(abs(copied[0] - copied[6])),
        "change": np.array(copied[0] - alone[0]),
        "parity": np.array(odd[0] - odd[1]),
    }


def _copies(settings: RunSettings) -> ExperimentResult:
    n = settings.count(100, 10)
    units = settings.kept_all("prat-lemma5.1", [{"set": i} for i in range(n)], _copied_set)
    found = {name: mean_estimate([float(u[name]) for u in units]) for name in units[0]}
    largest = max(float(u["apart"]) for u in units)
    alike = sum(abs(float(u["parity"])) < ALIKE for u in units)
    rows = [
        {
            "quantity": "largest difference between the weights of a feature and its copy",
            **claimed("redundant features get the same weight", largest < 1e-12, largest, 0, 0),
        },
        {
            "quantity": "weight of a feature once its copy is added, minus before",
            **claimed("the weight diminishes", found["change"].high < 0, *found["change"]),
        },
        {
            "quantity": "difference of weights of two features of a parity that is the class",
            **claimed(
                "the same weight without being redundant",
                found["parity"].low <= 0 <= found["parity"].high,
                *found["parity"],
            ),
        },
    ]
    finding = (
        f"A copy gets the weight of its original (largest difference {largest:.1g}); adding it "
        f"changes that weight by {found['change'].value:+.3f} ({found['change'].low:+.3f} to "
        f"{found['change'].high:+.3f}). Features of a parity, not redundant at all, have "
        f"weights that differ by {found['parity'].value:+.3f} on average "
        f"({found['parity'].low:+.3f} to {found['parity'].high:+.3f}), and by less than {ALIKE} in "
        f"{alike} of {n} data sets."
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        axes.hist([float(u["change"]) for u in units], bins=20)
        axes.set_xlabel("change of a feature's weight once its copy is added")

    return ExperimentResult(pd.DataFrame(rows), finding, f"{n} data sets", draw)


def progress(t: Floats | float, s: float = S, a: float = A) -> Any:
    """Return how far f has gone from 1 to w at the share t of the iterations: c/(c + s)."""
    c = np.asarray(t, dtype=np.float64) ** a
    return c / (c + s)


def area(s: float = S, a: float = A) -> float:
    """Return the left side of eq. 5.17: the mean of 1 − c/(c + s) over all iterations."""
    t = (np.arange(200_000) + 0.5) / 200_000
    return float(np.mean(1 - progress(t, s, a)))


def _progressive(settings: RunSettings) -> ExperimentResult:
    left, half = area(), float(progress(0.5))
    small, large = float(progress(0.1, S / 10)), float(progress(0.1, S * 10))
    rows = [
        {
            "quantity": "area between f and w, as a share of that between 1 and w",
            **compared(0.3333, left, left, left, digits=4),
        },
        {
            "quantity": "share of the way from 1 to w after half of the iterations",
            **claimed("stays near 1 for half of the iterations", half < 0.25, half, half, half),
        },
        {
            "quantity": "the same after a tenth of them, s ten times as large minus s a tenth",
            **claimed(
                "high values of s converge first", large > small, large - small, np.nan, np.nan
            ),
        },
    ]
    finding = (
        f"a = 2 and s = {S} leave {left:.4f} of the area, a third as intended. But after half of "
        f"the iterations f has gone {half:.0%} of the way from 1 to w, and small, not high, values "
        f"of s converge early: after a tenth of the iterations {small:.0%} of the way with s/10, "
        f"{large:.0%} with 10 s."
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        t = np.linspace(0, 1, 201)
        for w in (0.0, 0.25, 0.5, 1.0, 1.5):
            axes.plot(t, 1 + (w - 1) * progress(t), color="C0", lw=1)
        for s in (S / 10, S * 10):
            axes.plot(t, 1 - 0.75 * progress(t, s), "--", lw=0.8, label=f"w = 0.25, s = {s:.2g}")
        axes.set(xlabel="share of the iterations", ylabel="f(w, t)")
        axes.legend(fontsize=7)

    return ExperimentResult(pd.DataFrame(rows), finding, "1: formulas, nothing is random", draw)


EXPERIMENTS = [
    Experiment(
        "prat-fig5.1",
        "What noise does to Relief's weights",
        "[Prat] section 5.2, figures 5.1 and 5.2",
        "Noise makes weights go to zero for relevant and irrelevant features; a binary feature is "
        "not affected.",
        f"{N_ROWS} rows, a feature of 2, 3 or 5 values that often tells the class and four that do "
        "not; one nearest hit and miss. A copy of the feature whose values are changed with "
        "probability 0.1 or 0.2 is weighted with the same neighbours. From eq. 5.9 follows that "
        "the weight is multiplied by 1 − D − E. The thesis does not print that number; it stands "
        "beside the measured one without a verdict.",
        _noise,
    ),
    Experiment(
        "prat-lemma5.1",
        "Copies of a feature in Relief",
        "[Prat] section 5.2, lemmas 5.1 and 5.2",
        "Redundant features get the same weight, equal weights do not mean redundancy, and adding "
        "a copy lowers a feature's weight.",
        f"{N_ROWS} rows of six binary features, the class is the conjunction of two; ReliefF with "
        "one neighbour, with and without a copy of a relevant feature. For the second lemma, the "
        "class is the parity of three features; it says that such weights can be the same, so they "
        "are judged by their mean difference.",
        _copies,
    ),
    Experiment(
        "prat-fig5.3",
        "The progressive distance of pdReliefF",
        "[Prat] eq. 5.15 to 5.17, figures 5.3 and 5.4",
        "a = 2 and s = 0.0633657 leave a third of the area; f stays near 1 for half of the "
        "iterations; high values of s converge in the first few iterations.",
        "The formulas as printed. 'Near 1' is taken as less than a quarter of the way to w.",
        _progressive,
    ),
]
