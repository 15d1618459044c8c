"""What the generators share: their return type and the checks of its shape."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Data = tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.float64]]


def require(condition: bool, message: str) -> None:
    """Raise ValueError with the message unless the condition holds."""
    if not condition:
        raise ValueError(message)


def check_shape(n_samples: int, n_features: int, n_relevant: int) -> None:
    """Refuse fewer than two rows, and more relevant features than there are."""
    require(n_samples >= 2, f"n_samples={n_samples!r} must be at least 2.")
    require(
        1 <= n_relevant <= n_features,
        f"n_relevant={n_relevant!r} must lie between 1 and n_features={n_features!r}.",
    )


def first_relevant(n_features: int, n_relevant: int) -> NDArray[np.float64]:
    """Return 1/n_relevant for the first features and 0 for the others."""
    relevance = np.zeros(n_features)
    relevance[:n_relevant] = 1.0 / n_relevant
    return relevance
