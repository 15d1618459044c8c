"""How to draw decoys: columns that look like the features and know nothing about the class."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.covariance import ledoit_wolf_shrinkage

from backstay._validation import take
from backstay.base import Array, Indices

# Knockoffs nearer to their features than this share of the variance would say nothing.
LEAST_DISTANCE = 0.01


# From a table to one like it, whose column j is the decoy of feature j.
DrawDecoys = Callable[[Any, np.random.RandomState], Any]


def permuted_rows(X: Any, rng: np.random.RandomState) -> Any:
    """Return the rows in another order: decoys are correlated exactly as the features are."""
    return take(X, rng.permutation(X.shape[0]))


def permuted_within(pairs: Indices, X: Any, rng: np.random.RandomState) -> Any:
    """Return rows that changed places within their pairs only."""
    source = np.empty(len(pairs), dtype=np.intp)
    source[np.argsort(pairs, kind="stable")] = np.lexsort((rng.random_sample(len(pairs)), pairs))
    return take(X, source)


class Knockoffs:
    """Gaussian model-X knockoffs of second order, equicorrelated [Candès et al. 2018].

    Standardised features have the covariance Σ = (1 − λ)ZᵀZ/n + λI, with Ledoit and Wolf's λ.
    Knockoffs are drawn from N(Z − sZΣ⁻¹, 2sI − s²Σ⁻¹) with s = min(1, 2·smallest eigenvalue).
    Σ differs from λI only along the right singular vectors of Z, so no matrix is larger
    than features × rows.
    """

    def __init__(self, X: Any) -> None:
        X = np.asarray(X, dtype=np.float64)
        self.mean, self.deviation = X.mean(axis=0), X.std(axis=0)
        Z = self._standardised(X)
        shrinkage = float(ledoit_wolf_shrinkage(Z, assume_centered=True))
        # Right singular vectors, as rows; eigenvalues of Σ along them, and in all other directions.
        _, singular, self.basis = np.linalg.svd(Z, full_matrices=False)
        # Ledoit and Wolf shrink towards the mean variance, which is 1 but for constant columns.
        self.across = shrinkage * float((self.deviation > 0).mean())
        self.along = (1 - shrinkage) * singular**2 / len(Z) + self.across
        rest = self.across if len(self.along) < X.shape[1] else np.inf
        self.s = min(1.0, 2 * float(min(self.along.min(), rest)))
        if self.s < LEAST_DISTANCE:
            raise ValueError(
                "decoys='knockoffs' finds features that others determine almost exactly, so "
                "their knockoffs would be copies; use decoys='permuted', or drop such features."
            )

    def draw(self, X: Any, rng: np.random.RandomState) -> Any:
        """Draw a knockoff of every feature."""
        Z = self._standardised(X)
        centre = Z - self.s * self._times(Z, 1 / self.along, 1 / self.across if self.across else 0)
        spread = np.sqrt(np.maximum(2 * self.s - self.s**2 / self.along, 0.0))
        rest = 2 * self.s - self.s**2 / self.across if self.across else 0.0
        noise = self._times(rng.standard_normal(Z.shape), spread, np.sqrt(max(rest, 0.0)))
        return ((centre + noise) * self.deviation + self.mean).astype(X.dtype)

    def _standardised(self, X: Any) -> Array:
        varies = self.deviation > 0
        return np.divide(X - self.mean, self.deviation, out=np.zeros(X.shape), where=varies)

    def _times(self, rows: Array, along: Array, across: float) -> Array:
        """Multiply by the matrix with these eigenvalues along the basis and across it."""
        return across * rows + ((rows @ self.basis.T) * (along - across)) @ self.basis


def decoys_of(kind: str, X: Any, pairs: Indices | None = None) -> DrawDecoys:
    """Return the way to draw decoys for a table."""
    if pairs is not None:
        return partial(permuted_within, pairs)
    if kind == "knockoffs":
        return Knockoffs(X).draw
    return permuted_rows
