"""BaggedRanker: a plain loop over its samples gives the same, however it is run."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import RFE, SelectKBest, SequentialFeatureSelector
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from backstay import InstanceWeighted, MarginWeighting, Relief, ReliefF, Simba, TTest
from backstay.base import importances_of
from backstay.datasets import make_han_yu, make_xor
from backstay.ensemble import BaggedRanker
from backstay.feature_weighting import SVMRFE
from ensemble.test_aggregate import NAMES
from reference import ensemble as reference
from strategies import labels


@pytest.fixture(scope="module")
def data():
    X, y, _ = make_han_yu(40, n_features=60, n_relevant=10, random_state=0)
    return X, y


def fit_one(estimator):
    def fit(X, y, *weights):
        return importances_of(clone(estimator).fit(X, y, *weights))

    return fit


def assert_ranks_but_for_ties(places, weights):
    """Ranks follow the weights; those that share the least have the last."""
    least = weights == weights.min()
    n_ordered = len(weights) - (least.sum() if least.sum() > 1 else 0)
    assert_array_equal(np.sort(places)[:n_ordered], np.arange(1, n_ordered + 1))
    assert_array_equal(weights[np.argsort(places, kind="stable")], np.sort(weights)[::-1])
    if n_ordered < len(weights):
        assert_array_equal(places[least], len(weights))


@pytest.mark.parametrize("resample", ["bootstrap", "subsample", "complementary_pairs"])
@pytest.mark.parametrize(
    "estimator",
    [
        ReliefF(5),
        SVMRFE(),
        SVMRFE(scaling=None),
        LogisticRegression(),
        RFE(SVC(kernel="linear"), n_features_to_select=5, step=0.5),
    ],
    ids=["ReliefF", "SVMRFE", "SVMRFE-unscaled", "LogisticRegression", "RFE"],
)
def test_equals_a_plain_loop(estimator, resample, data):
    X, y = data
    ranker = BaggedRanker(estimator, 4, resample=resample, random_state=0).fit(X, y)
    expected = reference.bagged(fit_one(estimator), X, y, ranker.estimators_samples_)
    assert_allclose(ranker.weights_, expected, rtol=1e-12)
    for places, weights in zip(ranker.rankings_, np.array(expected), strict=True):
        assert_ranks_but_for_ties(places, weights)
    scores = reference.rank_sum(ranker.rankings_.tolist())
    assert_array_equal(ranker.feature_importances_, scores)
    assert_array_equal(ranker.ranking_, reference.ranking_by(scores, ranker.rankings_.tolist()))
    k = ranker.n_features_
    assert_array_equal(ranker.get_support(), ranker.ranking_ <= k)
    if not isinstance(estimator, LogisticRegression):
        assert_array_equal(
            ranker.selection_frequency_, reference.frequency(ranker.rankings_.tolist(), k)
        )


def test_weights_go_with_their_rows(data):
    X, y = data
    weights = np.random.default_rng(0).uniform(0.1, 3.0, len(y))
    for estimator in (ReliefF(5), SVMRFE(), LogisticRegression()):
        ranker = BaggedRanker(estimator, 3, random_state=0).fit(X, y, weights)
        samples = ranker.estimators_samples_
        expected = reference.bagged(fit_one(estimator), X, y, samples, weights)
        assert_allclose(ranker.weights_, expected, rtol=1e-12)
    unweighted = BaggedRanker(ReliefF(5), 3, random_state=0).fit(X, y)
    assert_array_equal(unweighted.estimators_samples_, samples)
    with pytest.raises(ValueError, match="the fit of KNeighborsClassifier does not take it"):
        BaggedRanker(KNeighborsClassifier()).fit(X, y, weights)


ESTIMATORS = [
    ReliefF(5),
    Relief(n_draws=10),
    SVMRFE(),
    Simba(),
    ExtraTreesClassifier(n_estimators=5),
    InstanceWeighted(ReliefF(5), MarginWeighting(), strategy="sample"),
]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("backend", ["threading", "loky", "multiprocessing"])
def test_same_result_on_every_backend(backend, data):
    X, y = data
    for estimator in ESTIMATORS:
        ranker = BaggedRanker(estimator, 4, random_state=3)
        alone = clone(ranker).fit(X, y)
        with parallel_config(backend=backend):
            together = clone(ranker).set_params(n_jobs=2).fit(X, y)
        assert_array_equal(alone.weights_, together.weights_)
        assert_array_equal(alone.ranking_, together.ranking_)
        assert_array_equal(alone.estimators_samples_, together.estimators_samples_)


def test_members_have_seeds_of_their_own(data):
    """Random members differ on the same rows, and nested random states are set."""
    X, y = data
    same_rows = {"resample": "subsample", "max_samples": 1.0}
    forest = ExtraTreesClassifier(5, random_state=0)
    for estimator in (forest, InstanceWeighted(forest, MarginWeighting())):
        ranker = BaggedRanker(estimator, 3, **same_rows, random_state=0).fit(X, y)
        assert len(np.unique(ranker.weights_, axis=0)) == 3
        again = clone(ranker).fit(X, y)
        assert_array_equal(ranker.weights_, again.weights_)
        assert ranker.estimator.get_params() == estimator.get_params()
    fixed = BaggedRanker(ReliefF(), 3, **same_rows, random_state=0).fit(X, y)
    assert len(np.unique(fixed.weights_, axis=0)) == 1


class Silent(BaseEstimator):
    """Looks at nothing, so that many members are fitted in no time."""

    def fit(self, X, y):
        self.feature_importances_ = np.zeros(X.shape[1])
        return self


def rows_drawn(resample, y, n_resamples, max_samples):
    """The rows of the members of an ensemble."""
    ranker = BaggedRanker(
        Silent(), n_resamples, resample=resample, max_samples=max_samples, random_state=0
    )
    return ranker.fit(np.zeros((len(y), 1)), y).estimators_samples_


@pytest.mark.filterwarnings("ignore:class .* has a single member")
@given(st.data(), st.sampled_from(["bootstrap", "subsample", "complementary_pairs"]))
def test_draws(data, resample):
    y = data.draw(labels(data.draw(st.integers(4, 20)), 4))
    y = np.unique(y, return_inverse=True)[1]
    share = data.draw(st.sampled_from([0.1, 0.5, 0.8, 1.0]))
    samples = rows_drawn(resample, y, 4, share)
    counts = np.bincount(y)
    assert len(samples) == 4
    for rows in samples:
        drawn = np.bincount(y[rows], minlength=len(counts))
        if resample == "bootstrap":
            assert_array_equal(drawn, counts)
            continue
        assert len(np.unique(rows)) == len(rows)
        if resample == "subsample":
            assert_array_equal(drawn, np.maximum(1, [round(share * c) for c in counts]))
        else:
            assert_array_equal(drawn, np.maximum(1, counts // 2))
    if resample == "complementary_pairs":
        for a, b in ((0, 1), (2, 3)):
            both = np.intersect1d(samples[a], samples[b])
            assert (counts[y[both]] == 1).all()


def test_draws_are_uniform():
    """Every row is as likely as every other of its class, in either half of a pair."""
    y = np.array([0] * 6 + [1] * 4)
    for resample, expected in (
        ("bootstrap", 1.0),
        ("subsample", 0.5),
        ("complementary_pairs", 0.5),
    ):
        samples = rows_drawn(resample, y, 4000, 0.5)
        assert_allclose(np.bincount(np.concatenate(samples)) / 4000, expected, atol=0.06)
        first = np.concatenate(samples[::2])
        assert_allclose(np.bincount(first) / 2000, expected, atol=0.08)


def test_column_order_does_not_matter(data):
    X, y = data
    order = np.random.default_rng(0).permutation(X.shape[1])
    for aggregate in ("rank_sum", "frequency", "borda"):
        ranker = BaggedRanker(ReliefF(n_features_to_select=8), aggregate=aggregate, random_state=0)
        plain = clone(ranker).fit(X, y).get_support(indices=True)
        shuffled = clone(ranker).fit(X[:, order], y).get_support(indices=True)
        assert set(order[shuffled]) == set(plain)


def test_frames_gaps_and_sparse_rows():
    X, y, _ = make_xor(60, n_features=4, random_state=0)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["e"] = pd.Categorical(np.where(X[:, 0] > 0, "up", "down"))
    frame.loc[0, "a"] = np.nan
    ranker = BaggedRanker(ReliefF(3, n_features_to_select=2), 4, random_state=0).fit(frame, y)
    assert ranker.rankings_.shape == (4, 5)
    assert ranker.feature_names_in_.tolist() == list("abcde")
    assert list(ranker.transform(frame)) == ranker.get_feature_names_out().tolist()
    dense = BaggedRanker(ReliefF(3), 4, random_state=0).fit(np.round(X), y)
    thin = BaggedRanker(ReliefF(3), 4, random_state=0).fit(sparse.csr_array(np.round(X)), y)
    assert_allclose(dense.weights_, thin.weights_, atol=1e-12)
    named = BaggedRanker(SVMRFE(), 4, random_state=0).fit(frame[list("bcd")], y)
    plain = BaggedRanker(SVMRFE(), 4, random_state=0).fit(X[:, 1:], y)
    assert_array_equal(named.weights_, plain.weights_)


def test_labels_reach_the_members(data):
    X, y = data
    names = np.array(["ill", "well"])[y]
    weighted = LogisticRegression(class_weight={"ill": 5.0, "well": 1.0})
    ranker = BaggedRanker(weighted, 2, random_state=0).fit(X, names)
    expected = reference.bagged(fit_one(weighted), X, names, ranker.estimators_samples_)
    assert_allclose(ranker.weights_, expected)


def test_number_of_features():
    X, y, _ = make_xor(60, random_state=0)
    assert BaggedRanker(ReliefF(n_features_to_select=3), 2).fit(X, y).n_features_ == 3
    assert BaggedRanker(ReliefF(), 2).fit(X, y).n_features_ == 5
    assert BaggedRanker(LogisticRegression(), 2).fit(X, y).n_features_ == 5
    both = BaggedRanker(ReliefF(n_features_to_select=3), 2, n_features_to_select=0.2)
    assert both.fit(X, y).n_features_ == 2


def test_unused_features_are_not_selected():
    """A sparse model's zeros are not among the k best, though they have ranks."""
    X, y, _ = make_han_yu(60, n_features=40, n_relevant=10, random_state=0)
    lasso = LogisticRegression(l1_ratio=1.0, solver="liblinear", C=0.2)
    ranker = BaggedRanker(lasso, 5, n_features_to_select=30, random_state=0).fit(X, y)
    assert_array_equal(ranker.selection_frequency_, (ranker.weights_ != 0).mean(axis=0))


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (
            KNeighborsClassifier(),
            "KNeighborsClassifier exposes none of feature_importances_",
        ),
        (SequentialFeatureSelector(SVC(), cv=2), "SequentialFeatureSelector exposes none of"),
        (SelectKBest(k=2), "SelectKBest exposes none of feature_importances_, coef_ and ranking_"),
        (make_pipeline(SelectKBest(k=2), SVC(kernel="linear")), "Pipeline exposes none of"),
    ],
)
def test_estimator_without_importances(estimator, message):
    X, y, _ = make_xor(40, n_features=4, random_state=0)
    with pytest.raises(ValueError, match=message):
        BaggedRanker(estimator, 2).fit(X, y)


class Odd(LogisticRegression):
    """Exposes what cannot be ranked."""

    def fit(self, X, y):
        self.feature_importances_ = np.array([1.0, np.nan, 0.0, 0.0][: self.max_iter])
        return self


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_resamples": 0}, "n_resamples"),
        ({"resample": "jackknife"}, "resample"),
        ({"aggregate": "rank"}, "aggregate"),
        ({"max_samples": 0.0}, "max_samples"),
        ({"n_features_to_select": 9}, "n_features_to_select=9 must lie between 1 and"),
        ({"n_jobs": "two"}, "n_jobs"),
        ({"n_resamples": 3, "resample": "complementary_pairs"}, "n_resamples=3 must be even"),
        ({"estimator": Odd(max_iter=4)}, "Odd gives feature 1 the importance nan"),
        ({"estimator": Odd(max_iter=1)}, "Odd gives 1 importances for 4 features"),
    ],
)
def test_bad_parameters(parameters, message):
    X, y, _ = make_xor(40, n_features=4, random_state=0)
    with pytest.raises(ValueError, match=message):
        BaggedRanker(ReliefF()).set_params(**parameters).fit(X, y)


def test_single_members_are_said():
    X, y, _ = make_xor(21, n_features=4, random_state=0)
    y[0] = 2
    ranker = BaggedRanker(LogisticRegression(), 2, resample="complementary_pairs", random_state=0)
    with pytest.warns(UserWarning, match="class 2 has a single member: it is in both halves"):
        ranker.fit(X, y)
    assert all(0 in rows for rows in ranker.estimators_samples_)


@pytest.mark.parametrize("aggregate", NAMES)
def test_a_perfect_separator_comes_first(aggregate):
    # Constant inside each class: t is infinite, which no average may turn into nan.
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = np.column_stack([rng.normal(size=40), y, rng.normal(size=(40, 3))])
    ranker = BaggedRanker(TTest(n_features_to_select=2), aggregate=aggregate, random_state=0)
    assert ranker.fit(X, y).ranking_[1] == 1
