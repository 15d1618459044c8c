"""How readings of the thesis search: folds drawn anew for every subset, neighbours that vote."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.model_selection import RepeatedStratifiedKFold

from backstay.datasets import make_anti_corral
from backstay.wrappers import SequentialSelector
from reference.wrappers import ReferenceSearch, TiedVote, cross_validated_accuracy
from reproduction._prat_search import (
    FreshFolds,
    NearestVote,
    Reading,
    SubsetInducer,
    ThesisSelector,
    inducer_classifier,
)

X, Y, _ = make_anti_corral(60, random_state=0)
X, Y = X[:, 5:].round(1), Y.astype(int)


def thesis(name, reading, **options):
    selector = ThesisSelector(name, random_state=0, **options)
    selector.reading = reading
    return selector


def fresh_folds(y, seed=0, **sizes):
    return FreshFolds(np.random.RandomState(seed).randint(2**31 - 1), y, **sizes)


def test_vote_by_hand():
    rows, classes = np.array([[0.0], [2.0], [2.0], [1.0]]), np.array([1, 0, 0, 1])
    # At 1 the nearest is the last row; 1.5 is as near to it as to the two rows of class 0; 0.5 ties
    # between the two rows of class 1.
    for estimator in (TiedVote(1), NearestVote(), inducer_classifier("1nn", None, "vote")):
        fitted = estimator.fit(rows, classes)
        assert fitted.predict(np.array([[1.0], [1.5], [0.5]])).tolist() == [1, 0, 1]
    # Two rows as near, of different classes: the lower class wins.
    assert NearestVote().fit(rows[[0, 1]], classes[[0, 1]]).predict([[1.0]]).tolist() == [0]


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    levels=st.sampled_from([2, 4, 1000]),
    adding=st.booleans(),
)
def test_votes_are_those_of_the_slow_rule(seed, levels, adding):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(24) % 3)
    # Tenths do not add up exactly: rounding must not decide what is equal.
    rows = rng.integers(0, levels, (24, 5)) / 10 + 0.1 * y[:, None]
    folds = list(RepeatedStratifiedKFold(n_splits=2, n_repeats=1, random_state=seed).split(rows, y))
    fast = SubsetInducer("1nn", rows, y, None, folds, None, vote=True)
    subset = np.array([0, 2, 3])
    units = [np.array([1]), np.array([4]), np.array([1, 4])]
    if not adding:
        units = [np.array([0]), np.array([3]), np.array([0, 2])]
    scores = fast.scores(subset, units, adding).mean(axis=1)
    for score, unit in zip(scores, units, strict=True):
        columns = set(subset) | set(unit) if adding else set(subset) - set(unit)
        assert score == cross_validated_accuracy(TiedVote(1), rows, y, folds, columns)


def test_fresh_folds_are_stratified_and_follow_from_the_subset():
    y = np.repeat([0, 1, 2], [7, 9, 4])
    folds = fresh_folds(y)
    drawn = {}
    for columns in ([0], [1], [0, 1], []):
        parts = folds.parts(np.array(columns, dtype=int))
        assert parts.shape == (5, 20)
        for part in parts:
            halves = np.array([np.bincount(y[part == fold], minlength=3) for fold in (0, 1)])
            assert (np.abs(halves[0] - halves[1]) <= 1).all()
            assert halves.sum(axis=1).tolist() == [10, 10]
        for (train, test), part in zip(folds(np.array(columns, int))[::2], parts, strict=True):
            assert_array_equal(np.sort(np.r_[train, test]), np.arange(20))
            assert_array_equal(test, np.flatnonzero(part == 0))
        drawn[tuple(columns)] = parts.tolist()
    assert len({str(parts) for parts in drawn.values()}) == 4
    assert folds.parts(np.array([1, 0])).tolist() == drawn[0, 1]
    assert fresh_folds(y, seed=1).parts(np.array([0])).tolist() != drawn[0,]
    thirds = fresh_folds(y, n_splits=3, n_repeats=1).parts(np.array([0]))
    assert thirds.shape == (1, 20)
    assert set(np.bincount(thirds[0])) == {6, 7}


@pytest.mark.parametrize(
    ("criterion", "name", "direction", "ties"),
    [
        ("plain", "1nn", "forward", "first"),
        ("plain", "1nn", "backward", "vote"),
        ("plain", "lda", "backward", "first"),
        ("remainder", "1nn", "backward", "vote"),
        ("remainder", "knn:3", "forward", "first"),
        ("accumulated", "knn:3", "backward", "first"),
        ("accumulated", "svm_linear", "forward", "first"),
    ],
)
def test_fresh_search_is_the_slow_search(criterion, name, direction, ties):
    scaling = "minmax" if direction == "forward" else None
    folds = fresh_folds(Y, n_repeats=1)
    estimator = TiedVote(1) if ties == "vote" else inducer_classifier(name, scaling)
    known = {}

    def score(subset):
        if subset not in known:
            columns = np.array(sorted(subset), dtype=int)
            known[subset] = cross_validated_accuracy(estimator, X, Y, folds(columns), subset)
        return known[subset]

    options = {"direction": direction, "criterion": criterion}
    expected = ReferenceSearch(score, X.shape[1], **options)
    fast = thesis(name, Reading("fresh", ties), cv=2, scaling=scaling, **options).fit(X, Y)
    assert [frozenset(s) for s in fast.path_["subset"]] == [s for _, s, _ in expected.path]
    assert frozenset(fast.get_support(indices=True)) == expected.selected
    np.testing.assert_allclose(fast.path_["score"], [s for _, _, s in expected.path], atol=1e-12)


def test_other_folds_change_scores_and_only_then():
    shared = SequentialSelector("1nn", random_state=0, scaling=None).fit(X, Y)
    first = thesis("1nn", Reading(), scaling=None).fit(X, Y)
    fresh = thesis("1nn", Reading("fresh"), scaling=None).fit(X, Y)
    voting = thesis("1nn", Reading("shared", "vote"), scaling=None).fit(X, Y)
    assert shared.scores_.equals(first.scores_)
    assert not shared.scores_["score"].equals(fresh.scores_["score"])
    assert not shared.scores_["score"].equals(voting.scores_["score"])
