"""Eq. 3.6 and 3.7: does bias stay and variance fall like 1/n as the sample grows? [Han 3.2]."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from backstay.datasets import make_han_yu
from backstay.feature_weighting import ReliefF, TTest
from backstay.stability import bias_variance
from reproduction._dots import dots
from reproduction._estimates import Estimate, Floats, claimed, compared
from reproduction._experiment import Arrays, Experiment, ExperimentResult, RunSettings

__all__ = ["EXPERIMENTS"]

SIZES = (50, 100, 200, 400)
N_FEATURES, N_RELEVANT = 500, 50
RANKERS = ("mean difference", "t test", "ReliefF", "linear SVM")
BOOTSTRAPS = 500


def _weights(name: str, X: Floats, y: Any) -> Floats:
    if name == "mean difference":  # a mean over rows, which the equations are about
        return np.asarray(X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))
    if name == "linear SVM":
        Z = MinMaxScaler().fit_transform(X)
        return np.asarray(SVC(kernel="linear").fit(Z, y).coef_[0])
    ranker = TTest() if name == "t test" else ReliefF()
    return np.asarray(ranker.fit(X, y).feature_importances_)


def _one(key: Mapping[str, Any], seed: int) -> Arrays:
    """Return every ranker's weights on one training set."""
    state = np.random.SeedSequence([seed, int(key["set"]), int(key["n"])]).generate_state(1)[0]
    X, y, _ = make_han_yu(
        int(key["n"]), n_features=N_FEATURES, n_relevant=N_RELEVANT, random_state=int(state % 2**31)
    )
    return {name: _weights(name, X, y) for name in RANKERS}


def shares(weights: Floats) -> Floats:
    """Return |w|/Σ|w| of every row, as the dissertation does."""
    return np.abs(weights) / np.abs(weights).sum(axis=1, keepdims=True)


def slope(figures: Floats) -> float:
    """Return the slope of the log of figures at each sample size on log n."""
    return float(np.polyfit(np.log(SIZES), np.log(figures), 1)[0])


def _bootstrapped(draws: list[Floats], true: Floats, part: str, seed: int) -> Estimate:
    """Return the slope of variance or bias² on log n, and its percentile interval over sets."""
    rng = np.random.default_rng(seed)

    def figure(rows: Floats) -> float:
        return float(getattr(bias_variance(rows, true), part))

    slopes = [
        slope(np.array([figure(rows[rng.integers(len(rows), size=len(rows))]) for rows in draws]))
        for _ in range(BOOTSTRAPS)
    ]
    value = slope(np.array([figure(rows) for rows in draws]))
    return Estimate(value, *np.quantile(slopes, [0.025, 0.975]))


def _run(settings: RunSettings) -> ExperimentResult:
    n = settings.count(60, 4)
    keys = [{"n": size, "set": i} for size in SIZES for i in range(n)]
    units = settings.kept_all("han-eq3.7", keys, _one)
    true = np.repeat([1.0 / N_RELEVANT, 0.0], [N_RELEVANT, N_FEATURES - N_RELEVANT])
    rows: list[dict[str, Any]] = []
    said = []
    for name in RANKERS:
        draws = [
            np.array([u[name] for k, u in zip(keys, units, strict=True) if k["n"] == size])
            for size in SIZES
        ]
        of_variance = _bootstrapped(draws, true, "variance", settings.seed)
        draws = [shares(weights) for weights in draws]
        of_shares = _bootstrapped(draws, true, "variance", settings.seed)
        of_bias = _bootstrapped(draws, true, "bias", settings.seed)
        fits = of_variance.low <= -1 <= of_variance.high
        about = {"weights": name}
        four = claimed("variance falls like 1/n: slope −1", fits, *of_variance)
        rows.append({**about, "quantity": "slope of log variance on log n", **four})
        four = compared(None, *of_shares)
        rows.append({**about, "quantity": "slope of log variance on log n, shares", **four})
        stays = of_bias.low <= 0 <= of_bias.high
        four = claimed("bias does not depend on n: slope 0", stays, *of_bias)
        rows.append({**about, "quantity": "slope of log bias² on log n, shares", **four})
        for size, weights in zip(SIZES, draws, strict=True):
            parts = bias_variance(weights, true)
            for what in ("variance", "bias"):
                four = compared(None, getattr(parts, what), np.nan, np.nan)
                rows.append({**about, "quantity": f"{what} of shares, n = {size}", **four})
        said.append(
            f"{name} {of_variance.value:+.2f} ({of_variance.low:.2f} to {of_variance.high:.2f}), "
            f"{of_shares.value:+.2f} and {of_bias.value:+.2f} "
            f"({of_bias.low:.2f} to {of_bias.high:.2f})"
        )
    finding = (
        f"Slopes on log n from {SIZES[0]} to {SIZES[-1]} rows, of the log variance of the weights, "
        f"of their shares, and of the log bias² of the shares: {'; '.join(said)}. The equations "
        "say −1, −1 and 0."
    )
    drawn = [row for row in rows if row["quantity"].startswith("slope")]
    return ExperimentResult(
        pd.DataFrame(rows),
        finding,
        f"{n} training sets of each size",
        dots(drawn, "weights", "quantity"),
    )


EXPERIMENTS = [
    Experiment(
        "han-eq3.7",
        "Bias and variance of feature weights against the sample size",
        "Han's dissertation, eq. 3.5–3.7",
        "Bias does not depend on the number of rows, variance falls like 1/n.",
        f"Han–Yu data, {N_FEATURES} features, {N_RELEVANT} relevant; weights as they are, and as "
        "shares |w|/Σ|w|, as in the dissertation; true shares are 1/50 and 0. The equations are "
        "those of a mean over rows, for which the mean difference stands. "
        f"Intervals are percentiles of {BOOTSTRAPS} bootstraps over training sets.",
        _run,
    )
]
