"""Permutation importance by whole tables."""

import numpy as np


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
