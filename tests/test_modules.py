import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid

from backstay import MRMR, LassoPath, ModuleRanker, ReliefF, TTest
from backstay._kernels._linkage import average_linkage
from backstay.datasets import make_han_yu
from backstay.redundancy import correlation_modules
from reference import modules as reference


def as_lists(labels):
    return sorted(np.flatnonzero(labels == k).tolist() for k in range(labels.max() + 1))


def blocks(seed, n, sizes, noise):
    """Columns that copy a signal each, as it is or turned, with noise of different sizes."""
    rng = np.random.default_rng(seed)
    parts = [
        rng.choice([-1, 1], size) * (rng.normal(size=(n, 1)) + noise * rng.normal(size=(n, size)))
        for size in sizes
    ]
    return np.hstack(parts)[:, rng.permutation(sum(sizes))] * rng.uniform(0.1, 10, sum(sizes))


def test_merging_by_hand():
    # 0 and 1 merge at 0.1. Their mean distance to 2 is (0.2 + 0.5)/2 = 0.35, so at a cut of 0.3
    # the near pair 0, 2 does not bring 2 in; 3 is nearer to 2 than to the others, at 0.32.
    apart = [[0, 0.1, 0.2, 0.9], [0.1, 0, 0.5, 0.9], [0.2, 0.5, 0, 0.32], [0.9, 0.9, 0.32, 0]]
    # At 0.7 the two pairs merge, (0.2 + 0.5 + 0.9 + 0.9)/4 = 0.625 apart.
    for cut, expected, pairs, at in (
        (0.3, [[0, 1], [2], [3]], [[0, 1]], [0.1]),
        (0.34, [[0, 1], [2, 3]], [[0, 1], [2, 3]], [0.1, 0.32]),
        (0.7, [[0, 1, 2, 3]], [[0, 1], [2, 3], [0, 2]], [0.1, 0.32, 0.625]),
    ):
        assert reference.average_linkage(apart, cut) == expected
        merges, heights = average_linkage(squareform(np.float32(apart)), 4, cut)
        assert merges.tolist() == pairs
        assert_allclose(heights, at, rtol=1e-6)


@given(
    st.integers(0, 10**6),
    st.integers(5, 12),
    st.lists(st.integers(1, 5), min_size=1, max_size=4),
    st.floats(0.2, 2),
    st.floats(0.05, 0.9),
    st.booleans(),
)
@settings(deadline=None, max_examples=25)
def test_modules_are_those_of_the_definition(seed, n, sizes, noise, cut, weighted):
    X = blocks(seed, n, sizes, noise)
    weights = np.random.default_rng(seed).integers(0, 4, n) if weighted else np.ones(n)
    weights[:3] = 1  # enough rows for a correlation other than 1
    labels = correlation_modules(X, cut, sample_weight=weights)
    assert as_lists(labels) == reference.correlation_modules(X.tolist(), cut, weights.tolist())
    firsts = np.unique(labels, return_index=True)[1]
    assert (np.diff(firsts) > 0).all()


def test_groups_and_tiles_do_not_matter():
    X = blocks(0, 20, [600, 200, 100, *[1] * 200], 0.8)  # more features than are done at a time
    tree = linkage(squareform(1 - np.abs(np.corrcoef(X.T)), checks=False), "average")
    for cut in (0.1, 0.3, 0.5, 0.8):
        labels, expected = correlation_modules(X, cut), fcluster(tree, cut, "distance")
        assert len({*zip(labels, expected, strict=True)}) == len({*labels}) == len({*expected})


def test_gaps_and_constants_are_alone():
    X = blocks(1, 30, [3], 0.1)
    X = np.column_stack([X, np.full(30, 5.0), np.full(30, 5.0), np.full(30, np.nan)])
    X[0, 0] = np.nan
    assert correlation_modules(X).tolist() == [0, 0, 0, 1, 2, 3]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: correlation_modules(np.ones((3, 2)), 1.0), "cut=1.0 must lie between 0 and 1"),
        (lambda: correlation_modules(np.ones(3)), r"got shape \(3,\)"),
        (lambda: correlation_modules([[np.inf, 1], [1, 2]]), "got infinity"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.fixture(scope="module")
def data():
    return make_han_yu(60, n_features=120, n_relevant=20, correlation=0.9, random_state=0)


def test_modules_are_ranked_and_listed(data):
    X, y, _ = data
    ranker = ModuleRanker(TTest()).fit(X, y)
    assert as_lists(ranker.labels_) == [list(range(10 * b, 10 * b + 10)) for b in range(12)]
    assert {*ranker.modules_[0], *ranker.modules_[1]} == {*range(20)}
    assert (np.diff(ranker.module_importances_) <= 0).all()
    for k, members in enumerate(ranker.modules_):
        assert_array_equal(ranker.labels_[members], k)
        assert (np.diff(ranker.closeness_[members]) <= 0).all()
        assert_array_equal(ranker.ranking_[members], np.arange(10 * k, 10 * k + 10) + 1)
    assert_array_equal(ranker.feature_importances_, ranker.module_importances_[ranker.labels_])


def test_a_module_is_judged_by_the_mean_of_its_members_turned_alike(data):
    X, y, _ = data
    X = X * np.where(np.arange(120) % 3, 1.0, -2.0)  # other units and signs change nothing
    ranker = ModuleRanker(TTest()).fit(X, y)
    best = (X[:, :10] - X[:, :10].mean(axis=0)) / X[:, :10].std(axis=0)
    mean = (best * np.where(np.arange(10) % 3, 1.0, -1.0)).mean(axis=1, keepdims=True)
    expected = TTest().fit(mean, y).feature_importances_[0]
    assert_allclose(ranker.feature_importances_[:10], expected)
    assert_allclose(ranker.closeness_[:10], np.abs(np.corrcoef(mean.T, best.T)[0, 1:]))


@pytest.mark.parametrize("estimator", [TTest(), ReliefF(), MRMR(), LogisticRegression()])
def test_without_correlated_features_the_ranking_is_the_estimators(estimator):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 15)), np.arange(60) % 2
    X[:, 3] += y
    plain = estimator.fit(X, y)
    ranker = ModuleRanker(estimator).fit(X, y)
    assert len(ranker.modules_) == 15
    if isinstance(estimator, LogisticRegression):
        order = np.argsort(-np.abs(plain.coef_[0]))
        assert_array_equal(np.argsort(ranker.ranking_), order)
    else:
        assert_array_equal(ranker.ranking_, plain.ranking_)


def test_more_features_than_modules_can_be_asked_for(data):
    X, y, _ = data
    ranker = ModuleRanker(TTest(n_features_to_select=40)).fit(X, y)
    assert ranker.get_support().sum() == 40


def test_modules_that_are_not_ranked_bring_no_features(data):
    X, y, _ = data
    ranker = ModuleRanker(LassoPath(), n_features_to_select=5).fit(X, y)
    used = np.count_nonzero(ranker.module_importances_)
    assert 0 < used < len(ranker.modules_)
    assert used == ranker.estimator_.n_ranked_
    assert ranker.n_ranked_ == 10 * used


def test_weights_need_an_estimator_that_takes_them(data):
    with pytest.raises(ValueError, match="NearestCentroid does not"):
        ModuleRanker(NearestCentroid()).fit(data[0], data[1], sample_weight=np.ones(60))
