"""One cell of the thesis' tables of wrappers: what was printed, and what runs measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib import resources

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from backstay.comparison import corrected_resampled_t, five_by_two_f
from backstay.stability import jackknife_of_pairs, mean_of_pairs, normal_interval
from backstay.stability._overlaps import pair_overlaps
from reproduction._experiment import Arrays
from reproduction._prat_wrappers import PROBLEMS

__all__ = ["Cell", "Estimate", "counts", "over_pairs", "published_table", "stability_pairs"]

Floats = NDArray[np.float64]
Estimate = tuple[float, float, float]  # value, low, high
# n_test/n_train of halves, for the corrected variance of resampled errors.
HALVES = 1.0
KEPT_AS = {"error": "errors", "features": "features"}


def published_table(number: str) -> pd.DataFrame:
    """Return a table as printed, e.g. "6.2".

    ``plain`` and ``modified`` are errors or stabilities; ``_sd``, the spread over subset
    sizes; ``_features``, how many were selected.

    Examples
    --------
    >>> from reproduction._prat_cells import published_table
    >>> published_table("6.1")[["problem", "plain", "modified"]]
          problem  plain  modified
    0      corrAl  0.077     0.009
    1  antiCorrAl  0.132     0.023
    """
    name = f"prat_tab{number[0]}.csv"
    source = resources.files("reproduction").joinpath("published", name)
    with source.open(encoding="utf-8") as file:
        table = pd.read_csv(file, dtype={"table": str})
    return table[table["table"] == number].drop(columns="table").reset_index(drop=True)


def stability_pairs(orders: NDArray[np.integer], n_features: int) -> Floats:
    """Return Kuncheva's index of every two runs, averaged over the sizes of subsets.

    All features, where the index is 0/0, are not a size.
    """
    n_runs, most = orders.shape
    most = min(most, n_features - 1)
    k = np.arange(1.0, most + 1)
    pairs = np.zeros((n_runs, n_runs))
    for run, others, overlaps in pair_overlaps(orders[:, :most], n_features):
        index = (overlaps - k**2 / n_features) / (k - k**2 / n_features)
        pairs[run, others] = pairs[others, run] = index.mean(axis=1)
    return pairs


def over_pairs(pairs: Floats) -> Estimate:
    """Return the mean over pairs of runs and its jackknife interval."""
    value = mean_of_pairs(pairs)
    variance = float(jackknife_of_pairs(pairs.sum(axis=0)))
    return (value, *normal_interval(value, variance, 0.95))


def over_resamples(values: Floats) -> Estimate:
    """Return the mean over resamples and its interval, corrected for common rows."""
    found = corrected_resampled_t(np.zeros(len(values)), values, test_share=HALVES)
    return found.difference, found.low, found.high


def counts(name: str, quantity: str) -> bool:
    """Whether a problem is part of the summary.

    The data must be the published ones. Errors of genes chosen on all rows are too
    good; stabilities of genes chosen on each run's training rows are not out of 200.
    """
    problem = PROBLEMS[name]
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
        problem = PROBLEMS[self.problem]
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
            return (value, low, high), p
        first, second = self.runs[plain]["errors"], self.runs[modified]["errors"]
        t = corrected_resampled_t(first, second, test_share=HALVES)
        p = five_by_two_f(first, second).p_value if len(first) == 10 else t.p_value
        return (t.difference, t.low, t.high), p

    def _pairs(self, method: str) -> Floats:
        return stability_pairs(self.runs[method]["orders"], PROBLEMS[self.problem].n_features)
