"""What chapter 9 only proposes, run with controls [Prat 9; PB 5]."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from backstay.base import InstanceWeighted
from backstay.datasets import make_han_yu, make_xor
from backstay.feature_weighting import InstanceReweighted, ReliefF, Simba
from backstay.instance_weighting import JointWeighting, LogisticWeighting, UniformWeighting
from backstay.stability import stability_score
from reproduction._dots import dots
from reproduction._estimates import compared, mean_estimate
from reproduction._experiment import Arrays, Experiment, ExperimentResult, RunSettings

__all__ = ["EXPERIMENTS"]

N_TRAINING, EVERY = 6, 10
LIW, ALIKE = LogisticWeighting(), UniformWeighting()
HAN_YU, XOR = "Han–Yu", "xor"
SIZES = {HAN_YU: 20, XOR: 3}
# Each idea beside what it is to be measured against.
IDEAS: dict[str, tuple[str, Any, Any]] = {
    "whitening (9.1)": ("Simba", Simba(whiten=True), Simba()),
    "Newton's steps (9.4)": ("Simba", Simba(solver="newton"), Simba()),
    "batch ascent (9.4)": ("Simba", Simba(solver="batch"), Simba()),
    "adaptive rate (9.4)": ("Simba", Simba(learning_rate="adaptive"), Simba()),
    "progressive weights (9.5)": ("Simba", Simba(progressive=True), Simba()),
    "tournament by LIW (9.3)": (
        "the same with equal weights",
        InstanceWeighted(Simba(strategy="tournament"), LIW),
        InstanceWeighted(Simba(strategy="tournament"), ALIKE),
    ),
    "joint LIW and ReliefF (9.3, scheme 1)": (
        "LIW once",
        InstanceWeighted(ReliefF(), JointWeighting(ReliefF(), LIW)),
        InstanceWeighted(ReliefF(), LIW),
    ),
    "LIW in step with Simba (9.3, scheme 2)": (
        "the same with equal weights",
        InstanceReweighted(Simba(strategy="sample"), LIW, every=EVERY),
        InstanceReweighted(Simba(strategy="sample"), ALIKE, every=EVERY),
    ),
}


def _rows(problem: str, state: int) -> tuple[Any, Any, Any]:
    if problem == XOR:
        return make_xor(200, n_features=15, random_state=state)
    return make_han_yu(60, n_features=100, n_relevant=20, random_state=state)


def _one(key: Mapping[str, Any], seed: int) -> Arrays:
    """Return stability over training sets and mean precision, of every idea and its control."""
    problem, size = str(key["problem"]), SIZES[str(key["problem"])]
    chosen: dict[tuple[str, int], list[Any]] = {}
    for training in range(N_TRAINING):
        sequence = np.random.SeedSequence([seed, int(key["set"]), training, len(problem)])
        state = int(sequence.generate_state(1)[0] % 2**31)
        X, y, _ = _rows(problem, state)
        for name, (_, *both) in IDEAS.items():
            for place, ranker in enumerate(both):
                states = {p: state for p in ranker.get_params() if p.endswith("random_state")}
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # weights that have not settled
                    fitted = ranker.set_params(**states).fit(X, y)
                best = np.argsort(fitted.ranking_)[:size]
                chosen.setdefault((name, place), []).append(best)
    found = {}
    for (name, place), subsets in chosen.items():
        stable = stability_score(subsets, X.shape[1], "kuncheva").value
        right = np.mean(np.array(subsets) < (3 if problem == XOR else 20))
        found[f"{name} {place}"] = np.array([stable, right])
    return found


def _run(settings: RunSettings) -> ExperimentResult:
    n = settings.count(15, 2)
    problems = (XOR,) if settings.quick else (HAN_YU, XOR)
    keys = [{"problem": p, "set": i} for p in problems for i in range(n)]
    units = settings.kept_all("prat-chapter9", keys, _one)
    rows: list[dict[str, Any]] = []
    for problem in problems:
        part = [u for k, u in zip(keys, units, strict=True) if k["problem"] == problem]
        for name, (control, _, _) in IDEAS.items():
            first, second = (np.array([u[f"{name} {place}"] for u in part]) for place in (0, 1))
            for place, quantity in enumerate(("Kuncheva", "relevant share")):
                about = {"problem": problem, "idea": name, "control": control}
                one, other = first[:, place], second[:, place]
                gain = mean_estimate(one - other)
                rows.append({**about, "quantity": f"gain in {quantity}", **compared(None, *gain)})
                level = mean_estimate(other)
                rows.append({**about, "quantity": f"{quantity}, control", **compared(None, *level)})
    gains = [row for row in rows if row["quantity"].startswith("gain")]
    ends = [tuple(map(float, row["interval"].split(" to "))) for row in gains]
    said = {
        word: "; ".join(
            f"{row['idea']}, {row['problem']}, {row['quantity'][8:]} {row['measured']:+.3f}"
            for row, (low, high) in zip(gains, ends, strict=True)
            if (low > 0 if word == "better" else high < 0)
        )
        for word in ("better", "worse")
    }
    finding = (
        f"Of {len(gains)} comparisons with a control, better beyond chance: "
        f"{said['better'] or 'none'}. Worse: {said['worse'] or 'none'}."
    )
    return ExperimentResult(
        pd.DataFrame(rows),
        finding,
        f"{n} times {N_TRAINING} training sets of each problem",
        dots(gains, "problem", "idea", "quantity"),
    )


EXPERIMENTS = [
    Experiment(
        "prat-chapter9",
        "The ideas of chapter 9 with controls",
        "[Prat] chapter 9, [PB] section 5",
        "Future work: whitening, Newton's steps and rates, progressive weights, a tournament, and "
        "instance and feature weights that follow each other. Nothing was run.",
        "Han–Yu data (60 rows, 100 features, 20 relevant, 20 selected) and xor (200 rows, 15 "
        f"features, 3 relevant, 3 selected), {N_TRAINING} independent training sets at a time: "
        "Kuncheva's index over them and the relevant share of the selection, each idea minus its "
        f"control on the same rows. In step, weights follow after every {EVERY} visits. Nothing "
        "was tuned; 32 comparisons at 95 % find one or two by chance.",
        _run,
    )
]
