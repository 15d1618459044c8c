"""SVM-RFE against a plain loop, scikit-learn's RFE, and its control (docs/control-finding.md)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.feature_selection import RFE
from sklearn.svm import SVC

from backstay import InstanceWeighted, LogisticWeighting, MarginWeighting, UniformWeighting
from backstay._kernels._svm import one_vs_one_duals
from backstay.datasets import make_han_yu
from backstay.ensemble import BaggedRanker
from backstay.feature_weighting import SVMRFE
from backstay.feature_weighting import _svm_elimination as module
from backstay.stability import stability_score
from reference.svm import minmax, svm_rfe


def table(seed, n, d, n_classes):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    X = rng.normal(size=(n, d))
    X[:, : max(1, d // 4)] += y[:, None]
    return X, y, rng


def hard_margin_pair():
    # Two points: w = 2 (x₁ − x₀)/‖x₁ − x₀‖² = (0.8, 0.4) unless a cost is lower than α = 0.4.
    return np.array([[0.0, 0.0], [2.0, 1.0]]), np.array([0, 1])


def test_hand_worked_pair():
    X, y = hard_margin_pair()
    for costs, alpha in (([10.0, 10.0], 0.4), ([10.0, 0.1], 0.1)):
        duals = np.zeros((1, 2))
        one_vs_one_duals(X @ X.T, np.array([0, 1, 2]), np.array(costs), 1e-3, 10**6, duals)
        np.testing.assert_allclose(duals, [[alpha, -alpha]])
    ranker = SVMRFE(scaling=None, record_path=True).fit(X, y)
    assert ranker.ranking_.tolist() == [1, 2]
    np.testing.assert_allclose(ranker.path_[0].weights, [2 / 3, 1 / 3])
    assert [r.features.tolist() for r in ranker.path_] == [[0, 1], [0]]
    assert svm_rfe(X, y, C=10.0)[0].tolist() == [1, 2]


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(8, 30),
    d=st.integers(1, 50),
    n_classes=st.integers(2, 4),
    step=st.sampled_from([0.1, 0.35, 0.8, 1, 3]),
    rounding=st.sampled_from(["down", "up"]),
    weighted=st.booleans(),
    C=st.sampled_from([0.01, 1.0, 30.0]),
)
def test_equals_the_plain_loop(seed, n, d, n_classes, step, rounding, weighted, C):
    """Both sides of n = d, several classes, weights with zeros."""
    X, y, rng = table(seed, n, d, n_classes)
    omega = None
    rows = np.arange(n)
    if weighted:
        omega = rng.exponential(size=n)
        omega[rng.permutation(n)[: n // 8]] = 0.0
        rows = np.flatnonzero(omega)
        if len(np.unique(y[rows])) < 2:
            return
    how = {"C": C, "step": step, "rounding": rounding, "tol": 1e-3}
    expected, path = svm_rfe(
        minmax(X[rows]), y[rows], None if omega is None else omega[rows], **how
    )
    ranker = SVMRFE(**how, record_path=True).fit(X, y, omega)
    assert ranker.ranking_.tolist() == expected.tolist()
    for found, loop in zip(ranker.path_, path, strict=False):
        assert found.features.tolist() == sorted(loop)
        np.testing.assert_allclose(found.weights, [loop[j] for j in sorted(loop)], atol=1e-6)
    assert len(ranker.path_) == len(path) + 1
    assert len(ranker.path_[-1].features) == 1


@pytest.mark.parametrize(("step", "keep"), [(1, 5), (7, 12), (30, 40)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_selects_what_scikit_learns_rfe_selects(step, keep, n_classes):
    X, y, _ = table(step, 60, 150, n_classes)
    scaled = minmax(X)
    rfe = RFE(SVC(kernel="linear"), n_features_to_select=keep, step=step).fit(scaled, y)
    ours = SVMRFE(step=step, tol=1e-3, n_features_to_select=keep).fit(X, y)
    assert ours.get_support(indices=True).tolist() == rfe.get_support(indices=True).tolist()


@pytest.mark.parametrize("d", [400, 3000])
def test_published_setting_on_han_yu(d):
    X, y, _ = make_han_yu(n_features=d, n_relevant=40, random_state=d)
    expected, _ = svm_rfe(minmax(X), y)
    assert SVMRFE(tol=1e-3).fit(X, y).ranking_.tolist() == expected.tolist()


def test_rounding_up_gives_the_published_numbers_of_features():
    """1000 to 10 in 40 rounds, nearest to 50 at the 28th [HY V]; tenths of tens stay whole."""
    X, y, _ = make_han_yu(30, n_features=1000, n_relevant=40, random_state=0)
    ranker = SVMRFE(rounding="up", record_path=True).fit(X, y)
    sizes = [len(r.features) for r in ranker.path_]
    assert sizes[:4] == [1000, 900, 810, 729]
    assert sizes[40] == 10
    assert min(range(len(sizes)), key=lambda t: abs(sizes[t] - 50)) == 28
    # The kernel that does all rounds by itself drops as many.
    fast = SVMRFE(rounding="up").fit(X, y)
    assert fast.ranking_.tolist() == ranker.ranking_.tolist()
    assert fast.ranking_.tolist() != SVMRFE().fit(X, y).ranking_.tolist()
    for d, left in ((30, 27), (31, 27)):
        path = SVMRFE(rounding="up", record_path=True).fit(X[:, :d], y).path_
        assert len(path[1].features) == left


def test_steps_of_the_solver_are_those_of_libsvm():
    X, y, rng = table(3, 80, 200, 3)
    omega = rng.uniform(0.1, 2.0, 80)
    order = np.argsort(y, kind="stable")
    rows = X[order]
    duals = np.zeros((3, 80))
    starts = np.concatenate([[0], np.cumsum(np.bincount(y))])
    steps = one_vs_one_duals(rows @ rows.T, starts, omega[order], 1e-3, 10**6, duals)
    machine = SVC(kernel="linear").fit(X, y, sample_weight=omega)
    assert steps == machine.n_iter_.max()
    np.testing.assert_allclose(np.abs(duals @ rows), np.abs(machine.coef_), atol=1e-12)


def test_one_machine_meets_the_optimality_conditions():
    """Stationarity of the dual itself, without libsvm: no pair of rows gains more than tol."""
    X, y, rng = table(5, 40, 60, 2)
    rows, costs = X[np.argsort(y, kind="stable")], rng.uniform(0.001, 0.05, 40)
    sign = np.repeat([1.0, -1.0], 20)
    duals = np.zeros((1, 40))
    one_vs_one_duals(rows @ rows.T, np.array([0, 20, 40]), costs, 1e-6, 10**6, duals)
    alpha = sign * duals[0]
    assert abs(duals.sum()) < 1e-12
    assert (alpha >= 0).all()
    assert (alpha <= costs).all()
    slope = sign * (1.0 - sign * (rows @ (duals[0] @ rows)))
    can_rise = np.where(sign > 0, alpha < costs, alpha > 0)
    can_fall = np.where(sign > 0, alpha > 0, alpha < costs)
    assert 0 < (alpha == costs).sum() < 40
    assert slope[can_rise].max() - slope[can_fall].min() < 1e-5


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(3, 40),
    d=st.integers(1, 40),
    kind=st.sampled_from(["normal", "booleans", "copies", "weights"]),
    C=st.sampled_from([0.01, 1.0, 100.0, 1e6]),
)
def test_a_tight_tolerance_meets_the_optimality_conditions(seed, n, d, kind, C):
    """From 0 and from the solution on other features; also where no line separates the classes."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2, (n, d)).astype(float) if kind == "booleans" else rng.random((n, d))
    if kind == "copies":
        rows = rows[rng.integers(0, n, n)]
    costs = C * (rng.exponential(size=n) if kind == "weights" else np.ones(n))
    first = int(rng.integers(1, n))
    sign, starts = np.repeat([1.0, -1.0], [first, n - first]), np.array([0, first, n])
    warm = np.zeros((1, n))
    one_vs_one_duals(rows[:, 1:] @ rows[:, 1:].T, starts, costs, 1e-8, 10**5, warm)
    weights = []
    for duals in (np.zeros((1, n)), warm):
        steps = one_vs_one_duals(rows @ rows.T, starts, costs, 1e-8, 10**5, duals)
        assert steps < 10**5
        alpha = sign * duals[0]
        assert abs(duals.sum()) <= 1e-12 * n * C
        assert (alpha >= 0).all()
        assert (alpha <= costs).all()
        slope = sign - rows @ (duals[0] @ rows)
        can_rise = np.where(sign > 0, alpha < costs, alpha > 0)
        can_fall = np.where(sign > 0, alpha > 0, alpha < costs)
        if can_rise.any() and can_fall.any():
            rounding = 1e-13 * np.abs(rows @ rows.T).max() * max(1.0, alpha.sum())
            assert slope[can_rise].max() - slope[can_fall].min() < 2e-8 + rounding
        weights.append(duals[0] @ rows)
    np.testing.assert_allclose(*weights, atol=1e-6)


def test_a_huge_c_on_data_that_no_line_separates_ends():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (20, 9)), np.tile([0, 1], 10)
    exact = SVMRFE(C=1e12).fit(X, y)
    assert sorted(exact.ranking_) == list(range(1, 10))
    with pytest.warns(ConvergenceWarning, match=r"max_iter=10000 steps in \d of 9 rounds"):
        SVMRFE(C=1e12, tol=1e-3, max_iter=10_000).fit(X, y)


def best_ten(tol, X, y):
    return set(np.argsort(SVMRFE(tol=tol).fit(X, y).ranking_)[:10])


def test_the_default_finds_what_the_exact_solution_finds(monkeypatch):
    """With rows fewer than features, and on the other side, by products and by rows."""
    data = [make_han_yu(40, n_features=200, random_state=seed)[:2] for seed in range(5)]
    exact = [best_ten(1e-12, X, y) for X, y in data]
    assert [best_ten("auto", X, y) for X, y in data] == exact
    assert [best_ten(1e-3, X, y) for X, y in data] != exact
    for n, most in ((39, 500), (41, 500), (41, 40)):
        X, y, _ = table(6, n, 40, 2)
        monkeypatch.setattr(module, "GRAM_ROWS", most)
        for record in (True, False):
            default, given = (SVMRFE(tol=tol, record_path=record) for tol in ("auto", 1e-8))
            np.testing.assert_array_equal(
                default.fit(X, y).feature_importances_, given.fit(X, y).feature_importances_
            )


def test_a_tight_tolerance_is_reached_with_fewer_features_than_rows():
    """In single precision, as libsvm has it, these take up to a million steps."""
    starts, costs = np.array([0, 20, 40]), np.full(40, 100.0)
    for seed in range(30):
        rows, duals = 3 + np.random.default_rng(seed).random((40, 2)).round(1), np.zeros((1, 40))
        assert one_vs_one_duals(rows @ rows.T, starts, costs, 1e-8, 10**6, duals) < 10_000


def test_machines_whose_face_is_determined_end_near_the_tolerance():
    """As many rows free as features and one: rounding keeps the gap above a tight tolerance."""
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(0)
    most = 0
    for draw in range(38):
        labels = rng.permutation(y)
        rows = np.sort(rng.choice(len(y), 379, replace=False))
        if draw in (32, 37):  # these took all steps
            most = max(most, SVMRFE().fit(X[rows], labels[rows]).n_iter_)
    assert most < 50_000


def test_copies_of_a_feature_tie_and_the_later_goes_first():
    X, y, _ = table(1, 20, 60, 2)
    X[:, 41] = X[:, 50]
    X[:, 17] = X[:, 50]
    for d in (60, 12):  # Gram matrix, plain features
        Z = X[:, :d].copy()
        Z[:, d - 1] = Z[:, 2]
        for step in (1, 0.5):
            ranker = SVMRFE(step=step).fit(Z, y)
            assert ranker.ranking_[2] < ranker.ranking_[d - 1]
    # Dropped in the same round, all three share one importance.
    importances = SVMRFE(step=59).fit(X, y).feature_importances_
    assert importances[17] == importances[41] == importances[50] < 1.0


def test_constant_features_come_last_in_column_order():
    X, y, _ = table(2, 15, 30, 2)
    X[:, [4, 9, 20]] = 7.0
    ranking = SVMRFE(step=1).fit(X, y).ranking_
    assert ranking[[4, 9, 20]].tolist() == [28, 29, 30]
    everything_constant = SVMRFE(record_path=True).fit(np.ones((6, 4)), [0, 1, 0, 1, 0, 1])
    assert everything_constant.ranking_.tolist() == [1, 2, 3, 4]
    assert everything_constant.path_[0].weights.tolist() == [0.0] * 4


def test_shared_gram_matrix_changes_nothing():
    X, y, _ = table(8, 40, 90, 3)
    ranker = SVMRFE(scaling=None)
    shared = BaggedRanker(ranker, 4, random_state=0).fit(X, y)
    for rows, weights in zip(shared.estimators_samples_, shared.weights_, strict=True):
        alone = ranker.fit(X[rows], y[rows]).feature_importances_
        np.testing.assert_array_equal(alone, weights)


@pytest.mark.parametrize("spread", [0, 6])
def test_downdated_gram_matrix_stays_exact(spread):
    """Even where the features dropped first are 10¹² times larger in square."""
    X, y, rng = table(9, 30, 400, 2)
    X *= 10.0 ** np.sort(rng.uniform(-spread, spread, 400))
    machines = module._Machines(X, y, np.ones(30), 1e-3, None)
    while machines.remaining > 1:
        largest = np.zeros(machines.remaining, bool)
        largest[np.argsort(-machines.features[: machines.remaining])[:3]] = True
        if largest.all():
            break
        machines.drop(largest)
        rest = machines.rows[:, : machines.remaining]
        exact = rest @ rest.T
        assert np.abs(machines.gram - exact).max() <= 1e-12 * np.abs(exact).max()


def test_large_products_through_blas_agree(monkeypatch):
    X, y, _ = table(10, 40, 300, 2)
    expected = SVMRFE().fit(X, y).ranking_
    monkeypatch.setattr(module, "BLAS_WORK", 0)
    assert SVMRFE().fit(X, y).ranking_.tolist() == expected.tolist()


@pytest.mark.parametrize("scaling", ["minmax", "standard", None])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scaling_and_precision(scaling, dtype):
    X, y, _ = table(11, 40, 60, 2)
    X = (X * np.linspace(0.2, 5.0, 60)).astype(dtype)
    Z = X.astype(np.float64)
    if scaling == "minmax":
        Z = minmax(Z)
    elif scaling == "standard":
        Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    ranker = SVMRFE(scaling=scaling, tol=1e-3).fit(X, y)
    assert ranker.ranking_.tolist() == svm_rfe(Z, y)[0].tolist()


def test_path_as_one_table():
    X, y, _ = table(17, 30, 40, 3)
    ranker = SVMRFE(step=0.3, record_path=True).fit(X, y)
    weights = ranker.path_matrix()
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    for row, (features, _) in zip(weights, ranker.path_, strict=True):
        assert np.flatnonzero(row).tolist() == features.tolist()
    with pytest.raises(NotFittedError, match="record_path=True"):
        SVMRFE().fit(X, y).path_matrix()


def test_mass_of_the_weights_is_regularisation():
    X, y, _ = table(12, 40, 80, 2)
    weak = SVMRFE(C=1.0).fit(X, y, np.full(40, 1 / 40))
    assert weak.ranking_.tolist() == SVMRFE(C=1 / 40).fit(X, y).ranking_.tolist()
    assert weak.ranking_.tolist() != SVMRFE(C=1.0).fit(X, y).ranking_.tolist()


def test_a_cost_of_1_over_n_is_that_of_equal_weights_summing_to_1():
    X, y, _ = make_han_yu(n_samples=40, n_features=60, n_relevant=10, random_state=3)
    shared = SVMRFE(C="1/n").fit(X, y).ranking_
    control = InstanceWeighted(SVMRFE(), UniformWeighting(scale="sum")).fit(X, y)
    assert np.array_equal(shared, SVMRFE(C=1 / 40).fit(X, y).ranking_)
    assert np.array_equal(shared, control.ranking_)
    omega = np.linspace(0, 2, 40)
    weighted = SVMRFE(C="1/n").fit(X, y, omega).ranking_
    assert np.array_equal(weighted, SVMRFE(C=1 / omega.sum()).fit(X, y, omega).ranking_)
    assert np.array_equal(weighted, SVMRFE(C="1/n").fit(X, y, omega * 2.0**1022).ranking_)


def test_bagged_fits_share_the_cost_among_the_rows_drawn():
    X, y, _ = make_han_yu(n_samples=40, n_features=60, n_relevant=10, random_state=3)
    bags = [BaggedRanker(SVMRFE(C=C), random_state=0).fit(X, y) for C in ("1/n", 1 / 40)]
    assert np.array_equal(bags[0].ranking_, bags[1].ranking_)


def test_zero_weight_means_absent():
    X, y, _ = table(13, 40, 60, 2)
    X[-5:] *= 50.0  # would change the scaling
    omega = np.r_[np.ones(35), np.zeros(5)]
    with_zeros = SVMRFE().fit(X, y, omega)
    assert with_zeros.ranking_.tolist() == SVMRFE().fit(X[:35], y[:35]).ranking_.tolist()


@pytest.mark.parametrize("strategy", ["native", "sample", "order"])
@pytest.mark.parametrize("weighting", [MarginWeighting(), LogisticWeighting()])
def test_under_instance_weighting(strategy, weighting):
    X, y, relevance = make_han_yu(60, n_features=100, n_relevant=20, random_state=0)
    ranker = InstanceWeighted(
        SVMRFE(C=0.01, n_features_to_select=20), weighting, strategy=strategy, random_state=0
    ).fit(X, y)
    assert relevance[ranker.get_support()].astype(bool).mean() > 0.8


def test_control_of_spec_13_1():
    """Weights summing to 1 stabilise SVM-RFE, and so do equal weights summing to 1."""
    keep, runs = 20, 15
    base = SVMRFE(n_features_to_select=keep)
    methods = {
        "plain": base,
        "weighted": InstanceWeighted(base, MarginWeighting(scale="sum")),
        "control": InstanceWeighted(base, UniformWeighting(scale="sum")),
        "weighted, mean 1": InstanceWeighted(base, MarginWeighting(scale="mean")),
    }
    data = [make_han_yu(60, n_features=200, n_relevant=keep, random_state=r) for r in range(runs)]
    scores = {}
    for name, method in methods.items():
        supports = [method.fit(X, y).get_support() for X, y, _ in data]
        scores[name] = stability_score(np.array(supports), measure="kuncheva")
    for one, other in (("weighted", "control"), ("control", "weighted")):
        low, high = scores[one].confidence_interval
        assert low <= scores[other].value <= high
    ceiling = max(scores[p].confidence_interval[1] for p in ("plain", "weighted, mean 1"))
    for name in ("weighted", "control"):
        assert scores[name].confidence_interval[0] > ceiling + 0.3


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"C": 0.0}, "C"),
        ({"C": -1}, "C"),
        ({"step": 0}, "step"),
        ({"step": 1.5}, "step"),
        ({"step": "10%"}, "step"),
        ({"scaling": "robust"}, "scaling"),
        ({"tol": 0}, "tol"),
        ({"tol": "exact"}, "tol"),
        ({"max_iter": 0}, "max_iter"),
        ({"record_path": "yes"}, "record_path"),
        ({"n_features_to_select": 50}, "n_features_to_select"),
    ],
)
def test_bad_parameters_are_named(parameters, named):
    X, y, _ = table(14, 20, 10, 2)
    with pytest.raises(ValueError, match=named):
        SVMRFE(**parameters).fit(X, y)


def test_bad_data_are_explained():
    X, y, _ = table(15, 20, 30, 2)
    with pytest.raises(ValueError, match="one class only, 1"):
        SVMRFE().fit(X, y, (y == 1).astype(float))
    with pytest.raises(ValueError, match="Negative values in sample_weight"):
        SVMRFE().fit(X, y, np.where(y == 1, -1.0, 1.0))
    with pytest.raises(ValueError, match="1 class"):
        SVMRFE().fit(X, np.zeros(20, int))


def test_a_machine_that_does_not_converge_says_so(monkeypatch):
    X, y, _ = table(16, 20, 30, 2)
    for n_rows in (0, module.GRAM_ROWS):
        monkeypatch.setattr(module, "GRAM_ROWS", n_rows)
        for Z in (X, X[:, :10]):
            for tol in (1e-3, 1e-8):
                with pytest.warns(ConvergenceWarning, match=r"max_iter=1 steps in \d of \d rounds"):
                    SVMRFE(step=0.9, max_iter=1, tol=tol).fit(Z, y)
