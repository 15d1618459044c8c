"""A small study to run in a process of its own."""

import time

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from backstay import FeatureRanker, InstanceWeighted, MarginWeighting
from backstay.datasets import make_han_yu
from backstay.feature_weighting import TTest
from backstay.store import TaskRecord
from backstay.study import Study, Subsampling


class Unhurried(FeatureRanker):
    """Random-ish importances that depend on the rows and the seed, after a pause."""

    pause = 0.0  # not a parameter: the length of the pause does not make another study

    def __init__(self, n_features_to_select=None, random_state=None):
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X, y, sample_weight):
        time.sleep(self.pause)
        rng = np.random.default_rng(self.random_state)
        return np.abs(X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)) + rng.random(X.shape[1])


def data():
    X, y, _ = make_han_yu(40, n_features=60, n_relevant=10, random_state=1)
    return X, y


def study(store, n_jobs=None, pause=0.0, **options):
    Unhurried.pause = pause
    methods = {
        "unhurried": Unhurried(),
        "weighted": InstanceWeighted(TTest(), MarginWeighting(scale="sum")),
    }
    return Study(
        methods,
        Subsampling(12),
        models={"1nn": KNeighborsClassifier(1)},
        sizes=[2, 10],
        scoring=["accuracy", "roc_auc"],
        null=2,
        store=store,
        n_jobs=n_jobs,
        random_state=3,
        **options,
    )


def probe(inputs, name, method, resample, split):
    """Stand in for a task: say, as its error, whether the data came as a memory map."""
    mapped = isinstance(inputs.X, np.memmap)
    return TaskRecord(name, resample, error=f"a probe: memory map {mapped}")
