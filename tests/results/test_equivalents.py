"""What could take the place of a feature in the signature."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from backstay import Results, Study, TTest
from backstay.comparison import corrected_mean
from backstay.datasets import make_han_yu
from backstay.report import Report
from backstay.results._equivalents import RIDGE, RidgeFit
from backstay.study import Subsampling, merge_stores
from backstay.targets import as_target, find_metric
from reference import equivalents as reference

SIZE, BLOCK = 4, 6


@pytest.fixture(scope="module")
def data():
    X, y, _ = make_han_yu(80, n_features=60, n_relevant=12, block_size=BLOCK, random_state=2)
    return X, y


def study(store=None, sizes=(SIZE,)):
    return Study({"t": TTest()}, Subsampling(15), sizes=list(sizes), store=store, random_state=0)


@pytest.fixture(scope="module")
def results(data):
    return study().run(*data)


@pytest.fixture(scope="module")
def table(results):
    return results.selections.equivalents(SIZE).frame()


@given(st.integers(0, 10**6), st.integers(2, 3), st.integers(2, 5), st.integers(0, 2))
@settings(deadline=None, max_examples=15)
def test_exchanges_are_those_of_fitting_anew(seed, n_classes, size, n_stand_ins):
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(n_classes).repeat(2), rng.integers(0, n_classes, 8)])
    train, test = rng.normal(size=(len(codes), 8)) + codes[:, None], rng.normal(size=(5, 8))
    features, stand_ins = np.split(rng.permutation(8)[: size + n_stand_ins], [size])
    aims = as_target(np.arange(n_classes)).take(codes).ridge_aims()
    fit = RidgeFit(train, aims, test, features)
    given_ = (train, codes, n_classes, test, features)
    assert_allclose(fit.whole(), reference.leanings(*given_, RIDGE), atol=1e-9)
    place = int(rng.integers(size))
    expected = reference.exchanged(*given_, place, stand_ins, RIDGE)
    assert_allclose(fit.exchanged(place, stand_ins), expected, atol=1e-9)


def test_members_of_the_block_are_listed_and_noise_is_not(results, table):
    listed = table.dropna(subset="stand_in")
    assert (listed["feature"] // BLOCK == listed["stand_in"] // BLOCK).all()
    signature = results.signature("t", SIZE).frame()["feature"]
    assert table["feature"].drop_duplicates().tolist() == signature.tolist()
    assert not listed["stand_in"].isin(signature).any()
    assert listed["feature"].nunique() >= SIZE - 1
    assert (listed["change"] >= -listed["error"]).all()


def test_a_change_is_that_of_the_score_paired_by_resample(data, results, table):
    X, _ = data
    row = table.dropna(subset="stand_in").iloc[0]
    features = results.signature("t", SIZE).frame()["feature"].tolist()
    place, records = features.index(row["feature"]), results._one()
    target, metric, changes = records.target, find_metric("roc_auc"), []
    codes = target.arrays()["codes"]
    assert results.data.metric == "roc_auc"
    for i in range(records.n_resamples):
        train, test = records.train(i), records.test(i)
        fitted = (X[train], codes[train], 2, X[test], features)
        whole = reference.leanings(*fitted, RIDGE)
        pair = reference.exchanged(*fitted, place, [int(row["stand_in"])], RIDGE)
        auc = [
            metric.score(target.take(test), np.column_stack([one.argmax(axis=1), one[:, 1]]))
            for one in (whole, *pair)
        ]
        changes.append([auc[1] - auc[0], auc[2] - auc[0]])
    without, swapped = (corrected_mean(c, records.test_share) for c in np.array(changes).T)
    assert_allclose([row["without"], row["without_error"]], without, atol=1e-9)
    assert_allclose([row["change"], row["error"]], swapped, atol=1e-9)


def test_a_merged_study_gives_the_same(data, table, tmp_path):
    for number in (1, 2):
        study(tmp_path / f"{number}.db").run(*data, shard=(number, 2))
    whole = merge_stores([tmp_path / "1.db", tmp_path / "2.db"], tmp_path / "whole.db")
    pd.testing.assert_frame_equal(Results.load(whole).selections.equivalents(SIZE).frame(), table)


def test_many_samples_have_no_values_to_try(data):
    X, y = np.tile(data[0], (3, 1)), np.tile(data[1], 3)
    X = X + np.random.default_rng(0).normal(size=X.shape) / 10
    results = study(sizes=[2]).run(X, y)
    with pytest.raises(
        ValueError, match=r"has no values of the signature in all samples: .* more than 200 samples"
    ):
        results.selections.equivalents()


def test_the_report_lists_them(results, table):
    said = Report(results).to_dict()["datasets"][0]["equivalents"]
    assert [slot["name"] for slot in said["slots"]] == table["name"].drop_duplicates().tolist()
    names = [one["stand_in_name"] for slot in said["slots"] for one in slot["stand_ins"]]
    assert names == table["stand_in_name"].dropna().tolist()
