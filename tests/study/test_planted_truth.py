"""Planted features: the outcomes follow them as the rule says, and lists are judged by them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from scipy import sparse
from sklearn.impute import SimpleImputer

from backstay.feature_weighting import TTest
from backstay.redundancy import correlation_modules
from backstay.study import StudyError, planted_truth
from backstay.study._known_truth import found_and_false, list_sizes
from backstay.study._planted_truth import plant
from backstay.targets import as_target
from reference import planted as slow


def test_the_slow_rule_on_a_case_worked_by_hand():
    rising, falling = [1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.5]
    assert slow.principal_signs([slow.standard(rising), slow.standard(falling)]) == [1, -1]
    classes = ["b", "a", "a", "b"]
    assert slow.planted([rising, falling], classes, [9, 1, 1, 2], 1.0) == ["a", "a", "b", "b"]
    assert slow.planted([rising, falling], classes, [9, 1, 2, 3], 0.0) == ["b", "a", "a", "b"]
    # Means 1.5 and 3.5, squares 0.5 + 0.5 on 2 degrees of freedom.
    expected = (1 - 3 / 7) * 2 / np.sqrt(0.5)
    assert slow.hedges(rising, ["a", "a", "b", "b"]) == pytest.approx(expected)


def factor_table(seed, n_rows=30, n_columns=6):
    """Columns that share a factor, with gaps."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n_rows, n_columns)) + 2 * rng.normal(size=(n_rows, 1))
    table[:, 1] *= -1
    table[rng.random(table.shape) < 0.05] = np.nan
    return table


@settings(max_examples=8)
@given(st.integers(0, 10_000), st.sampled_from([(15, 15), (8, 22), (6, 10, 14)]))
def test_outcomes_follow_score_and_noise_as_in_the_slow_rule(seed, sizes):
    table = factor_table(seed)
    outcomes = np.random.default_rng(seed).permutation(np.repeat(list("cab")[: len(sizes)], sizes))
    features = np.array([0, 1, 3])
    columns = table[:, features].T.tolist()
    noise = np.random.default_rng(seed).standard_normal(30)
    for effect, share in ((99.0, 1.0), (0.0, 0.0)):
        made = plant(table, features, as_target(outcomes), effect, np.random.default_rng(seed))
        expected = slow.planted(columns, outcomes.tolist(), noise.tolist(), share)
        assert made.target.values.tolist() == expected
        if len(sizes) == 2:
            assert made.effect == pytest.approx(slow.mean_effect(columns, expected))


@settings(max_examples=8)
@given(st.integers(0, 10_000), st.floats(0.3, 1.0))
def test_the_effect_is_nearly_as_near_as_any_noise_brings_it(seed, effect):
    table, features = factor_table(seed, n_rows=60), np.array([0, 1, 3])
    outcomes = ["a", "b"] * 30
    columns = table[:, features].T.tolist()
    made = plant(table, features, as_target(outcomes), effect, np.random.default_rng(seed))
    assert made.effect == pytest.approx(slow.mean_effect(columns, made.target.values.tolist()))
    assert made.effect == pytest.approx(effect, abs=0.1)


@given(st.data())
def test_shares_found_and_false_are_those_of_the_slow_ones(data):
    d = data.draw(st.integers(3, 12))
    features = st.lists(st.integers(0, d - 1), min_size=1, max_size=d, unique=True)
    chosen, true = data.draw(features), data.draw(features)
    alike = np.zeros((len(true), d), dtype=bool)
    bits = data.draw(st.lists(st.booleans(), min_size=alike.size, max_size=alike.size))
    alike |= np.array(bits).reshape(alike.shape)
    expected = slow.found_and_false(chosen, true, lambda p, j: alike[true.index(p), j])
    assert found_and_false(np.array(chosen), alike) == pytest.approx(expected)


def test_figures_of_a_plant_are_those_of_its_lists():
    table = factor_table(3, 40, 8) * np.r_[np.ones(4), np.zeros(4)]
    table[:, 4:] = np.random.default_rng(0).normal(size=(40, 4))
    X = np.nan_to_num(table)
    y = np.repeat([0, 1], 20)
    truth = planted_truth(X, y, ["t"], n_true=2, sizes=[3], n_plants=4, n_runs=2, random_state=1)
    runs = truth.runs[truth.runs["method"] == "t"]
    for number, row in runs.set_index("plant").iterrows():
        true = list(truth.features[number])
        rng = np.random.default_rng(np.random.SeedSequence(1).spawn(4)[number])
        drawn = rng.choice(8, 2, replace=False)
        assert drawn.tolist() == true
        made = plant(X, drawn, as_target(y), 0.8, rng)
        chosen = np.argsort(TTest(moderation="shrunken").fit(X, made.target.values).ranking_)[:3]
        strict = slow.found_and_false(chosen, true, lambda p, j: p == j)
        alike = slow.found_and_false(
            chosen, true, lambda p, j: p == j or abs(slow.correlation(X[:, p], X[:, j])) >= 0.7
        )
        assert (row["found"], row["false"]) == pytest.approx(strict)
        assert (row["found_alike"], row["false_alike"]) == pytest.approx(alike)


@pytest.fixture(scope="module")
def independent():
    return np.random.default_rng(0).normal(size=(300, 60)), np.repeat(["ill", "well"], [100, 200])


def test_a_t_ranking_finds_nearly_all_of_a_few_strong_features(independent):
    truth = planted_truth(
        *independent, ["t"], n_true=3, effect=0.9, sizes=[3], n_plants=5, n_runs=3, random_state=0
    )
    assert truth.effects == pytest.approx([0.9] * 5, abs=0.02)
    row = truth.frame().iloc[0]
    assert row["found"] > 0.95
    assert row["false"] < 0.05
    assert row["stability"] > 0.7


def test_without_an_effect_the_share_found_is_that_of_chance(independent):
    truth = planted_truth(
        *independent, ["t"], n_true=10, effect=0, sizes=[12], n_plants=60, n_runs=2, random_state=0
    )
    assert np.mean(truth.effects) == pytest.approx(0, abs=0.02)
    row = truth.frame().iloc[0]
    # 600 draws of a chance of a fifth: standard error about 0.016.
    assert row["found"] == pytest.approx(12 / 60, abs=0.05)
    assert row["false"] == pytest.approx(1 - 10 / 60, abs=0.05)


def test_many_independent_features_cannot_all_have_a_large_effect(independent):
    truth = planted_truth(*independent, ["t"], n_true=25, n_plants=2, n_runs=2, random_state=0)
    assert 0.2 < truth.effect < 0.5


def test_columns_that_share_a_factor_are_as_strong_as_planted_ones():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 1)) + 0.7 * rng.normal(size=(100, 30))
    y = ["a", "b"] * 50
    truth = planted_truth(X, y, ["t"], n_true=5, n_plants=2, n_runs=2, random_state=0)
    for number, child in enumerate(np.random.SeedSequence(0).spawn(2)):
        rng = np.random.default_rng(child)
        made = plant(X, rng.choice(30, 5, replace=False), as_target(y), 0.8, rng)
        features, said = truth.features[number], truth.as_strong[number]
        others = [j for j in range(30) if j not in features]
        values = made.target.values.tolist()
        strong = [abs(slow.hedges(X[:, j].tolist(), values)) >= made.effect for j in others]
        assert said == pytest.approx(np.mean(strong))
        assert said > 0.2


def test_outcomes_are_only_moved_and_the_table_is_not_changed(independent):
    X, y = independent
    before = X.copy()
    made = plant(X, np.arange(3), as_target(y), 0.5, np.random.default_rng(0))
    assert sorted(made.target.values) == sorted(y)
    planted_truth(X, y, ["t"], n_true=3, n_plants=1, n_runs=2, random_state=0)
    np.testing.assert_array_equal(X, before)


def test_any_order_of_outcomes_is_the_same_to_it(independent):
    X, y = independent
    options = {"n_true": 3, "n_plants": 2, "n_runs": 2, "random_state": 0}
    one, other = (planted_truth(X, labels, ["t"], **options) for labels in (y, y[::-1]))
    pd.testing.assert_frame_equal(one.runs, other.runs)
    with parallel_config("threading"):
        again = planted_truth(X, y, ["t"], n_jobs=2, **options)
    pd.testing.assert_frame_equal(one.runs, again.runs)


def test_a_stand_in_counts_as_what_it_stands_for_only_if_asked():
    rng = np.random.default_rng(0)
    base = rng.normal(size=(120, 20))
    X = np.hstack([base, base + 0.05 * rng.normal(size=base.shape)])
    assert len(set(correlation_modules(X))) == 20
    truth = planted_truth(
        X, np.arange(120) % 2, ["t"], n_true=3, sizes=[6], n_plants=6, n_runs=2, random_state=0
    )
    row = truth.frame().iloc[0]
    assert row["false"] >= 0.5  # three were planted, six are listed
    assert row["false_alike"] < row["false"] - 0.2
    assert row["found_alike"] >= row["found"]


def test_gaps_are_refused_or_filled_as_in_a_study(independent):
    X, y = independent[0].copy(), independent[1]
    X[::9, :30] = np.nan
    X[:, 40:50] = 3.0
    options = {"n_true": 3, "effect": 0.9, "sizes": [3], "n_plants": 4, "n_runs": 2}
    with pytest.raises(ValueError, match=r"missing cells.*preprocess"):
        planted_truth(X, y, ["t"], **options)
    truth = planted_truth(X, y, ["t"], preprocess=SimpleImputer(), random_state=0, **options)
    assert truth.frame()["found"][0] > 0.7
    # Constant columns are never planted.
    assert not {*range(40, 50)} & {j for plant in truth.features for j in plant}
    takes_gaps = planted_truth(X, y, ["relieff"], random_state=0, **options)
    assert takes_gaps.frame()["found"][0] > 0.4


def test_frames_with_text_and_sparse_tables_are_taken(independent):
    X, y = independent
    frame = pd.DataFrame(X[:, :8]).rename(columns=str)
    frame.insert(0, "site", pd.Categorical(np.where(np.arange(300) % 2, "a", "b")))
    options = {"n_true": 2, "n_plants": 1, "n_runs": 2, "sizes": [2], "random_state": 0}
    mixed = planted_truth(frame, y, ["relieff"], **options)
    assert 0 not in mixed.features[0]
    held = planted_truth(sparse.csr_array(X), y, ["relieff"], **options)
    dense = planted_truth(X, y, ["relieff"], **options)
    assert held.features == dense.features
    assert held.effects == pytest.approx(dense.effects)


def test_standings_compare_methods_on_the_same_plants(independent):
    truth = planted_truth(
        *independent, {"t": TTest(), "noise": Noise()}, n_true=3, n_plants=5, n_runs=2,
        random_state=0,
    )  # fmt: skip
    standings = truth.standings()
    assert standings["method"].tolist()[0] == "t"
    assert {*standings["method"][1:]} == {"noise", "by chance"}
    first, second, _ = standings.to_dict("records")
    assert first["behind"] == 0
    assert second["behind"] == pytest.approx(first["balance"] - second["balance"])
    assert 0 < second["behind_low"] < second["behind"] < second["behind_high"]
    assert len(truth.features[0]) == 3


def test_lists_by_chance_find_what_random_lists_do():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(50, 8)), 3, axis=1) + 0.3 * rng.normal(size=(50, 24))
    y = np.arange(50) % 2
    truth = planted_truth(X, y, ["t"], n_true=4, sizes=[5], n_plants=2, n_runs=2, random_state=0)
    runs = truth.runs[truth.runs["method"] == "by chance"].set_index("plant")
    r = np.abs(np.corrcoef(X, rowvar=False)) >= 0.7
    for number, true in enumerate(truth.features):
        drawn = [rng.choice(24, 5, replace=False) for _ in range(2000)]
        strict = [slow.found_and_false(chosen, true, lambda p, j: p == j) for chosen in drawn]
        alike = [slow.found_and_false(chosen, true, lambda p, j: r[p, j]) for chosen in drawn]
        expected = *np.mean(strict, axis=0), *np.mean(alike, axis=0)
        said = runs.loc[number, ["found", "false", "found_alike", "false_alike"]]
        np.testing.assert_allclose(said.astype(float), expected, atol=0.03)


class Noise(TTest):
    """A ranker that looks at nothing."""

    def _score(self, X, y, sample_weight):
        return np.random.default_rng(int(y.sum())).random(X.shape[1])


def test_wrong_uses_are_refused(independent):
    X, y = independent
    with pytest.raises(ValueError, match="n_true=61 features are to be planted among the 60 of 60"):
        planted_truth(X, y, ["t"], n_true=61)
    with pytest.raises(ValueError, match=r"sizes=\(60,\) must be at least 1 and less than 60"):
        planted_truth(X, y, ["t"], sizes=[60])
    with pytest.raises(StudyError, match=r"'broken' cannot be run here: .*no ranking"):
        planted_truth(X, y, {"broken": Equal()}, n_true=2, n_plants=1, n_runs=2)
    assert list_sizes(None, (4, 8, 16), 8) == (4,)


class Equal(TTest):
    """A ranker that finds all features the same."""

    def _score(self, X, y, sample_weight):
        return np.ones(X.shape[1])
