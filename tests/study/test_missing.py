"""Missing labels and cells are refused before anything runs, in one sentence."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from backstay import InstanceWeighted, MarginWeighting, ReliefF
from backstay.datasets import make_han_yu
from backstay.feature_weighting import SVMRFE, CoxScore, RReliefF, SlopeTest, TTest
from backstay.study import Study, Subsampling
from backstay.study._checks import takes_missing
from backstay.targets import as_target, survival

X, y, _ = make_han_yu(40, n_features=30, n_relevant=5, block_size=5, random_state=0)
HOLED = X.copy()
HOLED[[1, 5, 9], [0, 0, 7]] = np.nan


def small(methods, **options):
    defaults = {"resampling": Subsampling(3), "sizes": [3], "random_state": 0, "verbose": 0}
    return Study(methods, **{**defaults, **options})


@pytest.mark.parametrize(
    "labels",
    [
        np.where(np.arange(40) < 37, y.astype(float), np.nan),
        [*map(str, y[:37]), None, None, None],
        pd.Series([*map(str, y[:37]), None, np.nan, pd.NA]),
        pd.Series(y, dtype="Int64").mask(np.arange(40) > 36),
        pd.Series(y).astype("category").where(np.arange(40) < 37),
    ],
)
def test_missing_labels_are_counted(labels):
    message = "y is None or nan in 3 of 40 rows, first in row 37; leave these rows out"
    with pytest.raises(ValueError, match=message):
        small({"t": TTest()}).run(X, labels)


def test_missing_groups_are_counted():
    groups = [None, *range(39)]
    with pytest.raises(ValueError, match="groups is None or nan in 1 of 40 rows, first in row 0"):
        small({"t": TTest()}).run(X, y, groups)


def frame_of(table):
    return pd.DataFrame(table, columns=[f"g{j}" for j in range(table.shape[1])])


@pytest.mark.parametrize("table", [HOLED, frame_of(HOLED), sparse.csr_array(HOLED)])
def test_missing_cells_are_counted_and_who_cannot_take_them_is_named(table, monkeypatch):
    monkeypatch.setattr("backstay.study._study.finished_tasks", None)
    methods = {"t": TTest(), "rfe": SVMRFE(), "relieff": ReliefF()}
    with pytest.raises(ValueError, match="missing cells") as caught:
        small(methods).run(table, y)
    assert str(caught.value) == (
        "X of 'data' has 3 missing cells in 2 columns, which the methods t, rfe and the "
        "models svm, 1nn cannot take; fill them in with preprocess, such as "
        "SimpleImputer(), or leave these out."
    )


def test_nothing_is_written_before_the_check(tmp_path):
    with pytest.raises(ValueError, match="missing cells"):
        small({"t": TTest()}, store=tmp_path / "s.db").run(HOLED, y)
    assert not (tmp_path / "s.db").exists()


def test_the_controls_are_checked_too():
    weighted = InstanceWeighted(TTest(), MarginWeighting())
    with pytest.raises(ValueError, match=r"methods w, TTest, TTest \(control, mean 1\) cannot"):
        small({"w": weighted}, models={}).run(HOLED, y)


def test_those_that_take_missing_cells_run():
    results = small({"relieff": ReliefF()}, models={}).run(HOLED, y)
    assert len(results.runs.errors()) == 0
    models = {
        "trees": HistGradientBoostingClassifier(max_iter=5),
        "filled": make_pipeline(SimpleImputer(), SVC()),
    }
    results = small({"relieff": ReliefF()}, models=models).run(HOLED, y)
    assert len(results.runs.errors()) == 0


def test_preprocessing_may_fill_them_in():
    results = small({"t": TTest()}, preprocess=SimpleImputer()).run(HOLED, y)
    assert len(results.runs.errors()) == 0


class Stubborn(TTest):
    """Fits no small table at all."""

    def _score(self, X, y, sample_weight):
        raise ValueError("never")


@pytest.mark.parametrize(
    ("estimator", "takes"),
    [
        (ReliefF(), True),
        (HistGradientBoostingClassifier(), True),
        (make_pipeline(SimpleImputer(), SVC()), True),
        (GridSearchCV(make_pipeline(SimpleImputer(), SVC()), {"svc__C": [1, 2]}, cv=2), True),
        (Stubborn(), True),
        (TTest(), False),
        (SVC(), False),
        (GridSearchCV(SVC(), {"C": [1, 2]}, cv=2), False),
    ],
)
def test_what_takes_missing_cells(estimator, takes):
    assert takes_missing(estimator, as_target([0, 1] * 12)) == takes


def test_the_target_makes_the_example_that_is_tried():
    y = np.random.default_rng(0).normal(size=30)
    assert takes_missing(RReliefF(), as_target(y))
    assert not takes_missing(SlopeTest(), as_target(y))
    times = as_target(survival(np.arange(1, 61), np.arange(60) % 2))
    assert not takes_missing(CoxScore(), times)
