"""How far two results are the same; each measure is a name and a function of both."""

import numpy as np
from scipy.stats import spearmanr


def _spearman(a, b):
    return spearmanr(a, b)[0]


def _largest_difference(a, b):
    return np.abs(np.asarray(a) - np.asarray(b)).max()


def _same_set(a, b):
    return float(set(a) == set(b))


def share_of_same_sets(ours, theirs):
    """Share of pairs of selections that are the same sets."""
    return float(np.mean([set(a) == set(b) for a, b in zip(ours, theirs, strict=True)]))


def mean_overlap(ours, theirs):
    """Mean share of the elements of each selection that the other has as well."""
    return float(
        np.mean([len(set(a) & set(b)) / len(set(a)) for a, b in zip(ours, theirs, strict=True)])
    )


def best(scores, k):
    """Columns of the k highest scores, ties by column."""
    return np.argsort(-np.asarray(scores), kind="stable")[:k]


SPEARMAN = "Spearman", _spearman
DIFFERENCE = "largest difference", _largest_difference
SAME_SET = "same selection", _same_set
SAME_SETS = "same selections", share_of_same_sets
TOP_50 = "overlap of the best 50", lambda a, b: mean_overlap([best(a, 50)], [best(b, 50)])
