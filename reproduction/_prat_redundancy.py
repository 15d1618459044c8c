"""Redundancy against stability, and what the inducer does to remainder-aware search [Prat 1, 9]."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from backstay.datasets import make_anti_corral, make_han_yu
from backstay.feature_weighting import MRMR, SVMRFE, LassoPath, ReliefF, TTest
from backstay.redundancy import redundancy_level
from backstay.stability import stability_score
from backstay.wrappers import SequentialSelector
from reproduction._estimates import Floats, claimed, compared, mean_estimate
from reproduction._experiment import Arrays, Experiment, ExperimentResult, RunSettings
from reproduction._prat_cells import over_pairs, stability_pairs
from reproduction._prat_wrappers import nested

__all__ = ["EXPERIMENTS"]

COPIES = (0, 1, 3, 7)
N_ROWS, N_FEATURES, N_RELEVANT, N_TRAINING = 100, 65, 5, 25
SHIFT = 1.5  # between the classes' means, in standard deviations
NOISE = 0.1  # of a copy: correlation 0.995, so that no two columns are the same
RANKERS: dict[str, Any] = {
    "t test": TTest(),
    "ReliefF": ReliefF(),
    "SVM-RFE": SVMRFE(),
    "mRMR": MRMR(),
    "lasso": LassoPath(),
    "SFG, 1-NN": SequentialSelector("1nn", n_features_to_select=N_RELEVANT, random_state=0),
}
BY_ORIGINAL, FOUND = " by original", " relevant"
MEASURES = {
    "": "Kuncheva",
    BY_ORIGINAL: "share of common originals",
    FOUND: "share of relevant features or copies",
}
INDUCERS = ("knn", "lda", "svm", "svm_rbf")
AWARE = {"RSA forward": "SFG", "RSA backward": "SBG"}


def _with_copies(n_rows: int, copies: int, rng: np.random.Generator) -> tuple[Floats, Any]:
    """Return rows of 5 relevant features, their copies and as many irrelevant ones as fit."""
    y = np.arange(n_rows) % 2
    X = rng.normal(size=(n_rows, N_FEATURES))
    X[:, :N_RELEVANT] += SHIFT * y[:, None]
    for c in range(1, copies + 1):
        place = slice(c * N_RELEVANT, (c + 1) * N_RELEVANT)
        X[:, place] = X[:, :N_RELEVANT] + NOISE * rng.normal(size=(n_rows, N_RELEVANT))
    return X, y


def _one_redundancy(key: Mapping[str, Any], seed: int) -> Arrays:
    """Return stability by feature and by original, ranker by ranker."""
    chosen: dict[str, list[Any]] = {name: [] for name in RANKERS}
    for training in range(int(key.get("training", N_TRAINING))):
        rng = np.random.default_rng([seed, int(key["set"]), training])
        X, y = _with_copies(N_ROWS, int(key["copies"]), rng)
        # Ties must not go to the first column again and again.
        columns = rng.permutation(N_FEATURES)
        for name, ranker in RANKERS.items():
            order = np.argsort(ranker.fit(X[:, columns], y).ranking_, kind="stable")
            chosen[name].append(columns[order[:N_RELEVANT]])
    found = {}
    n_copied = N_RELEVANT * (1 + int(key["copies"]))
    for name, subsets in chosen.items():
        found[name] = np.array(stability_score(subsets, N_FEATURES, "kuncheva").value)
        counts = [
            np.bincount(np.where(s < n_copied, s % N_RELEVANT, s), minlength=N_FEATURES)
            for s in subsets
        ]
        shared = [np.minimum(a, b).sum() / N_RELEVANT for a, b in combinations(counts, 2)]
        found[name + BY_ORIGINAL] = np.array(np.mean(shared))
        found[name + FOUND] = np.array(np.mean(np.array(subsets) < n_copied))
    return found


def _level(copies: int, seed: int) -> float:
    """Return R'(α, U) of a relevant feature, U being its copies and two irrelevant features.

    The domain is the same for all U: the feature, seven copies and two others, cut at 0.
    """
    rng = np.random.default_rng([seed, 33])
    y = np.arange(20_000) % 2
    relevant = rng.normal(size=len(y)) + SHIFT * (y - 0.5)
    copied = relevant[:, None] + NOISE * rng.normal(size=(len(y), max(COPIES)))
    X = np.column_stack([relevant, copied, rng.normal(size=(len(y), 2))]) > 0
    among = [*range(1, 1 + copies), X.shape[1] - 2, X.shape[1] - 1]
    return float(redundancy_level(X.astype(np.intp), y, among=among).levels[0])


def at_random(copies: int) -> float:
    """Return Kuncheva's index if 5 of the relevant features and copies are drawn at random."""
    common = N_RELEVANT**2 / (N_RELEVANT * (1 + copies))
    expected = N_RELEVANT**2 / N_FEATURES
    return (common - expected) / (N_RELEVANT - expected)


def _redundancy(settings: RunSettings) -> ExperimentResult:
    n = settings.count(20, 2)
    about = {"rows": N_ROWS, "shift": SHIFT, "noise": NOISE}
    about |= {"training": 2} if settings.quick else {}
    keys = [{"copies": c, "set": i, **about} for c in COPIES for i in range(n)]
    units = settings.kept_all("prat-redundancy", keys, _one_redundancy)
    by = {
        c: {
            name: np.array(
                [float(u[name]) for k, u in zip(keys, units, strict=True) if k["copies"] == c]
            )
            for name in units[0]
        }
        for c in COPIES
    }
    rows: list[dict[str, Any]] = []
    least, most = COPIES[0], COPIES[-1]
    said = []
    for name in RANKERS:
        change = mean_estimate(by[most][name] - by[least][name])
        what = f"stability with {most} copies minus with {least}"
        four = claimed("more redundancy, less stability", change.high < 0, *change)
        rows.append({"ranker": name, "quantity": what, **four})
        for suffix, measure in MEASURES.items():
            for c in COPIES:
                four = compared(None, *mean_estimate(by[c][name + suffix]))
                rows.append({"ranker": name, "quantity": f"{measure}, {c} copies", **four})
        curve = " ".join(f"{by[c][name].mean():.2f}" for c in COPIES)
        found, same = (by[most][name + suffix].mean() for suffix in (FOUND, BY_ORIGINAL))
        said.append(f"{name} {curve} ({found:.2f} relevant, {same:.2f} by original)")
    for c in COPIES:
        four = compared(None, at_random(c), np.nan, np.nan)
        rows.append({"ranker": "drawn at random", "quantity": f"Kuncheva, {c} copies", **four})
        four = compared(None, _level(c, settings.seed), np.nan, np.nan)
        rows.append({"ranker": "", "quantity": f"R'(α, U), {c} copies in U", **four})
    chance = " ".join(f"{at_random(c):.2f}" for c in COPIES)
    levels = " ".join(f"{row['measured']:.3f}" for row in rows if row["quantity"][0] == "R")
    finding = (
        f"Kuncheva's index of 5 features with {', '.join(map(str, COPIES))} copies of each "
        f"relevant one: {'; '.join(said)}. Drawing 5 of the relevant features and their copies at "
        f"random gives {chance}. In brackets, with 7 copies: the share of the selection that is "
        "relevant or a copy, and the share that two runs have in common if a copy counts as its "
        f"original. The redundancy level R'(α, U) of a relevant feature rises: "
        f"{levels}."
    )

    def draw(figure: Any) -> None:
        for axes, suffix in zip(figure.subplots(1, 2), ("", BY_ORIGINAL), strict=True):
            for name in RANKERS:
                axes.plot(COPIES, [by[c][name + suffix].mean() for c in COPIES], label=name)
            axes.set(xlabel="copies of each relevant feature", title=f"stability{suffix}")
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
        f"{N_ROWS} rows in two classes, {N_FEATURES} normal features at any time: {N_RELEVANT} "
        f"relevant ones ({SHIFT:g} standard deviations between the classes), 0, 1, 3 or 7 copies "
        f"of each (plus noise of {NOISE:g}), and irrelevant ones up to {N_FEATURES}. So the number "
        "of features and what they say about the class stay the same, and redundancy alone "
        f"changes. Kuncheva's index of the first {N_RELEVANT} features over {N_TRAINING} "
        "independent training sets, columns in random order. Two controls: the share of the "
        "selection that is relevant or a copy, and stability if copies count as their "
        "original. An earlier experiment here raised the correlation within blocks of 10 relevant "
        "features and chose 5 of 20 exchangeable ones; that cannot show the claim, because such a "
        "choice is at chance for any correlation. Its conclusion, that redundancy does not lower "
        "stability, is withdrawn.",
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
