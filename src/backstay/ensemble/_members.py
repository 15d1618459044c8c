"""What every ensemble shares: fitting members on rows, and reading what they say."""

from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_selection import RFE
from sklearn.utils.parallel import Parallel, delayed

from backstay._ties import TiedGroups
from backstay._validation import has_fit_parameter, take
from backstay.base import (
    Array,
    FeatureRanker,
    Indices,
    fit_weighted,
    importances_of,
    one_thread,
    ranking_from_importances,
)


@dataclass(frozen=True)
class Member:
    """What one run of the base estimator says about the features."""

    importances: Array | None  # a selector may have only a support
    ranking: Indices | None
    support: NDArray[np.bool_] | None
    drops_zeros: bool = False  # whether importance 0 means unused
    n_ranked: int | None = None  # a ranker may rank fewer than all features
    path: Any = None  # of selections
    groups: TiedGroups | None = None  # features that it does not tell apart
    n_least: int = 0  # how many share the last place
    chosen: bool = False  # whether the selector decided the support, not just an order

    def ranked(self) -> NDArray[np.bool_]:
        """Mask of the features that a ranker truly ranked."""
        assert self.ranking is not None
        return self.ranking <= (len(self.ranking) if self.n_ranked is None else self.n_ranked)

    def ordered(self) -> NDArray[np.bool_]:
        """Mask of the ranked features that do not share the last place."""
        assert self.ranking is not None
        return self.ranked() & (self.ranking <= len(self.ranking) - self.n_least)

    def places(self) -> Indices:
        """Ranks; features without an order all have the last one, whatever their column."""
        assert self.ranking is not None
        return np.where(self.ordered(), self.ranking, len(self.ranking))

    def selected(self, k: int) -> NDArray[np.bool_]:
        """Mask of the k best by rank, without unused ones and those without an order."""
        assert self.ranking is not None  # members are read with ranked=True, or have a support
        best = (self.ranking <= k) & self.ordered()
        return best & (self.importances != 0.0) if self.drops_zeros else best


def read_member(estimator: Any, n_features: int, *, ranked: bool) -> Member:
    """Read a fitted estimator; a selector without importances will do unless `ranked`."""
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
    if np.isnan(importances).any():
        feature = int(np.flatnonzero(np.isnan(importances))[0])
        raise ValueError(
            f"{name} gives feature {feature} the importance nan; importances must be numbers "
            "to be ranked."
        )
    groups, path = TiedGroups.read(estimator, importances), None
    if hasattr(estimator, "selection_path_"):
        path = sparse.csr_array(np.asarray(estimator.selection_path_, dtype=np.bool_))
    ranking = ranking_from_importances(importances)
    member = Member(importances, ranking, support, path=path, groups=groups)
    if isinstance(estimator, FeatureRanker):
        return replace(member, ranking=estimator.ranking_, n_ranked=estimator.n_ranked_)
    if hasattr(estimator, "ranking_"):
        return replace(member, chosen=support is not None and groups.none_cut_by(support))
    # Sparse models and trees leave features out by giving them exactly 0: such a feature must
    # not come out as selected because it comes first among the zeros.
    return replace(member, drops_zeros=True)


def without_column_order(member: Member, rng: np.random.RandomState) -> Member:
    """Return the member with no place in its ranking that follows from the column alone."""
    importances, ranking, support = member.importances, member.ranking, member.support
    if importances is None or ranking is None or member.groups is None:
        return member
    sizes = member.groups.sizes
    if (sizes == 1).all():
        return member
    if (sizes[:-1] > 1).any():
        # With its own random_state an ensemble draws the same in all splits of a study: an order
        # that did not depend on the importances would be as stable as that of the columns.
        of_ties = np.random.default_rng([rng.randint(2**31 - 1), crc32(importances.tobytes())])
        ranking = np.argsort(member.groups.order(of_ties)) + 1
    n_least = len(ranking) - member.groups.n_ordered
    settled = replace(member, ranking=ranking, n_least=n_least)
    by_rank = support is not None and np.array_equal(support, member.ranking <= support.sum())
    if support is None or member.chosen or not by_rank:  # by a level of significance, say
        return settled
    return replace(settled, support=(ranking <= support.sum()) & settled.ordered())


def _seeds(estimator: Any, n: int, rng: np.random.RandomState) -> list[dict[str, int]]:
    """Return, for each of n members, a seed for every ``random_state``, nested ones included."""
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
    weights: Array | None,
    rows: Indices,
    ranked: bool,
    shuffle: int | None,
    pairs: Indices | None = None,
) -> Member:
    with one_thread():
        member = clone(estimator).set_params(**seeds)
        table, labels = take(X, rows), y[rows]
        omega = None if weights is None else weights[rows]
        if shuffle is None:
            beside = {} if pairs is None else {"pairs": pairs[rows]}
            fit_weighted(member, table, labels, omega, **beside)
        else:
            columns = _shuffled_columns(table, labels, shuffle)
            fit_weighted(member, take(table, columns, axis=1), labels, omega)
            back = np.argsort(columns)
            member.ranking_, member.support_ = member.ranking_[back], member.support_[back]
        return read_member(member, X.shape[1], ranked=ranked)


def _shuffled_columns(table: Any, labels: NDArray[Any], seed: int) -> Indices:
    """Return the columns in an order that differs between splits, as that of ties does."""
    values = table.data if sparse.issparse(table) else np.asarray(table)
    codes = np.unique(labels, return_inverse=True)[1]
    content = joblib.hash((np.ascontiguousarray(values), codes))
    return np.random.default_rng([seed, int(content, 16)]).permutation(table.shape[1])


def fit_members(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    sample_weight: Array | None,
    samples: list[Indices],
    rng: np.random.RandomState,
    *,
    ranked: bool = True,
    n_jobs: int | None = 1,
    pairs: Indices | None = None,
) -> list[Member]:
    """Fit one clone per sample and read it; seeds are drawn first, the order of ties last."""
    if sample_weight is not None and not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"sample_weight was given, but the fit of {type(estimator).__name__} does not take it; "
            "leave it out or use an estimator that does."
        )
    if "pairs" not in getattr(estimator, "designs", ()):
        pairs = None
    seeds = _seeds(estimator, len(samples), rng)
    # Of features with equal weights, such as the many that a tree does not use, scikit-learn's
    # RFE eliminates the first columns. Its ranking no longer shows the ties.
    shuffles: list[Any] = [None] * len(samples)
    if isinstance(estimator, RFE):
        shuffles = rng.randint(2**31 - 1, size=len(samples)).tolist()
    calls = [
        delayed(_fit_member)(estimator, own, X, y, sample_weight, rows, ranked, shuffle, pairs)
        for own, rows, shuffle in zip(seeds, samples, shuffles, strict=True)
    ]
    with one_thread():
        members = list(Parallel(n_jobs=n_jobs, prefer="threads")(calls))
    return [without_column_order(member, rng) for member in members]
