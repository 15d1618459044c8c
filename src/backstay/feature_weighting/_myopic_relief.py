"""Myopic ReliefF: what ReliefF becomes when every row is a neighbour [Prat 2.2.2]."""

from __future__ import annotations

from backstay.feature_weighting import _contingency as measures
from backstay.feature_weighting._value_filter import ValueFilter


class MyopicReliefF(ValueFilter):
    """Myopic ReliefF: P(equal value | same class) − P(equal value | other class).

    The limit of :class:`ReliefF` for many neighbours. Without neighbourhoods it looks at one
    feature at a time and needs tables of counts only: it is as fast as the other filters, and as
    blind to interactions.

    Parameters
    ----------
    discretizer, n_features_to_select
        As in :class:`InformationGain`.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Importance, at most 1; 0 for a constant feature and for one independent of the class.

    See Also
    --------
    ReliefF : Among near neighbours, so that interactions count.
    GiniGain : Weighs values by P(x) instead of P(x)², which favours features of many values.

    Notes
    -----
    The importance is P_eqval · GG'(X) / (P_samecl (1 − P_samecl)) [Prat eq. 2.23-2.25] with
    P_eqval = Σ_x P(x)² over the feature's values. The thesis prints Σ_c P(c)² over the
    classes there, which contradicts its own derivation.

    ReliefF never draws a row as its own neighbour and counts every row's hits alike; here pairs
    are drawn with replacement. The two differ by about 1/(rows of a class), and more where
    classes are of unequal size and the feature is purer in one of them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from backstay.feature_weighting import MyopicReliefF
    >>> X, y = load_iris(return_X_y=True)
    >>> MyopicReliefF().fit(X, y).feature_importances_.round(3)
    array([0.429, 0.219, 0.871, 0.888])
    """

    _measure = staticmethod(measures.myopic_relief)
