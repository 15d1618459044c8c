"""Uniform weights: the control of every instance-weighted method."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay._validation import POSITIVE, param, validate_names, validate_X_y
from backstay.base import Array, Indices, InstanceWeighter


@dataclass(eq=False, repr=False)
class UniformWeighting(InstanceWeighter):
    """The same weight for every row, with a mass of your choice.

    This is the control that instance weighting has to beat: published margin
    weights sum to 1, so an SVM's costs C·ω shrink by a factor n, and that
    alone makes its ranking stabler.

    Parameters
    ----------
    scale : {"mean", "sum"}, default="mean"
        Weights of mean 1, or weights that sum to 1.
    total : float, default=None
        Sum of the weights; overrides `scale`.

    Attributes
    ----------
    sample_weight_ : ndarray of shape (n_samples,)
        The weights.

    Examples
    --------
    >>> from backstay import UniformWeighting
    >>> UniformWeighting(scale="sum").fit_weight([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    array([0.25, 0.25, 0.25, 0.25])
    """

    _: KW_ONLY
    total: float | None = param(None, POSITIVE)

    outcomes = ("classes", "numbers", "survival")

    def _validate_input(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        if hasattr(X, "columns"):  # the rows' content does not matter, whatever its types
            return X, validate_names(self, X, y)
        return validate_X_y(self, X, y, accept_sparse=["csr", "csc"], allow_nan=True)

    def _weigh(self, X: Any, y: Indices) -> Array:
        return np.ones(len(y))

    def _scaled(self, raw: Any) -> Array:
        if self.total is not None:
            return np.full(len(raw), self.total / len(raw))
        return super()._scaled(raw)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = tags.input_tags.categorical = True
        return tags
