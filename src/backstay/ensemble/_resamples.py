"""Which rows does a run get? Everything that ensembles ask about the classes of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.base import Indices, warn_single_members

RESAMPLES = {"bootstrap", "subsample", "complementary_pairs"}


def check_pairs(resample: str, n_runs: int) -> None:
    """Refuse an odd number of runs that go in pairs."""
    if resample == "complementary_pairs" and n_runs % 2:
        raise ValueError(f"n_resamples={n_runs!r} must be even for resample='complementary_pairs'.")


def draw_rows(
    resample: str, y: Indices, n: int, max_samples: float, rng: np.random.RandomState
) -> list[Indices]:
    """Draw the rows of `n` members, class by class as BaggedRanker describes, in increasing order.

    The halves of a complementary pair are members 2i and 2i + 1.
    """
    by_class = _rows_by_class(y)
    if resample == "complementary_pairs":
        return _draw_pairs(by_class, n, rng)
    samples = []
    for _ in range(n):
        if resample == "bootstrap":
            parts = [rng.choice(rows, len(rows)) for rows in by_class]
        else:
            parts = [
                rng.choice(rows, max(1, round(max_samples * len(rows))), replace=False)
                for rows in by_class
            ]
        samples.append(np.sort(np.concatenate(parts)))
    return samples


def _draw_pairs(by_class: list[Indices], n: int, rng: np.random.RandomState) -> list[Indices]:
    samples = []
    for _ in range(n // 2):
        shuffled = [rng.permutation(rows) for rows in by_class]
        for half in range(2):
            parts = [rows[half * (len(rows) // 2) :][: max(1, len(rows) // 2)] for rows in shuffled]
            samples.append(np.sort(np.concatenate(parts)))
    return samples


def hold_out(
    y: Indices, classes: NDArray[Any], share: float, rng: np.random.RandomState
) -> tuple[Indices, Indices]:
    """Return rows to select on and rows held out, a share of every class of two rows or more."""
    warn_single_members(classes, y, "none of it is held out")
    held = []
    for rows in _rows_by_class(y):
        size = min(max(1, round(share * len(rows))), len(rows) - 1)
        held.append(rng.choice(rows, size, replace=False))
    out = np.sort(np.concatenate(held))
    if not len(out):
        raise ValueError("keep='grow' needs a class of at least 2 rows to hold one out.")
    return np.setdiff1d(np.arange(len(y)), out), out


def _rows_by_class(y: Indices) -> list[Indices]:
    return [np.flatnonzero(y == c) for c in range(int(y.max()) + 1)]
