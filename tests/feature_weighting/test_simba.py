import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils import check_random_state

from backstay import LogisticWeighting, Relief, Simba
from backstay._kernels._distances import pad
from backstay._kernels._simba import evaluation
from backstay.datasets import make_xor
from backstay.feature_weighting._simba import whiten_class
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
        rows = np.random.default_rng(n).normal(size=(n, d)) @ np.diag(np.arange(1.0, d + 1))
        covariance, _ = ledoit_wolf(rows)
        values, vectors = np.linalg.eigh(covariance)
        root = vectors / np.sqrt(values) @ vectors.T
        assert_allclose(whiten_class(rows), rows @ root, atol=1e-9)


def test_whitening_of_nothing():
    assert_array_equal(whiten_class(np.ones((1, 3))), np.ones((1, 3)))
    assert_array_equal(whiten_class(np.ones((4, 3))), np.ones((4, 3)))


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
