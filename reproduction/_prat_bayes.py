"""Importance by the Bayes error, and what it says about instability [Prat 4.3, 9.6]."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy import special, stats

from backstay.feature_weighting import SVMRFE, InformationGain, ReliefF
from backstay.redundancy import feature_importance_bayes
from reproduction._estimates import Estimate, Floats, compared
from reproduction._experiment import Arrays, Experiment, ExperimentResult, RunSettings

__all__ = ["EXPERIMENTS"]

# Binary features, fair and independent; the class follows the log odds that they add up to.
STRENGTHS = np.array([3.0, 2.2, 1.6, 1.1, 0.7, 0.4, 0.0, 0.0, 0.0, 0.0])
N_ROWS, SIZE, N_BOOTSTRAP = 60, 4, 1000
RANKERS = {
    "information gain": InformationGain(discretizer=None),
    "ReliefF": ReliefF(),
    "SVM-RFE": SVMRFE(),
}


def population() -> tuple[Floats, Floats]:
    """Return every combination of values, and the probability of class 1 given each."""
    cells = np.array(list(product((0.0, 1.0), repeat=len(STRENGTHS))))
    return cells, np.asarray(special.expit((2 * cells - 1) @ STRENGTHS))


def importances() -> Floats:
    """Return r* of every feature: the rise of the Bayes error without it, exactly."""
    cells, chance = population()
    weights = np.concatenate([1 - chance, chance])
    classes = np.repeat([0, 1], len(cells))
    rows = np.vstack([cells, cells])
    return feature_importance_bayes(rows, classes, sample_weight=weights).importances


def _training_set(key: Mapping[str, Any], seed: int) -> Arrays:
    """Return which features each ranker puts among the first."""
    rng = np.random.default_rng([seed, int(key["set"])])
    cells, chance = population()
    drawn = rng.integers(len(cells), size=N_ROWS)
    X, y = cells[drawn], (rng.random(N_ROWS) < chance[drawn]).astype(int)
    shuffled = rng.permutation(X.shape[1])  # equal importances go by column: in random order
    found = {}
    for name, ranker in RANKERS.items():
        first = shuffled[np.argsort(ranker.fit(X[:, shuffled], y).ranking_)[:SIZE]]
        found[name] = np.isin(np.arange(X.shape[1]), first)
    return found


def _run(settings: RunSettings) -> ExperimentResult:
    n = settings.count(200, 10)
    keys = [{"set": i, "rows": N_ROWS, "size": SIZE, "values": "as they are"} for i in range(n)]
    units = settings.kept_all("prat-bayes", keys, _training_set)
    truth = importances()
    chosen = {name: np.array([unit[name] for unit in units], dtype=float) for name in RANKERS}
    rng = np.random.default_rng(settings.seed)
    draws = rng.integers(n, size=(N_BOOTSTRAP, n))
    rows: list[dict[str, Any]] = []
    said = []
    for name, table in chosen.items():
        by_quantity = {
            "selection frequency": lambda frequency: frequency,
            "instability p(1 − p)": lambda frequency: frequency * (1 - frequency),
        }
        parts = []
        for quantity, of in by_quantity.items():
            value = _rank_correlation(truth, of(table.mean(axis=0)))
            again = [_rank_correlation(truth, of(table[rows_].mean(axis=0))) for rows_ in draws]
            found = Estimate(value, *np.quantile(again, [0.025, 0.975]).tolist())
            what = f"rank correlation of importance and {quantity}"
            rows.append({"ranker": name, "quantity": what, **compared(None, *found)})
            parts.append(f"{found.value:+.2f} ({rows[-1]['interval']}) with {quantity}")
        frequency = table.mean(axis=0)
        least_sure = int(np.argmax(frequency * (1 - frequency)))
        said.append(
            f"{name} {', '.join(parts)}, least sure of the feature of importance "
            f"{truth[least_sure]:.2f} (selected in {frequency[least_sure]:.0%})"
        )
    for j, importance in enumerate(truth):
        for name, table in chosen.items():
            p = float(table[:, j].mean())
            half = 1.96 * float(np.sqrt(p * (1 - p) / n))
            what = f"frequency of feature {j + 1}, importance {importance:.3f}"
            four = compared(None, p, p - half, p + half)
            rows.append({"ranker": name, "quantity": what, **four})
    finding = (
        f"Importances are {', '.join(f'{one:.2f}' for one in truth)}. They correlate over features "
        f"with what {n} training sets select: " + "; ".join(said) + "."
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for name, table in chosen.items():
            axes.plot(truth, table.mean(axis=0), "o", label=name)
        axes.set(xlabel="importance r* by the Bayes error", ylabel="selection frequency")
        axes.legend(fontsize=7)

    return ExperimentResult(pd.DataFrame(rows), finding, f"{n} training sets", draw)


def _rank_correlation(first: Floats, second: Floats) -> float:
    if np.ptp(second) == 0:
        return 0.0
    return float(stats.spearmanr(first, second).statistic)


EXPERIMENTS = [
    Experiment(
        "prat-bayes",
        "Importance by the Bayes error against stability",
        "[Prat] sections 4.3 and 9.6",
        "Artificial problems with known Bayes error would show what importance does to the "
        "instability of selection. (Future work in the thesis.)",
        f"{len(STRENGTHS)} fair binary features, of which {int((STRENGTHS > 0).sum())} add "
        "different amounts to the log odds of the class. Importances are exact: the Bayes error of "
        f"the whole population without the feature. {SIZE} features are selected on training sets "
        f"of {N_ROWS} rows; intervals are from a bootstrap over training sets. Information gain "
        "takes the values as they are; with cuts by MDL, as in a first run, it found too few "
        "features.",
        _run,
    )
]
