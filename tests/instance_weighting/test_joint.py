import numpy as np
import pytest
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
