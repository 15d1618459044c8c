"""How features go with an outcome beyond covariates: x ~ y + Z, one feature at a time.

By Frisch, Waugh and Lovell's theorem this is the regression of what covariates leave of a feature
on what they leave of the outcome, with fewer degrees of freedom.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay._design import basis

Array = NDArray[np.float64]
# Cells of a wide table that are turned into double precision together.
BLOCK_CELLS = 2**23
# Residuals so small beside a feature's own deviation are rounding errors.
ROUNDING = 8.0 * float(np.finfo(np.float64).eps)
# What covariates leave of the outcome, as a share of its squares, if they tell it.
NOTHING = 1e-9


def partial_slopes(
    X: NDArray[Any], y: Array, Z: Array, omega: Array
) -> tuple[Array, Array, float, float]:
    """Regress every column on y and covariates.

    Returns y's slopes, the sums of squares left over, the squares of what covariates leave of y,
    and the degrees of freedom.
    """
    (d,), df = _outcome(y[:, None], Z, omega)
    squares = float(d @ d)
    parts = []
    for rest, total in _remainders(X, Z, omega):
        slopes = np.where((rest**2).sum(axis=0) > ROUNDING**2 * total, d @ rest / squares, 0.0)
        left = ((rest - np.outer(d, slopes)) ** 2).sum(axis=0)
        parts.append((slopes, np.where(left > ROUNDING**2 * total, left, 0.0)))
    slopes, left = (np.concatenate(part) for part in zip(*parts, strict=True))
    return slopes, left, squares, df


def partial_squares(
    X: NDArray[Any], D: Array, Z: Array, omega: Array
) -> tuple[Array, Array, int, float]:
    """Return squares that columns D explain beyond covariates, squares left, and both freedoms."""
    directions, df = _outcome(D, Z, omega)
    Q = np.linalg.qr(directions.T)[0]
    parts = []
    for rest, total in _remainders(X, Z, omega):
        whole = (rest**2).sum(axis=0)
        explained = np.where(whole > ROUNDING**2 * total, ((Q.T @ rest) ** 2).sum(axis=0), 0.0)
        left = ((rest - Q @ (Q.T @ rest)) ** 2).sum(axis=0)
        parts.append((explained, np.where(left > ROUNDING**2 * total, left, 0.0)))
    explained, left = (np.concatenate(part) for part in zip(*parts, strict=True))
    return explained, left, len(directions), df


def _outcome(D: Array, Z: Array, omega: Array) -> tuple[Array, float]:
    """Return what covariates leave of the outcome, a row each, and the degrees of freedom."""
    Q = basis(Z, omega)
    before = np.sqrt(omega)[:, None] * (D - omega @ D / omega.sum())
    left = before - Q @ (Q.T @ before)
    if ((left**2).sum(axis=0) <= NOTHING * (before**2).sum(axis=0)).any():
        raise ValueError(
            "the covariates tell the outcome of these rows without an error, so nothing is left "
            "that features could add; adjust for fewer."
        )
    return left.T, float(omega.sum()) - Q.shape[1] - D.shape[1]


def _remainders(X: NDArray[Any], Z: Array, omega: Array) -> Iterator[tuple[Array, Array]]:
    """Yield what covariates leave of some columns, times √ω, and the squares before."""
    Q, root = basis(Z, omega), np.sqrt(omega)[:, None]
    step = max(1, BLOCK_CELLS // len(X))
    for start in range(0, X.shape[1], step):
        block = X[:, start : start + step].astype(np.float64)
        block = root * (block - block[0])  # a constant feature becomes exactly 0
        block -= root * (root.T @ block / omega.sum())
        total = (block**2).sum(axis=0)
        yield block - Q @ (Q.T @ block), total
