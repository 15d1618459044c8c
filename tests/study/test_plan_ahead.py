"""Planning by simulation: the population is as assumed, and more rows find more."""

import math

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import roc_auc_score

from backstay.feature_weighting import TTest
from backstay.study import PlanAhead, Population, plan_ahead
from reference import planted as slow


def test_rows_of_a_population_are_as_assumed():
    population = Population(25, 12, effect=0.7, correlation=0.4, share=0.3)
    X, y = population.draw(20_000, 0)
    assert X.shape == (20_000, 25)
    assert [int(y[:n].sum()) for n in (10, 50, 20_000)] == [3, 15, 6000]
    gaps = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    np.testing.assert_allclose(gaps, np.r_[np.full(12, 0.7), np.zeros(13)], atol=0.06)
    within = np.corrcoef(X[y == 0], rowvar=False)
    block = np.arange(25) // 10
    expected = np.where(block[:, None] == block, 0.4, 0.0)
    np.fill_diagonal(expected, 1)
    np.testing.assert_allclose(within, expected, atol=0.05)


@pytest.mark.parametrize(("n_true", "correlation"), [(5, 0.0), (10, 0.5), (13, 0.8)])
def test_the_limit_is_that_of_the_best_linear_rule(n_true, correlation):
    population = Population(40, n_true, effect=0.6, correlation=correlation)
    X, y = population.draw(40_000, 1)
    true, half = X[:, :n_true], 20_000
    rule = LinearDiscriminantAnalysis().fit(true[:half], y[:half])
    area = roc_auc_score(y[half:], rule.decision_function(true[half:]))
    assert population.limit == pytest.approx(area, abs=0.01)


def test_the_limit_worked_by_hand():
    # One block of two: Δ² = 1 · 2/1.5, and Φ(√(2/3)).
    assert Population(10, 2, effect=1.0, correlation=0.5).limit == pytest.approx(0.79289, abs=1e-5)


@pytest.fixture(scope="module")
def strong():
    population = Population(100, 6, effect=1.5, correlation=0.3)
    return plan_ahead(population, ["t"], rows=[10, 40, 160], n_sets=6, random_state=0)


def test_with_more_rows_everything_gets_better(strong):
    frame = strong.frame()
    assert frame["rows"].tolist() == [10, 40, 160]
    assert frame["size"].tolist() == [6, 6, 6]
    for measure, rises in (("score", 1), ("replication", 1), ("found", 1), ("false", -1)):
        assert (np.diff(frame[measure]) * rises >= 0).all()
        low, high = frame[f"{measure}_low"], frame[f"{measure}_high"]
        assert (low <= frame[measure]).all()
        assert (frame[measure] <= high).all()
    last = frame.iloc[-1]
    assert last["found"] > 0.99
    assert last["replication"] > 0.99
    assert last["score"] == pytest.approx(strong.population.limit, abs=0.03)


def test_without_an_effect_there_is_only_chance():
    population = Population(60, 12, effect=0.0, correlation=0.0)
    plan = plan_ahead(population, ["t"], rows=[30], n_sets=40, random_state=0)
    row = plan.frame().iloc[0]
    assert population.limit == 0.5
    assert row["score"] == pytest.approx(0.5, abs=0.03)
    assert row["replication"] == pytest.approx(0, abs=0.06)
    assert row["found"] == pytest.approx(0.2, abs=0.04)
    assert row["false"] == pytest.approx(0.8, abs=0.04)


def test_figures_of_one_data_set_are_those_of_its_two_lists():
    population = Population(50, 5, effect=0.8)
    plan = plan_ahead(population, ["t"], rows=[20, 40], sizes=[4], n_sets=1, random_state=3)
    seeds = np.random.SeedSequence(3).spawn(1)[0].generate_state(4) % (2**31 - 1)
    lists = []
    for seed in seeds[:2]:
        X, y = population.draw(40, int(seed))
        lists.append(np.argsort(TTest(moderation="shrunken").fit(X[:20], y[:20]).ranking_)[:4])
    shares = [slow.found_and_false(chosen, range(5), lambda p, j: p == j) for chosen in lists]
    shared = len({*lists[0]} & {*lists[1]})
    row = plan.runs.iloc[0]
    assert row["rows"] == 20
    assert (row["found"], row["false"]) == pytest.approx(tuple(np.mean(shares, axis=0)))
    assert row["replication"] == pytest.approx((shared - 16 / 50) / (4 - 16 / 50))


def test_results_depend_on_the_seed_alone(strong):
    same = {"rows": [10, 40], "n_sets": 2}
    with parallel_config("threading"):
        jobs = plan_ahead(strong.population, ["t"], random_state=0, n_jobs=2, **same)
    once = plan_ahead(
        strong.population, {"t": TTest(moderation="shrunken")}, random_state=0, **same
    )
    other = plan_ahead(strong.population, ["t"], random_state=1, **same)
    pd.testing.assert_frame_equal(jobs.runs, once.runs)
    assert not jobs.runs.equals(other.runs)


def test_rows_for_a_level_are_interpolated_on_their_logarithm():
    runs = pd.DataFrame(
        {"rows": [20, 80, 320], "method": "t", "size": 5, "score": [0.6, 0.7, 0.8],
         "replication": [0.0, 0.4, 0.6], "found": 0.5, "false": 0.5}
    )  # fmt: skip
    plan = PlanAhead(Population(100, 5), runs, "AUC")

    def rows(level):
        return plan.rows_for("replication", level)["rows"][0]

    assert rows(0.5) == pytest.approx(160)
    assert rows(0.2) == pytest.approx(40)
    assert rows(0.0) == 20
    assert math.isnan(rows(0.7))


def test_wrong_uses_are_refused():
    with pytest.raises(ValueError, match="n_true=10 must lie between 1 and n_features=10"):
        Population(10, 10)
    with pytest.raises(ValueError, match="share=1"):
        Population(10, 2, share=1)
    with pytest.raises(ValueError, match="two rows or more in the rarer class"):
        plan_ahead(Population(10, 2, share=0.1), rows=[10, 40])
    with pytest.raises(ValueError, match="no method is called 'tt'"):
        plan_ahead(Population(10, 2), ["tt"])
