import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils import check_random_state

from backstay import LogisticWeighting, Relief, Simba
from backstay._kernels._distances import pad
from backstay._kernels._simba import evaluation
from backstay.datasets import make_xor
from backstay.feature_weighting._simba_ascent import hessian, newton_direction
from reference import simba as reference
from strategies import continuous_tables, instance_weights

pytestmark = pytest.mark.filterwarnings(
    "ignore:class .* has a single member:UserWarning",
    "ignore:sample_weight has no effect:UserWarning",
)


def test_reference_by_hand():
    # One visit to x = (0, 0): hit (1, 0) at 1, miss (0, 2) at 2.
    # Δ = ½((0, 4)/2 − (1, 0)/1) · 1 = (−½, 1); w = (½, 2); w²/max = (1/16, 1).
    X, y = [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]], [0, 0, 1]
    assert reference.simba(X, y, [0]) == pytest.approx([1 / 16, 1.0])
    # A single-member class has no hit, a duplicate no direction: no update.
    assert reference.simba(X, y, [2]) == [1.0, 1.0]
    assert reference.simba([[0.0], [0.0], [1.0]], [0, 0, 1], [0]) == [1.0]


def visits_of(strategy, n, omega, seed, n_epochs=1):
    """The visiting orders [Prat 8.3 and 9.3; PB 3], from the same random numbers."""
    rng = check_random_state(seed)
    visits = []
    for _ in range(n_epochs):
        if strategy == "normal":
            visits += rng.permutation(n).tolist()
        elif strategy == "order":
            visits += sorted(range(n), key=lambda i: (-omega[i], i))
        elif strategy == "sample":
            p = None if len(set(omega)) == 1 else omega / omega.sum()
            visits += rng.choice(n, size=n, p=p).tolist()
        else:
            for draw in rng.randint(n, size=(n, int(np.sqrt(n)))):
                visits.append(max(draw.tolist(), key=lambda i: omega[i]))
    return visits


@given(
    st.data(),
    continuous_tables(),
    st.sampled_from(["normal", "sample", "order", "tournament"]),
    st.booleans(),
    st.sampled_from([None, 0.5, 4.0]),
    st.booleans(),
    st.integers(1, 2),
)
def test_equals_reference(data, table, strategy, delta, beta, progressive, n_epochs):
    X, y = table
    omega = data.draw(instance_weights(len(y)))
    ranker = Simba(
        strategy=strategy,
        delta=delta,
        utility="linear" if beta is None else "sigmoid",
        beta=beta or 1.0,
        progressive=progressive,
        n_epochs=n_epochs,
        scaling=None,
        random_state=1,
    ).fit(X, y, sample_weight=omega)
    visits = visits_of(strategy, len(y), omega, 1, n_epochs)
    expected = reference.simba(
        X.tolist(), y.tolist(), visits, omega.tolist() if delta else None, beta, progressive
    )
    assert_allclose(ranker.feature_importances_, expected, rtol=1e-7, atol=1e-9)


@given(st.data(), continuous_tables(), st.sampled_from([None, 2.0]))
def test_evaluation_equals_reference(data, table, beta):
    X, y = table
    omega = data.draw(instance_weights(len(y)))
    w = np.random.default_rng(len(y)).uniform(0.1, 1.0, X.shape[1])
    gradient = np.empty(X.shape[1])
    value = evaluation(pad(X), y, omega, beta or 0.0, w, gradient)
    total, slopes = reference.evaluation(X.tolist(), y.tolist(), w.tolist(), omega.tolist(), beta)
    assert value == pytest.approx(total, abs=1e-9)
    assert_allclose(gradient, slopes, atol=1e-9)


@pytest.mark.parametrize("utility", ["linear", "sigmoid"])
def test_batch_climbs_to_a_top(utility):
    X, y, _ = make_xor(n_samples=200, random_state=0)
    ranker = Simba(solver="batch", utility=utility, beta=5.0, scaling=None, tol=0.0, max_iter=200)
    ranker.fit(X, y)
    w = np.sqrt(ranker.feature_importances_)
    gradient = np.empty(10)
    beta = 5.0 if utility == "sigmoid" else 0.0
    top = evaluation(pad(X), y, np.ones(200), beta, w, gradient)
    assert top > evaluation(pad(X), y, np.ones(200), beta, np.ones(10), np.empty(10))
    rng = np.random.default_rng(0)
    for _ in range(50):  # no small move within the box does noticeably better
        near = np.clip(np.abs(w + rng.normal(scale=1e-3, size=10)), 0, 1)
        near /= near.max()
        assert evaluation(pad(X), y, np.ones(200), beta, near, np.empty(10)) < top * (1 + 1e-3)
    assert ranker.ranking_[:3].max() == 3


def test_xor_stands_out_more_than_with_relief():
    # Prat 2.4.2, figure 2.12: the rest near 0 with Simba, less clean with Relief.
    for seed in range(5):
        X, y, _ = make_xor(random_state=seed)
        simba = Simba(random_state=seed).fit(X, y).feature_importances_
        relief = np.maximum(Relief(random_state=seed).fit(X, y).feature_importances_, 0)
        assert simba[:3].min() > 0.8
        assert simba[3:].max() < 0.01
        assert relief[:3].min() > relief[3:].max()
        assert relief[3:].max() / relief[:3].max() > simba[3:].max()


def test_float32_finds_the_same():
    X, y, _ = make_xor(random_state=0)
    single = Simba(random_state=0).fit(X.astype(np.float32), y).feature_importances_
    assert_allclose(single, Simba(random_state=0).fit(X, y).feature_importances_, atol=1e-3)


@pytest.mark.parametrize("strategy", ["normal", "sample", "order", "tournament"])
@pytest.mark.parametrize("delta", [False, True])
def test_ones_change_nothing(strategy, delta):
    X, y, _ = make_xor(n_samples=60, random_state=0)
    ranker = Simba(strategy=strategy, delta=delta, random_state=0)
    plain = ranker.fit(X, y).feature_importances_
    assert_array_equal(ranker.fit(X, y, np.ones(60)).feature_importances_, plain)


def test_zero_weight_takes_no_step():
    X, y, _ = make_xor(n_samples=60, random_state=0)
    omega = np.ones(60)
    omega[:30] = 0.0
    got = Simba(strategy="order", delta=True, scaling=None).fit(X, y, omega)
    expected = reference.simba(X.tolist(), y.tolist(), list(range(30, 60)))
    assert_allclose(got.feature_importances_, expected, rtol=1e-7)


def test_ignored_weights_are_said():
    X, y, _ = make_xor(n_samples=40, random_state=0)
    omega = LogisticWeighting().fit_weight(X, y)
    with pytest.warns(UserWarning, match="sample_weight has no effect"):
        Simba(random_state=0).fit(X, y, omega)


@pytest.mark.parametrize("parameters", [{"strategy": "order"}, {"progressive": True}])
def test_batch_refuses_what_it_cannot_do(parameters):
    X, y, _ = make_xor(n_samples=40, random_state=0)
    with pytest.raises(ValueError, match="solver='batch'"):
        Simba(solver="batch", **parameters).fit(X, y)


def test_whitening_is_the_inverse_root_of_the_shrunk_covariance():
    from sklearn.covariance import ledoit_wolf

    for n, d in ((40, 6), (10, 25)):
        X = np.random.default_rng(n).normal(size=(2 * n, d)) @ np.diag(np.arange(1.0, d + 1))
        y = np.arange(2 * n) % 2
        whitened = np.empty(X.shape)
        for c in (0, 1):
            covariance, _ = ledoit_wolf(X[y == c])
            values, vectors = np.linalg.eigh(covariance)
            whitened[y == c] = X[y == c] @ (vectors / np.sqrt(values) @ vectors.T)
        plain = Simba(scaling=None, random_state=0)
        found = Simba(scaling=None, whiten=True, random_state=0).fit(X, y).feature_importances_
        assert_allclose(found, plain.fit(whitened, y).feature_importances_, atol=1e-9)
        assert np.abs(found - plain.fit(X, y).feature_importances_).max() > 0.01


def test_whitening_of_nothing():
    """A single row, and rows that are all equal, stay as they are."""
    X, y = np.vstack([np.ones((4, 3)), [[2.0, 1.0, 5.0]]]), np.array([0, 0, 0, 0, 1])
    plain, whitened = (
        Simba(scaling=None, whiten=whiten, random_state=0).fit(X, y).feature_importances_
        for whiten in (False, True)
    )
    assert_array_equal(plain, whitened)


def test_whitening_leaves_independent_features_as_they_are():
    X, y, _ = make_xor(random_state=0)
    ranker = Simba(whiten=True, random_state=0).fit(X, y)
    assert ranker.feature_importances_[:3].min() > 0.5
    assert ranker.feature_importances_[3:].max() < 0.05


def test_whitening_undoes_a_mixing_that_hides_the_features():
    # Two features whose large common part hides the difference that matters.
    rng = np.random.default_rng(0)
    common, y = rng.normal(scale=10.0, size=300), np.arange(300) % 2
    own = rng.normal(size=(300, 2)) + np.where(y == 1, 1.5, -1.5)[:, None] * [1.0, -1.0]
    X = np.column_stack([own[:, 0] + common, own[:, 1] + common, rng.normal(scale=10, size=300)])
    plain = Simba(random_state=0, scaling="standard").fit(X, y).feature_importances_
    white = Simba(random_state=0, scaling="standard", whiten=True).fit(X, y).feature_importances_
    assert white[2] < 0.05 < white[:2].min()
    assert plain[2] > white[2]


def drawn_rows(seed, n=16, d=4):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    X = rng.random((n, d))
    X[:, 0] += 0.5 * y
    return X, y


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([None, 2.0]))
def test_hessian_is_that_of_the_reference(seed, beta):
    X, y = drawn_rows(seed)
    w = np.random.default_rng(seed + 1).uniform(0.2, 1.0, 4)
    omega = np.random.default_rng(seed + 2).uniform(0.2, 2.0, len(y))
    found = hessian(pad(X), y, omega, beta or 0.0, w)
    expected = reference.hessian(X.tolist(), y.tolist(), w.tolist(), beta, omega.tolist())
    assert_allclose(found, expected, atol=1e-5)


def test_hessian_by_hand():
    # One feature: ‖z‖_w = w|z| is linear, without curvature. Two, z = (3, 4) and w = 1:
    # ∂²/∂w₁² = 9/5 − 81/125 = 1.152, ∂²/∂w₁∂w₂ = −144/125 = −1.152. The miss counts half.
    X, y = np.array([[0.0, 0.0], [3.0, 4.0], [1e-9, 0.0]]), np.array([0, 1, 0])
    H = hessian(pad(X), y, np.array([1.0, 0.0, 0.0]), 0.0, np.ones(2))
    assert_allclose(H, 0.5 * np.array([[1.152, -1.152], [-1.152, 1.152]]), atol=1e-8)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 2.0]))
def test_newton_goes_up_and_by_newtons_own_step_where_e_is_concave(seed, beta):
    X, y = drawn_rows(seed)
    w, slope = np.random.default_rng(seed + 1).uniform(0.2, 0.9, 4), np.empty(4)
    omega, rows = np.ones(len(y)), pad(X)
    evaluation(rows, y, omega, beta, w, slope)
    direction = newton_direction(rows, y, omega, beta, w, slope)
    assert direction @ slope > 0
    assert (np.abs(direction) <= 0.5 * w + 1e-12).all()
    H = hessian(rows, y, omega, beta, w)
    if np.linalg.eigvalsh(H).max() < -1e-6:
        step = -np.linalg.solve(H, slope)
        assert_allclose(direction / np.linalg.norm(direction), step / np.linalg.norm(step))


@pytest.mark.parametrize("utility", ["linear", "sigmoid"])
def test_newton_ends_higher_than_it_starts_and_leaves_nothing_to_gain(utility):
    beta = 1.0 if utility == "sigmoid" else 0.0
    for seed in range(4):
        X, y = drawn_rows(seed, n=40, d=5)
        simba = Simba(solver="newton", utility=utility, tol=0.0, max_iter=300).fit(X, y)
        rows = pad((X - X.min(axis=0)) / np.ptp(X, axis=0))
        w, slope, ones = np.sqrt(simba.feature_importances_), np.empty(5), np.ones(len(y))
        start = evaluation(rows, y, ones, beta, np.ones(5), slope)
        end = evaluation(rows, y, ones, beta, w, slope)
        assert end > start
        # No small step along the gradient, inside the box, rises any more.
        moved = np.clip(w + 1e-6 * slope, 0.0, 1.0)
        assert evaluation(rows, y, ones, beta, moved / moved.max(), slope) <= end + 1e-9 * abs(end)


@pytest.mark.parametrize(
    ("to_hit", "visits", "ratio"),
    [
        # Δ = ½((0, 4)/2 − (h, 0)) = (−h/2, 1) at x = (0, 0), with the hit at (h, 0) and the miss at
        # (0, 2). h = 1: w = (½, 2), that is (¼, 1) of maximum 1; the margin rises from ½ to ⅞.
        (1, [0], 1 / 4),
        # Again from (¼, 1), not from (½, 2): Δ = (−½, 1), w = (−¼, 2), that is (−⅛, 1).
        (1, [0, 0], 1 / 8),
        # h = 6: w = (−2, 2) is (−1, 1), and no rise; half of it gives (−½, 3/2), that is (−⅓, 1).
        (6, [0], 1 / 3),
        # h = 12: neither (−5, 2) nor (−2, 3/2) is a rise; a quarter gives (−½, 5/4).
        (12, [0], 2 / 5),
        # The rate is now ½. At the hit, under (−⅖, 1): ‖hit‖ = 24/5, ‖miss‖ = 26/5, and
        # Δ = ½(144(5/26 − 5/24)(−⅖), 4 · 5/26) = (6, 5)/13. Half of it: w = (−2.2, 15.5)/13.
        (12, [0, 1], 2.2 / 15.5),
    ],
)
def test_reference_of_the_adaptive_rate_by_hand(to_hit, visits, ratio):
    X, y = [[0.0, 0.0], [float(to_hit), 0.0], [0.0, 2.0]], [0, 0, 1]
    assert reference.adaptive_simba(X, y, visits) == pytest.approx([ratio**2, 1.0])
    simba = Simba(learning_rate="adaptive", scaling=None)
    w = np.ones(2)
    simba._climb(pad(np.array(X)), np.array(y), np.array(visits), np.ones(3), np.ones(0), w, 1.0)
    assert_allclose(w**2, [ratio**2, 1.0])


def test_reference_of_the_adaptive_rate_by_hand_without_a_rise():
    # The hit and the miss differ from x alike, no step at all; one feature, always 1 of maximum 1,
    # also where the full step, ½(1 − 3) = −1, leaves nothing of it.
    assert reference.adaptive_simba([[0.0, 0.0], [1.0, 2.0], [-1.0, 2.0]], [0, 0, 1], [0]) == [1, 1]
    assert reference.adaptive_simba([[0.0], [3.0], [1.0]], [0, 0, 1], [0]) == [1.0]


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([None, 2.0]))
def test_adaptive_rate_equals_reference(seed, beta):
    X, y = drawn_rows(seed)
    utility = {"utility": "sigmoid", "beta": beta} if beta else {}
    simba = Simba(learning_rate="adaptive", random_state=seed, scaling=None, **utility)
    visits = np.random.RandomState(seed).permutation(len(y))
    expected = reference.adaptive_simba(X.tolist(), y.tolist(), visits, beta)
    assert_allclose(simba.fit(X, y).feature_importances_, expected, atol=1e-8)


def test_learning_rate_multiplies_the_steps():
    X, y = drawn_rows(0)
    whole = Simba(random_state=0).fit(X, y).feature_importances_
    assert_array_equal(Simba(learning_rate=1, random_state=0).fit(X, y).feature_importances_, whole)
    half = Simba(learning_rate=0.5, random_state=0).fit(X, y).feature_importances_
    weighted = Simba(delta=True, random_state=0).fit(X, y, sample_weight=np.full(16, 0.5))
    assert_array_equal(half, weighted.feature_importances_)


@pytest.mark.parametrize(
    ("parameters", "n_features", "message"),
    [
        ({"solver": "newton", "strategy": "order"}, 4, "solver='newton' visits no"),
        ({"solver": "batch", "learning_rate": 0.5}, 4, "learning_rate=0.5 have no meaning"),
        ({"solver": "newton"}, 2001, "between all 2001 features"),
        ({"learning_rate": "adaptive", "progressive": True}, 4, "use progressive=False"),
    ],
)
def test_combinations_without_meaning(parameters, n_features, message):
    with pytest.raises(ValueError, match=message):
        Simba(**parameters).fit(np.eye(6, n_features), [0, 1, 0, 1, 0, 1])
