"""Which rows does a run get? Everything that ensembles ask about the classes of the rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.base import Indices, warn_single_members

RESAMPLES = {"bootstrap", "subsample", "complementary_pairs"}


def draw_rows(
    resample: str, y: Indices, n: int, max_samples: float, rng: np.random.RandomState
) -> list[Indices]:
    """Draw the rows of `n` members, class by class; members 2i and 2i + 1 are a pair."""
    if resample == "complementary_pairs" and n % 2:
        raise ValueError(f"n_resamples={n!r} must be even for resample='complementary_pairs'.")
    by_class = _rows_by_class(y)
    samples: list[list[Indices]] = []
    while len(samples) < n:
        if resample == "bootstrap":
            samples.append([rng.choice(rows, len(rows)) for rows in by_class])
        elif resample == "subsample":
            sizes = [max(1, round(max_samples * len(rows))) for rows in by_class]
            drawn = zip(by_class, sizes, strict=True)
            samples.append([rng.choice(rows, size, replace=False) for rows, size in drawn])
        else:
            shuffled = [(rng.permutation(rows), len(rows) // 2) for rows in by_class]
            samples.append([rows[: max(1, half)] for rows, half in shuffled])
            samples.append([rows[half:][: max(1, half)] for rows, half in shuffled])
    return [np.sort(np.concatenate(parts)) for parts in samples]


def draw_pairs(
    resample: str, pairs: Indices, n: int, max_samples: float, rng: np.random.RandomState
) -> list[Indices]:
    """Draw whole pairs for `n` members, in increasing order of their rows."""
    numbers = np.arange(pairs.max() + 1, dtype=np.float64)  # not classes: any pair is like another
    drawn = draw_rows(resample, numbers, n, max_samples, rng)
    return [np.flatnonzero(np.isin(pairs, some)) for some in drawn]


def hold_out(
    y: Indices, classes: NDArray[Any] | None, share: float, rng: np.random.RandomState
) -> tuple[Indices, Indices]:
    """Return rows to select on and rows held out, a share of every class of two rows or more."""
    if classes is not None:
        warn_single_members(classes, y, "none of it is held out")
    held = []
    for rows in _rows_by_class(y):
        size = min(max(1, round(share * len(rows))), len(rows) - 1)
        held.append(rng.choice(rows, size, replace=False))
    out = np.sort(np.concatenate(held))
    if not len(out):
        raise ValueError("keep='grow' needs a class of at least 2 rows to hold one out.")
    return np.setdiff1d(np.arange(len(y)), out), out


def _rows_by_class(y: NDArray[Any]) -> list[Indices]:
    """Return the rows of every class, or with and without the event; numbers are all together."""
    if y.dtype.names:
        return [np.flatnonzero(y["event"] == had) for had in np.unique(y["event"])]
    if y.dtype.kind == "f":
        return [np.arange(len(y))]
    return [np.flatnonzero(y == c) for c in range(int(y.max()) + 1)]
