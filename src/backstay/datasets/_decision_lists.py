"""Data labelled by a random decision list, numeric or boolean [Prat 5.3.2]."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backstay._validation import check_random_state
from backstay.datasets._truth import Data, check_shape, first_relevant, require


def make_decision_list(
    n_samples: int = 100,
    *,
    n_features: int = 20,
    n_relevant: int = 10,
    boolean: bool = False,
    n_classes: int = 2,
    min_rule_size: int = 1,
    max_rule_size: int = 10,
    random_state: Any = None,
) -> Data:
    """RDG1: rows labelled by the first rule of a random decision list that is true for them.

    Features are uniform on [0, 1], or 0 and 1 with probability ½ each
    (`boolean`). A rule is a conjunction c := t_1 ∧ … ∧ t_n of terms on different
    relevant features: x_j < v or x_j ≥ v with v uniform on [0, 1], or x_j = 0 or
    x_j = 1 [Prat eq. 5.19]. Rows come one by one; one that no rule covers brings
    a new rule, true for itself, to the end of the list.

    Parameters
    ----------
    n_samples, n_features, n_relevant : int, default=100, 20, 10
        Size of the table; rules test the first `n_relevant` features only.
    boolean : bool, default=False
        Boolean features instead of numeric ones.
    n_classes : int, default=2
        Classes; the rules of a list are given them in turn.
    min_rule_size, max_rule_size : int, default=1, 10
        Least and most terms of a rule, drawn evenly; never more than
        `n_relevant`.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Rows.
    y : ndarray of shape (n_samples,)
        Labels 0 to n_classes − 1; a list whose first rules cover every row
        leaves later classes, perhaps all but one, without rows.
    relevance : ndarray of shape (n_features,)
        1/n_relevant for the features that rules may test, as in the thesis,
        whether or not one does; 0 for the others.

    Notes
    -----
    The thesis does not say how many classes there were, nor which class a new
    rule gets: two here, in turn, as in its example of rules for c0, c1, c2.

    Examples
    --------
    >>> from backstay.datasets import make_decision_list
    >>> X, y, relevance = make_decision_list(random_state=0)
    >>> X.shape, int((relevance > 0).sum())
    ((100, 20), 10)
    """
    check_shape(n_samples, n_features, n_relevant)
    require(n_classes >= 2, f"n_classes={n_classes!r} must be at least 2.")
    require(
        1 <= min_rule_size <= min(max_rule_size, n_relevant),
        f"min_rule_size={min_rule_size!r} must lie between 1 and the smaller of "
        f"max_rule_size={max_rule_size!r} and n_relevant={n_relevant!r}.",
    )
    rng = check_random_state(random_state)
    if boolean:
        X = rng.randint(2, size=(n_samples, n_features)).astype(np.float64)
    else:
        X = rng.uniform(size=(n_samples, n_features))
    sizes = (min_rule_size, min(max_rule_size, n_relevant))
    y = _first_true_rule(X[:, :n_relevant], sizes, boolean, rng) % n_classes
    return X, y, first_relevant(n_features, n_relevant)


def _first_true_rule(
    X: NDArray[np.float64], sizes: tuple[int, int], boolean: bool, rng: Any
) -> NDArray[np.intp]:
    """Return the number of the rule that covers each row.

    A rule is applied to all rows left as soon as it is made. That is the same as
    going row by row: the row that brings a rule is the first that no rule covers,
    and rules made after a row was covered come after the one that covers it.
    """
    rules = np.empty(len(X), np.intp)
    left = np.arange(len(X))
    n_rules = 0
    while len(left):
        features = rng.permutation(X.shape[1])[: rng.randint(sizes[0], sizes[1] + 1)]
        own = X[left[0], features]
        if boolean:
            covered = (X[np.ix_(left, features)] == own).all(axis=1)
        else:
            thresholds = rng.uniform(size=len(features))
            sides = X[np.ix_(left, features)] < thresholds
            covered = (sides == (own < thresholds)).all(axis=1)
        rules[left[covered]] = n_rules
        left = left[~covered]
        n_rules += 1
    return rules
