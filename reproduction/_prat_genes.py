"""The 200 genes that the thesis chooses from a microarray before anything else [Prat 3.1]."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay.feature_weighting import BetweenWithinRatio
from reproduction._estimates import Floats

__all__ = ["N_GENES", "best_genes"]

N_GENES = 200


def best_genes(X: Floats, y: NDArray[Any], n_genes: int = N_GENES) -> NDArray[np.intp]:
    """Return the columns of the largest between-within ratios, in the order of columns."""
    return np.flatnonzero(BetweenWithinRatio().fit(X, y).ranking_ <= n_genes)
