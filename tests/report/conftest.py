"""One small study with awkward names for all tests here, and the report of it."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from backstay import SVMRFE, InstanceWeighted, MarginWeighting, Study, TTest
from backstay.datasets import make_han_yu
from backstay.report import Report
from backstay.study import Subsampling
from report.gallery import GALLERY

# Nothing here may reach for matplotlib's windows or selenium's downloads.
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("SE_OFFLINE", "true")

AWKWARD = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "=1+1",
    "@sum",
    "a$b$ & \"c\" 'd'",
    "line\u2028end",
    "日本語",
    "bell\x07",
    "-minus",
]
WEIGHTED = "<b>weighted</b> & $x$"


def table(n_samples=60, n_features=40, random_state=0, **kwargs):
    X, y, truth = make_han_yu(
        n_samples, n_features=n_features, n_relevant=10, random_state=random_state, **kwargs
    )
    names = AWKWARD + [f"g{i}" for i in range(len(AWKWARD), n_features)]
    index = [f"patient <i>{i}</i>" for i in range(n_samples)]
    classes = np.array(["<u>well</u>", "ill"])[y]
    return pd.DataFrame(X, columns=names, index=index), classes, truth


def small_study(methods, n_splits=6, sizes=(2, 5, 10), **options):
    options = {"models": {"1nn": KNeighborsClassifier(1)}, **options}
    return Study(methods, Subsampling(n_splits), sizes=sizes, random_state=0, verbose=0, **options)


@pytest.fixture(scope="session")
def results():
    X, y, truth = table()
    # One row far from all others, to be found among the weights.
    X.iloc[3] = X.iloc[3] * -9
    methods = {
        "t test": TTest(),
        WEIGHTED: InstanceWeighted(SVMRFE(), MarginWeighting(scale="sum")),
    }
    models = {"1nn": KNeighborsClassifier(1), "3nn": KNeighborsClassifier(3)}
    study = small_study(methods, 8, (2, 5, 10, 20), models=models, planning=1)
    provenance = {"command": "backstay run '<x>.csv'", "notes": ["a <b> note"], "sha256": "00"}
    return study.run(X, y, truth=truth, dataset="<em>data</em>", provenance=provenance)


@pytest.fixture(scope="session")
def gallery(tmp_path_factory):
    """Results of small studies of every kind, each run when it is first asked for."""
    folder = tmp_path_factory.mktemp("gallery")

    class Gallery(dict):
        def __missing__(self, name):
            self[name] = GALLERY[name](folder)
            return self[name]

    return Gallery()


@pytest.fixture(scope="session")
def made(results) -> Report:
    return Report(results)


@pytest.fixture(scope="session")
def report(made, tmp_path_factory) -> Path:
    return made.write(tmp_path_factory.mktemp("report") / "report.html")
