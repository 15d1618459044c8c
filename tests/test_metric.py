"""The metrics of the margin-based methods against definitions, pair by pair."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.covariance import LedoitWolf

from backstay import (
    DoubleReliefF,
    InstanceWeighted,
    JointWeighting,
    LogisticWeighting,
    MarginWeighting,
    Relief,
    ReliefF,
)
from reference import metric as reference

METRICS = ["euclidean", "manhattan", "mahalanobis"]


def drawn_rows(seed, n=14, d=4, shares=(1, 1)):
    """Classes of unlike sizes, by the shares, that lie across their own long axis."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(shares)), shares)[np.arange(n) % sum(shares)]
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    X[:, 0] += y
    return X, y


# Two classes alike, and three of which none is as large as another: 8, 4 and 2 of 14 rows.
SHARES = [(1, 1), (4, 2, 1)]
# Deviations from the class means are (±½, ±⅙), all four. After scaling the rows are the same.
HAND_X = [[0.0, 0.0], [1.0, 1 / 3], [0.0, 1.0], [1.0, 2 / 3]]
HAND_Y = ["a", "a", "b", "b"]


def test_reference_of_shrinkage_by_hand():
    # S = diag(1, 9), m = 5, ‖S − mI‖² = 32. Each xxᵀ − S has ±3 off the diagonal and 0 on it,
    # so noise is 4 · 18/4² = 9/2, and δ = 9/64: variances 1 + 4δ and 9 − 4δ.
    deviations = [[-1, -3], [-1, 3], [1, -3], [1, 3]]
    shrunk = reference.shrunk_covariance(deviations)
    assert_allclose(shrunk, np.diag([25 / 16, 135 / 16]))
    # Equal variances and no correlation are what S is shrunk to.
    assert_allclose(reference.shrunk_covariance([[-1, -1], [-1, 1], [1, -1], [1, 1]]), np.eye(2))
    moved = reference.deviations_from_class_means([[5, 0], [7, 6], [0, 1]], [0, 0, 1])
    assert moved == [[-1, -3], [1, 3], [0, 0]]
    rows = np.random.default_rng(0).normal(size=(9, 4)) * np.arange(1, 5)
    expected = LedoitWolf(assume_centered=True).fit(rows).covariance_
    assert_allclose(reference.shrunk_covariance(rows.tolist()), expected)


def test_reference_of_distances_by_hand():
    # S = diag(9, 1)/36, a 36th of the one above with the features swapped.
    precision = reference.within_class_precision(HAND_X, HAND_Y)
    assert_allclose(precision, np.diag([64 / 15, 576 / 25]), atol=1e-12)
    scaled = np.array(HAND_X) * [8 / np.sqrt(15), 24 / 5]
    assert_allclose(reference.whitened(HAND_X, HAND_Y), scaled, atol=1e-12)
    assert reference.distance([0, 0], [3, 4], "euclidean") == 5
    assert reference.distance([0, 0], [3, 4], "manhattan") == 7
    # Rows 0 and 1: 64/15 + (1/9)(576/25) = 512/75. Rows 0 and 3: 64/15 + (4/9)(576/25) = 1088/75.
    D = np.array(reference.all_distances(HAND_X, HAND_Y, "mahalanobis"))
    squares = [0, 512, 1728, 1088], [512, 0, 1088, 192]
    assert_allclose(75 * D[:2] ** 2, squares, atol=1e-9)


@pytest.mark.parametrize(
    ("metric", "hit", "misses"),
    [
        ("euclidean", np.sqrt(10 / 9), (1, np.sqrt(13 / 9))),
        ("manhattan", 4 / 3, (1, 5 / 3)),
        ("mahalanobis", np.sqrt(512 / 75), (np.sqrt(1728 / 75), np.sqrt(1088 / 75))),
    ],
)
def test_reference_of_margins_by_hand(metric, hit, misses):
    # Row 0. Row 2 is its image.
    for k, miss in ((None, sum(misses) / 2), (1, min(misses))):
        found = reference.hypothesis_margins(HAND_X, HAND_Y, metric, k)
        assert found[::2] == pytest.approx([(miss - hit) / 2] * 2)


def test_reference_of_margin_weights_by_hand():
    # Misses less hits: (½, 3/2) − (1, 0), (3/2, 3/2) − (1, 0), (1, 2) − (½, ½), (1, 1) − (½, ½).
    # So the margin vectors are (−½, 3/2), twice (½, 3/2), and (½, ½).
    X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]
    for metric, corner in (("manhattan", 2.0), ("euclidean", np.sqrt(2))):
        far = np.array([2 + corner, 2, 2, 2 + corner]) / 3
        found = reference.margin_weights(X, HAND_Y, metric)
        assert_allclose(found, 1 / far / np.mean(1 / far))
    # One nearest hit and miss. Rows 0 and 1: (½, ½) − (1, 0), row 2: (0, 1) − (½, ½), row 3: 0.
    # By Manhattan's distance both misses of row 0 are equally far, the earlier counts:
    # (0, 1) − (1, 0).
    found = reference.margin_weights(X, HAND_Y, "euclidean", 1)
    assert_allclose(found, np.array([3, 3, 3, 1]) / 2.5)
    found = reference.margin_weights(X, HAND_Y, "manhattan", 1)
    assert_allclose(found, np.array([2, 4, 4, 2]) / 3)
    # One feature: rows 0, 1 | 3, 5 have 8 − 1, 6 − 1, 5 − 2 and 9 − 2, and the mean distances
    # 2, 2, 10/3, 2 to the others. No metric changes more than the unit.
    for metric in METRICS:
        found = reference.margin_weights([[0], [1], [3], [5]], HAND_Y, metric)
        assert_allclose(found, [10 / 9, 10 / 9, 2 / 3, 10 / 9])


def test_reference_of_relief_by_hand():
    # The hit of every row differs from it by (1, ⅓). The misses of rows 1 and 3 are each other,
    # (0, ⅓); those of rows 0 and 2 are each other, (0, 1), but by Mahalanobis' distance rows 3 and
    # 1, (1, ⅔).
    for metric, expected in (
        ("euclidean", [-1, 1 / 3]),
        ("manhattan", [-1, 1 / 3]),
        ("mahalanobis", [-1 / 2, 1 / 6]),
    ):
        assert reference.relieff(HAND_X, HAND_Y, metric) == pytest.approx(expected)
    # Row 0 twice. (−1, ⅔)/4 leaves the second feature only, by which row 3 is the nearest miss:
    # (0, ⅓)/4. Mahalanobis' distance finds that at once.
    for metric, expected in (("euclidean", [-1 / 4, 1 / 4]), ("mahalanobis", [0, 1 / 6])):
        found = reference.double_relieff(HAND_X, HAND_Y, metric, [0, 0], 1)
        assert found == pytest.approx(expected)


def test_reference_of_relief_by_hand_with_three_classes():
    # Rows 0, 1, 2 | 4, 6 | 9, 10, in tenths. Other classes count half each for the first class,
    # 3/5 (the first) and 2/5 for the others: row 0 adds −.1 + .4/2 + .9/2, row 4 −.2 + .6 · .2 +
    # .4 · .5, and so on.
    X, y = [[0], [1], [2], [4], [6], [9], [10]], [0, 0, 0, 1, 1, 2, 2]
    parts = [0.55, 0.45, 0.35, 0.12, 0.16, 0.44, 0.54]
    for metric in METRICS:
        assert reference.relieff(X, y, metric) == pytest.approx([sum(parts) / 7])
    # Of any other class: 4, 3, 2, 2, 3, 3, 4 tenths to the misses, 1, 1, 1, 2, 2, 1, 1 to the hits.
    assert reference.relieff(X, y, "euclidean", miss="any") == pytest.approx([(21 - 9) / 70])


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(METRICS),
    st.sampled_from([None, 1, 3]),
    st.sampled_from(SHARES),
)
def test_weightings_equal_the_reference(seed, metric, k, shares):
    X, y = drawn_rows(seed, shares=shares)
    logistic = LogisticWeighting(n_neighbors=k, metric=metric).fit(X, y)
    margins = reference.hypothesis_margins(X.tolist(), y.tolist(), metric, k)
    assert_allclose(logistic.margins_, margins, rtol=1e-8, atol=1e-10)
    found = MarginWeighting(k, metric=metric).fit_weight(X, y)
    assert_allclose(found, reference.margin_weights(X.tolist(), y.tolist(), metric, k), rtol=1e-8)


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(METRICS),
    st.sampled_from([1, 3]),
    st.sampled_from(SHARES),
)
def test_relief_seeks_neighbours_under_the_metric(seed, metric, k, shares):
    X, y = drawn_rows(seed, shares=shares)
    named = "heom" if metric == "manhattan" else metric
    found = ReliefF(k, metric=named).fit(X, y).feature_importances_
    assert_allclose(found, reference.relieff(X.tolist(), y.tolist(), metric, k), atol=1e-10)
    found = ReliefF(k, metric=named, miss="any").fit(X, y).feature_importances_
    expected = reference.relieff(X.tolist(), y.tolist(), metric, k, "any")
    assert_allclose(found, expected, atol=1e-10)
    if k == 1:
        assert_allclose(Relief(metric=named).fit(X, y).feature_importances_, found, atol=1e-12)


def test_the_defaults_are_what_they_were():
    X, y = drawn_rows(1, n=40, d=8)
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


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["euclidean", "mahalanobis"]),
    st.sampled_from([1, 3]),
    st.sampled_from(SHARES),
    st.booleans(),
)
def test_double_relief_weighs_the_coordinates(seed, metric, k, shares, copies):
    X, y = drawn_rows(seed, n=14, shares=shares)
    if copies:  # as hit and miss they cancel, but for rounding errors
        X[7:13] = X[:6]
    visits = np.random.RandomState(0).permutation(14)
    found = DoubleReliefF(metric=metric, n_neighbors=k, random_state=0).fit(X, y)
    expected = reference.double_relieff(X.tolist(), y.tolist(), metric, visits, k)
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
