"""What a step of the search maximises: J itself, J against the remainder's, or the evidence so far.

A criterion sees all candidates of a step at once: their scores, those of their
remainders, and which units each candidate subset holds.
"""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from backstay.base import Array, Indices

Present = tuple[float, float]  # J of the present subset and of its remainder


class Plain:
    """Maximise J(S) [Prat alg. 2.1 and 2.2]; `sizes` are the features in each unit."""

    needs_remainder: ClassVar[bool] = False
    needs_rates: ClassVar[bool] = False  # whether the formula wants scores in [0, 1]

    def __init__(self, sizes: Indices) -> None:
        self.sizes = sizes

    def observe(self, members: NDArray[np.bool_], scores: Array) -> None:
        """Note the scores of evaluated subsets, one row of `members` each."""

    def values(
        self, scores: Array, remainders: Array, current: Present, moved: Indices, adding: bool
    ) -> Array:
        """Return what to maximise, from J of each candidate subset and of what it leaves out."""
        return scores


class Remainder(Plain):
    """Maximise f = (J(S)·a − J(Y∖S)·b + 1)/2 [Prat eq. 6.5], a and b constant or the present J."""

    needs_remainder: ClassVar[bool] = True
    needs_rates: ClassVar[bool] = True

    def __init__(self, sizes: Indices, weights: Sequence[float] | None = None) -> None:
        super().__init__(sizes)
        if weights is not None:
            pair = np.asarray(weights, dtype=np.float64)
            if pair.shape != (2,) or not ((pair >= 0) & (pair <= 1)).all() or not pair.any():
                raise ValueError(
                    f"criterion_params: weights={weights!r} must be two numbers from 0 to 1, "
                    "not both 0."
                )
        self.weights = weights

    def values(
        self, scores: Array, remainders: Array, current: Present, moved: Indices, adding: bool
    ) -> Array:
        """Return f for every candidate."""
        a, b = current if self.weights is None else self.weights
        return (scores * a - remainders * b + 1.0) / 2.0


class Accumulated(Plain):
    """Blend J with the relevance that all evaluated subsets have shown so far [Prat 7.2].

    `accumulation` is λ, the share of the relevance, or two λ: from the first to the second as the
    subsets seen grow to d(d + 1)/2, those of a whole search [Prat 7.6]. `weight` is how much a
    subset's evaluation counts: 1 (None), |S|/d ("size") or J(S) ("score").
    """

    needs_rates: ClassVar[bool] = True

    def __init__(self, sizes: Indices, accumulation: Any = 2 / 3, weight: Any = None) -> None:
        super().__init__(sizes)
        ends = np.ravel(accumulation)
        if len(ends) not in (1, 2) or not ((ends >= 0) & (ends <= 1)).all():
            raise ValueError(
                f"criterion_params: accumulation={accumulation!r} must be one or two numbers 0–1."
            )
        if weight not in (None, "size", "score"):
            raise ValueError(
                f"criterion_params: weight={weight!r} must be None, 'size' or 'score'."
            )
        self.accumulation = accumulation
        self.weight = weight
        self.seen = 0
        self.sums = np.zeros((2, len(sizes)))  # Σ w·J over subsets with and without the unit
        self.masses = np.zeros((2, len(sizes)))  # Σ w, likewise

    def observe(self, members: NDArray[np.bool_], scores: Array) -> None:
        """Count every subset for the units it holds and against the others [Prat eq. 7.8, 7.9]."""
        self.seen += len(scores)
        if self.weight == "size":
            weights = members @ (self.sizes / self.sizes.sum())
        elif self.weight == "score":
            weights = scores
        else:
            weights = np.ones(len(scores))
        for side, present in enumerate((members, ~members)):
            self.sums[side] += (weights * scores) @ present
            self.masses[side] += weights @ present

    @property
    def relevance(self) -> Array:
        """L⁺/n⁺ − L⁻/n⁻ per unit; a side not seen yet counts 0."""
        means = np.divide(
            self.sums, self.masses, out=np.zeros_like(self.sums), where=self.masses > 0
        )
        return means[0] - means[1]

    def values(
        self, scores: Array, remainders: Array, current: Present, moved: Indices, adding: bool
    ) -> Array:
        """Return λ/2·(1 ± R) + (1−λ)·J."""
        # A backward step must remove the *least* relevant unit, so R enters with the opposite sign
        # there. [Prat] eq. 7.10 prints one for both directions; docs/wrappers.md compares the two.
        relevance = self.relevance[moved] if adding else -self.relevance[moved]
        ends, whole = np.ravel(self.accumulation), len(self.sizes) * (len(self.sizes) + 1) / 2
        lam = np.interp(self.seen, (0, whole), (ends[0], ends[-1]))
        return lam / 2.0 * (relevance + 1.0) + (1.0 - lam) * scores


CRITERIA: dict[str, type[Plain]] = {
    "plain": Plain,
    "remainder": Remainder,
    "accumulated": Accumulated,
}


def make_criterion(name: str, sizes: Indices, params: Mapping[str, Any] | None) -> Plain:
    """Return the criterion called `name`; refuse parameters that it does not have."""
    criterion, params = CRITERIA[name], params or {}
    known = list(inspect.signature(criterion).parameters)[1:]
    for param in params:
        if param not in known:
            raise ValueError(
                f"criterion_params={dict(params)!r} holds {param!r}, which criterion={name!r} does "
                f"not have; its parameters are {', '.join(known) or 'none'}."
            )
    return criterion(sizes, **params)
