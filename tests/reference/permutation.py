"""Permutation importance and gains of a single split, by whole tables and all cuts."""

import numpy as np
from sklearn.base import clone


def losses_on_folds(estimator, X, y, folds, score, permutations):
    """Mean loss of score(model, rows, labels) for every feature.

    permutations[f][r] orders the test rows of fold f when they are shuffled for the r-th time;
    every feature gets the same.
    """
    lost = np.zeros(X.shape[1])
    for (train, test), orders in zip(folds, permutations, strict=True):
        model = clone(estimator).fit(X[train], y[train])
        whole = score(model, X[test], y[test])
        for j in range(X.shape[1]):
            for order in orders:
                shuffled = X[test].copy()
                shuffled[:, j] = shuffled[order, j]
                lost[j] += (whole - score(model, shuffled, y[test])) / len(orders)
    return lost / len(folds)


def tree_losses(forest, X, y, permute):
    """Mean over trees of the right answers lost, share of the rows outside its bootstrap.

    permute(values) shuffles; it is called for used features in their order.
    """
    lost = np.zeros(X.shape[1])
    for tree, bag in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        out = [i for i in range(len(y)) if i not in set(bag.tolist())]
        whole = np.mean(tree.predict(X[out]) == y[out]) if out else 0.0
        for j in sorted(set(tree.tree_.feature.tolist()) - {-2}) if out else []:
            shuffled = X[out].copy()
            shuffled[:, j] = permute(shuffled[:, j])
            lost[j] += whole - np.mean(tree.predict(shuffled) == y[out])
    return lost / len(forest.estimators_)


def best_first_split(X, y, least):
    """Feature and gain of the best cut of two classes, from the log loss at the share of class 1.

    Gradient p − y and hessian p (1 − p); gain Σ G²/H over both sides less that of both together.
    """
    p = y.mean()
    gradient, hessian = p - y, p * (1 - p)
    best = (-1, 0.0)
    for j in range(X.shape[1]):
        for cut in np.unique(X[:, j])[:-1]:
            left = X[:, j] <= cut
            if min(left.sum(), (~left).sum()) < least:
                continue
            sides = [(gradient[s].sum(), hessian * s.sum()) for s in (left, ~left)]
            both = (gradient.sum(), hessian * len(y))
            gain = sum(g * g / h for g, h in sides) - both[0] ** 2 / both[1]
            if gain > best[1] + 1e-12:
                best = (j, gain)
    return best
