"""The linear SVM on more rows than features, to a tight tolerance.

The dual has an unknown per row, and moving rows in pairs, or all free rows at once, asks for
products of rows. The primal has an unknown per feature. A quadratic term that keeps the
coefficients near those of the last step (the proximal point algorithm, Rockafellar 1976) makes its
hinges smooth. Newton's method then solves it in a few rounds, each as costly as a least-squares fit
on the rows whose coefficients are inside their bounds (as Li, Sun and Toh 2018 do for the lasso).
The term is weakened from step to step; what the steps converge to does not depend on it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs

from backstay._kernels._svm_tall import step_length
from backstay.base import Array, Indices

# In units of the margin: how far a row must be from its place for its coefficient to go from one
# bound to the other in one step.
FIRST_WIDTH = 1.0
# A step that took few rounds weakens the term more.
FEW_ROUNDS, STRONGER, WEAKER, WEAKER_STILL = 4, 8.0, 0.5, 0.25
MOST_ROUNDS = 100  # of Newton's method in one step
# Steps that rounding spoilt before the search ends; how near to the tolerance it may then be.
MOST_SPOILT, NEAR = 6, 100.0
BALANCE = 1e-10  # of all costs, what coefficients that sum to 0 may leave over
LEAST_RIDGE, MOST_RIDGE = 1e-14, 1e-3  # of a feature's curvature, added to it
MOST_FALL = 1e6  # of a feature's curvature until it is recomputed
BLOCK_ROWS = 4096  # multiplied at a time


@dataclass
class _Point:
    """Where the search is: w and its intercept, and the coefficients of the rows."""

    w: Array
    level: float
    dual: Array


class TallMachine:
    """One machine of two classes, `sign` 1 and −1; `cost` is the highest coefficient of a row."""

    def __init__(self, rows: Array, sign: Array, cost: Array) -> None:
        self.rows, self.sign, self.cost = rows, sign, cost
        self.squares = np.einsum("ij,ij->i", rows, rows)
        self.low, self.high = np.where(sign > 0, 0.0, -cost), np.where(sign > 0, cost, 0.0)
        self.n_rounds = 0
        # Σ cost · x xᵀ, x with a 1 behind it, over the rows that were inside their bounds last.
        d = rows.shape[1]
        self.curvature = np.zeros((d + 1, d + 1))
        self.peak = np.zeros(d + 1)  # the largest each diagonal element has been
        self.inside = np.zeros(len(rows), dtype=np.bool_)

    def solve(self, dual: Array, tol: float, most_rounds: int) -> int:
        """Move `dual` to the optimum; return the rounds, or `most_rounds` if it is not there."""
        width, spoilt = FIRST_WIDTH, 0
        now = best = self._at(dual)
        left = self._gap(best) / self._negligible(best, tol)
        while left > 1.0 and spoilt <= MOST_SPOILT and self.n_rounds < most_rounds:
            before = self.n_rounds
            new = self._step(now, width, most_rounds)
            gap = self._gap(new)
            # Exactly solved, a step leaves a pull of width · |change| / cost on a row. More is
            # rounding, which a stronger term makes smaller.
            change = np.max(np.abs(new.dual - now.dual) / self.cost)
            noisy = not gap <= 8.0 * width * change
            spoilt += noisy
            new_left = gap / self._negligible(new, tol)
            if new_left < left:
                best, left = new, new_left
            now = best if noisy else new
            few = self.n_rounds - before <= FEW_ROUNDS
            width *= STRONGER if noisy else WEAKER_STILL if few else WEAKER
        dual[:] = best.dual
        near = left <= (NEAR if spoilt > MOST_SPOILT else 1.0)
        return self.n_rounds if near else most_rounds

    def _at(self, dual: Array) -> _Point:
        """Return the point of some coefficients, its intercept between the pulls on the rows."""
        w = dual @ self.rows
        return _Point(w, 0.5 * sum(self._pulls(w, dual)), dual.copy())

    def _pulls(self, w: Array, dual: Array) -> tuple[float, float]:
        """Return the highest pull on a row that can rise, and the lowest on one that can fall."""
        pull = self.sign - self.rows @ w
        highest = np.max(pull, where=dual < self.high, initial=-np.inf)
        return float(highest), float(np.min(pull, where=dual > self.low, initial=np.inf))

    def _gap(self, point: _Point) -> float:
        """Return what a pair of rows could still gain, and set the weights of the coefficients."""
        if abs(point.dual.sum()) > BALANCE * self.cost.sum():
            return np.inf
        point.w = point.dual @ self.rows
        highest, lowest = self._pulls(point.w, point.dual)
        return highest - lowest

    def _negligible(self, point: _Point, tol: float) -> float:
        """Return the largest gain to ignore: `tol`, or the rounding error of the pulls."""
        rounding = 1e-15 * len(self.sign) * np.max(np.abs(point.dual) * self.squares)
        return max(tol, rounding)

    def _step(self, start: _Point, width: float, most_rounds: int) -> _Point:
        """Solve the problem with the term that keeps coefficients near those of `start`."""
        w, level, pace = start.w, start.level, self.cost / width
        values = self.rows @ w
        solved = False
        for _ in range(MOST_ROUNDS):
            reach = start.dual + pace * (self.sign - values)
            free = reach - pace * level
            inside = (self.low < free) & (free < self.high)
            if not inside.any():
                level = self._balancing(reach, pace)
                free = reach - pace * level
                inside = (self.low < free) & (free < self.high)
            dual = np.clip(free, self.low, self.high)
            if (solved and np.array_equal(inside, self.inside)) or self.n_rounds >= most_rounds:
                break
            fall = np.append(dual @ self.rows - w, dual.sum())
            by = self._direction(fall, inside, pace, width)
            by, shift = by[:-1], by[-1]
            along = self.rows @ by
            length = step_length(w @ by, by @ by, free, along + shift, pace, self.low, self.high)
            w, level, values = w + length * by, level + length * shift, values + length * along
            solved = length == 1.0
            self.n_rounds += 1
        return _Point(w, level, dual)

    def _balancing(self, reach: Array, pace: Array) -> float:
        """Return an intercept at which the coefficients sum to 0."""
        low = float(np.min((reach - self.high) / pace))
        high = float(np.max((reach - self.low) / pace))
        level = 0.5 * (low + high)
        while low < level < high:
            total = np.clip(reach - pace * level, self.low, self.high).sum()
            if abs(total) <= 1e-14 * self.cost.sum():
                break
            low, high = (level, high) if total > 0.0 else (low, level)
            level = 0.5 * (low + high)
        return level

    def _direction(
        self, fall: Array, inside: NDArray[np.bool_], pace: Array, width: float
    ) -> Array:
        """Solve Newton's equations for the weights and the intercept."""
        self._update_curvature(inside)
        ridge = LEAST_RIDGE
        while True:
            matrix = self.curvature / width
            diagonal = np.einsum("ii->i", matrix)
            diagonal[:-1] += 1.0
            if not inside.any():  # the intercept is where it has to be
                diagonal[-1] = pace.sum()
            diagonal *= 1.0 + ridge
            root, failed = dpotrf(matrix.T, lower=1, overwrite_a=1, clean=0)
            if not failed:
                return np.asarray(dpotrs(root, fall, lower=1)[0])
            if ridge > MOST_RIDGE:  # beyond floating point: no direction is better than another
                return np.zeros_like(fall)
            self._forget_curvature()
            self._update_curvature(inside)
            ridge *= 100.0

    def _update_curvature(self, inside: NDArray[np.bool_]) -> None:
        """Add the rows that came inside their bounds and take out those that left."""
        come, gone = np.flatnonzero(inside & ~self.inside), np.flatnonzero(self.inside & ~inside)
        if len(come) + len(gone) > inside.sum():
            self._forget_curvature()
            come, gone = np.flatnonzero(inside), gone[:0]
        self._add(come, 1.0)
        self._add(gone, -1.0)
        # Taking out rows far larger than the others leaves their rounding errors behind.
        bends = self.curvature.diagonal()
        if (bends * MOST_FALL < self.peak).any():
            self._forget_curvature()
            self._add(np.flatnonzero(inside), 1.0)
        self.inside = inside.copy()

    def _forget_curvature(self) -> None:
        self.curvature[:] = 0.0
        self.peak = np.zeros(len(self.curvature))
        self.inside = np.zeros_like(self.inside)

    def _add(self, some: Indices, factor: float) -> None:
        """Add some rows to the curvature, or take them out."""
        for first in range(0, len(some), BLOCK_ROWS):
            part = some[first : first + BLOCK_ROWS]
            block = np.column_stack([self.rows[part], np.ones(len(part))])
            block *= np.sqrt(self.cost[part])[:, None]
            self.curvature += factor * (block.T @ block)
        self.peak = np.maximum(self.peak, self.curvature.diagonal())
