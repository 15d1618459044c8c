"""The metrics of the margin-based methods against definitions, pair by pair."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from backstay import (
    DoubleReliefF,
    InstanceWeighted,
    JointWeighting,
    LogisticWeighting,
    MarginWeighting,
    Relief,
    ReliefF,
)
from backstay.feature_weighting.shared_fits import shared_fits
from reference import metric as reference

METRICS = ["euclidean", "manhattan", "mahalanobis"]


def drawn_rows(seed, n=14, d=4):
    """Two classes that lie along a line across their own long axis."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    X[:, 0] += y
    return X, y


def test_reference_by_hand():
    # Deviations ±1 in the first feature and ±3 in the second: a diagonal covariance, shrunk
    # towards its mean variance 5 by some δ. The same inverse variances divide the squares.
    X = [[-1, -3], [-1, 3], [1, -3], [1, 3]]
    precision = reference.within_class_precision(X, [0] * 4)
    shrunk = 1 / np.diag(precision)
    assert precision[0, 1] == pytest.approx(0)
    assert shrunk.sum() == pytest.approx(10)
    assert 1 <= shrunk[0] < shrunk[1] <= 9
    assert reference.distance([0, 0], [3, 4], "euclidean") == 5
    assert reference.distance([0, 0], [3, 4], "manhattan") == 7
    moved = reference.distance([0, 0], [3, 4], "mahalanobis", precision)
    assert moved == pytest.approx(np.sqrt(9 / shrunk[0] + 16 / shrunk[1]))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(METRICS), st.sampled_from([None, 1, 3]))
def test_weightings_equal_the_reference(seed, metric, k):
    X, y = drawn_rows(seed)
    logistic = LogisticWeighting(n_neighbors=k, metric=metric).fit(X, y)
    margins = reference.hypothesis_margins(X.tolist(), y.tolist(), metric, k)
    assert_allclose(logistic.margins_, margins, rtol=1e-8, atol=1e-10)
    found = MarginWeighting(k, metric=metric).fit_weight(X, y)
    assert_allclose(found, reference.margin_weights(X.tolist(), y.tolist(), metric, k), rtol=1e-8)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(METRICS), st.sampled_from([1, 3]))
def test_relief_seeks_neighbours_under_the_metric(seed, metric, k):
    X, y = drawn_rows(seed)
    found = ReliefF(k, metric=metric).fit(X, y).feature_importances_
    assert_allclose(found, reference.relieff(X.tolist(), y.tolist(), metric, k), atol=1e-10)
    if k == 1:
        assert_allclose(Relief(metric=metric).fit(X, y).feature_importances_, found, atol=1e-12)


def test_the_defaults_are_what_they_were():
    X, y = drawn_rows(1, n=40, d=8)
    heom = ReliefF().fit(X, y).feature_importances_
    assert_array_equal(ReliefF(metric="manhattan").fit(X, y).feature_importances_, heom)
    for kind in (MarginWeighting, LogisticWeighting):
        assert_array_equal(kind().fit_weight(X, y), kind(metric="euclidean").fit_weight(X, y))


def test_mahalanobis_does_not_depend_on_how_features_are_mixed():
    """Where rows are many, shrinkage is small and any linear map of the rows cancels."""
    rng = np.random.default_rng(0)
    y = np.arange(800) % 2
    X = rng.normal(size=(800, 3))
    X[:, 0] += y
    mixed = X @ np.array([[1.0, 0.8, 0.0], [0.0, 1.0, -0.6], [0.0, 0.0, 0.7]])

    def margins(rows, metric):
        keep = LogisticWeighting(n_neighbors=5, metric=metric, scaling=None)
        return keep.fit(rows, y).margins_

    apart = {m: np.abs(margins(X, m) - margins(mixed, m)).mean() for m in METRICS}
    assert apart["mahalanobis"] < 0.1 * apart["euclidean"]


@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis"])
def test_double_relief_weighs_the_coordinates(metric):
    X, y = drawn_rows(3, n=20)
    visits = np.random.RandomState(0).permutation(20)
    found = DoubleReliefF(metric=metric, n_neighbors=3, random_state=0).fit(X, y)
    expected = reference.double_relieff(X.tolist(), y.tolist(), metric, visits, 3)
    assert_allclose(found.feature_importances_, expected, atol=1e-10)


@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis"])
def test_relief_refuses_other_columns_under_a_euclidean_metric(metric):
    X, y = drawn_rows(0)
    gaps = X.copy()
    gaps[0, 1] = np.nan
    for given_X, nominal in ((gaps, None), (np.round(X), [1])):
        with pytest.raises(ValueError, match=f"metric='{metric}' takes numbers without gaps"):
            ReliefF(metric=metric, categorical_features=nominal).fit(given_X, y)
    assert not ReliefF(metric=metric).__sklearn_tags__().input_tags.allow_nan


def test_joint_weighting_whitens_before_it_weighs():
    X, y = drawn_rows(5, n=24)
    joint = JointWeighting(ReliefF(3), LogisticWeighting(metric="mahalanobis"), max_iter=1)
    once = InstanceWeighted(ReliefF(3), LogisticWeighting(metric="mahalanobis")).fit(X, y)
    assert_allclose(joint.fit_weight(X, y), once.sample_weight_, rtol=1e-9)
    second = JointWeighting(ReliefF(3), LogisticWeighting(metric="mahalanobis"), max_iter=2)
    assert not np.allclose(second.fit_weight(X, y), once.sample_weight_, rtol=1e-3)


def test_ensembles_share_no_distances_under_a_covariance():
    """A draw's own covariance is not that of all rows."""
    assert shared_fits(ReliefF(), *drawn_rows(0)) is not None
    for metric in ("euclidean", "mahalanobis"):
        assert shared_fits(ReliefF(metric=metric), *drawn_rows(0)) is None
