"""The class that one-sided metrics are about, and what is known of the features."""

import numpy as np
import pandas as pd
import pytest

from backstay import TTest
from backstay.results import Results
from backstay.study import Study, Subsampling


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.array(["a"] * 12 + ["b"] * 28)
    X = pd.DataFrame(rng.normal(size=(40, 5)) + (y == "a")[:, None]).add_prefix("x")
    return X, y


def scores(results):
    return results.scores("average_precision").frame()["value"].to_numpy()


def test_the_positive_class_is_that_of_the_metric(data):
    X, y = data
    study = Study({"t": TTest()}, Subsampling(4), sizes=[2], metric="average_precision",
                  random_state=0)  # fmt: skip
    first = study.run(X, y, positive="a")
    # Renamed, the same class comes last in the alphabet and is positive by itself.
    renamed = study.run(X, np.where(y == "a", "z", "b"))
    assert first.data.target.names == ["b", "a"]
    np.testing.assert_array_equal(scores(first), scores(renamed))
    np.testing.assert_array_equal(scores(study.run(X, y, positive="b")), scores(study.run(X, y)))
    assert not np.allclose(scores(first), scores(study.run(X, y)))
    with pytest.raises(ValueError, match="positive='c' must be one of two classes"):
        study.run(X, y, positive="c")


def test_annotation_is_kept_with_the_data(data, tmp_path):
    X, y = data
    study = Study({"t": TTest()}, Subsampling(2), sizes=[2], store=tmp_path / "s.db",
                  random_state=0)  # fmt: skip
    about = pd.DataFrame({"symbol": ["A", "B", None, "D", 5]}, index=X.columns)
    study.run(X, y, annotation=about)
    kept = Results.load(tmp_path / "s.db").data.annotation
    assert kept == {"symbol": ["A", "B", None, "D", "5"]}
    with pytest.raises(ValueError, match="annotation has 4 rows; X has 5 features"):
        study.run(X, y, annotation=about.iloc[1:])
