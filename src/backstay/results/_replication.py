"""What would a second study share? The overlap expected with an independent sample of this size.

Not the stability over resamples of these rows: resamples share rows, so they agree too well, and
they are smaller than a second study, so they agree too little. See `backstay.stability.Standings`.
"""

import math

import numpy as np
from numpy.typing import NDArray

from backstay.results._facts import Estimate
from backstay.results._parts import Rows
from backstay.results._records import Records, computed_once
from backstay.results._runs import judged_methods
from backstay.stability import Standings

Floats = NDArray[np.float64]
# Below these the counts say too little.
LEAST_RUNS, LEAST_UNITS = 5, 20
# The model holds up to a standard deviation of 0.05, and a run is worth this much; both were
# measured on halves of real tables and on independent samples (docs/replication.md).
MODEL_ERROR, RUN_ERROR = 0.05, 0.25
# Draws of modules, for the uncertainty.
N_DRAWS = 60
NORMAL_95 = 1.959964


@computed_once
def sampling_noise(records: Records) -> float:
    """Return the variance of the sample around the truth, in units of that of runs around it.

    It is f/(1 − f) for runs on a share f of the rows; whole groups count, and rows drawn twice.
    """
    units, n_units = records.units, records.n_units
    share = np.bincount(units, minlength=n_units) / records.n_samples
    spread = []
    for resample in range(records.n_resamples):
        rows = units[records.train(resample)]
        drawn = np.bincount(rows, minlength=n_units) / len(rows)
        spread.append(((drawn - share) ** 2).sum())
    apart = float(np.mean(spread))
    return float((share**2).sum()) / apart if apart > 0 else math.inf


def why_unknown(records: Records, method: str, size: int) -> str:
    """Return why nothing can be said, as a word: "rows", "runs" or "size"; empty if it can."""
    if records.n_units < LEAST_UNITS or not 0 < sampling_noise(records) < 100:
        return "rows"
    if len(records.orders(method)[0]) < LEAST_RUNS:
        return "runs"
    return "size" if size >= records.n_features else ""


@computed_once
def standings(records: Records, method: str, size: int) -> Standings | None:
    """Return the standings of the features, by a method at a size; None if not known."""
    if why_unknown(records, method, size):
        return None
    return Standings.fit(
        _counts(records, method, size), len(records.orders(method)[0]), sampling_noise(records)
    )


def _counts(records: Records, method: str, size: int) -> NDArray[np.intp]:
    orders = records.orders(method)[1]
    return np.bincount(orders[:, :size].ravel(), minlength=records.n_features)


@computed_once
def again(records: Records, method: str, size: int) -> Floats:
    """Return the chance of every feature to be chosen in an independent sample; nan if unknown."""
    found = standings(records, method, size)
    if found is None:
        return np.full(records.n_features, np.nan)
    return found.again()[_counts(records, method, size)]


@computed_once
def _module_draws(records: Records) -> tuple[NDArray[np.intp], Floats]:
    """Return features that some method may have chosen, and how often each draw holds them.

    Features of a module come together: they are no independent evidence. The draws are the same
    for all methods and sizes, so that differences between these are known, too.
    """
    orders = [records.orders(method)[1][:, : max(records.sizes)] for method in records.methods]
    chosen = np.unique(np.concatenate([one.ravel() for one in orders]))
    modules = np.arange(records.n_features) if records.modules is None else records.modules
    _, member = np.unique(modules[chosen], return_inverse=True)
    copies = np.random.default_rng(0).poisson(1.0, (N_DRAWS, int(member.max()) + 1))
    return chosen, copies[:, member].astype(np.float64)


@computed_once
def overlap_draws(records: Records, method: str, size: int) -> Floats:
    """Return the overlap expected if other modules had been drawn, around the one expected."""
    found = standings(records, method, size)
    if found is None:
        return np.full(N_DRAWS, np.nan)
    chosen, copies = _module_draws(records)
    counts = _counts(records, method, size)
    n_counts = len(found.histogram)
    histograms = np.array(
        [np.bincount(counts[chosen], weights=one, minlength=n_counts) for one in copies]
    )
    # Features that were never chosen are many and alike: they need not be drawn.
    histograms[:, 0] += records.n_features - len(chosen)
    # A draw in which nothing, or everything, is chosen says nothing.
    telling = (histograms[:, 1:].sum(axis=1) > 0) & (histograms[:, :-1].sum(axis=1) > 0)
    drawn = found.overlaps_of(histograms[telling])
    around_expected = np.full(len(histograms), found.overlap())
    around_expected[telling] += drawn - drawn.mean()
    return around_expected


def replication_error(records: Records, method: str, size: int) -> float:
    """Return the standard error of the overlap expected; nan if unknown."""
    n_runs = len(records.orders(method)[0])
    spread = float(overlap_draws(records, method, size).var(ddof=1))
    return math.sqrt(spread + MODEL_ERROR**2 + RUN_ERROR**2 / max(n_runs, 1))


def around(expected: float, error: float) -> Estimate:
    """Return an expected overlap with its 95 % interval."""
    low, high = expected - NORMAL_95 * error, expected + NORMAL_95 * error
    return Estimate(expected, max(low, -1.0), min(high, 1.0))


@computed_once
def replication_of(records: Records, method: str, size: int) -> Estimate | None:
    """Return the overlap expected with an independent sample of as many rows; None if unknown."""
    found = standings(records, method, size)
    if found is None:
        return None
    return around(found.overlap(), replication_error(records, method, size))


def replication_rows(records: Records) -> Rows:
    """Return what a second study would share, of every method and size where it is known."""
    rows: Rows = []
    for method in judged_methods(records):
        for size in records.sizes:
            found = replication_of(records, method, size)
            if found is not None:
                ends = {"expected": found.value, "low": found.low, "high": found.high}
                rows.append({"method": method, "size": size, **ends})
    return rows
