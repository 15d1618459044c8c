"""Rankers for times until an event against the plain loops, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn import config_context

from backstay import (
    CoxPath,
    CoxScore,
    ForestImportance,
    LassoPath,
    OnResiduals,
    RReliefF,
    Spearman,
    TTest,
)
from backstay._kernels._survival import logrank
from estimators import survival
from reference import survival as reference
from strategies import grids, instance_weights


def followed(n=80, d=12, seed=0):
    """Rows whose hazard rises with feature 0 and falls with feature 1; about 30 % censored."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    time = rng.exponential(np.exp(X[:, 1] - X[:, 0]))
    last = rng.exponential(3.0, n)
    return X, survival(np.minimum(time, last), time <= last)


@st.composite
def tied(draw):
    """A table on a grid, and times with many ties."""
    n, d = draw(st.integers(4, 14)), draw(st.integers(1, 4))
    time = draw(st.lists(st.integers(1, 6), min_size=n, max_size=n))
    event = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    time[:2], event[:2] = [2, 7], [True, False]
    return draw(grids(n, d)), survival(time, event)


@given(st.data(), tied(), st.sampled_from([None, "shrunken"]))
def test_score_equals_the_reference(data, table, moderation):
    X, y = table
    omega = data.draw(st.one_of(st.none(), instance_weights(len(y))))
    if omega is not None:
        omega[:2] = 0.5
    found = CoxScore(moderation=moderation).fit(X, y, omega).feature_importances_
    own = np.ones(len(y)) if omega is None else omega
    kept = own > 0
    own = own[kept] * max(1.0, kept.sum() / own.sum())
    rows = list(zip(y["time"][kept].tolist(), y["event"][kept].tolist(), strict=True))
    parts = [
        reference.score_and_information(np.zeros(1), X[kept][:, [j]], rows, own)
        for j in range(X.shape[1])
    ]
    U = np.array([abs(score[0]) for score, _ in parts])
    error = np.sqrt([information[0, 0] for _, information in parts])
    error[error < 1e-7] = 0.0
    extra = 0.0 if moderation is None else np.median(error)
    error = error + extra
    expected = np.divide(U, error, out=np.zeros(len(U)), where=error > 0)
    assert_allclose(found, expected, atol=1e-6)


def test_two_groups_are_the_log_rank_test():
    X, y = followed()
    groups = (X > 0).astype(float)
    found = CoxScore().fit(groups, y).feature_importances_
    for j, statistic in enumerate(found):
        expected, _ = logrank(y["time"], y["event"], groups[:, j])
        assert statistic**2 == pytest.approx(expected)


def test_p_values_are_of_the_plain_statistic():
    X, y = followed()
    ranker = CoxScore(n_features_to_select="fdr").fit(X, y)
    assert_allclose(ranker.pvalues_, stats.chi2.sf(ranker.feature_importances_**2, 1))
    assert {0, 1} <= set(ranker.get_support(indices=True))
    shrunken = CoxScore(moderation="shrunken").fit(X, y)
    with pytest.raises(AttributeError, match="distribution of the shrunken statistic"):
        _ = shrunken.pvalues_
    with pytest.raises(ValueError, match="needs p-values"):
        CoxScore(moderation="shrunken", n_features_to_select="fdr").fit(X, y)


def test_p_values_are_uniform_for_noise():
    rng = np.random.default_rng(0)
    _, y = followed(100)
    p = CoxScore().fit(rng.normal(size=(100, 2000)), y).pvalues_
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_shrinking_keeps_features_that_hardly_vary_down():
    X, y = followed(40, 60)
    X[:, 30:] *= 1e-3
    assert CoxScore(moderation="shrunken").fit(X, y).ranking_[:30].mean() < 25
    plain = CoxScore().fit(X, y)
    assert_allclose(plain.feature_importances_, CoxScore().fit(X * 1e12, y).feature_importances_)


@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
def test_path_ranks_by_entry(l1_ratio):
    X, y = followed(d=40)
    ranker = CoxPath(l1_ratio).fit(X, y)
    assert set(np.argsort(ranker.ranking_)[:2]) == {0, 1}
    entered = ranker.selection_path_.any(axis=0)
    first = np.where(entered, ranker.selection_path_.argmax(axis=0), 999)
    assert (np.diff(first[np.argsort(ranker.ranking_)]) >= 0).all()
    assert ranker.n_ranked_ == entered.sum() < 40
    assert ranker.coef_[0, 0] > 0 > ranker.coef_[0, 1]
    assert_array_equal(CoxPath(l1_ratio).fit(7 * X + 3, y).ranking_, ranker.ranking_)
    again = CoxPath(l1_ratio, lambdas=ranker.lambdas_).fit(X, y)
    assert_array_equal(again.selection_path_, ranker.selection_path_)
    assert_allclose(again.feature_importances_, ranker.feature_importances_)


def test_path_says_where_it_is_not_exact():
    X, y = followed(d=40)
    with (
        config_context(skip_parameter_validation=True),  # which refuses such a tolerance
        pytest.warns(UserWarning, match="penalties the solution is not as exact as tol=1e-30"),
    ):
        CoxPath(n_lambdas=3, tol=1e-30).fit(X, y)
    with pytest.raises(ValueError, match="each less than the one before"):
        CoxPath(lambdas=[0.1, 0.2]).fit(X, y)


def test_nothing_enters_if_nothing_varies():
    X, y = followed()
    ranker = CoxPath().fit(np.ones_like(X), y)
    assert ranker.n_ranked_ == 0
    assert_array_equal(CoxScore().fit(np.ones_like(X), y).feature_importances_, 0.0)


@pytest.mark.parametrize("ranker", [Spearman(), LassoPath(), ForestImportance(5, random_state=0)])
def test_residuals_are_what_the_ranker_for_numbers_sees(ranker):
    X, y = followed()
    omega = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    rows = list(zip(y["time"].tolist(), y["event"].tolist(), strict=True))
    residuals = reference.residuals(rows, np.ones(len(y)))
    fitted = OnResiduals(ranker).fit(X, y)
    assert_allclose(fitted.residuals_, residuals, atol=1e-12)
    alone = ranker.fit(X, fitted.residuals_)
    assert_array_equal(fitted.ranking_, alone.ranking_)
    assert fitted.n_ranked_ == alone.n_ranked_
    kept = omega > 0
    weighted = OnResiduals(ranker).fit(X, y, omega)
    assert_allclose(weighted.residuals_[~kept], 0.0)
    assert_allclose((omega * weighted.residuals_).sum(), 0.0, atol=1e-9)


def test_it_takes_what_its_ranker_takes():
    assert OnResiduals(RReliefF()).outcomes == ("survival",)
    assert OnResiduals(TTest()).outcomes == ()
    X, y = followed()
    with pytest.raises(ValueError, match="OnResiduals takes nothing"):
        OnResiduals(TTest()).fit(X, y)


def test_fields_may_have_any_name_and_order():
    X, y = followed()
    other = np.empty(len(y), dtype=[("months", "<f4"), ("dead", "?")])
    other["months"], other["dead"] = y["time"], y["event"]
    expected = CoxScore().fit(X, survival(other["months"], y["event"])).feature_importances_
    assert_array_equal(CoxScore().fit(X, other).feature_importances_, expected)


def changed(**fields):
    X, y = followed()
    for name, (row, value) in fields.items():
        y[name][row] = value
    return X, y


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (changed(time=(3, 0.0)), "the time 0 in row 3; CoxScore needs finite times above 0"),
        (changed(time=(3, -1.5)), "the time -1.5 in row 3"),
        (changed(time=(4, np.nan)), "the time nan in row 4"),
        (changed(time=(5, np.inf)), "the time inf in row 5"),
        (changed(event=(slice(None), False)), "no event in 80 rows, all of them are censored"),
        (
            changed(time=(slice(None), 2.0), event=(slice(None), True)),
            "nobody left to compare with after the first event, at time 2;",
        ),
    ],
)
def test_times_that_cannot_be_are_named(case, message):
    with pytest.raises(ValueError, match=message):
        CoxScore().fit(*case)


def test_fields_that_are_no_times_until_an_event_are_named():
    X, _ = followed()
    y = np.zeros(len(X), dtype=[("a", "<f8"), ("b", "<f8")])
    with pytest.raises(ValueError, match=r"y has the fields a, b; .* needs two, a truth value"):
        CoxScore().fit(X, y)


def test_weights_of_censored_rows_alone_are_refused():
    X, y = followed()
    with pytest.raises(ValueError, match="positive only for censored rows; CoxPath needs"):
        CoxPath().fit(X, y, (~y["event"]).astype(float))


@pytest.mark.parametrize(
    ("ranker", "hint"),
    [
        (TTest(), "CoxScore takes times until an event"),
        (LassoPath(), "CoxPath takes times until an event"),
        (RReliefF(), r"OnResiduals\(RReliefF\(\)\) takes times until an event"),
    ],
)
def test_other_rankers_say_what_to_use(ranker, hint):
    with pytest.raises(ValueError, match=hint):
        ranker.fit(*followed())
