"""Folds drawn anew for every subset, and neighbours that all vote."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.model_selection import GroupKFold, RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from backstay.datasets import make_anti_corral
from backstay.wrappers import SequentialSelector
from backstay.wrappers._fast import FastInducer, VotingNeighbors
from backstay.wrappers._folds import fresh_folds
from backstay.wrappers._inducers import equivalent
from reference.wrappers import ReferenceSearch, TiedVote, cross_validated_accuracy

X, Y, _ = make_anti_corral(60, random_state=0)
X, Y = X[:, 5:].round(1), Y.astype(int)


def slow(scaling, k=1):
    return TiedVote(k) if scaling is None else make_pipeline(MinMaxScaler(), TiedVote(k))


def test_vote_by_hand():
    rows, classes = np.array([[0.0], [2.0], [2.0], [1.0]]), np.array([1, 0, 0, 1])
    # At 1 the nearest is the last row; 1.5 is as near to it as to the two rows of class 0; 0.5 ties
    # between the two rows of class 1. With K=2 a third row ties for second place at 1.
    for estimator in (TiedVote(1), equivalent("1nn", None, "vote")):
        assert estimator.fit(rows, classes).predict(np.array([[1.0], [1.5], [0.5]])).tolist() == [
            1,
            0,
            1,
        ]
    for estimator in (TiedVote(2), equivalent("knn:2", None, "vote")):
        # Rows at 1, then 0 and both of 2: two votes each, and the lower class wins.
        assert estimator.fit(rows, classes).predict(np.array([[1.0]])).tolist() == [0]
    shares = equivalent("1nn", None, "vote").fit(rows, classes).predict_proba([[1.5]])
    assert shares.tolist() == [[2 / 3, 1 / 3]]


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    levels=st.sampled_from([2, 4, 1000]),
    k=st.integers(1, 4),
    scaling=st.sampled_from([None, "minmax"]),
    adding=st.booleans(),
)
def test_votes_are_those_of_the_slow_rule(seed, levels, k, scaling, adding):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(24) % 3)
    # Tenths do not add up exactly: rounding must not decide what is equal.
    rows = rng.integers(0, levels, (24, 5)) / 10 + 0.1 * y[:, None]
    folds = list(RepeatedStratifiedKFold(n_splits=2, n_repeats=1, random_state=seed).split(rows, y))
    fast = FastInducer(VotingNeighbors, f"knn:{k}", rows, y, folds, scaling, None)
    subset = np.array([0, 2, 3])
    units = [np.array([1]), np.array([4]), np.array([1, 4])]
    if not adding:
        units = [np.array([0]), np.array([3]), np.array([0, 2])]
    scores = fast.scores(subset, units, adding).mean(axis=1)
    for score, unit in zip(scores, units, strict=True):
        columns = set(subset) | set(unit) if adding else set(subset) - set(unit)
        assert score == cross_validated_accuracy(slow(scaling, k), rows, y, folds, columns)


def test_fresh_folds_are_stratified_and_follow_from_the_subset():
    y = np.repeat([0, 1, 2], [7, 9, 4])
    folds = fresh_folds(None, 0, y, None)
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
    assert fresh_folds(None, 1, y, None).parts(np.array([0])).tolist() != drawn[0,]
    thirds = fresh_folds(3, 0, y, None).parts(np.array([0]))
    assert thirds.shape == (1, 20)
    assert set(np.bincount(thirds[0])) == {6, 7}


@pytest.mark.parametrize(
    ("criterion", "name", "direction"),
    [
        ("plain", "1nn", "forward"),
        ("plain", "lda", "backward"),
        ("remainder", "1nn", "backward"),
        ("remainder", "knn:3", "forward"),
        ("accumulated", "knn:3", "backward"),
        ("accumulated", "svm_linear", "forward"),
    ],
)
def test_fresh_search_is_the_slow_search(criterion, name, direction):
    scaling = "minmax" if direction == "forward" else None
    ties = "vote" if name == "1nn" else "first"
    folds = fresh_folds(2, 0, Y, None)
    estimator = slow(scaling) if ties == "vote" else equivalent(name, scaling)
    known = {}

    def score(subset):
        if subset not in known:
            columns = np.array(sorted(subset), dtype=int)
            known[subset] = cross_validated_accuracy(estimator, X, Y, folds(columns), subset)
        return known[subset]

    options = {"direction": direction, "criterion": criterion}
    expected = ReferenceSearch(score, X.shape[1], **options)
    fast = SequentialSelector(
        name, cv=2, cv_draw="fresh", ties=ties, scaling=scaling, random_state=0, **options
    ).fit(X, Y)
    assert [frozenset(s) for s in fast.path_["subset"]] == [s for _, s, _ in expected.path]
    assert frozenset(fast.get_support(indices=True)) == expected.selected
    np.testing.assert_allclose(fast.path_["score"], [s for _, _, s in expected.path], atol=1e-12)


def test_any_classifier_gets_fresh_folds():
    options = {"cv": 2, "cv_draw": "fresh", "random_state": 0, "scaling": None}
    named = SequentialSelector("knn:3", **options).fit(X, Y)
    general = SequentialSelector(equivalent("knn:3", None), **options).fit(X, Y)
    assert named.scores_.equals(general.scores_)
    voting = SequentialSelector("1nn", ties="vote", scoring="f1_macro", **options).fit(X, Y)
    assert voting.scores_["score"].between(0, 1).all()


@pytest.mark.parametrize("estimator", ["1nn", "lda", GaussianNB()])
def test_threads_and_resuming_do_not_show(estimator, tmp_path, monkeypatch):
    options = {"cv": 2, "cv_draw": "fresh"}
    whole = SequentialSelector(estimator, random_state=3, **options).fit(X, Y)
    if isinstance(estimator, str):
        threads = SequentialSelector(estimator, random_state=3, n_jobs=2, **options).fit(X, Y)
        assert whole.scores_.equals(threads.scores_)
    path = tmp_path / "search.npz"
    begun = SequentialSelector(estimator, n_features_to_select=2, checkpoint=path, **options)
    begun.fit(X, Y)  # random_state=None: the seed is in the file
    with np.load(path) as file:
        seed, kept = int(file["fold_seeds"][0]), dict(file)
    n_scores = kept["n_scores"][:2]
    kept.update(n_scores=n_scores, scores=kept["scores"][: n_scores.sum()])
    kept.update(n_remainders=kept["n_remainders"][:2])
    np.savez(path, **kept)
    again = SequentialSelector(estimator, n_features_to_select=2, checkpoint=path, **options)
    assert again.fit(X, Y).scores_.equals(begun.scores_)
    with np.load(path) as file:
        assert int(file["fold_seeds"][0]) == seed


def test_other_folds_change_scores_and_only_then():
    shared = SequentialSelector("1nn", random_state=0).fit(X, Y)
    again = SequentialSelector("1nn", random_state=0, cv_draw="shared", ties="first").fit(X, Y)
    fresh = SequentialSelector("1nn", random_state=0, cv_draw="fresh").fit(X, Y)
    assert shared.scores_.equals(again.scores_)
    assert not shared.scores_["score"].equals(fresh.scores_["score"])


def test_wrong_combinations_are_refused():
    with pytest.raises(ValueError, match=r"ties='vote' is for the built-in k-NN.*got .*'lda'"):
        SequentialSelector("lda", ties="vote").fit(X, Y)
    with pytest.raises(ValueError, match=r"cv=GroupKFold.* cannot be drawn anew"):
        SequentialSelector(cv=GroupKFold(2), cv_draw="fresh").fit(X, Y)
    with pytest.raises(ValueError, match="cannot keep groups of rows together"):
        SequentialSelector(cv_draw="fresh").fit(X, Y, groups=np.arange(len(Y)))
    with pytest.raises(ValueError, match="fewer than the 40 folds of cv"):
        SequentialSelector(cv=40, cv_draw="fresh").fit(X, Y)
