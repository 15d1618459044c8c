"""RReliefF against the loop straight from the paper, and against Weka's figures."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.utils import check_random_state

from backstay import RReliefF
from reference import relief as reference
from strategies import grids, instance_weights

CASES = json.loads((Path(__file__).parents[1] / "data" / "weka_rrelieff.json").read_text())
FIGURES = [(case, figure) for case in CASES["cases"] for figure in case["scores"]]


def one_class(rows, **options):
    return reference.Table(rows, [0] * len(rows), **options)


def test_the_reference_on_a_case_worked_by_hand():
    # One feature 0, 1/4, 1 and y 0, 1, 2, k = 1: pairs (0, 1), (1, 0), (2, 1) differ by 1/4, 1/4,
    # 3/4 in the feature and by 1/2 each in y. N_dC = 3/2, N_dA = 5/4, N_dCdA = 5/8, m = 3.
    table = one_class([[0.0], [0.25], [1.0]])
    assert reference.rrelieff(table, [0.0, 1.0, 2.0], 1) == pytest.approx([5 / 12 - 5 / 12])
    # y 0, 0, 2: the pairs differ by 0, 0, 1 in y. N_dC = 1, N_dCdA = 3/4: 3/4 - (1/2)/2.
    assert reference.rrelieff(table, [0.0, 0.0, 2.0], 1) == pytest.approx([0.5])


@st.composite
def numbered(draw):
    """A table on a grid, and numbers of which some are equal."""
    n, d = draw(st.integers(3, 14)), draw(st.integers(1, 5))
    y = np.array(draw(st.lists(st.integers(0, 6), min_size=n, max_size=n))) / 4
    y[0], y[1] = 0.0, 1.25
    return draw(grids(n, d)), y


@given(st.data(), numbered(), st.integers(1, 15), st.sampled_from([None, 2.0]))
def test_it_equals_the_reference(data, table, k, sigma):
    X, y = table
    omega = data.draw(st.one_of(st.none(), instance_weights(len(y))))
    if omega is not None:
        omega[:2] = 0.5
    rows = X.tolist()
    given_weights = None if omega is None else omega.tolist()
    expected = reference.rrelieff(one_class(rows), y.tolist(), k, sigma, given_weights)
    for form in (X, sparse.csr_array(X - 0.375)):
        got = RReliefF(k, sigma=sigma).fit(form, y, omega).feature_importances_
        assert_allclose(got, expected, atol=1e-9)
    visited = RReliefF(k, sigma=sigma, n_draws=2, random_state=5)
    drawn = check_random_state(5).permutation(len(y))[:2].tolist()
    if omega is None:
        expected = reference.rrelieff(one_class(rows), y.tolist(), k, sigma, visits=drawn)
        assert_allclose(visited.fit(X, y).feature_importances_, expected, atol=1e-9)


@given(st.data(), numbered(), st.sampled_from(["distribution", "worst"]))
def test_gaps_and_nominal_columns_equal_the_reference(data, table, missing):
    X, y = table
    n = len(y)
    X[2:, 0] = np.where(data.draw(st.lists(st.booleans(), min_size=n - 2, max_size=n - 2)),
                        np.nan, X[2:, 0])  # fmt: skip
    nominal = data.draw(st.lists(st.sampled_from(["u", "v", "w", None]), min_size=n, max_size=n))
    frame = pd.DataFrame(X).add_prefix("a").assign(s=pd.Categorical(nominal))
    rows = [
        [*(None if np.isnan(v) else v for v in row), value]
        for row, value in zip(X.tolist(), nominal, strict=True)
    ]
    # All rows are neighbours: rounding cannot turn a choice among them.
    oracle = one_class(rows, nominal=[X.shape[1]], missing=missing)
    expected = reference.rrelieff(oracle, y.tolist(), 50)
    got = RReliefF(50, missing=missing).fit(frame, y).feature_importances_
    assert_allclose(got, expected, atol=1e-9)


@pytest.mark.parametrize(("case", "figure"), FIGURES, ids=lambda v: v.get("name", ""))
def test_scores_are_wekas(case, figure):
    X = pd.DataFrame(case["X"], columns=[f"a{j}" for j in range(len(case["X"][0]))])
    ranker = RReliefF(figure["n_neighbors"], sigma=figure["sigma"], missing="worst")
    ranker.fit(X, case["y"])
    assert_allclose(ranker.feature_importances_, figure["weka"], atol=1e-9, rtol=0)


@pytest.mark.parametrize("n_draws", [None, 100])
def test_threads_and_blocks_do_not_change_the_result(n_draws):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 600)), rng.normal(size=300)
    expected = RReliefF(n_draws=n_draws, random_state=0).fit(X, y).feature_importances_
    for n_jobs in (2, 3):
        ranker = RReliefF(n_draws=n_draws, random_state=0, n_jobs=n_jobs).fit(X, y)
        assert_array_equal(ranker.feature_importances_, expected)
    if n_draws is None:
        blocks = RReliefF(n_draws=300).fit(X, y).feature_importances_
        assert_allclose(blocks, expected, atol=1e-12)


def test_units_shift_and_sign_of_the_outcome_do_not_matter():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 5)), rng.normal(size=40)
    expected = RReliefF().fit(X, y).feature_importances_
    for other in (1e200 * y, 3.0 - y, 1e-200 * y):
        assert_allclose(RReliefF().fit(X, other).feature_importances_, expected, atol=1e-9)


def test_features_that_matter_only_together_are_found():
    X = np.random.default_rng(0).uniform(-1, 1, size=(300, 20))
    y = np.sign(X[:, 3] * X[:, 8]) + 0.1 * X[:, 0]
    assert set(np.flatnonzero(RReliefF().fit(X, y).ranking_ <= 2)) == {3, 8}
