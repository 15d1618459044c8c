"""The slow search against cases worked by hand."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from reference.wrappers import Evidence, ReferenceSearch, cross_validated_accuracy

J = {
    frozenset(): 0.5,
    frozenset({0}): 0.6,
    frozenset({1}): 0.7,
    frozenset({2}): 0.65,
    frozenset({0, 1}): 0.8,
    frozenset({0, 2}): 0.9,
    frozenset({1, 2}): 0.75,
    frozenset({0, 1, 2}): 0.85,
}


def moves(**options):
    search = ReferenceSearch(J.__getitem__, 3, **options)
    return [x for x, _, _ in search.path[1:]], sorted(search.selected)


@pytest.mark.parametrize(
    ("options", "path", "selected"),
    [
        ({}, [1, 0, 2], [0, 1, 2]),
        ({"direction": "backward"}, [1, 0], [0, 2]),
        # f(0) = (.6·.5 − .75·.85 + 1)/2 = .33125, f(1) = .2925, f(2) = .3225; then
        # f(1) = (.8·.6 − .65·.75 + 1)/2 = .49625, f(2) = (.9·.6 − .7·.75 + 1)/2 = .5075.
        ({"criterion": "remainder"}, [0, 2, 1], [0, 2]),
        # With a = b = ½: f(0) = (.6 − .75)/4 + ½ = .4625, f(1) = (.7 − .9)/4 + ½ = .45 and
        # f(2) = (.65 − .8)/4 + ½ = .4625, a tie; then f(1) = (.8 − .65)/4, f(2) = (.9 − .7)/4.
        ({"criterion": "remainder", "remainder_weights": (0.5, 0.5)}, [0, 2, 1], [0, 2]),
        ({"criterion": "remainder", "remainder_weights": (1, 0)}, [1, 0, 2], [0, 1, 2]),
        # {0, 2} at 0.9 beats {0, 1}, the best pair so far, so 1 goes out and comes back in.
        ({"floating": True}, [1, 0, 2, 1, 1], [0, 2]),
        ({"plus": 2, "minus": 1}, [1, 0, 0, 0, 2], [0, 1, 2]),
        ({"stop": "no_gain"}, [1, 0, 2], [0, 1, 2]),
        ({"direction": "backward", "stop": "no_gain"}, [1, 0], [0, 2]),
        ({"n_features_to_select": 2}, [1, 0], [0, 1]),
        ({"fixed": [2]}, [0, 1], [0, 2]),
    ],
)
def test_hand_worked_paths(options, path, selected):
    assert moves(**options) == (path, selected)


@pytest.mark.parametrize(
    ("rule", "forward", "backward", "floating"),
    [
        # Met on the way forward: {1} at .7, {0, 1} at .8, all at .85; backward: all, {0, 2} at .9,
        # {2} at .65; floating also {0, 2}, the better of two pairs that are good enough.
        ({"min_score": 0.65}, [1], [2], [1]),
        ({"min_score": 0.7}, [1], [0, 2], [1]),
        ({"min_score": 0.71}, [0, 1], [0, 2], [0, 2]),
        ({"min_score": 0.81}, [0, 1, 2], [0, 2], [0, 2]),
        # None is: the best that was met.
        ({"min_score": 0.95}, [0, 1, 2], [0, 2], [0, 2]),
        # Relative to .85, the J of all features, and not to the best that was met.
        ({"max_loss": 0.0}, [0, 1, 2], [0, 2], [0, 2]),
        ({"max_loss": 0.05}, [0, 1, 2], [0, 2], [0, 2]),  # .8075
        ({"max_loss": 1 / 17}, [0, 1], [0, 2], [0, 2]),  # .8, but for rounding
        ({"max_loss": 0.2}, [1], [0, 2], [1]),  # .68
        ({"max_loss": 0.25}, [1], [2], [1]),  # .6375
        ({"max_loss": 1.0}, [1], [2], [1]),
    ],
)
def test_hand_worked_smallest_subset(rule, forward, backward, floating):
    rule = {"n_features_to_select": "smallest", **rule}
    assert moves(**rule)[1] == forward
    assert moves(direction="backward", **rule)[1] == backward
    assert moves(floating=True, **rule)[1] == floating


def test_hand_worked_good_enough():
    search = ReferenceSearch(J.__getitem__, 3, n_features_to_select="smallest", max_loss=0.1)
    met = [(frozenset(s), J[frozenset(s)]) for s in ({1}, {0, 1}, {1, 2}, {0, 2}, {0, 1, 2})]
    # .9 · .85 = .765 leaves two pairs and all three features; the pairs are smaller.
    assert search.good_enough(met) == [(frozenset({0, 1}), 0.8), (frozenset({0, 2}), 0.9)]
    assert search.good_enough(met[:1]) == met[:1]


def test_hand_worked_evidence():
    evidence = Evidence(3, None)
    for x in range(3):
        evidence.remember({x}, J[frozenset({x})])
    # R(0) = .6 − (.7 + .65)/2
    assert evidence.relevance(0) == pytest.approx(-0.075)
    evidence.remember({0, 1}, 0.8)
    evidence.remember({1, 2}, 0.75)
    assert evidence.relevance(0) == pytest.approx(0.0)
    weighted = Evidence(3, "size")
    weighted.remember({0}, 0.6)
    weighted.remember({0, 1}, 0.9)
    # (1/3·.6 + 2/3·.9) − nothing
    assert weighted.relevance(0) == pytest.approx(0.8)


def test_printed_sign_removes_the_most_relevant():
    keep = ReferenceSearch(J.__getitem__, 3, direction="backward", criterion="accumulated")
    printed = ReferenceSearch(
        J.__getitem__,
        3,
        direction="backward",
        criterion="accumulated",
        accumulation=1.0,
        printed_sign=True,
    )
    # R after the pairs: 0 → (.85+.8+.9)/3 − .75 = .1, 1 → −.1, 2 → .0333
    assert keep.path[1][0] == 1
    assert printed.path[1][0] == 0


def test_accuracy_by_hand():
    X = np.array([[0.0], [1.0], [0.2], [0.9]])
    y = np.array([0, 1, 0, 0])
    folds = [(np.array([0, 1]), np.array([2, 3])), (np.array([2, 3]), np.array([0, 1]))]
    # Fold 0: 0.2 → 0 right, 0.9 → 1 wrong. Fold 1: 0 → 0 right, 1 → 0 wrong.
    knn = KNeighborsClassifier(1)
    assert cross_validated_accuracy(knn, X, y, folds, {0}) == 0.5
    assert cross_validated_accuracy(knn, X, y, folds, set()) == 0.75
