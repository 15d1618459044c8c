"""Statistics beside covariates, one feature at a time, by ordinary least squares of every model."""

import numpy as np
from scipy import stats


def _residual_squares(x, columns, weight):
    root = np.sqrt(weight)
    design = np.column_stack([np.ones(len(x)), *columns]) * root[:, None]
    fitted = np.linalg.lstsq(design, root * x, rcond=None)[0]
    return float(((root * x - design @ fitted) ** 2).sum()), fitted, np.linalg.matrix_rank(design)


def partial_t(x, y, Z, weight=None):
    """Return t of y's coefficient in x ~ 1 + y + Z, its slope and its degrees of freedom.

    By hand: x = (0, 1, 2, 5), y = (0, 0, 1, 1), z = (0, 1, 0, 1). The slope of y is 3, that of z 2,
    the residuals are ±1/2, so s² = 1, the error of the slope is 1, and t = 3.
    """
    weight = np.ones(len(x)) if weight is None else np.asarray(weight, dtype=float)
    columns = [y, *np.asarray(Z).T]
    left, fitted, rank = _residual_squares(x, columns, weight)
    df = weight.sum() - rank
    design = np.column_stack([np.ones(len(x)), *columns])
    spread = np.linalg.pinv(design.T @ (design * weight[:, None]))
    return fitted[1] / np.sqrt(left / df * spread[1, 1]), fitted[1], df


def partial_f(x, classes, Z):
    """Return F and p of classes in x ~ 1 + classes + Z against x ~ 1 + Z."""
    weight = np.ones(len(x))
    dummies = [(classes == c) * 1.0 for c in np.unique(classes)[1:]]
    left, _, rank = _residual_squares(x, [*dummies, *Z.T], weight)
    before, _, rank_before = _residual_squares(x, list(Z.T), weight)
    k, df = rank - rank_before, len(x) - rank
    f = (before - left) / k / (left / df)
    return f, stats.f.sf(f, k, df)
