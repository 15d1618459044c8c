"""Overlaps of the first k features of M rankings, for every k at once.

The M·K placements (run i puts feature f on place k) are sorted by feature once, keeping
the order of places. Whatever depends on the selection frequencies F_f(k) then follows
from the number of earlier placements of the same feature.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

# Placements handled at a time: temporaries of this length stay in the processor's cache.
_CHUNK = 1 << 16
_WORD = 64


@dataclass(frozen=True)
class Placements:
    """Who placed a feature where, grouped by feature, within one by increasing place."""

    # `run` and `place` (from 0) have one entry per placement; those of feature f are at
    # ``start[f]:start[f + 1]``.

    run: NDArray[np.unsignedinteger]
    place: NDArray[np.int32]
    start: NDArray[np.int32]
    n_runs: int
    n_places: int

    @classmethod
    def of(cls, order: NDArray[np.integer], n_features: int) -> Placements:
        """Group the placements of M×K feature indices, best first, in O(M·K)."""
        m, k = order.shape
        feature = np.ascontiguousarray(order.T, dtype=np.int32).ravel()
        # The smallest type that holds a run: sorting is bound by memory traffic.
        run = np.tile(np.arange(m, dtype=np.min_scalar_type(m - 1)), k)
        index_type = np.int32 if m * k < np.iinfo(np.int32).max else np.int64
        row_start = np.arange(0, m * k + 1, m, dtype=index_type)
        # Converting rows (places) to columns (features) is a counting sort: linear and
        # stable, so runs arrive at their feature in order of place.
        by_place = sparse.csr_array((run, feature, row_start), shape=(k, n_features))
        by_feature = by_place.tocsc()
        return cls(by_feature.data, by_feature.indices, by_feature.indptr, m, k)

    def chunks(self) -> Iterator[tuple[slice, NDArray[np.intp], NDArray[np.int32]]]:
        """Yield ranges of whole features, where in them each starts, and its length."""
        n_features = self.start.size - 1
        step = max(1, _CHUNK * n_features // max(1, self.run.size))
        for feature in range(0, n_features, step):
            bounds = self.start[feature : min(feature + step, n_features) + 1]
            low, high = int(bounds[0]), int(bounds[-1])
            length = np.diff(bounds)
            held = length > 0
            if low < high:
                yield slice(low, high), (bounds[:-1] - low)[held].astype(np.intp), length[held]

    def sum_over_features(self, of_count: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return Σ_f g(F_f) for every k, with g(0) = 0, g(1), …, g(M) given."""
        # The t-th arrival of a feature (from 0) adds g(t + 1) − g(t).
        gain = np.diff(of_count).astype(np.float64)
        total = np.zeros(self.n_places)
        for part, first, length in self.chunks():
            gained = gain[_number_within(first, length)]
            total += np.bincount(self.place[part], weights=gained, minlength=self.n_places)
        return np.cumsum(total.astype(np.int64))

    def overlap_totals(self) -> NDArray[np.signedinteger]:
        """Return, M×K, each run's overlap with all others: Σ_{j≠i} |A_i∩A_j|."""
        # When run i places a feature that t runs hold already, i gains t and each of the t gains 1.
        # The second part has M²·K increments; they are made 64 at a time, with the holders of a
        # feature as the bits of a word and counters held bit by bit.
        m, k = self.n_runs, self.n_places
        small = (m - 1) * k <= np.iinfo(np.int32).max
        gained = np.empty((m, k), dtype=np.int32 if small else np.int64)
        holders = np.empty((m, k), dtype=np.uint64)
        row_start = np.arange(m, dtype=np.intp) * k
        for word in range(-(-m // _WORD)):
            runs = slice(word * _WORD, min(m, (word + 1) * _WORD))
            bit = np.zeros(m, dtype=np.uint64)
            bit[runs] = np.uint64(1) << np.arange(runs.stop - runs.start, dtype=np.uint64)
            for part, first, length in self.chunks():
                cell = row_start.take(self.run[part])
                cell += self.place[part]
                if word == 0:
                    gained.ravel()[cell] = _number_within(first, length)
                holders.ravel()[cell] = _earlier_bits(bit.take(self.run[part]), first, length)
            _add_bits(holders, gained[runs])
        # In place: a run's total is at most (M − 1)·K.
        return np.cumsum(gained, axis=1, out=gained)


def _number_within(first: NDArray[np.intp], length: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return 0, 1, 2, … within every feature."""
    number = np.arange(int(length.sum()), dtype=np.int32)
    number -= np.repeat(first.astype(np.int32), length)
    return number


def _earlier_bits(
    bit: NDArray[np.uint64], first: NDArray[np.intp], length: NDArray[np.int32]
) -> NDArray[np.uint64]:
    """Return the union of the bits before each one, within its feature."""
    # Each run places a feature once, so sums of bits are unions; what wraps around 2^64 cancels in
    # the difference.
    before = np.cumsum(bit)
    before -= bit
    before -= np.repeat(before[first], length)
    return before


def _add_bits(holders: NDArray[np.uint64], gained: NDArray[np.signedinteger]) -> None:
    """Add to gained[i, k] the number of runs j with bit i set in holders[j, k]."""
    m, k = holders.shape
    length = max(1, _CHUNK // 8)
    for low in range(0, k, length):
        part = slice(low, min(k, low + length))
        planes: list[NDArray[np.uint64]] = []
        for run in range(m):
            carry = holders[run, part]
            for plane in planes:
                both = plane & carry
                plane ^= carry
                carry = both
            # After run + 1 = 2^b additions the counters may need bit b.
            if run & (run + 1) == 0:
                planes.append(carry.copy())
        counters = np.zeros((part.stop - low, _WORD), dtype=np.int32)
        for power, plane in enumerate(planes):
            little = plane.astype("<u8", copy=False).view(np.uint8)
            bits = np.unpackbits(little, bitorder="little").reshape(-1, _WORD)
            counters += bits.astype(np.int32) << power
        gained[:, part] += counters[:, : gained.shape[0]].T


def pair_overlaps(
    order: NDArray[np.integer], n_features: int
) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.int64]]]:
    """Yield, per run i, the runs j > i in batches with |A_i∩A_j| for every k."""
    # A feature is in both from the larger of its two places on: counting those places is O(K) per
    # pair, O(M²·K) in all.
    m, k = order.shape
    place = np.full((m, n_features), k, dtype=np.int32)
    np.put_along_axis(
        place, order.astype(np.int64, copy=False), np.arange(k, dtype=np.int32)[None, :], axis=1
    )
    batch = max(1, 2 * _CHUNK // n_features)
    for i in range(m - 1):
        for low in range(i + 1, m, batch):
            others = np.arange(low, min(m, low + batch))
            later = np.maximum(place[i], place[others]).astype(np.int64)
            later += (np.arange(others.size) * (k + 1))[:, None]
            counts = np.bincount(later.ravel(), minlength=others.size * (k + 1))
            yield i, others, np.cumsum(counts.reshape(others.size, k + 1)[:, :k], axis=1)
