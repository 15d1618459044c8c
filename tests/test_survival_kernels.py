"""Survival kernels against plain loops, a case worked by hand, and figures of R and others."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from backstay._kernels import _cox as cox
from backstay._kernels import _survival as kernels
from reference import censored_scores as scores
from reference import survival as reference

ORACLES = json.loads((Path(__file__).parent / "data" / "survival_oracles.json").read_text())
SETS = ["lung", "veteran", "rossi"]

# Six rows; at time 2 an event and a censoring.
TIME = np.array([1.0, 2.0, 2.0, 3.0, 4.0, 5.0])
EVENT = np.array([True, True, False, False, True, False])
X = np.array([3.0, 1.0, 2.0, 2.0, 0.0, 1.0])
ROWS = list(zip(TIME.tolist(), EVENT.tolist(), strict=True))
ONES = np.ones(6)


def test_the_reference_on_a_case_worked_by_hand():
    curve = reference.kaplan_meier(ROWS)
    assert curve == [
        (1.0, pytest.approx(5 / 6), 6, 1),
        (2.0, pytest.approx(2 / 3), 5, 1),
        (3.0, pytest.approx(2 / 3), 3, 0),
        (4.0, pytest.approx(1 / 3), 2, 1),
        (5.0, pytest.approx(1 / 3), 1, 0),
    ]
    # Of 5 at risk at time 2 one has the event, and of the 4 others one is censored: 3/4. Then 1 of
    # 3. At time 5 the last row is censored.
    shares = [reference.censoring(ROWS, t) for t in (1, 2, 3, 4, 5, 6)]
    assert shares == pytest.approx([1, 1, 3 / 4, 1 / 2, 1 / 2, 0])
    # Row 0 is above all 5; row 1 below two, above one, level with one; row 4 below one.
    assert reference.pairs(ROWS, X) == (6, 3, 1, 0, 0)
    # Weights 1, 1 and 1/(1/2)²: (5 + 1.5 + 0)/(5 + 4 + 4).
    assert reference.uno(ROWS, X, 9.0) == pytest.approx(0.5)
    assert reference.uno(ROWS, X, 2.0) == 1.0
    # At 3: rows 0 and 1 against rows 3, 4 and 5: 3 and 1.5 of 3.
    assert reference.auc(ROWS, X, 3.0) == pytest.approx(0.75)
    # Two rows of weight 1, three of weight 4/3, all with an error of 1/2.
    assert reference.brier(ROWS, [0.5] * 6, 3.0) == pytest.approx(0.25)
    # Rows 0, 2, 3 against the others: expected 1/2 + 2/5 + 0, variance 1/4 + 6/25.
    assert reference.logrank(ROWS, [1, 0, 1, 1, 0, 0]) == pytest.approx(0.1**2 / 0.49)
    found = [30 * r for r in reference.residuals(ROWS, ONES)]
    assert found == pytest.approx([25, 19, -11, -11, 4, -26])
    # Means 3/2, 6/5 and 1/2 at the events; variances 11/12, 14/25 and 1/4.
    score, information = reference.score_and_information(np.zeros(1), X[:, None], ROWS, ONES)
    assert score == pytest.approx([0.8])
    assert information.ravel() == pytest.approx([11 / 12 + 14 / 25 + 1 / 4])
    value = reference.log_likelihood(np.zeros(1), X[:, None], ROWS, ONES)
    assert value == pytest.approx(-np.log(6 * 5 * 2))
    steps = reference.hazard(ROWS, np.zeros(6), ONES)
    assert [h for _, h in steps] == pytest.approx([1 / 6, 11 / 30, 26 / 30])


def test_the_reference_s_slope_is_that_of_its_likelihood():
    table, beta = np.column_stack([X, X[::-1] ** 2]), np.array([0.3, -0.1])
    omega, ahead = np.array([1.0, 2, 1, 0.5, 1, 1]), 1e-6 * np.eye(2)
    score, information = reference.score_and_information(beta, table, ROWS, omega)
    for k, step in enumerate(ahead):
        up, down = beta + step, beta - step
        rise = [reference.log_likelihood(b, table, ROWS, omega) for b in (up, down)]
        assert (rise[0] - rise[1]) / 2e-6 == pytest.approx(score[k], abs=1e-6)
        bend = [reference.score_and_information(b, table, ROWS, omega)[0] for b in (up, down)]
        assert_allclose((bend[1] - bend[0]) / 2e-6, information[k], atol=1e-6)


@st.composite
def followed(draw, n_features=0):
    """Times with many ties, at least one event; then a table on a grid and weights."""
    n = draw(st.integers(4, 16))

    def numbers(low, high, size=n):
        return np.array(draw(st.lists(st.integers(low, high), min_size=size, max_size=size)), float)

    time, event = numbers(1, 7), numbers(0, 1) > 0
    event[draw(st.integers(0, n - 1))] = True
    table = numbers(-4, 4, n * n_features).reshape(n, n_features) / 2
    return time, event, table, numbers(1, 3)


def rows_of(time, event):
    return list(zip(time.tolist(), event.tolist(), strict=True))


@given(followed(2), st.integers(1, 16))
def test_curves_and_pairs_equal_the_reference(case, twice):
    time, event, table, _ = case
    rows, risk, horizon = rows_of(time, event), table[:, 0], twice / 2
    curve = kernels.kaplan_meier(time, event)
    assert_allclose(np.column_stack(curve), reference.kaplan_meier(rows), atol=1e-12)
    at = np.array([0.5, *time, 8.0])
    shares = kernels.censoring_survival(time, event, at)
    assert_allclose(shares, [reference.censoring(rows, t) for t in at], atol=1e-12)
    assert kernels.concordance_counts(time, event, risk) == reference.pairs(rows, risk)
    g = shares[1:-1]
    with np.errstate(divide="ignore"):
        weights = 1 / np.where(event, g, 1.0)
    expected = reference.uno(rows, risk, horizon)
    found = scores.uno_c(time, event, risk, weights**2, horizon)
    assert found == pytest.approx(np.nan if expected is None else expected, nan_ok=True)
    expected = reference.auc(rows, risk, horizon)
    found = scores.auc_at(time, event, risk, weights, horizon)
    assert found == pytest.approx(np.nan if expected is None else expected, nan_ok=True)
    survival = 1 / (1 + np.exp(risk))
    found = scores.brier_at(
        time, event, survival, g, kernels.censoring_survival(time, event, horizon), horizon
    )
    assert found == pytest.approx(reference.brier(rows, survival, horizon))
    statistic, degrees = kernels.logrank(time, event, risk)
    present = {x for x, t in zip(risk, time, strict=True) if t >= time[event].min()}
    assert degrees == len(present) - 1
    assert statistic == pytest.approx(reference.logrank(rows, risk.tolist()), abs=1e-8)


@given(followed(3))
def test_score_tests_and_residuals_equal_the_reference(case):
    time, event, table, omega = case
    rows = rows_of(time, event)
    assert_allclose(
        cox.null_residuals(time, event, omega), reference.residuals(rows, omega), atol=1e-12
    )
    U, V = cox.score_tests(table, time, event, omega, np.empty((len(time), 0)))
    for j in range(3):
        column = table[:, [j]]
        score, information = reference.score_and_information(np.zeros(1), column, rows, omega)
        assert_allclose([U[j], V[j]], [score[0], information[0, 0]], atol=1e-9)
    eta = table[:, 0]
    assert_allclose(
        np.column_stack(cox.baseline_hazard(time, event, eta, omega)),
        reference.hazard(rows, eta, omega),
        rtol=1e-10,
    )


@given(followed(3))
def test_score_tests_beside_covariates_equal_the_reference(case):
    time, event, table, omega = case
    rows, Z = rows_of(time, event), table[:, 1:]
    alone = cox.cox_ridge(Z, time, event, omega, 0.0, np.ones(2))
    score, information = reference.score_and_information(alone, Z, rows, omega)
    if np.abs(score).max() > 1e-6 or np.linalg.cond(information) > 1e8:
        return  # a covariate that foretells the order of events has no finite coefficient
    U, V = cox.score_tests(table[:, [0]], time, event, omega, Z)
    score, bend = reference.score_and_information(np.array([0.0, *alone]), table, rows, omega)
    left = bend[0, 0] - bend[0, 1:] @ np.linalg.solve(bend[1:, 1:], bend[1:, 0])
    if left > 1e-6:
        assert_allclose([U[0], V[0]], [score[0], left], atol=1e-6)


def test_a_covariate_that_varies_before_the_first_event_alone_has_no_say():
    time, event = np.array([1.0, 1, 2, 1]), np.array([False, False, True, False])
    Z = np.array([[0.0, 0.0], [0, 0], [0, 0], [0.5, 0.5]])
    U, V = cox.score_tests(Z, time, event, np.ones(4), Z)
    assert_array_equal([U, V], np.zeros((2, 2)))
    assert_array_equal(cox.cox_ridge(Z, time, event, np.ones(4), 0.0, np.ones(2)), [0.0, 0.0])


@given(followed(3), st.sampled_from([0.5, 2.0]), st.integers(0, 2))
def test_ridge_equals_the_reference(case, penalty, heavier):
    time, event, table, omega = case
    factors = np.ones(3)
    factors[heavier] = 4.0
    rows = rows_of(time, event)
    found = cox.cox_ridge(table, time, event, omega, penalty, factors)
    score, _ = reference.score_and_information(found, table, rows, omega)
    assert_allclose(score, penalty * factors * found, atol=1e-6)
    expected = reference.ridge(table, rows, omega, penalty * factors)
    assert_allclose(found, expected, atol=1e-5)
    # Many halves of a feature are the feature: solved in the dimensions of the rows.
    many = np.hstack([np.repeat(table, 9, axis=1) / 3])
    spread = cox.cox_ridge(many, time, event, omega, penalty, np.repeat(factors, 9))
    assert_allclose(spread, np.repeat(found, 9) / 3, atol=1e-6)


@given(followed(4), st.sampled_from([0.3, 1.0]), st.sampled_from([0.0, 1.0, 2.0]))
def test_path_meets_the_conditions_of_optimality(case, alpha, factor):
    time, event, table, omega = case
    factors = np.array([1.0, 1.0, factor, 1.0])
    if factor == 0.0:  # unpenalised: one that cannot run away to infinity
        table[:, 2] = np.arange(len(time)) % 2
        time, event = np.concatenate([time, time]), np.concatenate([event, event])
        table, omega = np.vstack([table, table]), np.concatenate([omega, omega])
        table[len(time) // 2 :, 2] = 1 - table[len(time) // 2 :, 2]
    rows, mass = rows_of(time, event), omega.sum()
    penalties, path = cox.cox_path(table, time, event, omega, alpha, 8, factors, least=0.05)
    assert (np.diff(penalties) < 0).all()
    for penalty, beta in zip(penalties, path, strict=True):
        slope = reference.score_and_information(beta, table, rows, omega)[0] / mass
        l1, l2 = penalty * alpha * factors, penalty * (1 - alpha) * factors
        into = beta != 0
        assert_allclose(slope[into], (l2 * beta + l1 * np.sign(beta))[into], atol=1e-5)
        assert (np.abs(slope[~into]) <= l1[~into] + 1e-5).all()
    if len(path):
        assert not path[0, factors > 0].any()
        given_grid = cox.cox_path(table, time, event, omega, alpha, penalties, factors)
        assert_array_equal(given_grid[1], path)


@pytest.mark.parametrize("name", SETS)
def test_figures_of_r(name):
    case = ORACLES[name]
    time, event = np.array(case["time"], dtype=float), np.array(case["event"]) == 1
    table = np.array(case["X"], dtype=float).T
    x, horizon, ones = table[:, 0].copy(), case["horizon"], np.ones(len(time))
    times, survival, _, _ = kernels.kaplan_meier(time, event)
    at = np.searchsorted(times, horizon) - 1
    assert survival[at] == pytest.approx(case["survival"], rel=1e-10)
    assert survival[at] == pytest.approx(case["lifelines"]["survival"], rel=1e-10)
    counts = kernels.concordance_counts(time, event, x)
    assert list(counts) == case["concordance"]
    c = (counts[0] + counts[2] / 2) / sum(counts[:3])
    assert c == pytest.approx(case["lifelines"]["concordance_index"], rel=1e-10)
    g = kernels.censoring_survival(time, event, time)
    uno = scores.uno_c(time, event, x, 1 / g**2, horizon)
    assert uno == pytest.approx(case["uno"], rel=1e-9)
    assert kernels.logrank(time, event, x) == pytest.approx(case["logrank"], rel=1e-9)
    found = cox.null_residuals(time, event, ones)[:5]
    assert_allclose(found, case["martingale"], rtol=1e-9)
    U, V = cox.score_tests(table, time, event, ones, np.empty((len(time), 0)))
    assert_allclose(U**2 / V, case["score"], rtol=1e-9)
    U, V = cox.score_tests(table[:, :1], time, event, ones, table[:, 1:])
    assert pytest.approx(case["score_given_others"], rel=1e-7) == U**2 / V
    free = cox.cox_ridge(table, time, event, ones, 0.0, ones[:1])
    assert_allclose(free, case["coefficients"], rtol=1e-7)
    ridge = cox.cox_ridge(table, time, event, ones, 50.0, ones[:1])
    assert_allclose(ridge, case["ridge_50"], rtol=1e-7)
    scaled = (table - table.mean(axis=0)) / table.std(axis=0, ddof=1)
    penalties, path = cox.cox_path(scaled, time, event, ones, 0.5, 6, ones[:1], least=0.05)
    assert_allclose(penalties, case["lambdas"], rtol=1e-9)
    assert_allclose(path, case["net"], atol=2e-6)
    steps, hazard = cox.baseline_hazard(time, event, table @ free, ones)
    cumulative = hazard[np.searchsorted(steps, horizon) - 1]
    assert cumulative == pytest.approx(case["hazard_at_horizon"], rel=1e-6)
    eta = table @ np.array(case["coefficients"])
    alive = np.exp(-case["hazard_at_horizon"] * np.exp(eta))
    at_horizon = kernels.censoring_survival(time, event, horizon)
    assert scores.auc_at(time, event, eta, 1 / g, horizon) == pytest.approx(case["sksurv"]["auc"])
    brier = scores.brier_at(time, event, alive, g, at_horizon, horizon)
    assert brier == pytest.approx(case["sksurv"]["brier"])
