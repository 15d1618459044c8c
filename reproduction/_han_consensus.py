"""Table 7.6, the genes that many runs agree on, and figure 7.9, what it costs [Han 7.4, 7.5]."""

from __future__ import annotations

import time
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from backstay.base import one_thread
from backstay.stability import selection_frequency
from reproduction._estimates import Estimate, compared, mean_estimate
from reproduction._experiment import Experiment, ExperimentResult, RunSettings, published_table
from reproduction._han_rows import COLOURS, LINES, NORMAL, claim, legend
from reproduction._han_runs import (
    BASES,
    DATA,
    NEEDS,
    PREPARATION,
    available,
    n_splits,
    orders,
    preselection,
    raw_splits,
    splits,
)

__all__ = ["EXPERIMENTS"]

SIZE = 50
PUBLISHED_SPLITS = 100
# Interval of the table, and the share of runs that a gene must exceed.
LEVELS = {"[1,100]": 0.0, "(50,100]": 0.5, "(85,100]": 0.85}
N_BOOTSTRAP = 1000
LOG2, RAW = "log2", "raw"
RUNS = {LOG2: splits, RAW: raw_splits}
TIMINGS = 7


def frequency_curve(subsets: Any, n_features: int | None = None) -> pd.DataFrame:
    """Count the features selected in at least m of the M runs, for m = 1..M [Han 7.4].

    The area under the curve is the sum of the subset sizes; with perfect stability it is a
    rectangle as high as the subsets are large.
    """
    runs = list(subsets)
    counts = np.rint(selection_frequency(runs, n_features) * len(runs)).astype(np.intp)
    m = np.arange(1, len(runs) + 1)
    at_least = [int((counts >= runs_needed).sum()) for runs_needed in m]
    return pd.DataFrame({"n_runs": m, "frequency": m / len(runs), "n_features": at_least})


def selection_counts(chosen: NDArray[Any], n_features: int) -> NDArray[np.intp]:
    """Return which features each run selected, as a table of zeros and ones."""
    table = np.zeros((len(chosen), n_features), dtype=np.intp)
    np.put_along_axis(table, chosen, 1, axis=1)
    return table


def above(counts: NDArray[Any], n_runs: int, level: float) -> NDArray[Any]:
    """Count the features selected in more than a share of the runs."""
    return (counts > level * n_runs).sum(axis=-1)


def another_count(selected: NDArray[np.intp], level: float, seed: int) -> Estimate:
    """Return a count and the interval for the count that other splits would give.

    Two counts differ by √2 standard deviations of one. That deviation is the bootstrap's over
    runs; for features selected at least once, of which a bootstrap sees too few, the jackknife's.
    """
    m = len(selected)
    counts = selected.sum(axis=0)
    value = float(above(counts, m, level))
    if level == 0:
        lost = (selected & (counts == 1)).sum(axis=1)
        deviation = np.sqrt((m - 1) / m * ((lost - lost.mean()) ** 2).sum())
    else:
        rng = np.random.default_rng(seed)
        times = rng.multinomial(m, np.full(m, 1 / m), size=N_BOOTSTRAP)
        deviation = above(times @ selected, m, level).std(ddof=1)
    half = NORMAL * np.sqrt(2) * float(deviation)
    return Estimate(value, value - half, value + half)


def table_7_6(settings: RunSettings) -> ExperimentResult:
    """Count the genes in more than half, and more than 85 %, of the signatures."""
    base = BASES["SVM-RFE"]
    given = published_table("han_table7.6").set_index(["dataset", "method", "frequency"])["count"]
    n, rows = n_splits(settings), []
    curves: dict[tuple[str, str], pd.DataFrame] = {}
    for dataset, (values, run) in product(available(settings), RUNS.items()):
        results = run(settings, dataset, base)
        n_features = results.data.n_features  # a store keeps rankings down to a depth
        for method in results.methods:
            chosen = orders(results, method)[:, :SIZE]
            if values == LOG2:
                curves[dataset, method] = frequency_curve(chosen, n_features)
            selected = selection_counts(chosen, n_features)
            for frequency, level in LEVELS.items():
                found = another_count(selected, level, settings.seed)
                key = (dataset, method, frequency)
                # How many genes are ever selected depends on the number of splits.
                fair = key in given.index and (n == PUBLISHED_SPLITS or level > 0)
                published = float(given[key]) if fair else None
                about = {"dataset": dataset, "intensities": values, "method": method}
                about["frequency"] = frequency
                rows.append({**about, **compared(published, *found, digits=0)})
    table = pd.DataFrame(rows)
    finding = f"Genes in more than half of the signatures of {SIZE}. " + _counted(table)

    def draw(figure: Any) -> None:
        names = list(dict.fromkeys(table.dataset))
        panels = np.atleast_1d(figure.subplots(1, len(names), sharey=True))
        for axes, dataset in zip(panels, names, strict=True):
            for method in base.methods:
                one = curves[dataset, method]
                role = base.roles[method]
                style = {"label": method, "color": COLOURS[role], "ls": LINES[role]}
                axes.plot(one.n_features, one.frequency * 100, **style)
            axes.plot([SIZE, SIZE], [0, 100], color="0.8", zorder=0)
            axes.set(xlim=(0, 100), title=dataset, xlabel="genes")
        panels[0].set_ylabel("selected in at least … % of the splits")
        legend(figure, panels[0])

    return ExperimentResult(table, finding, f"{n} splits (published: {PUBLISHED_SPLITS})", draw)


def _counted(table: pd.DataFrame) -> str:
    """Put the counts above one half into words, data set by data set."""
    sentences = []
    half = table[table.frequency == "(50,100]"]
    for (dataset, values), part in half.groupby(["dataset", "intensities"], sort=False):
        shown = ", ".join(
            f"{row['method']} {row['measured']:.0f}"
            + ("" if np.isnan(row["published"]) else f" (published {row['published']:.0f})")
            for row in part.to_dict("records")
        )
        sentences.append(f"{dataset}, {values}: {shown}")
    agreement = [
        f"{(part.agrees == 'yes').sum()} of {len(part)} with {values} intensities"
        for values, part in table[table.published.notna()].groupby("intensities", sort=False)
    ]
    counts = " and ".join(agreement)
    return "; ".join(sentences) + f". Published counts within chance of ours: {counts}."


def _seconds(
    rankers: dict[str, Any], X: NDArray[Any], y: NDArray[Any], times: int
) -> dict[str, NDArray[np.float64]]:
    """Time rankers in turns, on one thread, after everything is compiled."""
    spent: dict[str, list[float]] = {name: [] for name in rankers}
    with one_thread():
        for ranker in rankers.values():
            _seeded(ranker).fit(X[:, :20], y)
        for _ in range(times):
            for name, ranker in rankers.items():
                fresh = _seeded(ranker)
                start = time.perf_counter()
                fresh.fit(X, y)
                spent[name].append(time.perf_counter() - start)
    return {name: np.array(seconds) for name, seconds in spent.items()}


def figure_7_9(settings: RunSettings) -> ExperimentResult:
    """Compare running times on the whole data, as ratios."""
    times = settings.count(TIMINGS, 3)
    rows: list[dict[str, Any]] = []
    ratios: dict[tuple[str, str], Estimate] = {}
    for dataset in available(settings):
        X, y = settings.load(DATA[dataset])
        steps = preselection(dataset)
        table = X if steps is None else steps.fit(X, y).transform(X)
        for base in BASES.values():
            methods = (base.plain, base.ensemble, base.weighted)
            spent = _seconds({name: base.methods[name] for name in methods}, table, y, times)
            for method in (base.ensemble, base.weighted):
                # Side by side, so that whatever else the machine does slows both.
                logs = mean_estimate(np.log(spent[method]) - np.log(spent[base.plain]))
                ratio = ratios[dataset, method] = Estimate(*np.exp(logs))
                slow = method == base.ensemble
                text = "almost 20 times slower" if slow else "slower, by far less than the ensemble"
                # "Almost" and "slightly" are no numbers: slower, and cheaper than the ensemble.
                cheap = ratio.high < ratios[dataset, base.ensemble].low
                holds = ratio.low > 1 if slow else cheap
                about = {"dataset": dataset, "method": method, "quantity": "time / plain"}
                rows.append(claim(text, holds, ratio, **about))
    finding = " ".join(
        f"{label} takes {min(found):.1f} to {max(found):.1f} times as long as {name} alone."
        for name, base in BASES.items()
        for label, method in (
            ("The ensemble", base.ensemble),
            ("Instance weighting", base.weighted),
        )
        if (found := [ratio.value for (_, m), ratio in ratios.items() if m == method])
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        names = list(dict.fromkeys(dataset for dataset, _ in ratios))
        for shift, base in enumerate(BASES.values()):
            for role, method in (("ensemble", base.ensemble), ("weighted", base.weighted)):
                found = np.array([ratios[dataset, method] for dataset in names])
                place = np.arange(len(names)) + (shift - 0.5) * 0.2
                spread = np.abs(found[:, 1:] - found[:, :1]).T
                marker = "os"[shift]
                axes.errorbar(
                    place, found[:, 0], spread, fmt=marker, color=COLOURS[role], label=method
                )
        axes.set_yscale("log")
        axes.set_xticks(range(len(names)), names)
        axes.axhline(1, color="0.8", zorder=0)
        axes.set_ylabel("time, relative to the plain ranker")
        axes.legend(fontsize="small")

    return ExperimentResult(
        pd.DataFrame(rows), finding, f"{times} runs on all rows of each data set", draw
    )


def _seeded(ranker: Any) -> Any:
    """Fix the bootstraps, so that every timing does the same work."""
    fixed = clone(ranker)
    return fixed.set_params(random_state=0) if "random_state" in fixed.get_params() else fixed


EXPERIMENTS = [
    Experiment(
        "han-tab7.6",
        "Consensus genes over 100 splits, signatures of 50",
        "Han's dissertation, table 7.6 and figures 7.7, 7.8",
        "Instance weighting gives much larger consensus signatures than SVM-RFE, and on three of "
        "the four data sets larger ones than the ensemble.",
        PREPARATION
        + " The logarithm changes the counts, so the plain method, the weighted one and the "
        "control are also run on raw intensities. A published count agrees if it lies where the "
        "count over another 100 splits of the same rows would lie in 95 % of cases.",
        table_7_6,
        NEEDS,
    ),
    Experiment(
        "han-fig7.9",
        "Running time of the three versions",
        "Han's dissertation, figure 7.9; Han & Yu 2010, figure 6",
        "The ensemble is almost 20 times slower, instance weighting only slightly slower.",
        PREPARATION + " One thread, all rows; rankers timed in turns; geometric means. "
        "The ensemble agrees if it is slower, weighting if it takes less time than the ensemble. "
        "For this figure Lung's t test sees all rows, because nothing is predicted.",
        figure_7_9,
        NEEDS,
    ),
]
