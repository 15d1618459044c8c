"""Nearest shrunken centroids against the paper's formulas, and scikit-learn where they coincide."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold
from sklearn.neighbors import NearestCentroid

from backstay import EffectRanker, NearestShrunkenCentroids, Study, TTest
from backstay.datasets import make_han_yu
from tests.feature_weighting.test_selectors import tables
from tests.reference import shrunken_centroids as reference


def test_by_hand():
    X, y = np.array([[0.0], [2], [4], [6]]), np.array([0, 0, 1, 1])
    # d = ∓√2 (see the class effects); Δ = √2/2 halves it, so the centroids move from 1 and 5 to
    # 2 and 4, and s + s₀ = 2√2. Row 2: δ = 0 and (2/(2√2))² = 1/2, so odds are exp(1/4).
    centroids, shrunken = reference.shrunken_centroids(X, y, np.ones(4), np.sqrt(2) / 2)
    assert centroids.ravel() == pytest.approx([2, 4])
    assert shrunken == pytest.approx([2 * np.sqrt(2)])
    found = reference.class_probabilities([2.0], centroids, shrunken, [0.5, 0.5])
    assert found[0] / found[1] == pytest.approx(np.exp(1 / 4))
    pam = NearestShrunkenCentroids(np.sqrt(2) / 2).fit(X, y)
    assert pam.feature_importances_ == pytest.approx([np.sqrt(2)])
    assert pam.predict_proba([[2.0]])[0] == pytest.approx(found)
    assert pam.decision_function([[2.0]]) == pytest.approx([-1 / 4])


@given(tables(), st.sampled_from([0.0, 0.5, 1.5]))
@settings(max_examples=20)
def test_probabilities_are_those_of_the_definition(case, threshold):
    X, y, omega = case
    centroids, shrunken = reference.shrunken_centroids(X, y, omega, threshold)
    if (shrunken == 0).any():
        return
    priors = np.bincount(y, omega) / omega.sum()
    expected = [reference.class_probabilities(row, centroids, shrunken, priors) for row in X]
    pam = NearestShrunkenCentroids(threshold).fit(X, y, sample_weight=omega)
    found = pam.predict_proba(X)
    assert found == pytest.approx(np.array(expected), rel=1e-7, abs=1e-12)
    linear = X @ pam.coef_.T + pam.intercept_
    assert linear.squeeze() == pytest.approx(pam.decision_function(X), rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_effects_and_survivors_are_scikit_learns(n_classes):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 40)), np.arange(30) % n_classes
    X[:, 0] += 2 * y
    theirs = NearestCentroid(shrink_threshold=1.2).fit(X, y)
    ours = NearestShrunkenCentroids(1.2).fit(X, y)
    plain = NearestCentroid().fit(X, y)
    assert ours.effects_ == pytest.approx(plain.deviations_)
    assert ours.get_support().tolist() == (theirs.deviations_ != 0).any(axis=0).tolist()


def test_the_ranking_is_that_of_effects_whatever_the_threshold():
    X, y, _ = make_han_yu(40, n_features=50, n_relevant=10, random_state=0)
    ranking = NearestShrunkenCentroids().fit(X, y).ranking_
    assert (NearestShrunkenCentroids(2.0).fit(X, y).ranking_ == ranking).all()
    assert (EffectRanker().fit(X, y).ranking_ == ranking).all()
    assert (TTest(moderation="shrunken").fit(X, y).ranking_ == ranking).all()


def test_a_feature_drops_out_at_its_importance():
    X, y, _ = make_han_yu(40, n_features=20, n_relevant=5, random_state=1)
    importances = NearestShrunkenCentroids().fit(X, y).feature_importances_
    for step, kept in ((-1e-9, True), (1e-9, False)):
        pam = NearestShrunkenCentroids(importances[3] + step).fit(X, y)
        assert pam.get_support()[3] == kept == (pam.coef_[0, 3] != 0)


def test_features_that_are_constant_in_every_class_are_used_whole():
    rng = np.random.default_rng(4)
    y = np.tile([0, 1, 2], 6)
    X = np.column_stack([y == 1, y == 2, np.zeros(18), rng.normal(size=18)]).astype(float)
    pam = NearestShrunkenCentroids(100.0).fit(X, y)
    assert np.isinf(pam.feature_importances_).tolist() == [True, True, False, False]
    assert (pam.predict(X) == y).all()
    assert np.isfinite(pam.predict_proba(X)).all()
    alone = NearestShrunkenCentroids().fit(X[:, :2], y)
    assert (alone.predict(X[:, :2]) == y).all()


def test_a_class_without_weight_is_never_predicted():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(30, 4)), np.tile([0, 1, 2], 10)
    pam = NearestShrunkenCentroids().fit(X, y, sample_weight=(y != 1).astype(float))
    assert (pam.predict_proba(X)[:, 1] == 0).all()
    others = NearestShrunkenCentroids().fit(X[y != 1], y[y != 1])
    assert (pam.predict(X) == others.predict(X)).all()


@pytest.mark.parametrize("power", [-40, 40])
def test_predictions_do_not_depend_on_the_unit(power):
    X, y, _ = make_han_yu(30, n_features=20, n_relevant=10, random_state=7)
    pam = NearestShrunkenCentroids(0.5)
    expected = pam.fit(X, y).decision_function(X)
    assert pam.fit(np.ldexp(X, power), y).decision_function(np.ldexp(X, power)) == pytest.approx(
        expected
    )


def test_in_a_study_as_method_and_as_classifier():
    X, y, _ = make_han_yu(40, n_features=30, n_relevant=10, shift=1.0, random_state=6)
    study = Study(
        {"pam": NearestShrunkenCentroids()},
        models={"pam": NearestShrunkenCentroids(0.5)},
        sizes=[5],
        resampling=KFold(3),
        random_state=0,
    )
    results = study.run(X, y)
    assert results.frame()["accuracy"].mean() > 0.6
    frozen = results.freeze(X, y, ("pam", 5, "pam"))
    assert frozen.document["model"]["kind"] == "linear"  # numbers, no code
    assert frozen.has_probabilities
