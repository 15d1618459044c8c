"""Measures on subsets, as formulas; what a docstring returns is the definition in the table.

Pairwise measures return the M×M matrix of similarities, nan where a pair is 0/0; the
others return one number for the whole system. Written with integers as far as the
formula goes (everything times p), so that 0/0 is recognised exactly.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.stability._runs import Runs

Pairs = NDArray[np.float64]


def ratio(numerator: Pairs, denominator: Pairs) -> Pairs:
    """Divide, with nan where the denominator is 0."""
    out = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out


def dunne(runs: Runs) -> Pairs:
    """Return 1 − Hamming/p."""
    return 1 - (runs.a + runs.b - 2 * runs.shared) / runs.n_features


def kalousis(runs: Runs) -> Pairs:
    """Return |A∩B|/|A∪B| (Jaccard)."""
    return ratio(runs.shared, runs.a + runs.b - runs.shared)


def dice(runs: Runs) -> Pairs:
    """Return 2|A∩B|/(|A|+|B|)."""
    return ratio(2 * runs.shared, runs.a + runs.b)


def ochiai(runs: Runs) -> Pairs:
    """Return |A∩B|/√(|A||B|)."""
    return ratio(runs.shared, np.sqrt(runs.a * runs.b))


def kuncheva(runs: Runs) -> Pairs:
    """Return (r − k²/p)/(k − k²/p)."""
    # All subsets have the same size k.
    size = float(runs.sizes[0])
    span = np.full(runs.shared.shape, size * (runs.n_features - size))
    return ratio(_excess(runs), span)


def _excess(runs: Runs) -> Pairs:
    """Return p(r − ab/p), the overlap beyond chance."""
    return np.asarray(runs.shared * runs.n_features - runs.a * runs.b)


def lustgarten(runs: Runs) -> Pairs:
    """Return (r − ab/p)/(min(a,b) − max(0, a+b−p))."""
    a, b = runs.a, runs.b
    span = np.minimum(a, b) - np.maximum(0, a + b - runs.n_features)
    return ratio(_excess(runs), runs.n_features * span)


def wald(runs: Runs) -> Pairs:
    """Return (r − ab/p)/(min(a,b) − ab/p)."""
    a, b = runs.a, runs.b
    return ratio(_excess(runs), runs.n_features * np.minimum(a, b) - a * b)


def phi(runs: Runs) -> Pairs:
    """Return the φ coefficient (Pearson of the masks)."""
    spread = np.sqrt(runs.sizes * (runs.n_features - runs.sizes))
    return ratio(_excess(runs), spread[:, None] * spread[None, :])


def kappa(runs: Runs) -> Pairs:
    """Return Cohen's κ of the masks."""
    a, b = runs.a, runs.b
    return ratio(_excess(runs), runs.n_features * (a + b) / 2 - a * b)


def krizek(runs: Runs) -> float:
    """Return entropy in bits of the distribution of whole subsets."""
    _, repeats = np.unique(np.packbits(runs.selected, axis=1), axis=0, return_counts=True)
    shares = repeats / runs.n_runs
    return float(np.abs(np.sum(shares * np.log2(shares))))


def krizek_details(runs: Runs) -> dict[str, float]:
    """Return 1 − H/log₂ min(M, number of possible subsets), higher is stabler."""
    # The possible subsets are those of the common size k, or all of them when sizes differ.
    sizes, p = runs.sizes, runs.n_features
    possible: int = runs.n_runs
    # 0 < k < p gives at least p subsets: the huge binomials never need computing.
    if np.any(sizes != sizes[0]):
        possible = min(possible, 2 ** min(p, 62))
    elif sizes[0] in (0, p) or p < runs.n_runs:
        possible = min(possible, math.comb(p, int(sizes[0])))
    normalized = 1 - krizek(runs) / math.log2(possible) if possible > 1 else math.nan
    return {"normalized": normalized}


def somol(runs: Runs) -> float:
    """Return mean of (F_f − 1)/(m − 1) over features ever selected."""
    chosen = runs.counts[runs.counts > 0]
    if not chosen.size:
        return math.nan
    return float((chosen - 1).sum() / (chosen.size * (runs.n_runs - 1)))


def somol_weighted(runs: Runs) -> float:
    """Return Σ (F_f/q)(F_f − 1)/(m − 1)."""
    total = int(runs.counts.sum())
    if total == 0:
        return math.nan
    return float(np.dot(runs.counts, runs.counts - 1) / (total * (runs.n_runs - 1)))


def somol_bounds(total: Any, n_runs: int, n_features: int) -> tuple[Any, Any]:
    """Return the smallest and largest CW that q = `total` selections allow, elementwise."""
    over = total % n_features
    low = (total**2 - n_features * (total - over) - over**2) / (n_features * total * (n_runs - 1))
    left = total % n_runs
    high = (left**2 + total * (n_runs - 1) - left * n_runs) / (total * (n_runs - 1))
    return low, high


def somol_relative(runs: Runs) -> float:
    """Return (CW − CWmin)/(CWmax − CWmin)."""
    total = int(runs.counts.sum())
    if total == 0:
        return math.nan
    low, high = somol_bounds(total, runs.n_runs, runs.n_features)
    weighted = somol_weighted(runs)
    return weighted if low == high else (weighted - low) / (high - low)


def nogueira(runs: Runs) -> float:
    """Return 1 − mean variance of selection / that of random selection."""
    m, p = runs.n_runs, runs.n_features
    total = int(runs.counts.sum())
    if total in (0, m * p):
        return math.nan
    spread = int(np.dot(runs.counts, m - runs.counts))
    return 1 - spread * m * p / ((m - 1) * total * (m * p - total))


def nogueira_left_out(runs: Runs) -> NDArray[np.float64]:
    """Return Nogueira's measure without each run; nan where it is 0/0."""
    m, p, counts = runs.n_runs - 1, runs.n_features, runs.counts
    total = counts.sum() - runs.sizes
    kept = counts * (m - counts)
    spread = kept.sum() + runs.selected @ ((counts - 1) * (m - counts + 1) - kept)
    random = (m - 1) * total * (m * p - total)
    return 1 - ratio((spread * m * p).astype(np.float64), random.astype(np.float64))


def drotar(runs: Runs, top: int | None = None) -> float:
    """Return mean F_f of the top T / (1 + mean F_f of the other chosen)."""
    if top is None:
        top = max(1, round(float(runs.sizes.mean())))
    if not 1 <= top <= runs.n_features:
        raise ValueError(f"top={top!r} must lie between 1 and {runs.n_features}.")
    ordered = np.sort(runs.counts)[::-1]
    others = ordered[top:]
    others = others[others > 0]
    return float(ordered[:top].sum() / top / (1 + (others.mean() if others.size else 0)))


def davis(runs: Runs, penalty: float = 0.0) -> float:
    """Return max(0, q/(m|X|) − penalty·median|A|/p), X ever selected."""
    if penalty < 0:
        raise ValueError(f"penalty={penalty!r} must not be negative.")
    chosen = int(np.count_nonzero(runs.counts))
    if chosen == 0:
        return math.nan
    mean_frequency = int(runs.counts.sum()) / (runs.n_runs * chosen)
    return max(0.0, mean_frequency - penalty * float(np.median(runs.sizes)) / runs.n_features)
