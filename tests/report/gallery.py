"""Small studies of every kind that a report must hold for, each run once per session."""

import numpy as np
import pandas as pd
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from backstay import SVMRFE, FStatistic, InstanceWeighted, MarginWeighting, ReliefF, Results, TTest
from backstay.study import Study, Subsampling, make_methods
from backstay.targets import survival
from reference.study import forget_tasks


def table(sizes, n_features=30, n_relevant=6, effect=1.6, seed=0):
    """Rows of classes of given sizes; each class is high in some of the relevant features."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(len(codes), n_features)) + 8
    high = np.arange(n_relevant) % len(sizes)
    X[:, :n_relevant] += effect * (codes[:, None] == high)
    X[:, n_relevant] = X[:, 0] + 0.3 * rng.normal(size=len(codes))  # says the same as the first
    names = [f"GENE{j}" for j in range(n_features)]
    classes = np.array([f"type {c}" for c in range(len(sizes))])
    samples = [f"sample {i}" for i in range(len(codes))]
    return pd.DataFrame(X, columns=names, index=samples), classes[codes]


def study(methods, n_splits=6, **options):
    models = {
        "svm": SVC(kernel="linear", class_weight="balanced"), "1nn": KNeighborsClassifier(1)
    }  # fmt: skip
    options = {"models": models, "sizes": [2, 5, 10], **options}
    return Study(methods, Subsampling(n_splits), random_state=0, verbose=0, **options)


def two(folder):
    methods = {
        **make_methods(["t", "relieff", "svm-rfe-c1"]),
        "iw-svm-rfe": InstanceWeighted(SVMRFE(), MarginWeighting(scale="sum")),
    }
    X, y = table([24, 20])
    provenance = {"file": "genes.csv", "sha256": "00", "log2": 20.0, "done": ["log2 was taken."]}
    return study(methods, null=3).run(X, y, dataset="two", provenance=provenance)


def four(folder):
    methods = {"f": FStatistic(), "relieff": ReliefF()}
    return study(methods).run(*table([14, 12, 12, 10], effect=2.0), dataset="four")


def eleven(folder):
    data = table([6] * 11, n_relevant=11, effect=3.0)
    return study({"f": FStatistic()}, 4, sizes=[5, 10]).run(*data, dataset="eleven")


def imbalanced(folder):
    return study({"t": TTest()}).run(*table([60, 9], effect=1.5), dataset="imbalanced")


def nothing(folder):
    return study({"t": TTest(), "f": FStatistic()}).run(*table([20, 20], effect=0), dataset="noise")


def unfinished(folder):
    """What a study leaves that was killed on its way."""
    path = folder / "unfinished.db"
    study({"t": TTest(), "f": FStatistic()}, store=path).run(*table([20, 20]), dataset="killed")
    forget_tasks(path, "resample >= 4")
    return Results.load(path)


def numbers(folder):
    X, _ = table([60])
    y = X.iloc[:, :3].to_numpy() @ [3.0, 2.0, -2.0]
    y += np.random.default_rng(1).normal(size=len(y))
    X.index = [f"<i>{name}</i>" for name in X.index]
    methods = make_methods(["slope", "spearman", "rrelieff"], kind="numbers")
    return study(methods, 8, models=None, null=3).run(X, y, dataset="numbers")


def times(folder):
    """Times until an event, some at the same time, a third censored."""
    X, _ = table([110])
    rng = np.random.default_rng(1)
    time = rng.exponential(np.exp(28.8 - X.iloc[:, :3].sum(axis=1)) * 40)
    end = rng.uniform(10, 120, size=len(X))
    y = survival(np.ceil(np.minimum(time, end)), time <= end)
    methods = make_methods(["cox-score", "cox-lasso", "relieff-residuals"], kind="survival")
    return study(methods, 8, models=None, null=3).run(X, y, dataset="times")


GALLERY = {
    made.__name__: made
    for made in (two, four, eleven, imbalanced, nothing, unfinished, numbers, times)
}
