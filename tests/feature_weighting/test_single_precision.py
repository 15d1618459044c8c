"""Wide tables of single precision are ranked as in double, block by block."""

import numpy as np
import pytest

from backstay.feature_weighting import SVMRFE, FStatistic, TTest, _moments, _svm, _svm_elimination

RNG = np.random.default_rng(0)
X = RNG.random((30, 90), dtype=np.float32)
Y = np.repeat([0, 1, 2], 10)
X[:, :6] += 0.3 * Y[:, None]
X[:, 50] = 1  # constant


@pytest.mark.parametrize("ranker", [TTest(), TTest(moderation="shrunken"), FStatistic()])
@pytest.mark.parametrize("weights", [None, np.arange(30.0)])
def test_moments_by_blocks_are_those_of_the_whole(ranker, weights, monkeypatch):
    whole = ranker.fit(X, Y, weights).feature_importances_
    monkeypatch.setattr(_moments, "BLOCK_CELLS", 7 * 30)
    blocks = ranker.fit(X, Y, weights).feature_importances_
    np.testing.assert_allclose(blocks, whole, rtol=1e-12)


@pytest.mark.parametrize("weights", [None, RNG.random(30) + 0.5])
@pytest.mark.parametrize("blas", [0, 10**9])
@pytest.mark.parametrize("gram_rows", [10, 500])  # with the rows themselves at the end, or not
def test_svm_rfe_in_single_precision_ranks_as_in_double(weights, blas, gram_rows, monkeypatch):
    double = SVMRFE().fit(X, Y, weights)
    monkeypatch.setattr(_svm, "SINGLE_CELLS", 100)
    monkeypatch.setattr(_svm_elimination, "BLOCK_CELLS", 7 * 30)
    monkeypatch.setattr(_svm_elimination, "BLAS_WORK", blas)
    monkeypatch.setattr(_svm_elimination, "GRAM_ROWS", gram_rows)
    single = SVMRFE().fit(X, Y, weights)
    best = double.ranking_ <= 20
    assert np.array_equal(single.ranking_[best], double.ranking_[best])
    np.testing.assert_allclose(single.feature_importances_, double.feature_importances_, atol=0.06)
    taken = SVMRFE().fit(X.astype(np.float64), Y, weights)
    assert np.array_equal(taken.ranking_, double.ranking_)
