"""SVM-RFE on more rows than features: the machines see the rows, not their products."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from backstay.ensemble import BaggedRanker
from backstay.feature_weighting import SVMRFE
from backstay.feature_weighting import _svm_elimination as module
from backstay.feature_weighting._svm_tall import TallMachine
from reference.svm import minmax, svm_rfe

TOL = 1e-8


def problem(seed, n, d, share=0.5, levels=None):
    """Two classes, the first first; features of a few levels make rows alike."""
    rng = np.random.default_rng(seed)
    n_first = min(max(1, round(share * n)), n - 1)
    sign = np.repeat([1.0, -1.0], [n_first, n - n_first])
    rows = rng.random((n, d)) if levels is None else rng.integers(0, levels, (n, d)).astype(float)
    rows[:, : max(1, d // 4)] += 0.4 * sign[:, None]
    return rows - rows.mean(axis=0), sign, rng


def assert_optimal(rows, sign, cost, dual, near=1.0):
    """The conditions that make a feasible point of this convex problem its solution."""
    alpha = sign * dual
    assert abs(dual.sum()) <= 1e-9 * cost.sum()
    assert (alpha >= 0).all()
    assert (alpha <= cost).all()
    pull = sign - rows @ (dual @ rows)
    can_rise, can_fall = np.where(sign > 0, [alpha < cost, alpha > 0], [alpha > 0, alpha < cost])
    rounding = 1e-15 * len(sign) * (alpha * (rows**2).sum(axis=1)).max()
    if can_rise.any() and can_fall.any():
        assert pull[can_rise].max() - pull[can_fall].min() <= near * max(TOL, rounding)


def test_hand_worked_pair():
    # Two points: w = 2 (x₁ − x₀)/‖x₁ − x₀‖² = (0.8, 0.4) unless a cost is lower than α = 0.4.
    rows, sign = np.array([[2.0, 1.0], [0.0, 0.0]]), np.array([1.0, -1.0])
    for cost, alpha in (([10.0, 10.0], 0.4), ([10.0, 0.1], 0.1)):
        dual = np.zeros(2)
        steps = TallMachine(rows, sign, np.array(cost)).solve(dual, TOL, 1000)
        assert 0 < steps < 50
        np.testing.assert_allclose(dual, [alpha, -alpha])


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 80),
    d=st.integers(1, 12),
    share=st.sampled_from([0.02, 0.3, 0.5]),
    levels=st.sampled_from([None, 2, 4]),
    C=st.sampled_from([1e-6, 0.01, 1.0, 30.0, 1e4]),
    weighted=st.booleans(),
)
def test_reaches_the_optimum_from_anywhere(seed, n, d, share, levels, C, weighted):
    rows, sign, rng = problem(seed, n, d, share, levels)
    cost = C * (rng.exponential(size=n) + 1e-3 if weighted else np.ones(n))
    dual = np.zeros(n)
    machine = TallMachine(rows, sign, cost)
    assert machine.solve(dual, TOL, 10**6) < 10**6
    assert_optimal(rows, sign, cost, dual)
    # From there it takes no step more, and from the solution for fewer features it gets back.
    again = dual.copy()
    assert TallMachine(rows, sign, cost).solve(again, TOL, 10**6) == 0
    np.testing.assert_array_equal(again, dual)
    TallMachine(rows[:, : max(1, d // 2)], sign, cost).solve(again, TOL, 10**6)
    assert TallMachine(rows, sign, cost).solve(again, TOL, 10**6) < 10**6
    assert_optimal(rows, sign, cost, again)
    size = 1.0 + np.abs(dual @ rows).max()
    np.testing.assert_allclose(dual @ rows, again @ rows, atol=1e-5 * size)


@pytest.mark.parametrize(("n", "d", "C"), [(300, 10, 1.0), (400, 40, 0.01), (60, 5, 10.0)])
def test_weights_are_those_of_libsvm(n, d, C):
    rows, sign, rng = problem(n, n, d)
    cost = C * rng.uniform(0.2, 2.0, n)
    dual = np.zeros(n)
    TallMachine(rows, sign, cost).solve(dual, TOL, 10**6)
    machine = SVC(kernel="linear", tol=1e-7).fit(rows, sign, sample_weight=cost)
    np.testing.assert_allclose(dual @ rows, machine.coef_[0], atol=1e-5)


def test_rows_that_are_all_at_their_bounds_are_seen_at_once():
    rows, sign, _ = problem(0, 200, 10)
    dual = np.zeros(200)
    assert TallMachine(rows, sign, np.full(200, 1e-5)).solve(dual, TOL, 10**6) < 10
    np.testing.assert_array_equal(dual, 1e-5 * sign)


@pytest.mark.parametrize("C", [1e6, 1e8, 1e10])
@pytest.mark.parametrize("levels", [None, 2])
def test_a_huge_c_on_data_that_no_line_separates_ends(C, levels):
    rows, _, rng = problem(1, 60, 5, levels=levels)
    sign, cost = rng.permutation(np.repeat([1.0, -1.0], 30)), np.full(60, C)
    dual = np.zeros(60)
    assert TallMachine(rows, sign, cost).solve(dual, TOL, 10**6) < 2000
    assert_optimal(rows, sign, cost, dual, near=100.0)
    assert (np.abs(dual) == C).sum() >= 30


def table(seed, n, d, n_classes=2):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)), rng.permutation(np.arange(n) % n_classes)
    X[:, : max(1, d // 3)] += 0.5 * y[:, None]
    return X, y, rng


def rankings(monkeypatch, X, y, omega=None, how=({}, {}), most=(10**6, 0)):
    """Rankings by products of all rows, and by the rows themselves."""
    found = []
    for parameters, n_rows in zip(how, most, strict=True):
        monkeypatch.setattr(module, "GRAM_ROWS", n_rows)
        found.append(SVMRFE(**parameters).fit(X, y, omega).ranking_.tolist())
    return found


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("C", [0.01, 1.0, "1/n"])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_ranking_as_by_products(monkeypatch, n_classes, C, weighted):
    for seed in range(3):
        X, y, rng = table(seed, 90, 20, n_classes)
        omega = rng.exponential(size=90) * (rng.random(90) > 0.1) if weighted else None
        by_products, by_rows = rankings(monkeypatch, X, y, omega, how=({"C": C}, {"C": C}))
        assert by_rows == by_products
        path = SVMRFE(C=C, record_path=True).fit(X, y, omega)
        assert path.ranking_.tolist() == by_rows


def test_same_ranking_as_the_plain_loop():
    """As tables of this size are ranked by default."""
    X, y, _ = table(5, module.GRAM_ROWS + 50, 12)
    assert SVMRFE().fit(X, y).ranking_.tolist() == svm_rfe(minmax(X), y, tol=1e-6)[0].tolist()


def test_goes_over_to_the_rows_once_fewer_features_are_left(monkeypatch):
    X, y, _ = table(3, 40, 90)
    by_products, by_both = rankings(monkeypatch, X, y, most=(10**6, 20), how=({"step": 0.2},) * 2)
    monkeypatch.setattr(module, "BLAS_WORK", 0)  # round by round, as for large tables
    assert SVMRFE(step=0.2).fit(X, y).ranking_.tolist() == by_both == by_products
    machines = module._Machines(X, y, np.ones(40), TOL, None)
    machines.drop(np.arange(90) >= 39)
    assert machines.gram is None
    np.testing.assert_allclose(machines.rows.mean(axis=0), 0.0, atol=1e-14)


def test_copies_tie_and_constant_features_come_last(monkeypatch):
    monkeypatch.setattr(module, "GRAM_ROWS", 0)
    X, y, _ = table(7, 120, 14)
    X[:, 9], X[:, 4] = X[:, 2], 3.0
    ranker = SVMRFE(step=1).fit(X, y)
    assert ranker.ranking_[2] < ranker.ranking_[9]
    assert ranker.ranking_[4] == 14
    importances = SVMRFE(step=13).fit(X, y).feature_importances_
    assert importances[2] == importances[9]
    assert SVMRFE().fit(np.ones((8, 3)), np.arange(8) % 2).ranking_.tolist() == [1, 2, 3]


def test_bags_of_many_rows_are_those_of_separate_fits(monkeypatch):
    monkeypatch.setattr(module, "GRAM_ROWS", 30)
    X, y, _ = table(8, 60, 10)
    rows = [BaggedRanker(SVMRFE(), 5, random_state=0, n_jobs=j).fit(X, y) for j in (1, 2)]
    np.testing.assert_array_equal(rows[0].feature_importances_, rows[1].feature_importances_)
    monkeypatch.setattr(module, "GRAM_ROWS", 10**6)
    products = BaggedRanker(SVMRFE(), 5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(rows[0].ranking_, products.ranking_)


def test_libsvms_tolerance_follows_its_steps_as_long_as_they_fit_into_memory(monkeypatch):
    X, y, _ = table(9, 70, 30)
    loop = svm_rfe(minmax(X), y)[0].tolist()
    monkeypatch.setattr(module, "GRAM_ROWS", 0)
    assert SVMRFE(tol=1e-3).fit(X, y).ranking_.tolist() == loop
    monkeypatch.setattr(module, "LIBSVM_ROWS", 0)
    machines = module._Machines(minmax(X), y, np.ones(70), 1e-3, None)
    assert machines.gram is None
    assert sorted(SVMRFE(tol=1e-3).fit(X, y).ranking_) == list(range(1, 31))


def test_a_limit_of_steps_is_said(monkeypatch):
    monkeypatch.setattr(module, "GRAM_ROWS", 0)
    X, y, _ = table(10, 60, 8)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=3 steps in \d of \d rounds"):
        SVMRFE(max_iter=3).fit(X, y)


@pytest.mark.parametrize("n_rows", [0, 10**6])
def test_weights_of_any_size_are_as_good_as_large_ones(monkeypatch, n_rows):
    monkeypatch.setattr(module, "GRAM_ROWS", n_rows)
    X, y, _ = table(11, 60, 6)
    large = SVMRFE(record_path=True).fit(X, y, np.full(60, 1e5))
    row = np.ones(60)
    row[3] = 1e5
    large_row = SVMRFE(record_path=True).fit(X, y, row)
    for size in (1e8, 1e12):
        row[3] = size
        for omega, expected in ((np.full(60, size), large), (row, large_row)):
            found = SVMRFE(record_path=True).fit(X, y, omega)
            assert found.ranking_.tolist() == expected.ranking_.tolist()
            np.testing.assert_allclose(found.path_[0].weights, expected.path_[0].weights, atol=1e-4)


def test_rows_that_leave_rounding_behind():
    """A few rows are 10¹² times larger: taken out, they would leave no digit of the others."""
    rows, sign, _ = problem(4, 200, 8)
    rows[::40] *= 1e12
    dual = np.zeros(200)
    machine = TallMachine(rows, sign, np.ones(200))
    everyone = np.ones(200, dtype=bool)
    machine._update_curvature(everyone)
    small = everyone.copy()
    small[::40] = False
    fall = np.ones(9)
    by = machine._direction(fall, small, np.ones(200), 1.0)
    exact = np.c_[rows, np.ones(200)][small]
    matrix = exact.T @ exact + np.diag(np.r_[np.ones(8), 0.0])
    np.testing.assert_allclose(by, np.linalg.solve(matrix, fall), rtol=1e-6)
    assert machine.solve(dual, TOL, 10**6) > 0
