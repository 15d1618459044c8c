"""RepeatedSelector (Wrapper-2) and frequency curves."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import SelectKBest, SequentialFeatureSelector
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from backstay import ReliefF
from backstay.datasets import make_han_yu, make_xor
from backstay.ensemble import RepeatedSelector
from reference import ensemble as reference


@pytest.fixture(scope="module")
def data():
    X, y, _ = make_han_yu(60, n_features=40, n_relevant=10, random_state=0)
    return X, y


@pytest.mark.parametrize(
    "estimator",
    [
        ReliefF(5, n_features_to_select=3),
        SelectKBest(k=3),
        SequentialFeatureSelector(GaussianNB(), n_features_to_select=2, cv=2),
    ],
    ids=["ranker", "selector", "wrapper"],
)
def test_top_k_by_a_plain_loop(estimator, data):
    X, y = data[0][:, :8], data[1]
    selector = RepeatedSelector(estimator, 4, n_features_to_select=4, random_state=0).fit(X, y)
    supports = [
        clone(estimator).fit(X[rows], y[rows]).get_support()
        for rows in selector.estimators_samples_
    ]
    assert_array_equal(selector.supports_, supports)
    frequency = np.mean(supports, axis=0)
    assert_array_equal(selector.selection_frequency_, frequency)
    assert_array_equal(selector.feature_importances_, frequency)
    kept = selector.get_support(indices=True)
    assert len(kept) == 4
    assert frequency[kept].min() >= np.delete(frequency, kept).max()
    assert selector.holdout_rows_.size == selector.holdout_scores_.size == 0


def test_as_many_as_a_run_selects(data):
    X, y = data
    selector = RepeatedSelector(ReliefF(n_features_to_select=6), 4, random_state=0)
    assert selector.fit(X, y).n_features_ == 6
    lasso = LogisticRegression(l1_ratio=1.0, solver="liblinear", C=0.1)
    fitted = RepeatedSelector(lasso, 4, random_state=0).fit(X, y)
    sizes = fitted.supports_.sum(axis=1)
    assert sizes.max() < 20  # half would be 20: zeros are not selected
    assert fitted.n_features_ == round(sizes.mean())


@pytest.mark.parametrize("classifier", [LinearDiscriminantAnalysis(), GaussianNB(), None])
@pytest.mark.parametrize("limit", [None, 2])
def test_grow_by_a_plain_loop(classifier, limit):
    X, y, _ = make_xor(200, n_features=6, n_relevant=2, random_state=0)
    X[:, 2] += y  # something linear, too
    selector = RepeatedSelector(
        ReliefF(n_features_to_select=4),
        5,
        keep="grow",
        n_features_to_select=limit,
        classifier=classifier,
        random_state=0,
    ).fit(X, y)
    held = selector.holdout_rows_
    assert_array_equal(np.bincount(y[held]), [round(0.3 * c) for c in np.bincount(y)])
    for rows in selector.estimators_samples_:
        assert not np.intersect1d(rows, held).size
    inside = np.setdiff1d(np.arange(len(y)), held)

    def score(columns):
        if classifier is None:
            low, high = X[inside].min(axis=0), X[inside].max(axis=0)
            judge, Z = KNeighborsClassifier(1), (X - low) / (high - low)
        else:
            judge, Z = clone(classifier), X
        judge.fit(Z[np.ix_(inside, columns)], y[inside])
        return accuracy_score(y[held], judge.predict(Z[np.ix_(held, columns)]))

    order = np.argsort(selector.ranking_)
    order = order[selector.selection_frequency_[order] > 0][:limit]
    size, scores = reference.grow(order.tolist(), score)
    assert_allclose(selector.holdout_scores_, scores)
    assert selector.n_features_ == size
    assert_array_equal(selector.get_support(), selector.ranking_ <= size)


def test_grow_finds_what_is_needed():
    X, y, _ = make_xor(300, random_state=0)
    selector = RepeatedSelector(ReliefF(n_features_to_select=4), keep="grow", random_state=0).fit(
        X, y
    )
    assert_array_equal(selector.get_support(indices=True), [0, 1, 2])


def test_weights():
    """Held-out rows count by their weight; runs get the weights of their rows."""
    X, y, _ = make_xor(120, n_features=4, n_relevant=1, random_state=0)
    weights = np.random.default_rng(0).uniform(0.1, 2.0, len(y))
    selector = RepeatedSelector(
        ReliefF(n_features_to_select=2),
        4,
        keep="grow",
        classifier=GaussianNB(),
        random_state=0,
    ).fit(X, y, weights)
    supports = [
        ReliefF(n_features_to_select=2).fit(X[r], y[r], weights[r]).get_support()
        for r in selector.estimators_samples_
    ]
    assert_array_equal(selector.supports_, supports)
    held = selector.holdout_rows_
    inside = np.setdiff1d(np.arange(len(y)), held)
    first = np.flatnonzero(selector.ranking_ == 1)
    judge = GaussianNB().fit(X[inside][:, first], y[inside], weights[inside])
    right = judge.predict(X[held][:, first]) == y[held]
    assert_allclose(selector.holdout_scores_[0], weights[held][right].sum() / weights[held].sum())


def test_same_result_with_two_jobs(data):
    X, y = data
    base = RepeatedSelector(
        ExtraTreesClassifier(5), 4, keep="grow", n_features_to_select=6, random_state=0
    )
    alone = clone(base).fit(X, y)
    together = clone(base).set_params(n_jobs=2).fit(X, y)
    assert_array_equal(alone.supports_, together.supports_)
    assert_array_equal(alone.holdout_scores_, together.holdout_scores_)


def test_ties_by_the_runs_ranks(data):
    X, y = data
    selector = RepeatedSelector(ReliefF(n_features_to_select=6), 3, random_state=0).fit(X, y)
    expected = reference.ranking_by(
        selector.selection_frequency_.tolist(), selector.rankings_.tolist()
    )
    assert_array_equal(selector.ranking_, expected)
    unranked = RepeatedSelector(SelectKBest(k=6), 3, random_state=0).fit(X, y)
    assert unranked.rankings_ is None


def test_frames(data):
    X, y = data
    frame = pd.DataFrame(X).rename(columns=str)
    for keep in ("top_k", "grow"):
        base = RepeatedSelector(ReliefF(n_features_to_select=6), 3, keep=keep, random_state=0)
        plain, named = clone(base).fit(X, y), clone(base).fit(frame, y)
        assert_array_equal(plain.ranking_, named.ranking_)
        assert_array_equal(plain.holdout_scores_, named.holdout_scores_)


def test_single_members_are_said(data):
    X, y = data[0], data[1].copy()
    y[0] = 2
    selector = RepeatedSelector(LogisticRegression(), 2, keep="grow", random_state=0)
    with pytest.warns(UserWarning, match="class 2 has a single member: none of it is held out"):
        selector.fit(X, y)
    assert 0 not in selector.holdout_rows_
    with (
        pytest.raises(ValueError, match="needs a class of at least 2 rows"),
        pytest.warns(UserWarning, match="single member"),
    ):
        selector.fit(X[:2], [0, 1])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_resamples": 0}, "n_resamples"),
        ({"keep": "all"}, "keep"),
        ({"holdout": 1.0}, "holdout"),
        ({"resample": "none"}, "resample"),
        ({"n_resamples": 3, "resample": "complementary_pairs"}, "n_resamples=3 must be even"),
        ({"n_features_to_select": 41}, "n_features_to_select=41 must lie between"),
        ({"estimator": KNeighborsClassifier()}, "exposes none of feature_importances_, coef_"),
    ],
)
def test_bad_parameters(parameters, message, data):
    with pytest.raises(ValueError, match=message):
        RepeatedSelector(ReliefF(), 2).set_params(**parameters).fit(*data)
