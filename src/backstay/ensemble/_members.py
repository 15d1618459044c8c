"""What every ensemble shares: drawing rows, fitting members on them, reading the results."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import ThreadpoolController

from backstay._validation import (
    has_fit_parameter,
    resolve_n_features,
    validate_names,
    validate_X_y,
)
from backstay.base import FeatureRanker, importances_of, ranking_from_importances
from backstay.ensemble._shared import Shared, share

__all__ = ["RESAMPLES", "Member", "draw_rows", "fit_members", "member_input", "warn_unsplit"]

RESAMPLES = {"bootstrap", "subsample", "complementary_pairs"}
Rows = NDArray[np.intp]


def draw_rows(
    resample: str, y: NDArray[np.intp], n: int, max_samples: float, rng: np.random.RandomState
) -> list[Rows]:
    """Draw the rows of `n` members, class by class, so that every member sees every class.

    "bootstrap" draws as many rows of a class as it has, with replacement;
    "subsample" a share `max_samples` of them, at least one, without;
    "complementary_pairs" halves every class for members 2i and 2i + 1 and leaves
    an odd row out; a single row is in both. Rows come in increasing order.
    """
    by_class = [np.flatnonzero(y == c) for c in range(int(y.max()) + 1)]
    if resample == "complementary_pairs":
        return _draw_pairs(by_class, n, rng)
    samples = []
    for _ in range(n):
        if resample == "bootstrap":
            parts = [rng.choice(rows, len(rows)) for rows in by_class]
        else:
            sizes = [max(1, round(max_samples * len(rows))) for rows in by_class]
            parts = [
                rng.choice(rows, m, replace=False) for rows, m in zip(by_class, sizes, strict=True)
            ]
        samples.append(np.sort(np.concatenate(parts)))
    return samples


def _draw_pairs(by_class: list[Rows], n: int, rng: np.random.RandomState) -> list[Rows]:
    samples = []
    for _ in range(n // 2):
        shuffled = [rng.permutation(rows) for rows in by_class]
        for half in range(2):
            parts = [rows[half * (len(rows) // 2) :][: max(1, len(rows) // 2)] for rows in shuffled]
            samples.append(np.sort(np.concatenate(parts)))
    return samples


def warn_unsplit(classes: NDArray[Any], y: NDArray[np.intp], consequence: str) -> None:
    """Say which classes have a single row, which cannot be split."""
    lonely = classes[np.bincount(y) == 1]
    if len(lonely):
        names = ", ".join(repr(c) for c in lonely.tolist())
        warnings.warn(
            f"class {names} has a single member: {consequence}.", UserWarning, stacklevel=4
        )


@dataclass(frozen=True)
class Member:
    """What one run of the base estimator says about the features."""

    importances: NDArray[np.float64] | None
    ranking: NDArray[np.intp] | None
    support: NDArray[np.bool_] | None

    def selected(self, k: int) -> NDArray[np.bool_]:
        """Mask of the k best by rank; features of importance 0 are not used, so not selected."""
        if self.ranking is None or self.importances is None:
            raise ValueError("a member without a ranking has no k best features.")
        mask = self.ranking <= k
        return mask & (self.importances != 0) if self.drops_zeros else mask

    drops_zeros: bool = False


def read_member(estimator: Any, n_features: int, *, ranked: bool) -> Member:
    """Read importances, ranking and support off a fitted estimator.

    A selector without importances has a support only, which is enough unless
    `ranked`.
    """
    support = None
    if hasattr(estimator, "get_support"):
        support = np.asarray(estimator.get_support(), dtype=np.bool_)
    try:
        importances = importances_of(estimator)
    except ValueError:
        if ranked or support is None:
            raise
        return Member(None, None, support)
    name = type(estimator).__name__
    if importances.shape != (n_features,):
        raise ValueError(
            f"{name} gives {importances.size} importances for {n_features} features; "
            "an ensemble needs one per feature."
        )
    if not np.isfinite(importances).all():
        feature = int(np.flatnonzero(~np.isfinite(importances))[0])
        raise ValueError(
            f"{name} gives feature {feature} the importance {importances[feature]}; "
            "importances must be finite to be ranked."
        )
    if isinstance(estimator, FeatureRanker):
        return Member(importances, estimator.ranking_, support)
    # Sparse models and trees leave features out by giving them exactly 0: such a feature must
    # not come out as selected because it comes first among the zeros.
    zeros = not hasattr(estimator, "ranking_")
    return Member(importances, ranking_from_importances(importances), support, drops_zeros=zeros)


@cache
def _threadpools() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def _one_blas_thread() -> Iterator[None]:
    """Keep BLAS to one thread: its sums depend on their number, which joblib's backends set."""
    with _threadpools().limit(limits=1, user_api="blas"):
        yield


def _seeds(estimator: Any, n: int, rng: np.random.RandomState) -> list[dict[str, int]]:
    """For each of n members, a value for every ``random_state``, also of nested parts."""
    names = [
        name
        for name in sorted(estimator.get_params(deep=True))
        if name == "random_state" or name.endswith("__random_state")
    ]
    draws = rng.randint(np.iinfo(np.int32).max, size=(n, len(names)))
    return [dict(zip(names, row, strict=True)) for row in draws.tolist()]


def _fit_member(
    estimator: Any,
    seeds: dict[str, int],
    X: Any,
    y: NDArray[Any],
    sample_weight: NDArray[np.float64] | None,
    rows: Rows,
    shared: Shared | None,
    ranked: bool,
) -> Member:
    with _one_blas_thread():
        member = clone(estimator).set_params(**seeds)
        weights = None if sample_weight is None else sample_weight[rows]
        if shared is not None:
            member.classes_ = np.unique(y[rows])
            importances = shared.importances(member, rows, weights)
            ranking = ranking_from_importances(importances)
            k = resolve_n_features(member.n_features_to_select, X.shape[1])
            return Member(importances, ranking, ranking <= k)
        if weights is None:
            member.fit(_safe_indexing(X, rows), y[rows])
        else:
            member.fit(_safe_indexing(X, rows), y[rows], sample_weight=weights)
        return read_member(member, X.shape[1], ranked=ranked)


def fit_members(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    sample_weight: NDArray[np.float64] | None,
    samples: list[Rows],
    *,
    scaling: str = "member",
    ranked: bool = True,
    n_jobs: int | None,
    rng: np.random.RandomState,
) -> list[Member]:
    """Fit one clone per sample and read it; their seeds are drawn first.

    Threads unless the caller's ``joblib.parallel_config`` says otherwise: they
    share X, where processes hold the rows of their task (large tables are
    memory-mapped by joblib).
    """
    if sample_weight is not None and not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"sample_weight was given, but the fit of {type(estimator).__name__} does not take it; "
            "leave it out or use an estimator that does."
        )
    seeds = _seeds(estimator, len(samples), rng)
    with _one_blas_thread():
        shared = _shared_by(estimator, X, y, samples, scaling)
        return list(
            Parallel(n_jobs=n_jobs, prefer="threads")(
                delayed(_fit_member)(estimator, own, X, y, sample_weight, rows, sh, ranked)
                for own, rows, sh in zip(seeds, samples, shared, strict=True)
            )
        )


def _shared_by(
    estimator: Any, X: Any, y: NDArray[Any], samples: list[Rows], scaling: str
) -> list[Shared | None]:
    """For each member, the tables it can use in place of its own, or None."""
    shared = share(estimator, X, y)
    if shared is None:
        if scaling == "ensemble":
            raise ValueError(
                "scaling='ensemble' is for SVMRFE, and for ReliefF on numbers without gaps; "
                f"got {type(estimator).__name__}. Use scaling='member', with a scaler before "
                "the ensemble in a pipeline where one scale for all members is wanted."
            )
        return [None] * len(samples)
    uses = [scaling == "ensemble" or shared.same_scale(rows) for rows in samples]
    if any(uses):
        shared.prepare()
    return [shared if use else None for use in uses]


def member_input(ensemble: Any, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    """Check a table as far as the ensemble itself must; the members check their own rows."""
    if hasattr(X, "columns"):  # frames keep their types
        return X, validate_names(ensemble, X, y)
    tags = get_tags(ensemble).input_tags
    accept_sparse = ["csr"] if tags.sparse else False
    return validate_X_y(ensemble, X, y, accept_sparse=accept_sparse, allow_nan=tags.allow_nan)
