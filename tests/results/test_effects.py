"""Effects of features beside their selection, and what is kept of signatures."""

import sqlite3
from contextlib import closing
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

from backstay import Results, TTest
from backstay.results import DatasetFacts
from backstay.study import Study, Subsampling
from reference.effects import effects, q_values

NUMBERS = ("difference", "effect", "effect_low", "effect_high", "p_value")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = np.repeat(["well", "ill"], 20)
    X = rng.normal(size=(40, 12)) + 2.0 * (y == "ill")[:, None] * (np.arange(12) < 3)
    X[:, 3] = X[:, 0] + 0.1 * rng.normal(size=40)  # says the same as the first
    X[5, 1] = np.nan
    X[:, 1] = np.nan_to_num(X[:, 1])
    return pd.DataFrame(X, columns=[f"g{j}" for j in range(12)]), y


def run(table, **options):
    X, y = table
    study = Study({"t": TTest()}, Subsampling(6), sizes=[2, 4], models={}, random_state=0,
                  verbose=0, **options)  # fmt: skip
    return study.run(X, y)


def test_features_are_all_there_with_effects_and_intervals(table):
    results = run(table)
    X, y = table
    frame = results.features("t", 4).frame()
    assert sorted(frame["feature"]) == list(range(12))
    assert frame["in_signature"].sum() == 4
    for row in frame.to_dict("records"):
        one = effects(X.iloc[:, row["feature"]].tolist(), y.tolist())
        assert [row["mean in ill"], row["mean in well"]] == pytest.approx(one["means"])
        assert row["high_in"] == one["high_in"]
        for name in NUMBERS:
            assert row[name] == pytest.approx(one[name]), name
        k, n, z = row["frequency"] * 6, 6, 1.96
        middle = (k + z**2 / 2) / (n + z**2)
        assert (row["frequency_low"] + row["frequency_high"]) / 2 == pytest.approx(middle)
        assert row["frequency_low"] <= row["frequency"] <= row["frequency_high"]
    assert frame["q_value"].tolist() == pytest.approx(q_values(frame["p_value"].tolist()))


def test_a_study_that_stopped_before_moments_says_nothing_and_gets_them_later(table, tmp_path):
    path = tmp_path / "study.db"
    run(table, store=path)
    whole = Results.load(path).features("t", 4).frame()
    described = "name LIKE 'class %' OR name = 'module' OR owner LIKE 'computed %'"
    with closing(sqlite3.connect(path)) as store, store:
        assert store.execute(f"DELETE FROM arrays WHERE {described}").rowcount > 4
        store.execute(f"DELETE FROM sums WHERE source = 'arrays' AND ({described})")
    old = Results.load(path)
    frame = old.features("t", 4).frame()
    assert set(whole) - set(frame) >= {"difference", "high_in", "mean in ill", "q_value"}
    assert frame["frequency"].tolist() == whole["frequency"].tolist()
    for nothing in (old.samples.values("t", 4), old.samples.map("t", 4)):
        assert len(nothing) == 0
    assert len(old.selections.groups("t", 4)) == 0
    run(table, store=path)
    pd.testing.assert_frame_equal(Results.load(path).features("t", 4).frame(), whole)


def test_values_and_map_of_the_signature(table):
    results = run(table)
    X = table[0]
    values = results.samples.values("t", 4).frame()
    assert len(values) == 4 * 40
    for name, rows in values.groupby("name"):
        standard = (X[name] - X[name].mean()) / X[name].std()
        np.testing.assert_allclose(rows["value"], standard, atol=1e-12)
    places = results.samples.map("t", 4).frame()
    wide = values.pivot(index="row", columns="feature", values="value").to_numpy()
    spread, ways = np.linalg.eigh(np.cov(wide.T))
    assert places["share_first"][0] == pytest.approx(spread[-1] / spread.sum())
    for name, way in (("first", ways[:, -1]), ("second", ways[:, -2])):
        np.testing.assert_allclose(np.abs(places[name]), np.abs(wide @ way), atol=1e-9)


def test_groups_of_the_signature_link_what_is_correlated(table):
    results = run(table)
    X = table[0]
    groups = results.selections.groups("t", 4).frame()
    assert len(groups) == 4
    r = X[groups["name"]].corr().to_numpy()
    for i, row in groups.iterrows():
        linked = [b for a, b in zip(r[i], groups["group"], strict=True) if abs(a) >= 0.7]
        assert set(linked) == {row["group"]}
        if isinstance(row["closest"], str):
            assert row["correlation"] == pytest.approx(X[row["name"]].corr(X[row["closest"]]))
    own = groups.set_index("name")["group"]
    assert own["g0"] == own["g3"]
    assert groups["group"].nunique() < 4


def test_of_many_samples_the_values_of_some_are_kept():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(250, 6)), np.arange(250) % 5 // 4
    results = run((X, y))
    shown = results.samples.values("t", 4).frame()
    assert len(shown) == 4 * 200
    shares = shown.groupby("class")["row"].nunique() / 200
    assert np.allclose(shares, np.bincount(y) / len(y), atol=0.01)
    for name, own in shown.groupby("feature"):  # of the rows they are said to be of
        assert abs(np.corrcoef(X[own["row"], name], own["value"])[0, 1]) > 0.999
    assert len(results.selections.groups("t", 4)) == 4


def test_method_and_size_go_together(table):
    with pytest.raises(ValueError, match="method and size together"):
        run(table).samples.values("t")


def test_logs_are_known_by_what_was_said():
    known = dict.fromkeys(field.name for field in fields(DatasetFacts))
    for provenance, logged in (({"log2": 20.0}, True), ({"scale": "log2"}, True), ({}, False)):
        assert DatasetFacts(**{**known, "provenance": provenance}).logged is logged


def test_what_the_table_says_of_features_stands_beside_them(table, tmp_path):
    X, y = table
    symbols = pd.DataFrame({"symbol": [f"<s>{j}" for j in range(12)]}, index=X.columns)
    study = Study({"t": TTest()}, Subsampling(4), sizes=[2], models={}, random_state=0,
                  verbose=0)  # fmt: skip
    results = study.run(X, y, annotation=symbols)
    frame = results.features("t", 2).frame()
    assert frame["annotation symbol"].tolist() == [f"<s>{j}" for j in frame["feature"]]
    text = results.report(tmp_path / "r.html").read_text("utf-8")
    assert "&lt;s&gt;0</span>" in text
    assert "<s>" not in text
