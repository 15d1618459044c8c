"""Margin vectors: an example, and two variants that are said to change little [Han 4]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from scipy.spatial.distance import pdist, squareform

from backstay.base import InstanceWeighted
from backstay.datasets import make_han_yu
from backstay.feature_weighting import ReliefF
from backstay.instance_weighting import MarginWeighting, UniformWeighting
from backstay.stability import stability_score
from reproduction._estimates import Floats, claimed, compared, mean_estimate
from reproduction._experiment import Arrays, Experiment, ExperimentResult, RunSettings

__all__ = ["EXPERIMENTS"]

N_PLANE, N_ODD = 40, 2
VARIANTS: dict[str, dict[str, Any]] = {
    "distance-weighted (4.1.3)": {"neighbor_weights": "distance"},
    "iterative (4.4)": {"max_iter": 50},
}
MANY = 50  # features of a subset
# "Trivial" and "little" are no numbers in the dissertation.


def _plane(seed: int) -> tuple[Floats, Floats]:
    """Two classes in the plane; two rows of each lie near the centre, beyond the boundary."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], N_PLANE // 2)
    X = rng.normal(np.where(y == 1, 1.5, -1.5)[:, None], 0.6, size=(N_PLANE, 2))
    odd = np.r_[:N_ODD, N_PLANE // 2 : N_PLANE // 2 + N_ODD]
    X[odd] *= -1 / 3
    return X, y


def _outlying(rows: Floats) -> Floats:
    """Return each row's mean distance to the others."""
    return squareform(pdist(rows)).sum(axis=1) / (len(rows) - 1)


def _example(settings: RunSettings) -> ExperimentResult:
    n = settings.count(200, 10)
    ranks: dict[str, list[float]] = {
        "odd, original": [],
        "odd, margins": [],
        "weight": [],
        "correlation": [],
    }
    for seed in range(n):
        X, y = _plane(1000 * settings.seed + seed)
        weighting = MarginWeighting(1).fit(X, y)
        spaces = _outlying(X), _outlying(weighting.margin_vectors_)
        odd = np.r_[:N_ODD, N_PLANE // 2 : N_PLANE // 2 + N_ODD]
        for name, away in zip(("odd, original", "odd, margins"), spaces, strict=True):
            ranks[name].append(float(stats.rankdata(away)[odd].mean() / N_PLANE))
        ranks["weight"].append(float(weighting.sample_weight_[odd].mean()))
        ranks["correlation"].append(float(stats.spearmanr(*spaces).statistic))
    found = {name: mean_estimate(values) for name, values in ranks.items()}
    inside, outside = found["odd, original"], found["odd, margins"]
    rows = [
        {
            "quantity": "mean rank of the odd rows by distance to others, original space",
            **claimed("close to the centre", inside.high < 0.5, *inside),
        },
        {
            "quantity": "mean rank of the odd rows by distance to others, margin vectors",
            **claimed("far from the centre", outside.low > 0.5, *outside),
        },
        {
            "quantity": "mean weight of the odd rows, 1 on average",
            **claimed("lower weights", found["weight"].high < 1, *found["weight"]),
        },
        {
            "quantity": "rank correlation of outlying degree between the two spaces",
            **compared(None, *found["correlation"]),
        },
    ]
    finding = (
        f"Rows near the centre, beyond the boundary, lie at rank {inside.value:.2f} of 1 by "
        f"distance in the original space and at {outside.value:.2f} among margin vectors; their "
        f"weight is {found['weight'].value:.2f} where the mean is 1."
    )
    return ExperimentResult(pd.DataFrame(rows), finding, f"{n} data sets", _draw_example)


def _draw_example(figure: Any) -> None:
    X, y = _plane(0)
    weighting = MarginWeighting(1).fit(X, y)
    left, right = figure.subplots(1, 2)
    for axes, rows in ((left, X), (right, weighting.margin_vectors_)):
        for label, marker in ((0, "o"), (1, "+")):
            part = y == label
            axes.scatter(*rows[part].T, s=40 * weighting.sample_weight_[part], marker=marker)
        odd = np.r_[:N_ODD, N_PLANE // 2 : N_PLANE // 2 + N_ODD]
        axes.scatter(*rows[odd].T, s=140, facecolors="none", edgecolors="k")
    left.set_title("features", fontsize=8)
    right.set_title("margin vectors; size: weight; ringed: the odd rows", fontsize=8)


def _one_set(key: Mapping[str, Any], seed: int) -> Arrays:
    X, y, _ = make_han_yu(100, random_state=1000 * seed + int(key["set"]))
    plain = MarginWeighting().fit(X, y)
    found: dict[str, Any] = {}
    subsets = {"plain": _subset(MarginWeighting(), X, y)}
    for name, options in VARIANTS.items():
        fitted = MarginWeighting(**options).fit(X, y)
        omega, other = plain.sample_weight_, fitted.sample_weight_
        found[f"{name}: correlation"] = np.corrcoef(omega, other)[0, 1]
        found[f"{name}: change"] = np.abs(omega - other).mean() / omega.std()
        found[f"{name}: rounds"] = fitted.n_iter_
        subsets[name] = _subset(MarginWeighting(**options), X, y)
    subsets["uniform"] = _subset(UniformWeighting(), X, y)
    for name, subset in subsets.items():
        pair = [subsets["plain"], subset]
        found[f"{name}: overlap"] = stability_score(pair, X.shape[1], "kuncheva").value
    return {name: np.array(float(value)) for name, value in found.items()}


def _subset(weighting: Any, X: Floats, y: Any) -> Any:
    ranker = InstanceWeighted(ReliefF(n_features_to_select=MANY), weighting)
    return np.argsort(ranker.fit(X, y).ranking_)[:MANY]


def _variants(settings: RunSettings) -> ExperimentResult:
    n = settings.count(50, 4)
    units = settings.kept_all("han-margins", [{"set": i} for i in range(n)], _one_set)
    found = {name: mean_estimate([float(unit[name]) for unit in units]) for name in units[0]}
    rows = []
    for name in VARIANTS:
        about = {"variant": name}
        r = found[f"{name}: correlation"]
        rows.append(
            {
                **about,
                "quantity": "correlation of weights with those of all neighbours, one round",
                **compared(None, *r),
            }
        )
        for what, quantity in (
            ("change", "mean |change of a weight|, in standard deviations of the weights"),
            ("overlap", f"Kuncheva's index of IW ReliefF's {MANY} features, with and without"),
            ("rounds", "rounds"),
        ):
            rows.append(
                {**about, "quantity": quantity, **compared(None, *found[f"{name}: {what}"])}
            )
    about = {"variant": "uniform weights (the control)"}
    four = compared(None, *found["uniform: overlap"])
    rows.append({**about, "quantity": rows[2]["quantity"], **four})
    finding = "; ".join(
        f"{name}: weights correlate at {found[f'{name}: correlation'].value:.3f} with the "
        f"published default and change by {found[f'{name}: change'].value:.2f} of their standard "
        f"deviation, subsets of {MANY} agree at {found[f'{name}: overlap'].value:.2f}"
        for name in VARIANTS
    )
    finding += (
        ". Uniform weights, too, select subsets that agree at "
        f"{found['uniform: overlap'].value:.2f} with those of the default, so "
        "small effects on the subset say little."
    )
    return ExperimentResult(pd.DataFrame(rows), finding, f"{n} data sets", _draw_variants)


def _draw_variants(figure: Any) -> None:
    X, y, _ = make_han_yu(100, random_state=0)
    omega = MarginWeighting().fit(X, y).sample_weight_
    for axes, (name, options) in zip(figure.subplots(1, 2), VARIANTS.items(), strict=True):
        axes.plot(omega, MarginWeighting(**options).fit(X, y).sample_weight_, ".")
        axes.set(xlabel="weight, all neighbours, one round", ylabel=f"weight, {name}")


EXPERIMENTS = [
    Experiment(
        "han-fig4.2",
        "Margin vectors show rows that the original space hides",
        "Han's dissertation, figure 4.2; Han & Yu 2010, figure 1",
        "Rows beyond the boundary are close to the centre in the original space and far from it "
        "among margin vectors, so they get low weights.",
        f"Two classes of {N_PLANE // 2} rows in the plane, {N_ODD} of each beyond the boundary; "
        "one nearest hit and miss, as in the definition. The published example has no numbers. A "
        "rank of 0 is the most central row, 1 the most outlying, 0.5 the average one; 'close' and "
        "'far' mean closer and farther than average.",
        _example,
    ),
    Experiment(
        "han-margins",
        "Distance-weighted and iterative margins",
        "Han's dissertation, sections 4.1.3 and 4.4",
        "Both make a trivial difference, and the iteration converges quickly.",
        "Han–Yu data, 100 rows; instance weights of both variants beside those of all neighbours "
        "in one round. How much is trivial is not said, so nothing is judged. Uniform weights show "
        "what the subset owes to weighting at all.",
        _variants,
    ),
]
