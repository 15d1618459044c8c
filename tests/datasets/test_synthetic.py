import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from backstay.datasets import make_han_yu, make_regression_blocks, make_xor


def test_han_yu_has_its_means_and_correlations():
    X, y, relevance = make_han_yu(n_samples=20000, n_features=70, random_state=0)
    assert_array_equal(relevance, np.r_[np.full(50, 0.02), np.zeros(20)])
    assert_array_equal(y, X @ relevance > 0)
    noise = np.corrcoef(X[:, 50:].T)
    assert_allclose(noise[:10, :10][~np.eye(10, dtype=bool)], 0.8, atol=0.02)
    assert_allclose(noise[:10, 10:], 0.0, atol=0.04)
    assert_allclose(X[:, 50:].std(axis=0), 1.0, atol=0.03)
    # A mixture of means ±½: variance 1 + ¼ and covariance ¼ even across blocks.
    assert_allclose(X[:, :50].var(axis=0), 1.25, atol=0.06)
    assert_allclose(np.cov(X[:, :50].T)[0, 10:20], 0.25, atol=0.04)


def test_han_yu_halves_are_balanced():
    _, y, _ = make_han_yu(n_samples=100, shift=50.0, random_state=1)
    assert (y == 1).sum() == 50  # far apart, the label is the half


def test_xor_is_the_parity_of_the_first_features():
    X, y, relevance = make_xor(n_samples=5000, n_relevant=2, random_state=0)
    assert_array_equal(y, (X[:, 0] > 0) ^ (X[:, 1] > 0))
    assert_array_equal(relevance > 0, np.arange(10) < 2)
    for j in range(10):  # no feature says anything alone
        assert abs(np.corrcoef(X[:, j], y)[0, 1]) < 0.05


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_regression_blocks_have_their_signal(share):
    X, y, relevance = make_regression_blocks(
        20000, n_features=60, interaction=share, explained=0.8, random_state=0
    )
    assert_array_equal(relevance, np.r_[np.full(40, 0.025), np.zeros(20)])
    assert_allclose(np.corrcoef(X.T)[0, 1:10], 0.8, atol=0.02)
    assert_allclose(y.var(), 1.0, atol=0.05)
    a, b = X[:, :20].mean(axis=1), X[:, 20:40].mean(axis=1)
    signal = np.column_stack([a + b, a * b])
    explained = [np.corrcoef(part, y)[0, 1] ** 2 for part in signal.T]
    assert_allclose(explained, [0.8 * (1 - share), 0.8 * share], atol=0.02)
    alone = [abs(np.corrcoef(x, y)[0, 1]) for x in X.T]
    assert max(alone[40:]) < 0.03
    assert (max(alone[:40]) < 0.05) == (share == 1.0)  # a product hides its features


@pytest.mark.parametrize("make", [make_han_yu, make_regression_blocks, make_xor])
def test_seeded(make):
    first, again = make(random_state=3), make(random_state=3)
    for a, b in zip(first, again, strict=True):
        assert_array_equal(a, b)
    assert (make(random_state=4)[0] != first[0]).any()


@pytest.mark.parametrize(
    ("make", "parameters", "message"),
    [
        (make_han_yu, {"n_samples": 1}, "n_samples=1"),
        (make_han_yu, {"n_features": 20}, "n_relevant=50"),
        (make_han_yu, {"block_size": 7}, "block_size=7"),
        (make_han_yu, {"correlation": 1.0}, "correlation=1.0"),
        (make_regression_blocks, {"block_size": 25}, "block_size=25"),
        (make_regression_blocks, {"n_relevant": 39}, "half of n_relevant=39"),
        (make_regression_blocks, {"interaction": 1.5}, "interaction=1.5"),
        (make_regression_blocks, {"explained": 0.0}, "explained=0.0"),
        (make_xor, {"n_samples": 0}, "n_samples=0"),
        (make_xor, {"n_relevant": 11}, "n_relevant=11"),
    ],
)
def test_bad_parameters(make, parameters, message):
    with pytest.raises(ValueError, match=message):
        make(**parameters)
