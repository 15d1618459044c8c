"""Rankers that take classes and numbers, on numbers: against scikit-learn, and loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import (
    ExtraTreesRegressor,
    RandomForestRegressor,
)
from sklearn.linear_model import ElasticNet, enet_path

from backstay import (
    MRMR,
    BorutaRanker,
    ElasticNetRanker,
    ForestImportance,
    LassoPath,
    PermutationImportance,
)
from backstay.base import dealt_folds


def data(n=60, d=8, seed=0):
    """Features 0 and 1 matter; the first most."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, 3 * X[:, 0] - 2 * X[:, 1] + 0.5 * rng.normal(size=n) + 10.0


def standard(v, omega=None):
    mean = np.average(v, axis=0, weights=omega)
    return (v - mean) / np.sqrt(np.average((v - mean) ** 2, axis=0, weights=omega))


def test_the_path_of_one_feature_by_hand():
    # Standardised both are ±1 and agree in 6 of 8 rows: Σzy/n = 1/2, and β = 1/2 - λ.
    x, y = np.tile([-1.0, 1.0], 4), np.array([0, 1, 0, 1, 0, 1, 1, 0]) * 0.5 + 7
    ranker = LassoPath(lambdas=[0.6, 0.1], tol=1e-10).fit(x[:, None] * 5 + 3, y)
    assert ranker.coef_ == pytest.approx(0.5 - 0.1)
    assert ranker.selection_path_.tolist() == [[False], [True]]
    assert ranker.feature_importances_ == pytest.approx(0.1 / 0.5)
    # The elastic net divides by 1 + λ(1 - α).
    ranker = ElasticNetRanker(0.5, lambdas=[0.1], tol=1e-10).fit(x[:, None], y)
    assert ranker.coef_ == pytest.approx((0.5 - 0.05) / 1.05)


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from([(40, 6), (25, 60)]),
    st.sampled_from([1.0, 0.5, 0.2]),
    st.integers(0, 10**6),
)
def test_paths_are_scikit_learns(shape, l1_ratio, seed):
    X, y = data(*shape, seed)
    ranker = ElasticNetRanker(l1_ratio, tol=1e-9).fit(X, y)
    Z, v = standard(X), standard(y)
    lambdas, coefs, _ = enet_path(
        Z, v, l1_ratio=l1_ratio, alphas=ranker.lambdas_, tol=1e-10, max_iter=100_000
    )
    assert lambdas == pytest.approx(ranker.lambdas_)
    assert ranker.coef_[0] == pytest.approx(coefs[:, -1], abs=1e-5)
    clear = (np.abs(coefs) > 1e-4) | (coefs == 0)  # a coefficient near 0 may be on either side
    assert (ranker.selection_path_ == (coefs.T != 0))[clear.T].all()
    entry = ranker.selection_path_.argmax(axis=0)[ranker.selection_path_.any(axis=0)]
    assert ranker.n_ranked_ == len(entry)
    assert ranker.selection_path_[0].sum() <= 1


def test_weights_on_the_path_are_scikit_learns():
    X, y = data()
    omega = np.random.default_rng(3).exponential(size=len(y))
    ranker = ElasticNetRanker(0.5, lambdas=[0.3, 0.05], tol=1e-10).fit(X, y, omega)
    model = ElasticNet(0.05, l1_ratio=0.5, tol=1e-12, max_iter=100_000)
    model.fit(standard(X, omega), standard(y, omega), sample_weight=omega)
    assert ranker.coef_[0] == pytest.approx(model.coef_, abs=1e-7)


def correlation(a, b, omega):
    a, b = a - np.average(a, weights=omega), b - np.average(b, weights=omega)
    return abs(omega @ (a * b)) / np.sqrt((omega @ a**2) * (omega @ b**2))


def state(x, omega):
    mean = np.average(x, weights=omega)
    half = np.sqrt(np.average((x - mean) ** 2, weights=omega)) / 2
    return [int(v > half) - int(v < -half) for v in x - mean]


def information(a, b, omega):
    total, found = omega.sum(), 0.0
    for u in (-1, 0, 1):
        for v in (-1, 0, 1):
            rows = np.array([p == u and q == v for p, q in zip(a, b, strict=True)])
            joint = omega[rows].sum() / total
            of_a = omega[np.array(a) == u].sum() / total
            of_b = omega[np.array(b) == v].sum() / total
            found += joint * np.log(joint / (of_a * of_b)) if joint > 0 else 0.0
    return found


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(["f_ratio", "mutual_information"]),
    st.sampled_from(["difference", "quotient"]),
    st.booleans(),
    st.integers(0, 10**6),
)
def test_mrmr_equals_a_loop(measure, form, weighted, seed):
    X, y = data(20, 6, seed)
    omega = np.random.default_rng(seed).exponential(size=20) + 0.1 if weighted else np.ones(20)
    omega *= max(1.0, 20 / omega.sum())
    like = correlation
    columns, outcome = list(X.T), y
    if measure == "mutual_information":
        like, columns = information, [state(x, omega) for x in X.T]
        outcome = state(y, omega)
    relevance = [like(x, outcome, omega) for x in columns]
    order = [int(np.argmax(relevance))]
    while len(order) < 6:
        values = {}
        for j in set(range(6)) - set(order):
            mean = np.mean([like(columns[j], columns[k], omega) for k in order])
            values[j] = relevance[j] - mean if form == "difference" else relevance[j] / mean
        order.append(max(values, key=lambda j: (values[j], -j)))
    ranker = MRMR(measure, form=form).fit(X, y, omega if weighted else None)
    assert ranker.relevance_ == pytest.approx(relevance)
    assert np.argsort(ranker.ranking_).tolist() == order


@pytest.mark.parametrize(
    ("kind", "forest"),
    [("random_forest", RandomForestRegressor), ("extra_trees", ExtraTreesRegressor)],
)
def test_forests_are_scikit_learns(kind, forest):
    X, y = data()
    ranker = ForestImportance(10, forest=kind, random_state=0).fit(X, y)
    model = forest(10, max_features="sqrt", random_state=0).fit(X, standard(y))
    assert ranker.feature_importances_ == pytest.approx(model.feature_importances_)
    assert np.argsort(ranker.ranking_)[:2].tolist() == [0, 1]


def test_permutation_in_a_forest_equals_a_loop():
    X, y = data(40)
    ranker = PermutationImportance(n_estimators=8, n_repeats=1, random_state=3).fit(X, y)
    rng = np.random.RandomState(3)
    seed = rng.randint(2**31 - 1)
    v = standard(y)
    forest = RandomForestRegressor(8, max_features="sqrt", random_state=seed).fit(X, v)
    lost = np.zeros(X.shape[1])
    for tree, bag in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        out = [i for i in range(40) if i not in set(bag.tolist())]
        whole = np.mean((tree.predict(X[out]) - v[out]) ** 2)
        for j in sorted(set(tree.tree_.feature.tolist()) - {-2}):
            shuffled = X[out].astype(np.float32)
            shuffled[:, j] = rng.permutation(shuffled[:, j])
            lost[j] += np.mean((tree.predict(shuffled) - v[out]) ** 2) - whole
    assert ranker.feature_importances_ == pytest.approx(np.maximum(lost / 8, 0), abs=1e-6)


def test_boruta_confirms_what_matters():
    X, y = data(80, 6)
    ranker = BorutaRanker(30, max_iter=25, random_state=0).fit(X, y)
    assert ranker.decision_[:2].tolist() == ["confirmed"] * 2
    assert "confirmed" not in ranker.decision_[2:]


@given(st.integers(3, 40), st.integers(2, 10), st.integers(0, 10**6))
def test_folds_that_are_dealt_out_span_the_range(n, n_folds, seed):
    n_folds = min(n, n_folds)
    y = np.random.default_rng(seed).normal(size=n)
    folds = dealt_folds(y, n_folds, np.random.RandomState(seed))
    tested = np.concatenate([test for _, test in folds])
    assert sorted(tested) == list(range(n))
    rank = np.argsort(np.argsort(y))
    for train, test in folds:
        assert sorted([*train, *test]) == list(range(n))
        # One of every n_folds neighbours in order.
        assert len(set(rank[test] // n_folds)) == len(test)
        assert len(test) in (n // n_folds, n // n_folds + 1)


@pytest.mark.parametrize(
    "ranker",
    [
        LassoPath(),
        MRMR(),
        ForestImportance(5, random_state=0),
        PermutationImportance(n_estimators=5, random_state=0),
    ],
)
def test_the_unit_of_the_outcome_does_not_matter(ranker):
    X, y = data()
    expected = ranker.fit(X, y).feature_importances_
    for other in (y * 2.0**30, y * 2.0**-800):  # trees notice the last digit
        assert ranker.fit(X, other).feature_importances_ == pytest.approx(expected, abs=1e-6)
