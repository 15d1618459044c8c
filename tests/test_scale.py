"""The unit of the features does not matter: X · 2^k gives what X gives."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from backstay import (
    SVMRFE,
    BaggedRanker,
    BetweenWithinRatio,
    DecoyControl,
    ForestImportance,
    FStatistic,
    InstanceWeighted,
    MarginWeighting,
    ModuleRanker,
    ReliefF,
    SequentialSelector,
    Simba,
    Study,
    TTest,
)
from backstay._scaling import table_near_one
from backstay.base import FeatureRanker, InstanceWeighter
from backstay.targets import CoxRidge
from estimators import ESTIMATORS, checked

# From 1e-12 to 1e12, and where a table ceases to be ordinary.
POWERS = [-40, -12, 40]

PENALTY = "its penalty is in the unit of the features, so the optimum moves with it"
# Estimators of scikit-learn's whose definition is not free of the unit, and why.
NOT_FREE = {CoxRidge: PENALTY, LogisticRegression: PENALTY, Ridge: PENALTY, SVC: PENALTY}


def table():
    """Rows on a grid of 64ths, so that every power of two is exact."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 12)
    X = np.round(rng.normal(size=(24, 5)) * 64) / 64
    X[:, 0] += 1.5 * y
    X[:, 1] -= y
    return X, y


def reason_against(estimator):
    return NOT_FREE.get(type(getattr(estimator, "estimator", estimator)))


def found(estimator, X, y, weights=None):
    estimator = clone(estimator)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(X, y, **({} if weights is None else {"sample_weight": weights}))
    if hasattr(estimator, "ranking_"):
        return estimator.ranking_
    if hasattr(estimator, "sample_weight_"):
        return estimator.sample_weight_
    return estimator.predict(X) if hasattr(estimator, "predict") else estimator.transform(X)


FREE = [checked(e) for e in ESTIMATORS if reason_against(e) is None]


@pytest.mark.parametrize(
    "estimator", FREE, ids=[f"{i}-{type(e).__name__}" for i, e in enumerate(FREE)]
)
def test_every_unit_gives_the_same(estimator):
    X, y = table()
    expected = found(estimator, X, y)
    for power in POWERS:
        assert_array_equal(found(estimator, np.ldexp(X, power), y), expected, str(power))


def test_few_estimators_are_excepted():
    assert len(FREE) >= len(ESTIMATORS) - 7
    assert all(len(reason) > 20 for reason in NOT_FREE.values())


TREE = DecisionTreeClassifier(random_state=0)
FOREST = RandomForestClassifier(5, random_state=0)
LDA = LinearDiscriminantAnalysis()
OF_SKLEARN = [
    *(InstanceWeighted(e, MarginWeighting()) for e in (TREE, FOREST)),
    *(BaggedRanker(e, 4, random_state=0) for e in (TREE, FOREST, LDA)),
    DecoyControl(FOREST, 2, n_resamples=4),
    ModuleRanker(TREE),
    *(SequentialSelector(e, cv=2) for e in (TREE, GaussianNB(), LDA, KNeighborsClassifier(3))),
]


@pytest.mark.parametrize(
    "estimator", OF_SKLEARN, ids=lambda e: f"{type(e).__name__}-{type(e.estimator).__name__}"
)
def test_every_unit_gives_the_same_with_an_estimator_of_scikit_learn(estimator):
    X, y = table()
    X = X[:, ::-1]  # the best come last
    expected = found(estimator, X, y)
    assert (expected != np.arange(1, 6)).any()  # what a model that sees nothing would return
    for power in POWERS:
        spoiled = np.ldexp(X, power)
        assert_array_equal(found(estimator, spoiled, y), expected, str(power))
        frame = pd.DataFrame(spoiled, columns=list("abcde"))
        assert_array_equal(found(estimator, frame, y), expected, str(power))


IN_CELLS = [
    *(BaggedRanker(e, 4, random_state=0) for e in (TREE, FOREST)),
    DecoyControl(FOREST, 2, n_resamples=4),
    *(SequentialSelector(e, cv=2) for e in (TREE, KNeighborsClassifier(3))),
]


@pytest.mark.parametrize(
    "estimator", IN_CELLS, ids=lambda e: f"{type(e).__name__}-{type(e.estimator).__name__}"
)
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix])
def test_every_unit_gives_the_same_with_a_sparse_table(estimator, kind):
    X, y = table()
    X = np.where(np.abs(X) < 0.3, 0.0, X)[:, ::-1]
    expected = found(estimator, kind(X), y)
    for power in POWERS:
        given = kind(np.ldexp(X, power))
        kept = given.copy()
        assert_array_equal(found(estimator, given, y), expected, str(power))
        assert_array_equal(given.data, kept.data)


@pytest.mark.parametrize("size", [2.0**-10, 1.0, 1e12])
def test_a_table_of_ordinary_size_stays_as_it_is(size):
    X, _ = table()
    X *= size / np.abs(X).max()
    whole_numbers = sparse.csr_array(np.eye(4, dtype=np.int64))
    for given in (X, pd.DataFrame(X), sparse.csr_array(X), whole_numbers):
        assert table_near_one(given) is given


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("power", [20, 40])
def test_trees_see_ordinary_features_beside_large_ones(kind, power):
    X, y = table()
    X, tree = X[:, ::-1].astype(kind), BaggedRanker(TREE, 4, random_state=0)
    expected = found(tree, X, y)
    X[:, 0] = np.ldexp(X[:, 0], power)
    assert_array_equal(found(tree, X, y), expected)


EACH_ITS_OWN = [
    TTest(),
    FStatistic(),
    BetweenWithinRatio(),
    ReliefF(),
    Simba(random_state=0),
    SVMRFE(),
    ForestImportance(5, random_state=0),
    SequentialSelector("lda", cv=2),
]


@pytest.mark.parametrize("estimator", EACH_ITS_OWN, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_features_may_have_units_far_apart(estimator, kind):
    X, y = table()
    powers = [-40, 30, 0, -20, 40]
    expected = found(estimator, X.astype(kind), y)
    assert_array_equal(found(estimator, np.ldexp(X.astype(kind), powers), y), expected)


@pytest.mark.parametrize("power", [-40, 40])
@pytest.mark.parametrize("frames", [False, True])
@pytest.mark.parametrize("preprocess", [None, MinMaxScaler()], ids=["raw", "scaled"])
def test_a_study_does_not_depend_on_the_unit(power, frames, preprocess):
    X, y = table()
    spoiled = np.ldexp(X, power)
    if frames:
        X, spoiled = (pd.DataFrame(part, columns=list("abcde")) for part in (X, spoiled))
    study = Study(
        {"t": TTest(moderation="shrunken"), "svm-rfe": SVMRFE(), "tree": TREE},
        models={
            "svm": make_pipeline(MinMaxScaler(), SVC()),
            "raw": Nearest(),
            "forest": FOREST,
        },
        preprocess=preprocess,
        sizes=[2],
        resampling=KFold(3),
        random_state=0,
    )
    ours, theirs = (study.run(part, y).frame() for part in (spoiled, X))
    for column in ("accuracy", "balanced_accuracy"):
        assert_array_equal(ours[column], theirs[column])
    assert theirs["accuracy"].mean() > 0.6


class Nearest(ClassifierMixin, BaseEstimator):
    """A classifier with an absolute idea of how large numbers are."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.means_ = np.array([np.asarray(X)[y == c].mean(axis=0) for c in self.classes_])
        return self

    def predict(self, X):
        distances = np.abs(np.asarray(X)[:, None] - self.means_).sum(axis=2) > 1e-12
        return self.classes_[distances.argmin(axis=1)]


def test_a_tiny_feature_beside_ordinary_ones_is_not_called_constant():
    X, y = table()
    study = Study({"t": TTest()}, sizes=[1], resampling=KFold(3), random_state=0)
    expected = study.run(X, y).frame()
    X[:, 0] = np.ldexp(X[:, 0], -40)
    assert_array_equal(study.run(X, y).frame()["accuracy"], expected["accuracy"])


class Third(FeatureRanker):
    """Ranks the third feature first and the last one second, whatever they hold."""

    def _score(self, X, y, sample_weight):
        return np.r_[0.0, 0.0, 2.0, np.zeros(X.shape[1] - 4), 1.0]


def test_rounding_errors_are_no_feature():
    X, y = table()
    study = Study({"third": Third()}, sizes=[2], resampling=KFold(3), random_state=0)
    X[:, 2] = 2.0**-40
    expected = study.run(X, y).frame()["accuracy"]
    X[:, 2] = np.where(y, 1.0, 1.0 + 2e-16) * 2.0**-40  # the classes' own rounding
    assert len(np.unique(X[:, 2])) == 2
    assert_array_equal(study.run(X, y).frame()["accuracy"], expected)
    X[:, 2] = y
    assert (study.run(X, y).frame()["accuracy"] > expected).all()


class Undecided(FeatureRanker):
    def _score(self, X, y, sample_weight):
        return np.array([1.0, np.nan, 0.0, np.nan, 0.5])

    n_features_to_select = None


class Unsure(InstanceWeighter):
    scale = "mean"

    def _weigh(self, X, y):
        return np.where(y, 1.0, np.nan)


def test_an_importance_or_weight_that_is_no_number_is_refused():
    X, y = table()
    with pytest.raises(ValueError, match=r"gives feature 1 the importance nan.*drop"):
        Undecided().fit(X, y)
    with pytest.raises(ValueError, match="gives feature b the importance nan"):
        Undecided().fit(pd.DataFrame(X, columns=list("abcde")), y)
    with pytest.raises(ValueError, match="gives row 0 the weight"):
        Unsure().fit(X, y)
