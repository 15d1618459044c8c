"""Studies of rows that belong together: means of repeats, differences within pairs."""

import re
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

from backstay import ReliefF, Results, SlopeTest, TTest
from backstay.ensemble import DecoyControl
from backstay.feature_weighting import CoxScore
from backstay.report import Report, units_text
from backstay.results import compare_studies
from backstay.store import Store
from backstay.study import Dataset, Study, Subsampling, suspicions
from backstay.targets import as_target
from reference.effects import effects, q_values
from reference.units import differences, group_means, paired_effects

NUMBERS = ("difference", "effect", "effect_low", "effect_high", "p_value")


def study(**options):
    methods = {"t": TTest(moderation="shrunken"), "relieff": ReliefF()}
    given = {"sizes": [3], "random_state": 0, "verbose": 0, **options}
    return Study(methods, Subsampling(6), **given)


@pytest.fixture(scope="module")
def pairs():
    """Twelve patients before and after, some with two rows a side; two lack a side."""
    rng = np.random.default_rng(0)
    sides = [(1, 1)] * 8 + [(2, 1), (1, 2), (2, 2), (1, 3), (1, 0), (0, 2)]
    patient = np.repeat(np.arange(14), [a + b for a, b in sides])
    y = np.concatenate([np.repeat(["before", "after"], one) for one in sides])
    X = 3 * rng.normal(size=(14, 20))[patient] + 0.4 * rng.normal(size=(len(y), 20))
    X[:, :3] += 1.5 * (y == "after")[:, None]
    names = [f"g{j}" for j in range(20)]
    index = [f"p{p}-{i}" for i, p in enumerate(patient)]
    return pd.DataFrame(X, index, names), y, np.array([f"p{p}" for p in patient])


@pytest.fixture(scope="module")
def paired(pairs, tmp_path_factory):
    X, y, patient = pairs
    path = tmp_path_factory.mktemp("pairs") / "study.db"
    return study(store=path, null=2, decoys=25).run(X, y, pairs=patient)


def test_effects_are_those_of_differences(pairs, paired):
    X, y, patient = pairs
    frame = paired.features("t", 3).frame()
    sides = [int(one == "before") for one in y]  # the second of both in order
    for row in frame.to_dict("records"):
        column = X.iloc[:, row["feature"]].tolist()
        one = paired_effects(column, sides, patient.tolist())
        for name in NUMBERS:
            assert row[name] == pytest.approx(one[name]), name
        assert row["high_in"] == ("before" if one["difference"] > 0 else "after")
    assert frame["q_value"].tolist() == pytest.approx(q_values(frame["p_value"].tolist()))
    assert (frame[frame["feature"] < 3]["q_value"] < 0.01).all()
    rows = study(models={}).run(X, y).features("t", 3).frame()
    assert (rows[rows["feature"] < 3]["q_value"] > 0.05).all()  # patients hide them


def test_the_filter_ranks_by_training_pairs(pairs, paired):
    X, y, patient = pairs
    records = paired._one()
    orders = records.orders("t")[1]
    for resample in range(6):
        train = records.train(resample)
        assert not set(patient[train]) & set(patient[records.test(resample)])
        fitted = TTest(moderation="shrunken").fit(X.iloc[train], y[train], pairs=patient[train])
        assert (orders[resample] == np.argsort(-fitted.feature_importances_)).all()


def test_shuffled_outcomes_change_sides_within_pairs(pairs):
    _, y, patient = pairs
    target = as_target(y)
    shuffled = [target.shuffled(patient, np.random.default_rng(seed)) for seed in range(20)]
    for one in shuffled:
        for name in np.unique(patient)[:12]:
            own = patient == name
            if len(set(y[own])) == 2:
                assert sorted(one.values[own]) == sorted(y[own])
    flipped = np.array([one.values != y for one in shuffled])
    assert flipped.any(axis=0)[:16].all()


def test_models_put_pairs_in_order(pairs, paired):
    patient = pairs[2]
    (row,) = paired.predictions.table("pair_order", "t", 3, "svm").frame().to_dict("records")
    right = {}
    for _, run in paired.predictions.rows("t", 3, "svm").frame().groupby("resample"):
        own = run["row"].to_numpy()
        for name in set(patient[own]):
            some = run[patient[own] == name]
            apart = differences(some["score"].tolist(), some["class"].tolist(), [0] * len(some))
            if apart:
                right.setdefault(name, []).append((apart[0] > 0) + 0.5 * (apart[0] == 0))
    assert row["pairs"] == len(right) <= 12
    assert row["right"] == pytest.approx(np.mean([np.mean(one) for one in right.values()]))
    assert row["low"] < row["right"] <= row["high"]


def test_values_are_about_the_middle_of_pairs(pairs, paired):
    _, y, patient = pairs
    for _, one in paired.samples.values("t", 3).frame().groupby("name"):
        value = one.set_index("row")["value"].sort_index().to_numpy()
        for name in np.unique(patient):
            own = patient == name
            sides = [value[own & (y == side)] for side in ("before", "after")]
            if min(map(len, sides)):
                assert sides[0].mean() == pytest.approx(-sides[1].mean())
            else:
                assert np.isnan(value[own]).all()


def test_decoys_change_places_within_pairs(pairs, paired):
    X, y, patient = pairs
    frame = paired.features(paired.choice().method, 3).frame().set_index("feature")
    assert "decoy_q_value" in frame
    control = DecoyControl(TTest(), 25, random_state=0).fit(X, y, pairs=patient)
    assert set(np.flatnonzero(control.qvalues_ <= 0.1)) == {0, 1, 2}
    with pytest.raises(ValueError, match="pairs need resample='subsample'"):
        DecoyControl(TTest(), resample="bootstrap").fit(X, y, pairs=patient)
    with pytest.raises(ValueError, match=r"pairs has shape \(3,\)"):
        DecoyControl(TTest()).fit(X, y, pairs=patient[:3])


def test_reports_say_which_design_was_used(paired):
    said = "the differences within 12 pairs (2 pairs without one of the classes left out)"
    assert units_text(paired.data) == said
    report = Report(paired)
    (part,) = report.to_dict()["datasets"]
    assert part["facts"]["design"] == "pairs"
    assert part["facts"]["effects_over"] == said
    assert "were put in the right order" in part["facts"]["pair_order"]
    assert part["target"]["test"] == "the paired t test"
    text = part["methods_text"]["text"]
    assert "in 14 pairs" in text
    assert "outcomes shuffled within pairs 2 times" in text
    assert re.search(rf"with Hedges' correction \[\d\] over {re.escape(said)}", text)
    assert f"effects and their tests are over {said}" in report.dome()


@pytest.fixture(scope="module")
def visits():
    rng = np.random.default_rng(1)
    subject = np.repeat(np.arange(20), rng.integers(2, 7, 20))
    X = rng.normal(size=(20, 30))[subject] + 0.3 * rng.normal(size=(len(subject), 30))
    X[3, 4] = np.nan
    return X, subject


def test_effects_of_repeats_are_over_means(visits):
    X, subject = visits
    X = np.nan_to_num(X)
    y = np.where(subject % 2, "ill", "well")
    results = study(models={}).run(X, y, groups=subject)
    frame = results.features("t", 3).frame()
    outcome = ["ill" if g % 2 else "well" for g in range(20)]
    for row in frame.to_dict("records"):
        means = group_means(X[:, row["feature"]].tolist(), subject.tolist())
        one = effects([*means.values()], outcome)
        for name in NUMBERS:
            assert row[name] == pytest.approx(one[name]), name
    assert units_text(results.data) == "the means of 20 groups"
    assert (study(models={}).run(X, y).features("t", 3).frame()["q_value"] < 0.05).any()
    assert not (frame["q_value"] < 0.05).any()
    assert len(suspicions(X, y, subject)) <= len(suspicions(X, y))


def test_numbers_have_means_too(visits):
    X, subject = visits
    X = np.nan_to_num(X)
    y = np.random.default_rng(2).normal(size=20)[subject] + 0.1 * np.arange(len(subject))
    results = Study({"slope": SlopeTest()}, Subsampling(3), sizes=[3], models={}, random_state=0,
                    verbose=0).run(X, y, groups=subject)  # fmt: skip
    frame = results.features().frame().set_index("feature")
    for j in (0, 7):
        means = [*group_means(X[:, j].tolist(), subject.tolist()).values()]
        own = [*group_means(y.tolist(), subject.tolist()).values()]
        assert frame["effect"][j] == pytest.approx(np.corrcoef(means, own)[0, 1])


def test_times_of_a_group_are_one(visits):
    X, subject = visits
    X, rng = np.nan_to_num(X), np.random.default_rng(4)
    own = list(zip(rng.random(20) < 0.8, rng.exponential(size=20), strict=True))
    kind = [("event", bool), ("time", float)]
    y = np.array([own[g] for g in subject], dtype=kind)
    over, units, table = as_target(y).compared(X, subject)
    first = np.unique(subject, return_index=True)[1]
    expected = as_target(y).take(first).effects(table).p_value
    assert (over, len(units)) == ("groups", 20)
    assert units.effects(table).p_value == pytest.approx(expected)
    found = CoxScore().fit(X, y, groups=subject).pvalues_
    assert found == pytest.approx(CoxScore().fit(table, y[first]).pvalues_)


def test_groups_of_several_outcomes_have_no_tests(visits):
    X, subject = visits
    X = np.nan_to_num(X)
    y = np.random.default_rng(3).integers(3, size=len(subject))
    results = study(models={}).run(X, y, groups=subject)
    frame = results.features("t", 3).frame()
    assert frame[["effect", "p_value", "q_value"]].isna().all(axis=None)
    assert frame["difference"].notna().all()
    assert units_text(results.data).startswith("nothing, as groups have rows of different outcomes")
    (part,) = Report(results).to_dict()["datasets"]
    assert "named as pairs instead" in part["methods_text"]["text"]
    shared = compare_studies(results, results)
    assert shared.features().frame()["first_p_value"].isna().all()


def test_a_store_of_an_older_version_has_no_tests_until_it_is_run_again(visits, tmp_path):
    X, subject = visits
    X, y, path = np.nan_to_num(X), subject % 2, tmp_path / "study.db"
    study(models={}, store=path).run(X, y, groups=subject)
    new = Results.load(path).features("t", 3).frame()
    with Store(path) as store:
        assert "effects of data" in store.study()
    with closing(sqlite3.connect(path)) as store, store:
        assert store.execute("DELETE FROM study WHERE key = 'effects of data'").rowcount == 1
        store.execute("DELETE FROM sums WHERE source = 'study' AND owner = 'effects of data'")
    old = Results.load(path)
    assert old.features("t", 3).frame()["p_value"].isna().all()
    assert "Run the same study again" in units_text(old.data)
    study(models={}, store=path).run(X, y, groups=subject)
    pd.testing.assert_frame_equal(Results.load(path).features("t", 3).frame(), new)


def test_refusals_name_the_alternative(pairs, visits):
    X, y, patient = pairs
    for given, message in [
        ({"pairs": patient, "groups": patient}, "give one of them"),
        ({"pairs": patient, "covariates": X[["g0"]]}, "leave covariates out"),
        ({"pairs": np.arange(len(y))}, "0 of .* have both, where 4 should, or name .* as groups"),
    ]:
        with pytest.raises(ValueError, match=message):
            study(models={}).run(X, y, **given)
    with pytest.raises(ValueError, match="there are 3 classes: leave all but two out"):
        study(models={}).run(X, np.arange(len(y)) % 3, pairs=patient)
    with pytest.raises(ValueError, match="as groups instead"):
        study(models={}).run_many({"a": Dataset(X, X["g0"].to_numpy(), pairs=patient)})
    with pytest.raises(ValueError, match="of both classes as pairs"):
        study(models={}, decoys=25).run(np.nan_to_num(visits[0]), visits[1] % 2, visits[1])
    assert units_text(study(models={}).run(X, y).data) == "all rows"
