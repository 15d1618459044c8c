"""What is stability worth? The same runs with shuffled outcomes.

Features drawn at random agree at 0, but a method's selections on resamples of the same rows agree
far above that even where the labels mean nothing, because training sets share rows. That floor
is measured: labels are permuted, the same resampling protocol is run on each permutation, and
the stability found there is set beside the real one.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from backstay.results._parts import Rows
from backstay.results._records import Records, computed_once
from backstay.results._stability import kuncheva_pairs, mean_stability, pair_matrix
from backstay.stability import PairMatrix

Floats = NDArray[np.float64]


@computed_once
def null_stability(records: Records, method: str) -> Floats:
    """Return Kuncheva's index under each permutation: permutation × size; no rows without any."""
    sizes, n_features = records.sizes, records.n_features
    by_size = [
        [PairMatrix(pairs).mean() for pairs in kuncheva_pairs(orders, sizes, n_features)]
        for orders in records.null_orders(method)
    ]
    return np.array(by_size).reshape(-1, len(sizes))


def above_null(records: Records, method: str, size: int) -> float:
    """Return (S − S₀)/(1 − S₀), or S itself where no shuffled outcomes were run."""
    stability = mean_stability(records, method, size)
    null = null_stability(records, method)
    if not len(null):
        return stability
    floor = float(null[:, records.check_size(size)].mean())
    return (stability - floor) / (1 - floor) if floor < 1 else math.nan


def null_p_value(records: Records, method: str, size: int) -> float:
    """Return the chance of so high a stability with shuffled outcomes; nan if it is not known.

    A permutation has a run or two, so its stability is mostly noise of the runs, which the
    study's own, over all runs, does not have: counting permutations would give p-values that are
    far too large. So the variance of a pair of runs is taken out of that of the permutations; at
    least a tenth of it is left. The noise of the study's own runs is added. So found, p-values are
    close to uniform on noise.
    """
    values = null_stability(records, method)[:, records.check_size(size)]
    _, pairs = pair_matrix(records, method, size)
    if len(values) < 3 or len(pairs) < 3:
        return math.nan
    of_pairs = float(pairs[np.triu_indices(len(pairs), 1)].var())
    spread = float(values.var(ddof=1))
    n_pairs = records.facts.null_runs * (records.facts.null_runs - 1) / 2
    own = max(spread - of_pairs / n_pairs, spread / 10)
    if not own > 0:
        return math.nan
    above = mean_stability(records, method, size) - float(values.mean())
    error = math.sqrt(own * (1 + 1 / len(values)) + PairMatrix(pairs).variance())
    return float(special.stdtr(len(values) - 1, -above / error))


def null_rows(records: Records) -> Rows:
    """Return the stability of every method and size beside that with shuffled outcomes."""
    rows: Rows = []
    for method in records.methods:
        null = null_stability(records, method)
        if not len(null):
            continue
        n_runs = sum(map(len, records.null_orders(method)))
        for place, size in enumerate(records.sizes):
            values = null[:, place]
            stability = mean_stability(records, method, size)
            low, high = np.quantile(values, [0.025, 0.975])
            rows.append(
                {
                    "method": method,
                    "size": size,
                    "stability": stability,
                    "null": float(values.mean()),
                    "low": float(low),
                    "high": float(high),
                    "p_value": null_p_value(records, method, size),
                    "above": above_null(records, method, size),
                    "n_permutations": len(values),
                    "n_runs": n_runs,
                }
            )
    return rows
