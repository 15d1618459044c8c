"""Relief and ReliefF [Prat 2.2.1, 2.2.2; Han 5.2]."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy import sparse

from backstay._kernels import _neighbors as nearest
from backstay._kernels._relief import neighbor_shares
from backstay._validation import (
    POSITIVE,
    StrOptions,
    check_random_state,
    param,
    positive_int,
    validate_names,
    validate_X_y,
)
from backstay.base import (
    Array,
    FeatureRanker,
    Indices,
    NominalFramesMixin,
    warn_single_members,
)
from backstay.feature_weighting._relief_table import (
    EUCLIDEAN,
    ReliefColumns,
    ReliefTable,
    read_columns,
)

# Lists of all rows at once up to this size; beyond it, rows are finished block by block.
MAX_LIST_BYTES = 100_000_000
BLOCK_BYTES = 16_000_000
ROW_CHUNK = 1024


def relative_weights(sample_weight: Array | None, n: int) -> Array:
    """ω relative to its mean; equal weights become exactly 1, so that they change nothing."""
    if sample_weight is None or (sample_weight == sample_weight[0]).all():
        return np.ones(n)
    return sample_weight / sample_weight.mean()


def block_slices(table: ReliefTable, n_visits: int, k: int) -> list[slice]:
    """Cut visits into blocks whose size depends on the data alone, so that sums do, too."""
    row_bytes = 8 * table.n + 12 * k * table.n_lists
    size = int(np.clip(BLOCK_BYTES // row_bytes, 4, 256))
    return [slice(i, i + size) for i in range(0, n_visits, size)]


def listed(
    table: ReliefTable, queries: Indices, D: Array, k: int
) -> tuple[Array, NDArray[np.int32]]:
    """Return the k nearest of each class, and how far they are, by distances to all rows."""
    distances, rows = nearest.empty_heaps(len(queries), table.n_lists, k, table.n)
    nearest.block_neighbors(D, queries, table.n, table.starts, distances, rows)
    nearest.sort_heaps(distances, rows)
    return distances, rows


def run_calls(n_jobs: int | None, calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run kernel calls in threads (kernels release the GIL); results in the calls' order."""
    # Not through joblib, whose threads poll for results every 10 ms: as long as a whole fit.
    n_threads = min(effective_n_jobs(n_jobs), len(calls))
    if n_threads == 1:
        return [call() for call in calls]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(lambda call: call(), calls))


@dataclass(eq=False, repr=False)
class ReliefF(NominalFramesMixin, FeatureRanker):
    """ReliefF: features that separate near misses and not near hits.

    For every visited instance, the differences to its k nearest hits are
    subtracted from, and those to its k nearest misses added to, the features'
    weights, averaged over the instances. Distances are Manhattan over range
    normalised differences, unless `metric` says otherwise.

    Parameters
    ----------
    n_neighbors : int, default=10
        k; where a class has fewer, those it has are used.
    miss : {"per_class", "any"}, default="per_class"
        k nearest misses of each other class, weighted by P(C)/(1 − P(class));
        or of all other classes together, which is RelievedF.
    sigma : float, default=None
        Influence exp(−(rank/sigma)²) of the neighbours, ranks from 0; None
        gives all the same.
    neighbor_weights : {"shares", "printed"}, default="shares"
        What ``sample_weight`` does to the neighbours in a list: they share one influence by their
        ω; or each counts ω times, as printed [Han eq. 5.3].
    n_draws : int, default=None
        Number of instances visited, drawn without replacement; None visits all.
    metric : {"heom", "vdm", "euclidean", "mahalanobis"}, default="heom"
        How neighbours are sought. "heom" sums the features' differences, 0/1 for nominal values;
        "vdm" takes the value difference metric for these. For numbers without gaps there are also
        "euclidean" and "mahalanobis", which whitens rows by the covariance within classes, shrunk
        by Ledoit and Wolf's method [Prat 9.1]. The weights add up the features' own differences.
    missing : {"class", "worst"}, default="class"
        Differences to missing nominal values: by the distribution of values in
        the class (Relief-D), or 1 − 1/#values.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Nominal columns: by a frame's column types, or column numbers, names or
        a mask.
    n_features_to_select, n_jobs, random_state
        As in :class:`FeatureRanker`.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Weights in [−1, 1].

    Notes
    -----
    With ``sample_weight`` ω each instance's contribution is multiplied by ω_i
    and its neighbours share their influence by ω [Han eq. 5.3, normalised]; only the
    proportions of ω matter.

    Examples
    --------
    >>> from backstay import ReliefF
    >>> from backstay.datasets import make_xor
    >>> X, y, relevance = make_xor(n_samples=200, random_state=0)
    >>> ReliefF(n_features_to_select=3).fit(X, y).get_support(indices=True)
    array([0, 1, 2])
    """

    n_neighbors: int = param(10, positive_int())
    _: KW_ONLY
    miss: str = param("per_class", StrOptions({"per_class", "any"}))
    sigma: float | None = param(None, POSITIVE)
    neighbor_weights: str = param("shares", StrOptions({"shares", "printed"}))
    n_draws: int | None = param(None, positive_int())
    metric: str = param("heom", StrOptions({"heom", "vdm", *EUCLIDEAN}))
    missing: str = param("class", StrOptions({"class", "worst"}))
    categorical_features: Any = param("from_dtype", StrOptions({"from_dtype"}), "array-like", None)
    n_jobs: int | None = None
    random_state: Any = None

    takes_shared_rows = True
    instead: ClassVar = {"numbers": "RReliefF", "survival": "OnResiduals(RReliefF())"}

    def _validate_input(self, X: Any, y: Any) -> tuple[ReliefColumns, NDArray[Any]]:
        categorical = self.categorical_features
        if hasattr(X, "columns"):
            y = validate_names(self, X, y)
            return read_columns(X, categorical), y
        X, y = validate_X_y(self, X, y, accept_sparse=["csr"], allow_nan=not sparse.issparse(X))
        listed = categorical is not None and not isinstance(categorical, str) and len(categorical)
        if listed and sparse.issparse(X):
            raise ValueError(
                f"categorical_features={categorical!r} must be 'from_dtype' or None "
                "with a sparse X."
            )
        return read_columns(X, categorical), y

    def _visits(self, table: ReliefTable) -> Indices:
        """Sorted row numbers of the instances to visit, drawn without replacement."""
        n = table.n
        m = n if self.n_draws is None else min(self.n_draws, n)
        drawn = check_random_state(self.random_state).permutation(n)[:m]
        return np.argsort(table.order)[drawn]

    def _n_listed(self, table: ReliefTable) -> int:
        """Length of the neighbour lists: no more than the largest class, or all misses, offer."""
        sizes = np.diff(table.starts)
        offered = table.n - sizes.min() if self.miss == "any" else sizes.max()
        return int(min(self.n_neighbors, offered))

    def _mass(self, visited: Array) -> float:
        """Return the sum of the visited instances' weights."""
        mass = float(visited.sum())
        if mass == 0.0:
            raise ValueError(
                f"sample_weight is zero for all {len(visited)} instances that were drawn; "
                "raise n_draws or leave it out."
            )
        return mass

    def _from_distances(
        self, table: ReliefTable, queries: Indices, D: Array, k: int, omega: Array
    ) -> tuple[NDArray[np.int32], Array]:
        """:meth:`_coefficients` of the k nearest by the query rows' distances to all rows."""
        return self._coefficients(table, queries, *listed(table, queries, D, k), omega)

    def _coefficients(
        self,
        table: ReliefTable,
        queries: Indices,
        distances: Array,
        rows: NDArray[np.int32],
        omega: Array,
    ) -> tuple[NDArray[np.int32], Array]:
        """Neighbours and what each adds to the weights: −ω share for hits, + for misses."""
        own = table.classes[queries]
        if self.miss == "any":
            merged = nearest.empty_heaps(len(queries), 1, rows.shape[2], table.n)
            nearest.nearest_misses(
                distances, rows, own, table.order, merged[0][:, 0], merged[1][:, 0]
            )
            hits = rows[np.arange(len(queries)), own][:, None]
            rows = np.concatenate([hits, merged[1]], axis=1)
            factor = np.broadcast_to([-1.0, 1.0], (len(queries), 2)).copy()
        else:
            prior = np.diff(table.starts) / table.n
            factor = prior[None, :] / (1.0 - prior[own])[:, None]
            factor[np.arange(len(queries)), own] = -1.0
        shares = self._shares(queries, rows, omega)
        shares *= factor[:, :, None]
        return rows.reshape(len(queries), -1), shares.reshape(len(queries), -1)

    def _shares(self, queries: Indices, rows: NDArray[np.int32], omega: Array) -> Array:
        """Return how the neighbours in each list share the weight of their row."""
        ranks = np.arange(rows.shape[2])
        influence = np.exp(-((ranks / (self.sigma or np.inf)) ** 2))  # all 1 without sigma
        shares = np.empty(rows.shape)
        printed = self.neighbor_weights == "printed"
        neighbor_shares(rows, influence, np.ones(len(omega)) if printed else omega, shares)
        if printed:
            shares *= omega[rows]
        shares *= omega[queries][:, None, None]
        return shares

    def _score(self, X: ReliefColumns, y: Indices, sample_weight: Array | None) -> Array:
        warn_single_members(self.classes_, y)
        table = ReliefTable.build(X, y, self.metric, self.missing)
        omega = relative_weights(sample_weight, table.n)[table.order]
        visits = np.arange(table.n) if self.n_draws is None else np.sort(self._visits(table))
        mass = self._mass(omega[visits])
        k = self._n_listed(table)
        if self._fits_at_once(table, k):
            distances, rows = self._lists_at_once(table, k)
            coefficients = self._coefficients(table, visits, distances, rows, omega)
            sums = self._sums_at_once(table, *coefficients)
        else:
            sums = self._by_blocks(table, visits, k, omega)
        return sums / mass

    def _fits_at_once(self, table: ReliefTable, k: int) -> bool:
        """Whether the lists of all rows may be held together, and are wanted."""
        list_bytes = table.n * table.n_lists * k * 12
        return table.plain and self.n_draws is None and list_bytes <= MAX_LIST_BYTES

    def _lists_at_once(self, table: ReliefTable, k: int) -> tuple[Array, NDArray[np.int32]]:
        """Return every row's neighbours; each distance is computed once, for both of its rows."""
        n, n_classes = table.n, table.n_lists
        n_parts = effective_n_jobs(self.n_jobs)
        heaps = [nearest.empty_heaps(n, n_classes, k, n) for _ in range(n_parts)]
        search = partial(nearest.symmetric_neighbors, table.dense, False, n, table.starts)
        run_calls(self.n_jobs, [partial(search, p, n_parts, *heaps[p]) for p in range(n_parts)])
        distances, rows = heaps[0]
        for other in heaps[1:]:
            nearest.merge_heaps(distances, rows, *other)
        nearest.sort_heaps(distances, rows)
        return distances, rows

    def _sums_at_once(
        self, table: ReliefTable, neighbors: NDArray[np.int32], coefficients: Array
    ) -> Array:
        """:meth:`ReliefTable.sums` of all rows of a plain table, in threads."""
        queries = np.arange(table.n)
        # Of fixed size, so that sums over them do not depend on n_jobs.
        blocks = [slice(i, i + ROW_CHUNK) for i in range(0, table.n, ROW_CHUNK)]
        calls = [
            partial(table.dense_sums, queries[b], neighbors[b], coefficients[b], f0, f1)
            for f0, f1 in table.dense_chunks()
            for b in blocks
        ]
        parts = run_calls(self.n_jobs, calls)
        by_chunk = [parts[i : i + len(blocks)] for i in range(0, len(parts), len(blocks))]
        return np.concatenate([np.sum(rows_of_chunk, axis=0) for rows_of_chunk in by_chunk])

    def _by_blocks(self, table: ReliefTable, visits: Indices, k: int, omega: Array) -> Array:
        """Distances of a block of instances to all rows, then their sums, then the next."""

        def finish(queries: Indices) -> Array:
            D = table.distances(queries)
            return table.sums(queries, *self._from_distances(table, queries, D, k, omega))

        blocks = [visits[part] for part in block_slices(table, len(visits), k)]
        return np.sum(run_calls(self.n_jobs, [partial(finish, b) for b in blocks]), axis=0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        taken = tags.input_tags
        taken.sparse = taken.allow_nan = taken.categorical = self.metric not in EUCLIDEAN
        return tags


@dataclass(eq=False, repr=False)
class Relief(ReliefF):
    """Relief: one nearest hit and one nearest miss of each visited instance.

    Parameters
    ----------
    n_draws : int, default=None
        Number of instances visited, drawn without replacement; None visits all.
    metric, missing, categorical_features, n_features_to_select, n_jobs, random_state
        As in :class:`ReliefF`.

    Examples
    --------
    >>> from backstay import Relief
    >>> from backstay.datasets import make_xor
    >>> X, y, relevance = make_xor(n_samples=200, random_state=0)
    >>> Relief(n_draws=100, random_state=0).fit(X, y).feature_importances_.shape
    (10,)
    """

    n_draws: int | None = None
    n_neighbors: int = field(default=1, init=False)
    miss: str = field(default="any", init=False)
    sigma: float | None = field(default=None, init=False)
    neighbor_weights: str = field(default="shares", init=False)
