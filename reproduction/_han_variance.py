"""Figures 7.1 and 7.2: variance of the feature weights on microarrays [Han 7.2]."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backstay.base import InstanceWeighted
from backstay.feature_weighting import SVMRFE
from backstay.instance_weighting import MarginWeighting, UniformWeighting
from backstay.study import RepeatedStratifiedKFold
from reproduction._estimates import Estimate, mean_estimate
from reproduction._experiment import Arrays, Experiment, ExperimentResult, RunSettings
from reproduction._han_rows import COLOURS, claim, draw_curve, legend, observed
from reproduction._han_runs import (
    BASES,
    DATA,
    LUNG_FEATURES,
    N_FOLDS,
    NEEDS,
    PREPARATION,
    available,
    cv_repeats,
    preselection,
)

__all__ = ["EXPERIMENTS"]

MOST, FEWEST = 1000, 10
RECORDED = SVMRFE(tol=1e-3, record_path=True)
METHODS: dict[str, Any] = {
    "SVM-RFE": RECORDED,
    "IW SVM-RFE": InstanceWeighted(RECORDED, MarginWeighting(scale="sum")),
    "control SVM-RFE": InstanceWeighted(RECORDED, UniformWeighting(scale="sum")),
}
NO_REDUCTION = {"figure 7.1": "Leukemia", "figure 7.2": "Prostate"}
ALMOST_ZERO = 0.05
RELIEF = BASES["ReliefF"]
SHARES, AS_THEY_ARE = "|w|/Σ|w|", "w"


def path_variances(
    X: NDArray[Any], y: NDArray[Any], dataset: str, key: Mapping[str, Any], seed: int
) -> Arrays:
    """Return the variance over the folds of one cross-validation, round by round."""
    found: Arrays = {}
    for m, method in enumerate(METHODS.values()):
        paths = [_path(method, X[r], y[r], dataset) for r in _training_rows(X, y, key, seed)]
        sizes = [len(features) for features, _ in paths[0]]
        found["sizes"] = np.array(sizes)
        found[f"variance {m}"] = np.array(
            [_variance([path[number] for path in paths], key) for number in range(len(sizes))]
        )
    return found


def relief_variances(
    X: NDArray[Any], y: NDArray[Any], dataset: str, key: Mapping[str, Any], seed: int
) -> Arrays:
    """Return the variance of ReliefF's weights over the folds, as shares and as they are.

    The study of tables 7.3 and 7.5 keeps the best weights only.
    """
    found: Arrays = {}
    for name in (RELIEF.plain, RELIEF.weighted):
        runs = []
        for rows in _training_rows(X, y, key, seed):
            columns, fitted = _fitted(RELIEF.methods[name], X[rows], y[rows], dataset)
            runs.append((columns, fitted.feature_importances_))
        shares = [(columns, np.abs(w) / np.abs(w).sum()) for columns, w in runs]
        found[f"{name} {SHARES}"] = np.array(_variance(shares, key))
        found[f"{name} {AS_THEY_ARE}"] = np.array(_variance(runs, key))
    return found


def _training_rows(
    X: NDArray[Any], y: NDArray[Any], key: Mapping[str, Any], seed: int
) -> list[NDArray[np.intp]]:
    """Return the training rows of one cross-validation."""
    state = np.random.SeedSequence((seed, int(key["repetition"]))).generate_state(1)[0]
    folds = RepeatedStratifiedKFold(N_FOLDS, 1, random_state=int(state % 2**31))
    return [train for train, _ in folds.split(X, y)]


def _fitted(
    method: Any, X: NDArray[Any], y: NDArray[Any], dataset: str
) -> tuple[NDArray[np.intp], Any]:
    """Return the columns left by the preselection, and the method fitted to them."""
    columns, steps = np.arange(X.shape[1]), preselection(dataset)
    if steps is not None:
        columns = steps.fit(X, y).get_support(indices=True)
    return columns, method.fit(X[:, columns], y)


def _path(
    method: Any, X: NDArray[Any], y: NDArray[Any], dataset: str
) -> list[tuple[NDArray[Any], NDArray[np.float64]]]:
    """Return features and normalised weights of the rounds with 1000 to 10 features."""
    columns, fitted = _fitted(method, X, y, dataset)
    rounds = getattr(fitted, "estimator_", fitted).path_
    return [
        (columns[one.features], one.weights)
        for one in rounds
        if FEWEST <= len(one.features) <= MOST
    ]


def _variance(
    runs: list[tuple[NDArray[Any], NDArray[np.float64]]], key: Mapping[str, Any]
) -> float:
    """Return the variance over runs, averaged over all features, eliminated ones included."""
    union = np.unique(np.concatenate([features for features, _ in runs]))
    table = np.zeros((len(runs), len(union)))
    for row, (features, shares) in zip(table, runs, strict=True):
        row[np.searchsorted(union, features)] = shares
    return float(table.var(axis=0).sum() / key["n_features"])


def _ratio(first: NDArray[np.float64], second: NDArray[np.float64]) -> Estimate:
    """Return the geometric mean of a ratio over repetitions."""
    return Estimate(*np.exp(mean_estimate(np.log(first) - np.log(second))))


def _reduces(ratio: Estimate) -> bool:
    return ratio.high < 1 if np.isfinite(ratio.high) else ratio.value < 1


def _units(settings: RunSettings, name: str, compute: Any, dataset: str) -> list[Arrays]:
    """Return what was computed of every repetition of the cross-validation."""
    X, y = settings.load(DATA[dataset])
    width = X.shape[1] if preselection(dataset) is None else LUNG_FEATURES
    repetitions = range(cv_repeats(settings))
    keys = [{"dataset": dataset, "repetition": i, "n_features": width} for i in repetitions]
    return settings.kept_all(name, keys, partial(compute, X, y, dataset))


def figure_7_1(settings: RunSettings) -> ExperimentResult:
    """Variance of the weights along SVM-RFE."""
    n, rows = cv_repeats(settings), []
    curves: dict[str, tuple[NDArray[Any], dict[str, list[Estimate]]]] = {}
    ends: dict[tuple[str, str], Estimate] = {}
    plain, weighted, control = METHODS
    for dataset in available(settings):
        units = _units(settings, "han-path-variance", path_variances, dataset)
        sizes = units[0]["sizes"]
        found = {
            name: np.array([unit[f"variance {m}"] for unit in units])
            for m, name in enumerate(METHODS)
        }
        curves[dataset] = (
            sizes,
            {name: [mean_estimate(runs) for runs in table.T] for name, table in found.items()},
        )
        for place, text in ((-1, "much lower variance than SVM-RFE"), (0, "reduces the variance")):
            exception = place == 0 and dataset == NO_REDUCTION["figure 7.1"]
            text = "does not reduce the variance" if exception else text
            for first, second in ((weighted, plain), (control, plain), (weighted, control)):
                ratio = _ratio(found[first][:, place], found[second][:, place])
                about: dict[str, Any] = {"dataset": dataset, "method": f"{first} / {second}"}
                about["features"] = int(sizes[place])
                if place == -1:
                    ends[dataset, f"{first} / {second}"] = ratio
                rows.append(
                    claim(text, _reduces(ratio) != exception, ratio, **about)
                    if (first, second) == (weighted, plain)
                    else observed(ratio, **about)
                )
        for name in (plain, weighted):
            ratio = _ratio(found[name][:, 0], found[name][:, -1])
            about = {"dataset": dataset, "method": name, "features": f"{sizes[0]} / {sizes[-1]}"}
            text = "almost zero in the early iterations"
            rows.append(claim(text, ratio.value < ALMOST_ZERO, ratio, **about))
    finding = "Variance at 10 features: " + "; ".join(
        f"{dataset} " + ", ".join(f"{pair} {ends[dataset, pair].value:.2f}" for pair in pairs)
        for dataset in curves
        for pairs in [[p for d, p in ends if d == dataset]]
    )

    def draw(figure: Any) -> None:
        panels = np.atleast_1d(figure.subplots(1, len(curves)))
        for axes, (dataset, (sizes, by_method)) in zip(panels, curves.items(), strict=True):
            for name, line in by_method.items():
                draw_curve(axes, sizes, line, name, BASES["SVM-RFE"].roles[name])
            axes.set_xscale("log")
            axes.invert_xaxis()
            axes.set(title=dataset, xlabel="features left")
        panels[0].set_ylabel("variance, mean over features")
        legend(figure, panels[0])

    return ExperimentResult(pd.DataFrame(rows), finding + ".", _repeats(n), draw)


def _repeats(n: int) -> str:
    return f"{n} times 10-fold cross-validation (published: 10)"


def figure_7_2(settings: RunSettings) -> ExperimentResult:
    """Variance of ReliefF's weights."""
    base, n, rows = RELIEF, cv_repeats(settings), []
    found: dict[tuple[str, str], NDArray[np.float64]] = {}
    ratios: dict[str, Estimate] = {}
    for dataset in available(settings):
        units = _units(settings, "han-relief-variance", relief_variances, dataset)
        for scale in (SHARES, AS_THEY_ARE):
            spread = {
                method: np.array([float(unit[f"{method} {scale}"]) for unit in units])
                for method in (base.plain, base.weighted)
            }
            ratio = _ratio(spread[base.weighted], spread[base.plain])
            about = {"dataset": dataset, "method": f"{base.weighted} / {base.plain}"}
            about["quantity"] = f"ratio of variances, {scale}"
            if scale == AS_THEY_ARE:
                rows.append(observed(ratio, **about))
                continue
            found |= {(dataset, method): values for method, values in spread.items()}
            ratios[dataset] = ratio
            exception = dataset == NO_REDUCTION["figure 7.2"]
            text = "does not reduce the variance" if exception else "reduces the variance"
            rows.append(claim(text, _reduces(ratio) != exception, ratio, **about))
    finding = "Weighting multiplies the variance of ReliefF's weights by " + ", ".join(
        f"{ratio.value:.2f} on {dataset}" for dataset, ratio in ratios.items()
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for shift, method in enumerate((base.plain, base.weighted)):
            # Data sets differ by orders of magnitude: each in units of its plain ReliefF.
            bars = [
                mean_estimate(found[dataset, method] / found[dataset, base.plain].mean())
                for dataset in ratios
            ]
            table = np.array(bars)
            place = np.arange(len(ratios)) + 0.4 * (shift - 0.5)
            axes.bar(
                place,
                table[:, 0],
                width=0.4,
                yerr=np.nan_to_num(table[:, 2] - table[:, 0]),
                color=COLOURS[base.roles[method]],
                label=method,
            )
        axes.set_xticks(range(len(ratios)), list(ratios))
        axes.set_ylabel("variance, relative to ReliefF")
        axes.legend(fontsize="small")

    return ExperimentResult(pd.DataFrame(rows), finding + ".", _repeats(n), draw)


EXPERIMENTS = [
    Experiment(
        "han-fig7.1",
        "Variance of the weights along SVM-RFE on microarrays",
        "Han's dissertation, figure 7.1; Han & Yu 2010, figure 4",
        "Instance weighting lowers the variance, most of all when few features are left.",
        PREPARATION + " Variance over the 10 folds, mean over features, averaged over "
        "repetitions; ratios are geometric means with t intervals over repetitions. Rounds are "
        "matched by the number of features left. We take 'almost zero' as a twentieth of the value "
        "at 10 features.",
        figure_7_1,
        NEEDS,
    ),
    Experiment(
        "han-fig7.2",
        "Variance of ReliefF's weights on microarrays",
        "Han's dissertation, figure 7.2",
        "Except on Prostate, instance weighting lowers the variance of ReliefF's weights.",
        PREPARATION + " Variance over the 10 folds, mean over features. The scale of ReliefF's "
        "weights is not stated: statements are judged on |w|/Σ|w|, as for SVM-RFE, and the figures "
        "for w are shown as well.",
        figure_7_2,
        NEEDS,
    ),
]
