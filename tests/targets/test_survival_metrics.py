"""Metrics of times until an event, against loops over pairs, also pooled over resamples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from backstay._kernels._survival import concordance_counts
from backstay.targets import as_target, survival
from backstay.targets._survival import SurvivalTarget
from backstay.targets._survival_follow_up import FollowUp
from reference import pooled_survival as slow
from reference.censored_scores import auc_at, brier_at, uno_c

METRICS = SurvivalTarget.metrics


@st.composite
def tables(draw):
    """A few rows with ties in time and risk, tested by a few runs, and drawn rows."""
    n = draw(st.integers(6, 14))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = survival(rng.integers(1, 9, n), rng.random(n) < 0.7)
    y["event"][:2], y["time"][:3] = True, [1, 2, 8]
    target = SurvivalTarget(y, FollowUp.of(y))
    runs = []
    for _ in range(draw(st.integers(1, 4))):
        rows = np.sort(rng.choice(n, rng.integers(2, n + 1), replace=False))
        risk, own, usual = rng.integers(0, 5, len(rows)), rng.random(len(rows)), rng.random()
        said = np.column_stack([risk, own, np.full(len(rows), usual), risk % 3])
        runs.append((rows, said))
    return target, runs, rng.multinomial(n, np.full(n, 1 / n), size=3).astype(float)


def test_a_case_worked_by_hand():
    """Rows 0 and 2 have events at 1 and 3; row 1 is censored at 2, row 3 at 4."""
    y = survival([1, 2, 3, 4], [1, 0, 1, 0])
    # Three rows are at risk of being censored at 2, one of two at 4.
    shares = [slow.followed(y["time"], y["event"], at) for at in (1, 2, 2.5, 4)]
    assert_allclose(shares, [1, 1, 2 / 3, 2 / 3])
    said = np.array([[3.0], [2.0], [1.0], [2.0]])
    run = [(np.arange(4), said)]
    # Pairs: 0 before 1, 2 and 3 (all right), 2 before 3 (wrong).
    assert slow.concordance(y["time"], y["event"], run, np.ones(4)) == 3 / 4
    # 2 before 3 counts 1/(2/3)² = 9/4.
    assert_allclose(
        slow.concordance(y["time"], y["event"], run, np.ones(4), power=2), 3 / (3 + 9 / 4)
    )
    # By time 3: events of rows 0 and 2 (weights 1 and 3/2) against row 3.
    assert_allclose(slow.auc(y["time"], y["event"], run, np.ones(4), 3), 1 / (1 + 3 / 2))
    other = [(np.array([2, 3]), np.array([[5.0], [1.0]]))]
    # The pair of 2 and 3: wrong in one run, right in the other.
    assert slow.order(run + other, 2, 3) == 0.5


@settings(max_examples=25, deadline=None)
@given(tables())
def test_pooled_metrics_are_the_slow_ones(table):
    target, runs, copies = table
    time, event, known = target.time, target.event, target.follow_up
    shaped = [(rows, said[None, None]) for rows, said in runs]
    slowly = {
        "uno_c": [slow.concordance(time, event, runs, c, known.tau, 2) for c in copies],
        "harrell_c": [slow.concordance(time, event, runs, c) for c in copies],
        "auc_t": [slow.auc(time, event, runs, c, known.horizon) for c in copies],
    }
    for name, expected in slowly.items():
        found = METRICS[name].pooled(target, shaped, copies)
        assert found.shape == (3, 1)
        assert_allclose(found[:, 0], expected, err_msg=name)
    whole = [(np.arange(len(target)), said) for rows, said in runs if len(rows) == len(target)]
    if whole:
        shaped = [(rows, said[None, None]) for rows, said in whole]
        found = METRICS["ipa"].pooled(target, shaped, np.ones((1, len(target))))
        assert_allclose(found[0, 0], slow.ipa(time, event, whole, known.horizon), atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(tables())
def test_one_run_is_scored_as_by_the_kernels(table):
    target, runs, _ = table
    known = target.follow_up
    for rows, said in runs:
        part = target.take(rows)
        time, event, risk, g = part.time, part.event, said[:, 0], part.followed
        right, wrong, tied, *_ = concordance_counts(time, event, risk)
        n_pairs = right + wrong + tied
        errors = [
            brier_at(time, event, said[:, k], g, known.at_horizon, known.horizon) for k in (1, 2)
        ]
        expected = {
            "uno_c": uno_c(time, event, risk, g**-2.0, known.tau),
            "harrell_c": (right + tied / 2) / n_pairs if n_pairs else np.nan,
            "auc_t": auc_at(time, event, risk, 1 / g, known.horizon),
            "ipa": 1 - errors[0] / errors[1] if errors[1] > 0 else np.nan,
        }
        for name, value in expected.items():
            found = METRICS[name].score(part, said[None, None])
            assert_allclose(found, np.full((1, 1), value), err_msg=name, atol=1e-12)


@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_better_prediction_has_the_larger_score(name, seed):
    rng = np.random.default_rng(seed)
    time = rng.exponential(size=60) + 0.01
    y = survival(time, rng.random(60) < 0.7)
    target = SurvivalTarget(y, FollowUp.of(y))
    known, usual = target.follow_up, 0.6
    truth = (time > known.horizon).astype(float)
    outputs = {
        "right": np.column_stack([-time, 0.9 * truth + 0.05, np.full(60, usual), truth]),
        "none": np.column_stack([np.zeros(60), np.full(60, usual), np.full(60, usual), truth]),
        "wrong": np.column_stack([time, 0.95 - 0.9 * truth, np.full(60, usual), truth]),
    }
    metric, copies = METRICS[name], np.ones((1, 60))
    scores = {key: float(metric.score(target, said)) for key, said in outputs.items()}
    assert metric.higher_is_better
    assert scores["right"] > scores["none"] > scores["wrong"]
    assert_allclose(scores["none"], metric.chance(target), atol=1e-12)
    for key, said in outputs.items():
        pooled = metric.pooled(target, [(np.arange(60), said[None, None])], copies)
        assert_allclose(pooled, scores[key])
    if name != "ipa":
        assert_allclose(scores["right"], 1)


def test_risks_of_different_runs_are_never_compared():
    """A constant added to all risks of one run changes nothing."""
    rng = np.random.default_rng(0)
    y = survival(rng.exponential(size=80) + 0.01, rng.random(80) < 0.6)
    target = as_target(y)
    halves = [(half, rng.normal(size=(1, 1, 40, 4))) for half in np.arange(80).reshape(2, 40)]
    moved = [(halves[0][0], halves[0][1] + [100, 0, 0, 0]), halves[1]]
    for name in ("uno_c", "harrell_c", "auc_t"):
        one, other = (METRICS[name].pooled(target, r, np.ones((1, 80))) for r in (halves, moved))
        assert_allclose(one, other)


def test_scores_rest_on_events():
    rng = np.random.default_rng(0)
    target = as_target(survival(rng.exponential(size=200) + 0.01, np.arange(200) < 50))
    assert target.least_rows == 50
    risks = np.zeros((400, 200, 4))
    risks[..., 0] = rng.normal(size=(400, 200))
    for name in ("uno_c", "harrell_c", "auc_t"):
        spread = METRICS[name].score(target, risks).var()
        assert 0.7 < 0.25 / spread / METRICS[name].rows_worth(target) < 1.6
    assert METRICS["ipa"].rows_worth(target, 5) == 10
