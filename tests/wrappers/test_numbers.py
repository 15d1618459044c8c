"""Searches for numbers against scikit-learn's regressors, fitted from scratch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from backstay import SequentialSelector
from backstay.wrappers._evaluator import FastInducer
from backstay.wrappers._regression import PooledR2

SCALERS = {"minmax": [MinMaxScaler()], "standard": [StandardScaler()], None: []}


def model(name, scaling):
    """The scikit-learn estimator that a built-in inducer stands for."""
    if name == "ridge":
        return make_pipeline(*SCALERS[scaling], Ridge())
    k = 1 if name == "1nn" else int(name.removeprefix("knn:"))
    knn = KNeighborsRegressor(k, algorithm="kd_tree", leaf_size=2**31 - 1)
    return make_pipeline(*SCALERS[scaling], knn)


def pooled_r2(estimator, X, y, folds):
    """R² over the test rows of all folds; 0 without features."""
    if X.shape[1] == 0:
        return 0.0
    errors = total = 0.0
    for train, test in folds:
        predicted = estimator.fit(X[train], y[train]).predict(X[test])
        errors += ((y[test] - predicted) ** 2).sum()
        total += ((y[test] - y[train].mean()) ** 2).sum()
    return 1 - errors / total


def test_the_score_by_hand():
    # Fold 1 trains on 0, 2 and predicts 1 for 4; fold 2 trains on 2, 4 (mean 3) and predicts 0.
    y, folds = np.array([0.0, 2.0, 4.0]), [(np.array([0, 1]), np.array([2])),
                                          (np.array([1, 2]), np.array([0]))]  # fmt: skip
    score = PooledR2.of(y, folds)
    assert score.total == (9 + 9) / 2

    class Fixed:
        def predict(self, X):
            return np.full(len(X), 3.0)

    shares = [score(Fixed(), np.zeros((1, 1)), y[test]) for _, test in folds]
    assert np.mean(shares) == pytest.approx(1 - (1 + 9) / 18)
    assert pooled_r2(LinearRegression(), y[:, None], y, folds) == pytest.approx(1)


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["1nn", "knn:2", "knn:3", "ridge"]),
    st.sampled_from(["minmax", None]),
    st.booleans(),
    st.booleans(),
    st.integers(0, 10**6),
)
def test_inducers_equal_scikit_learn(name, scaling, ties, grouped, seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(12, 30)), 5
    X = rng.integers(0, 4, size=(n, d)) * 1.0 if ties else rng.normal(size=(n, d))
    y = X[:, 0] + rng.normal(size=n)
    folds = list(KFold(2, shuffle=True, random_state=seed % 1000).split(X))
    inducer = FastInducer(name, X, y, folds, scaling, None, PooledR2.of(y, folds).total)
    subset = np.array([0, 2])
    units = [np.array([1]), np.array([3]), np.array([4])]
    units = [np.array([1, 3]), np.array([4])] if grouped else units
    found = inducer.scores(subset, units, True).mean(axis=1)
    expected = [
        pooled_r2(model(name, scaling), X[:, np.sort([*subset, *unit])], y, folds) for unit in units
    ]
    assert found == pytest.approx(expected, abs=1e-9)
    everything = np.arange(d)
    found = inducer.scores(everything, units, False).mean(axis=1)
    expected = [
        pooled_r2(model(name, scaling), X[:, np.setdiff1d(everything, unit)], y, folds)
        for unit in units
    ]
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("estimator", ["1nn", "knn:3", "ridge", LinearRegression()])
@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_a_search_equals_a_loop(estimator, direction):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5))
    y = 3 * X[:, 1] - 2 * X[:, 3] + 0.3 * rng.normal(size=40) + 100
    cv = list(KFold(4, shuffle=True, random_state=0).split(X))
    selector = SequentialSelector(estimator, direction=direction, cv=cv).fit(X, y)
    own = model(estimator, "minmax") if isinstance(estimator, str) else estimator
    columns = [] if direction == "forward" else list(range(5))
    scores = [pooled_r2(own, X[:, columns], y, cv)]
    for _ in range(5 if direction == "forward" else 4):
        others = range(5) if direction == "forward" else list(columns)
        tried = {
            j: pooled_r2(own, X[:, sorted(set(columns) ^ {j})], y, cv)
            for j in others
            if direction == "backward" or j not in columns
        }
        best = max(tried, key=lambda j: (tried[j], -j))
        columns = sorted(set(columns) ^ {best})
        scores.append(tried[best])
    assert selector.path_["score"].to_numpy() == pytest.approx(scores, abs=1e-9)
    assert set(np.argsort(selector.ranking_)[:2]) == {1, 3}
    assert not hasattr(selector, "classes_")


def test_other_scores_folds_and_outcomes():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 3))
    y = X[:, 2] + 0.1 * rng.normal(size=30)
    for scoring in ("neg_mean_absolute_error", "r2"):
        selector = SequentialSelector("knn:3", scoring=scoring, cv=3).fit(X, y)
        assert selector.ranking_[2] == 1
    assert SequentialSelector("ridge", random_state=0).fit(X, y).ranking_[2] == 1
    with pytest.raises(ValueError, match="takes classes as outcome, but y holds numbers"):
        SequentialSelector("lda").fit(X, y)
    with pytest.raises(ValueError, match="takes classes as outcome, but y holds numbers"):
        SequentialSelector("1nn", criterion="remainder").fit(X, y)
    with pytest.raises(ValueError, match="takes numbers as outcome, but y holds classes"):
        SequentialSelector("ridge").fit(X, np.where(y > 0, "ill", "well"))
    with pytest.raises(ValueError, match="cv=31 needs as many rows; y has 30"):
        SequentialSelector("ridge", cv=31).fit(X, y)
    with pytest.raises(ValueError, match="fold 0 has 1 rows in 1 training rows, and 2 test rows"):
        SequentialSelector("ridge", cv=[([0], [1, 2])]).fit(X, y)
    with pytest.warns(UserWarning, match="no single feature predicts better than the mean"):
        SequentialSelector("1nn", n_features_to_select="until_no_gain", cv=3).fit(
            rng.normal(size=(30, 2)), y
        )
