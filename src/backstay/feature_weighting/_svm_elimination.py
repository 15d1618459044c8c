"""The elimination behind SVM-RFE, on arrays: machines, their weights, and what is dropped."""

import warnings
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from backstay._kernels._svm import (
    LIBSVM_TOL,
    add_products,
    move_behind,
    one_vs_one_duals,
    squared_weights,
)
from backstay._scaling import Scaling
from backstay.base import Array, Indices, one_thread
from backstay.feature_weighting._elimination import Elimination, run_rounds
from backstay.feature_weighting._svm_tall import TallMachine

# Subtracting dropped features from a Gram matrix keeps the rounding errors of the larger matrix.
# It is therefore recomputed whenever its trace has fallen by this factor. Its error then stays
# below 1e-12 of its largest entry (benchmarks/bench_feature_weighting.py prints it), far below the
# tolerance, even where features dropped early were many orders of magnitude larger.
TRACE_FALL = 100.0

# From this many multiplications on, BLAS is worth starting its threads.
BLAS_WORK = 200_000_000

# A wide table of single precision stays so; blocks of this many cells are multiplied in double.
BLOCK_CELLS = 2**22

# At libsvm's tolerance it is chance which of many features with nearly the same weight are dropped
# (benchmarks/simulations/svm_tolerance.py).
TIGHT_TOL = 1e-8

# Up to this many rows the machines see the rows' products, even if there are fewer features.
GRAM_ROWS = 500
# The same at libsvm's tolerance, where its steps are followed; these products take 2 GB.
LIBSVM_ROWS = 16_000

HARD = 1e8  # as a cost of margin violations, at a variance of 1

MAX_ITER = 1_000_000


def uses_gram(n_rows: int, n_features: int, tol: float | str) -> bool:
    """Whether the machines see the Gram matrix instead of the rows."""
    libsvms_steps = not isinstance(tol, str) and tol >= LIBSVM_TOL
    return n_rows < n_features or n_rows <= (LIBSVM_ROWS if libsvms_steps else GRAM_ROWS)


def add_row_products(rows: Array, start: int, stop: int, factor: float, gram: Array) -> None:
    """Add the products of rows over some features to a Gram matrix, or take them out."""
    if rows.dtype == np.float32:  # in double precision, a block of features at a time
        step = max(1, BLOCK_CELLS // len(rows))
        for first in range(start, stop, step):
            block = rows[:, first : min(first + step, stop)].astype(np.float64)
            add_row_products(block, 0, block.shape[1], factor, gram)
        return
    if (stop - start) * len(rows) ** 2 > BLAS_WORK:
        part = rows[:, start:stop]
        for first in range(0, len(rows), GRAM_ROWS):  # no second matrix beside a large one
            some = slice(first, first + GRAM_ROWS)
            gram[some] += factor * (part[some] @ part.T)
    else:
        add_products(rows, start, stop, factor, gram)


def _telling_costs(costs: Array, rows: Array) -> Array:
    """Lower costs so high that raising them further changes nothing but rounding errors."""
    if costs.max() <= HARD:
        return costs
    variances = rows.var(axis=0, dtype=np.float64)
    return np.minimum(costs, HARD / min(variances[variances > 0.0], default=1.0))


class _Machines:
    """One-vs-one linear SVMs on the remaining features, which are kept in front."""

    def __init__(
        self,
        X: Array,
        y: Indices,
        costs: Array,
        tol: float,
        scaling: Scaling | None = None,
        max_iter: int = MAX_ITER,
    ) -> None:
        n, d = X.shape
        order = np.argsort(y, kind="stable")  # libsvm, too, orders rows by class
        self.rows = np.ascontiguousarray(X[order])
        if scaling is not None:
            scaling.in_place(self.rows)
        self.features = np.arange(d)
        self.remaining = d
        self.y = y[order]
        self.starts = np.concatenate([[0], np.cumsum(np.bincount(y))])
        self.costs = costs[order] if tol >= LIBSVM_TOL else _telling_costs(costs[order], self.rows)
        self.tol = tol
        self.max_iter = max_iter
        self.n_steps = 0  # the most that a machine took
        self.unfinished = 0  # rounds in which one did not converge
        n_classes = len(self.starts) - 1
        self.duals = np.zeros((n_classes * (n_classes - 1) // 2, n))
        self.gram: Array | None = None
        if uses_gram(n, d, tol):
            self._multiply()
        else:
            self._centre()

    def weights(self) -> Array:
        """|w_j| of the remaining features; √Σ w_j² over the machines with several classes."""
        if self.gram is None:
            steps = self._solve_tall()
        else:
            steps = one_vs_one_duals(
                self.gram, self.starts, self.costs, self.tol, self.max_iter, self.duals
            )
        self.n_steps = max(self.n_steps, steps)
        self.unfinished += steps >= self.max_iter
        squared = np.empty(self.remaining)
        squared_weights(self.rows, self.duals, squared)
        return np.sqrt(squared)

    def drop(self, dropped: NDArray[np.bool_]) -> None:
        """Take the marked ones of the remaining features out."""
        before = self.remaining
        self.remaining -= np.count_nonzero(dropped)
        move_behind(self.rows, self.features, dropped, self.remaining)
        if self.gram is None:
            return
        if not uses_gram(len(self.rows), self.remaining, self.tol):
            self.gram = None
            self._centre()
            return
        if before < 2 * self.remaining:
            add_row_products(self.rows, self.remaining, before, -1.0, self.gram)
            if self.gram.trace() * TRACE_FALL > self.trace:
                return
        self._multiply()

    def _multiply(self) -> None:
        """Compute the Gram matrix of the remaining features."""
        n = len(self.rows)
        self.gram = np.zeros((n, n))
        add_row_products(self.rows, 0, self.remaining, 1.0, self.gram)
        self.trace = self.gram.trace()

    def _centre(self) -> None:
        """Keep the remaining features alone, each around 0, which costs the fewest digits."""
        self.rows = np.ascontiguousarray(self.rows[:, : self.remaining], dtype=np.float64)
        self.rows -= self.rows.mean(axis=0)

    def _solve_tall(self) -> int:
        """Train the machines on the rows themselves, from the last coefficients on."""
        steps = 0
        remaining = self.rows[:, : self.remaining]
        for m, (a, b) in enumerate(combinations(range(len(self.starts) - 1), 2)):
            members = [np.arange(self.starts[c], self.starts[c + 1]) for c in (a, b)]
            both = np.concatenate(members)
            rows = remaining if len(both) == len(remaining) else remaining[both]
            sign = np.repeat([1.0, -1.0], [len(c) for c in members])
            dual = self.duals[m, both]
            with one_thread():
                machine = TallMachine(rows, sign, self.costs[both])
                steps = max(steps, machine.solve(dual, self.tol, self.max_iter))
            self.duals[m, both] = dual
        return steps


def eliminate(
    X: Array,
    y: Indices,
    costs: Array,
    *,
    step: int | float = 0.1,
    rounding: str = "down",
    tol: float | str = "auto",
    scaling: Scaling | None = None,
    max_iter: int = MAX_ITER,
    record_path: bool = False,
) -> Elimination:
    """Eliminate features down to one; `costs` are C·ω_i > 0, `scaling` is applied to the rows."""
    if isinstance(tol, str):
        tol = TIGHT_TOL
    machines = _Machines(X, y, costs, tol, scaling, max_iter)
    course = run_rounds(machines, step, rounding, record_path)
    if machines.unfinished:
        warnings.warn(
            f"the SVM did not converge in max_iter={max_iter} steps in {machines.unfinished} of "
            f"{course.n_rounds} rounds; scale the features, lower C or raise max_iter.",
            ConvergenceWarning,
            stacklevel=5,
        )
    return course
