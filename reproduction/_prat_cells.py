"""One cell of the thesis' tables of wrappers: what was printed, and what runs measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special, stats

from backstay.comparison import compare_scores
from backstay.stability import PairMatrix
from reproduction._estimates import Estimate, Floats
from reproduction._experiment import Arrays, published_table
from reproduction._prat_wrappers import WRAPPER_PROBLEMS

__all__ = [
    "Cell",
    "counts",
    "over_pairs",
    "pair_curves",
    "published_test",
    "stability_pairs",
    "wrapper_table",
]

# n_test/n_train of halves, for the corrected variance of resampled errors.
TEST_PER_TRAIN = 1.0
KEPT_AS = {"error": "errors", "features": "features"}


def wrapper_table(number: str) -> pd.DataFrame:
    """Return a table as printed, e.g. "6.2".

    ``plain`` and ``modified`` are errors or stabilities; ``_sd``, the spread over subset
    sizes; ``_features``, how many were selected.

    Examples
    --------
    >>> from reproduction._prat_cells import (wrapper_table)
    >>> wrapper_table("6.1")[["problem", "plain", "modified"]]
          problem  plain  modified
    0      corrAl  0.077     0.009
    1  antiCorrAl  0.132     0.023
    """
    table = published_table(f"prat_tab{number[0]}", dtype={"table": str})
    return table[table["table"] == number].drop(columns="table").reset_index(drop=True)


def pair_curves(orders: NDArray[np.integer], n_features: int) -> Floats:
    """Return Kuncheva's index of every two runs at every size, of shape (runs, runs, sizes).

    All features, where the index is 0/0, are not a size.
    """
    n_runs = len(orders)
    most = min(orders.shape[1], n_features - 1)
    k = np.arange(1.0, most + 1)
    place = np.full((n_runs, n_features), most)
    np.put_along_axis(place, orders[:, :most], np.arange(most)[None], axis=1)
    curves = np.zeros((n_runs, n_runs, most))
    for i, j in combinations(range(n_runs), 2):
        # A feature is in both subsets from the later of its two places on.
        later = np.bincount(np.maximum(place[i], place[j]), minlength=most)[:most]
        index = (np.cumsum(later) - k**2 / n_features) / (k - k**2 / n_features)
        curves[i, j] = curves[j, i] = index
    return curves


def stability_pairs(
    orders: NDArray[np.integer], n_features: int, *, with_all: bool = False
) -> Floats:
    """Return Kuncheva's index of every two runs, averaged over the sizes of subsets.

    `with_all` counts the set of all features as one more size, at which runs agree.
    """
    curves = pair_curves(orders, n_features)
    pairs: Floats = curves.mean(axis=2)
    if with_all and orders.shape[1] == n_features:
        pairs = pairs + (1 - pairs) / n_features
        np.fill_diagonal(pairs, 0.0)
    return pairs


def over_pairs(pairs: Floats) -> Estimate:
    """Return the mean over pairs of runs and its jackknife interval."""
    value = PairMatrix(pairs).mean()
    variance = float(PairMatrix.jackknife(pairs.sum(axis=0)))
    half = float(special.ndtri(0.975)) * float(np.sqrt(variance))
    return Estimate(value, value - half, value + half)


def over_resamples(values: Floats) -> Estimate:
    """Return the mean over resamples and its interval, corrected for common rows."""
    found = compare_scores(values, np.zeros(len(values)), test_share=TEST_PER_TRAIN)
    return Estimate(found.difference, found.low, found.high)


def published_test(first: Floats, second: Floats) -> float:
    """Return the p-value of a one-sided signed-rank test whose side was chosen afterwards.

    Most p-values printed for errors are values that this test can take with ten runs.
    """
    apart = np.asarray(first) - np.asarray(second)
    apart = np.where(np.abs(apart) < 1e-12, 0.0, apart)
    if not apart.any():
        return 1.0
    sides = (stats.wilcoxon(apart, alternative=side).pvalue for side in ("less", "greater"))
    return float(min(sides))


def counts(name: str, quantity: str) -> bool:
    """Whether a problem is part of the summary.

    The data must be the published ones. Errors of genes chosen on all rows are too
    good; stabilities of genes chosen on each run's training rows are not out of 200.
    """
    problem = WRAPPER_PROBLEMS[name]
    unlike = "all rows" if quantity == "error" else "training rows"
    return not problem.differs and problem.genes != unlike


@dataclass(frozen=True)
class Cell:
    """Everything about one problem and inducer."""

    problem: str
    inducer: str
    published: pd.Series
    runs: dict[str, Arrays]

    @property
    def note(self) -> str:
        problem = WRAPPER_PROBLEMS[self.problem]
        genes = f"genes chosen on {problem.genes}" if problem.genes else ""
        return "; ".join(text for text in (problem.differs, genes) if text)

    def estimate(self, quantity: str, method: str) -> Estimate:
        """Return one method's figure."""
        if quantity == "stability":
            return over_pairs(self._pairs(method))
        return over_resamples(self.runs[method][KEPT_AS[quantity]])

    def difference(self, quantity: str, plain: str, modified: str) -> tuple[Estimate, float]:
        """Return modified minus plain on the same runs, and its p-value."""
        if quantity == "stability":
            pairs = self._pairs(modified) - self._pairs(plain)
            value, low, high = over_pairs(pairs)
            spread = (high - low) / 2 / float(special.ndtri(0.975))
            p = float(2 * special.ndtr(-abs(value / spread))) if spread > 0 else math.nan
            return Estimate(value, low, high), p
        first, second = self.runs[modified]["errors"], self.runs[plain]["errors"]
        t = compare_scores(first, second, test_share=TEST_PER_TRAIN)
        ten = compare_scores(first, second, "five_by_two_f") if len(first) == 10 else t
        return Estimate(t.difference, t.low, t.high), ten.p_value

    def published_p(self, quantity: str, plain: str, modified: str) -> float:
        """Return the p-value of the published test: over runs, or over sizes as if independent."""
        if quantity == "stability":
            return published_test(self.curve(modified), self.curve(plain))
        return published_test(self.runs[modified]["errors"], self.runs[plain]["errors"])

    def curve(self, method: str) -> Floats:
        """Return the stability at every size."""
        n_features = WRAPPER_PROBLEMS[self.problem].n_features
        curves = pair_curves(self.runs[method]["orders"], n_features)
        n_runs = len(curves)
        mean: Floats = curves.sum(axis=(0, 1)) / (n_runs * (n_runs - 1))
        return mean

    def _pairs(self, method: str) -> Floats:
        return stability_pairs(
            self.runs[method]["orders"], WRAPPER_PROBLEMS[self.problem].n_features
        )
