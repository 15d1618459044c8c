import numpy as np
import pytest

from backstay.datasets import make_anti_corral, make_corral


def test_corral_is_the_concept():
    X, y, relevance = make_corral(n_samples=2000, random_state=0)
    assert X.shape == (2000, 6)
    assert set(np.unique(X)) == {0.0, 1.0}
    concept = [(a0 and a1) or (b0 and b1) for a0, a1, b0, b1 in X[:, :4].astype(bool)]
    assert np.array_equal(y, np.array(concept).astype(int))
    assert np.mean(X[:, 5] == y) == pytest.approx(0.75, abs=0.03)
    assert abs(np.corrcoef(X[:, 4], y)[0, 1]) < 0.06
    assert relevance.tolist() == [0.25, 0.25, 0.25, 0.25, 0.0, 0.0]
    assert np.array_equal(
        make_corral(50, correlation=1.0, random_state=1)[0][:, 5],
        make_corral(50, correlation=1.0, random_state=1)[1],
    )


def test_anti_corral_follows_its_formulas():
    X, y, relevance = make_anti_corral(n_samples=3000, random_state=0)
    assert np.bincount(y).tolist() == [0, 1000, 1000, 1000]
    for column, (spread, offset) in {0: (1.0, 0.0), 8: (1.0, 0.0), 9: (0.5, 0.0)}.items():
        residual = X[:, column] - y
        assert residual.mean() == pytest.approx(offset, abs=0.06)
        assert residual.std() == pytest.approx(spread, rel=0.06)
    noise = X[:, 10] - (X[:, 9] - y)
    assert noise.mean() == pytest.approx(1.0, abs=0.02)
    assert noise.std() == pytest.approx(0.2, rel=0.06)
    assert abs(np.corrcoef(X[:, 10], y)[0, 1]) < 0.06  # alone, C2 says nothing
    assert relevance.nonzero()[0].tolist() == [9, 10]


def test_seeds():
    for make in (make_corral, make_anti_corral):
        for a, b in zip(make(random_state=3), make(random_state=3), strict=True):
            assert np.array_equal(a, b)
        assert not np.array_equal(make(random_state=3)[0], make(random_state=4)[0])


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (make_corral, {"n_samples": 1}, "n_samples=1 must be at least 2"),
        (make_corral, {"correlation": 1.5}, r"correlation=1.5 must lie in \[0, 1\]"),
        (make_anti_corral, {"n_samples": 2}, "n_samples=2 must be at least 3"),
    ],
)
def test_bad_arguments(make, arguments, message):
    with pytest.raises(ValueError, match=message):
        make(**arguments)
