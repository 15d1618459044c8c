"""Instance weights inside the loop: against loops, and against the methods they vary."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from backstay import (
    SVMRFE,
    DoubleReliefF,
    InstanceReweighted,
    InstanceWeighted,
    LogisticWeighting,
    MarginWeighting,
    Relief,
    ReliefF,
    Simba,
    UniformWeighting,
)
from backstay.study import Study
from reference import reweighted as reference
from reference import simba as plain_simba


def drawn_rows(seed, n=14, d=3):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    X = rng.normal(size=(n, d))
    X[:, 0] += y
    return X, y


def scores(estimator, weighting, X, y, **parameters):
    return InstanceReweighted(estimator, weighting, **parameters).fit(X, y).feature_importances_


def test_reference_by_hand():
    # Equal margins: every ω is 1, and so the reference is plain Relief.
    X, y = [[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1]
    assert reference.logistic_omega(X, y, [1.0]) == [1.0] * 4
    assert reference.relieff(X, y, range(4), 1, True) == [1.0]
    # Rows 0, 1 | 3: margins 1, ½ and, for want of a hit, ½; with w = 0 there is none, ω is 1.
    X, y = [[0.0], [1.0], [3.0]], ["a", "a", "b"]
    heavy, *others = reference.logistic_omega(X, y, [1.0])
    assert others[0] == others[1] < 1 < heavy
    assert reference.logistic_omega(X, y, [0.0]) == [1.0] * 3


def two_weights():
    """LIW of three rows, two of which have the same, lower margin: light, heavy.

    The standard scores are then −1/√3, −1/√3 and 2/√3, whatever the margins.
    """
    low, high = (1 / (1 + np.exp(-3.03 * z / np.sqrt(3))) for z in (-1, 2))
    return 3 * low / (2 * low + high), 3 * high / (2 * low + high)


def test_reference_of_simba_delta_by_hand():
    # x = (0, 0) has the hit (1, ½) and the miss (0, 1), which has no hit and so the lowest
    # margin. The miss is nearer to x than to the hit: x is light, the hit is heavy.
    X, y = [[0.0, 0.0], [1.0, 0.5], [0.0, 1.0]], ["a", "a", "b"]
    light, heavy = two_weights()
    assert reference.logistic_omega(X, y, [1, 1]) == pytest.approx([light, heavy, light])
    # Δ = ½((0, 1)/1 − (1, ¼)/√1.25), times the ω of x.
    first = 1 - light / 2 / np.sqrt(1.25)
    second = 1 + light / 2 * (1 - 0.25 / np.sqrt(1.25))
    once = reference.simba_delta(X, y, [0])
    assert once == pytest.approx([(first / second) ** 2, 1])
    # Now the first feature is shorter, the miss is nearer to the hit, and x is the heavy one.
    assert (first / second) ** 2 + 0.25 < 1
    moved = reference.logistic_omega(X, y, [first / second, 1])
    assert moved == pytest.approx([heavy, light, light])
    # Δ_j = ½(m_j²/‖m‖ − h_j²/‖h‖) w_j again, times the new ω; with every=2, times the old one.
    norm = np.sqrt(first**2 + 0.25 * second**2)
    for every, omega in ((1, heavy), (2, light)):
        w = first - omega / 2 * first / norm, second + omega / 2 * (1 - 0.25 * second / norm)
        again = reference.simba_delta(X, y, [0, 0], every)
        assert again == pytest.approx([(w[0] / w[1]) ** 2, 1])


def test_reference_of_simba_order_by_hand():
    # Margins: row 1 has ½(5/4 − 1) = 0.125, row 2 ½(√(17/16) − (1 + √2)/2) = −0.088, row 0
    # ½(3/4 − (1 + √2)/2) = −0.229, and row 3, which has no hit, the lowest of these.
    X, y = [[1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [1.0, 0.75]], ["a", "a", "a", "b"]
    start = reference.logistic_omega(X, y, [1, 1])
    assert start[1] > start[2] > start[0] == start[3]
    # So row 1 is first. Its hits are equally far, the earlier counts:
    # Δ = ½((1, 9/16)/(5/4) − (1, 0)/1), w = (0.9, 1.225).
    # With r = 0.9/1.225 row 0 has ½(3/4 − (r + √(1 + r²))/2) = −0.119, row 2
    # ½(√(r² + 1/16) − (1 + √(1 + r²))/2) = −0.172: row 0 has overtaken it.
    now = reference.logistic_omega(X, y, [0.9 / 1.225, 1])
    assert now[0] > now[2]
    found = reference.simba_order(X, y)
    assert found == plain_simba.simba(X, y, [1, 0, 2, 3])
    assert found != pytest.approx(plain_simba.simba(X, y, [1, 2, 0, 3]), abs=0.1)


def test_reference_of_relieff_by_hand():
    # Row 2 has no hit and so the lowest margin. With both features alike row 2 is nearer to
    # row 0 (1 against √(13/9)), so row 1 is heavy; by the first feature alone, row 0 is.
    X, y = [[0.0, 0.0], [1.0, 1.0], [3.0, 0.0]], ["a", "a", "b"]
    light, heavy = two_weights()
    rows = [[0.0, 0.0], [1 / 3, 1.0], [1.0, 0.0]]
    assert reference.logistic_omega(rows, y, [1, 1]) == pytest.approx([light, heavy, light])
    assert reference.logistic_omega(rows, y, [1, 0]) == pytest.approx([heavy, light, light])
    # Row 1, heavy: miss (⅔, 1) − hit (⅓, 1) = (⅓, 0), so only the first feature counts from now.
    # Row 0, heavy by now: miss (1, 0) − hit (⅓, 1) = (⅔, −1), and the same feature counts.
    # Row 2, light, has no hit. Its nearest miss is row 0, at (1, 0); by the first feature, row 1,
    # at (⅔, 1).
    mass, visits = 2 * heavy + light, [1, 0, 2]
    found = reference.relieff(X, y, visits, 1, double=False)
    assert found == pytest.approx([(heavy + light) / mass, -heavy / mass])
    found = reference.relieff(X, y, visits, 1, double=True)
    assert found == pytest.approx([(heavy + light * 2 / 3) / mass, (light - heavy) / mass])
    # Two neighbours share by their weights: those of row 2 are row 0, heavy, and row 1, light.
    share = heavy / (heavy + light)
    both = [share + (1 - share) * 2 / 3, 1 - share]
    expected = [(heavy + light * both[0]) / mass, (light * both[1] - heavy) / mass]
    for double in (False, True):
        assert reference.relieff(X, y, visits, 2, double) == pytest.approx(expected)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1, 4]))
def test_simba_equals_the_loop(seed, every):
    X, y = drawn_rows(seed)
    simba = Simba(delta=True, random_state=seed)
    visits = np.random.RandomState(seed).permutation(len(y))
    expected = reference.simba_delta(X.tolist(), y.tolist(), visits, every)
    assert_allclose(scores(simba, LogisticWeighting(), X, y, every=every), expected, atol=1e-8)
    expected = reference.simba_order(X.tolist(), y.tolist())
    found = scores(Simba(strategy="order"), LogisticWeighting(), X, y)
    assert_allclose(found, expected, atol=1e-8)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_relief_equals_the_loop(seed, double):
    X, y = drawn_rows(seed)
    kind = DoubleReliefF if double else ReliefF
    visits = np.random.RandomState(seed).permutation(len(y))
    found = scores(kind(n_neighbors=2, random_state=seed), LogisticWeighting(), X, y)
    expected = reference.relieff(X.tolist(), y.tolist(), visits, 2, double)
    assert_allclose(found, expected, atol=1e-8)


@pytest.mark.filterwarnings("ignore:class .* has a single member")
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
@example(4, True)
@example(8, True)
def test_relief_equals_the_loop_with_copies_of_rows(seed, double):
    """Copies as hit and miss cancel, but for rounding errors, which are no weights."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 9))
    X = rng.normal(size=(n, 2))
    for _ in range(2):
        one, other = rng.permutation(n)[:2]
        X[one] = X[other]
    y = rng.integers(0, 2, n)
    y[0], y[1] = 0, 1
    kind = DoubleReliefF if double else ReliefF
    found = scores(kind(n_neighbors=1, random_state=seed), LogisticWeighting(), X, y)
    visits = np.random.RandomState(seed).permutation(n)
    expected = reference.relieff(X.tolist(), y.tolist(), visits, 1, double)
    assert_allclose(found, expected, atol=1e-8)


SIMBAS = [
    Simba(strategy=strategy, delta=delta, n_epochs=2, random_state=3, **how)
    for strategy in ("normal", "sample", "order", "tournament")
    for delta in (False, True)
    for how in ({}, {"progressive": True}, {"learning_rate": "adaptive"}, {"utility": "sigmoid"})
    if strategy != "normal" or delta
]
DOUBLES = [
    DoubleReliefF(progressive=progressive, metric=metric, random_state=3, **how)
    for progressive in (False, True)
    for metric in ("heom", "euclidean", "mahalanobis")
    for how in ({}, {"n_draws": 17}, {"miss": "any", "sigma": 2.0})
]


@pytest.mark.parametrize("estimator", [*SIMBAS, *DOUBLES], ids=repr)
def test_the_control_is_the_plain_method(estimator):
    X, y = drawn_rows(7, n=30)
    plain = estimator.fit(X, y).feature_importances_
    assert_array_equal(scores(estimator, UniformWeighting(), X, y), plain)
    # Weights of sum 1 matter to Simba's steps alone, by their length.
    if not getattr(estimator, "delta", False):
        assert_array_equal(scores(estimator, UniformWeighting(scale="sum"), X, y), plain)


@pytest.mark.filterwarnings("ignore:class .* has a single member")
@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(2, 4),
    st.booleans(),
    st.sampled_from([1, 3, 10]),
    st.sampled_from([np.float64, np.float32]),
)
def test_the_control_is_the_plain_method_on_few_values(seed, n_values, progressive, k, dtype):
    """Where values are few, hits and misses often cancel, but for rounding errors."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_values, size=(24, 5)).astype(dtype)
    y = rng.permutation(np.arange(24) % rng.integers(2, 4))
    ranker = DoubleReliefF(progressive=progressive, n_neighbors=k, random_state=seed)
    found = scores(ranker, UniformWeighting(), X, y)
    assert_array_equal(found, ranker.fit(X, y).feature_importances_)


def test_the_control_of_relieff_is_relieff_up_to_the_order_of_sums():
    """The plain ones add up block by block, the ones in step visit by visit."""
    X, y = drawn_rows(7, n=30)
    for estimator in (
        ReliefF(random_state=0),
        ReliefF(2, miss="any", sigma=2.0),
        ReliefF(n_draws=17, random_state=0),
        Relief(random_state=0),
        Relief(n_draws=17, random_state=0),
    ):
        found = scores(estimator, UniformWeighting(), X, y)
        assert_allclose(found, estimator.fit(X, y).feature_importances_, atol=1e-12)


def test_once_before_all_visits_is_instance_weighting():
    """With ω computed at the start alone, what is left is InstanceWeighted."""
    X, y = drawn_rows(5, n=30)
    for estimator in (Simba(delta=True, random_state=0), DoubleReliefF(random_state=0)):
        once = InstanceWeighted(estimator, MarginWeighting()).fit(X, y)
        found = InstanceReweighted(estimator, MarginWeighting(), every=30).fit(X, y)
        assert_allclose(found.feature_importances_, once.feature_importances_, rtol=1e-9)
        assert_allclose(found.sample_weight_, once.sample_weight_, rtol=1e-12)
        moving = scores(estimator, MarginWeighting(), X, y)
        assert not np.allclose(moving, once.feature_importances_, rtol=1e-4)


@pytest.mark.parametrize("strategy", ["sample", "tournament"])
def test_draws_are_reproducible_and_follow_the_weights(strategy):
    X, y = drawn_rows(2, n=30)
    simba = Simba(strategy=strategy, random_state=1)
    found = scores(simba, LogisticWeighting(), X, y, every=5)
    assert_array_equal(found, scores(simba, LogisticWeighting(), X, y, every=5))
    assert not np.array_equal(found, scores(simba, UniformWeighting(), X, y, every=5))


def test_a_study_adds_the_control_and_the_plain_method():
    study = Study({"r": InstanceReweighted(Simba(delta=True), MarginWeighting(scale="sum"))})
    methods = study.all_methods()
    assert list(methods) == ["r", "Simba", "Simba (control, sum 1)"]
    control = methods["Simba (control, sum 1)"]
    assert isinstance(control, InstanceReweighted)
    assert control.weighting.scale == "sum"


def test_refuses_what_has_no_loop_or_no_use_for_weights():
    X, y = drawn_rows(0)
    for estimator, message in (
        (SVMRFE(), "SVMRFE does not"),
        (Simba(solver="batch"), "visits no rows"),
        (Simba(), "uses no instance weights"),
    ):
        with pytest.raises(ValueError, match=message):
            scores(estimator, LogisticWeighting(), X, y)


@pytest.mark.parametrize(
    "estimator",
    [
        Simba(strategy="best"),
        Simba(delta=True, n_epochs=0),
        Simba(delta=True, learning_rate="adaptive", progressive=True),
        ReliefF(n_neighbors=0),
        Relief(metric="cosine"),
        DoubleReliefF(miss="all"),
    ],
    ids=repr,
)
def test_refuses_what_the_ranker_itself_refuses(estimator):
    X, y = drawn_rows(0)
    with pytest.raises(ValueError) as alone:  # noqa: PT011 - the message is compared below
        estimator.fit(X, y)
    with pytest.raises(ValueError) as in_step:  # noqa: PT011
        scores(estimator, LogisticWeighting(), X, y)
    assert str(in_step.value) == str(alone.value)


def test_a_lonely_class_is_named_once():
    X, y = drawn_rows(0)
    y[0] = 2
    with pytest.warns(UserWarning, match="class 2 has a single member") as said:
        scores(Simba(delta=True, random_state=0), LogisticWeighting(), X, y)
    assert len(said) == 1
