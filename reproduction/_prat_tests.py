"""The test behind the p-values of the wrappers' tables, and how often it errs [Prat 6, 7]."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy import special, stats

from backstay.comparison import compare_scores
from backstay.datasets import make_anti_corral
from reproduction._estimates import Estimate, Floats, compared
from reproduction._experiment import Arrays, Experiment, ExperimentResult, RunSettings
from reproduction._prat_cells import over_pairs, pair_curves, published_test, wrapper_table
from reproduction._prat_wrappers import READINGS, SECOND, nested

__all__ = ["EXPERIMENTS"]

N_RUNS, N_FEATURES, N_ROWS = 10, 11, 100
LEVEL = 0.05
N_DRAWN = 2000
ERRORS, SIZES = "errors of ten runs", "stability over subset sizes"


def attainable(n: int) -> set[float]:
    """Return the p-values of one-sided signed-rank tests of n pairs, to three digits.

    Exact ones, and normal ones with R's correction for continuity, which it uses when
    differences tie: their mid-ranks add up to halves.
    """
    ranks = np.arange(1, n + 1)
    sums = [int(ranks @ np.array(signs)) for signs in product((0, 1), repeat=n)]
    exact = np.cumsum(np.bincount(sums)) / 2**n
    halves = np.arange(n * (n + 1) + 1) / 2
    spread = np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    normal = special.ndtr((halves - n * (n + 1) / 4 + 0.5) / spread)
    return {round(float(p), 3) for p in np.concatenate([exact, normal])}


def _printed() -> tuple[int, int, float]:
    """Return how many printed p-values are attainable, of how many, and the share by chance."""
    values = attainable(N_RUNS) | attainable(N_RUNS - 1)  # a pair without difference drops out
    printed = pd.concat([wrapper_table(number)["p_value"] for number in ("6.2", "6.3", "7.1")])
    found = [round(p, 3) in values for p in printed.dropna()]
    return sum(found), len(found), len(values) / 1000


def _same_twice(key: Mapping[str, Any], seed: int) -> Arrays:
    """Compare a search with itself: other inner folds and column orders, same outer halves."""
    data_seed = 1000 * seed + int(key["set"])
    X, y, _ = make_anti_corral(N_ROWS, random_state=data_seed)
    one, other = (
        nested(
            X,
            y,
            "knn",
            "SFG",
            seed=data_seed,
            inner_seed=2 * data_seed + twin + 1,
            reading=READINGS[SECOND],
        )
        for twin in (0, 1)
    )
    curves = [pair_curves(run["orders"], N_FEATURES) for run in (one, other)]
    means = [c.sum(axis=(0, 1)) / (N_RUNS * (N_RUNS - 1)) for c in curves]
    apart = over_pairs(curves[0].mean(axis=2) - curves[1].mean(axis=2))
    spread = (apart.high - apart.low) / 2 / float(special.ndtri(0.975))
    same = np.array_equal(one["errors"], other["errors"])
    return {
        "published, errors": np.array(published_test(one["errors"], other["errors"])),
        "honest, errors": np.array(
            1.0 if same else compare_scores(one["errors"], other["errors"], "five_by_two_f").p_value
        ),
        "published, stability": np.array(published_test(*means)),
        "honest, stability": np.array(
            2 * special.ndtr(-abs(apart.value / spread)) if spread > 0 else 1.0
        ),
    }


def _rate(p_values: Floats) -> Estimate:
    """Return the share below the level, with its Wilson interval."""
    hits = int((p_values < LEVEL).sum())
    found = stats.binomtest(hits, len(p_values)).proportion_ci(method="wilson")
    return Estimate(hits / len(p_values), float(found.low), float(found.high))


def _run(settings: RunSettings) -> ExperimentResult:
    n_sets = settings.count(100, 4)
    rng = np.random.default_rng(settings.seed)
    apart = rng.normal(size=(N_DRAWN, N_RUNS))
    drawn = {
        "published": np.minimum(
            stats.wilcoxon(apart, axis=1, alternative="less").pvalue,
            stats.wilcoxon(apart, axis=1, alternative="greater").pvalue,
        ),
        "two-sided signed-rank": stats.wilcoxon(apart, axis=1).pvalue,
    }
    units = settings.kept_all("prat-tests", [{"set": i} for i in range(n_sets)], _same_twice)
    p_values = {name: np.array([float(unit[name]) for unit in units]) for name in units[0]}
    rates = {
        (ERRORS, "ten independent differences", "published"): _rate(drawn["published"]),
        (ERRORS, "ten independent differences", "two-sided signed-rank"): _rate(
            drawn["two-sided signed-rank"]
        ),
        (ERRORS, "one search against itself", "published"): _rate(p_values["published, errors"]),
        (ERRORS, "one search against itself", "5×2cv F"): _rate(p_values["honest, errors"]),
        (SIZES, "one search against itself", "published"): _rate(p_values["published, stability"]),
        (SIZES, "one search against itself", "jackknife over runs"): _rate(
            p_values["honest, stability"]
        ),
    }
    rows = [
        {"of": of, "where": where, "test": test, **compared(LEVEL, *rate)}
        for (of, where, test), rate in rates.items()
    ]
    n_found, n_printed, chance = _printed()
    share = Estimate(
        n_found / n_printed,
        *stats.binomtest(n_found, n_printed).proportion_ci(method="wilson"),
    )
    about = {"of": "printed p-values", "where": "tables 6.2, 6.3 and 7.1"}
    rows.append({**about, "test": "share that a one-sided test can take", **compared(None, *share)})
    finding = (
        f"{n_found} of the {n_printed} p-values printed for errors are values that a one-sided "
        f"signed-rank test of nine or ten pairs can take; {chance:.0%} of the thousandths from 0 "
        "to 1 are. Tested on whichever side the difference lies, that test calls "
        f"{rates[ERRORS, 'ten independent differences', 'published'].value:.1%} of pure noise "
        "significant. A search compared with itself is called different in error by it in "
        f"{rates[ERRORS, 'one search against itself', 'published'].value:.0%} of data sets (5×2cv "
        f"F {rates[ERRORS, 'one search against itself', '5×2cv F'].value:.0%}), and different in "
        f"stability in {rates[SIZES, 'one search against itself', 'published'].value:.0%} when "
        "subset sizes are taken for independent (jackknife over runs "
        f"{rates[SIZES, 'one search against itself', 'jackknife over runs'].value:.0%})."
    )
    return ExperimentResult(
        pd.DataFrame(rows), finding, f"{n_sets} data sets × 5×2 outer folds", _draw(rows[:-1])
    )


def _draw(rows: list[dict[str, Any]]) -> Any:
    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for place, row in enumerate(rows[::-1]):
            low, high = (float(end) for end in row["interval"].split(" to "))
            axes.plot([low, high], [place, place], color="C0", lw=1)
            axes.plot(row["measured"], place, "o", color="C0", ms=4)
        labels = [f"{row['of']}, {row['where']}: {row['test']}" for row in rows[::-1]]
        axes.set_yticks(range(len(rows)), labels, fontsize=6)
        axes.axvline(LEVEL, color="0.6", lw=0.8)
        axes.set_xlabel("share called significant at 5 % where there is nothing to find")

    return draw


EXPERIMENTS = [
    Experiment(
        "prat-tests",
        "How often the published test finds what is not there",
        "[Prat] Tables 6.2 to 6.5, 7.1 and 7.2",
        "P-values below 0.05 are called significant.",
        "The test is not named exactly; it was inferred from the printed p-values. One search (SFG "
        "with 1-NN, folds drawn anew for every subset) is run twice on the same outer halves of "
        f"antiCorrAl ({N_ROWS} rows) with other inner folds and column orders: whatever differs is "
        "chance. A row agrees if the test keeps the 5 % that it promises. Intervals are Wilson's.",
        _run,
    )
]
