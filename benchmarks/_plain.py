"""The methods as one would write them from the papers, in numpy and scikit-learn.

These are the loops that the package replaces: short, right, vectorised where numpy makes
that easy. They serve as peers where no library has the method.
"""

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC


def margin_weights(X, y):
    """[Han alg. 1] as printed: per row, distances to all rows, twice; weights of mean 1."""
    X = minmax_scale(X)
    margins = np.empty_like(X)
    for i in range(len(X)):
        differences = np.abs(X - X[i])
        hit = y == y[i]
        margins[i] = differences[~hit].sum(axis=0) - differences[hit].sum(axis=0)
    distances = np.empty(len(X))
    for i in range(len(X)):
        distances[i] = np.sqrt(((margins - margins[i]) ** 2).sum(axis=1)).sum() / (len(X) - 1)
    weights = 1 / distances
    return weights / weights.mean()


# Of backstay's SVM-RFE with fewer rows than features: loops beside it stop at the same tolerance.
TOL = 1e-8


def svm_rfe(Z, y, keep=1, sample_weight=None, tol=TOL):
    """Features from best to worst: 10 % of the remaining a round, each machine from scratch.

    scikit-learn's ``RFE(step=0.1)`` drops 10 % of the original number instead and ranks the
    features of a round alike, so the loop is written out. Of equal weights the later
    column goes first.
    """
    remaining = np.arange(Z.shape[1])
    worst_first = []
    while len(remaining) > keep:
        machine = SVC(kernel="linear", tol=tol)
        machine.fit(Z[:, remaining], y, sample_weight=sample_weight)
        weights = np.abs(machine.coef_[0])
        count = min(max(1, int(0.1 * len(remaining))), len(remaining) - keep)
        dropped = np.lexsort((-remaining, weights))[:count]
        worst_first.extend(remaining[dropped])
        remaining = np.delete(remaining, dropped)
    return np.concatenate([remaining, np.array(worst_first[::-1], dtype=int)])


def ridge_rfe(Z, y, keep=1):
    """Features that a loop over Ridge keeps, one tenth of the remaining dropped a round."""
    features = np.arange(Z.shape[1])
    while len(features) > keep:
        weights = np.abs(Ridge().fit(Z[:, features], y).coef_)
        count = min(max(1, int(0.1 * len(features))), len(features) - 1)
        features = np.sort(features[np.argsort(weights, kind="stable")[count:]])
    return features


def svm_rfe_by_gram(Z, y, keep=1, tol=TOL):
    """The same with a downdated Gram matrix, but through SVC: what its solver calls cost."""
    remaining = np.arange(Z.shape[1])
    gram = Z @ Z.T
    while len(remaining) > keep:
        machine = SVC(kernel="precomputed", tol=tol).fit(gram, y)
        weights = np.abs(machine.dual_coef_[0] @ Z[machine.support_])
        count = min(max(1, int(0.1 * len(remaining))), len(remaining) - keep)
        dropped = np.lexsort((-remaining, weights))[:count]
        gram -= Z[:, dropped] @ Z[:, dropped].T
        Z, remaining = np.delete(Z, dropped, axis=1), np.delete(remaining, dropped)
    return remaining


def bagged_svm_rfe(X, y, samples):
    """Features from best to worst by the sum of their ranks over the samples."""
    totals = np.zeros(X.shape[1])
    for rows in samples:
        order = svm_rfe(minmax_scale(X[rows]), y[rows])
        totals[order] += np.arange(1, X.shape[1] + 1)
    return np.argsort(totals, kind="stable")


def simba(X, y, visits):
    """[PB alg. 1]: one pass over the rows, each a step along its margin's gradient."""
    X = minmax_scale(X)
    w = np.ones(X.shape[1])
    for i in visits:
        norms = np.sqrt(((X - X[i]) ** 2 * w**2).sum(axis=1))
        norms[i] = np.inf
        hit = np.argmin(np.where(y == y[i], norms, np.inf))
        miss = np.argmin(np.where(y != y[i], norms, np.inf))
        to_miss, to_hit = (X[i] - X[miss]) ** 2 / norms[miss], (X[i] - X[hit]) ** 2 / norms[hit]
        w += 0.5 * (to_miss - to_hit) * w
    return w**2 / np.max(w**2)


def kuncheva_by_products(order, d, sizes):
    """Kuncheva's index at each size from all pairs' overlaps: one product per size."""
    m = order.shape[0]
    off = ~np.eye(m, dtype=bool)
    values = []
    for k in sizes:
        mask = np.zeros((m, d))
        np.put_along_axis(mask, order[:, :k], 1, axis=1)
        overlap = (mask @ mask.T)[off]
        values.append(np.mean((overlap * d - k**2) / (k * (d - k))))
    return np.array(values)


def kuncheva_by_pairs(order, d, sizes):
    """Kuncheva's index at each size by intersecting every two subsets."""
    m = order.shape[0]
    values = []
    for k in sizes:
        subsets = [set(row[:k].tolist()) for row in order]
        overlap = [len(subsets[i] & subsets[j]) for i in range(m) for j in range(i + 1, m)]
        values.append(np.mean((np.array(overlap) * d - k**2) / (k * (d - k))))
    return np.array(values)
