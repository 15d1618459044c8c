"""What misleads Relief: value differences on parity, and irrelevant features [Prat 1, 5.1]."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from backstay.datasets import make_majority, make_modulo, make_xor
from backstay.feature_weighting import DoubleReliefF, ReliefF, Simba, TTest
from reproduction._dots import dots
from reproduction._estimates import claimed, compared, mean_estimate
from reproduction._experiment import Arrays, Experiment, ExperimentResult, RunSettings

__all__ = ["EXPERIMENTS"]

N_ROWS, N_FEATURES, N_RELEVANT = 300, 10, 3
METRICS = ("heom", "vdm")
PARITY, MAJORITY = "parity", "majority"


def _one(key: Mapping[str, Any], seed: int) -> Arrays:
    """Return how many of the three best features are relevant, by problem and metric."""
    state = int(np.random.SeedSequence([seed, int(key["set"])]).generate_state(1)[0] % 2**31)
    shape = {"n_features": N_FEATURES, "n_relevant": N_RELEVANT, "random_state": state}
    problems = {
        PARITY: make_modulo(N_ROWS, p=2, **shape),
        MAJORITY: make_majority(N_ROWS, **shape),
    }
    found = {}
    for problem, (X, y, _) in problems.items():
        for metric in METRICS:
            ranker = ReliefF(metric=metric, categorical_features=np.arange(N_FEATURES)).fit(X, y)
            best = np.argsort(ranker.ranking_)[:N_RELEVANT]
            found[f"{problem} {metric}"] = np.array((best < N_RELEVANT).mean())
    return found


def _run(settings: RunSettings) -> ExperimentResult:
    n = settings.count(200, 5)
    units = settings.kept_all("prat-vdm", [{"set": i} for i in range(n)], _one)
    by = {name: np.array([float(unit[name]) for unit in units]) for name in units[0]}
    rows = []
    for problem in (PARITY, MAJORITY):
        for metric in METRICS:
            four = compared(None, *mean_estimate(by[f"{problem} {metric}"]))
            rows.append({"problem": problem, "quantity": f"relevant share, {metric}", **four})
        lost = mean_estimate(by[f"{problem} vdm"] - by[f"{problem} heom"])
        about = {"problem": problem, "quantity": "relevant share, vdm minus heom"}
        four = claimed("vdm is a bad idea", lost.high < 0, *lost)
        rows.append({**about, **(four if problem == PARITY else compared(None, *lost))})
    chance = N_RELEVANT / N_FEATURES
    said = "; ".join(f"{name} {values.mean():.3f}" for name, values in by.items())
    finding = (
        f"Share of relevant features among the first {N_RELEVANT} (at random {chance:g}): {said}."
    )
    return ExperimentResult(
        pd.DataFrame(rows),
        finding,
        f"{n} data sets of each problem",
        dots(rows, "problem", "quantity"),
    )


WIDTHS = (10, 30, 100, 300, 1000)
N_XOR = 300


def _wide(key: Mapping[str, Any], seed: int) -> Arrays:
    """Return the relevant share of the first three features, by ranker and problem."""
    state = int(np.random.SeedSequence([seed, int(key["set"]), 5]).generate_state(1)[0] % 2**31)
    d = int(key["width"])
    X, y, _ = make_xor(N_XOR, n_features=d, random_state=state)
    rng = np.random.default_rng(state)
    shifted = rng.normal(size=(N_XOR, d))
    shifted[:, :N_RELEVANT] += np.asarray(y)[:, None]
    rankers = {
        "ReliefF": ReliefF(),
        "dReliefF": DoubleReliefF(random_state=state),
        "pdReliefF": DoubleReliefF(progressive=True, random_state=state),
        "Simba": Simba(random_state=state),
    }
    found = {}
    for name, ranker in rankers.items():
        best = np.argsort(ranker.fit(X, y).ranking_)[:N_RELEVANT]
        found[f"{name}, xor"] = np.array((best < N_RELEVANT).mean())
    for name, ranker in (("ReliefF", ReliefF()), ("t test", TTest())):
        best = np.argsort(ranker.fit(shifted, y).ranking_)[:N_RELEVANT]
        found[f"{name}, each feature alone"] = np.array((best < N_RELEVANT).mean())
    return found


def _irrelevant(settings: RunSettings) -> ExperimentResult:
    n, widths = settings.count(50, 2), WIDTHS[:2] if settings.quick else WIDTHS
    keys = [{"width": d, "set": i} for d in widths for i in range(n)]
    units = settings.kept_all("prat-irrelevant", keys, _wide)
    by = {
        (name, d): np.array(
            [float(u[name]) for k, u in zip(keys, units, strict=True) if k["width"] == d]
        )
        for name in units[0]
        for d in widths
    }
    rows: list[dict[str, Any]] = []
    for name in units[0]:
        lost = mean_estimate(by[name, widths[-1]] - by[name, widths[0]])
        about = {"ranker": name, "quantity": f"relevant share, {widths[-1]} minus {widths[0]}"}
        judged = name == "ReliefF, xor"
        four = claimed("irrelevant features mislead Relief", lost.high < 0, *lost)
        rows.append({**about, **(four if judged else compared(None, *lost))})
        for d in widths:
            four = compared(None, *mean_estimate(by[name, d]))
            rows.append({"ranker": name, "quantity": f"relevant share, {d} features", **four})
    said = "; ".join(
        f"{name} " + " ".join(f"{by[name, d].mean():.2f}" for d in widths) for name in units[0]
    )
    finding = (
        f"Relevant share of the first {N_RELEVANT} features with "
        f"{', '.join(map(str, widths))} features: {said}."
    )
    drawn = [row for row in rows if "minus" in row["quantity"]]
    return ExperimentResult(
        pd.DataFrame(rows), finding, f"{n} data sets of each width", dots(drawn, "ranker")
    )


EXPERIMENTS = [
    Experiment(
        "prat-vdm",
        "The value difference metric in Relief on parity",
        "[Prat] section 5.1",
        "On parity all values are equally likely in all classes, so the value difference metric "
        "finds no neighbours and Relief cannot tell relevant features from others.",
        f"{N_ROWS} rows, {N_FEATURES} boolean features, {N_RELEVANT} relevant: their parity is the "
        "class; or their majority, the control, where each says something alone. ReliefF with 10 "
        "neighbours; the metric seeks them, and differences are 0 or 1.",
        _run,
    ),
    Experiment(
        "prat-irrelevant",
        "Irrelevant features in Relief's distances",
        "[Prat] hypothesis 2, chapter 5",
        "Distances over all features become arbitrary if most of them are irrelevant, which makes "
        "Relief almost useless.",
        f"{N_XOR} rows; the class is the xor problem of {N_RELEVANT} features, the others are "
        "irrelevant. The control has features that each say something alone, one standard "
        "deviation between the classes: if ReliefF finds these among as many irrelevant ones, it "
        "is the neighbours that mislead it, not the number of candidates.",
        _irrelevant,
    ),
]
