"""Reads what other code produced: subsets, rankings and weights of repeated runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats

RANKING_KINDS = ("auto", "order", "ranks", "scores")


@dataclass(frozen=True)
class Runs:
    """M subsets of p features, kept as a mask over the features that any run selected."""

    # Measures depend on the other features only through their number, so dropping those columns
    # keeps the work proportional to what was selected.

    selected: NDArray[np.bool_]
    features: NDArray[np.intp]
    n_features: int

    @property
    def n_runs(self) -> int:
        """Return M."""
        return int(self.selected.shape[0])

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Return the size of every subset."""
        return self.selected.sum(axis=1, dtype=np.int64)

    @cached_property
    def a(self) -> NDArray[np.float64]:
        """Return |A| for every pair of runs, A the run of the row."""
        return self.sizes.astype(np.float64)[:, None]

    @property
    def b(self) -> NDArray[np.float64]:
        """Return |B| for every pair of runs, B the run of the column."""
        return self.a.T

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Return F_f, the number of runs selecting each kept feature."""
        return self.selected.sum(axis=0, dtype=np.int64)

    @cached_property
    def shared(self) -> NDArray[np.float64]:
        """Return |A∩B| for every pair of runs, as floats that hold integers."""
        mask = self.selected.astype(np.float64)
        return np.asarray(mask @ mask.T)

    @cached_property
    def frequency(self) -> NDArray[np.float64]:
        """Return the share of runs that selected each of all features."""
        frequency = np.zeros(self.n_features)
        frequency[self.features] = self.counts / self.n_runs
        return frequency

    def take(self, runs: NDArray[np.intp]) -> Runs:
        """Return the given runs, with repetition; columns may become empty."""
        return Runs(self.selected[runs], self.features, self.n_features)


def check_runs(n_runs: int) -> None:
    """Refuse fewer than two runs."""
    if n_runs < 2:
        raise ValueError(f"stability needs at least 2 runs; got {n_runs}.")


def read_subsets(subsets: Any, n_features: int | None) -> Runs:
    """Turn lists of indices or names, a boolean matrix or fitted selectors into `Runs`."""
    if n_features is not None and (int(n_features) != n_features or n_features < 1):
        raise ValueError(f"n_features={n_features!r} must be a positive integer.")
    if sparse.issparse(subsets):
        subsets = subsets.toarray()
    elif hasattr(subsets, "to_numpy"):
        subsets = subsets.to_numpy()
    runs = [
        _mask_or_indices(run, f"subset {index}") for index, run in enumerate(_numbered(subsets))
    ]
    check_runs(len(runs))
    if n_features is None:
        masks = [run for run in runs if run.dtype == np.bool_]
        if not masks:
            raise ValueError(
                "n_features is needed when every subset is a list of names or indices: pass the "
                "number of features that they were selected from."
            )
        n_features = masks[0].size
    selected = np.zeros((len(runs), int(n_features)), dtype=np.bool_)
    for index, run in enumerate(runs):
        _fill(selected[index], run, f"subset {index}")
    features = np.flatnonzero(selected.any(axis=0))
    return Runs(np.ascontiguousarray(selected[:, features]), features, int(n_features))


def _numbered(subsets: Iterable[Any]) -> list[Any]:
    """Return runs with indices of features where they have names."""
    runs = list(subsets)
    named = [isinstance(run, Iterable) and all(isinstance(x, str) for x in run) for run in runs]
    if not all(named) or any(isinstance(run, str) for run in runs):
        return runs
    places = {name: j for j, name in enumerate(sorted({name for run in runs for name in run}))}
    return [[places[name] for name in run] for run in runs]


def read_run(run: Any, mask: NDArray[np.bool_], name: str) -> None:
    """Mark the features of one run, given as indices, as a mask or as a selector."""
    _fill(mask, _mask_or_indices(run, name), name)


def _mask_or_indices(run: Any, name: str) -> NDArray[Any]:
    """Return one run as a mask or as an array of indices."""
    if hasattr(run, "get_support"):
        return np.asarray(run.get_support(), dtype=np.bool_)
    if isinstance(run, str) or not isinstance(run, Iterable):
        raise ValueError(
            f"{name} must be feature indices, a boolean mask or a fitted selector; got {run!r}."
        )
    values = np.asarray(run if isinstance(run, np.ndarray) else list(run))
    if values.size == 0:
        return np.empty(0, dtype=np.intp)
    if values.ndim != 1 or values.dtype.kind not in "biu":
        raise ValueError(
            f"{name} must be one-dimensional feature indices or a boolean mask; "
            f"got shape {values.shape} and type {values.dtype}."
        )
    return values


def _fill(mask: NDArray[np.bool_], run: NDArray[Any], name: str) -> None:
    """Mark a run's features in its row; refuse indices that are out of range or repeated."""
    n_features = mask.size
    if run.dtype == np.bool_:
        if run.size != n_features:
            raise ValueError(f"{name} must be a mask over {n_features} features; got {run.size}.")
        mask[:] = run
        return
    outside = run[(run < 0) | (run >= n_features)]
    if outside.size:
        raise ValueError(
            f"{name} must hold indices from 0 to {n_features - 1} for "
            f"n_features={n_features}; got {outside[0]}."
        )
    mask[run.astype(np.intp)] = True
    if int(mask.sum()) != run.size:
        repeated = np.flatnonzero(np.bincount(run.astype(np.intp)) > 1)
        hint = " (a 0/1 matrix must have type bool)" if set(run.tolist()) <= {0, 1} else ""
        raise ValueError(f"{name} holds index {repeated[0]} more than once{hint}.")


def read_weights(weights: Any) -> NDArray[np.float64]:
    """Return an M×d matrix of finite floats, at least two rows."""
    values = np.asarray(weights, dtype=np.float64)
    if values.ndim != 2:
        raise ValueError(f"weights must be runs × features; got {values.ndim} dimension(s).")
    check_runs(len(values))
    if values.shape[1] < 1:
        raise ValueError("weights must have at least one feature; got none.")
    if not np.isfinite(values).all():
        run, feature = np.argwhere(~np.isfinite(values))[0]
        raise ValueError(
            f"weights must be finite; got {values[run, feature]} in run {run}, feature {feature}."
        )
    return values


def normalized(values: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    """Return |w|/Σ|w| along the last axis."""
    size = np.abs(values)
    total = size.sum(axis=-1, keepdims=True)
    if not (total > 0).all():
        raise ValueError(f"{name} cannot be normalised: all of a run's weights are 0.")
    return np.asarray(size / total)


def _stack_rankings(
    rankings: Any, kind: str, n_features: int | None = None
) -> tuple[NDArray[Any], str]:
    """Return the rankings as one array, and their kind; fitted rankers give ``ranking_``."""
    if kind not in RANKING_KINDS:
        raise ValueError(f"kind={kind!r} must be one of {', '.join(RANKING_KINDS)}.")
    if hasattr(rankings, "to_numpy"):
        rankings = rankings.to_numpy()
    rows = list(rankings)
    if rows and all(hasattr(row, "ranking_") for row in rows):
        rows, kind = [np.asarray(row.ranking_) for row in rows], "ranks"
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        raise ValueError(f"rankings must have equal lengths; got {sorted(lengths)}.")
    check_runs(len(rows))
    values = rankings if isinstance(rankings, np.ndarray) else np.asarray(rows)
    if values.ndim != 2 or values.dtype.kind not in "iuf" or values.shape[1] < 1:
        raise ValueError(
            f"rankings must be runs × features and numeric; got shape {values.shape} "
            f"and type {values.dtype}."
        )
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError("rankings must be finite; got nan or infinity.")
    return values, _guess_kind(values, n_features) if kind == "auto" else kind


def _guess_kind(values: NDArray[Any], n_features: int | None) -> str:
    """Tell 0-based orders from 1-based ranks; top lists are shorter than n_features."""
    if n_features is not None and values.shape[1] < n_features:
        return "order"
    lowest = values.min(axis=1)
    if (lowest == 0).all() and values.dtype.kind in "iu":
        return "order"
    if (lowest >= 1).all():
        return "ranks"
    raise ValueError(
        "kind='auto' cannot tell orders (feature indices from 0, best first) from ranks (from 1); "
        "pass kind='order' or kind='ranks', or kind='scores' for weights."
    )


def read_orders(rankings: Any, kind: str, n_features: int | None) -> tuple[NDArray[Any], int]:
    """Return M×K feature indices, best first, and the number of features."""
    values, kind = _stack_rankings(rankings, kind, n_features)
    width = values.shape[1]
    n_features = width if n_features is None else int(n_features)
    if kind != "order" and width != n_features:
        raise ValueError(f"rankings must cover n_features={n_features} features; got {width}.")
    if kind == "scores":
        # Ties go to the lower column, as everywhere in backstay.
        return np.argsort(-values, axis=1, kind="stable"), n_features
    zero_based = values if kind == "order" else values - 1
    _check_distinct(zero_based, n_features, kind)
    if kind == "order":
        return values, n_features
    return _inverse(zero_based), n_features


def _inverse(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return, row by row, the permutation that undoes the given one."""
    inverse = np.empty(values.shape, dtype=np.int64)
    columns = np.broadcast_to(np.arange(values.shape[1]), values.shape)
    np.put_along_axis(inverse, values.astype(np.int64), columns, axis=1)
    return inverse


def _check_distinct(values: NDArray[Any], n_features: int, kind: str) -> None:
    """Refuse rows that are not distinct integers in 0..n_features−1."""
    base = 0 if kind == "order" else 1
    whole = values.dtype.kind in "iu" or bool((values == np.floor(values)).all())
    if not whole or values.min() < 0 or values.max() >= n_features:
        top = n_features - 1 + base
        raise ValueError(f"rankings of kind {kind!r} must hold whole numbers from {base} to {top}.")
    seen = np.zeros(n_features, dtype=np.bool_)
    for index, row in enumerate(values):
        seen[:] = False
        seen[row.astype(np.intp, copy=False)] = True
        if int(seen.sum()) != row.size:
            repeated = np.flatnonzero(np.bincount(row.astype(np.intp)) > 1)[0] + base
            raise ValueError(
                f"ranking {index} holds {repeated} more than once; a strict order is needed, "
                "because tied ranks do not say which features of the tie are selected."
            )


def read_ranks(rankings: Any, kind: str) -> NDArray[np.float64]:
    """Return M×d ranks, 1 is best, ties as mid-ranks."""
    values, kind = _stack_rankings(rankings, kind)
    if kind == "order":
        _check_distinct(values, values.shape[1], kind)
        return _inverse(values).astype(np.float64) + 1
    if kind == "ranks" and (values.min() < 1 or values.max() > values.shape[1]):
        raise ValueError(f"ranks must lie between 1 and the number of features, {values.shape[1]}.")
    signed = -values if kind == "scores" else values
    return np.asarray(stats.rankdata(signed, axis=1), dtype=np.float64)
