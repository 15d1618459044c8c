"""The dial between stability and accuracy: effects on the scale of the table, or standardised."""

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from backstay._validation import NOT_NEGATIVE, param
from backstay.base import Array, FeatureRanker, Indices
from backstay.feature_weighting._moments import Moments, class_moments, quotient
from backstay.feature_weighting._rows import counted_rows

# If shrunken deviations differ by more than this factor, features probably have different units:
# microarrays reach 5, raw or log2; tables in mixed units 15 (heart), 350 (wdbc) and more.
WIDEST_SCALES = 6.0


def standardised_effects(moments: Moments) -> tuple[Array, Array]:
    """Return class effects (class × feature) and the shrunken deviations that divide them.

    d_cj = (mean_cj − mean_j) / (m_c (s_j + s₀)) with m_c = √(1/n_c − 1/n), s the pooled deviation
    within classes and s₀ its median [Tibshirani et al. 2002, eq. 1-3].
    """
    n = moments.mass.sum()
    df = max(n - len(moments.mass), 0.0)
    within = moments.squares.sum(axis=0)
    deviation = np.sqrt(within / df) if df else np.zeros(within.shape)
    shrunken = deviation + np.median(deviation)
    apart = (moments.means - moments.mean()) / np.sqrt(1 / moments.mass - 1 / n)[:, None]
    return np.sign(apart) * quotient(
        np.abs(apart), np.broadcast_to(shrunken, apart.shape)
    ), shrunken


@dataclass(eq=False, repr=False)
class EffectRanker(FeatureRanker):
    """Class effects with a dial from standardised (accurate) to plain differences (stable).

    Importance is s^g·|t|, where t is the shrunken t statistic of nearest shrunken centroids and s
    the pooled deviation within classes plus its median. g = 0 is the shrunken t, g = 1 the
    difference of means, and beyond that the spread of a feature counts for itself. Along the
    way stability rises and accuracy falls; it is a trade-off, not a gain. With more than two
    classes the largest effect of a class counts.

    Parameters
    ----------
    scale_power : float, default=0.0
        g ≥ 0. Above 0 the features must be in one unit, such as log2 expression.
    n_features_to_select
        As in :class:`FeatureRanker`.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        s^g·|t|; infinite where only the deviation is 0.

    Warns
    -----
    UserWarning
        If ``scale_power`` is above 0 and the middle 80 % of the features' deviations span more than
        a factor of 6: then the unit of a feature would decide.

    Examples
    --------
    >>> from backstay.datasets import make_han_yu
    >>> from backstay.feature_weighting import EffectRanker
    >>> X, y, relevance = make_han_yu(n_samples=60, n_features=100, random_state=0)
    >>> EffectRanker(scale_power=0.5).fit_transform(X, y).shape
    (60, 50)
    """

    scale_power: float = param(0.0, NOT_NEGATIVE)

    instead: ClassVar = {"numbers": "SlopeTest", "survival": "CoxScore"}

    def _score(self, X: Any, y: Indices, sample_weight: Array | None) -> Array:
        rows, codes, omega = counted_rows(y, sample_weight, self.classes_, type(self).__name__)
        effects, shrunken = standardised_effects(class_moments(X[rows], codes, omega))
        if self.scale_power > 0:
            self._check_units(shrunken)
        largest = np.abs(effects).max(axis=0)
        return largest if self.scale_power == 0 else largest * shrunken**self.scale_power

    def _check_units(self, shrunken: Array) -> None:
        low, high = np.quantile(shrunken, [0.1, 0.9])
        if high > WIDEST_SCALES * low:
            fold = high / low if low > 0 else np.inf
            warnings.warn(
                f"scale_power={self.scale_power:g} weighs features by their spread, and the "
                f"spreads differ {fold:.3g}-fold, as if features had different units; use "
                "scale_power=0, or bring the features to one unit (such as log2).",
                UserWarning,
                stacklevel=2,
            )
