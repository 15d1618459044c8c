"""MDL discretisation against trying every cut."""

from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from backstay.feature_weighting import MDLDiscretizer
from reference.discretize import cuts, gain_and_price


def test_reference_on_a_hand_worked_case():
    # aaa|bbb: H = 1, both parts pure, so gain = 1 and
    # price = (log2 5 + log2 7 − 2·1)/6 ≈ 0.5216: the cut pays, and pure parts have no further one.
    rows = [(v, "a" if v < 4 else "b", 1.0) for v in (1, 2, 3, 5, 6, 7)]
    gain, price = gain_and_price(rows, rows[:3], rows[3:])
    assert gain == pytest.approx(1.0)
    assert price == pytest.approx((log2(5) + log2(7) - 2) / 6)
    assert cuts(rows) == [4.0]
    # aa|bb: price = (log2 3 + log2 7 − 2)/4 ≈ 0.598 < 1; a|b: price = (0 + log2 7 − 2)/2 ≈ 0.404.
    assert cuts(rows[1:5]) == [4.0]
    assert cuts(rows[2:4]) == [4.0]
    # abab: the best gain is 0.3113 bits after the first value, far below its price.
    assert cuts([(v, v % 2, 1.0) for v in range(4)]) == []


@settings(max_examples=30, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(-6, 6), st.integers(0, 3), st.sampled_from([0.25, 1, 2, 3.5])),
        min_size=4,
        max_size=60,
    ),
    relation=st.sampled_from(["none", "threshold", "bands"]),
    n_classes=st.integers(2, 4),
)
def test_equals_trying_every_cut(rows, relation, n_classes):
    """Ties, weights, several classes; classes unrelated to the value or in bands of it."""
    if relation == "threshold":
        rows = [(v, int(v > 0), w) for v, _, w in rows]
    elif relation == "bands":
        rows = [(v, (v + 6) // 3 % n_classes, w) for v, _, w in rows]
    else:
        rows = [(v, c % n_classes, w) for v, c, w in rows]
    y = [c for _, c, _ in rows]
    if len(set(y)) < 2:
        return
    omega = np.array([w for _, _, w in rows], dtype=float)
    if omega.sum() < len(omega):
        omega *= len(omega) / omega.sum()
    expected = cuts([(v, c, w) for (v, c, _), w in zip(rows, omega, strict=True)])
    X = np.array([[float(v)] for v, _, _ in rows])
    found = MDLDiscretizer().fit(X, y, [w for _, _, w in rows])
    np.testing.assert_allclose(found.cut_points_[0], expected)
    bins = [sum(v > c for c in expected) for v in X[:, 0]]
    assert found.transform(X)[:, 0].tolist() == bins


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(4, 60), n_classes=st.integers(2, 4))
def test_integer_weights_are_repetitions(seed, n, n_classes):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = np.round(rng.normal(size=(n, 5)) + 2 * y[:, None], 1)
    times = rng.integers(0, 4, size=n)
    times[:n_classes] = 1
    weighted = MDLDiscretizer().fit(X, y, times)
    repeated = MDLDiscretizer().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    for a, b in zip(weighted.cut_points_, repeated.cut_points_, strict=True):
        np.testing.assert_array_equal(a, b)


def test_weights_that_sum_to_one_count_as_rows():
    X, y = load_iris(return_X_y=True)
    plain = MDLDiscretizer().fit(X, y)
    light = MDLDiscretizer().fit(X, y, np.full(len(y), 1 / len(y)))
    assert [c.tolist() for c in plain.cut_points_] == [c.tolist() for c in light.cut_points_]


def test_iris_petals():
    """The cuts that R's ``discretization::mdlp(iris)`` reports."""
    X, y = load_iris(return_X_y=True)
    found = MDLDiscretizer().fit(X, y)
    assert [np.round(c, 2).tolist() for c in found.cut_points_] == [
        [5.55, 6.15],
        [2.95, 3.35],
        [2.45, 4.75],
        [0.8, 1.75],
    ]
    assert found.n_bins_.tolist() == [3, 3, 3, 3]


def test_a_feature_nothing_can_be_said_about_becomes_constant():
    X = np.array([[1.0, 3.0], [1.0, 1.0], [1.0, 4.0], [1.0, 2.0]])
    found = MDLDiscretizer().fit(X, [0, 1, 1, 0])
    assert found.n_bins_.tolist() == [1, 1]
    assert (found.transform(X) == 0).all()


def test_extreme_and_adjacent_values_stay_apart():
    big = np.finfo(float).max
    one = 1.0
    above = np.nextafter(one, 2)
    X = np.array([[-big, one]] * 10 + [[big, above]] * 10)
    y = np.repeat([0, 1], 10)
    codes = MDLDiscretizer().fit(X, y).transform(X)
    assert codes[:, 0].tolist() == y.tolist()
    assert codes[:, 1].tolist() == y.tolist()


def test_new_values_and_float32():
    X = np.linspace(0, 1, 40, dtype=np.float32)[:, None]
    found = MDLDiscretizer().fit(X, (X[:, 0] > 0.5).astype(int))
    outside = np.array([[-5.0], [9.0]], dtype=np.float32)
    assert found.transform(outside).tolist() == [[0.0], [1.0]]
    assert found.transform(X).dtype == np.float32


def test_bad_input_is_explained():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="one class only, 2"):
        MDLDiscretizer().fit(X, y, y == 2)
    with pytest.raises(ValueError, match="MDLDiscretizer takes classes as outcome"):
        MDLDiscretizer().fit(X, X[:, 0])
    with pytest.raises(ValueError, match="NaN"):
        MDLDiscretizer().fit(np.full((4, 1), np.nan), [0, 1, 0, 1])
