"""Redundancy against stability, and what the inducer does to remainder-aware search [Prat 1, 9]."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from backstay.datasets import make_anti_corral, make_han_yu
from backstay.feature_weighting import SVMRFE, ReliefF, TTest
from backstay.stability import stability_score
from reproduction._estimates import claimed, compared, mean_estimate
from reproduction._experiment import Arrays, Experiment, ExperimentResult, RunSettings
from reproduction._prat_cells import over_pairs, stability_pairs
from reproduction._prat_wrappers import nested

__all__ = ["EXPERIMENTS"]

CORRELATIONS = (0.0, 0.4, 0.8, 0.95)
N_ROWS, N_FEATURES, N_RELEVANT, BLOCK, N_TRAINING = 60, 200, 20, 10, 8
# Fewer than are relevant: only then must a method choose between redundant features.
SIZE = 5
SHIFT = 0.25
RANKERS = {"t test": TTest(), "ReliefF": ReliefF(), "SVM-RFE": SVMRFE()}
INDUCERS = ("knn", "lda", "svm", "svm_rbf")
AWARE = {"RSA forward": "SFG", "RSA backward": "SBG"}


def _one_redundancy(key: Mapping[str, Any], seed: int) -> Arrays:
    """Return stability by feature and by block of correlated features, ranker by ranker."""
    chosen: dict[str, list[Any]] = {name: [] for name in RANKERS}
    for training in range(N_TRAINING):
        state = np.random.SeedSequence([seed, int(key["set"]), training]).generate_state(1)[0]
        X, y, _ = make_han_yu(
            N_ROWS,
            n_features=N_FEATURES,
            n_relevant=N_RELEVANT,
            block_size=BLOCK,
            correlation=key["correlation"],
            shift=SHIFT,
            random_state=int(state % 2**31),
        )
        for name, ranker in RANKERS.items():
            chosen[name].append(np.argsort(ranker.fit(X, y).ranking_)[:SIZE])
    found = {}
    for name, subsets in chosen.items():
        found[name] = np.array(stability_score(subsets, N_FEATURES, "kuncheva").value)
        blocks = [np.bincount(s // BLOCK, minlength=N_FEATURES // BLOCK) for s in subsets]
        shared = [np.minimum(a, b).sum() / SIZE for a, b in combinations(blocks, 2)]
        found[f"{name} by block"] = np.array(np.mean(shared))
    return found


def _redundancy(settings: RunSettings) -> ExperimentResult:
    n = settings.count(20, 2)
    about = {"rows": N_ROWS, "size": SIZE, "shift": SHIFT}
    keys = [{"correlation": r, "set": i, **about} for r in CORRELATIONS for i in range(n)]
    units = settings.kept_all("prat-redundancy", keys, _one_redundancy)
    by = {
        r: {
            name: np.array(
                [float(u[name]) for k, u in zip(keys, units, strict=True) if k["correlation"] == r]
            )
            for name in units[0]
        }
        for r in CORRELATIONS
    }
    rows: list[dict[str, Any]] = []
    least, most = CORRELATIONS[0], CORRELATIONS[-1]
    said = []
    for name in RANKERS:
        change = mean_estimate(by[most][name] - by[least][name])
        what = f"stability at correlation {most} minus at {least}"
        four = claimed("more redundancy, less stability", change.high < 0, *change)
        rows.append({"ranker": name, "quantity": what, **four})
        for suffix, measure in (("", "Kuncheva"), (" by block", "share of common blocks")):
            for r in CORRELATIONS:
                four = compared(None, *mean_estimate(by[r][name + suffix]))
                rows.append({"ranker": name, "quantity": f"{measure}, correlation {r}", **four})
        said.append(
            f"{name} {by[least][name].mean():.2f} → {by[most][name].mean():.2f} by feature, "
            f"{by[least][f'{name} by block'].mean():.2f} → "
            f"{by[most][f'{name} by block'].mean():.2f} by block"
        )
    finding = f"From correlation {least} to {most} within blocks: " + "; ".join(said) + "."

    def draw(figure: Any) -> None:
        for axes, suffix in zip(figure.subplots(1, 2), ("", " by block"), strict=True):
            for name in RANKERS:
                axes.plot(
                    CORRELATIONS, [by[r][name + suffix].mean() for r in CORRELATIONS], label=name
                )
            axes.set(xlabel="correlation within blocks", title=f"stability{suffix}")
        axes.legend(fontsize=7)

    return ExperimentResult(
        pd.DataFrame(rows), finding, f"{n} times {N_TRAINING} training sets", draw
    )


def _one_inducer(key: Mapping[str, Any], seed: int) -> Arrays:
    data_seed = 1000 * seed + int(key["set"])
    if key["problem"] == "antiCorrAl":
        X, y, _ = make_anti_corral(60, random_state=data_seed)
    else:
        X, y, _ = make_han_yu(60, n_features=12, n_relevant=4, block_size=2, random_state=data_seed)
    found = nested(X, y, str(key["inducer"]), str(key["method"]), n_repeats=2, seed=data_seed)
    pairs = stability_pairs(found["orders"], X.shape[1])
    return {"stability": np.array(over_pairs(pairs).value)}


def _inducers(settings: RunSettings) -> ExperimentResult:
    n = settings.count(10, 1)
    problems = ("antiCorrAl", "Han–Yu") if not settings.quick else ("antiCorrAl",)
    methods = [*AWARE, *AWARE.values()]
    keys = [
        {"problem": p, "inducer": i, "method": m, "set": s}
        for p in problems
        for i in INDUCERS
        for m in methods
        for s in range(n)
    ]
    units = settings.kept_all("prat-inducers", keys, _one_inducer)
    table = pd.DataFrame(keys).assign(value=[float(u["stability"]) for u in units])
    wide = table.pivot_table(
        index=["problem", "inducer", "set"], columns="method", values="value"
    ).reset_index()
    rows, said = [], []
    for aware, plain in AWARE.items():
        for (problem, inducer), part in wide.groupby(["problem", "inducer"], sort=False):
            found = mean_estimate((part[aware] - part[plain]).to_numpy())
            about = {"problem": problem, "inducer": inducer, "quantity": f"{aware} − {plain}"}
            rows.append({**about, **compared(None, *found)})
            said.append(f"{problem} {inducer} {aware} {found.value:+.3f} ({rows[-1]['interval']})")
    finding = "Gain in stability over the plain search: " + "; ".join(said) + "."

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for place, row in enumerate(rows[::-1]):
            axes.plot(row["measured"], place, "o", color="C0", ms=4)
            if row["interval"]:
                ends = [float(end) for end in row["interval"].split(" to ")]
                axes.plot(ends, [place, place], color="C0", lw=1)
        labels = [f"{r['problem']} {r['inducer']}, {r['quantity']}" for r in rows[::-1]]
        axes.set_yticks(range(len(rows)), labels, fontsize=6)
        axes.axvline(0, color="0.6", lw=0.8)

    return ExperimentResult(pd.DataFrame(rows), finding, f"{n} data sets × 2×2 outer folds", draw)


EXPERIMENTS = [
    Experiment(
        "prat-redundancy",
        "Redundancy against stability",
        "[Prat] hypothesis 1 and section 9.6",
        "A larger amount of feature redundancy leads to more unstable results. (A hypothesis; the "
        "thesis has no experiment for it.)",
        f"Han–Yu data, {N_ROWS} rows, {N_FEATURES} features in blocks of {BLOCK}, {N_RELEVANT} "
        "relevant; redundancy is the correlation within blocks. Kuncheva's index of the first "
        f"{SIZE} features over {N_TRAINING} independent training sets, and the share of the "
        "selection that two runs have in common if features of one block count as the same. With "
        "more correlation the relevant features together say less about the class, too. The rows "
        "(80 at first), the size (20) and the signal were lowered after a short run; stability "
        "rose with correlation there, too.",
        _redundancy,
    ),
    Experiment(
        "prat-inducers",
        "What the inducer does to remainder-aware search",
        "[Prat] section 9.7",
        "The remainder often improves stability, with substantially different results for "
        "different inducers. (Future work in the thesis.)",
        "antiCorrAl and small Han–Yu data (12 features, 4 relevant, pairs of correlated ones), 60 "
        "rows; nested 2×2 folds, Kuncheva's index over all sizes. 1-NN takes features as given, "
        "SVMs (linear, RBF) standardised ones.",
        _inducers,
    ),
]
