"""Stability of modules beside that of features."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator

from backstay import Results, Study, TTest
from backstay.datasets import make_han_yu
from backstay.redundancy import correlation_modules
from backstay.report import Report
from backstay.stability import stability_score
from backstay.study import Subsampling, merge_stores


@pytest.fixture(scope="module")
def data():
    X, y, _ = make_han_yu(60, n_features=200, n_relevant=20, block_size=20, random_state=0)
    return X, y


def study(store=None):
    return Study({"t": TTest()}, Subsampling(12), sizes=[5, 10], store=store, random_state=0)


@pytest.fixture(scope="module")
def results(data):
    return study().run(*data)


def test_modules_are_stable_where_features_are_not(results):
    table = results.selections.module_stability([3, 5]).frame()
    assert (table["features"] < 0.6).all()
    assert (table["value"] > 0.95).all()


def test_it_is_the_measure_over_the_modules_of_the_data(data, results):
    table = results.selections.module_stability([7]).frame()
    _, orders = results._one().orders("t")
    modules = correlation_modules(data[0])
    expected = stability_score(orders[:, :7].tolist(), 200, "module_match", modules=modules)
    assert table["value"].tolist() == pytest.approx([expected.value])
    assert table["features"].tolist() == pytest.approx(
        results.stability(sizes=[7]).frame()["value"].tolist()
    )
    once = results.frame().drop_duplicates(["method", "size"])
    assert_array_equal(
        once["module_stability"], results.selections.module_stability().frame()["value"]
    )


def test_the_report_says_it(results):
    said = Report(results).to_dict()["datasets"][0]
    here = results.selections.module_stability([said["choice"]["size"]]).frame()
    assert said["modules"]["value"] == here["value"].tolist()[0]
    assert "modules" in said["figures"]["stability"]["columns"]


def test_a_merged_study_knows_its_modules(data, results, tmp_path):
    for number in (1, 2):
        study(tmp_path / f"{number}.db").run(*data, shard=(number, 2))
    whole = merge_stores([tmp_path / "1.db", tmp_path / "2.db"], tmp_path / "whole.db")
    frame = Results.load(whole).selections.module_stability().frame()
    pd.testing.assert_frame_equal(frame, results.selections.module_stability().frame())


def modules_of(X, y):
    """The module of every column, as a store of these rows keeps it."""
    run = Study({"f": AnyOrder()}, Subsampling(2), sizes=[2], models={}, random_state=0, verbose=0)
    return run.run(X, y)._one().modules


class AnyOrder(BaseEstimator):
    """The columns in their order, whatever they hold."""

    def fit(self, X, y):
        self.feature_importances_ = np.arange(X.shape[1], 0, -1.0)
        return self


def test_columns_that_are_no_numbers_are_alone(data):
    X, y = data[0][:, :40], data[1]
    frame = pd.DataFrame(X).assign(text="a").rename(columns=str)
    frame.insert(0, "kind", ["b", "c"] * 30)
    found = modules_of(frame, y)
    assert_array_equal(found[1:-1], modules_of(X, y) + 1)
    assert (np.bincount(found)[[0, 41]] == 1).all()
