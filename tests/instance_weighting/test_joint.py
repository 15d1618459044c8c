import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from backstay import (
    JointWeighting,
    LogisticWeighting,
    MarginWeighting,
    ReliefF,
    Simba,
    UniformWeighting,
)
from backstay.datasets import make_xor
from reference import instance_weighting, relief, simba
from reference.joint import joint as reference_joint
from reference.joint import of_maximum_1
from strategies import continuous_tables, tables


def logistic(k):
    """LIW of the reference with k neighbours."""
    return lambda rows, y: instance_weighting.logistic_weights(
        instance_weighting.hypothesis_margins(rows, y, k)
    )


def margin(rows, y):
    """MBIW of the reference with all neighbours."""
    return instance_weighting.margin_weights(rows, y)[0]


def equal(rows, y):
    return [1.0] * len(y)


def relieff(k):
    """ReliefF of the reference with k neighbours."""
    return lambda X, y, omega: relief.relieff(relief.Table(X, y), k, omega=omega)


def assert_equal_rounds(found, expected):
    omega, w, rounds, settled = expected
    assert (found.n_iter_, found.converged_) == (rounds, settled)
    assert_allclose(found.sample_weight_, omega, rtol=1e-7, atol=1e-9)
    assert_allclose(found.feature_weights_, w, rtol=1e-7, atol=1e-9)


def test_reference_by_hand():
    # Row 2 has no hit and so the lowest margin; the row that is further from it is heavy. By both
    # features that is row 1; standard scores −1/√3, 2/√3, −1/√3.
    X, y = [[0.0, 0.0], [1.0, 1.0], [3.0, 0.0]], ["a", "a", "b"]
    low, high = (1 / (1 + np.exp(-3.03 * z / np.sqrt(3))) for z in (-1, 2))
    light, heavy = 3 * low / (2 * low + high), 3 * high / (2 * low + high)
    # Relief: row 0 adds (1, 0) − (⅓, 1), row 1 (⅔, 1) − (⅓, 1), row 2 (1, 0), each times its ω:
    # the first weight is positive, the second not, w = (1, 0).
    omega, w, *rest = reference_joint(X, y, logistic(None), relieff(1), 1, 0.1)
    assert (omega, w, rest) == (pytest.approx([light, heavy, light]), [1, 0], [1, False])
    # By the first feature alone row 0 is further from row 2. The sign of the weights stays, and
    # with it w; so the third round changes nothing.
    for max_iter, rounds, settled in ((2, 2, False), (3, 3, True), (9, 3, True)):
        omega, w, *rest = reference_joint(X, y, logistic(None), relieff(1), max_iter, 1e-9)
        assert (omega, w) == (pytest.approx([heavy, light, light]), [1, 0])
        assert rest == [rounds, settled]
    # The second round moves ω by heavy − light, which is less than 2.
    assert reference_joint(X, y, logistic(None), relieff(1), 9, 2.0)[2:] == (1, True)
    assert of_maximum_1([-1.0, 0.5, 0.25]) == [0, 1, 0.5]
    assert of_maximum_1([-1.0, 1e-17]) == of_maximum_1([-1.0, 0.0]) == [1, 1]


@pytest.mark.filterwarnings("ignore:class .* has a single member")
@settings(max_examples=30, deadline=None)
@given(tables(), st.sampled_from([None, 1, 3]), st.integers(1, 3), st.integers(1, 4))
def test_equals_the_reference_on_few_values(table, k, k_relief, max_iter):
    X, y = table
    found = JointWeighting(
        ReliefF(k_relief), LogisticWeighting(n_neighbors=k), max_iter=max_iter
    ).fit(X, y)
    weigh, rank = logistic(k), relieff(k_relief)
    expected = reference_joint(X.tolist(), y.tolist(), weigh, rank, max_iter, 1e-3)
    assert_equal_rounds(found, expected)


@pytest.mark.filterwarnings("ignore:class .* has a single member")
@settings(max_examples=30, deadline=None)
@given(
    continuous_tables(),
    st.sampled_from(
        [
            (MarginWeighting(), margin),
            (LogisticWeighting(), logistic(None)),
            (UniformWeighting(), equal),
        ]
    ),
    st.sampled_from([1e-3, 0.1, 0.2, 0.4, 0.8]),
    st.integers(1, 6),
)
def test_equals_the_reference(table, weightings, tol, max_iter):
    X, y = table
    visits = np.random.RandomState(1).permutation(len(y))

    def ascend(X, y, omega):
        return simba.simba(instance_weighting.minmax(X), y, visits, omega)

    weighting, weigh = weightings
    for ranker, rank in (
        (ReliefF(2), relieff(2)),
        (Simba(delta=True, random_state=1), ascend),
    ):
        found = JointWeighting(ranker, weighting, max_iter=max_iter, tol=tol).fit(X, y)
        expected = reference_joint(X.tolist(), y.tolist(), weigh, rank, max_iter, tol)
        assert_equal_rounds(found, expected)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
@example(61)
@example(1098)
def test_rounding_errors_are_no_feature_weights(seed):
    """Where values are few, hits and misses may cancel, and no weight be positive."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(6, 25)), int(rng.integers(2, 6))
    X, y = rng.integers(0, 3, size=(n, d)).astype(float), np.arange(n) % 2
    found = JointWeighting(ReliefF(3), UniformWeighting(), max_iter=1).fit(X, y)
    expected = relief.relieff(relief.Table(X.tolist(), y.tolist()), 3)
    if np.abs(expected).max() > 1e-12:  # else all are rounding errors
        assert_allclose(found.feature_weights_, of_maximum_1(expected), atol=1e-9)


def test_first_round_is_the_weighting_alone():
    X, y, _ = make_xor(n_samples=80, random_state=0)
    joint = JointWeighting(ReliefF(), MarginWeighting(), max_iter=1).fit(X, y)
    assert_allclose(joint.sample_weight_, MarginWeighting().fit_weight(X, y), rtol=1e-12)
    assert joint.n_iter_ == 1
    assert not joint.converged_


def test_second_round_uses_the_feature_weights():
    X, y, _ = make_xor(n_samples=80, random_state=0)
    low, high = X.min(axis=0), X.max(axis=0)
    first = LogisticWeighting(n_neighbors=1).fit_weight(X, y)
    w = ReliefF().fit(X, y, sample_weight=first).feature_importances_
    w = np.maximum(w, 0) / w.max()
    second = LogisticWeighting(n_neighbors=1, scaling=None).fit_weight(
        (X - low) / (high - low) * w, y
    )
    joint = JointWeighting(ReliefF(), LogisticWeighting(n_neighbors=1), max_iter=2).fit(X, y)
    assert_allclose(joint.sample_weight_, second, rtol=1e-9)


def test_feature_weights_sharpen_the_margins():
    # Under XOR noise hides the margins; with the noise weighted away they grow.
    X, y, relevance = make_xor(n_samples=300, random_state=0)
    joint = JointWeighting(
        Simba(delta=True, random_state=0), LogisticWeighting(n_neighbors=1), max_iter=20, tol=1e-2
    ).fit(X, y)
    assert joint.feature_weights_[relevance > 0].min() > 0.5
    assert joint.feature_weights_[relevance == 0].max() < 0.1


def test_settles_with_uniform_weights():
    X, y, _ = make_xor(n_samples=80, random_state=0)
    joint = JointWeighting(ReliefF(), UniformWeighting()).fit(X, y)
    assert joint.converged_
    assert joint.n_iter_ == 2
    assert_allclose(joint.sample_weight_, 1.0)


def test_takes_scikit_learn_estimators():
    X, y, _ = make_xor(n_samples=60, random_state=0)
    joint = JointWeighting(SVC(kernel="linear"), MarginWeighting(), scale="sum").fit(X, y)
    assert joint.sample_weight_.sum() == pytest.approx(1)


def test_estimator_without_weights_is_refused():
    X, y, _ = make_xor(n_samples=60, random_state=0)
    with pytest.raises(ValueError, match="KNeighborsClassifier does not"):
        JointWeighting(KNeighborsClassifier(), MarginWeighting()).fit(X, y)
