"""Measures of dependence between a feature and the class, from tables of counts [Prat 2.2].

Every measure takes tables ``N`` of shape (n_features, n_values, n_classes), the
(weighted) number of rows of each value and class, every value occurring, and
returns one number per feature, higher is better. They are written so that a
constant feature gets exactly what independence of the class gets, in spite of rounding:
such features must tie.
"""

import numpy as np

from backstay.base import Array


def _ratio(numerator: Array, denominator: Array) -> Array:
    """Divide; 0/0 is 0."""
    out = np.zeros(np.broadcast_shapes(numerator.shape, denominator.shape))
    return np.divide(numerator, denominator, out=out, where=denominator > 0.0)


def _entropy(P: Array) -> Array:
    """Entropy in bits over the last axis, 0 log 0 being 0."""
    logs = np.log2(P, out=np.zeros_like(P), where=P > 0.0)
    return -(P * logs).sum(axis=-1)


def _shares(N: Array) -> tuple[Array, Array, Array]:
    """P(c, x), P(x) and P(c), of shapes that broadcast."""
    of_value = N.sum(axis=2, keepdims=True)
    total = of_value.sum(axis=1, keepdims=True)
    return N / total, of_value / total, N.sum(axis=1, keepdims=True) / total


def _entropies(N: Array) -> tuple[Array, Array, Array]:
    """H(X), H(C) and H(C, X) [Prat eq. 2.10]."""
    P, of_value, of_class = (p.reshape(len(N), -1) for p in _shares(N))
    return _entropy(of_value), _entropy(of_class), _entropy(P)


def _lift(N: Array) -> Array:
    """P(c, x) / (P(c) P(x)); 0 for a class without rows."""
    of_value = N.sum(axis=2, keepdims=True)
    total = of_value.sum(axis=1, keepdims=True)
    return _ratio(N * total, of_value * N.sum(axis=1, keepdims=True))


def class_given_value(N: Array) -> Array:
    """P(c|x)."""
    return N / N.sum(axis=2, keepdims=True)


def information_gain(N: Array) -> Array:
    """MI(C, X) = Σ P(c, x) log2(P(c, x) / (P(c) P(x))) [Prat eq. 2.9]; not below 0."""
    lift = _lift(N)
    bits = np.log2(lift, out=np.zeros_like(lift), where=lift > 0.0)
    return np.maximum((_shares(N)[0] * bits).sum(axis=(1, 2)), 0.0)


def gain_ratio(N: Array) -> Array:
    """MI(C, X) / H(X) [Prat eq. 2.12]; 0 for a constant feature."""
    return _ratio(information_gain(N), _entropies(N)[0])


def symmetrical_uncertainty(N: Array) -> Array:
    """2 MI(C, X) / (H(C) + H(X))."""
    of_value, of_class, _ = _entropies(N)
    return _ratio(2.0 * information_gain(N), of_value + of_class)


def mantaras_closeness(N: Array) -> Array:
    """1 − D_M(C, X) = MI(C, X) / H(C, X) [Prat eq. 2.14]."""
    return _ratio(information_gain(N), _entropies(N)[2])


def entropic_closeness(N: Array) -> Array:
    """−D_H(C, X) = MI(C, X) − H(C, X) [Prat eq. 2.13]."""
    return information_gain(N) - _entropies(N)[2]


def gini_gain(N: Array) -> Array:
    """Σ_x P(x) Σ_c P(c|x)² − Σ_c P(c)² [Prat eq. 2.8], as Σ_x P(x) Σ_c (P(c|x) − P(c))²."""
    _, of_value, of_class = _shares(N)
    return (of_value * (class_given_value(N) - of_class) ** 2).sum(axis=(1, 2))


def myopic_relief(N: Array) -> Array:
    """P_eqval · GG'(X) / (P_samecl (1 − P_samecl)) [Prat eq. 2.24], with lifts."""
    _, of_value, of_class = _shares(N)
    same = (of_class**2).sum(axis=(1, 2))
    excess = (of_value**2 * of_class**2 * (_lift(N) ** 2 - 1.0)).sum(axis=(1, 2))
    return _ratio(excess, same * (1.0 - same))


def distribution_difference(N: Array) -> Array:
    """Σ |P(c, x) − P(x) P(c)| [Prat eq. 2.15]."""
    P, of_value, of_class = _shares(N)
    return np.abs(P - of_value * of_class).sum(axis=(1, 2))


def chi_squared(N: Array) -> Array:
    """Σ (N_cx − E_cx)² / E_cx over the cells with E_cx > 0 [Prat eq. 2.17]."""
    P, of_value, of_class = _shares(N)
    product = of_value * of_class
    return N.sum(axis=(1, 2)) * _ratio((P - product) ** 2, product).sum(axis=(1, 2))


def one_rule(N: Array) -> Array:
    """Share of the rows in the most frequent class of their value."""
    return N.max(axis=2).sum(axis=1) / N.sum(axis=(1, 2))


def value_difference(N: Array) -> Array:
    """Σ_x P(x) √Σ_c (P(x|c)/P(x))², the mean of the values' VDM weights [Prat eq. 2.7]."""
    of_value = _shares(N)[1][:, :, 0]
    return (of_value * np.sqrt((_lift(N) ** 2).sum(axis=2))).sum(axis=1)


def _given_indicator(N: Array) -> Array:
    """P(c|x) for the values that stand for a feature: the higher of two, or all of several."""
    given = class_given_value(N)
    return given[:, 1:] if N.shape[1] == 2 else given


def per_category(N: Array) -> Array:
    """PCF's weights P(c|x) per feature and class; of several indicators the best [Prat eq. 2.5]."""
    return _given_indicator(N).max(axis=1)


def cross_category(N: Array) -> Array:
    """CCF's weights Σ_c P(c|x)²; of several indicators the best [Prat eq. 2.6]."""
    return (_given_indicator(N) ** 2).sum(axis=2).max(axis=1)
