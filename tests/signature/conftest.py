"""Small studies whose signatures the tests freeze."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC

from backstay import Study, TTest
from backstay.study import Subsampling

CLASSIFIERS = {
    "svm": make_pipeline(MinMaxScaler(), SVC(kernel="linear", class_weight="balanced")),
    "liblinear": make_pipeline(StandardScaler(), LinearSVC(random_state=0)),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "lda": LinearDiscriminantAnalysis(),
    "ridge": make_pipeline(RobustScaler(), RidgeClassifier()),
    "centroid": make_pipeline(MaxAbsScaler(), NearestCentroid()),
    "shrunken": NearestCentroid(shrink_threshold=0.3, priors="empirical"),
    "bayes": GaussianNB(),
    "3nn": make_pipeline(MinMaxScaler(clip=True), KNeighborsClassifier(3, weights="distance")),
    "1nn": make_pipeline(MinMaxScaler(), KNeighborsClassifier(1)),
    "forest": RandomForestClassifier(5),
}


def rows(seed, n=60, n_features=12, classes=("ill", "well"), effect=1.0):
    """Rows of equal classes; the first features differ, the last two copy the first ones."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % len(classes)
    X = rng.normal(size=(n, n_features))
    for c in range(1, len(classes)):
        X[codes == c, :5] += effect * c * (-1.0) ** np.arange(5)
    X[:, -2:] = X[:, :2] + 0.2 * rng.normal(size=(n, 2))
    frame = pd.DataFrame(X, columns=[f"gene {j}" for j in range(n_features)])
    return frame, np.array(classes)[codes]


def run(X, y, **options):
    settings = {"sizes": [4], "random_state": 0, "verbose": 0, "models": CLASSIFIERS} | options
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return Study({"t": TTest()}, Subsampling(4), **settings).run(X, y)


@pytest.fixture(scope="session")
def two():
    X, y = rows(0)
    return run(X, y), X, y


@pytest.fixture(scope="session")
def three():
    X, y = rows(1, 75, classes=("a", "b", "c"))
    chosen = ("svm", "logistic", "centroid", "bayes", "3nn", "lda")
    return run(X, y, models={name: CLASSIFIERS[name] for name in chosen}), X, y


@pytest.fixture(scope="session")
def signature(two):
    results, X, y = two
    return results.freeze(X, y, ("t", 4, "svm"))
