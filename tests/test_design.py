"""Covariates as numbers, and what training rows say of them."""

import numpy as np
import pandas as pd
import pytest

from backstay._design import (
    Adjustment,
    Covariates,
    Design,
    Regression,
    basis,
    column_names,
    encoded,
)

RNG = np.random.default_rng(3)
FRAME = pd.DataFrame(
    {"age": RNG.normal(50, 9, 40), "sex": ["m", "f", "m", "m"] * 10, "site": [*"abbc"] * 10}
)


def test_levels_have_columns_but_for_the_most_frequent():
    found = Covariates.of(FRAME)
    assert found.levels == {"age": None, "sex": ["m", "f"], "site": ["b", "a", "c"]}
    assert column_names(found.levels) == ["age", "sex f", "site a", "site c"]
    np.testing.assert_array_equal(found.Z[:2, 1:], [[0, 1, 0], [1, 0, 0]])
    sick = Covariates.of({"sick": [True, False, True, True] * 5})
    assert column_names(sick.levels) == ["sick False"]
    few = Design(found, batch=np.arange(40)).take([3, 1])
    np.testing.assert_array_equal(few.covariates.Z, found.Z[[3, 1]])
    assert few.batch.tolist() == [3, 1]


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ([np.nan, *range(39)], "missing in 1 rows, first row 0"),
        ([5] * 40, "one value in all rows"),
        ([f"p{i}" for i in range(40)], "names rows"),
    ],
)
def test_columns_that_cannot_be_adjusted_for(column, words):
    with pytest.raises(ValueError, match=words):
        Covariates.of({"x": column})
    with pytest.raises(ValueError, match="too many for 12 rows"):
        Covariates.of(RNG.normal(size=(12, 5)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sex": None}, "'sex' is not among the columns"),
        ({"sex": ["x"] * 40}, "'sex' is 'x' in some rows; the study knew 'm', 'f'"),
        ({"age": ["old"] * 40}, "'age' held numbers"),
        ({"age": [np.nan] * 40}, "missing in 40 rows"),
    ],
)
def test_rows_of_a_cohort_must_have_the_same_columns(change, words):
    frame = FRAME.assign(**change)
    frame = frame.drop(columns=[name for name, value in change.items() if value is None])
    with pytest.raises(ValueError, match=words):
        encoded(Covariates.of(FRAME).levels, frame)


def test_regression_is_least_squares():
    Z, X = Covariates.of(FRAME).Z, RNG.normal(size=(40, 3))
    both = np.column_stack([np.ones(40), Z])
    fitted = both @ np.linalg.lstsq(both, X, rcond=None)[0]
    np.testing.assert_allclose(
        Regression.fit(Z, X).explained(Z), fitted - X.mean(axis=0), atol=1e-12
    )
    omega = RNG.integers(1, 4, 40).astype(float)
    repeated = np.repeat(np.arange(40), omega.astype(int))
    again = Regression.fit(Z[repeated], X[repeated])
    np.testing.assert_allclose(Regression.fit(Z, X, omega).coef, again.coef, atol=1e-12)
    Q = basis(np.column_stack([Z, Z[:, 0] * 2, np.ones(40)]), omega)
    assert Q.shape == (40, 5)
    np.testing.assert_allclose(Q.T @ Q, np.eye(5), atol=1e-12)


def test_nothing_is_estimated_from_test_rows():
    """Coefficients and means of batches do not change with test rows; a new batch has its own."""
    X, covariates = RNG.normal(size=(40, 6)), Covariates.of(FRAME)
    design = Design(covariates, batch=FRAME["site"].to_numpy(), centered=True)
    train, test = np.arange(28), np.arange(28, 40)
    fitted = Adjustment.fit(X[train], design.take(train))
    changed = X.copy()
    changed[test] = 1e6 * RNG.normal(size=(12, 6))
    again = Adjustment.fit(changed[train], design.take(train))
    np.testing.assert_array_equal(fitted.regression.coef, again.regression.coef)
    one = fitted.centered(X, design)
    # A row is adjusted by what training rows say, whatever rows come with it.
    np.testing.assert_array_equal(fitted.centered(X[30:31], design.take([30])), one[30:31])
    for name in "abc":
        rows = train[design.batch[train] == name]
        np.testing.assert_allclose(one[rows].mean(axis=0), 0, atol=1e-12)
    new = Design(covariates, batch=np.array(["z"] * 40), centered=True)
    np.testing.assert_allclose(fitted.centered(X, new).mean(axis=0), 0, atol=1e-12)
